"""Exact JSON descriptions of NumPy dtypes: names, offsets, item size, titles and aligned flag of structured ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core import DecodeError, EncodeError
from ._numpy_read import with_masks


def describe_dtype(dtype: np.dtype) -> Any:
    """The description for `restore_dtype`: `dtype.str` of a scalar dtype, a dict of lists for a structured dtype."""
    if dtype.subdtype is not None:
        return {"base": describe_dtype(dtype.subdtype[0]), "shape": list(dtype.shape)}
    if dtype.names is None:
        # StringDType has no descr text; the tag of each column holds its parameters.
        return "T" if dtype.kind == "T" else dtype.str
    table: Any = dtype.fields
    fields = [table[name] for name in dtype.names]
    titles = [field[2] if len(field) > 2 else None for field in fields]
    for name, title in zip(dtype.names, titles, strict=True):
        if title is not None and not isinstance(title, str):
            raise EncodeError(
                f"numpy: field {name!r}: expected a title that is text, found {title!r}. Remove the title first."
            )
    described = {
        "names": list(dtype.names),
        "formats": [describe_dtype(field[0]) for field in fields],
        "offsets": [field[1] for field in fields],
        "itemsize": dtype.itemsize,
        "aligned": dtype.isalignedstruct,
    }
    if any(title is not None for title in titles):
        described["titles"] = titles
    return described


def restore_dtype(described: Any) -> np.dtype:
    """The dtype of a description. DecodeError if the description is invalid."""
    try:
        if described == "T":
            return np.dtypes.StringDType()
        if isinstance(described, str):
            return np.dtype(described)
        if "base" in described:
            return np.dtype((restore_dtype(described["base"]), tuple(described["shape"])))
        parts: Any = {key: described[key] for key in ("names", "formats", "offsets", "itemsize")}
        parts["formats"] = [restore_dtype(part) for part in parts["formats"]]
        if "titles" in described:
            parts["titles"] = described["titles"]
        dtype: np.dtype = np.dtype(parts, align=bool(described["aligned"]))
        return dtype
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise DecodeError(f"numpy: expected the description of a dtype, found {described!r:.80}: {error}") from error


def assemble_structured(vectors: Sequence[np.ndarray], dtype: np.dtype, nrows: int) -> np.ndarray:
    """A read-only structured array, shape (nrows,), of these columns; padding bytes are zero."""
    values = np.zeros(nrows, dtype=dtype)
    for name, vector in zip(dtype.names or (), vectors, strict=True):
        values[name] = vector
    whole: np.ndarray = with_masks(values, vectors)
    whole.flags.writeable = False
    return whole
