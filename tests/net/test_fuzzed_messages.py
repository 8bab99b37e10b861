"""Frames with a few bits changed on their way: typed errors or other values, never a crash, a hang or a panic."""

import random
import socket
from functools import cache
from typing import Any

import numpy as np

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, columns, frame_message, unannounced
from tests.helpers.each import each

WORDS = (b"\x00" * 8, b"\xff" * 8, b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\xff" * 7 + b"\x7f", b"\x01")
BLOCKS = [range(start, start + 500) for start in range(0, 3000, 500)]


@cache
def frames() -> tuple[bytes, ...]:
    made = [
        frame_message("", columns(50)).wire,
        frame_message("", columns(50), batch_nbytes=256).wire,
        frame_message("", columns(50), compression="zstd").wire,
        frame_message("", np.asfortranarray(np.arange(600.0).reshape(100, 6)), batch_nbytes=512).wire,
        unannounced(columns(50)),
    ]
    try:
        import pyarrow as pa
    except ImportError:
        return tuple(made)
    nested = {"l": [[1, 2], None, [3]] * 10, "s": [{"a": 1}, None, {"a": 3}] * 10, "b": [True, None, False] * 10}
    table = pa.table({**nested, "d": pa.array(["u", "v", "u"] * 10).dictionary_encode(), "n": pa.nulls(30)})
    return (*made, frame_message("", table).wire, frame_message("", table, batch_nbytes=256, compression="lz4").wire)


def damaged(rng: random.Random) -> bytes:
    wire = bytearray(rng.choice(frames()))
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(wire))
        if rng.randrange(2):
            wire[at] ^= 1 << rng.randrange(8)
        else:
            word = rng.choice(WORDS)
            at -= at % len(word)
            wire[at : at + len(word)] = word
    return bytes(wire[: rng.randrange(len(wire))] if rng.randrange(10) == 0 else wire)


@each("seeds", list(BLOCKS), ids=lambda block: f"{block.start}..{block.stop - 1}")
def test_damage_is_an_error_or_another_value(seeds: range) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        wire = damaged(rng)
        near, far = socket.socketpair()
        with near, far, cn.connect(near) as connection:
            try:
                cut = rng.randrange(len(wire) + 1)
                far.sendall(wire[:cut])
                connection.poll(0.0)
                far.sendall(wire[cut:])
                far.shutdown(socket.SHUT_WR)
                look_at(connection, rng)
            except (cn.ColonnadeError, EOFError):
                pass
            except ValueError as error:
                # Ours as pyarrow hands it on, from a column that it asked for.
                assert str(error).startswith("arrow: "), seed  # noqa: PT017
            except BaseException as error:
                error.add_note(f"the damage of seed {seed}")
                raise


def look_at(connection: cn.Connection, rng: random.Random) -> None:
    found: list[Any] = []
    if rng.randrange(3) == 0:
        with cn.open_reader(connection) as reader:
            found += reader
    else:
        found.append(connection.receive(timeout_s=PATIENCE_S))
    for frame in found:
        frame.to_native()
        repr(frame)
    while True:
        connection.receive_bytes(timeout_s=PATIENCE_S)
