"""CSV and TSV as file formats: cells of text between commas or tabs, below a header."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import IO, Any

from gradcli.extras import require_extra
from gradcli.language.scope import normal

from . import csv_reader, csv_writer
from .csv_records import BOM, Layout, blocks, header, lines_of
from .streams import decoded, pieces, size_of, writer_of
from .table import Encode, Format, New, Results, Rows, Table, check_names, unchecked
from .text_spans import spans, within

DELIMITERS = {"csv": ",", "tsv": "\t"}


def _open(name: str, path: str, sure: bool) -> Table:
    """The table in a CSV or TSV file; where it is not `sure`, a header with tabs and without commas makes it TSV.

    Raises FileError where there is no header, UsageError for a column twice.
    """
    size = size_of(path)
    line, source = _first_line(pieces(path))
    if not sure and b"\t" in line and b"," not in line:
        name = TSV.name
    layout = Layout(path, DELIMITERS[name])
    head, rest, start = header(layout, source)
    (cells,) = csv.reader(lines_of(decoded(path, head.removeprefix(BOM), 1)), delimiter=layout.delimiter)
    names = tuple([normal(cell.strip()) for cell in cells])
    check_names(path, names)
    layout = layout._replace(names=names, ending=b"\r\n" if head.endswith(b"\r\n") else b"\n")
    several = blocks(layout, chain([rest.data], source), rest.line)
    return Table(
        path, FORMATS[name], names, (head, layout.ending), several, partial(csv_reader.rows, layout), size, start
    )


def _first_line(source: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first line that is not blank, and the source with all that it had."""
    data = b""
    for piece in source:
        data += piece
        if b"\n" in data.lstrip(b"\r\n") or b"\r" in data.lstrip(b"\r\n")[:-1]:
            break
    source = chain([data], source)
    if b"\r" in data and b"\n" not in data:  # as the Macintosh had it before 2001
        data, source = data.replace(b"\r", b"\n"), (piece.replace(b"\r", b"\n") for piece in source)
    return data.lstrip(b"\r\n").partition(b"\n")[0], source


def _column(table: Table, rows: Rows, title: str) -> Sequence[str | None]:
    index = table.names.index(title)
    if isinstance(rows.kept, list):
        return [record.cells[index] if index < len(record.cells) else None for record in rows.kept]
    cells: list[str | None] = _cells(rows).column(index).to_pylist()
    return cells


def _cells(rows: Rows) -> Any:
    assert rows.cells is not None
    return rows.cells()


def _schema(first: Table, _: Mapping[str, str]) -> Any:
    from .record_batches import schema_of

    return schema_of(dict.fromkeys(first.names, str))


def _append(delimiter: str, first: Table, new: New, _: Mapping[str, str]) -> Encode:
    width = len(first.names)
    return lambda table, rows, results: csv_writer.appended(rows, results, delimiter, width)


def _convert(delimiter: str, first: Table, new: New, _: Mapping[str, str]) -> Encode:
    require_extra("batch", "pyarrow", "orjson")
    from .arrow_texts import delimited

    def encode(table: Table, rows: Rows, results: Results) -> list[Any]:
        return delimited(table.format.cells(table, rows, first.names), results, delimiter)

    return encode


@contextmanager
def _writer(
    name: str, file: IO[bytes], path: str, first: Table, new: New, _: Mapping[str, str]
) -> Iterator[Callable[[Any], None]]:
    """A writer that begins with the header, which is as it was where the rows are."""
    delimiter, write = DELIMITERS[name], writer_of(file)
    head, ending = csv_writer.header(first.names, delimiter), b"\n"
    if first.format is FORMATS[name]:
        head, ending = first.head
    added = csv_writer.header(list(new), delimiter)
    write([delimiter.encode().join(filter(None, [head.rstrip(b"\r\n"), added])), ending])
    yield write


def _format(name: str, delimiter: str) -> Format:
    return Format(
        name,
        open=partial(_open, name),
        check=unchecked,
        column=_column,
        cells=lambda table, rows, titles: _cells(rows),
        typed=lambda table, rows, first, used: _cells(rows),
        schema=_schema,
        spans=spans,
        within=within,
        append=partial(_append, delimiter),
        convert=partial(_convert, delimiter),
        writer=partial(_writer, name),
        untyped=True,
    )


FORMATS = {name: _format(name, delimiter) for name, delimiter in DELIMITERS.items()}
CSV, TSV = FORMATS.values()
