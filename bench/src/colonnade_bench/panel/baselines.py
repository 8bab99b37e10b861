"""Measures the figures behind an answer, besides the race: the floors, and the whole way of the winner."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from colonnade_bench.panel import measure_link as links
from colonnade_bench.panel import sample
from colonnade_bench.panel.answer import Answer, Walk
from colonnade_bench.panel.track import Processes, cell_of
from colonnade_bench.process import Process

REPETITIONS = 7
"""Repetitions of a copy and of the whole way, after a first one that is not counted."""


def floors(taken: sample.Sample, way: links.Link) -> dict[str, float]:
    """Returns seconds that no format can beat with raw values: one copy in memory, the link, a disk."""
    import numpy as np

    place = np.ones(taken.sample_nbytes, dtype=np.uint8)
    copies = []
    for _ in range(1 + REPETITIONS):
        start = time.perf_counter()
        place.copy()
        copies.append(time.perf_counter() - start)
    disk = way if way.write_bps is not None else links.measure_disk(Path(tempfile.gettempdir()))
    return {
        "memcpy": statistics.median(copies[1:]) * taken.scale,
        "raw bytes": 8 * taken.nbytes / way.bps + way.delay_s,
        "write + fsync": 8 * taken.nbytes / (disk.write_bps or disk.bps),
    }


def walked(answer: Answer, track: Processes, security: Mapping[str, Any]) -> Walk:
    """Measures the whole way of the winner, with the taken data. For a sample these are the sample's seconds.

    Raises
    ------
    EndError
        The way fails: the peer has gone, the disk is full.
    """
    way, winner = answer.link, answer.winner
    task = {
        "cell": cell_of(winner.entrant, "memory").to_json(),
        "tables": str(track.kept),
        "to": way.where,
        "peer": not way.disk,
        "options": dict(security),
        "repetitions": 1 + REPETITIONS,
    }
    process = Process("path", "colonnade_bench.panel._path", task)
    try:
        found = [process.answer(track.place.patience_s) for _ in range(1 + REPETITIONS)][1:]
    finally:
        process.kill()
    parts = {name: statistics.median(one[name] for one in found) for name in ("encode_s", "move_s", "decode_s")}
    candidate = winner.candidate()
    model_s = candidate.cpu_s() + candidate.bits() / way.bps + way.delay_s
    return Walk(**parts, total_s=statistics.median(sum(one.values()) for one in found), model_s=model_s)
