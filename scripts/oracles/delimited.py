"""CSV against Python's csv, pyarrow and the crate `csv`: every cell as text, no names, no null values."""

import csv
import io
import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.csv

import colonnade as cn
from colonnade.testing._arrow_cells import cells

from . import crates
from .outcomes import File, NotCompared, Peer, Refused
from .texts import text_of

Rows = list[list[str]]
HEADER = "# colonnade: {"
MOST_COLUMNS = 5000


@dataclass(frozen=True)
class Dialect:
    """How lines are cut into cells."""

    sep: str = ","
    escape: str | None = None
    encoding: str = "utf-8"


# By the byte of the fuzzer's input, as the list of options in fuzz/src/options.rs.
DIALECTS = {
    3: Dialect(sep=";"),
    6: Dialect(sep="|"),
    7: Dialect(encoding="utf-16"),
    8: Dialect(encoding="latin-1"),
    9: Dialect(escape="\\"),
}


def dialect_of(file: File) -> Dialect:
    """The dialect of an input: Colonnade's header names the delimiter, the first byte chooses it otherwise."""
    named = re.match(rb'# colonnade: \{.*"delimiter":"(.)"', file.content)
    return Dialect(sep=named[1].decode("latin-1")) if named else DIALECTS.get(file.choice % 18, Dialect())


def our_rows(file: File) -> Rows:
    """The records as Colonnade reads them."""
    dialect = dialect_of(file)
    frame = cn.decode(
        file.content,
        "csv",
        header=None,
        dtype=str,
        keep_default_na=False,
        parse_dates=False,
        schema="ignore",
        sep=dialect.sep,
        escapechar=dialect.escape,
        doublequote=dialect.escape is None,
        encoding=dialect.encoding,
        threads=1,
    )
    table = pa.RecordBatchReader.from_stream(frame).read_all()
    columns = [cells(column) for column in table.columns]
    return [["" if cell is None else cell for cell in row] for row in zip(*columns, strict=True)]


def without_header(file: File) -> str:
    """The text behind Colonnade's header, which is no record with `schema="ignore"`."""
    text = text_of(file.content, dialect_of(file).encoding)
    return re.sub(r".*?(\r\n|\r|\n|\Z)", "", text, count=1) if text.startswith(HEADER) else text


def pythons_rows(file: File) -> Rows:
    """The records as Python's csv reads them, if all have as many cells."""
    dialect = dialect_of(file)
    csv.field_size_limit(1 << 30)
    reader = csv.reader(
        io.StringIO(without_header(file), newline=""),
        delimiter=dialect.sep,
        doublequote=dialect.escape is None,
        escapechar=dialect.escape,
        strict=True,
    )
    return of_one_width([row for row in reader if row])


def of_one_width(rows: Rows) -> Rows:
    """The records. Lines of only spaces and tabs are blank before the first one, and in a file of several cells."""
    while rows and is_blank(rows[0]):
        del rows[0]
    width = len(rows[0]) if rows else 0
    kept = [row for row in rows if width == 1 or not is_blank(row)]
    if any(len(row) != width for row in kept):
        raise Refused("records of several lengths")
    return kept


def is_blank(row: list[str]) -> bool:
    """Whether a line has only spaces and tabs."""
    return len(row) == 1 and row[0] != "" and not row[0].strip(" \t")


def pyarrows_rows(file: File) -> Rows:
    """The records as pyarrow reads them."""
    dialect = dialect_of(file)
    content = without_header(file).encode()
    if not re.search(rb"[\r\n]", content):
        content += b"\n"  # pyarrow sees nothing in a single line without an end
    count = min(content.count(dialect.sep.encode()) + 1, MOST_COLUMNS)
    table = pyarrow.csv.read_csv(
        io.BytesIO(content),
        read_options=pyarrow.csv.ReadOptions(
            use_threads=False, autogenerate_column_names=True, block_size=max(len(content), 1024)
        ),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=dialect.sep,
            double_quote=dialect.escape is None,
            escape_char=dialect.escape or False,
            newlines_in_values=True,
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={f"f{number}": pa.large_string() for number in range(count)}, null_values=[]
        ),
    )
    columns = [column.to_pylist() for column in table.columns]
    return of_one_width([list(row) for row in zip(*columns, strict=True)])


def pyarrows_rows_or_none(file: File) -> Rows:
    """The same; pyarrow refuses what has no records."""
    return pyarrows_rows(file) if without_header(file).strip(" \t\r\n") else []


def crates_rows(file: File) -> Rows:
    """The records as the crate reads them. It has escapes inside quotes only."""
    dialect = dialect_of(file)
    if dialect.escape is not None:
        raise NotCompared("an escape outside quotes")
    return of_one_width(crates.csv_records(without_header(file).encode(), dialect.sep))


def difference(ours: Rows, theirs: Rows) -> str | None:
    """The first record that differs."""
    if ours == theirs:
        return None
    for number, (left, right) in enumerate(zip(ours, theirs, strict=False)):
        if left != right:
            return f"record {number}: {left!r:.300}, theirs {right!r:.300}"
    return f"{len(ours)} records, theirs {len(theirs)}"


CSV: dict[str, Peer] = {
    "Python's csv": Peer(our_rows, pythons_rows, difference),
    "pyarrow": Peer(our_rows, pyarrows_rows_or_none, difference),
    "csv (Rust)": Peer(our_rows, crates_rows, difference),
}
