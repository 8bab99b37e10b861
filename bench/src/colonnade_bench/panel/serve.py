"""``colonnade bench serve URL``: runs the other host. It answers pings, receives raw bytes, and decodes a panel's data.

It follows the rules of every connection: ``tcp://`` only on this machine, ``tls://`` with certificates or a token
beyond it. It refuses formats that can run code when they are read, such as pickle, unless ``--trust-peers`` is given.
`peer` describes the requests. ``{"word": "decode", "cell": {...}, "nbytes": n}`` announces a table. The answer is
``{"word": "decoded", "decode_s": s, "rows": n}`` when every value has been touched. It also gives the processor time
and memory of decoding.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from typing import Any

from colonnade.cli.security import add_security, security_of
from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.measure import touch_all
from colonnade_bench.panel._meter import Meter, clock


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the arguments: the address to listen on, and the peers that may connect."""
    command.add_argument("url", nargs="?", default="tcp://127.0.0.1:7777", help="tcp:// (this machine), tls://, unix:")
    add_security(command)
    command.add_argument("--trust-peers", action="store_true", help="also decode formats that can run code, as pickle")


def main(arguments: argparse.Namespace) -> int:
    """Serves until Ctrl-C."""
    server = Server(arguments.url, trust=arguments.trust_peers, **security_of(arguments))
    print(f"listening at {server.url}; Ctrl-C ends it", file=sys.stderr, flush=True)
    try:
        server.run()
    except KeyboardInterrupt:
        return 0
    finally:
        server.close()
    return 0


class Server:
    """Accepts peers and answers each in a thread of its own.

    Attributes
    ----------
    url : str
        The address for peers, with the actual port.
    """

    def __init__(self, url: str, *, trust: bool = False, **options: Any) -> None:
        import colonnade as cn

        self.trust = trust
        self.listener = cn.listen(url, **options)
        self.url = self.listener.url

    def run(self) -> None:
        """Runs until the listener is closed."""
        while True:
            connection = self.listener.accept()
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def close(self) -> None:
        self.listener.close()

    def answer(self, connection: Any) -> None:
        """Answers one peer until it disconnects.

        The answer to a wrong request is an error, and the connection stays.
        """
        from colonnade.errors import ColonnadeError

        with connection:
            try:
                while True:
                    told = json.loads(connection.receive_bytes())
                    connection.send_bytes(json.dumps(self.reply(told, connection)).encode())
            except (ColonnadeError, OSError, EOFError, ValueError):
                return

    def reply(self, told: dict[str, Any], connection: Any) -> dict[str, Any]:
        """Returns the answer to one request. It always receives the announced data."""
        word = told.get("word") if isinstance(told, dict) else None
        if word == "ping":
            return {"word": "pong"}
        if word == "echo":
            start = time.perf_counter()
            connection.receive_bytes()
            return {"word": "took", "seconds": time.perf_counter() - start}
        if word == "decode":
            payload = connection.receive_bytes()
            try:
                return self.decoded(Cell.from_json(told["cell"]), payload)
            except Exception as error:  # any error of an engine becomes a row on the other side
                return {"word": "failed", "error": f"{type(error).__name__}: {error}"[:400]}
        return {"word": "failed", "error": f'bench serve: unknown word "{word}"; known: ping, echo, decode'}

    def decoded(self, cell: Cell, payload: Any) -> dict[str, Any]:
        """Decodes one table, touches it and drops it."""
        engine = ENGINES[cell.engine]
        if engine.runs_code and not self.trust:
            raise PermissionError(
                f"reading {cell.format} can run code: start serve with --trust-peers if you trust peers"
            )
        with Meter() as meter:
            frame = engine.decode(payload, cell)
            opened = clock()
            touch_all(LIBRARIES[cell.library].buffers(frame))
        used = {name: meter.found[name] for name in ("user_s", "system_s", "peak_nbytes")}
        times = {"decode_s": opened - meter.start, "usable_s": meter.found["elapsed_s"]}
        return {"word": "decoded", **times, **used, "rows": len(frame)}
