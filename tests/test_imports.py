"""What a start costs and leaves behind: the modules that are loaded, and the cache of the grammar."""

import os
import re
import subprocess
import sys

import pytest
from helpers import posix

WALK = ("eval", "(a+b)*(a*b)", "a=3", "b=4")
WALK_PLAIN = "=\t84\t1\na\t3\t40\nb\t4\t33\n"
HEAVY = ["rich", "numpy", "importlib.metadata", "asyncio", "sympy", "difflib", "email", "http", "unittest", "mpmath"]


def loaded(gradcli, env, *args):
    """The modules that a run of the real command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", gradcli, *args], capture_output=True, text=True, env=env, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", done.stderr, re.M))


def outside_the_interpreter(modules):
    """Without what Python's own start loads, .pth files of the environment included."""
    bare = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", ""], capture_output=True, text=True, timeout=60
    ).stderr
    return modules - set(re.findall(r"\|\s+(\S+)$", bare, re.M))


@posix
@pytest.mark.parametrize("extra", [[], ["--json"], ["--value"], ["--grad", "a"], ["--trace"]])
def test_a_piped_eval_loads_nothing_heavy(gradcli, clean, run, extra):
    run(*WALK)  # the grammar is cached from here on
    modules = outside_the_interpreter(loaded(gradcli, clean, *WALK, *extra))
    assert "gradcli.autodiff.engine" in modules and "lark" in modules
    assert [
        name for name in sorted(modules) if any(name == heavy or name.startswith(heavy + ".") for heavy in HEAVY)
    ] == []


@posix
def test_one_command_does_not_load_another(gradcli, clean):
    modules = loaded(gradcli, clean, *WALK)
    assert {name for name in modules if name.startswith("gradcli.cli.")} <= {
        "gradcli.cli.arguments",
        "gradcli.cli.commands.eval",
        "gradcli.cli.options",
        "gradcli.cli.output",
    }
    assert not modules & {
        "decimal",
        "gradcli.trace.arithmetic",
        "gradcli.language.mistakes",
        "gradcli.autodiff.adjoint",
        "gradcli.language.ranges",
        "gradcli.autodiff.symbols",
    }
    assert not {
        name for name in loaded(gradcli, clean, "--version") if name.startswith(("lark", "gradcli.autodiff.engine"))
    }


@posix
@pytest.mark.parametrize(
    ("module", "words"),
    [("language.ranges", ["a*b", "a=3:4", "b=1"]), ("autodiff.adjoint", ["diff(a*b, a)", "a=3", "b=4"])],
)
def test_what_a_formula_needs_is_loaded_for_it(gradcli, clean, module, words):
    assert f"gradcli.{module}" in loaded(gradcli, clean, "eval", *words)


@posix
@pytest.mark.parametrize(
    "words", [["--help"], *[[name, "--help"] for name in ("fit", "minimize", "train", "predict", "map")]]
)
def test_help_needs_no_extra(gradcli, clean, words):
    assert not loaded(gradcli, clean, *words) & {"numpy", "scipy", "pyarrow", "orjson"}


def test_the_library_imports_nothing_at_first():
    code = "import sys, gradcli; print(sorted(m for m in sys.modules if m.split('.')[0] in ('lark', 'rich', 'click', 'numpy', 'gradcli')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "['gradcli']"


def test_the_doors_of_fit_and_minimize_need_no_extra():
    code = "import sys, gradcli; gradcli.fit, gradcli.minimize; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stdout == "False\n"


# ----------------------------------------------------------------------------------------------- the cache


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_cache_lies_in_the_cache_folder(run, tmp_path):
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert run(*WALK, env=env) == (0, WALK_PLAIN, "")
    (cache,) = files(tmp_path)
    assert cache.parent == tmp_path / "cache" / "gradcli"
    if os.name == "posix":
        assert cache.parent.stat().st_mode & 0o077 == 0
    before = cache.stat().st_mtime_ns
    assert run(*WALK, env=env) == (0, WALK_PLAIN, "")
    assert (files(tmp_path), cache.stat().st_mtime_ns) == ([cache], before)  # used, not written again


@pytest.mark.parametrize("content", [b"", b"broken", b"\x80\x04garbage", None])
def test_a_broken_cache_is_rebuilt(run, tmp_path, content):
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    run(*WALK, env=env)
    (cache,) = files(tmp_path)
    whole = cache.read_bytes()
    broken = whole[: len(whole) // 2] if content is None else content
    cache.write_bytes(broken)
    assert run(*WALK, env=env) == (0, WALK_PLAIN, "")
    assert files(tmp_path) == [cache] and cache.read_bytes() != broken
    assert run(*WALK, env=env) == (0, WALK_PLAIN, "")


@posix
def test_a_cache_with_a_good_head_and_a_broken_body_is_rebuilt(run, tmp_path):
    """Lark checks the first line and trusts what follows."""
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    run(*WALK, env=env)
    (cache,) = files(tmp_path)
    head = cache.read_bytes().split(b"\n")[0] + b"\n"
    for body in (b"", b"garbage", b"\x80\x04N."):
        cache.write_bytes(head + body)
        assert run(*WALK, env=env) == (0, WALK_PLAIN, ""), body


@posix
@pytest.mark.parametrize(
    "env",
    [
        {"XDG_CACHE_HOME": "/proc/nowhere"},
        {"XDG_CACHE_HOME": "/dev/null"},
        {"XDG_CACHE_HOME": "/dev/null", "HOME": None},
        {"XDG_CACHE_HOME": None, "HOME": "/proc/nowhere"},
        {"XDG_CACHE_HOME": None, "HOME": ""},
        {"XDG_CACHE_HOME": "relative"},
        {"XDG_CACHE_HOME": "", "HOME": "relative"},
    ],
)
def test_without_a_cache_folder(run, tmp_path, env):
    assert run(*WALK, env=env, cwd=tmp_path) == (0, WALK_PLAIN, "")
    assert os.listdir(tmp_path) == []


@posix
def test_home_unset_without_an_account(run, tmp_path):
    """A container's user may have neither HOME nor a line in /etc/passwd."""
    code = "import os, pwd; del os.environ['HOME']; os.environ.pop('XDG_CACHE_HOME', None)\n"
    code += "def unknown(uid): raise KeyError(uid)\npwd.getpwuid = unknown\nfrom gradcli.cli import main; raise SystemExit(main(['eval', 'x', 'x=1', '--value']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "") and os.listdir(tmp_path) == []


@posix
def test_a_cache_folder_that_may_not_be_written(run, tmp_path):
    folder = tmp_path / "gradcli"
    folder.mkdir(mode=0o500)
    try:
        assert run(*WALK, env={"XDG_CACHE_HOME": str(tmp_path)}) == (0, WALK_PLAIN, "")
    finally:
        folder.chmod(0o700)


def test_a_file_where_the_cache_folder_should_be(run, tmp_path):
    (tmp_path / "gradcli").write_text("mine", encoding="utf-8")
    assert run(*WALK, env={"XDG_CACHE_HOME": str(tmp_path)}) == (0, WALK_PLAIN, "")
    assert (tmp_path / "gradcli").read_text(encoding="utf-8") == "mine"


def test_a_folder_where_the_cache_file_should_be(run, tmp_path):
    (tmp_path / "gradcli" / "grammar").mkdir(parents=True)
    assert run(*WALK, env={"XDG_CACHE_HOME": str(tmp_path)}) == (0, WALK_PLAIN, "")


@posix
def test_a_disk_that_fills_up_under_the_cache(gradcli, clean, run, tmp_path):
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    limit = 'trap "" XFSZ; ulimit -f 4; exec "$0" "$@"'  # a limit of the file size is a disk that fills up
    done = subprocess.run(
        ["bash", "-c", limit, gradcli, *WALK], capture_output=True, text=True, env={**clean, **env}, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, WALK_PLAIN, "")
    assert run(*WALK, env=env) == (0, WALK_PLAIN, "")


def test_nothing_is_written_to_the_shared_folder(run, tmp_path):
    shared, cache = tmp_path / "shared", tmp_path / "cache"
    shared.mkdir()
    env = {"TMPDIR": str(shared), "TEMP": str(shared), "TMP": str(shared), "XDG_CACHE_HOME": str(cache)}
    for _ in range(2):
        assert run(*WALK, "-o", "a.json", env=env, cwd=tmp_path).code == 0
        assert run(*WALK, env={**env, "XDG_CACHE_HOME": "/dev/null"}).code == 0
    assert os.listdir(shared) == []


@posix
def test_two_starts_at_once(gradcli, clean, tmp_path):
    env = {**clean, "XDG_CACHE_HOME": str(tmp_path)}
    both = [
        subprocess.Popen([gradcli, *WALK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        for _ in range(4)
    ]
    assert [(*one.communicate(timeout=60), one.returncode) for one in both] == [(WALK_PLAIN, "", 0)] * 4
