"""Data on its way to the measuring processes: the same blocks, values and labels, and nothing of it is left behind."""

from __future__ import annotations

import ast
import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
import colonnade_bench
from colonnade_bench import runner, stored_frame
from colonnade_bench.panel import tables
from colonnade_bench.panel.fidelity import losses
from colonnade_bench.panel.report_all import write_reports
from colonnade_bench.spec import Spec

NROWS = 6
DAYS = pd.date_range("2013-01-01", periods=NROWS)


def mixed() -> pd.DataFrame:
    """Columns of most kinds, in blocks as pandas groups them."""
    return pd.DataFrame(
        {
            "a": np.arange(NROWS),
            "b": np.arange(NROWS) / 7,
            "c": np.arange(NROWS)[::-1].copy(),
            "d": DAYS,
            "e": DAYS.tz_localize("Europe/Berlin"),
            "f": DAYS.tz_localize("Europe/Berlin") + pd.Timedelta("1h"),
            "g": pd.array([1, None, 3, 4, 5, 6], dtype="Int64"),
            "h": pd.array(["x", None, "y", "", "z", "é"], dtype="str"),
            "i": pd.array(["x", None, "y", "", "z", "é"], dtype="string[python]"),
            "j": pd.Categorical(["u", "v", None, "u", "u", "v"], categories=["v", "u"], ordered=True),
            "k": pd.Series(["text", 1, None, 2.5, True, Decimal(1)], dtype=object),
            "l": pd.Series([[1], {"a": 1}, (1, 2), b"x", None, datetime.date(2020, 1, 1)], dtype=object),
            "m": pd.period_range("2020", periods=NROWS, freq="M"),
            "n": pd.interval_range(0, NROWS),
            "o": pd.arrays.SparseArray([0, 0, 1, 0, 0, 0]),
            "p": np.arange(NROWS) > 2,
        }
    )


def apart() -> pd.DataFrame:
    """A block a column."""
    frame = pd.DataFrame(index=range(NROWS))
    for k in range(5):
        frame[f"c{k}"] = np.arange(NROWS) * float(k)
    return frame


def labelled() -> pd.DataFrame:
    frame = pd.DataFrame(
        np.arange(NROWS * 3).reshape(NROWS, 3),
        index=pd.MultiIndex.from_product([["x", "y"], DAYS[:3]], names=["word", "day"]),
        columns=pd.Index([3, 1, 2], name="number"),
    )
    frame.attrs["source"] = "here"
    return frame


FRAMES = {
    "mixed": mixed,
    "mixed, one block a dtype": lambda: mixed().copy(),
    "a block a column": apart,
    "some of each": lambda: apart().copy().assign(more=1.0),
    "rows in memory": lambda: pd.DataFrame(np.arange(12.0).reshape(NROWS, 2)),
    "columns in memory": lambda: pd.DataFrame(np.asfortranarray(np.arange(12.0).reshape(NROWS, 2))),
    "labels": labelled,
    "a slice": lambda: mixed().iloc[2:5],
    "every second row": lambda: pd.DataFrame({"a": np.arange(12)}).iloc[1::2],
    "no rows": lambda: mixed().iloc[:0],
    "no columns": lambda: mixed()[[]],
}


def blocks(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    return [
        (block.mgr_locs.as_array.tolist(), block.dtype, type(block.values), stored_frame.order_of(block.values))
        for block in frame._mgr.blocks
    ]


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_comes_back_with_its_blocks(name: str, tmp_path: Path) -> None:
    frame = FRAMES[name]()
    tables.keep({"one": frame}, tmp_path / "kept")
    (found,) = tables.load(tmp_path / "kept").values()
    assert blocks(found) == blocks(frame)
    assert losses(frame, found) == []
    pd.testing.assert_frame_equal(found, frame)
    assert found.attrs == frame.attrs
    assert type(found.index) is type(frame.index)


def test_what_only_code_could_restore_is_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"good": [1], "bad": pd.Series([{1, 2}], dtype=object)})
    with pytest.raises(ValueError, match=r"cannot be handed to the measuring processes: .*'bad'"):
        tables.keep({"one": frame}, tmp_path / "kept")


def test_a_run_leaves_nothing_of_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "Wohlgemuth-4711"
    temporary, results = tmp_path / "tmp", tmp_path / "results"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    cn.write(pd.DataFrame({"name": [f"{secret} {k}" for k in range(200)]}), tmp_path / "mine.npz")
    levels = {
        "dataset": [str(tmp_path / "mine.npz")],
        "engine": ["colonnade", "pickle"],
        "format": ["npz", "pickle"],
        "transport": ["memory", "file"],
        "size": [0.5, 1.0],
        "repetitions": 1,
    }
    seen: list[int] = []

    def note(text: str) -> None:
        seen.extend(path.stat().st_mode & 0o777 for path in temporary.glob("colonnade-bench-*"))
        if text.startswith("flipped"):
            raise KeyboardInterrupt

    panel = runner.runner(Spec.of(levels), results / "panel.jsonl", results, note)
    assert panel.run() == "interrupted"
    assert set(seen) == {0o700}
    assert [record for record in panel.records if record["kind"] == "panel"]
    write_reports([results / "panel.jsonl"], results, pictures=False)
    assert list(temporary.iterdir()) == []
    for path in results.rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes(), path


def test_only_the_engines_that_are_measured_pickle() -> None:
    root = Path(colonnade_bench.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            called = node.attr if isinstance(node, ast.Attribute) else ""
            if "pickle" in names or called in ("read_pickle", "to_pickle"):
                found.add(str(path.relative_to(root)))
    assert found == {"channels/pickles.py", "engines/pickle_io.py"}
