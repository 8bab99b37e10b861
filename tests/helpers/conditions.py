"""Whether a row meets a condition, in Python's own order; null meets nothing but ``is``."""

import operator
from typing import Any

ORDERS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt}
ORDERS[">="] = operator.ge


def holds(cells: dict[str, Any], term: tuple[str, str, Any]) -> bool:
    column, comparison, value = term
    cell = cells[column]
    if comparison in ("is", "is not"):
        return (cell is None) == (comparison == "is")
    if comparison in ("in", "not in"):
        return cell is not None and (cell in value) == (comparison == "in")
    return cell is not None and bool(ORDERS[comparison](cell, value))
