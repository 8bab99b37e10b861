"""NumPy's variable-width strings (`numpy.dtypes.StringDType`, NumPy >= 2) as Arrow text, and back."""

from typing import Any

import numpy as np

from .._core import ArrowColumn, EncodeError
from .._values import tagged_labels


def column_from_string_dtype(values: np.ndarray, where: str) -> ArrowColumn:
    """A 1-D StringDType array as a text column whose tag holds the dtype's parameters."""
    dtype: Any = values.dtype
    tag = {"kind": "string_dtype", "coerce": bool(dtype.coerce)}
    if hasattr(dtype, "na_object"):
        missing = dtype.na_object
        if missing is None:
            tag["null"] = "none"
        elif isinstance(missing, float) and missing != missing:
            tag["null"] = "nan"
        else:
            raise EncodeError(
                f"{where}: expected a StringDType whose missing value is None or NaN, found {missing!r}. "
                "Convert the column with .astype() first."
            )
    try:
        return ArrowColumn.from_objects(values.astype(object), "str", tagged_labels.encode(tag))
    except EncodeError as error:
        raise EncodeError(f"{where}: {error}") from error


def string_dtype_from_column(column: ArrowColumn, tag: dict[str, Any]) -> np.ndarray:
    """The StringDType array that `column_from_string_dtype` wrote."""
    parameters: dict[str, Any] = {"coerce": tag["coerce"]}
    if "null" in tag:
        parameters["na_object"] = {"none": None, "nan": float("nan")}[tag["null"]]
    objects = column.objects()
    if column.null_count and tag["null"] == "nan":
        objects[column.mask()] = parameters["na_object"]
    return objects.astype(np.dtypes.StringDType(**parameters))
