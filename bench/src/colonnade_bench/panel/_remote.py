"""The writing end of a cell whose reading end is another host that runs `colonnade bench serve`."""

from __future__ import annotations

import json
from typing import Any

from colonnade_bench._parent import Parent
from colonnade_bench.panel import _end
from colonnade_bench.panel._meter import Meter, clock

PINGS = 9
TOLD = ("decode_s", "usable_s", *_end.OF_A_HALF)
"""The figures that the other host reports for each table."""


class RemoteEnd(_end.CellEnd):
    """Encodes here, sends, and waits until the other host has decoded and touched everything.

    Two hosts have two clocks. The time therefore ends with the answer, minus the time of its way back (half a ping).
    """

    def __init__(self, parent: Parent, task: dict[str, Any]) -> None:
        import colonnade as cn

        super().__init__(parent, task)
        self.connection = cn.connect(task["remote"], **task.get("remote_options", {}))

    def rehearse(self) -> None:
        super().rehearse()
        for name, frame in self.few.items():
            self.passed_on(name, self.engine.encode(frame, self.cell))

    def asked(self, **words: Any) -> None:
        self.connection.send_bytes(json.dumps(words).encode())

    def heard(self) -> dict[str, Any]:
        words: dict[str, Any] = json.loads(self.connection.receive_bytes())
        if words["word"] == "failed":
            raise RuntimeError(words["error"])
        return words

    def back_s(self) -> float:
        """Returns half a ping, the median of some."""
        found = []
        for _ in range(PINGS):
            start = clock()
            self.asked(word="ping")
            self.heard()
            found.append(clock() - start)
        return sorted(found)[PINGS // 2] / 2

    def passed_on(self, name: str, payload: Any) -> dict[str, Any]:
        self.asked(word="decode", cell=self.cell.to_json(), name=name, nbytes=memoryview(payload).nbytes)
        self.connection.send_bytes(payload)
        return self.heard()

    def both(self) -> dict[str, Any]:
        back_s = self.back_s()
        encode_s, nbytes = 0.0, 0
        answers: dict[str, dict[str, Any]] = {}
        with Meter() as meter:
            for name, frame in self.tables.items():
                start = clock()
                payload = self.engine.encode(frame, self.cell)
                encode_s += clock() - start
                nbytes += memoryview(payload).nbytes
                answers[name] = self.passed_on(name, payload)
        elapsed = meter.found["elapsed_s"] - back_s * len(self.tables)  # the other host answers once for each table
        of_all = {name: [answer.get(name, 0) for answer in answers.values()] for name in TOLD}
        there = {name: (max if name == "peak_nbytes" else sum)(values) for name, values in of_all.items()}
        usable_s = there.pop("usable_s")
        return {
            **meter.found,
            "write": {name: meter.found[name] for name in _end.OF_A_HALF},
            "read": {name: there[name] for name in _end.OF_A_HALF},
            "elapsed_s": elapsed,
            "encode_s": encode_s,
            "decode_s": there["decode_s"],
            "open_s": elapsed - (usable_s - there["decode_s"]),
            "usable_s": elapsed,
            "nbytes": nbytes,
            "back_s": back_s,
            "rows": {name: answer["rows"] for name, answer in answers.items()},
        }
