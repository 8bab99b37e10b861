"""What docs/formats/npz.md says of filters, undone with zipfile, json and NumPy alone."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

Source = Path | io.BytesIO | zipfile.ZipFile


def meta(source: Source) -> dict[str, Any]:
    """`__colonnade__` of an archive."""
    if not isinstance(source, zipfile.ZipFile):
        with zipfile.ZipFile(source) as archive:
            return meta(archive)
    found: dict[str, Any] = json.loads(source.read("__meta__.json"))["__colonnade__"]
    return found


def filters(source: Source) -> dict[str, str]:
    """Member to filter."""
    return {entry["member"]: entry["filter"] for entry in meta(source).get("filters", [])}


def undone(source: Source) -> dict[str, np.ndarray]:
    """Every array of an archive as it was before it was filtered, by the member of its first part."""
    if not isinstance(source, zipfile.ZipFile):
        with zipfile.ZipFile(source) as archive:
            return undone(archive)
    names = [name for name in source.namelist() if name.endswith(".npy")]
    arrays = {name: np.load(io.BytesIO(source.read(name)), allow_pickle=False) for name in names}
    entries = meta(source).get("filters", [])
    for entry in entries:
        member, (nrows, *_) = entry["member"], entry["shape"]
        stem = member.removesuffix("__.npy")
        count = -(-nrows // entry.get("part_rows", nrows))
        names = [member, *(f"{stem}_part_{k}__.npy" for k in range(1, count))]
        values = arrays.pop(f"{stem}_dictionary__.npy", None)
        parts = [_part(arrays.pop(name), entry, values) for name in names]
        arrays[member] = np.concatenate(parts).astype(entry["type"]).reshape(entry["shape"])  # concatenate swaps bytes
    return arrays


def _part(array: np.ndarray, entry: dict[str, Any], values: np.ndarray | None) -> np.ndarray:
    dtype, width = np.dtype(entry["type"]), (entry["shape"][1:] or [1])[0]
    name = entry["filter"]
    if name == "none":
        return array
    if name == "dictionary":
        assert values is not None
        codes = array if array.ndim == 1 else array[0].astype("u2") + 256 * array[1].astype("u2")
        return values[codes]
    # What has no integers of its width has no differences either.
    numbers = dtype.kind in "iu" or dtype.itemsize > 8
    integers = dtype if numbers else np.dtype(f"{dtype.byteorder}i{dtype.itemsize}")
    if name in ("shuffle", "delta-shuffle"):
        assert array.dtype == np.uint8
        assert array.shape[0] == width * dtype.itemsize
        assert width == 1 or array.flags.c_contiguous
        whole = array.reshape(width, dtype.itemsize, -1).transpose(0, 2, 1).copy()
        array = whole.view(integers if name == "delta-shuffle" else dtype)[..., 0].T
    else:
        assert array.dtype == integers
    if name in ("delta", "delta-shuffle"):
        native = array.astype(integers.newbyteorder("="))
        array = np.cumsum(native, axis=0, dtype=native.dtype).astype(integers)
        array = np.asfortranarray(array).T.copy().view(dtype).T if width > 1 else array.copy().view(dtype)
    return array
