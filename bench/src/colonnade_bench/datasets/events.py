"""Generates jagged events as in particle physics. The same seed gives the same events.

Muons: 0 to about 8 a row, 1.5 on average, many rows have none. Jets: 0 to about 15, 4 on average. Both are in falling
order of pt. A jet's constituents are positions in a list of particles, or null if none were matched. Triggers are names
of a small menu, or null if the trigger was not read out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SEED = 20201115
MENU = ("HLT_Mu24", "HLT_Mu50", "HLT_Ele32", "HLT_Jet500", "HLT_MET120", "HLT_DoubleMu", "HLT_Photon200", "HLT_Tau180")


def events(nrows: int, seed: int = SEED) -> Any:
    """Returns a pyarrow Table of `nrows` events.

    >>> table = events(100)
    >>> table.column_names
    ['run', 'event', 'met', 'muon', 'jet', 'weight', 'trigger']
    >>> table.equals(events(100))
    True
    """
    import pyarrow as pa

    rng = np.random.default_rng(seed)

    nmuons = rng.poisson(1.5, nrows)
    muons = int(nmuons.sum())
    muon = records(
        pt=falling(nmuons, 5 + rng.exponential(30, muons)),
        eta=single(np.clip(rng.normal(0, 1.2, muons), -2.4, 2.4)),
        phi=single(rng.uniform(-np.pi, np.pi, muons)),
        charge=rng.choice(np.array([-1, 1], np.int8), muons),
    )

    njets = rng.poisson(4.0, nrows)
    jets = int(njets.sum())
    matched = rng.random(jets) > 0.1
    nparts = np.where(matched, rng.poisson(5.0, jets), 0)
    parts = rng.integers(0, 2000, int(nparts.sum()), dtype=np.int32)
    jet = records(
        pt=falling(njets, 20 + rng.exponential(50, jets)),
        eta=single(np.clip(rng.normal(0, 1.9, jets), -4.7, 4.7)),
        phi=single(rng.uniform(-np.pi, np.pi, jets)),
        mass=single(rng.gamma(4.0, 3.0, jets)),
        btag=single(rng.beta(0.4, 2.0, jets)),
        constituents=lists(nparts, pa.array(parts), matched),
    )

    read_out = rng.random(nrows) > 0.02
    nfired = np.where(read_out, rng.binomial(3, 0.3, nrows), 0)
    fired = pa.array(MENU).take(pa.array(rng.integers(0, len(MENU), int(nfired.sum()))))

    runs = np.arange(nrows, dtype=np.int64) * 12 // max(nrows, 1) + 362_000
    return pa.table(
        {
            "run": runs.astype(np.int32),
            "event": np.cumsum(rng.integers(1, 2000, nrows)),
            "met": records(
                pt=single(rng.gamma(2.0, 20.0, nrows)), phi=single(rng.uniform(-np.pi, np.pi, nrows))
            ),
            "muon": lists(nmuons, muon),
            "jet": lists(njets, jet),
            "weight": rng.normal(1.0, 0.2, nrows),
            "trigger": lists(nfired, fired, read_out),
        }
    )  # fmt: skip


def single(values: np.ndarray) -> np.ndarray:
    """Rounds values to single precision, as such quantities are usually stored."""
    return values.astype(np.float32)


def falling(counts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sorts the values of each row in falling order. `counts` gives the number of values in each row."""
    rows = np.repeat(np.arange(len(counts)), counts)
    return single(values[np.lexsort((-values, rows))])


def records(**fields: Any) -> Any:
    """Returns a pyarrow StructArray without nulls."""
    import pyarrow as pa

    return pa.StructArray.from_arrays([pa.array(field) for field in fields.values()], names=list(fields))


def lists(counts: np.ndarray, values: Any, valid: np.ndarray | None = None) -> Any:
    """Returns a pyarrow ListArray with `counts` values in each row. A row that is not `valid` is null."""
    import pyarrow as pa

    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = [bits, pa.py_buffer(offsets)]
    return pa.Array.from_buffers(pa.list_(values.type), len(counts), buffers, children=[values])
