"""Runs children, one job at a time, and starts them again where one ends or takes too long."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.helpers.corpora import ROOT

from . import outcomes
from .inputs import Input

SECONDS = 30


@dataclass(frozen=True)
class Result:
    """The outcome of one file and one other reader."""

    input: Input
    peer: str
    outcome: str
    text: str


@dataclass
class Child:
    """A child process, started when it is needed."""

    process: subprocess.Popen[str] | None = None
    timer: threading.Timer | None = None
    late: bool = False

    def results(self, input: Input, peers: list[str]) -> Iterator[Result]:
        """The results of one file. A child that ends is replaced, and asked for the readers that are left."""
        left = list(peers)
        tried: set[str] = set()
        while left:
            step = "ours"
            for told in self.answers(input, left):
                if "outcome" not in told:
                    step = told["step"]
                    continue
                left.remove(told["peer"])
                yield Result(input, told["peer"], told["outcome"], told["text"])
            if not left:
                return
            # A reader before may have damaged the memory of the child, so a new one tries once more.
            if left[0] in tried:
                how = (
                    f"in {'Colonnade' if step == 'ours' else left[0]}: {'too slow' if self.late else 'the child ended'}"
                )
                outcome = outcomes.FINDING if step == "ours" else outcomes.PEER_ENDED
                yield Result(input, left.pop(0), outcome, how)
            else:
                tried.add(left[0])

    def answers(self, input: Input, peers: list[str]) -> Iterator[dict[str, Any]]:
        """The lines that the child prints for a job, until all readers have answered or the child ends."""
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, "-m", "scripts.oracles.child"]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, bufsize=1
            )
            self.late = False
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        job = {"format": input.format, "path": input.path, "skip": input.skip, "peers": peers}
        try:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return
        waiting = len(peers)
        while waiting:
            timer = threading.Timer(SECONDS, self.stop)
            timer.start()
            line = process.stdout.readline()
            timer.cancel()
            if not line:
                process.wait()
                return
            told = json.loads(line)
            waiting -= "outcome" in told
            yield told

    def stop(self) -> None:
        """End the child."""
        self.late = True
        if self.process is not None:
            self.process.kill()

    def close(self) -> None:
        """End the child where nothing is left to do."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
