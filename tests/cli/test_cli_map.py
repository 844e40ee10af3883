"""gradcli map as a user meets it: files and pipes in and out, bad rows, signals, disks that fill up."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import posix

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
WALK = "a,b\n3,4\n5,6\n"
WALK_OUT = "a,b,value,d_a,d_b\n3,4,84,40,33\n5,6,330,96,85\n"
FORMULA = "(a+b)*(a*b)"


@pytest.fixture
def folder(tmp_path):
    """A function that writes files, and the folder they are in."""

    def write(**texts):
        for name, text in texts.items():
            path = tmp_path / name.replace("_", ".")
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        return tmp_path

    return write


def refused(done, code, *parts):
    """Check for an error before the first row."""
    assert (done.code, done.stdout) == (code, ""), done
    assert done.stderr.startswith("error: ") and "Traceback" not in done.stderr and "internal" not in done.stderr, done
    for part in parts:
        assert part in done.stderr, done.stderr


# ------------------------------------------------------------------------------------------------- in and out


def test_csv_to_csv(run, folder):
    assert run("map", FORMULA, "t.csv", cwd=folder(t_csv=WALK)) == (0, WALK_OUT, "")
    assert run("map", FORMULA, "-", stdin=WALK) == (0, WALK_OUT, "")


def test_the_expression_from_elsewhere(run, folder):
    where = folder(t_csv=WALK, m_expr=FORMULA + "  # of the walkthrough\n")
    assert run("map", "-", "t.csv", stdin=FORMULA, cwd=where) == (0, WALK_OUT, "")
    assert run("map", "-f", "m.expr", "t.csv", cwd=where) == (0, WALK_OUT, "")
    assert run("map", "-f", "m.expr", "-", stdin=WALK, cwd=where) == (0, WALK_OUT, "")
    refused(run("map", "-", "-", stdin=FORMULA, cwd=where), 2, "standard input can be read once")


@pytest.mark.parametrize(
    ("options", "header", "row"),
    [
        ((), "a,b,value,d_a,d_b", "3,4,12,4,3"),
        (("--wrt", "b"), "a,b,value,d_b", "3,4,12,3"),
        (("--wrt", "b,a"), "a,b,value,d_b,d_a", "3,4,12,3,4"),
        (("--no-value",), "a,b,d_a,d_b", "3,4,4,3"),
        (("--prefix", "g_"), "a,b,g_value,g_d_a,g_d_b", "3,4,12,4,3"),
        (("--to", "tsv"), "a\tb\tvalue\td_a\td_b", "3\t4\t12\t4\t3"),
    ],
)
def test_options(quick, folder, options, header, row):
    done = quick("map", "a*b", "t.csv", *options, cwd=folder(t_csv="a,b\n3,4\n"))
    assert done == (0, f"{header}\n{row}\n", "")


def test_digits_for_people(quick, folder):
    where = folder(t_csv="x\n1.23456789\n0\n-1e-9\nabc\n")
    done = quick("map", "2*x", "t.csv", "--precision", "3", cwd=where)
    assert done.stdout == "x,value,d_x\n1.23456789,2.47,2\n0,0,2\n-1e-9,-2e-09,2\nabc,,\n"


def test_outputs_of_a_program(quick, folder):
    where = folder(t_csv="a,b\n3,4\n")
    done = quick("map", "c = a+b; d = a*b; c*d", "t.csv", "--out", "d,c", "--wrt", "a", cwd=where)
    assert done == (0, "a,b,d,dd_da,c,dc_da\n3,4,12,4,7,1\n", "")


def test_a_value_for_all_rows(quick, folder):
    done = quick("map", "r*x^2", "r=1/2", "t.csv", cwd=folder(t_csv="id,x\n007,4\n"))
    assert done == (0, "id,x,value,d_r,d_x\n007,4,8,16,4\n", "")


def test_a_value_that_nothing_needs(quick, folder):
    done = quick("map", "2*x", "q=3", "t.csv", cwd=folder(t_csv="x\n1\n"))
    assert done == (0, "x,value,d_x\n1,2,2\n", "unused: q does not occur in the expression\n  q=3\n  ^\n")
    done = quick("map", "2*x", *(f"q{i}=3" for i in range(20)), "t.csv", cwd=folder(t_csv="x\n1\n"))
    assert done.stderr.count("unused: ") == 20 and "more" not in done.stderr  # no --json would list the others


def test_a_value_for_a_column(quick, folder):
    refused(
        quick("map", "r*x", "r=2", "t.csv", cwd=folder(t_csv="r,x\n1,2\n")),
        2,
        "r is given as r=2, and is a column as well",
        "--rename r=NAME",
    )
    refused(quick("map", "y", "t.csv", cwd=folder(t_csv="\x1b[31mx,\n1,2\n")), 2, "no value for y")


def test_names_that_are_not_of_the_language(quick, folder):
    where = folder(t_csv="my value,a=b,1x\n2,3,4\n")
    done = quick("map", "v*w", "t.csv", "--rename", "my value=v", "--rename", "a=b=w", "--wrt", "v", cwd=where)
    assert done == (0, "my value,a=b,1x,value,d_v\n2,3,4,6,3\n", "")
    for wrong in ("v", "=v", "my value=1v", "my value="):
        refused(quick("map", "v", "t.csv", "--rename", wrong, cwd=where), 2, "--rename")
    refused(quick("map", "v", "t.csv", "--rename", "no=v", cwd=where), 2, "t.csv has no column no")


def test_constants_and_columns(quick, folder):
    assert quick("map", "e*x", "t.csv", "--wrt", "x", cwd=folder(t_csv="e,x\n2,3\n")).stdout.endswith("\n2,3,6,2\n")
    assert quick("map", "x", "t.csv", cwd=folder(t_csv="sin,x\n2,3\n")).code == 0
    refused(quick("map", "x = 2; x", "t.csv", cwd=folder(t_csv="x\n2\n")), 2, "x is assigned here")


ROWS = [{"id": "007", "x": 1.5}, {"id": "b", "x": 2.0}]
FILES = {
    "csv": "id,x\n007,1.50\nb,2\n",
    "tsv": "id\tx\n007\t1.50\nb\t2\n",
    "jsonl": '{"id": "007", "x": 1.50}\n{"id": "b", "x": 2}\n',
}


def read_rows(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    text = io.StringIO(path.read_bytes().decode(), newline="")
    return list(csv.DictReader(text, delimiter="\t" if path.suffix == ".tsv" else ","))


@pytest.mark.parametrize("target", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("source", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_to_every_format(quick, folder, source, target):
    where = folder(**{f"t_{form}": text for form, text in FILES.items()})
    pq.write_table(pa.Table.from_pylist(ROWS), where / "t.parquet")
    done = quick("map", "x^2", f"t.{source}", "-o", f"out.{target}", cwd=where)
    assert done == (0, "", "")
    rows = read_rows(where / f"out.{target}")
    assert [list(row) for row in rows] == [["id", "x", "value", "d_x"]] * 2
    assert [(row["id"], *(float(row[name]) for name in ("x", "value", "d_x"))) for row in rows] == [
        ("007", 1.5, 2.25, 3.0),
        ("b", 2.0, 4.0, 4.0),
    ]
    if source in ("csv", "tsv", "jsonl") and target != "parquet":
        assert "1.50" in (where / f"out.{target}").read_text()  # digit for digit


def test_types_of_parquet_stay(quick, tmp_path):
    table = pa.table({
        "x": pa.array([1, 2], pa.int32()), "t": pa.array([0, 1], pa.timestamp("us", "UTC")), "l": [[1], None],
        "d": pa.array(["p", "q"]).dictionary_encode(), "m": pa.array([1, 2]).cast(pa.decimal128(24, 2)),
    }).replace_schema_metadata({"made": "by hand"})  # fmt: skip
    pq.write_table(table, tmp_path / "t.parquet", compression="zstd")
    assert quick("map", "x^2*m", "t.parquet", "-o", "out.parquet", cwd=tmp_path) == (0, "", "")
    out = pq.read_table(tmp_path / "out.parquet")
    assert out.select(table.column_names).equals(table) and out.schema.metadata[b"made"] == b"by hand"
    assert out.column("value").to_pylist() == [1, 8]
    assert pq.ParquetFile(tmp_path / "out.parquet").metadata.row_group(0).column(0).compression == "ZSTD"


def test_text_in_parquet_is_no_number(quick, tmp_path):
    pq.write_table(pa.table({"x": ["1", "2"]}), tmp_path / "t.parquet")
    refused(quick("map", "x", "t.parquet", cwd=tmp_path), 2, "the column x holds string, not numbers")


def test_parquet_through_pipes(run, tmp_path):
    pq.write_table(pa.table({"x": [1.0, None]}), tmp_path / "t.parquet")
    data = (tmp_path / "t.parquet").read_bytes()
    done = run("map", "2*x", "-", "--from", "parquet", "--to", "csv", stdin=data)
    assert done == (
        1,
        "x,value,d_x\n1,2,2\n,,\n",
        "standard input:row 2: column x: the cell is empty\nerror: 1 of 2 rows has no result\n",
    )


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_compressed(quick, folder, ending):
    where = folder(t_csv=WALK)
    assert quick("map", FORMULA, "t.csv", "-o", f"a.csv.{ending}", cwd=where) == (0, "", "")
    assert (where / f"a.csv.{ending}").read_bytes()[:2] in (b"\x1f\x8b", b"\x28\xb5")
    done = quick("map", "value", f"a.csv.{ending}", "--prefix", "g_", cwd=where)
    assert done == (0, "a,b,value,d_a,d_b,g_value,g_d_value\n3,4,84,40,33,84,1\n5,6,330,96,85,330,1\n", "")


def test_tabs_on_standard_input_and_lines_of_an_old_mac(run, folder):
    assert run("map", "x*y", "-", "--wrt", "x", stdin="x\ty\n3\t1\n").stdout == "x\ty\tvalue\td_x\n3\t1\t3\t1\n"
    assert run("map", "x", "-", "--from", "csv", stdin="x\ty\n3\t1\n").code == 2
    where = folder(t_csv="x,y\r3,1\rq,2", t_tsv="x y\tz,w\n1\t2\n")
    done = run("map", "x*y", "t.csv", "--wrt", "x", cwd=where)
    assert done.stdout == "x,y,value,d_x\n3,1,3,1\nq,2,,\n" and done.stderr.startswith("t.csv:3: column x: 'q' is not")
    assert run("map", "w", "t.tsv", "--rename", "z,w=w", cwd=where).stdout == "x y\tz,w\tvalue\td_w\n1\t2\t2\t1\n"


def test_several_files(quick, folder):
    where = folder(a_csv="x,y\n1,2\n", b_csv="x,y\r\n3,bad\r\n", c_csv="y,x\n1,2\n", d_tsv="x\ty\n1\t2\n")
    done = quick("map", "x*y", "--wrt", "x", "a.csv", "b.csv", "a.csv", cwd=where)
    assert done.stdout == "x,y,value,d_x\n1,2,2,2\n3,bad,,\r\n1,2,2,2\n"
    assert done.stderr == "b.csv:2: column y: 'bad' is not a number\nerror: 1 of 3 rows has no result\n"
    refused(quick("map", "x*y", "a.csv", "c.csv", cwd=where), 1, "c.csv has other columns than a.csv")
    refused(quick("map", "x*y", "a.csv", "d.tsv", cwd=where), 2, "give files of one format")


def test_of_many_files_few_are_open(folder):
    resource = pytest.importorskip("resource")
    where = folder(**{f"f{i}_csv": f"x\n{i}\n" for i in range(60)})
    names = [f"f{i}.csv" for i in range(60)]

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

    command = [sys.executable, "-m", "gradcli", "map", "2*x", *names]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, preexec_fn=few)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "x,value,d_x\n" + "".join(f"{i},{2 * i},2\n" for i in range(60))


@pytest.mark.parametrize("end", ["", "\n"])
def test_json_lines_to_parquet_whatever_the_end(quick, folder, end):
    rows = ['{"x": 1, "f": true, "n": 9007199254740993, "g": 1}', '{"x": "q", "f": 2.5, "n": null, "h": 2}']
    where = folder(a_jsonl="\n".join(rows) + end)
    done = quick("map", "2*x", "a.jsonl", "-o", "a.parquet", cwd=where)
    assert done.stderr.endswith("column x: the text 'q' is not a number\nerror: 1 of 2 rows has no result\n")
    assert pq.read_table(where / "a.parquet").to_pylist() == [
        {"x": 1.0, "f": "true", "n": "9007199254740993", "g": 1.0, "h": None, "value": 2.0, "d_x": 2.0},
        {"x": None, "f": "2.5", "n": None, "g": None, "h": 2.0, "value": None, "d_x": None},
    ]


def test_a_late_cell_that_parquet_cannot_hold(quick, folder):
    first = '{"x": 1, "f": true}\n' * 300_000
    where = folder(a_jsonl=first + '{"x": 1, "f": 2.5}\n')
    done = quick("map", "2*x", "a.jsonl", "-o", "a.parquet", cwd=where)
    refused(done, 1, "a.jsonl:300001: f is '2.5', and truth values in the rows before")
    assert "hint: a column of Parquet holds one kind" in done.stderr and not (where / "a.parquet").exists()


# ------------------------------------------------------------------------------------------------- cells and rows


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("x,id\n1,007\n", "x,id,value,d_x\n1,007,2,2\n"),
        ("\ufeffx,id\n1,007\n", "\ufeffx,id,value,d_x\n1,007,2,2\n"),
        ("x,id\r\n1,007\r\n", "x,id,value,d_x\r\n1,007,2,2\r\n"),
        ("x,id\r\n1,007", "x,id,value,d_x\r\n1,007,2,2\r\n"),
        ("x,id\n1,007", "x,id,value,d_x\n1,007,2,2\n"),
        ("x,id\n\n1,007\n\n\n", "x,id,value,d_x\n1,007,2,2\n"),
        ('"x" , my value,\n"1","a ""b""\nc",\n', '"x" , my value,,value,d_x\n"1","a ""b""\nc",,2,2\n'),
        ("x,d\n1e0,2024-01-31\n", "x,d,value,d_x\n1e0,2024-01-31,2,2\n"),
        ('"x"\n1\n', '"x",value,d_x\n1,2,2\n'),
        ("x,y\n", "x,y,value,d_x\n"),
        ("x", "x,value,d_x\n"),
    ],
)
def test_every_cell_as_it_was(quick, folder, text, out):
    where = folder(t_csv=text)
    assert quick("map", "2*x", "t.csv", "-o", "out.csv", cwd=where) == (0, "", "")
    assert (where / "out.csv").read_bytes().decode() == out


BAD = 'x,y\n1,2\n,2\n1,abc\n1\n1,2,3\n１２,2\n1_000,2\n0x10,2\n"1,5",2\nnan,2\n1e999,2\n-1,2\n4,3\n'
REASONS = """\
t.csv:3: column x: the cell is empty
t.csv:4: column y: 'abc' is not a number
t.csv:5: 1 cell, where the header has 2
t.csv:6: 3 cells, where the header has 2
t.csv:7: column x: '１２' is not a number
t.csv:8: column x: '1_000' is not a number
t.csv:9: column x: '0x10' is not a number
t.csv:10: column x: '1,5' is not a number
t.csv:11: column x: 'nan' is not a number
t.csv:12: column x: '1e999' is too large for binary64
t.csv:13: sqrt of -1 is not a number
error: 11 of 13 rows have no result
"""


def test_bad_rows_keep_their_place(run, folder):
    done = run("map", "sqrt(x)*y", "t.csv", "--no-value", "--wrt", "y", cwd=folder(t_csv=BAD))
    assert (done.code, done.stderr) == (1, REASONS)
    assert done.stdout == (
        'x,y,d_y\n1,2,1\n,2,\n1,abc,\n1,,\n1,2,,3\n１２,2,\n1_000,2,\n0x10,2,\n"1,5",2,\nnan,2,\n1e999,2,\n-1,2,\n4,3,2\n'
    )


def test_bad_rows_in_json(quick, folder):
    lines = [
        '{"x": 1}',
        '{"x": true}',
        '{"x": null}',
        '{"x": "3"}',
        "[3]",
        "{}",
        '{"x": NaN}',
        '{"x": -1}',
        '{"x": 1, "a": 1.50}',
    ]
    done = quick("map", "log(x)", "t.jsonl", cwd=folder(t_jsonl="\n".join(lines)))
    assert [json.loads(line).get("value") for line in done.stdout.splitlines()] == [0.0, *[None] * 7, 0.0]
    assert done.stdout.splitlines()[3] == '{"x": "3", "value": null, "d_x": null}'
    assert done.stdout.splitlines()[-1] == '{"x": 1, "a": 1.50, "value": 0.0, "d_x": 1.0}'
    assert done.code == 1 and done.stderr.splitlines() == [
        "t.jsonl:2: column x: 'true' is not a number",
        "t.jsonl:3: column x: 'null' is not a number",
        "t.jsonl:4: column x: the text '3' is not a number",
        "t.jsonl:5: '[3]' is not an object",
        "t.jsonl:6: column x: the key is missing",
        "t.jsonl:7: NaN is not JSON",
        "t.jsonl:8: log of -1 is not a number",
        "error: 7 of 9 rows have no result",
    ]


def test_an_empty_cell_that_is_not_read_is_no_error(quick, folder):
    assert quick("map", "x", "t.csv", cwd=folder(t_csv="x,z\n1,\n")) == (0, "x,z,value,d_x\n1,,1,1\n", "")


def test_infinities_pass_and_nan_derivatives_are_counted(quick, folder):
    done = quick("map", "1/x", "t.csv", cwd=folder(t_csv="x\n0\n"))
    assert done == (0, "x,value,d_x\n0,inf,-inf\n", "")
    done = quick("map", "1/x", "t.jsonl", cwd=folder(t_jsonl='{"x": 0}\n{"x": "Infinity"}\n'))
    assert (
        done.stdout
        == '{"x": 0, "value": "Infinity", "d_x": "-Infinity"}\n{"x": "Infinity", "value": 0.0, "d_x": 0.0}\n'
    )
    done = quick("map", "sqrt(x*y)", "t.csv", cwd=folder(t_csv="x,y\n0,inf\n0,0\n1,1\n"))
    assert done.code == 1 and "1 of 3 rows has no result" in done.stderr


@pytest.mark.parametrize("to", ["csv", "jsonl"])
def test_strict_stops_before_the_first_bad_row(quick, folder, to):
    where = folder(t_csv="x,y\n1,2\n2,3\nabc,4\ndef,5\n")
    done = quick("map", "2*x", "t.csv", "--strict", "--to", to, cwd=where)
    assert (done.code, done.stdout.count("\n")) == (1, 3 if to == "csv" else 2)
    assert done.stderr == "t.csv:4: column x: 'abc' is not a number\nerror: stopped at the first row without a result\n"
    assert quick("map", "2*x", "t.csv", "--strict", "-o", "out.csv", cwd=where).code == 1
    assert sorted(os.listdir(where)) == ["t.csv"]


def test_a_large_cell_and_hostile_names(run, folder):
    where = folder(t_csv="note,x\n" + "a" * 200_000 + ',2\n"' + "b\n" * 100_000 + '",3\n')
    done = run("map", "x", "t.csv", "--to", "jsonl", cwd=where)
    assert done.code == 0 and [json.loads(line)["value"] for line in done.stdout.splitlines()] == [2, 3]
    done = run("map", "y", "t.csv", cwd=folder(t_csv="\x1b[31mx\n1\n"))
    assert done.code == 2 and "\x1b" not in done.stderr
    done = run("map", "x", "t.csv", cwd=folder(t_csv="x\n\x1b[2J\n[bold]1[/]\n"))
    assert done.code == 1 and "'\\x1b[2J'" in done.stderr and "[bold]1[/]" in done.stderr and "\x1b" not in done.stderr


# ------------------------------------------------------------------------------------------ before the first row


@pytest.mark.parametrize(
    ("text", "args", "code", "parts"),
    [
        ("x,y,x\n1,2,3\n", ("x*y",), 2, ["two columns are called x"]),
        ("x,value\n1,2\n", ("x",), 2, ["there is a column value already", "--prefix"]),
        ("x, d_x \n1,2\n", ("x",), 2, ["there is a column d_x already"]),
        ("x,price\n1,2\n", ("x*prise",), 2, ["no value for prise", "did you mean price?"]),
        ("x\n1\n", ("snh(x)",), 2, ["no function snh"]),
        ("x\n1\n", ("x", "--wrt", "z"), 2, ["z is not a variable"]),
        ("x\n1\n", ("x", "--out", "u"), 2, ["u is not assigned"]),
        ("x\n1\n", ("x", "y=abc"), 2, ["abc has no value"]),
        ("", ("x",), 1, ["t.csv has no header"]),
        (b"x,\xe9\n1,2\n", ("x",), 1, ["t.csv is not UTF-8: byte 0xE9 in line 1"]),
    ],
)
def test_refused_before_the_first_row(quick, folder, text, args, code, parts):
    refused(quick("map", *args, "t.csv", cwd=folder(t_csv=text)), code, *parts)


@pytest.mark.parametrize(
    ("args", "code", "parts"),
    [
        (("x",), 2, ["there is no file", "or - for standard input"]),
        ((), 2, ["there is no expression"]),
        (("x", "no.csv"), 1, ["cannot read no.csv: No such file"]),
        (("x", "no.parquet"), 1, ["cannot read no.parquet"]),
        (("x", "folder.csv"), 1, ["cannot read folder.csv"]),
        (("x", "folder.parquet"), 1, ["cannot read folder.parquet"]),
        (("x", "t.txt"), 2, ["t.txt may be in any format", "--from"]),
        (("x", "broken.parquet"), 1, ["broken.parquet is not a Parquet file"]),
        (("x", "broken.csv.gz"), 1, ["cannot read broken.csv.gz"]),
        (("x", "t.csv", "-o", "no/out.csv"), 1, ["cannot write no/out.csv"]),
        (("x", "t.csv", "--to", "xml"), 2, ["--to"]),
        (("x", "t.csv", "--scheduler", "tcp://127.0.0.1:1"), 2, ["--scheduler goes with --engine dask"]),
    ],
)
def test_files_that_are_not_there_or_not_right(quick, folder, args, code, parts):
    where = folder(t_csv="x\n1\n", t_txt="x\n1\n", broken_parquet="PAR1", broken_csv_gz="no gzip")
    (where / "folder.csv").mkdir()
    (where / "folder.parquet").mkdir()
    refused(quick("map", *args, cwd=where), code, *parts)


def test_columns_without_a_name(quick, folder):
    where = folder(t_csv="x,,\n1,2,3\n")
    assert quick("map", "x", "t.csv", cwd=where) == (0, "x,,,value,d_x\n1,2,3,1,1\n", "")
    refused(
        quick("map", "x", "t.csv", "--to", "jsonl", cwd=where), 2, "2 columns have no name, which jsonl cannot hold"
    )


def test_a_key_twice_and_a_key_in_the_way(quick, folder):
    refused(
        quick("map", "x", "t.jsonl", cwd=folder(t_jsonl='{"x": 1, "x": 2}\n')), 1, "t.jsonl:1: the key x is there twice"
    )
    refused(
        quick("map", "x", "t.jsonl", cwd=folder(t_jsonl='{"x": 1, "value": 2}\n')), 2, "there is a column value already"
    )


def test_show_kernel(quick):
    done = quick("map", "r*sin(x)", "r=2", "--show-kernel")
    assert done.code == 0 and "sin" in done.stdout and done.stderr == ""


# --------------------------------------------------------------------------------------------- pipes and signals


def start(gradcli, clean, *args, **streams):
    return subprocess.Popen([gradcli, "map", *args], env=clean, **{"stderr": subprocess.PIPE, **streams})


def test_a_slow_pipe_is_answered_at_once(gradcli, clean):
    with start(gradcli, clean, "x*2", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for line, answer in [("x\n", "x,value,d_x\n"), ("1\n", "1,2,2\n"), ("2\n", "2,4,2\n")]:
            process.stdin.write(line.encode())
            process.stdin.flush()
            assert process.stdout.readline().decode() == answer  # without more input
        process.stdin.close()
        assert process.wait(60) == 0 and process.stderr.read() == b""


def test_a_reader_that_has_enough(gradcli, clean, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x\n" + "1.25\n" * 2_000_000)
    command = f"{gradcli} map 'x*2' {path} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=clean, timeout=60)
    assert (done.stdout, done.stderr) == ("x,value,d_x\n0\n", "")


@posix
def test_interrupted_between_whole_rows(gradcli, clean, tmp_path):
    path = tmp_path / "out"
    with path.open("wb") as out, start(gradcli, clean, "x*2", "-", stdin=subprocess.PIPE, stdout=out) as process:
        process.stdin.write(b"x\n" + b"1.25\n" * 500_000)
        process.stdin.flush()
        while path.stat().st_size < 10_000:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130 and b"Traceback" not in process.stderr.read()
        process.stdin.close()
    lines = path.read_text().split("\n")
    assert lines[-1] == "" and set(lines[1:-1]) == {"1.25,2.5,2"}


@posix
def test_interrupted_while_a_file_is_written(gradcli, clean, tmp_path):
    args = ("x*2", "-", "-o", str(tmp_path / "out.csv"))
    with start(gradcli, clean, *args, stdin=subprocess.PIPE) as process:
        process.stdin.write(b"x\n1\n")
        process.stdin.flush()
        while not os.listdir(tmp_path):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        process.stdin.close()
    assert os.listdir(tmp_path) == []


@needs_full
@pytest.mark.parametrize("to", ["csv", "jsonl", "parquet"])
def test_a_full_disk(gradcli, clean, to):
    with open("/dev/full", "wb") as full:
        args = ("x*2", "-", "--to", to)
        done = subprocess.run(
            [gradcli, "map", *args], input=b"x\n1\n", stdout=full, stderr=subprocess.PIPE, env=clean, timeout=60
        )
    assert done.returncode == 1 and done.stderr.decode() == "error: cannot write: No space left on device\n"


@posix
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_a_disk_that_fills_up_leaves_no_half_file(gradcli, clean, tmp_path, name):
    limit = 'trap "" XFSZ; ulimit -f 8; exec "$0" "$@"'
    rows = b"x\n" + b"".join(b"%d.%d\n" % (i, i * i) for i in range(50_000))
    command = ["bash", "-c", limit, gradcli, "map", "sin(x)", "-", "-o", str(tmp_path / name)]
    done = subprocess.run(command, input=rows, capture_output=True, env=clean, timeout=60)
    assert done.returncode == 1 and done.stderr.decode().startswith(f"error: cannot write {tmp_path / name}: "), done
    assert done.stderr.count(b"\n") == 1 and os.listdir(tmp_path) == []


class Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("patience", "stream", "shown", "bar"),
    [
        (0.0, Terminal, True, True),
        (60.0, Terminal, True, False),  # it does not take long
        (0.0, io.StringIO, True, False),  # nobody looks
        (0.0, Terminal, False, False),  # the rows go to the same terminal
    ],
)
def test_a_bar_for_people_alone(monkeypatch, patience, stream, shown, bar):
    from gradcli.cli import progress

    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", stream())
    with progress.progress([100, 200], shown=shown) as advance:
        time.sleep(0.01)
        advance(1000, 100)
        advance(500, 50)
    written = sys.stderr.getvalue()
    assert bool(re.search(r"50%.*1,500 rows, [\d,]+ rows/s", written)) == bar == bool(written)


def test_memory_does_not_grow_with_the_rows(gradcli, clean, tmp_path):
    resource = pytest.importorskip("resource")
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    assert resource.RUSAGE_CHILDREN

    def peak(rows):
        path = tmp_path / "t.csv"
        path.write_text("x,y\n" + "1.2345678,2.3456789\n" * rows)
        command = [sys.executable, "-c", code, gradcli, "map", "x*y", str(path)]
        return int(subprocess.run(command, capture_output=True, text=True, env=clean, timeout=120, check=True).stdout)

    assert peak(3_000_000) < 1.25 * peak(1_000_000)


def test_without_the_extra(clean, tmp_path):
    (tmp_path / "t.csv").write_text("x\n1\n")
    for missing in ("numpy", "pyarrow", "orjson"):
        code = f"import sys; sys.modules[{missing!r}] = None; from gradcli.cli import main; raise SystemExit(main(['map', 'x', 't.csv']))"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=clean, cwd=tmp_path, timeout=60
        )
        assert (
            done.returncode == 1
            and "pip install 'gradcli[batch]'" in done.stderr
            and done.stdout in ("", "x,value,d_x\n")
        )
        assert "Traceback" not in done.stderr


def test_pandas_is_not_loaded(clean, tmp_path):
    (tmp_path / "t.csv").write_text("x\n1\n")
    (tmp_path / "pandas.py").write_text("raise SystemExit('pandas was loaded')\n")
    code = "import sys; from gradcli.cli import main; raise SystemExit(main(['map', 'x', 't.csv']))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=clean, cwd=tmp_path, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "x,value,d_x\n1,1,1\n", "")


def test_cells_read_back_by_another_reader(quick, folder):
    """What comes out is CSV: Python's reader finds the cells that went in, and the numbers that eval prints."""
    where = folder(t_csv='name,x,y\n"a, ""b""",0.1,3\n"two\nlines",2,5e-324\nplain,-7,1e300\n')
    done = quick("map", "x*y", "t.csv", cwd=where)
    rows = list(csv.DictReader(io.StringIO(done.stdout, newline="")))
    assert [row["name"] for row in rows] == ['a, "b"', "two\nlines", "plain"]
    for row in rows:
        plain = quick("eval", "x*y", f"x={row['x']}", f"y={row['y']}").stdout.split()
        assert [row["value"], row["d_x"], row["d_y"]] == [plain[1], plain[5], plain[8]]
