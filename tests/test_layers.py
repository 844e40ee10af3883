"""The layers: a module imports from those below it alone, and nothing heavy before it is needed."""

import ast
import sys
from pathlib import Path

import pytest

import gradcli

ROOT = Path(gradcli.__file__).parent
LAYERS = """
errors numbers special grammar differences
extras tables
ops
engine mistakes
tape
simplify scope
symbols
adjoint unparse tangent
latex products inside
writer kernels
syntax trace nn algebra
bindings doctor choices arrows paths
calculus precise rounding tidy wrong ranges
formulas checking kernel
batch fits learn pictures
arrow
files
cluster
render
cli
__main__
"""
LEVEL = {name: level for level, line in enumerate(LAYERS.split("\n")) for name in line.split()}
MODULES = {
    path.relative_to(ROOT).with_suffix("").as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(ROOT.rglob("*.py"))
}
PICTURED = {"learn", "pictures", "fits"}  # other records that are drawn
LARK = {"grammar", "mistakes", "syntax", "writer"}


def part(name):
    """The package or module of the layer table that a file belongs to."""
    return name.partition("/")[0]


def imports(name, *, at_start=False):
    """What a file imports: ours as "/engine" or "/render/tree", others as "lark.exceptions"."""
    depth = name.count("/") + 1
    found = set()
    for node in walk(MODULES[name], at_start=at_start):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module)
        elif isinstance(node, ast.ImportFrom):
            base = name.split("/")[: depth - node.level]
            modules = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {"/" + "/".join([*base, *module.split(".")]) for module in modules}
    return found


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
    return {found[1:] for found in imports(name, **which) if found.startswith("/")}


def heavy(name, **which):
    return {found.partition(".")[0] for found in imports(name, **which) if not found.startswith("/")}


NAMES = [name for name in MODULES if name != "__init__"]


def test_every_module_has_a_layer():
    assert {part(name) for name in NAMES} == set(LEVEL)


@pytest.mark.parametrize("name", NAMES)
def test_imports_come_from_lower_layers(name):
    level = LEVEL[part(name)]
    wrong = {
        found
        for found in ours(name)
        if found != "__version__" and part(found) != part(name) and not LEVEL[part(found)] < level
    }
    assert wrong == set()


def test_the_table_and_the_engine_stand_alone():
    assert ours("ops", at_start=True) == set() and ours("ops") == {"special"}
    assert ours("engine") == {"ops"}
    assert ours("special") == ours("errors", at_start=True) == ours("numbers") == set()
    allowed = {"__future__", "math", "operator", "collections", "functools", "typing"}
    assert heavy("ops") | heavy("engine") | heavy("special") <= allowed


@pytest.mark.parametrize("name", [name for name in NAMES if part(name) == "render"])
def test_renderers_see_the_results_and_nothing_behind_it(name):
    allowed = {"trace", "doctor", "arrows", "paths", "wrong", "numbers", "errors", "render"}
    assert {part(found) for found in ours(name)} <= allowed | PICTURED


@pytest.mark.parametrize("name", NAMES)
def test_nothing_heavy_at_the_start(name):
    start = heavy(name, at_start=True)
    if part(name) != "render":
        assert not start & {"rich", "numpy"}
    if part(name) not in ("render", "cli"):
        assert not start & {"json", "click"} - (
            {"json"} if name in ("files/json_objects", "files/json_written") else set()
        )
    if name not in LARK:
        assert "lark" not in start
    assert not start & {"numpy", "scipy", "pyarrow", "sympy", "asyncio", "pathlib", "dataclasses", "inspect"}


@pytest.mark.parametrize("name", [name for name in NAMES if part(name) == "cli"])
def test_commands_load_what_draws_when_they_draw(name):
    assert (
        ours(name, at_start=True)
        & {f"render/{view}" for view in ("tree", "table", "style", "json", "step", "fit", "minimum")}
        == set()
    )


def test_explanations_are_loaded_when_there_is_something_to_explain():
    for name in NAMES:
        assert "mistakes" not in ours(name, at_start=True)


def test_the_package_loads_nothing_by_itself():
    assert ours("__init__", at_start=True) == set()


@pytest.mark.parametrize("name", MODULES)
def test_only_declared_dependencies(name):
    extras = {
        "__init__": {"gradcli"},
        "precise": {"mpmath"},
        "kernel": {"numpy"},
        "kernels/numpy_kernel": {"numpy"},
        "kernels/llvm_kernel": {"llvmlite", "numpy"},
    }
    extras |= {"learn/problem": {"numpy"}} | {"render/figure": {"matplotlib"}}
    numeric = "bounds columns fitting linearised minimum observations squares starts trust vectors verdict"
    extras |= {f"fits/{key}": {"numpy"} for key in numeric.split()}
    extras |= {f"fits/{key}": {"numpy", "scipy"} for key in ("descent", "uncertainty")}
    assert heavy(name) - sys.stdlib_module_names <= {"lark", "click", "rich"} | extras.get(name, set())


@pytest.mark.parametrize(
    "name", sorted({*NAMES} - {"kernels/numpy_kernel"})
)  # whose source has no text of the user's in it
def test_nothing_is_executed(name):
    called = {
        node.func.id
        for node in ast.walk(MODULES[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"eval", "exec", "compile", "__import__"}
