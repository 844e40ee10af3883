"""Rows in files: where records end, that the quick and the careful way of reading agree, and that cells stay as they are."""

import csv
import io
import json
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.errors import FileError, UsageError
from gradcli.files import (
    arrow_texts,
    csv_plain,
    csv_reader,
    csv_records,
    csv_writer,
    json_columns,
    json_reader,
    json_writer,
    record_batches,
)
from gradcli.files.arrow_texts import number_texts, texts
from gradcli.files.atomic import whole
from gradcli.files.csv_records import Block, Layout, blocks, header, quotes_of, record_end
from gradcli.files.formats import format_of, open_table
from gradcli.files.map import Wanted, prepare
from gradcli.files.rows import compute, plan
from gradcli.files.streams import PIECE, in_order, pieces
from gradcli.files.table import Bad, Results
from gradcli.text import json_number, shortest

XY = Layout("t.csv", ",", ("x", "y"))


# ------------------------------------------------------------------------------------------------ records


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (b"", 0),
        (b"1,2", 0),
        (b"1,2\n", 4),
        (b"1,2\n3", 4),
        (b'"a\nb",2\n', 8),
        (b'1,2\n"a\nb', 4),
        (b'"a\nb', 0),
        (b'"a""\n""b",2\n', 12),
        (b'5" pipe,2\n', 10),
        (b'5" pipe,2\n6" pipe,"3\n', 10),
        (b'x"",1\n"a\n', 6),
        (b'"a" ,1\n', 7),
        (b'1,"2"\r\n', 7),
    ],
)
def test_where_the_last_whole_record_ends(data, end):
    assert record_end(XY, data, 1) == end


@pytest.mark.parametrize("text", ['"a"', 'b,"a"', '"a","b"', '""', '"a""b"', '""""', 'x,"a\nb"\ny'])
def test_quotes_that_every_reader_understands(text):
    assert quotes_of(text.encode() + b"\n", ",") is not None


@pytest.mark.parametrize("text", ['5" pipe', 'a "b" c', '"a" ,b', '"a"b', 'x""', ' "a"'])
def test_quotes_that_need_care(text):
    assert quotes_of(text.encode() + b"\n", ",") is None


CELLS = st.text(alphabet='ab1.", \n\r;\té', max_size=6)
TABLES = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8)


def as_csv(table, ending="\n"):
    out = io.StringIO()
    csv.writer(out, lineterminator=ending).writerows(table)
    return out.getvalue()


@given(TABLES, st.integers(1, 30), st.sampled_from(["\n", "\r\n"]))
def test_blocks_hold_whole_records_however_the_file_comes(table, size, ending):
    """The cells in the blocks are those of the file, wherever it is cut, and the line numbers fit."""
    data = as_csv(table, ending).encode()
    found, line = [], 1
    for block in blocks(XY, (data[i : i + size] for i in range(0, len(data), size)), 1):
        assert block.line == line
        line += block.data.count(b"\n")
        found += csv.reader(io.StringIO(block.data.decode(), newline=""))
    assert found == list(csv.reader(io.StringIO(data.decode(), newline="")))


def test_a_last_line_without_an_end_gets_one():
    assert [block.data for block in blocks(XY, [b"1,2\n3,4"], 2)] == [b"1,2\n", b"3,4\n"]


def test_a_quote_that_is_never_closed():
    with pytest.raises(FileError, match=r"t\.csv:3: a quote that is opened here is never closed"):
        list(blocks(XY, [b'1,2\n"3,4\n5,6\n'], 2))


def test_a_carriage_return_alone():
    with pytest.raises(FileError, match=r"t\.csv:2: a carriage return that no line feed follows"):
        csv_reader.rows(XY, Block(b"1,2\r3,4\n", 2), {"x": "x"})


def test_a_long_record_is_not_looked_through_at_every_piece(monkeypatch):
    calls = []
    monkeypatch.setattr(csv_records, "record_end", lambda *args: calls.append(1) or record_end(*args))
    cell = b"a" * (PIECE // 16)
    found = list(blocks(XY, [b'"', *[cell + b"\n"] * 64, b'",1\n2,3\n'], 1))
    assert [block.data.count(b"\n") for block in found] == [66]
    assert len(calls) < 24  # of 66 pieces: as many as are short, and then at each doubling


@pytest.mark.parametrize(
    ("source", "head", "rest"),
    [
        ([b"x,y\n1,2\n"], b"x,y\n", (b"1,2\n", 2)),
        ([b"x", b",y\n", b"1,2\n"], b"x,y\n", (b"", 2)),
        ([b"\n\r\n", b"x,y\r\n1"], b"x,y\r\n", (b"1", 4)),
        ([b'"x\n1",y\n1,2\n'], b'"x\n1",y\n', (b"1,2\n", 3)),
        ([b"\xef\xbb\xbfx,y\n1,2\n"], b"\xef\xbb\xbfx,y\n", (b"1,2\n", 2)),
        ([b"x,y"], b"x,y\n", (b"", 2)),
        ([b"x" * 40_000 + b",y\n1,2\n"], b"x" * 40_000 + b",y\n", (b"1,2\n", 2)),
        ([b"\n" * 20_000 + b'"x\n1",y\n1,2\n'], b'"x\n1",y\n', (b"1,2\n", 20_003)),
    ],
)
def test_headers(source, head, rest):
    found, block, start = header(Layout("t.csv", ","), iter(source))
    assert (found, tuple(block)) == (head, rest)
    assert b"".join(source)[start:].startswith(block.data)


@pytest.mark.parametrize("source", [[], [b""], [b"\n\n"]])
def test_no_header(source):
    with pytest.raises(FileError, match=r"t\.csv has no header"):
        header(Layout("t.csv", ","), iter(source))


# ----------------------------------------------------------------------------------- the quick and the careful way

GOOD = ["1", "-2.5", " 3 ", "\t3", "+4", "1e3", "5.", ".5", "007", "1e-400", "9007199254740993", '"5"', "inf", "+INF"]
EMPTY = ["", " ", "nan", "-NaN", "NA", "null", '""']
WRONG = ["abc", "1_0", "0x10", "0x1p3", "1e400", "1,5", "１", "−3", "1e", ".", "+", "++4", "- 3", "1f", "1d3", "true"]
STRANGE = ["\x0b3", "\x0c3", "3\x00", "\xa03", "3\u2003", "\ufeff3", "infin", "-infinity", "+nan", "nan(1)"]
NUMBERS = st.sampled_from([*GOOD, *EMPTY, *WRONG, *STRANGE])
WORDS = st.sampled_from(["a", "", '"b,c"', '"d""e"', "é", '"f\ng"', 'h"i', " ", '"j"'])
LINES = st.one_of(
    st.tuples(NUMBERS, WORDS, NUMBERS).map(",".join), st.sampled_from(["", "1", "1,2", "1,2,3,4", '"k"l,1,2', "1,x,2"])
)
LAYOUT = Layout("t.csv", ",", ("x", "note", "y"))
BATCH = plan("x*y", ["x", "y"])
USED = {"x": "x", "y": "y"}


def output(rows):
    found = compute(BATCH, rows.numbers, rows.length, rows.bad)
    return b"".join(csv_writer.appended(rows, found, ",", 3)), dict(found.bad), list(rows.lines)


@settings(max_examples=400)
@given(st.lists(LINES, min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_both_ways_of_reading_give_the_same_bytes_and_reasons(lines, ending):
    block = Block("".join(line.replace("\n", ending) + ending for line in lines).encode(), 2)
    quick = csv_plain.plain_rows(LAYOUT, block, USED)
    careful = csv_reader.careful_rows(LAYOUT, block, USED)
    if quick is not None:
        assert output(quick) == output(careful)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1,a,2\n3,b,4\n", True),
        ("1,a,2\r\n3,b,4\r\n", True),
        ('1,"a, b",2\n', True),
        ('"1","a ""b""","2"\n', True),
        ("1,a,\n3,b,nan\n", True),  # two bad rows, looked at again one by one
        ("1,é,2\n", True),
        ("1,a,2\n\n", False),
        ("1,a\n", False),
        ('1,"a\nb",2\n', False),
        ("+1,a,2\n", True),
        ("x,a,2\n", False),
        ("1,a,2\r\n3,b,4\n", False),
        ('1,5" pipe,2\n', False),
    ],
)
def test_which_blocks_are_read_the_quick_way(text, plain):
    assert (csv_plain.plain_rows(LAYOUT, Block(text.encode(), 2), USED) is not None) == plain


@pytest.mark.parametrize(
    ("line", "added"),
    [
        ("1,a,2", "1,a,2,2,2,1"),
        ("1,a,x", "1,a,x,,,"),
        ("1", "1,,,,,"),
        ("1,a,2,surplus,more", "1,a,2,,,,surplus,more"),
        ('1,"a,b",2,"c,d"', '1,"a,b",2,,,,"c,d"'),
        ('1,"a\nb",2', '1,"a\nb",2,2,2,1'),
        (' 01 ,"a""b", 2', ' 01 ,"a""b", 2,2,2,1'),
        ('"k"l,1,2', '"k"l,1,2,,,'),
    ],
)
def test_cells_stay_as_they_are(line, added):
    assert output(csv_reader.rows(LAYOUT, Block(line.encode() + b"\n", 2), USED))[0].decode() == added + "\n"


def test_reasons_and_lines():
    text = '1,"a\nb",2\n\nx,a,2\n1\n1,a,\n"1"2,a,2\n'
    bad = output(csv_reader.rows(LAYOUT, Block(text.encode(), 2), USED))[1:]
    assert bad == (
        {
            1: Bad("x", "'x' is not a number"),
            2: Bad("", "1 cell, where the header has 3"),
            3: Bad("y", "the cell is empty"),
            4: Bad("", "text after a closing quote"),
        },
        [2, 5, 6, 7, 8],
    )


def test_not_utf8():
    with pytest.raises(FileError, match=r"t\.csv is not UTF-8: byte 0xE9 in line 3"):
        csv_reader.rows(LAYOUT, Block(b"1,a,2\n1,\xe9,2\n", 2), USED)


# ------------------------------------------------------------------------------------------------------ numbers


@given(st.lists(st.floats(), min_size=1, max_size=50), st.sampled_from([",", "\t"]))
def test_new_cells_are_the_shortest_digits(numbers, delimiter):
    bad = {0: Bad("x", "")} if len(numbers) > 3 else {}
    (column,) = texts(Results((np.array(numbers),), bad), len(numbers), delimiter)
    assert column.to_pylist() == [delimiter + ("" if row in bad else shortest(x)) for row, x in enumerate(numbers)]


def test_many_new_cells_are_the_shortest_digits():
    rng = np.random.default_rng(1)
    numbers = np.concatenate([10 ** rng.uniform(-3, 15, 5000), rng.integers(0, 2**63, 100).view(float)])
    (column,) = texts(Results((numbers,), {}), len(numbers), ",")
    assert column.to_pylist() == ["," + shortest(x) for x in numbers.tolist()]


@pytest.mark.parametrize("kinds", ["ff", "fif", "iff", "ffi", "ii", "fiifi"])
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_new_cells_of_several_columns(kinds, delimiter):
    """Columns of fractions, here and there with what is written one by one, beside columns of whole numbers."""
    rng = np.random.default_rng(1)
    columns = [rng.uniform(-3, 3, 400) if kind == "f" else rng.integers(-9, 9, 400).astype(float) for kind in kinds]
    columns[0][[0, 7, 399]] = [1e-300, np.nan, -0.0]
    found = texts(Results(tuple(columns), {7: Bad("x", ""), 8: Bad("x", "")}), 400, delimiter)
    joined = ["".join(cells) for cells in zip(*[array.to_pylist() for array in found], strict=True)]
    assert joined == [
        "".join(delimiter + ("" if row in (7, 8) else shortest(column[row])) for column in columns)
        for row in range(400)
    ]


@given(
    st.lists(st.tuples(st.floats(), st.none() | st.floats() | CELLS), min_size=1, max_size=20),
    st.sampled_from([",", "\t"]),
    st.booleans(),
)
def test_texts_are_the_same_without_arrow(rows, delimiter, bad):
    objects = np.empty(len(rows), dtype=object)
    objects[:] = [cell for _, cell in rows]
    numbers = np.array([number for number, _ in rows])
    results = Results((numbers, objects, numbers), {0: Bad("x", "")} if bad else {})
    arrow = [
        "".join(cells) for cells in zip(*[c.to_pylist() for c in texts(results, len(rows), delimiter)], strict=True)
    ]
    plain = csv_writer.plain_texts(results, len(rows), delimiter)
    assert arrow == ["".join(cells) for cells in zip(*plain, strict=True)]


@given(st.lists(st.one_of(st.none(), st.floats()), min_size=1, max_size=50))
def test_arrow_numbers_as_text(numbers):
    column = number_texts(pa.array(numbers, pa.float64()))
    assert column.to_pylist() == [None if x is None else shortest(x) for x in numbers]


# --------------------------------------------------------------------------------------------------- JSON Lines


def json_rows(text):
    return json_reader.rows(Layout("t.jsonl", ""), Block(text.encode(), 1), {"x": "x"})


@pytest.mark.parametrize(
    ("line", "number"),
    [('{"x": 3}', 3), ('{"x":1.50}', 1.5), ('{"x": -1E2}', -100), ('{"x": "Infinity"}', np.inf), ('{"x": 1, "y": [1, {"z": 2}]}', 1)],
)  # fmt: skip
def test_json_numbers(line, number):
    rows = json_rows(line + "\n")
    assert rows.numbers["x"].tolist() == [number] and rows.bad == {}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"x": true}', "'true' is not a number"),
        ('{"x": null}', "'null' is not a number"),
        ('{"x": "3"}', "the text '3' is not a number"),
        ('{"x": [3]}', "is not a number"),
        ('{"x": 1e400}', "too large"),
        ('{"x": ' + "9" * 5000 + "}", "too large"),
        ('{"y": 3}', "the key is missing"),
        ("[3]", "'[3]' is not an object"),
        ("3", "'3' is not an object"),
        ('{"x": NaN}', "NaN is not JSON"),
        ('{"x": 1', "not JSON"),
        ("{x: 1}", "not JSON"),
        ('{"x": 1} {"x": 2}', "not JSON"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_json_that_is_no_number(line, reason):
    rows = json_rows(line + "\n")
    assert list(rows.bad) == [0] and reason in rows.bad[0].reason


def test_a_key_twice():
    with pytest.raises(FileError, match=r"t\.jsonl:2: the key x is there twice"):
        json_rows('{"x": 1}\n{"x": 1, "x": 2}\n')


def test_json_rows_stay_as_they_are():
    rows = json_rows('{"x":1.50, "big": 12345678901234567890 }\n\n {}\r\n[1]\n')
    found = compute(plan("2*x", ["x"], wrt=[]), rows.numbers, rows.length, rows.bad)
    assert json_writer.appended(rows, found, ["value"], str).decode().splitlines() == [
        '{"x":1.50, "big": 12345678901234567890, "value": 3.0}',
        '{"value": null}',
        '{"value": null}',
    ]
    assert list(rows.lines) == [1, 3, 4]


def test_no_new_fields():
    rows = json_rows('{"x": 1}\n{}\n')
    assert json_writer.appended(rows, Results((), {}), [], str).decode() == '{"x": 1}\n{}\n'


def test_a_field_would_be_overwritten():
    rows = json_rows('{"x": 1, "value": 2}\n')
    with pytest.raises(FileError, match="row 0: there is a key value already"):
        json_writer.appended(rows, Results((np.array([1.0]),), {}), ["value"], "row {}".format)


ODD_NUMBERS = [
    "-0",
    "0",
    "-0.0",
    "1e400",
    "1E-400",
    "12345678901234567890",
    "9" * 400,
    "-5",
    "1.50",
    "01",
    "NaN",
    "5e-324",
]
json_keys = st.sampled_from(["x", "y", "value", "n\u0303", "\u00f1", "", "a:b", 'a"', "a\\b", "%s"])
json_cells = st.one_of(
    st.sampled_from(ODD_NUMBERS),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
    st.integers().map(json.dumps),
    st.text().map(json.dumps),
    st.text().map(lambda text: json.dumps(text, ensure_ascii=False)).filter(lambda text: text.isprintable()),
    st.sampled_from(["true", "null", "[]", '{"x": 1}', '{"x": 1, "x": 2}', '["a", "b"]', '"-0"', '"Infinity"']),
)
json_objects = st.lists(st.tuples(json_keys.map(json.dumps), json_cells), max_size=4).map(
    lambda fields: "{" + ", ".join(f"{key}: {cell}" for key, cell in fields) + "}"
)


@settings(max_examples=400)
@given(st.lists(json_objects, max_size=4), st.booleans())
def test_plain_objects_are_read_as_by_the_careful_way(lines, text):
    """The same numbers, bits and all, the same reasons, the same cells, or the same error."""

    def read(plain):
        with pytest.MonkeyPatch.context() as patch:
            if not plain:
                patch.setattr(json_reader, "plain_object", lambda text, loads: None)
            try:
                rows = json_rows("".join(line + "\n" for line in lines))
                kinds = json_columns.kinds_of(rows.kept)
                made = json_columns.as_texts(rows, kinds, str) if text else json_columns.as_typed(rows, kinds, {}, str)
                cells = kinds, made.to_pylist()
            except FileError as problem:
                return problem.message
        return [repr(x) for x in rows.numbers["x"].tolist()], sorted(rows.bad.items()), rows.lines, repr(cells)

    assert read(plain=True) == read(plain=False)


@given(st.lists(st.floats(), max_size=20))
def test_json_numbers_are_written_as_the_standard_library_does(numbers):
    found = Results((np.array(numbers, float), np.array(numbers, float)), {0: Bad("x", "")} if len(numbers) > 3 else {})
    rows = json_rows("{}\n" * len(numbers))
    written = json_writer.appended(rows, found, ["a%s", "b"], str).decode().splitlines()
    for row, (number, line) in enumerate(zip(numbers, written, strict=True)):
        cell = "null" if row in found.bad else json.dumps(json_number(number))
        assert line == f'{{"a%s": {cell}, "b": {cell}}}'


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text() | st.integers(), lambda one: st.lists(one) | st.dictionaries(st.text(), one), max_leaves=9))  # fmt: skip
def test_strict_json_reads_back(value):
    def refuse(word):
        raise AssertionError(word)

    text = json_writer.strict(value)
    read = json.loads(text, parse_constant=refuse)
    if isinstance(value, str | int | None):
        assert read == value


def test_json_cells_keep_their_digits_as_text():
    rows = json_rows('{"x": 1.50, "a": [1.0, {"b": 2e5}], "t": "é", "n": null, "b": true}\n')
    cells = json_columns.as_texts(rows, ("x", "a", "t", "n", "b"), str).to_pylist()
    assert cells == [{"x": "1.50", "a": '[1.0, {"b": 2e5}]', "t": "é", "n": None, "b": "true"}]


def test_json_cells_with_types():
    rows = json_rows('{"x": 1, "b": true, "t": "a"}\n{"x": 2.5, "t": 3}\n')
    kinds = json_columns.kinds_of(rows.kept)
    assert kinds == {"x": float, "b": bool, "t": str}
    cells = json_columns.as_typed(rows, kinds, {}, str)
    assert cells.to_pylist() == [{"x": 1, "b": True, "t": "a"}, {"x": 2.5, "b": None, "t": "3"}]
    assert cells.schema.types == [pa.float64(), pa.bool_(), pa.string()]
    assert cells.schema == record_batches.schema_of(kinds)


@pytest.mark.parametrize(
    ("cell", "kind"),
    [("1", float), ("-0", float), ("1.5e-3", float), ("9007199254740992", float), ("9007199254740993", str),
     ("1e400", str), ("123456789012345678901234567890", str), ("true", bool), ('"1"', str), ("[1]", str)],
)  # fmt: skip
def test_a_column_that_holds_a_cell_exactly(cell, kind):
    assert json_columns.kinds_of(json_rows(f'{{"f": {cell}}}\n{{"f": null}}\n').kept) == {"f": kind}


@pytest.mark.parametrize(("kind", "cell"), [(float, "true"), (float, '"007"'), (float, "1e400"), (bool, "1")])
def test_a_cell_that_its_column_cannot_hold(kind, cell):
    rows = json_rows(f'{{"f": {cell}}}\n')
    with pytest.raises(FileError, match=r"0: f is .*, and .* in the rows before"):
        json_columns.as_typed(rows, {"f": kind}, {}, str)
    assert json_columns.as_typed(rows, {"f": kind}, {"f": np.array([np.nan])}, str).to_pylist() == [{"f": None}]


def test_a_field_without_a_column():
    rows = json_rows('{"x": 1}\n{"x": 1, "z": 2}\n')
    with pytest.raises(FileError, match="1: z is not a column"):
        json_columns.as_texts(rows, ("x",), str)


# --------------------------------------------------------------------------------------------- cells as CSV


def test_cells_of_any_type_as_csv():
    cells = pa.RecordBatch.from_pydict(
        {
            "f": [1.0, 1e-7], "i": [1, None], "t": ['a "b"', "c,d"], "b": [True, False], "l": [[1.5, float("inf")], None],
            "d": pa.array([0, 1], pa.date32()), "y": [b"x", b"\xff"], "e": pa.array(["p", "q"]).dictionary_encode(),
        }
    )  # fmt: skip
    out = b"".join(arrow_texts.delimited(cells, Results((np.array([0.5, 1]),), {1: Bad("", "")}), ",")).decode()
    assert list(csv.reader(io.StringIO(out))) == [
        ["1", "1", 'a "b"', "true", '[1.5, "Infinity"]', "1970-01-01", '"x"', "p", "0.5"],
        ["1e-07", "", "c,d", "false", "", "1970-01-02", '"\\\\xff"', "q", ""],
    ]


@given(TABLES)
def test_cells_written_as_csv_read_back(table):
    cells = pa.RecordBatch.from_arrays([pa.array(column) for column in zip(*table, strict=True)], names=["x", "y"])
    out = b"".join(arrow_texts.delimited(cells, Results((np.ones(len(table)),), {}), ",")).decode()
    assert list(csv.reader(io.StringIO(out, newline=""))) == [[*row, "1"] for row in table]


# ---------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("path", "form"),
    [("a.csv", "csv"), ("a.CSV", "csv"), ("a.tsv.gz", "tsv"), ("a.jsonl.zst", "jsonl"), ("a.parquet", "parquet"), ("a.txt", None), ("a.gz", None), ("csv", None)],
)  # fmt: skip
def test_formats_by_ending(path, form):
    assert format_of(path) == form


def test_unknown_ending():
    with pytest.raises(UsageError, match=r"a\.txt may be in any format"):
        open_table("a.txt", None)


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_compressed_pieces(tmp_path, codec):
    path = tmp_path / ("a.csv" + {"gzip": ".gz", "zstd": ".zst"}[codec])
    data = b"x,y\n" + b"1,2\n" * 100_000
    path.write_bytes(pa.compress(data[:1000], codec, asbytes=True) + pa.compress(data[1000:], codec, asbytes=True))
    assert b"".join(pieces(str(path))) == data


def test_a_compressed_file_that_is_cut_off(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(pa.compress(b"x,y\n" + b"1,2\n" * 1000, "gzip", asbytes=True)[:-20])
    with pytest.raises(FileError, match="cannot read"):
        list(pieces(str(path)))


def test_titles_and_aliases(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(" x ,my value,%,\n1,2,3,4\n")
    table = open_table(str(path), None)
    assert table.names == ("x", "my value", "%", "")
    batch, used = prepare(Wanted("x*v", aliases={"my value": "v"}), table)
    assert used == {"x": "x", "v": "my value"} and batch.new == ("value", "d_x", "d_v")
    with pytest.raises(UsageError, match="has no column your value"):
        prepare(Wanted("x*v", aliases={"your value": "v"}), table)
    with pytest.raises(UsageError, match="there is a column x already"):
        prepare(Wanted("x", aliases={"my value": "x"}), table)


def test_a_whole_file_or_none(tmp_path):
    path = tmp_path / "a"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt), whole(str(path)) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_text() == "before" and len(list(tmp_path.iterdir())) == 1
    with whole(str(path)) as file:
        file.write(b"after")
    assert path.read_text() == "after" and len(list(tmp_path.iterdir())) == 1


# ------------------------------------------------------------------------------------------------- in order


def test_results_come_in_order():
    def work(number):
        time.sleep(0.002 * (number % 3))
        return number

    assert list(in_order(range(50), work, 4)) == list(range(50))


def test_a_result_does_not_wait_for_the_next_piece():
    asked = threading.Event()

    def source():
        yield 1
        assert asked.wait(10)
        yield 2

    results = in_order(source(), lambda number: number, 2)
    assert next(results) == 1  # while the source waits
    asked.set()
    assert list(results) == [2]


def test_few_pieces_are_read_ahead():
    read = []

    def source():
        for number in range(1000):
            read.append(number)
            yield number

    results = in_order(source(), lambda number: number, 2)
    next(results)
    time.sleep(0.1)
    assert len(read) < 10
    results.close()


@pytest.mark.parametrize("where", ["source", "work"])
def test_an_error_comes_where_its_turn_is(where):
    def source():
        yield from range(3)
        if where == "source":
            raise FileError("broken")
        yield 3

    def work(number):
        if number == 3:
            raise FileError("broken")
        return number

    seen = []
    with pytest.raises(FileError, match="broken"):
        seen.extend(in_order(source(), work, 2))
    results = in_order(source(), work, 2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(FileError):
        next(results)
