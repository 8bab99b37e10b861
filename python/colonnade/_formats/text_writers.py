"""Converts options of text formats to those of the core. The suffix selects the compression."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .. import _core
from .._io.targets import AnyTarget, CallTarget, PathTarget
from ..errors import OptionError
from .csv_columns import header_lines
from .text_options import Text, is_tabbed

if TYPE_CHECKING:
    from .csv import CsvOptions
    from .json import JsonOptions, NdjsonOptions
    from .yaml import YamlOptions

PACKED = {".gz": "gzip", ".zst": "zstd"}


def csv_options(
    options: CsvOptions, where: AnyTarget | None, threads: int, *, is_message: bool = False
) -> _core.CsvWriteOptions:
    """Options of writing csv to `where` (None: to bytes). A message has a header, which declares the number of rows."""
    if is_message and options.schema is None:
        options = replace(options, schema="header")
    common = _common(options, where, threads)
    if options.schema == "sidecar" and not isinstance(where, PathTarget):
        raise OptionError(
            "schema: expected 'header' or None where the target is no path of a file, found 'sidecar', which is "
            "a second file next to it."
        )
    if options.schema == "ignore":
        raise OptionError("schema: 'ignore' is of reading. Pass on_loss='ignore' to write plain CSV whatever it loses.")
    if options.quotechar is None:
        raise OptionError("quotechar: expected one ASCII character for writing, found None.")
    as_they_are = "index quoting quotechar lineterminator na_rep decimal encoding schema"
    return _core.CsvWriteOptions(
        header=header_lines(options.header)[1] > 0,
        delimiter=options.sep or ("\t" if is_tabbed(_name(where)) else ","),
        **{option: getattr(options, option) for option in as_they_are.split()},
        **common,
    )


def json_options(options: JsonOptions, where: AnyTarget | None, threads: int) -> _core.JsonWriteOptions:
    """Those of writing json to `where` (None: to bytes)."""
    return _core.JsonWriteOptions(
        orient=options.orient or ("columns" if options.schema else "records"),
        indent=options.indent,
        header=options.schema is not None,
        nonfinite=options.nonfinite,
        **_common(options, where, threads),
    )


def ndjson_options(
    options: NdjsonOptions, where: AnyTarget | None, threads: int, *, is_message: bool = False
) -> _core.NdjsonWriteOptions:
    """Those of writing ndjson to `where` (None: to bytes). A message has a header, as one of csv has."""
    return _core.NdjsonWriteOptions(
        header=is_message or options.schema is not None,
        nonfinite=options.nonfinite,
        **_common(options, where, threads),
    )


def yaml_options(options: YamlOptions, where: AnyTarget | None, threads: int) -> _core.YamlWriteOptions:
    """Those of writing yaml to `where` (None: to bytes)."""
    return _core.YamlWriteOptions(
        orient=options.orient or "records", header=options.schema is not None, **_common(options, where, threads)
    )


def _common(options: Text, where: AnyTarget | None, threads: int) -> dict[str, Any]:
    # An object with a method of its own (a gzip.GzipFile, say) packs by itself.
    packing = options.compression or (None if isinstance(where, CallTarget) else _packing_of(_name(where)))
    if options.compression_level is not None and packing is None:
        raise OptionError(
            f"compression_level: expected None where nothing is compressed, found {options.compression_level}. Pass "
            "compression= too, or write to a name that ends in .gz or .zst."
        )
    return {"packing": packing, "level": options.compression_level, "fsync": options.fsync, "threads": threads}


def _name(where: AnyTarget | None) -> str | None:
    return None if where is None else where.name


def _packing_of(name: str | None) -> str | None:
    return next((codec for suffix, codec in PACKED.items() if name is not None and name.lower().endswith(suffix)), None)
