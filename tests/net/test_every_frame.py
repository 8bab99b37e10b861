"""Every case of every library through a connection, in random pieces: it lands as it was, wherever a piece ends."""

import importlib
import random
import socket
from typing import Any

import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, frame_message
from tests.helpers.each import each
from tests.helpers.ways import LARGE

LIBRARIES = ("awkward", "numpy", "pandas", "polars", "pyarrow", "static_frame")
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "small batches": {"batch_nbytes": 64},
    "packed small batches": {"batch_nbytes": 64, "compression": "lz4"},
}


@each("name", list(OPTIONS))
@each("library", list(LIBRARIES))
def test_every_case(library: str, name: str) -> None:
    pytest.importorskip(library)
    cases: Any = importlib.import_module(f"colonnade.testing.cases_{library}")
    for case, make in cases.CASES.items():
        # Thousands of small batches would take ten seconds.
        if case in LARGE and name != "plain":
            continue
        try:
            goes_through(cases, make(), OPTIONS[name], random.Random(f"{library} {case} {name}"))
        except BaseException as error:
            error.add_note(f"the case {case!r}")
            raise


def goes_through(cases: Any, data: Any, options: dict[str, Any], rng: random.Random) -> None:
    wire = frame_message("case", data, **options).wire
    near, far = socket.socketpair()
    with near, far, cn.connect(near) as connection:
        far.settimeout(PATIENCE_S)
        at = 0
        while at < len(wire):
            size = rng.choice((1, 3, 8, 64, rng.randrange(1, 300), 1000))
            # Thousands of columns would take too many pieces.
            piece = wire[at : at + size * (1 if len(wire) < 20_000 else 100)]
            far.sendall(piece)
            at += len(piece)
            if at < len(wire):
                assert connection.poll(0.0) is False
        found = connection.receive(timeout_s=PATIENCE_S).to_native()
        cases.assert_identical(data, found)
