"""Every cut of a frame is refused, and every flipped byte gives data or a typed error, by every way in."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("msgpack")

import pandas as pd
import pyarrow as pa

import colonnade as cn
from tests.helpers.msgpack_bytes import Stamp, pack
from tests.sweep import msgpack as sweep_msgpack

_OURS = pd.DataFrame(
    {
        "i": [1, -200, 70_000],
        "f": [0.5, None, -0.0],
        "s": ["x", None, "é"],
        "c": pd.Categorical(["u", "v", "u"]),
        "t": pd.to_datetime(["2024-01-01", None, "1969-12-31"]),
    },
    index=pd.Index(["p", "q", "r"], name="k"),
)
_NESTED = pa.table(
    {
        "l": pa.array([[1, None], [], None]),
        "m": pa.array([{"x": 1, "y": "a"}, None, {"x": None, "y": ""}]),
        "d": pa.array([["u"], ["v", "u"], None], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    }
)
_FOREIGN: dict[str, Any] = {"i": [1, 300, None], "m": [1, "x", [None]], "s": ["a", "é", None], "t": [Stamp(1, 1)] * 3}

SOURCES: dict[str, Any] = {
    "columns": lambda: cn.encode(_OURS, "msgpack"),
    "packed": lambda: cn.encode(_OURS, "msgpack", numbers="packed"),
    "records": lambda: cn.encode(_OURS[["i", "c"]], "msgpack", orient="records"),
    "split": lambda: cn.encode(_OURS[["i", "c"]], "msgpack", orient="split"),
    "nested": lambda: cn.encode(_NESTED, "msgpack"),
    "compatible": lambda: cn.encode(_OURS[["f", "s"]], "msgpack", compat="old-spec"),
    "foreign columns": lambda: pack(_FOREIGN),
    "foreign records": lambda: pack(
        [dict(zip(_FOREIGN, row, strict=True)) for row in zip(*_FOREIGN.values(), strict=True)]
    ),
    "foreign split": lambda: pack(
        {"index": ["p", "q", "r"], "columns": list(_FOREIGN), "data": list(zip(*_FOREIGN.values(), strict=True))}
    ),
    "foreign nested": lambda: pack({"a": [{"x": [1, {"y": "z"}]}, {"x": [], "w": b"q"}]}),
}


@pytest.mark.parametrize("damage", ["cut", pytest.param("flip", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", SOURCES)
def test_damage(name: str, damage: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(SOURCES[name]())
    results = sweep_msgpack.run({"source": str(source), "damage": damage})
    assert len(results) == source.stat().st_size * (1 if damage == "cut" else 3)
    if damage == "cut":
        for result in results:
            found = {step: result[step] for step in ("decode", "rows", "bytes", "pandas")}
            assert set(found.values()) == {"TruncatedError"}, result
            assert "data" not in result.values(), result
