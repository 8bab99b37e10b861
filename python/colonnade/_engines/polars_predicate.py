"""Predicates of polars as conditions, from their serialized form.

polars filters the rows again, so only conditions that hold for every row that it keeps are taken. NaN is above every
number in polars, and no condition of Colonnade's holds for it, so a float column takes only ``<``, ``<=`` and ``==``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from .conjunctions import Conjunctions, both, either, single

if TYPE_CHECKING:
    import polars as pl

_COMPARISONS = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_UNITS: dict[str, Any] = {"Nanoseconds": "ns", "Microseconds": "us", "Milliseconds": "ms"}
_SCALARS = {"Boolean", "String", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"}


def conditions_of(predicate: pl.Expr, schema: pl.Schema) -> Conjunctions | None:
    """The conditions that every row meets that `predicate` keeps; None if there are none."""
    try:
        tree = json.loads(predicate.meta.serialize(format="json"))
    except Exception:  # an expression that has no such form: a Python function
        return None
    return _Translation(schema).of(tree)


class _Translation:
    def __init__(self, schema: pl.Schema) -> None:
        self._schema = schema

    def of(self, node: Any) -> Conjunctions | None:
        match node:
            case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
                return both(self.of(left), self.of(right))
            case {"BinaryExpr": {"left": left, "op": "Or" | "LogicalOr", "right": right}}:
                return either(self.of(left), self.of(right))
            case {"BinaryExpr": {"left": {"Column": name}, "op": op, "right": {"Literal": value}}}:
                return self._compared(name, _COMPARISONS.get(op), value)
            case {"BinaryExpr": {"left": {"Literal": value}, "op": op, "right": {"Column": name}}}:
                return self._compared(name, _TURNED.get(_COMPARISONS.get(op, "")), value)
            case {"Function": {"input": [{"Column": name}], "function": {"Boolean": "IsNull"}}}:
                return single((name, "is", None))
            case {"Function": {"input": [{"Column": name}], "function": {"Boolean": "IsNotNull"}}}:
                return single((name, "is not", None))
            case {"Function": {"input": [inner], "function": {"Boolean": "Not"}}}:
                found = self.of(inner)
                if found is not None and len(found) == 1 and len(found[0]) == 1 and found[0][0][1] == "is":
                    return single((found[0][0][0], "is not", None))
                return None
            case {
                "Function": {"input": [{"Column": name}, {"Literal": values}], "function": {"Boolean": {"IsIn": how}}}
            }:
                return self._among(name, values, how)
            case {"Function": {"input": [column, low, high], "function": {"Boolean": {"IsBetween": {"closed": how}}}}}:
                ops = {"Both": ("GtEq", "LtEq"), "Left": ("GtEq", "Lt"), "Right": ("Gt", "LtEq"), "None": ("Gt", "Lt")}
                if how not in ops:
                    return None
                above, below = ops[how]
                return both(
                    self.of({"BinaryExpr": {"left": column, "op": above, "right": low}}),
                    self.of({"BinaryExpr": {"left": column, "op": below, "right": high}}),
                )
        return None

    def _compared(self, name: str, comparison: str | None, literal: Any) -> Conjunctions | None:
        value = _value(literal)
        if comparison is None or value is None or not self._is_safe(name, comparison, value):
            return None
        return single((name, comparison, value))

    def _among(self, name: str, literal: Any, how: Any) -> Conjunctions | None:
        if isinstance(how, dict) and how.get("nulls_equal"):
            return None
        values = _list(literal)
        if values is None or not values or not all(self._is_safe(name, "==", value) for value in values):
            return None
        return single((name, "in", values))

    def _is_safe(self, name: str, comparison: str, value: Any) -> bool:
        """Whether the comparison means the same here and in polars for values of this column's type."""
        dtype = self._schema.get(name)
        if dtype is None or dtype.is_nested():
            return False
        if dtype.is_float():
            return isinstance(value, int | float) and value == value and comparison in ("==", "<", "<=")
        if dtype.is_integer():
            return isinstance(value, int) and not isinstance(value, bool)
        kind = str(dtype.base_type())
        if kind == "Boolean":
            return isinstance(value, bool) and comparison in ("==", "!=")
        if kind == "String":
            return isinstance(value, str)
        is_time = isinstance(value, np.datetime64)
        return is_time and ((kind == "Date") == (np.datetime_data(value)[0] == "D")) and kind in ("Date", "Datetime")


def _value(literal: Any) -> Any:
    """The value of a literal of a type that compares alike; otherwise None."""
    match literal:
        case {"Dyn": {"Int": int(value)}} | {"Dyn": {"Float": float(value) | int(value)}}:
            return value
        case {"Scalar": {"Float64": float(value) | int(value)}}:
            return float(value)
        case {"Scalar": {"Date": int(days)}}:
            return np.datetime64(days, "D")
        case {"Scalar": {"Datetime": [int(value), str(unit), None]}} if unit in _UNITS:
            return np.datetime64(value, _UNITS[unit])
        case {"Scalar": dict(scalar)} if len(scalar) == 1 and next(iter(scalar)) in _SCALARS:
            return next(iter(scalar.values()))
    return None


def _list(literal: Any) -> list[Any] | None:
    """The values of a literal list of numbers or text without nulls."""
    import io

    import polars as pl

    try:
        expression = pl.Expr.deserialize(io.StringIO(json.dumps({"Literal": literal})), format="json")
        found = pl.select(expression).to_series()
    except Exception:  # a literal of a later version
        return None
    if found.dtype == pl.List and len(found) == 1:
        found = found.item()
    if (
        not isinstance(found, pl.Series)
        or found.null_count()
        or not (found.dtype.is_integer() or found.dtype == pl.String)
    ):
        return None
    values: list[Any] = found.to_list()
    return values
