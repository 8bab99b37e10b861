"""Reading and writing JSON and NDJSON says how far it is, and stops when it is told to."""

from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

FRAME = {f"c{i}": np.random.default_rng(i).normal(size=30_000) for i in range(8)}
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "columns": ("json", {}),
    "records": ("json", {"orient": "records"}),
    "pandas' columns": ("json", {"orient": "columns"}),
    "pandas' split": ("json", {"orient": "split"}),
    "lines": ("ndjson", {}),
    "lines without header": ("ndjson", {}),
}


@each("threads", [1, 2])
@each("way", list(WAYS))
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


@each("threads", [1, 2])
@each("way", list(WAYS))
def test_what_progress_raises_stops_reading(way: str, threads: int) -> None:
    format, options = WAYS[way]
    content = cn.encode(FRAME, format, **options)

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cn.decode(content, format, threads=threads, progress=stop)


TOLD: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "latin-1": (
        "json",
        cn.encode({"é" * 40: np.arange(30_000)}, "json", orient="records").decode().encode("latin-1"),
        {"encoding": "latin-1"},
    ),
    "utf-16": ("ndjson", cn.encode(FRAME, "ndjson").decode().encode("utf-16"), {}),
    "columns by label": (
        "json",
        b'{"a": {'
        + b",".join(b'"%d": %d' % (i, i) for i in range(200_000))
        + b'}, "b": {'
        + b",".join(b'"%d": %d' % (i, i) for i in range(200_000))
        + b"}}",
        {},
    ),
    "yaml": ("yaml", cn.encode({"x": np.arange(3000)}, "yaml"), {}),
    "yaml of utf-16": ("yaml", cn.encode({"x": np.arange(3000)}, "yaml").decode().encode("utf-16"), {}),
}


@each("threads", [1, 2])
@each("name", list(TOLD))
def test_what_is_told_only_grows_up_to_the_size_of_the_input(name: str, threads: int) -> None:
    format, content, options = TOLD[name]
    told: list[tuple[int, int | None]] = []
    cn.decode(content, format, threads=threads, progress=lambda *seen: told.append(seen), **options)
    assert {total for _, total in told} == {len(content)}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == len(content)
