"""gradcli predict: arguments, formats, exit codes."""

import json
import xml.etree.ElementTree as ET

import pytest
from helpers import EXAMPLES

from gradcli.nn.losses import LOSSES
from gradcli.nn.model_file import Model, Scale, dump

np = pytest.importorskip("numpy")


def straight(loss, classes=("no", "yes"), weights=(2.0, -1.0, 0.5), target=None):
    """A network of no hidden layer, with known weights: 2x - y + 0.5."""
    sizes = (len(classes) if LOSSES[loss].many else 1,)
    inputs = (Scale("x", 1.0, 2.0), Scale("y"))
    return Model(inputs, target or Scale("label"), classes, loss, "linear", sizes, weights, {}, {})


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "m.json"
    path.write_text(dump(straight("hinge")))
    return str(path)


def test_rows_stay_as_they_were(run, saved, tmp_path):
    data = tmp_path / "t.csv"
    data.write_bytes(b'name,"x",y\r\n"a, b", 3 ,1\r\n"c""d",-9,"1"\r\n')
    done = run("predict", saved, str(data))
    assert done == (0, 'name,"x",y,prediction,score\r\n"a, b", 3 ,1,yes,1.5\r\n"c""d",-9,"1",no,-10.5\r\n', "")
    out = tmp_path / "out.csv"
    assert run("predict", saved, str(data), "-o", str(out)) == (0, "", "")
    assert out.read_bytes().decode() == done.stdout


def test_tabs_stay_tabs_and_standard_input(run, saved):
    assert run("predict", saved, "-", stdin="x\ty\n3\t1\n").stdout == "x\ty\tprediction\tscore\n3\t1\tyes\t1.5\n"


def test_a_bad_row_keeps_its_place(run, saved, tmp_path):
    data = tmp_path / "t.csv"
    data.write_text("x,y\n3,1\n,1\n3\nq,1\n-9,1\n")
    done = run("predict", saved, str(data))
    assert done.code == 1
    assert done.stdout.splitlines() == ["x,y,prediction,score", "3,1,yes,1.5", ",1,,", "3,,,", "q,1,,", "-9,1,no,-10.5"]
    for part in (
        "t.csv:3: column x: the cell is empty\n",
        "t.csv:4: 1 cell, where the header has 2\n",
        "t.csv:5: column x: 'q' is not a number\n",
        "error: 3 of 5 rows have no prediction\n",
    ):
        assert part in done.stderr


def test_infinity_is_a_number_and_no_number_no_prediction(run, saved):
    done = run("predict", saved, "-", stdin="x,y\ninf,1\ninf,inf\n-inf,2\n")
    assert done.stdout == "x,y,prediction,score\ninf,1,yes,inf\ninf,inf,,\n-inf,2,no,-inf\n"
    assert done.stderr == (
        "standard input:3: the network's output is not a number\nerror: 1 of 3 rows has no prediction\n"
    )


def test_the_byte_order_mark_stays(run, saved):
    done = run("predict", saved, "-", stdin="\ufeffx,y\r\n3,1\r\n")
    assert done == (0, "\ufeffx,y,prediction,score\r\n3,1,yes,1.5\r\n", "")


def test_other_formats(run, saved, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"x": 3, "y": 1}\n{"x": 3}\n')
    done = run("predict", saved, "t.jsonl", cwd=tmp_path)
    assert (done.code, done.stdout.splitlines()) == (
        1,
        [
            '{"x": 3, "y": 1, "prediction": "yes", "score": 1.5}',
            '{"x": 3, "prediction": null, "score": null}',
        ],
    )
    assert "t.jsonl:2: column y: the key is missing\n" in done.stderr
    (tmp_path / "t.csv").write_text("x,y\n3,1\n-9,1\n")
    for name in ("a.csv.gz", "a.tsv", "a.parquet", "a.jsonl"):
        assert run("predict", saved, "t.csv", "-o", name, cwd=tmp_path) == (0, "", "")
        again = run("map", "2*score", name, "--to", "csv", "--no-value", cwd=tmp_path).stdout
        assert again == "x,y,prediction,score,d_score\n3,1,yes,1.5,2\n-9,1,no,-10.5,2\n"


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
        (["M", "-"], "x,z\n1,2\n", 2, "standard input has no column y"),
        (["M", "-"], "", 1, "standard input has no header"),
        (["/nonexistent", "-"], "", 1, "cannot read"),
        ([str(EXAMPLES / "moons.csv"), "-"], "", 1, "is not a model: it is not JSON"),
        (["M"], "", 2, "Missing argument"),
        (["M", "-", "--boundary", "-o", "x.png"], "x,y\n1,2\n", 2, "writes .svg"),
    ],
)
def test_mistakes(run, saved, args, stdin, code, part):
    done = run("predict", *[saved if arg == "M" else arg for arg in args], stdin=stdin)
    assert (done.code, done.stdout) == (code, "") and part in done.stderr, done
    assert "Traceback" not in done.stderr


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
