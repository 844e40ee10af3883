"""Tables to learn from: numbers as in the language, and the place of every mistake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import FileError, UsageError
from gradcli.files.samples import columns, labels, number, read_table
from gradcli.text import shortest


@pytest.mark.parametrize("cell", ["1", " -2.5 ", ".5", "5.", "1e-3", "+2E+3", "\t7"])
def test_numbers(cell):
    assert number(cell) == float(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "",
        " ",
        "1_000",
        "1,5",
        "１２",
        "٣",
        "0x10",
        "nan",
        "inf",
        "1e999",
        "1e",
        "--1",
        "1 2",
        "x",
        "1\n2",
        "1\u2028",
        "1\xa0",
    ],
)
def test_what_is_no_number(cell):
    assert number(cell) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_that_is_printed_is_read(value):
    assert number(shortest(value)) == value


def test_cells_rows_and_their_text():
    table = read_table('a,"b, c"\n1,"2"\n\n 3 ,4\n', "t.csv")
    assert table.header.cells == ["a", "b, c"]
    assert [(row.line, row.cells, row.text) for row in table.rows] == [
        (2, ["1", "2"], '1,"2"'),
        (4, [" 3 ", "4"], " 3 ,4"),
    ]
    assert columns(table, ["b, c", "a"]) == [[2, 4], [1, 3]]


def test_tabs_by_the_name_or_the_header():
    assert read_table("a\tb\n1\t2\n", "t.tsv").rows[0].cells == ["1", "2"]
    assert read_table("a\tb\n1\t2\n", "standard input").delimiter == "\t"
    assert read_table("a\n1\n", "t.tsv").header.cells == ["a"]


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0c", "\x0b", "\x1c"])
def test_only_a_line_break_ends_a_row(sign):
    table = read_table(f"a,b\n1{sign},2\r\n3,4", "t.csv")
    assert [row.cells for row in table.rows] == [[f"1{sign}", "2"], ["3", "4"]]


def test_a_quoted_cell_may_run_over_lines():
    table = read_table('a,b\n"x\ny",2\nz,bad\n', "t.csv")
    assert table.rows[0].text == '"x\ny",2'
    with pytest.raises(FileError, match=r"t.csv line 4, column b: \"bad\" is not a number"):
        columns(table, ["b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("a,a\n1,2\n", 'line 1: two columns are called "a"'),
        ('a,b\n1,"2\n', "line 2: unexpected end of data"),
        ('a,b\n1,"2"3\n', "line 2"),
        ("a,b\n1,2\n3\n", "line 3: 1 cells, where the header has 2"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 cells"),
        ("a,b\n1,\n", "line 2, column b: is empty"),
        ("a,b\n1,1_000\n", 'line 2, column b: "1_000" is not a number'),
        ("a,b\n1,\x1b[31m\n", r"\x1b[31m"),
    ],
)
def test_mistakes_have_a_place(text, message):
    with pytest.raises(FileError) as caught:
        columns(read_table(text, "t.csv"), ["b"])
    assert message in caught.value.message and caught.value.message.startswith("t.csv")


def test_a_column_that_is_not_there():
    with pytest.raises(UsageError) as caught:
        columns(read_table("width,height\n1,2\n", "t.csv"), ["widht"])
    assert "width" in caught.value.hint
    with pytest.raises(FileError, match="column a: is empty"):
        labels(read_table("a,b\n,2\n", "t.csv"), "a")
