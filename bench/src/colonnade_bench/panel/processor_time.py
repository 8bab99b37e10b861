"""The processor time of a repetition, from that of its two sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SUMS = ("user_s", "system_s", "cores_used")
"""What follows from the figures of the two sides. Published records omit it."""


def of_both(transport: str, found: Mapping[str, Any]) -> dict[str, float]:
    """Returns the seconds of both sides, and how many cores they used at a time.

    It returns nothing if a side has no figures. One side of a remote cell runs elsewhere, so no cores are given.

    >>> side = {"user_s": 0.5, "system_s": 0.25}
    >>> of_both("file", {"union_s": 1.0, "write": side, "read": side})
    {'user_s': 1.0, 'system_s': 0.5, 'cores_used': 1.5}
    """
    sides = [found.get("write", {}), found.get("read", {})]
    if not all("user_s" in side and "system_s" in side for side in sides):
        return {}
    used = {name: sum(side[name] for side in sides) for name in ("user_s", "system_s")}
    return used if transport == "remote" else {**used, "cores_used": sum(used.values()) / found["union_s"]}
