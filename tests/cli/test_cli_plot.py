"""The plot command: points in a pipe, dots in a terminal, pictures in files; and the canvas."""

import json
import xml.etree.ElementTree as ET

import pytest
from helpers import fails
from hypothesis import given
from hypothesis import strategies as st

from gradcli.render.canvas import Canvas, Limits, framed, log_ticks, ticks

PRETTY = ("--format", "pretty")


def dots(text):
    return {
        (row, column)
        for row, line in enumerate(text.splitlines())
        for column, c in enumerate(line)
        if "\u2800" < c < "\u2900"
    }


# ----------------------------------------------------------------------------------------- the canvas


def test_a_line_from_corner_to_corner():
    canvas = Canvas(2, 1, Limits(0, 3, 0, 3))
    canvas.line([(0, 0), (3, 3)], "")
    assert [row.plain for row in canvas.rows()] == ["⡠⠊"]


def test_what_is_outside_is_cut_off():
    canvas = Canvas(4, 2, Limits(0, 1, 0, 1))
    canvas.line([(-1e300, 0.5), (1e300, 0.5)], "")
    canvas.line([(0.5, -1e308), (0.5, 1e308)], "")
    canvas.line([(-3, -1), (-2, 5)], "")
    assert sum(len(row.plain.strip()) > 0 for row in canvas.rows()) == 2
    empty = Canvas(4, 2, Limits(0, 1, 0, 1))
    empty.line([(-3, -1), (-2, 5)], "")
    assert [row.plain for row in empty.rows()] == ["    ", "    "]


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 12))
def test_ticks_are_round_and_inside(low, width, most):
    high = low + width
    found = ticks(low, high, most)
    assert len(found) <= most and found == sorted(found)
    assert all(low - 1e-6 * width - 1e-6 <= tick <= high + 1e-6 * width + 1e-6 for tick in found)


def test_ticks_by_hand():
    assert ticks(0, 10, 6) == [0, 2, 4, 6, 8, 10]
    assert ticks(-1, 1, 5) == [-1, -0.5, 0, 0.5, 1]
    assert ticks(5, 5, 4) == [5]


def test_ticks_of_logarithms():
    assert [10**tick for tick in log_ticks(-1.9, 0.1, 7)] == pytest.approx([0.02, 0.05, 0.1, 0.2, 0.5, 1])
    assert log_ticks(-3.5, 1.5, 7) == [-3, -2, -1, 0, 1]
    assert log_ticks(-30, 0, 7) == [-30, -25, -20, -15, -10, -5, 0]
    assert len(log_ticks(0.01, 0.02, 5)) >= 2


def test_the_frame_is_as_wide_as_it_says():
    lines = [line.plain for line in framed(Canvas(30, 8, Limits(-1, 1, -200, 200)))]
    assert len(lines) == 10 and lines[-2] == "     └" + "─" * 30
    assert lines[-1].split() == ["-1", "0", "1"]


# ---------------------------------------------------------------------------------------- the command


def test_points(run):
    assert run("plot", "x^3 - x", "x=-1:1:#3") == (0, "-1\t0\t2\n0\t0\t-1\n1\t0\t2\n", "")
    assert run("plot", "a*x^3", "x=1,2,", "a=2", "--order", "2").stdout == "1\t2\t6\t12\n2\t16\t24\t24\n"
    assert run("plot", "1/x", "x=0:1:0.5", "--order", "0").stdout == "0\tinf\n0.5\t2\n1\t1\n"
    assert len(run("plot", "x", "x=0:1").stdout.splitlines()) == 200
    assert (
        run("plot", "x*y", "x=1,2,", "y=3,4,").stdout == "1\t3\t3\t3\t1\n2\t3\t6\t3\t2\n1\t4\t4\t4\t1\n2\t4\t8\t4\t2\n"
    )


def test_json(run):
    found = json.loads(run("plot", "1/x + x", "x=-2:2", "--json").stdout)
    fields = ["expression", "variable", "pieces", "zeros", "extrema", "poles", "jumps", "overflows", "fast"]
    assert list(found) == ["version", *fields]
    assert (found["version"], found["poles"], len(found["pieces"])) == (1, [0.0], 2)
    assert found["extrema"] == [
        {"x": -1.0, "value": -2.0, "kind": "maximum"},
        {"x": 1.0, "value": 2.0, "kind": "minimum"},
    ]
    assert len(found["pieces"][0][0]) == 3
    field = json.loads(run("plot", "x/y", "x=1,2,", "y=0:1", "--json").stdout)
    assert field["variables"] == ["x", "y"] and field["points"][0][2] == "Infinity"


@pytest.mark.parametrize("width", [24, 60, 80, 200])
def test_the_picture(run, width):
    done = run("plot", "x^3 - x", "x=-2:2", *PRETTY, env={"COLUMNS": str(width)})
    assert (done.code, done.stderr) == (0, "") and "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines()[:-3])) <= width
    assert len(dots(done.stdout)) > width // 2
    if width == 80:
        assert done.stdout.splitlines()[0] == "━ f   ╍ f'"
        assert "○ zeros x = -1, 0, 1\n● minima -0.384900 at 0.577350\n● maxima 0.384900 at -0.577350\n" in done.stdout
        assert done.stdout.count("○") == 4 and done.stdout.count("●") == 4


def test_a_pole_leaves_its_column_free(run):
    picture = run("plot", "1/x^3", "x=-1:1", "--order", "0", *PRETTY, env={"COLUMNS": "80"}).stdout
    assert "poles x = 0" in picture
    rows = [line for line in picture.splitlines() if "│" in line or "┤" in line]
    upper = {column for row, column in dots("\n".join(rows[: len(rows) // 2 - 1]))}
    lower = {column for row, column in dots("\n".join(rows[len(rows) // 2 + 1 :]))}
    assert min(upper) > max(lower)


def test_colour_where_it_is_asked_for(run):
    assert "\x1b[" in run("plot", "x", "x=0:1", *PRETTY, "--color", "always").stdout


def test_contours(run):
    done = run("plot", "x^2 + y^2", "x=-1:1", "y=-1:1", *PRETTY, env={"COLUMNS": "80"})
    assert done.code == 0 and len(dots(done.stdout)) > 300
    assert done.stdout.startswith("x → y ↑   from 0 to 2   arrows uphill\n") and "contours at" in done.stdout
    rows = [line for line in done.stdout.splitlines() if "│" in line or "┤" in line]
    top, bottom = "".join(rows[1:4]), "".join(rows[-4:-1])
    assert "↑" in top and "↓" not in top and "↓" in bottom and "↑" not in bottom
    assert run("plot", "log(x*y)", "x=-1:1", "y=-1:1", *PRETTY).code == 0
    assert run("plot", "3", "x=-1:1", "y=-1:1", *PRETTY).code == 0


@pytest.mark.parametrize(
    "text", ["5", "0", "1e308*x", "x*1e-320", "floor(1e9x)", "if(x>0, 1, -1)", "exp(709.9*(x+1)/2)"]
)
def test_odd_curves_are_drawn(quick, tmp_path, text):
    done = quick("plot", text, "x=-1:1", *PRETTY, "--order", "2")
    assert (done.code, done.stderr) == (0, "")
    pytest.importorskip("matplotlib")
    assert quick("plot", text, "x=-1:1", "--order", "2", "-o", str(tmp_path / "a.png")) == (0, "", "")


def test_files(run, tmp_path):
    pytest.importorskip("matplotlib")
    png, svg, text = (tmp_path / name for name in ("a.png", "a.svg", "a.txt"))
    assert run("plot", "tan(x) + log(x)", "x=-3:3", "--order", "2", "-o", str(png)) == (0, "", "")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert run("plot", "$x$_1", "x=0:1", "-o", str(svg)).code == 2  # not in the language
    assert run("plot", "sin(x) # a$b$", "x=-3:3", "-o", str(svg)) == (0, "", "")
    assert ET.fromstring(svg.read_text()).tag.endswith("svg")
    assert run("plot", "log(x*y)", "x=-3:3", "y=-1:1", "-o", str(svg)) == (0, "", "")
    assert run("plot", "3", "x=-3:3", "y=-1:1", "-o", str(png)) == (0, "", "")
    assert run("plot", "sin(x)", "x=-3:3", "-o", str(text)) == (0, "", "")
    assert "━ f" in text.read_text()


@pytest.mark.parametrize(
    ("name", "start"), [("a.jpg", b"\xff\xd8\xff"), ("a.jpeg", b"\xff\xd8\xff"), ("a.pdf", b"%PDF-")]
)
def test_more_kinds_of_files(quick, tmp_path, name, start):
    pytest.importorskip("matplotlib")
    path = tmp_path / name
    assert quick("plot", "sin(x)", "x=-3:3", "-o", str(path)) == (0, "", "")
    assert path.read_bytes().startswith(start)
    assert quick("plot", "sin(x)*y", "x=-3:3", "y=0:1", "-o", str(path)) == (0, "", "")


def test_without_matplotlib(run, tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')")
    done = run("plot", "sin(x)", "x=-3:3", "-o", str(tmp_path / "a.png"), env={"PYTHONPATH": str(tmp_path)})
    assert done.code == 1 and "pip install 'gradcli[plot]'" in done.stderr
    assert not (tmp_path / "a.png").exists()


def lines_of(quick, *args):
    done = quick("plot", *args, *PRETTY, env={"COLUMNS": "80"})
    assert (done.code, done.stderr) == (0, "")
    return done.stdout.splitlines()


def labels(lines):
    """The numbers at the left, from the top, and those below."""
    left = [line.partition("┤")[0].strip() for line in lines if "┤" in line]
    (foot,) = [index for index, line in enumerate(lines) if "└" in line]
    return left, lines[foot + 1].split(), lines[foot + 2 :]


def test_a_derivative_is_whole_or_said_to_be_cut_off(quick):
    left, _, rest = labels(lines_of(quick, "x^2", "x=-1:1"))
    assert (left, rest) == (["2", "1", "0", "-1", "-2"], ["○ zeros x = 0", "● minima 0 at 0"])
    assert labels(lines_of(quick, "x^2", "x=-5:5", "--order", "0"))[2] == rest
    assert labels(lines_of(quick, "sin(20x)", "x=-1:0.9"))[2][-1] == "  cut off: f' (-20 to 20)"
    assert labels(lines_of(quick, "tan(x)", "x=-3:3.1"))[2][-2:] == ["  cut off: f", "  cut off: f'"]


@pytest.mark.parametrize(
    ("text", "range_", "left", "below", "rest"),
    [
        ("x+20000", "0:5", ["20005", "20004", "20003", "20002", "20001", "20000"], ["0", "2", "4"], ["  cut off: f' (1)"]),
        ("101325+0.01*x", "-1:1", ["101325.01", "101325.005", "101325", "101324.995", "101324.99"], ["-1", "-0.5", "0", "0.5", "1"], ["  cut off: f' (0.01)"]),
        ("x-1700000000", "1700000000:1700000100", ["100", "80", "60", "40", "20", "0"], ["1700000000", "1700000050", "1700000100"], ["○ zeros x = 1700000000"]),
        ("3", "1e15:1000000000000001", ["3"], ["0", "0.5", "1"], ["     counted → from 1000000000000000"]),
    ],
)  # fmt: skip
def test_the_numbers_at_the_axes_tell_ticks_apart(quick, text, range_, left, below, rest):
    found = labels(lines_of(quick, text, f"x={range_}"))
    assert (found[1], found[2][: len(rest)]) == (below, rest)
    assert found[0] == left or len(left) == 1


def test_contours_are_told_apart(quick):
    text = " ".join(line.strip() for line in lines_of(quick, "101325 + 0.01*x*y", "x=0:1", "y=0:1"))
    found = text.rpartition("contours at ")[2].split(", ")
    assert len(found) == len(set(found)) == 9


def test_places_are_told_apart(quick):
    lines = lines_of(quick, "(x-1700000001)*(x-1700000002)", "x=1700000000:1700000003")
    assert "○ zeros x = 1700000001, 1700000002" in lines


def test_what_is_too_fast_or_too_large_is_said(quick):
    assert "  too large at x = 709.783" in lines_of(quick, "exp(x)", "x=700:709.9")
    assert lines_of(quick, "sin(1e6x)", "x=0:10")[-1] == "  too fast to draw: x = 0 to 10"
    assert "  jumps x = 1, 2" in lines_of(quick, "floor(x)-0.5", "x=0:2.5")


@pytest.mark.parametrize("words", [(), PRETTY, ("--json",), ("-o", "a.svg"), ("-o", "a.png"), ("--order", "0")])
@pytest.mark.parametrize(
    "args", [("sqrt(-1-x^2)", "x=-1:1"), ("1/0*x", "x=-1:1"), ("log(-1-x^2-y^2)", "x=0:1", "y=0:1")]
)
def test_a_function_without_a_value_is_an_error(quick, tmp_path, args, words):
    fails(quick("plot", *args, *words, cwd=tmp_path), 1, "there is no value anywhere")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("args", "code", "part"),
    [
        (["x^2"], 2, "one or two ranges, not 0"),
        (["x^2", "x=3"], 2, "one or two ranges, not 0"),
        (["x+y+z", "x=0:1", "y=0:1", "z=0:1"], 2, "not 3"),
        (["x*a", "x=0:1"], 2, "no value for a"),
        (["x", "x=1:0"], 2, "lower number"),
        (["x +", "x=0:1"], 2, "^"),
        ([], 2, "no expression"),
        (["x", "x=0:1", "--order", "3"], 2, "--order"),
        (["x", "x=0:1", "-o", "/nonexistent/a.svg"], 1, "cannot write"),
    ],
)
def test_mistakes(quick, args, code, part):
    done = quick("plot", *args)
    assert (done.code, done.stdout) == (code, "") and part in done.stderr
    assert done.stderr.startswith("error: ") and "internal" not in done.stderr
