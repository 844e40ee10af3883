"""gradcli fit: arguments, formats, exit codes."""

import pytest
from helpers import fails, strict

from gradcli.optimize.fit import fit

DECAY = {"x": [0.0, 1.0, 2.0, 3.0, 5.0, 8.0], "y": [5.1, 2.9, 1.9, 1.1, 0.45, 0.08]}
CSV = "x,y\n0,5.1\n1,2.9\n2,1.9\n3,1.1\n5,0.45\n8,0.08\n"


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data.csv").write_text(CSV, encoding="utf-8")
    return tmp_path


def test_plain(run, data):
    done = run("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", cwd=data)
    found = fit("y ~ a*exp(-b*x)", DECAY, {"a": 1, "b": 1})
    first, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert done.code == 0 and done.stderr == "converged: no step makes the sum of squares smaller\n"
    assert first[0] == "=" and [float(cell) for cell in first[1:]] == pytest.approx([found.rss, 4, found.r2])
    assert [row[0] for row in rows] == ["a", "b"]
    assert [float(cell) for cell in rows[0][1:]] == pytest.approx(list(found.params["a"]))


def test_json(quick, data):
    done = quick("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", "--json", cwd=data)
    found = strict(done.stdout)
    assert done.code == 0 and next(iter(found)) == "version" and found["version"] == 1
    assert set(found["params"]["a"]) == {"value", "stderr", "low", "high"}
    assert found["dof"] == 4 and found["converged"] is True and found["iterations"] > 0
    assert found["correlations"]["a"]["a"] == 1


def test_json_without_degrees_of_freedom(quick):
    done = quick("fit", "y ~ a*x", str_file("x,y\n1,2\n"), "a=1", "--json")
    found = strict(done.stdout)
    assert found["params"]["a"]["stderr"] is None and found["dof"] == 0 and found["r2"] is None


def str_file(text):
    """A file with this text, in a folder that is left to the system."""
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
        file.write(text)
    return file.name


def test_pretty(quick, data):
    args = ("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", "--format", "pretty", "--precision", "4")
    lines = quick(*args, cwd=data).stdout.splitlines()
    assert lines[0].split() == ["value", "std", "error", "95%", "from", "to"]
    assert lines[1].split()[0] == "a" and lines[2].split()[0] == "b"
    assert [line.rpartition(" ")[0].strip() for line in lines[4:7]] == ["RSS", "degrees of freedom", "R²"]
    assert lines[5].endswith(" 4") and "0.99" in lines[6]
    picture = [line for line in lines if line.startswith(("│", "┼"))]
    assert len(picture) == 11 and sum(line.count("•") + 2 * line.count("●") for line in picture) == 6
    assert max(map(len, lines)) <= 80


def test_standard_input_and_a_model_in_a_file(run, data):
    (data / "model.txt").write_text("# a decay\ny ~ a*exp(-b*x)\n", encoding="utf-8")
    one = run("fit", "-f", "model.txt", "-", "a=1", "b=1", stdin=CSV, cwd=data)
    assert one == run("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", cwd=data)


def test_predict(quick, data):
    (data / "new.csv").write_text('note,x\n"a, b",0\nc,2.5\n', encoding="utf-8")
    args = ("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", "--predict", "new.csv")
    done = quick(*args, "-o", "out.csv", cwd=data)
    found = fit("y ~ a*exp(-b*x)", DECAY, {"a": 1, "b": 1})
    header, first, second = (data / "out.csv").read_text().splitlines()
    assert (done.code, done.stdout, header) == (0, "", "note,x,predicted,stderr")
    assert first.startswith('"a, b",0,') and float(first.split(",")[3]) == pytest.approx(found.values["a"])
    assert second.startswith("c,2.5,") and "a = 5.05283 ± " in done.stderr


def test_rows_without_a_prediction_stay_and_are_counted(quick, data):
    (data / "new.csv").write_text("x\n1\n-1\n", encoding="utf-8")
    done = quick("fit", "y ~ a + b*sqrt(x + 0.5)", "data.csv", "a=1", "b=1", "--predict", "new.csv", cwd=data)
    rows = done.stdout.splitlines()
    assert done.code == 1 and rows[1].startswith("1,") and rows[2] == "-1,,"
    assert "no value in 1 row" in done.stderr


def test_not_converged(quick, data):
    done = quick("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=9", "--steps", "1", "--json", cwd=data)
    assert done.code == 1 and strict(done.stdout)["converged"] is False
    assert done.stderr.startswith("not converged: ") and "--starts" in done.stderr


def test_notes(quick, data):
    done = quick("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", "--bound", "a<=4", "--starts", "3", cwd=data)
    assert done.code == 0 and "a ends on its bound 4" in done.stderr and "3 of 3 starts" in done.stderr
    assert done.stdout.splitlines()[1] == "a\t4\t\t\t"


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("y ~ a*x", "none.csv", "a=1"), 1, "cannot read none.csv"),
        (("y ~ a*x",), 2, "there is no data file"),
        (("y ~ a*x", "a=1"), 2, "there is no data file"),
        (("y ~ a*x", "data.csv", "a=1", "--predict", "data.csv", "--json"), 2, "leave out the format"),
        ((), 2, "there is no expression"),
        (("y ~ a*x", "data.csv", "b=1"), 2, "a is neither a column nor a parameter"),
        (("y ~ a*x", "data.csv", "a"), 2, "NAME=VALUE"),
        (("y ~ a*x + c", "data.csv", "a=1", "c=1", "--bound", "q<=1"), 2, "there is no q to bound"),
        (("y ~ a*x", "data.csv", "a=1", "--sigma", "q"), 2, "there is no column q"),
        (("y ~ a*log(x)", "data.csv", "a=1"), 1, "data.csv, line 2"),
        (("y ~ a*b*x", "data.csv", "a=1", "b=1"), 1, "do not determine a and b"),
        (("y ~ a*x", "bad.csv", "a=1"), 1, "bad.csv, line 3, column y: 'z' is not a number"),
        (("y ~ a*x", "latin.csv", "a=1"), 1, "not UTF-8"),
        (("y ~ a*x", ".", "a=1"), 1, "cannot read ."),
        (("y ~ a*x", "data.csv", "a=1", "--confidence", "1"), 2, "confidence"),
        (("y ~ a*x", "data.csv", "a=1", "--predict", "bad.csv", "--starts", "0"), 2, "starts"),
    ],
)
def test_errors(quick, data, args, code, says):
    (data / "bad.csv").write_text("x,y\n1,2\n2,z\n", encoding="utf-8")
    (data / "latin.csv").write_bytes(b"x,y\n1,\xe9\n")
    fails(quick("fit", *args, cwd=data), code, says)
