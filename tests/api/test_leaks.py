"""Ten thousand reads and writes leave no memory, descriptor or object behind."""

import contextlib
import gc
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import colonnade as cn

pytestmark = pytest.mark.exhaustive

FORMATS = ("npz", "arrow", "parquet", "msgpack", "csv", "json", "ndjson", "yaml")
ROUNDS = 1250
WARM = 250
SLACK_NBYTES = 8 << 20


def held() -> tuple[int, int, int]:
    """Resident bytes, descriptors and Python objects of this process."""
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    return resident, len(os.listdir("/proc/self/fd")), len(gc.get_objects())


def check_flat(work: Callable[[], Any], rounds: int = ROUNDS) -> None:
    for _ in range(WARM):
        work()
    memory, descriptors, objects = held()
    for _ in range(rounds - WARM):
        work()
    memory_after, descriptors_after, objects_after = held()
    assert descriptors_after == descriptors
    assert objects_after - objects < 100
    assert memory_after - memory < SLACK_NBYTES


@pytest.mark.parametrize("format", FORMATS)
def test_files(tmp_path: Path, format: str) -> None:
    frame = pd.DataFrame({"n": range(500), "text": [f"text {n}" for n in range(500)]})
    path = tmp_path / f"frame.{format}"
    settings: dict[str, Any] = {"schema": "header"} if format in ("csv", "json", "ndjson", "yaml") else {}

    def work() -> None:
        cn.write(frame, path, **settings)
        cn.read(path).to_pandas()

    check_flat(work)


@pytest.mark.parametrize("format", FORMATS)
def test_refusals(format: str) -> None:
    content = cn.encode({"n": list(range(100))}, format)[:-20]

    def work() -> None:
        with contextlib.suppress(cn.ColonnadeError):
            cn.decode(content, format=format).to_pandas()

    check_flat(work)
