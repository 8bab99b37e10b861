"""Runs hostile Arrow bytes through the core in one child process with little memory, as `tests.sweep.mutants` does.

pyarrow fully validates all accepted data. Accepting data that it calls invalid is a failure.
"""

import io
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.sweep import mutants as sweep

RESIDENT = 96 << 20

# For each mode: the forced format, and whether a missing end is allowed.
MODES = [(format, allowed) for format in (None, "arrow", "arrows") for allowed in (False, True)]
STEPS = ("load", "arrow", "verify", "reader")


def run(job: dict[str, Any], resident: int = RESIDENT) -> list[dict[str, Any]]:
    """Return one result for each input and mode; raise AssertionError on a crash, a hang, or much memory.

    `job` is ``{"paths": [...]}``, ``{"hex": {name: text}}`` or ``{"source": path, "damage": "cut" | "flip"}``, with
    ``modes`` as `MODES`. A result holds name, format and allow_truncated; for each of `STEPS` the number of rows, or
    the class of the error (its text under ``<step>_message``).
    """
    results = sweep.run({"modes": MODES} | job, "tests.sweep.arrow", resident)
    untyped = [result for result in results if "untyped" in result.values()]
    assert not untyped, f"{len(untyped)} inputs with errors of no type, such as {untyped[:3]}"
    return results


def _looks(content: bytes, path: str, format: str | None, allowed: bool) -> dict[str, Callable[[], int]]:
    import numpy as np
    import pyarrow as pa

    from colonnade import Limits, _core
    from tests.helpers.arrow_look import validate

    cls: Any = _core.ArrowReadOptions if format == "arrow" else _core.ArrowsReadOptions
    options = cls(limits=Limits(), threads=2, allow_truncated=allowed)

    def check(core: Any) -> int:
        for position in range(core.ncols):
            column = core.column(position)
            if isinstance(column, np.ndarray):
                column.tobytes()
                continue
            try:
                array = pa.array(column)
            except KeyError:  # pyarrow wraps no month intervals
                continue
            validate(array)
        return core.nrows

    def load() -> int:
        opened = _core.File.open_buffer(content, options=options)
        opened.members(), opened.dtypes(), opened.batch_rows()
        return check(opened.load())

    def arrow() -> int:
        opened = _core.File.open_path(path, mmap=True, options=options)
        whole = sum(check(core) for core in opened.load_arrow())
        each = sum(check(opened.batch(position)) for position in range(opened.facts()["nbatches"]))
        assert whole == each
        return whole

    def verify() -> int:
        opened = _core.File.open_buffer(content, options=options)
        opened.verify()
        return opened.nrows

    def reader() -> int:
        source = io.BytesIO(content)
        opened = _core.Reader.open_callable(source.readinto, options=options)
        opened.schema()
        return sum(check(core) for core in iter(opened.next_batch, None))

    looks = {"load": load, "arrow": arrow, "verify": verify}
    return looks | {"reader": reader} if format == "arrows" else looks


def _main() -> None:
    import colonnade  # noqa: F401  before memory is counted
    import tests.helpers.arrow_look  # noqa: F401

    job = json.loads(sys.stdin.read())
    in_use = sweep.confine()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        for name, content in sweep.inputs(job):
            path.unlink(missing_ok=True)  # a new file: an old map stays what it was
            path.write_bytes(content)
            for format, allowed in job["modes"]:
                result: dict[str, Any] = {"name": name, "format": format, "allow_truncated": allowed}
                for step, look in _looks(content, str(path), format, allowed).items():
                    sweep.look(result, step, look)
                print(json.dumps(result), flush=True)
    sweep.summarise(in_use)


if __name__ == "__main__":
    _main()
