"""Reading and writing JSON and NDJSON says how far it is, and stops when it is told to."""

from typing import Any

import numpy as np
import pytest

import colonnade as cn

FRAME = {f"c{i}": np.random.default_rng(i).normal(size=30_000) for i in range(8)}
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "columns": ("json", {}),
    "records": ("json", {"orient": "records"}),
    "pandas' columns": ("json", {"header": False}),
    "pandas' split": ("json", {"orient": "split", "header": False}),
    "lines": ("ndjson", {}),
    "lines without header": ("ndjson", {"header": False}),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_both_ways_tell_how_far_they_are(way: str, threads: int) -> None:
    format, options = WAYS[way]
    told: list[tuple[int, int | None]] = []
    content = cn.encode(FRAME, format, threads=threads, progress=lambda *seen: told.append(seen), **options)
    assert told
    told.clear()
    found = cn.decode(content, format, threads=threads, progress=lambda *seen: told.append(seen))
    assert found.shape == (30_000, 8)
    assert told[-1] == (len(content), len(content))
    assert all(total is not None and 0 < done <= total <= len(content) for done, total in told)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_what_progress_raises_stops_reading(way: str, threads: int) -> None:
    format, options = WAYS[way]
    content = cn.encode(FRAME, format, **options)

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cn.decode(content, format, threads=threads, progress=stop)
