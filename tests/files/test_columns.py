"""Small tables: the same numbers, formats and words as map has, and the place of every mistake."""

import csv
import math
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import FileError, GradcliError, UsageError
from gradcli.files import csv_reader, csv_writer
from gradcli.files.cells import cell_number
from gradcli.files.columns import (
    Columns,
    append,
    labels_of,
    numbers_of,
    open_small,
    read_sheet,
    rows_of,
    texts_of,
    with_gaps,
)
from gradcli.text import shortest


@pytest.fixture
def sheet(tmp_path, monkeypatch):
    """The sheet of a file with this text, in the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="t.csv"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_sheet(name)

    return write


@pytest.fixture(params=["arrow", "plain Python"])
def either(request, monkeypatch):
    """Both ways of reading CSV."""
    if request.param != "arrow":
        monkeypatch.setattr(csv_reader, "_plain_rows", lambda: lambda layout, block, used: None)
        monkeypatch.setattr(csv_writer, "_texts", lambda: csv_writer.plain_texts)


# ------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("cell", ["1", " -2.5 ", ".5", "5.", "1e-3", "+2E+3", "\t7"])
def test_numbers(cell):
    assert cell_number(cell) == float(cell)


@pytest.mark.parametrize("cell", ["1_000", "1,5", "１２", "٣", "0x10", "nan", "1e", "--1", "1 2", "x", "1\n2", "1\u2028", "1\xa0"])  # fmt: skip
def test_what_is_no_number(cell):
    assert cell_number(cell).endswith(" is not a number")


@given(st.floats(allow_nan=False))
def test_every_number_that_is_printed_is_read(value):
    assert cell_number(shortest(value)) == value


def test_cells_and_rows(sheet, either):
    table = sheet('a,"b, c",name\n1,"2",ä\n\n 3 ,+1e3,"x\ny"\n.5,-2.,z\n')
    assert table.table.names == ("a", "b, c", "name")
    b, a = numbers_of(table, ["b, c", "a"])
    assert a.tolist() == [1, 3, 0.5] and b.tolist() == [2, 1000, -2]
    assert labels_of(table, "name") == texts_of(table, "name") == ["ä", "x\ny", "z"]
    assert rows_of(table).lines == [2, 4, 6]


def test_an_infinity_is_a_number_and_not_a_finite_one(sheet, either):
    table = sheet("x,y\n1,2\n-Inf,3\n")
    assert rows_of(table, ["x"]).numbers["x"].tolist() == [1, -math.inf] and rows_of(table, ["x"]).bad == {}
    with pytest.raises(FileError) as caught:
        numbers_of(table, ["x"])
    assert caught.value.message == "t.csv:3: column x: -inf is not a finite number"


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0c", "\x0b", "\x1c"])
def test_only_a_line_break_ends_a_row(sheet, either, sign):
    table = sheet(f"a,b\n1{sign},2\r\n3,4")
    assert numbers_of(table, ["b"])[0].tolist() == [2, 4] and texts_of(table, "a") == [f"1{sign}".strip(), "3"]


def test_a_long_cell_in_a_column_that_is_not_read(sheet, either):
    assert numbers_of(sheet(f"a,b\n{'x' * 200_000},2\n"), ["b"])[0].tolist() == [2]


def test_as_columns_by_name(sheet):
    columns = Columns(sheet("x,y,\n1,2,3\n"))
    assert list(columns) == ["x", "y"] and len(columns) == 2 and "y" in columns and "z" not in columns
    assert columns["y"].tolist() == [2] and columns.line(0) == "t.csv:2"
    with pytest.raises(FileError, match=r"t\.csv has no rows, only the names of the columns"):
        Columns(sheet("x,y\n"))["x"]


# ------------------------------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv has no header"),
        ("\n\n", "t.csv has no header"),
        ("a,b\n1,2\n3\n", "t.csv:3: 1 cell, where the header has 2"),
        ("a,b\n1,2\n3,4,5\n\n6\n", "t.csv:3: 3 cells, where the header has 2 (and 1 more)"),
        ('a,b\n1,"2\n', "t.csv:2: a quote that is opened here is never closed"),
        ('a,b\n1,"2"3\n', "t.csv:2: text after a closing quote"),
        ("a,b\n1,\n3,\n", "t.csv:2: column b: the cell is empty (and 1 more)"),
        ("a,b\n1,1_000\n", "t.csv:2: column b: '1_000' is not a number"),
        ("a,b\n1,1e999\n", "t.csv:2: column b: '1e999' is too large for binary64"),
        ("a,b\n1,\x1b[31m\n", r"t.csv:2: column b: '\x1b[31m' is not a number"),
        ('a,b\n"x\ny",2\nz,bad\n', "t.csv:4: column b: 'bad' is not a number"),
        (b"a,b\n1,\xe9\n", "t.csv is not UTF-8: byte 0xE9 in line 2"),
    ],
)
def test_mistakes_have_the_words_of_map(sheet, quick, tmp_path, either, text, message):
    with pytest.raises(FileError) as caught:
        numbers_of(sheet(text), ["b"])
    assert caught.value.message == message
    assert message.partition(" (and")[0] in quick("map", "b", "t.csv", cwd=tmp_path).stderr


def test_columns_that_are_not_there_or_twice(sheet):
    with pytest.raises(UsageError) as caught:
        numbers_of(sheet("width,height\n1,2\n"), ["widht"])
    assert "t.csv has no column widht" in caught.value.message and caught.value.hint == "did you mean width?"
    with pytest.raises(UsageError, match=r"t\.csv: two columns are called a"):
        sheet("a,a\n1,2\n")


def test_labels_that_are_missing(sheet, either):
    with pytest.raises(FileError, match=r"t\.csv:3: column a: the cell is empty"):
        labels_of(sheet("a,b\nx,1\n ,2\n"), "a")
    with pytest.raises(FileError, match=r"t\.csv:3: 1 cell, where the header has 2"):
        labels_of(sheet("b,a\n1,x\n1\n"), "a")


# ------------------------------------------------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("t.tsv", "a\tb\n1\t2\n", ("a", "b")),
        ("t.tsv", "a,b\n1\n", ("a,b",)),
        ("t.txt", "a\tb\n1\t2\n", ("a", "b")),
        ("t.txt", "a,b\n1,2\n", ("a", "b")),
        ("t.csv", "a\tb\n1\t2\n", ("a", "b")),
        ("t.csv", "x y\tz,w\n1,2\n", ("x y\tz", "w")),
        ("t.tsv", "x y\tz,w\n1\t2\n", ("x y", "z,w")),
        ("t.csv", "\ufeffa,b\r\n1,2\r\n", ("a", "b")),
        ("t.csv", "a,b\r1,2\r", ("a", "b")),
        ("t.csv", "\n\na\tb\n1\t2\n", ("a", "b")),
        ("t.jsonl", '{"a": 1, "b": "x"}\n', ("a", "b")),
    ],
)
def test_formats_by_ending_and_by_header(sheet, quick, tmp_path, name, text, names):
    table = sheet(text, name)
    assert table.table.names == names and rows_of(table).length == 1
    if not name.endswith(".txt"):
        header = quick("map", "2*q", name, "q=1", cwd=tmp_path).stdout.splitlines()[0]
        assert table.table.format.name == "jsonl" or len(next(csv.reader([header], delimiter="\t" if "\tvalue" in header else ","))) == len(names) + 2  # fmt: skip


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_compressed(sheet, ending):
    table = sheet(pa.compress(b"a,b\n1,2\n", {"gz": "gzip", "zst": "zstd"}[ending], asbytes=True), f"t.csv.{ending}")
    assert numbers_of(table, ["a"])[0].tolist() == [1]


def test_json_lines(sheet):
    table = sheet('{"x": 1.5, "t": "left"}\n{"x": "Infinity", "t": 3}\n{"x": 2, "t": null, "u": 1}\n', "t.jsonl")
    assert rows_of(table, ["x"]).numbers["x"].tolist() == [1.5, math.inf, 2] and texts_of(table, "t") == [
        "left",
        "3",
        "",
    ]
    with pytest.raises(FileError, match=r"t\.jsonl:3: column t: the cell is empty"):
        labels_of(table, "t")


def test_parquet(sheet, tmp_path):
    pq.write_table(pa.table({"x": [1.5, None], "t": ["left", "right"]}), tmp_path / "t.parquet")
    table = read_sheet(str(tmp_path / "t.parquet"))
    assert texts_of(table, "t") == ["left", "right"]
    with pytest.raises(FileError, match=r"t\.parquet:row 2: column x: the cell is empty"):
        numbers_of(table, ["x"])
    with pytest.raises(UsageError, match="the column t holds string, not numbers"):
        numbers_of(table, ["t"])


# ------------------------------------------------------------------------------------------------------- written


def doubled(path, out):
    """The file with twice x, and with x where it is above 1."""

    def compute(rows):
        x = rows.numbers["x"]
        return with_gaps(rows, 2 * x, np.where(x > 1, x, np.nan), None)

    table = open_small(str(path))
    parts = append(table, {"y": float, "z": float, "w": float}, ["x"], compute, str(out))
    return [complaint for part in parts for complaint in part.complaints]


@pytest.mark.parametrize(
    ("name", "text", "out"),
    [
        ("t.csv", '\ufeff"x",n\r\n01,"a\nb"\r\nq,\r\n3', '\ufeff"x",n,y,z,w\r\n01,"a\nb",2,,\r\nq,,,,\r\n3,,,,\r\n'),
        ("t.csv", "x,n\n1,a\n2,b\n", "x,n,y,z,w\n1,a,2,,\n2,b,4,2,\n"),
        ("t.tsv", 'x\tn\n01\t"a\tb"\n2\t\n', 'x\tn\ty\tz\tw\n01\t"a\tb"\t2\t\t\n2\t\t4\t2\t\n'),
        ("t.csv", "x,n\ninf,a\n", "x,n,y,z,w\ninf,a,inf,inf,\n"),
        ("t.jsonl", '{"x":2}\n{}\n', '{"x":2, "y": 4.0, "z": 2.0, "w": null}\n{"y": null, "z": null, "w": null}\n'),
    ],
)
def test_rows_stay_as_they_were(tmp_path, either, name, text, out):
    (tmp_path / name).write_bytes(text.encode())
    complaints = doubled(tmp_path / name, tmp_path / f"out.{name}")
    assert (tmp_path / f"out.{name}").read_bytes().decode() == out
    if "q," in text:
        assert [one.rpartition("t.csv")[2] for one in complaints] == [
            ":4: column x: 'q' is not a number",
            ":5: 1 cell, where the header has 2",
        ]


def test_into_parquet(tmp_path):
    (tmp_path / "t.csv").write_text("x\n2\nq\n")
    doubled(tmp_path / "t.csv", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == [
        {"x": "2", "y": 4.0, "z": 2.0, "w": None},
        {"x": "q", "y": None, "z": None, "w": None},
    ]


def test_without_arrow(clean, tmp_path):
    """Plain CSV needs NumPy alone; what needs more says so."""
    (tmp_path / "t.csv").write_text("x,y\n1,2\n2,4.5\nq,1\n")
    (tmp_path / "u.csv").write_text("x,y\n1,2\n2,4.5\n")
    (tmp_path / "t.csv.gz").write_bytes(pa.compress(b"x,y\n1,2\n", "gzip", asbytes=True))

    def fit(*args):
        code = f"import sys; sys.modules['pyarrow'] = sys.modules['orjson'] = None; from gradcli.cli import main; raise SystemExit(main(['fit', 'y ~ a*x', *{args!r}, 'a=1']))"
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=clean, cwd=tmp_path)

    done = fit("u.csv", "--predict", "t.csv")
    assert done.returncode == 1 and done.stdout.splitlines()[::3] == ["x,y,predicted,stderr", "q,1,,"], done
    assert done.stderr.startswith("t.csv:4: column x: 'q' is not a number\n")
    for args in (("t.csv.gz",), ("t.parquet",), ("t.jsonl",), ("u.csv", "--predict", "u.csv", "-o", "out.tsv")):
        done = fit(*args)
        assert (done.returncode, done.stdout) == (1, "") and "pip install 'gradcli[batch]'" in done.stderr, done


def test_what_a_sheet_raises_is_ours(tmp_path):
    with pytest.raises(GradcliError, match="cannot read"):
        read_sheet(str(tmp_path / "none.csv"))
