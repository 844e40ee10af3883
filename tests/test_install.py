"""The grammar is found from a wheel, from an sdist and from an editable install."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ["src", "grammar", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml"]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        source = ROOT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / part)
    (folder / "tests").mkdir()
    return folder


def build(folder, kind):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=120,
    )
    return next((folder / "dist").glob("*.whl" if kind == "wheel" else "*.tar.gz"))


def answer(package_folder, tmp_path):
    """What the command says when the package is taken from this folder and from nowhere else."""
    code = "import sys; from gradcli.cli import main; sys.exit(main(['eval', '(a+b)*(a*b)', 'a=3', 'b=4', '--value']))"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(package_folder), sysconfig.get_path("purelib")]),
        "XDG_CACHE_HOME": str(tmp_path),
    }
    # -S leaves out site-packages and with it the installed copy; the dependencies come by PYTHONPATH
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip() or done.stderr


def test_wheel(checkout, tmp_path):
    with zipfile.ZipFile(build(checkout, "wheel")) as wheel:
        assert "gradcli/grammar/expression.lark" in wheel.namelist()
        assert "gradcli/py.typed" in wheel.namelist()
        wheel.extractall(tmp_path / "site")
    assert answer(tmp_path / "site", tmp_path) == "84"


def test_sdist(checkout, tmp_path):
    with tarfile.open(build(checkout, "sdist")) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("gradcli-*")
    with zipfile.ZipFile(build(unpacked, "wheel")) as wheel:
        wheel.extractall(tmp_path / "site")
    assert answer(tmp_path / "site", tmp_path) == "84"


def test_source_tree_as_an_editable_install_sees_it(checkout, tmp_path):
    assert answer(checkout / "src", tmp_path) == "84"
