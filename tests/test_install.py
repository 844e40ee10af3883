"""Grammar, manual and man pages are found from a wheel, from an sdist and from an editable install."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from helpers import ROOT

from gradcli.cli import COMMANDS
from gradcli.render.manual import TOPICS

PARTS = ["src", "grammar", ".ci", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml"]
MAN_PAGES = {"man1/gradcli.1", *(f"man1/gradcli-{name}.1" for name in COMMANDS)}
MAN_PAGES |= {f"man7/gradcli-{topic}.7" for topic in TOPICS}


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


def man_pages(wheel):
    """The man pages in a wheel, by their places below `share/man`."""
    return {name.partition(".data/data/share/man/")[2] for name in wheel.namelist()} - {""}


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
        assert {f"gradcli/render/graph/page.{kind}" for kind in ("html", "css", "js")} <= set(wheel.namelist())
        assert {f"gradcli/manual/{topic}.md" for topic in TOPICS} <= set(wheel.namelist())
        assert man_pages(wheel) == MAN_PAGES
        wheel.extractall(tmp_path / "site")
    assert answer(tmp_path / "site", tmp_path) == "84"


def test_sdist(checkout, tmp_path):
    with tarfile.open(build(checkout, "sdist")) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("gradcli-*")
    with zipfile.ZipFile(build(unpacked, "wheel")) as wheel:
        assert man_pages(wheel) == MAN_PAGES
        wheel.extractall(tmp_path / "site")
    assert answer(tmp_path / "site", tmp_path) == "84"


def test_source_tree_as_an_editable_install_sees_it(checkout, tmp_path):
    assert answer(checkout / "src", tmp_path) == "84"


@pytest.mark.parametrize("editable", [False, True])
def test_pip_installs_a_command_that_runs_elsewhere(checkout, tmp_path, editable):
    """In a fresh environment that borrows the dependencies from this one, so that no network is needed."""
    if editable:
        pytest.importorskip("editables", reason="hatchling needs it for an editable install")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True, timeout=60)
    scheme = {"base": str(tmp_path / "venv"), "platbase": str(tmp_path / "venv")}
    site, scripts = (Path(sysconfig.get_path(kind, "venv", vars=scheme)) for kind in ("purelib", "scripts"))
    python = shutil.which("python", path=scripts)
    what = ["--editable", checkout] if editable else [build(checkout, "wheel")]
    offline = ["--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "-q", *offline, *what]
    # the build backend, and the dependencies when the command runs, are those of this environment
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHON"))} | {
        "XDG_CACHE_HOME": str(tmp_path)
    }
    here = {**environment, "PYTHONPATH": os.pathsep.join(sys.path[1:])}
    done = subprocess.run(pip, capture_output=True, text=True, env=here, timeout=120)
    assert done.returncode == 0, done.stderr
    (site / "zz_borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    command = shutil.which("gradcli", path=scripts)
    done = subprocess.run(
        [command, "eval", "(a+b)*(a*b)", "a=3", "b=4"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "=\t84\t1\na\t3\t40\nb\t4\t33\n", "")
    manual = subprocess.run(
        [command, "help", "calculus"], cwd=tmp_path, env=environment, capture_output=True, timeout=60
    )
    assert manual.stdout == (ROOT / "src" / "gradcli" / "manual" / "calculus.md").read_bytes()
    where = [python, "-c", "import gradcli; print(gradcli.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60).stdout
    assert Path(found.strip()).is_relative_to(checkout if editable else site)
