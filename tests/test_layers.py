"""The layers: a room imports from those above it in the picture, and nothing heavy before it is needed."""

import ast
import sys
from pathlib import Path

import pytest

import gradcli

ROOT = Path(gradcli.__file__).parent
PICTURE = """
text errors extras
autodiff
language
trace symbolic
calculus
kernel
files optimize
nn
render
cli
arrow __init__ __main__
"""
LAYERS = [line.split() for line in PICTURE.strip().split("\n")]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
BESIDE = {("errors", "text"), ("extras", "errors")}  # within a line of the picture
MODULES = {
    path.relative_to(ROOT).with_suffix("").as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(ROOT.rglob("*.py"))
}
LARK = {"language/grammar", "language/mistakes", "language/parser", "language/writer"}
# What only lazily loaded code imports: these may import NumPy, Arrow and orjson when they are imported.
LAZY = {
    "files/arrow_texts", "files/cluster", "files/columns", "files/csv_format", "files/csv_plain", "files/csv_reader",
    "files/csv_records", "files/json_columns", "files/json_format", "files/json_objects", "files/json_reader",
    "files/json_writer", "files/map", "files/parquet", "files/record_batches", "files/rows", "files/text_spans",
    "nn/features", "nn/layers", "nn/learner", "nn/predict", "nn/train",
    "optimize/bounds", "optimize/descent", "optimize/fitting", "optimize/least_squares", "optimize/linearised",
    "optimize/minimizing", "optimize/objective", "optimize/observations", "optimize/trust_region", "optimize/uncertainty",
    "optimize/verdict",
    "kernel/inputs", "kernel/llvm_backend", "kernel/numpy_backend",
    "render/boundary",
}  # fmt: skip
MAY_SEE_JSON = {"files/json_objects", "files/json_writer"}


def room(name):
    """The package, or the module at the root, that a module belongs to."""
    return name.partition("/")[0]


def module(parts):
    """The name of a module of ours in MODULES, None where there is none."""
    name = "/".join(parts)
    return next((found for found in (name, f"{name}/__init__".lstrip("/")) if found in MODULES), None)


def imports(name, *, at_start=False):
    """The modules that a module imports: ours as names in MODULES, and the names of others, "lark.exceptions"."""
    ours, others = set(), set()
    package = name.split("/")[:-1]
    for node in walk(MODULES[name], at_start=at_start):
        for parts in imported(node, package):
            if parts[0] != "gradcli":
                others.add(".".join(parts))
            elif found := module(parts[1:]) or module(parts[1:-1]):
                ours.add(found)
    return ours - {name}, others


def imported(node, package):
    """What a statement imports, each as a list of names: import a.b, from a import b, and load("a.b")."""
    if isinstance(node, ast.Import):
        yield from (alias.name.split(".") for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = ["gradcli", *package[: len(package) + 1 - node.level]] if node.level else []
        base += node.module.split(".") if node.module else []
        yield from ([*base, alias.name] if base[0] == "gradcli" else base for alias in node.names)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "load":
        arguments = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        yield from (argument.split(".") for argument in arguments[:1])


def walk(tree, *, at_start):
    """The nodes of a module; at the start alone, those that run when it is imported."""
    if not at_start:
        yield from ast.walk(tree)
        return
    stack = list(tree.body)
    while stack:
        node = stack.pop()
        yield node
        checking = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if not checking and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            stack += ast.iter_child_nodes(node)


def ours(name, **which):
    return imports(name, **which)[0]


def others(name, **which):
    return {found.partition(".")[0] for found in imports(name, **which)[1]}


def at_start(name):
    """A module with all of ours that are loaded with it."""
    seen, stack = set(), [name]
    while stack:
        if (one := stack.pop()) not in seen:
            seen.add(one)
            stack += ours(one, at_start=True)
    return seen


def modules_of(*rooms):
    return [name for name in MODULES if room(name) in rooms]


# -------------------------------------------------------------------------------------------------- the picture


def test_the_picture_is_the_folder():
    entries = {path.stem if path.is_file() else path.name for path in ROOT.iterdir() if path.name != "__pycache__"}
    assert entries - {"py", "manual", "grammar"} == set(LEVEL)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "__init__"])
def test_imports_come_from_rooms_above_in_the_picture(name):
    wrong = {
        found
        for found in ours(name) - {"__init__"}
        if room(found) != room(name)
        and (room(name), room(found)) not in BESIDE
        and not LEVEL[room(found)] < LEVEL[room(name)]
    }
    assert wrong == set()


@pytest.mark.parametrize("name", sorted({room(name) for name in MODULES if "/" in name}))
def test_no_circle_in_a_room(name):
    inside = {key: {found for found in ours(key) if room(found) == name} for key in modules_of(name)}
    while free := {key for key, found in inside.items() if not found}:
        inside = {key: found - free for key, found in inside.items() if key not in free}
    assert inside == {}


def test_the_table_and_the_engine_stand_alone():
    assert ours("autodiff/ops", at_start=True) == set() and ours("autodiff/ops") == {"autodiff/special"}
    assert ours("autodiff/engine") == {"autodiff/ops"}
    assert ours("autodiff/special") == ours("text") == set()
    allowed = {"__future__", "math", "operator", "collections", "functools", "typing"}
    assert others("autodiff/ops") | others("autodiff/engine") | others("autodiff/special") <= allowed


# ---------------------------------------------------------------------------------------------- what is loaded when


@pytest.mark.parametrize("name", MODULES)
def test_nothing_heavy_at_the_start(name):
    start = others(name, at_start=True)
    if name in LAZY:
        start -= {"numpy", "pyarrow", "orjson", "llvmlite"}
    else:
        assert ours(name, at_start=True) & LAZY == set()
    if room(name) != "render":
        assert "rich" not in start
    if room(name) not in ("render", "cli"):
        assert not start & {"json", "click"} - ({"json"} if name in MAY_SEE_JSON else set())
    if name not in LARK:
        assert "lark" not in start
    assert not start & {
        "numpy",
        "scipy",
        "pyarrow",
        "orjson",
        "llvmlite",
        "sympy",
        "asyncio",
        "pathlib",
        "dataclasses",
        "inspect",
    }


@pytest.mark.parametrize("name", modules_of("cli"))
def test_commands_load_what_draws_when_they_draw(name):
    """No command imports Rich at its start, be it through other modules."""
    assert {one for one in at_start(name) if "rich" in others(one, at_start=True)} == set()


def test_explanations_are_loaded_when_there_is_something_to_explain():
    explaining = {"language/mistakes", "language/repairs", "language/unknown"}
    for name in MODULES:
        assert name in explaining or not explaining & ours(name, at_start=True)


def test_the_package_loads_nothing_by_itself():
    assert ours("__init__", at_start=True) == set()


@pytest.mark.parametrize("name", MODULES)
def test_only_declared_dependencies(name):
    extras = {
        "calculus": {"mpmath"},
        "kernel": {"numpy", "llvmlite"},
        "files": {"numpy", "pyarrow", "orjson", "distributed"},
        "optimize": {"numpy", "scipy"},
        "nn": {"numpy"},
        "render": {"matplotlib", "markdown_it"},
        "cli": {"numpy", "pyarrow", "matplotlib"},  # asked for, so that what is missing is said before the work
    }
    own = {"gradcli", "lark", "click", "rich"}
    assert others(name) - sys.stdlib_module_names <= own | extras.get(room(name), set())


@pytest.mark.parametrize(
    "name", sorted({*MODULES} - {"kernel/numpy_backend"})
)  # whose source has no text of the user's in it
def test_nothing_is_executed(name):
    called = {
        node.func.id
        for node in ast.walk(MODULES[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"eval", "exec", "compile", "__import__"}


# ------------------------------------------------------------------------------- cli/: no texts, no arithmetic

WORDS_FOR_MESSAGES = {"did_you_mean", "escape", "listed"}
ARITHMETIC = (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)


def made_here(tree):
    """The lines of a module on which numbers are computed or formatted, rows are set, or text is styled."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
            yield f"{node.lineno}: arithmetic"
        elif isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            yield f"{node.lineno}: a number is formatted"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("'\\t'.join", "round", "sum", "format"):
            yield f"{node.lineno}: {ast.unparse(node.func)}"
        elif isinstance(node, ast.ImportFrom) and node.module == "gradcli.text":
            yield from (f"{node.lineno}: {a.name}" for a in node.names if a.name not in WORDS_FOR_MESSAGES)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            found = {name.partition(".")[0] for name in names} & {"rich", "json", "math", "textwrap"}
            yield from (f"{node.lineno}: {name}" for name in sorted(found))


@pytest.mark.parametrize("name", modules_of("cli"))
def test_commands_make_no_texts_and_compute_nothing(name):
    assert list(made_here(MODULES[name])) == []


@pytest.mark.parametrize(
    "code",
    ["x = 2 * y", "f'{x:.3f}'", "'\\t'.join(row)", "from gradcli.text import rounded", "from rich.text import Text"],
)
def test_what_makes_texts_is_found(code):
    assert len(list(made_here(ast.parse(code)))) == 1
