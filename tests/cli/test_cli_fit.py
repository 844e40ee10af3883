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


def test_notes_on_weights_and_on_a_model_that_is_worse_than_the_mean(quick, tmp_path):
    (tmp_path / "w.csv").write_text("x,y,w\n1,5,1\n2,5.1,1\n3,4.9,1\n4,9,0\n")
    done = quick("fit", "y ~ a*x", "w.csv", "a=1", "--weights", "w", cwd=tmp_path)
    assert "1 row left out: the weight is 0" in done.stderr
    assert "the model is worse than the mean of what was measured" in done.stderr


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


def test_a_bad_row_does_not_stop_the_predictions(quick, data):
    """It keeps its place, and all rows keep their bytes."""
    (data / "new.csv").write_bytes(b'\xef\xbb\xbfx,note\r\n1,"a, b"\r\nabc,c\r\n,d\r\n2\r\n007,e\r\n')
    args = ("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", "--predict", "new.csv", "-o", "out.csv")
    done = quick(*args, cwd=data)
    head, *rows, end = (data / "out.csv").read_bytes().split(b"\r\n")
    assert (done.code, done.stdout, head, end) == (1, "", b"\xef\xbb\xbfx,note,predicted,stderr", b"")
    assert rows[1:4] == [b"abc,c,,", b",d,,", b"2,,,"]
    assert rows[0].startswith(b'1,"a, b",3.0') and rows[4].startswith(b"007,e,0.1")
    assert done.stderr.startswith(
        "new.csv:3: column x: 'abc' is not a number\n"
        "new.csv:4: column x: the cell is empty\n"
        "new.csv:5: 1 cell, where the header has 2\n"
    )
    assert "the model has no value in 3 rows: the cells are empty there\n" in done.stderr


def test_predictions_of_json_lines(quick, data):
    (data / "new.jsonl").write_text('{"x": 0}\n{"x": "q"}\n', encoding="utf-8")
    done = quick("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", "--predict", "new.jsonl", cwd=data)
    first, second = map(strict, done.stdout.splitlines())
    assert list(first) == ["x", "predicted", "stderr"] and first["predicted"] == pytest.approx(5.05283, rel=1e-5)
    assert second == {"x": "q", "predicted": None, "stderr": None}
    assert done.stderr.startswith("new.jsonl:2: column x: the text 'q' is not a number\n")


def test_predictions_without_a_degree_of_freedom_have_no_error(quick, data):
    (data / "two.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    done = quick("fit", "y ~ a*x", "two.csv", "a=1", "--predict", "two.csv", cwd=data)
    assert (done.code, done.stdout) == (0, "x,y,predicted,stderr\n1,2,2,\n")


@pytest.mark.parametrize("name", ["data.csv.gz", "data.csv.zst", "data.tsv", "data.jsonl", "data.parquet"])
def test_every_format_that_map_reads(quick, data, name):
    quick("map", "x + y", "data.csv", "-o", "data.jsonl", cwd=data)  # in which cells are numbers
    quick("map", "x + y", "data.jsonl", "--prefix", "g_", "-o", name, cwd=data)
    plain = quick("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", cwd=data)
    assert quick("fit", "y ~ a*exp(-b*x)", name, "a=1", "b=1", cwd=data) == plain


def test_tabs_on_standard_input_and_lines_of_an_old_mac(run, data):
    plain = run("fit", "y ~ a*exp(-b*x)", "data.csv", "a=1", "b=1", cwd=data)
    for text in (CSV.replace(",", "\t"), CSV.replace("\n", "\r"), CSV.replace("\n", "\r\n")):
        assert run("fit", "y ~ a*exp(-b*x)", "-", "a=1", "b=1", stdin=text) == plain


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
        (("y ~ a*log(x)", "data.csv", "a=1"), 1, "data.csv:2"),
        (("y ~ a*b*x", "data.csv", "a=1", "b=1"), 1, "do not determine a and b"),
        (("y ~ a*x", "bad.csv", "a=1"), 1, "bad.csv:3: column y: 'z' is not a number"),
        (("y ~ a*x", "inf.csv", "a=1"), 1, "inf.csv:3: column y: inf is not a finite number"),
        (("y ~ a*x", "empty.csv", "a=1"), 1, "empty.csv:2: column y: the cell is empty (and 1 more)"),
        (("z ~ a*w", "both.csv", "a=1"), 2, "z is neither a column nor a parameter"),
        (("y ~ a*x", "data.csv", "a=1", "--predict", "both.csv"), 2, "both.csv has no column x"),
        (("y ~ a*x", "data.csv", "a=1", "--predict", "taken.csv"), 2, "there is a column predicted already"),
        (("y ~ a*x", "latin.csv", "a=1"), 1, "not UTF-8"),
        (("y ~ a*x", ".", "a=1"), 1, "cannot read ."),
        (("y ~ a*x", "data.csv", "a=1", "--confidence", "1"), 2, "confidence"),
        (("y ~ a*x", "data.csv", "a=1", "--predict", "bad.csv", "--starts", "0"), 2, "starts"),
    ],
)
def test_errors(quick, data, args, code, says):
    (data / "bad.csv").write_text("x,y\n1,2\n2,z\n", encoding="utf-8")
    (data / "inf.csv").write_text("x,y\n1,2\n2,inf\n", encoding="utf-8")
    (data / "empty.csv").write_text("x,y\n1,\n2,\n", encoding="utf-8")
    (data / "both.csv").write_text("x y\tz,w\n1\t2,3\n", encoding="utf-8")
    (data / "taken.csv").write_text("x,predicted\n1,2\n", encoding="utf-8")
    (data / "latin.csv").write_bytes(b"x,y\n1,\xe9\n")
    fails(quick("fit", *args, cwd=data), code, says)
