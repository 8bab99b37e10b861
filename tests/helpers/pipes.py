"""Pipes that a thread writes to while a test reads."""

import os
import threading


def piped(*pieces: bytes) -> int:
    """The reading end of a pipe. A thread writes each piece with one call, then closes the pipe."""
    ours, theirs = os.pipe()

    def fill() -> None:
        with open(theirs, "wb", buffering=0) as file:
            for piece in pieces:
                file.write(piece)

    threading.Thread(target=fill, daemon=True).start()
    return ours
