"""Awkward: arrays of records, lists, strings, missing values, unions, categories, shared without a copy both ways.

An array of records becomes a frame with one column for each field. Any other array becomes one column, labelled ``""``
as in Awkward's own files. The origin of the frame stores the form of each column (`_awkward_forms`) that is more than a
plain NumPy array. It also stores parameters, which name behaviors but never hold their code.
"""

import codecs
import contextlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

if sys.flags.dev_mode and "awkward" not in sys.modules:
    # Awkward 2.14 misspells "surrogateescape" in bytes.encode(), which `python -X dev` looks up at each call: without
    # this name `import awkward` is a LookupError there. No other mode looks it up for text that can be encoded.
    codecs.register_error("surrogatescape", codecs.lookup_error("surrogateescape"))

import awkward as ak

from .._core import (
    ArrowColumn,
    Axis,
    ColonnadeError,
    CoreFrame,
    DecodeError,
    EncodeError,
    FrameBuilder,
    column_with_tag,
)
from .._values import tagged_labels
from ._awkward_foreign import (
    REQUIRED,
    foreign_attrs,
    foreign_forms,
    foreign_layout,
    index_fields,
    own_form,
    text_labels,
    usable,
)
from ._awkward_forms import MAX_LEVELS, form_of_content, levels
from ._awkward_read import content_from_column
from ._awkward_write import column_from_content, is_plain, may_be_null
from ._object_columns import level_from_labels

LIBRARY = "awkward"
WRITABLE = False

_TOO_DEEP = (
    f"expected at most {MAX_LEVELS} levels of lists and records in each other, found more. Flatten the array first."
)
_ADVICE = {
    "ArrayBuilder": "Call .snapshot() first.",
    "Record": "Make an array of it first: ak.Array([record]).",
    "Content": "Wrap it first: ak.Array(layout).",
    "Array": "Call .compute() first.",  # dask_awkward
}


def to_frame(obj: Any, *, options: Mapping[str, Any] | None = None) -> CoreFrame:
    """A core frame over the buffers of an Awkward Array.

    Parameters
    ----------
    obj
        An `awkward.Array`, whatever its layout. Lazy buffers are loaded.
    options
        None are known.

    Returns
    -------
    CoreFrame
        Fields that are plain NumPy arrays become blocks. All other fields become columns in Arrow's layout. The adapter
        copies only bools and masks, which become bits, the values that an IndexedArray selects, and unions whose parts
        are not in row order.

    Raises
    ------
    EncodeError
        A value for which Arrow has no type, or an invalid layout. The message names the column and the place within it.
    TypeError
        Another object of Awkward. The message names the method to call.
    """
    if not isinstance(obj, ak.Array):
        kind = type(obj).__qualname__
        advice = next((_ADVICE[base.__name__] for base in type(obj).__mro__ if base.__name__ in _ADVICE), "")
        raise TypeError(f"awkward: expected an ak.Array, found a {kind}. {advice}".rstrip())
    layout = _loaded(obj)
    whole = _form(layout)
    while layout.is_indexed and not layout.is_option and layout.parameter("__array__") != "categorical":
        layout = layout.project()
    nrows = layout.length
    origin: dict[str, Any] = {"library": LIBRARY}
    if layout.is_record:
        origin["class"] = "tuple" if layout.is_tuple else "record"
        if "parameters" in whole:
            origin["parameters"] = whole["parameters"]
        names, forms = list(layout.fields), whole["contents"]
        contents = [part if part.length == nrows else part[:nrows] for part in layout.contents]
    else:
        origin["class"] = "array"
        names, forms, contents = [""], [whole], [layout]
    builder = FrameBuilder(nrows, len(names))
    column_forms: dict[str, Any] = {}
    for position, (name, content) in enumerate(zip(names, contents, strict=True)):
        if is_plain(content):
            builder.add_arrays([content.data], position)
        else:
            builder.add_arrow(position, _column(content, forms[position], f"column {name!r}"))
            column_forms[name] = forms[position]
    if column_forms:
        origin["forms"] = column_forms
    columns = Axis.levels([level_from_labels(names, "awkward: fields")], ["Index"])
    attrs = _text({key: value for key, value in obj.attrs.items() if not key.startswith("@")}, "attrs")
    return builder.finish(
        Axis.auto(0, nrows, 1), columns, "null", attrs if attrs != "{}" else None, _text(origin, "parameters")
    )


def from_frame(core: CoreFrame) -> Any:
    """Restores the Awkward Array that `core` was written from. Other frames are converted as Awkward reads Arrow.

    Returns
    -------
    awkward.Array
        A read-only array over the memory of the frame. Only bools and masks of bytes are copied, because the frame
        holds them as bits. Stored row labels (not automatic ones) become fields after the others.

    Raises
    ------
    DecodeError
        The frame's description of a layout does not fit its data.
    EncodeError
        A column of a type that Awkward lacks. The message names the column.
    """
    with _described():
        return _array(core)


def _array(core: CoreFrame) -> Any:
    names, contents, origin = _contents(core)
    layout: Any
    if origin.get("library") != LIBRARY:
        layout = foreign_layout(origin, names, contents, core.nrows)
    elif origin.get("class") == "array" and names == [""]:
        layout = contents[0]
    else:
        slots = [str(slot) for slot in range(len(names))]
        fields = None if origin.get("class") == "tuple" and names == slots else names
        layout = ak.contents.RecordArray(contents, fields, core.nrows, parameters=_object(origin, "parameters") or None)
    if isinstance(layout, ak.record.Record):
        return ak.Record(layout, attrs=_attrs(core, origin))
    return ak.Array(layout, attrs=_attrs(core, origin))


def column_from_frame(core: CoreFrame) -> Any:
    """The array of a frame's only column, without a record around it."""
    with _described():
        _, (content,), origin = _contents(core)
        return ak.Array(content, attrs=_attrs(core, origin))


@contextlib.contextmanager
def _described() -> Iterator[None]:
    """Raises a DecodeError for a description that does not fit the data: a damaged file may hold any JSON."""
    try:
        yield
    except ColonnadeError:
        raise
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DecodeError(
            f"awkward: the description of the frame does not fit its data: {error!r}. The file is damaged; to_arrow() "
            "reads the data without it."
        ) from error


def _loaded(obj: Any) -> Any:
    """The layout of an array, with its buffers in main memory."""
    if ak.backend(obj) == "typetracer":
        raise EncodeError("awkward: expected an array with data, found a typetracer. Compute the array first.")
    # The oldest supported Awkward cannot load lazy buffers.
    loaded = ak.materialize(obj) if hasattr(ak, "materialize") else obj
    return ak.to_backend(loaded, "cpu").layout


def _form(layout: Any) -> Any:
    try:
        return form_of_content(layout)
    except RecursionError:
        raise EncodeError(f"awkward: {_TOO_DEEP}") from None


def _column(content: Any, form: Any, where: str) -> ArrowColumn:
    if levels(form) > MAX_LEVELS:
        raise EncodeError(f"awkward: {where}: {_TOO_DEEP}")
    column = column_from_content(content, where)
    return column if may_be_null(content) else column_with_tag(column, REQUIRED)


def _text(value: dict[str, Any], what: str) -> str:
    try:
        return tagged_labels.encode(value)
    except EncodeError as error:
        raise EncodeError(f"awkward: {what}: {error}") from error


# --------------------------------------------------------------------------- from the core


def _contents(core: CoreFrame) -> tuple[list[str], list[Any], dict[str, Any]]:
    """Name and layout of each column, and the frame's origin."""
    decoded = None if core.origin is None else tagged_labels.decode(core.origin)
    origin: dict[str, Any] = decoded if isinstance(decoded, dict) else {}
    fields = list(zip(text_labels(core.columns), _vectors(core), strict=True))
    is_awkward = origin.get("library") == LIBRARY
    if not is_awkward:
        fields += index_fields(core, [name for name, _ in fields])
    fields = [(name, usable(values, f"column {name!r}")) for name, values in fields]
    if is_awkward:
        known = _object(origin, "forms")
        forms = [known[name] if name in known else own_form(values, f"column {name!r}") for name, values in fields]
    else:
        forms = foreign_forms(origin, fields)
    names = [name for name, _ in fields]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise EncodeError(
            f"awkward: expected labels that are unique as fields, found {twice!r} twice. Select by position."
        )
    contents = [
        content_from_column(form, values, f"column {name!r}")
        for form, (name, values) in zip(forms, fields, strict=True)
    ]
    return names, contents, origin


def _object(origin: dict[str, Any], key: str) -> dict[str, Any]:
    found = origin.get(key, {})
    if isinstance(found, dict):
        return found
    raise DecodeError(
        f"awkward: {key} of the frame's origin: expected an object, found {found!r:.80}. "
        "The file's description of it is damaged; to_arrow() reads the data without it."
    )


def _vectors(core: CoreFrame) -> list[np.ndarray | ArrowColumn]:
    vectors: list[np.ndarray | ArrowColumn] = []
    for array in core.arrays():
        vectors.extend(array.T if isinstance(array, np.ndarray) and array.ndim == 2 else [array])
    return vectors


def _attrs(core: CoreFrame, origin: dict[str, Any]) -> dict[str, Any] | None:
    """The attributes that Awkward can hold: those with text keys."""
    decoded = foreign_attrs(origin) if core.attrs is None else tagged_labels.decode(core.attrs)
    return (
        {key: value for key, value in decoded.items() if type(key) is str} or None
        if isinstance(decoded, dict)
        else None
    )
