"""The cases of `conformance/`: of each what is written, how, and who else can read it.

Random numbers and the day's versions have no place here: a case makes the same frame everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.conformance import frames_numpy, frames_pandas, frames_polars, frames_pyarrow, frames_static_frame


@dataclass(frozen=True)
class Case:
    """One file, bundle or directory."""

    make: Callable[[], Any]
    file: str
    options: dict[str, Any] = field(default_factory=dict)
    bundle: bool = False
    # Compressed bytes are the codec's: another version of it may pack them otherwise, and the frame is the same.
    packed: bool = False
    # StaticFrame's own reader sees the same frame.
    static_frame: bool = True


def _npz(make: Callable[[], Any], **more: Any) -> tuple[str, Case]:
    return make.__name__, Case(make, f"{make.__name__}.npz", **more)


_COMPRESSED: dict[str, Any] = {"packed": True, "static_frame": False}
_ZSTD, _DEFLATE = {"compression": "zstd"}, {"compression": "deflate"}
_OURS = {"static_frame": False}
_FILTERS = {
    "shuffle": "shuffle",
    "delta": "delta",
    "delta_shuffle": "delta-shuffle",
    "few": "dictionary",
    "many": "dictionary",
    "none": "none",
}

NPZ: dict[str, Case] = dict(
    [
        _npz(frames_static_frame.article),
        _npz(frames_static_frame.little_endian),
        _npz(frames_static_frame.times),
        # StaticFrame's reader has no buffer for long doubles of the other byte order.
        _npz(frames_static_frame.big_endian, static_frame=False),
        _npz(frames_static_frame.float_bits),
        _npz(frames_static_frame.alternating),
        _npz(frames_static_frame.blocks_of_both_orders),
        _npz(frames_static_frame.index_classes),
        _npz(frames_static_frame.no_rows),
        _npz(frames_static_frame.no_columns),
        _npz(frames_static_frame.automatic_labels),
        _npz(frames_numpy.mapping),
        _npz(frames_numpy.mixed_cells, **_OURS),
        _npz(frames_pandas.pandas_text, **_OURS),
        _npz(frames_pandas.pandas_categorical, **_OURS),
        _npz(frames_pandas.pandas_zoned, **_OURS),
        _npz(frames_pandas.pandas_nullable, **_OURS),
        _npz(frames_pandas.pandas_period_and_interval, **_OURS),
        _npz(frames_pandas.pandas_range_and_attrs, **_OURS),
        _npz(frames_pandas.pandas_hierarchical_columns, **_OURS),
        _npz(frames_pandas.pandas_datetime_index, **_OURS),
        ("zstd", Case(frames_numpy.compressible, "zstd.npz", _ZSTD, **_COMPRESSED)),
        ("deflate", Case(frames_numpy.compressible, "deflate.npz", _DEFLATE, **_COMPRESSED)),
        ("filters", Case(frames_numpy.filterable, "filters.npz", _DEFLATE | {"transform": _FILTERS}, **_COMPRESSED)),
        ("bundle_npz", Case(frames_static_frame.bundle, "bundle_npz.zip", {"layout": "npz"}, bundle=True)),
        ("bundle_npy", Case(frames_static_frame.bundle, "bundle_npy.zip", {"layout": "npy"}, bundle=True)),
    ]
)
_FILE, _FOLDER = {"format": "npy", "directory": False}, {"format": "npy", "directory": True}

NPY: dict[str, Case] = {
    name: Case(make, f"{name}.npy", _FILE, static_frame=False) for name, make in frames_numpy.LONE.items()
} | {
    "article": Case(frames_static_frame.article, "article", _FOLDER),
    "text": Case(frames_pandas.pandas_text, "text", _FOLDER, static_frame=False),
}

_NESTED = {
    make.__name__: Case(make, f"{make.__name__}.npz", **_OURS)
    for make in (frames_pyarrow.nested, frames_polars.polars_nested)
}
NPZ |= _NESTED


def _arrow(format: str) -> dict[str, Case]:
    """The cases of Arrow's two forms: the same frames in both."""
    frames = [
        frames_numpy.mapping,
        frames_numpy.mixed_cells,
        frames_static_frame.article,
        frames_static_frame.little_endian,
        frames_static_frame.big_endian,
        frames_static_frame.times,
        frames_static_frame.float_bits,
        frames_static_frame.index_classes,
        frames_static_frame.no_rows,
        frames_static_frame.no_columns,
        frames_static_frame.automatic_labels,
        frames_pandas.pandas_text,
        frames_pandas.pandas_categorical,
        frames_pandas.pandas_zoned,
        frames_pandas.pandas_nullable,
        frames_pandas.pandas_period_and_interval,
        frames_pandas.pandas_range_and_attrs,
        frames_pandas.pandas_hierarchical_columns,
        frames_pandas.pandas_datetime_index,
        frames_pyarrow.flat,
        frames_pyarrow.flat_times,
        frames_pyarrow.nested,
        frames_pyarrow.dictionaries,
        frames_pyarrow.metadata,
        frames_pyarrow.repeated_names,
        frames_pyarrow.batches,
        frames_polars.polars_flat,
        frames_polars.polars_nested,
    ]
    cases = {make.__name__: Case(make, f"{make.__name__}.{format}", **_OURS) for make in frames}
    several = {"batch_nbytes": 512}
    cases["several_batches"] = Case(frames_numpy.compressible, f"several_batches.{format}", several, **_OURS)
    for codec in ("lz4", "zstd"):
        options = {"compression": codec}
        cases[codec] = Case(frames_numpy.compressible, f"{codec}.{format}", options, **_COMPRESSED)
    return cases


ARROW, ARROWS = _arrow("arrow"), _arrow("arrows")


def _msgpack() -> dict[str, Case]:
    """The frames of Arrow's cases, and the other shapes of one of each kind."""
    cases = {name: Case(case.make, f"{name}.msgpack", **_OURS) for name, case in ARROWS.items() if not case.options}
    for make in (frames_static_frame.article, frames_pandas.pandas_text, frames_pyarrow.nested):
        for name, options in _SHAPES.items():
            case = f"{make.__name__}_{name}"
            cases[case] = Case(make, f"{case}.msgpack", options, **_OURS)
    cases["bundle"] = Case(frames_static_frame.bundle, "bundle.msgpack", bundle=True, **_OURS)
    return cases


_SHAPES: dict[str, dict[str, Any]] = {
    "packed": {"numbers": "packed"},
    "records": {"orient": "records"},
    "split": {"orient": "split"},
    "compatible": {"compat": "old-spec"},
}


def _text(format: str, shapes: dict[str, dict[str, Any]]) -> dict[str, Case]:
    """The same frames as text with a schema, and the other shapes of some."""
    base = {"schema": "header"}
    cases = {
        name: Case(case.make, f"{name}.{format}", base, **_OURS) for name, case in ARROWS.items() if not case.options
    }
    for make in (frames_static_frame.article, frames_pandas.pandas_text, frames_pandas.pandas_categorical):
        for name, options in shapes.items():
            case = f"{make.__name__}_{name}"
            cases[case] = Case(make, f"{case}.{format}", base | options, **_OURS)
    if format in ("json", "yaml"):
        cases["bundle"] = Case(frames_static_frame.bundle, f"bundle.{format}", base, bundle=True, **_OURS)
    return cases


def _parquet() -> dict[str, Case]:
    """The frames of Arrow's cases that Parquet holds, and one in each encoding, codec and version of pages."""
    cases = {
        name: Case(case.make, f"{name}.parquet", {}, **_COMPRESSED)
        for name, case in ARROWS.items()
        if not case.options and name not in _NOT_IN_PARQUET
    }
    for name, options in _PAGES.items():
        cases[name] = Case(frames_numpy.compressible, f"{name}.parquet", options, **_COMPRESSED)
    return cases


# It has unions and structs without fields, which earlier versions refused.
_NOT_IN_PARQUET = ("nested",)
# How columns are encoded is chosen by tables that may change: what a file holds is recorded, not how it is written.
_PAGES: dict[str, dict[str, Any]] = {
    "plain": {"encoding": "plain", "compression": None},
    "dictionary": {"encoding": "dictionary", "compression": "snappy"},
    "deltas": {"encoding": "delta_binary_packed", "compression": "gzip"},
    "streams_of_bytes": {"encoding": "byte_stream_split", "compression": "zstd"},
    "pages_of_version_2": {"data_page_version": 2, "compression": "lz4"},
    "row_groups": {"row_group_size": 40, "data_page_size": 64, "compression": "brotli"},
}

# Row labels that stand twice are no keys of an object; "index" is for those that do not.
_ORIENTS = {name: {"orient": name} for name in ("records", "split", "values", "table")}

CASES: dict[str, dict[str, Case]] = {
    "npz": NPZ,
    "npy": NPY,
    "arrow": ARROW,
    "arrows": ARROWS,
    "parquet": _parquet(),
    "msgpack": _msgpack(),
    "csv": _text("csv", {"quoted": {"quoting": "all", "sep": ";"}}),
    "json": _text("json", _ORIENTS | {"indented": {"indent": 2}}),
    "ndjson": _text("ndjson", {}),
    "yaml": _text("yaml", {"columns": {"orient": "columns"}}),
}
