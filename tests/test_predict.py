"""Predictions: appended to rows that stay as they were, and drawn as a picture of the plane."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from gradcli.files.samples import read_table
from gradcli.nn.losses import LOSSES
from gradcli.nn.model_file import Model, Scale, dump
from gradcli.nn.predict import decide, outputs, predict, regions

np = pytest.importorskip("numpy")
EXAMPLES = Path(__file__).parent / "examples"


def straight(loss, classes=("no", "yes"), weights=(2.0, -1.0, 0.5), target=None):
    """A network of no hidden layer, with known weights: 2x - y + 0.5."""
    sizes = (len(classes) if LOSSES[loss].many else 1,)
    inputs = (Scale("x", 1.0, 2.0), Scale("y"))
    return Model(inputs, target or Scale("label"), classes, loss, "linear", sizes, weights, {}, {})


def test_the_scale_goes_before_the_network_and_after_it():
    table = read_table("y,x\n1,3\n", "t.csv")
    assert predict(straight("mse", (), target=Scale("z", 10.0, 4.0)), table).columns == {"prediction": [16.0]}


@pytest.mark.parametrize(
    ("loss", "name", "expected"), [("hinge", "score", 1.5), ("logistic", "probability", 1 / (1 + np.exp(-1.5)))]
)
def test_two_classes(loss, name, expected):
    found = predict(straight(loss), read_table("x,y\n3,1\n-9,1\n", "t.csv")).columns
    assert list(found) == ["prediction", name] and found["prediction"] == ["yes", "no"]
    assert found[name][0] == pytest.approx(expected, rel=1e-15)


def test_probabilities_of_many_classes():
    model = straight("softmax", ("a", "b", "c"), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0))
    found = predict(model, read_table("x,y\n3,0\n1,2000\n", "t.csv")).columns
    assert list(found) == ["prediction", "p_a", "p_b", "p_c"] and found["prediction"] == ["a", "b"]
    assert found["p_a"][0] == pytest.approx(np.e / (np.e + 2)) and found["p_b"][1] == 1.0
    assert sum(found[name][0] for name in ("p_a", "p_b", "p_c")) == pytest.approx(1)


def test_a_probability_never_overflows():
    found = decide(straight("logistic"), [np.array([-1e3, 1e3])])
    assert found["probability"].tolist() == [0.0, 1.0]


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "m.json"
    path.write_text(dump(straight("hinge")))
    return str(path)


def test_rows_stay_as_they_were(run, saved, tmp_path):
    data = tmp_path / "t.csv"
    data.write_bytes(b'name,"x",y\r\n"a, b", 3 ,1\r\n"c""d",-9,"1"\r\n')
    done = run("predict", saved, str(data))
    assert done == (0, 'name,"x",y,prediction,score\n"a, b", 3 ,1,yes,1.5\n"c""d",-9,"1",no,-10.5\n', "")
    out = tmp_path / "out.csv"
    assert run("predict", saved, str(data), "-o", str(out)) == (0, "", "")
    assert out.read_text() == done.stdout


def test_tabs_stay_tabs_and_standard_input(run, saved):
    assert run("predict", saved, "-", stdin="x\ty\n3\t1\n").stdout == "x\ty\tprediction\tscore\n3\t1\tyes\t1.5\n"


def test_a_bad_row_keeps_its_place(run, saved, tmp_path):
    data = tmp_path / "t.csv"
    data.write_text("x,y\n3,1\n,1\n3\nq,1\n-9,1\n")
    done = run("predict", saved, str(data))
    assert done.code == 1
    assert done.stdout.splitlines() == ["x,y,prediction,score", "3,1,yes,1.5", ",1,,", "3,,", "q,1,,", "-9,1,no,-10.5"]
    for part in ("line 3, column x: is empty", "line 4: 1 cells", 'line 5, column x: "q" is not', "3 rows are without"):
        assert part in done.stderr


def test_no_rows(run, saved):
    assert run("predict", saved, "-", stdin="x,y\n") == (0, "x,y,prediction,score\n", "")


def test_a_name_that_is_taken(run, saved):
    done = run("predict", saved, "-", stdin="x,y,score\n3,1,2\n")
    assert (done.code, done.stdout) == (2, "") and "--prefix" in done.stderr
    assert run("predict", saved, "-", "--prefix", "n_", stdin="x,y,score\n3,1,2\n").stdout.startswith(
        "x,y,score,n_prediction,n_score\n"
    )


def test_json(run, saved):
    found = json.loads(run("predict", saved, "-", "--json", stdin="x,y\n3,1\n").stdout)
    assert found == {"version": 1, "columns": {"prediction": ["yes"], "score": [1.5]}}


@pytest.mark.parametrize(
    ("args", "stdin", "code", "part"),
    [
        (["M", "-"], "x,z\n1,2\n", 2, 'no column "y"'),
        (["M", "-"], "", 1, "is empty"),
        (["/nonexistent", "-"], "", 1, "cannot read"),
        ([str(EXAMPLES / "moons.csv"), "-"], "", 1, "is no model: it is not JSON"),
        (["M"], "", 2, "Missing argument"),
        (["M", "-", "--boundary", "-o", "x.png"], "x,y\n1,2\n", 2, "writes .svg"),
    ],
)
def test_mistakes(run, saved, args, stdin, code, part):
    done = run("predict", *[saved if arg == "M" else arg for arg in args], stdin=stdin)
    assert (done.code, done.stdout) == (code, "") and part in done.stderr, done
    assert "Traceback" not in done.stderr


# --------------------------------------------------------------------------------------- the picture


def test_regions_follow_the_network():
    model = straight("hinge", weights=(2.0, 0.0, 0.0))  # decides by the sign of x - 1
    found = regions(model, read_table("x,y,label\n0,0,no\n2,1,yes\n3,1,no\n4,1,\n5,x,no\n", "t.csv"), 40, 10)
    left, right = found.limits[:2]
    for row in found.grid:
        assert row == [int(left + (right - left) * (i + 0.5) / 40 > 1) for i in range(40)]
    assert found.points == [(0, 0, 0, 0), (2, 1, 1, 1), (3, 1, 0, 1), (4, 1, -1, 1)]


def test_the_picture_in_the_terminal(run, saved):
    done = run("predict", saved, "-", "--boundary", stdin="x,y,label\n0,0,no\n2,1,yes\n3,1,no\n", env={"COLUMNS": "60"})
    assert done.code == 0 and "\x1b" not in done.stdout
    assert done.stdout.startswith("○ no   ● yes   ✗ wrong   x → y ↑\n")
    body = done.stdout.split("\n", 1)[1]
    assert [body.count(sign) for sign in "○●✗"] == [1, 1, 1]
    assert max(map(len, done.stdout.splitlines())) <= 60
    coloured = run("predict", saved, "-", "--boundary", "--color", "always", stdin="x,y\n0,0\n").stdout
    assert "\x1b[" in coloured


def test_the_picture_as_svg(run, saved, tmp_path):
    out = tmp_path / "b.svg"
    assert run("predict", saved, "-", "--boundary", "-o", str(out), stdin="x,y,label\n0,0,no\n2,1,yes\n3,1,no\n") == (
        0,
        "",
        "",
    )
    root = ET.fromstring(out.read_text())
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert tags.count("circle") == 5  # three samples, two in the legend
    assert tags.count("rect") > 100
    assert "no" in "".join(root.itertext()) and "yes" in "".join(root.itertext())


def test_no_picture_of_three_inputs():
    from gradcli.errors import UsageError

    model = straight("hinge")._replace(inputs=(Scale("a"), Scale("b"), Scale("c")))
    with pytest.raises(UsageError, match="3 inputs"):
        regions(model, read_table("a,b,c\n", "t.csv"))
    with pytest.raises(UsageError, match="a number as target"):
        regions(straight("mse", ()), read_table("x,y\n", "t.csv"))


def test_outputs_are_those_of_the_network():
    model = straight("logistic")._replace(sizes=(3, 1), weights=tuple(i / 10 for i in range(13)), activation="tanh")
    (found,) = outputs(model, {"x1": np.array([0.5, 2.0]), "x2": np.array([1.0, -1.0])})
    network = model.network()
    assert found == pytest.approx([network([0.5, 1.0]).data, network([2.0, -1.0]).data], rel=1e-14)
