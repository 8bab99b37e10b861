"""Opens Parquet files for the requested columns, and skips the other columns in the footer."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .. import _core
from .._frame.axes import Labels
from .._frame.field_paths import Paths
from .._frame.filter_values import field_name, terms
from .._frame.select import Columns
from .._io.sources import AnySource
from .._values.conditions import Condition
from ..errors import ColumnNotFound
from .opener import open_source, read_keywords
from .parquet import ParquetOptions


def open_parquet(where: AnySource, options: ParquetOptions, names: list[str] | None = None) -> _core.File:
    """Open a file with only the columns `names`."""
    try:
        file = _opened(where, options, names)
    except ColumnNotFound:
        if names is not None or where.is_stream or options.conditions is None:
            raise
        # An unknown name in a condition is reported with the nearest ones.
        _refuse_unknown(_opened(where, replace(options, filters=None, categories=None), None), options.conditions)
        raise
    if names is None and options.categories:
        levels = Labels(file.index).names
        # An unknown name is reported with the nearest ones.
        Columns(Labels(file.columns)).positions([name for name in options.categories if name not in levels])
    return file


def parquet_options(options: ParquetOptions, names: list[str] | None = None) -> _core.ParquetReadOptions:
    """The core's options of reading only the columns `names`."""
    return _core.ParquetReadOptions(
        columns=names,
        categories=None if options.categories is None else list(options.categories),
        filters=None if options.conditions is None else terms(options.conditions),
        use_statistics=options.use_statistics is not False,
        statistics_only=options.use_statistics == "only",
        int96_unit=options.int96_unit,
        footer_key=options.footer_key,
        column_keys=None if options.column_keys is None else list(options.column_keys.items()),
        aad_prefix=options.aad_prefix,
        **read_keywords(options),
    )


def _opened(where: AnySource, options: ParquetOptions, names: list[str] | None) -> _core.File:
    return open_source(where, options, parquet_options(options, names))


def _refuse_unknown(file: _core.File, conditions: list[list[Condition]]) -> None:
    levels, columns = Labels(file.index).names, Columns(Labels(file.columns))
    for name in dict.fromkeys(field_name(label) for each in conditions for label, *_ in each):
        if name not in levels and "." not in name:
            columns.of(name)


def open_chosen(where: AnySource, options: ParquetOptions, columns: Any) -> tuple[_core.File, Any]:
    """The opened file, and the labels in it that `columns` are. Of paths in Parquet's own spelling, as
    ``jet.list.element.eta``, they are the columns that they lead into: the others' leaves are passed by.
    """
    names = _names(columns)
    if names is None or where.is_stream:
        return open_parquet(where, options), columns
    # Only the footer is needed for the names. The filters are applied once, to the file that is returned.
    unfiltered = replace(options, filters=None) if options.filters else options
    file, opened, labels = _resolved(where, unfiltered, names, columns)
    if not options.filters:
        return file, labels
    try:
        return open_parquet(where, options, opened), labels
    except ColumnNotFound:
        # A condition's column: the whole file knows the nearest.
        return open_parquet(where, options), labels


def _resolved(
    where: AnySource, options: ParquetOptions, names: list[str], columns: Any
) -> tuple[_core.File, list[str] | None, Any]:
    """The opened file, the names it was opened for (none: all), and the labels in it that `columns` are."""
    try:
        file = open_parquet(where, options, names)
    except ColumnNotFound:
        # The whole file knows which name is the nearest, and labels that are no names of fields.
        return open_parquet(where, options), None, columns
    if not file.facts()["labels_are_names"]:
        return open_parquet(where, options), None, columns
    known = set(Labels(file.columns))
    if all(name in known for name in names):
        return file, names, columns
    whole = open_parquet(where, options)
    try:
        Columns(Labels(whole.columns), Paths(whole.leaf_paths)).chosen(columns)
        return whole, None, columns
    except ColumnNotFound:
        pass
    roots = [name if name in known else _root(name, known) for name in names]
    return (whole, None, columns) if None in roots else (file, names, list(dict.fromkeys(roots)))


def _names(columns: Any) -> list[str] | None:
    """`columns` as names, where all of them are plain text."""
    if isinstance(columns, str):
        return [columns]
    if columns is None or isinstance(columns, bytes) or not isinstance(columns, Iterable) or iter(columns) is columns:
        return None
    names = list(columns)
    return names if all(type(name) is str for name in names) else None


def _root(path: str, known: set[Any]) -> str | None:
    """The column that a path with points leads into."""
    while path := path.rpartition(".")[0]:
        if path in known:
            return path
    return None
