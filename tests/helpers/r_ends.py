"""Two tables, and processes of R that are led by words as the panel's ends are."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from colonnade_bench.cell import Cell
from colonnade_bench.engines.r_base import PROGRAMS, REngine
from colonnade_bench.engines.r_engines import R_ENGINES

ENGINES = {engine.name: engine for engine in R_ENGINES}
PATIENCE_S = 60


def tables() -> dict[str, pd.DataFrame]:
    """Two tables, the first longer than what a pipe holds, the second with what text formats trip over."""
    nrows = 3000
    numbers = np.arange(nrows)
    times = pd.date_range("2013-01-01", periods=nrows, freq="h", tz="America/New_York")
    first = pd.DataFrame(
        {"n": numbers.astype("int32"), "x": numbers / 7, "when": times, "text": [f"no {k}" for k in numbers]}
    )
    first.loc[3, "x"] = np.nan
    words = ["a,b", 'say "x"', None, "two\nlines", "naïve ☃", ""]
    second = pd.DataFrame({"word": words, "yes": [True, False, True, True, False, True]})
    second["kind"] = pd.Categorical(["u", "v", "u", None, "v", "u"], categories=["v", "u", "w"])
    return {"first": first, "second": second}


class RProcess:
    """One end, and its words."""

    def __init__(self, cell: Cell, role: str, handed: Path, directory: Path, **more: Any) -> None:
        task = {"role": role, "cell": cell.to_json(), "handed": str(handed), "directory": str(directory), **more}
        argv = ENGINES[cell.engine].program(task) if cell.engine in ENGINES else REngine().program(task)
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tell(**task)

    def tell(self, **words: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def hear(self, word: str | None = None) -> dict[str, Any]:
        assert self.process.stdout is not None
        said: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert word is None or said.get("word") == word, said
        return said


@contextmanager
def started(cell: Cell, role: str, handed: Path, directory: Path, **more: Any) -> Iterator[RProcess]:
    end = RProcess(cell, role, handed, directory, **more)
    try:
        yield end
    finally:
        end.process.kill()
        end.process.communicate(timeout=PATIENCE_S)


def cell_of(engine: str, form: str, codec: str = "none", transport: str = "memory", **options: Any) -> Cell:
    return Cell("two", "data.frame", engine, form, codec, transport, 1.0, tuple(options.items()))


def passed(
    cell: Cell, handed: Path, directory: Path, repetitions: int = 1
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What writer and reader said of each repetition."""
    out = []
    with ExitStack() as stack:
        if cell.transport in ("memory", "buffer"):
            end = stack.enter_context(started(cell, "both", handed, directory))
            end.hear("loaded")
            for _ in range(repetitions):
                end.tell(word="go", check=True)
                end.hear("ready")
                done = end.hear("done")
                out.append((done, done))
            end.tell(word="exit")
            assert end.process.wait(PATIENCE_S) == 0
            return out
        writer = stack.enter_context(started(cell, "write", handed, directory))
        reader = stack.enter_context(started(cell, "read", handed, directory))
        assert writer.hear("loaded")["nrows"] == 3006
        reader.hear("loaded")
        for _ in range(repetitions):
            if cell.transport != "file":
                reader.tell(word="listen")
                writer.tell(word="dial", address=reader.hear("listening")["address"])
                writer.hear("ready")
                reader.hear("ready")
                reader.tell(word="go", check=True)
            writer.tell(word="go")
            if cell.transport == "file":
                writer.hear("ready")
                wrote = writer.hear("done")
                reader.tell(word="go", check=True)
                reader.hear("ready")
                out.append((wrote, reader.hear("done")))
            else:
                out.append((writer.hear("done"), reader.hear("done")))
    return out


def checked(cell: Cell, handed: Path, directory: Path) -> dict[str, Any]:
    with started(cell, "check", handed, directory) as end:
        return end.hear("checked")


def r(program: str, *parts: str, argument: Path | None = None) -> str:
    """What a program says after these parts of the end were read."""
    sources = "".join(f'source("{PROGRAMS / part}.R"); ' for part in parts)
    argv = ["Rscript", "--vanilla", "-e", sources + program, *([str(argument)] if argument else [])]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    return done.stdout
