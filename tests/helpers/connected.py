"""Helpers for the tests of connections."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

import colonnade as cn

FRAME = pd.DataFrame(
    {
        "id": np.arange(6, dtype="int32"),
        "price": [1.5, -0.0, np.nan, 2.5, 3.5, 4.5],
        "name": ["a", "b", None, "", "é", "f"],
        "when": pd.date_range("2024-01-01", periods=6, tz="UTC"),
        "kind": pd.Categorical(list("abcabc")),
    },
    index=pd.Index(range(10, 16), name="row"),
)


@contextmanager
def pair(**options: Any) -> Iterator[tuple[cn.Connection, cn.Connection]]:
    """Two connections, each the other's peer."""
    ours, theirs = socket.socketpair()
    with ours, theirs, cn.connect(ours, **options) as here, cn.connect(theirs, **options) as there:
        # The connections duplicate the descriptors. The end of input must arrive when the duplicates close.
        ours.close()
        theirs.close()
        yield here, there


@contextmanager
def facing_socket(**options: Any) -> Iterator[tuple[cn.Connection, socket.socket]]:
    """A connection whose peer is a bare socket."""
    ours, theirs = socket.socketpair()
    with ours, theirs, cn.connect(ours, **options) as here:
        ours.close()
        yield here, theirs


@contextmanager
def beside(work: Callable[[], Any]) -> Iterator[list[Any]]:
    """Run `work` in another thread meanwhile. The list gets its result; its exception is raised at the end."""
    done: list[Any] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield done
    thread.join(60)
    assert not thread.is_alive(), "the other thread waits for something that does not come"
    if failed:
        raise failed[0]
