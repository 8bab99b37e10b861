"""Controls a relay of three processes from their parent, and measures the memory of the middle one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from colonnade_bench.memory import Watch
from colonnade_bench.process import Process

DATASET = "wire-100MB"
MODULE = "colonnade_bench.channels._relay"


def relay(cache: Path, count: int, dataset: str = DATASET) -> dict[str, Any]:
    """Sends `count` pieces as one message through a relay. Returns the growth of its memory over its idle state.

    In the idle state, connections exist and one small message has been relayed. Everything is imported, and every
    buffer of fixed size has been allocated.

    Returns
    -------
    dict
        private_nbytes and total_nbytes (growth of the relay's memory), nbytes sent, seconds, batches received, and
        whether rows and check sum arrived unchanged.
    """
    with tempfile.TemporaryDirectory(prefix="cn-bench-") as folder:
        paths = {name: f"{folder}/{name}.sock" for name in ("relay", "receiver")}
        common = {"cache": str(cache), "dataset": dataset}
        processes = []

        def start(role: str, **more: Any) -> Process:
            process = Process(role, MODULE, {**common, "role": role, **more})
            processes.append(process)
            return process

        try:
            receiver = start("receiver", path=paths["receiver"])
            middle = start("relay", to=receiver.answer()["address"], path=paths["relay"])
            receiver.answer()
            sender = start("sender", to=middle.answer()["address"])
            middle.answer()
            nbytes = sender.answer()["nbytes"]
            for number in (-1, count):
                for process in (receiver, middle):
                    process.tell({"count": number})
                middle.answer()
                with Watch(middle.popen.pid) as watch:
                    middle.tell({"go": True})
                    sender.tell({"count": number})
                    sent, got = sender.answer(), receiver.answer()
                    middle.answer()
            same = all(sent[name] == got[name] for name in ("sum", "nrows"))
            return {
                "kind": "relay",
                "dataset": dataset,
                "nbytes": nbytes * count,
                "private_nbytes": watch.growth["RssAnon"],
                "total_nbytes": watch.growth["total"],
                "seconds": sent["seconds"],
                "nbatches": got["nbatches"],
                "nrows": got["nrows"],
                "equal": same,
                "samples": watch.samples,
            }
        finally:
            for process in processes:
                process.kill()
