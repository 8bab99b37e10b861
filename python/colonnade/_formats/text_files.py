"""The text formats through the core: opened from any source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from .._io.log import warn
from .._io.sources import AnySource
from .csv_columns import dtype_names, header_lines, index_columns
from .opener import open_source, read_keywords
from .text_options import Text, is_tabbed

if TYPE_CHECKING:
    from .csv import CsvOptions
    from .json import JsonOptions, NdjsonOptions
    from .yaml import YamlOptions


def open_text(where: AnySource, settings: Text, options: _core.ReadOptions) -> _core.File:
    """The opened source. Opening decodes text, so the skipped records are known afterwards."""
    file = open_source(where, settings, options)
    warn_of_losses(file, where.name)
    return file


def warn_of_losses(file: _core.File | _core.Reader, name: str | None) -> None:
    """Nothing is left out in silence."""
    facts = file.facts()
    place = f"{name!r}: " if name else ""
    if facts.get("dropped"):
        warn("%s: %s%s records do not fit and were left out.", file.format, place, f"{facts['dropped']:,}")
    if facts.get("nulled"):
        warn("%s: %s%s values do not fit and are null.", file.format, place, f"{facts['nulled']:,}")


def json_options(options: JsonOptions, name: str | None = None) -> _core.JsonReadOptions:
    """The core's options of reading JSON."""
    return _core.JsonReadOptions(
        orient=options.orient,
        allow_nonfinite=options.allow_nonfinite,
        big_ints=options.big_ints,
        dates=options.parse_dates,
        encoding=options.encoding,
        **read_keywords(options),
    )


def ndjson_options(options: NdjsonOptions, name: str | None = None) -> _core.NdjsonReadOptions:
    """The core's options of reading NDJSON."""
    return _core.NdjsonReadOptions(
        allow_nonfinite=options.allow_nonfinite,
        big_ints=options.big_ints,
        dates=options.parse_dates,
        encoding=options.encoding,
        **read_keywords(options),
    )


def yaml_options(options: YamlOptions, name: str | None = None) -> _core.YamlReadOptions:
    """The core's options of reading YAML."""
    return _core.YamlReadOptions(
        orient=options.orient, dates=options.parse_dates, encoding=options.encoding, **read_keywords(options)
    )


def csv_options(options: CsvOptions, name: str | None = None) -> _core.CsvReadOptions:
    """The core's options of reading CSV. `name`: that of the source, whose suffix may say the delimiter."""
    as_they_are = (
        "quotechar escapechar doublequote comment decimal thousands keep_default_na date_format "
        "on_error big_ints schema"
    )
    skipped, header_rows = header_lines(options.header)
    dtypes, every_dtype = dtype_names(options.dtype)
    return _core.CsvReadOptions(
        delimiter=options.sep or ("\t" if is_tabbed(name) else None),
        # The reader detects a byte order mark.
        encoding=options.encoding.removesuffix("-sig"),
        na_values=list(options.na_values),
        header_rows=header_rows,
        skip_rows=options.skiprows + skipped,
        index_columns=index_columns(options.index_col),
        dtypes=dtypes,
        every_dtype=every_dtype,
        dates=options.parse_dates if isinstance(options.parse_dates, bool) else list(options.parse_dates),
        **{option: getattr(options, option) for option in as_they_are.split()},
        **read_keywords(options),
    )
