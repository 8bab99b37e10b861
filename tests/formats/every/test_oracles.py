"""`scripts/oracles`, which compares Colonnade with other readers, on golden files: all agree, and a change is seen."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("duckdb")
pytest.importorskip("msgpack")
pytest.importorskip("pyarrow")
pytest.importorskip("yaml")

import colonnade as cn
from scripts.oracles import crates, outcomes
from scripts.oracles.batches import Result
from scripts.oracles.child import answer
from scripts.oracles.inputs import FORMATS, golden
from scripts.oracles.outcomes import File
from scripts.oracles.peers import PEERS
from scripts.oracles.rules import rule_of
from tests.helpers.each import each

# What another reader cannot read: zstd in a ZIP before Python 3.14, and times that DuckDB cannot convert.
LACKING = {
    ("zstd.npz", "numpy"),
    ("zstd.npz", "zipfile"),
    ("flat_times.parquet", "DuckDB"),
}


@pytest.fixture(scope="module", autouse=True)
def _crates() -> None:
    crates.build()


@each("format", FORMATS)
def test_other_readers_see_the_same_in_golden_files(format: str) -> None:
    results = []
    for file in golden(format):
        told: list[dict[str, Any]] = []
        job = {"format": format, "path": file.path, "skip": 0, "peers": list(PEERS[format])}
        answer(job, told.append)
        results += [Result(file, one["peer"], one["outcome"], one["text"]) for one in told if "outcome" in one]
    assert results
    for result in results:
        if result.outcome != outcomes.EQUAL and rule_of(result) is None:
            assert (result.outcome, (result.input.path.rpartition("/")[2], result.peer)) in [
                (outcomes.ONLY_WE, lacking) for lacking in LACKING
            ], result


CHANGES = {
    "integer": (np.array([1, 2, 3]), np.array([1, 2, 4])),
    "sign of zero": (np.array([0.5, 0.0]), np.array([0.5, -0.0])),
    "last bit": (np.array([0.1]), np.nextafter([0.1], 1)),
    "text": (np.array(["x", "y"]), np.array(["x", "z"])),
    "rows": (np.array([1, 2]), np.array([1, 2, 3])),
}


@each("format", FORMATS)
@each("name", list(CHANGES))
def test_a_change_is_seen(format: str, name: str) -> None:
    one, other = (
        File(format, cn.encode(values if format == "npy" else {"a": values}, format), 0) for values in CHANGES[name]
    )
    for peer in PEERS[format].values():
        assert peer.difference(peer.ours(one), peer.theirs(one)) is None
        assert peer.difference(peer.ours(one), peer.theirs(other)) is not None
