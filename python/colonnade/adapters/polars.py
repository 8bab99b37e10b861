"""polars: DataFrames, shared without a copy in both directions.

Polars stores facts that Arrow's types lack (the categories of an Enum, the name of a Categorical) in the metadata of a
field. So a frame written from polars gets the same dtypes again. Polars itself converts the Arrow stream of another
library's frame. Stored row labels become columns after the others, named as in pandas' Arrow files.

Arrow has no 128-bit integers, and its usual decimals of 38 digits are too short for them. They are stored as text,
which every program reads, and the frame's origin names the columns.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from .._core import Axis, ColonnadeError, CoreFrame, EncodeError, concat_frames, import_arrow, import_arrow_schema
from .._values import tagged_labels
from .._values.record_batches import Batches, with_origin
from ._arrow_streams import Exported

LIBRARY = "polars"
WRITABLE = False
LAYOUT = "views"

_ORIGIN = '{"library":"polars"}'
_ADVICE = {
    "LazyFrame": "Call .collect() first.",
    "Expr": "Select with it, and pass the DataFrame.",
}


def to_frame(obj: Any, *, options: Mapping[str, Any] | None = None) -> CoreFrame | Batches:
    """A core frame over the chunks of a polars DataFrame.

    Parameters
    ----------
    obj
        A `polars.DataFrame`. A `polars.Series` is a DataFrame of one column.
    options
        None are known.

    Returns
    -------
    CoreFrame or Batches
        Columns in Arrow's layout, without a copy. Text and bytes have Arrow's view types.

    Raises
    ------
    EncodeError
        A column of Python objects, or of 128-bit integers inside lists or structs, for which Arrow has no type.
    TypeError
        A LazyFrame or an expression. The message names the method to call.
    """
    if isinstance(obj, pl.Series):
        obj = obj.to_frame()
    if not isinstance(obj, pl.DataFrame):
        kind = type(obj).__qualname__
        advice = next((_ADVICE[base.__name__] for base in type(obj).__mro__ if base.__name__ in _ADVICE), "")
        raise TypeError(f"polars: expected a DataFrame, found a {kind}. {advice}".rstrip())
    dtypes = obj.dtypes
    if "\0" in "".join(obj.columns):
        # Inside polars this error would end the process.
        name = next(name for name in obj.columns if "\0" in name)
        raise EncodeError(f"polars: column {name!r}: expected a name without NUL, where Arrow ends names.")
    # The set of kinds is checked first: a check of each of 10,000 columns would cost more than all other work.
    if not _SUSPECT.isdisjoint(map(type, dtypes)):
        _check(obj.columns, dtypes)
    wide = {name: str(dtype) for name, dtype in zip(obj.columns, dtypes, strict=True) if dtype in _INT128}
    if not wide:
        return with_origin(import_arrow(obj), _ORIGIN)
    obj = obj.with_columns([obj.get_column(name).cast(pl.String) for name in wide])
    return with_origin(import_arrow(obj), tagged_labels.encode({"library": LIBRARY, "int128": wide}))


def from_frames(frames: Sequence[CoreFrame]) -> Any:
    """A `polars.DataFrame` over the memory of `frames`, with one chunk for each frame.

    Raises
    ------
    EncodeError
        A column of a type that polars lacks (a union, an interval of time...). The message names the column.
    """
    _check_types(frames[0].dtypes())
    return _with_int128(_imported(frames), frames[0].origin)


def _with_int128(frame: Any, origin: str | None) -> Any:
    """The frame with the 128-bit integers that its origin names. Text that is not their text stays text."""
    decoded = tagged_labels.decode(origin) if origin is not None and '"int128"' in origin else {}
    wide = decoded.get("int128") if isinstance(decoded, dict) else None
    if not isinstance(wide, dict):
        return frame
    for dtype in _INT128:
        for name in [name for name, kind in wide.items() if kind == str(dtype) and name in frame.columns]:
            texts = frame.get_column(name)
            numbers = texts.cast(dtype, strict=False) if texts.dtype == pl.String else texts
            if numbers.cast(pl.String).equals(texts):
                frame = frame.with_columns(numbers)
    return frame


def _imported(frames: Sequence[CoreFrame]) -> Any:
    try:
        return pl.DataFrame(Exported(frames, metadata=False))  # polars reads only the metadata of fields.
    except ColonnadeError:
        raise
    except _REFUSALS:
        try:
            return pl.concat(list(map(_copied, frames)), rechunk=False)
        except _REFUSALS as error:
            raise _refused(frames[0], error) from error


# Arrow's types that polars lacks. For these polars panics, which writes to the terminal.
_LACKED = ("month_interval", "day_time_interval", "month_day_nano_interval", "dense_union", "sparse_union")


def _check_types(dtypes: Sequence[str]) -> None:
    lacked = [name for name in set(dtypes) if name.startswith(_LACKED)]
    for name in lacked:
        if name != "month_day_nano_interval" or "POLARS_IMPORT_INTERVAL_AS_STRUCT" not in os.environ:
            raise _lacking(list(dtypes).index(name), name)


def _lacking(position: int, name: str, why: str = "") -> EncodeError:
    return EncodeError(
        f"polars: column at position {position}: expected a type that polars has, found {name}{why}. "
        "Leave the column out with select(), or use to_arrow()."
    )


# Errors of polars for data that it refuses. Its panics are not Exceptions.
_REFUSALS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError, NotImplementedError)
_INT128 = tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))
_SUSPECT = {pl.Object, *_INT128, *(getattr(pl, name, pl.List) for name in ("List", "Array", "Struct", "Map"))}


def _check(names: list[str], dtypes: list[Any]) -> None:
    for name, dtype in zip(names, dtypes, strict=True):
        if _has_nul_name(dtype):
            raise EncodeError(f"polars: column {name!r}: expected field names without NUL, found {dtype}.")
        found = None if dtype in _INT128 else _without_arrow_type(dtype)
        if found is not None:
            advice = "text or numbers" if found == pl.Object else "Int64, Decimal or text"
            raise EncodeError(
                f"polars: column {name!r}: expected a dtype that Arrow has too, found {dtype}. "
                f"Cast the column to {advice} first."
            )


def _without_arrow_type(dtype: Any) -> Any:
    """The dtype, or a dtype nested in it, for which Arrow has no type."""
    if dtype == pl.Object or dtype in _INT128:
        return dtype
    return next((found for part in _within(dtype) if (found := _without_arrow_type(part)) is not None), None)


def _has_nul_name(dtype: Any) -> bool:
    names = [field.name for field in dtype.fields] if isinstance(dtype, pl.Struct) else []
    return "\0" in "".join(names) or any(map(_has_nul_name, _within(dtype)))


def _within(dtype: Any) -> list[Any]:
    """The dtypes directly nested in a dtype."""
    if isinstance(dtype, pl.Struct):
        return [field.dtype for field in dtype.fields]
    return [part for part in (getattr(dtype, name, None) for name in ("inner", "key", "value")) if part]


def _copied(frame: CoreFrame) -> Any:
    """Copies a frame's rows, because polars 2.1 refuses fixed-size lists that are slices of longer columns."""
    if not frame.nrows:
        return pl.DataFrame(Exported([import_arrow_schema(Exported([frame]))]))
    # The frame is joined with itself, because `concat_frames` does not copy a single frame.
    return pl.DataFrame(Exported([concat_frames([frame, frame])])).slice(0, frame.nrows)


def _refused(frame: CoreFrame, error: BaseException) -> EncodeError:
    """The error for the refused column. To find it, each column is converted without its rows."""
    names = frame.dtypes()
    empty = frame.slice(0, 0)
    for position, name in enumerate(names):
        try:
            pl.DataFrame(Exported([empty.select([position]).with_axes(Axis.auto(0, 0, 1), None)]))
        except _REFUSALS as found:
            return _lacking(position, name, f" ({found})")
    return EncodeError(f"polars: the frame cannot be handed over: {error}. Use to_arrow() or to_pandas() instead.")
