"""The text formats through the core: opened from any source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from .._io.log import warn
from .._io.sources import AnySource
from .opener import open_source, read_keywords
from .text_options import Text, is_tabbed

if TYPE_CHECKING:
    from .csv import CsvOptions
    from .json import JsonOptions, NdjsonOptions
    from .yaml import YamlOptions


def open_text(where: AnySource, made: Text, options: _core.ReadOptions) -> _core.File:
    """The opened source. Text is decoded when it is opened, so what was left out is known now."""
    file = open_source(where, made, options)
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


def json_options(made: JsonOptions, name: str | None = None) -> _core.JsonReadOptions:
    """The core's options of reading JSON."""
    return _core.JsonReadOptions(
        orient=made.orient,
        allow_nonfinite=made.allow_nonfinite,
        big_ints=made.big_ints,
        encoding=made.encoding,
        **read_keywords(made),
    )


def ndjson_options(made: NdjsonOptions, name: str | None = None) -> _core.NdjsonReadOptions:
    """The core's options of reading NDJSON."""
    return _core.NdjsonReadOptions(
        allow_nonfinite=made.allow_nonfinite, big_ints=made.big_ints, encoding=made.encoding, **read_keywords(made)
    )


def yaml_options(made: YamlOptions, name: str | None = None) -> _core.YamlReadOptions:
    """The core's options of reading YAML."""
    return _core.YamlReadOptions(orient=made.orient, encoding=made.encoding, **read_keywords(made))


def csv_options(made: CsvOptions, name: str | None = None) -> _core.CsvReadOptions:
    """The core's options of reading CSV. `name`: that of the source, whose suffix may say the delimiter."""
    as_they_are = (
        "quotechar escapechar doublequote comment decimal thousands keep_default_na header_rows skip_rows date_format "
        "on_error big_ints schema"
    )
    index_columns = made.index_columns
    return _core.CsvReadOptions(
        delimiter=made.delimiter or ("\t" if is_tabbed(name) else None),
        # A mark at the beginning is told by itself.
        encoding=made.encoding.removesuffix("-sig"),
        na_values=list(made.na_values),
        index_columns=index_columns if isinstance(index_columns, int) or index_columns is None else list(index_columns),
        dtypes=list((made.dtypes or {}).items()),
        dates=made.dates if isinstance(made.dates, bool) else list(made.dates),
        **{option: getattr(made, option) for option in as_they_are.split()},
        **read_keywords(made),
    )
