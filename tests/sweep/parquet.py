"""Runs hostile Parquet files through the public API in a child process of little memory, see `tests.sweep.mutants`.

pyarrow fully validates all accepted data. Accepting data that it calls invalid is a failure.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.sweep import mutants as sweep

RESIDENT = 96 << 20
STEPS = ("pandas", "arrow", "batches", "inspect", "verify")


def run(job: dict[str, Any], resident: int = RESIDENT) -> list[dict[str, Any]]:
    """Return one result for each input; raise AssertionError on a crash, a hang, much memory, or an untyped error.

    `job` is ``{"paths": [...]}``, ``{"hex": {name: text}}`` or ``{"source": path, "damage": "cut" | "flip"}``. A result
    holds for each of `STEPS` the number of rows, or the class of the error (its text under ``<step>_message``).
    """
    results = sweep.run(job, "tests.sweep.parquet", resident)
    untyped = [result for result in results if {"untyped", "invalid"} & {result[step] for step in STEPS}]
    assert not untyped, f"{len(untyped)} inputs with errors of no type, such as {untyped[:3]}"
    return results


def _looks(content: bytes, path: Path) -> dict[str, Callable[[], int]]:
    import colonnade as cn

    def arrow() -> int:
        table = cn.read(content, format="parquet").to_arrow()
        table.validate(full=True)
        return int(table.num_rows)

    def batches() -> int:
        with cn.open_reader(path) as reader:
            return sum(len(frame.to_pandas()) for frame in reader)

    def inspect() -> int:
        info = cn.inspect(path)
        repr(info), str(info)
        return 0 if info.shape is None else info.shape[0]  # a damaged file has a note instead

    def verify() -> int:
        cn.verify(path)
        return 0

    return {
        "pandas": lambda: len(cn.read(path).to_pandas()),
        "arrow": arrow,
        "batches": batches,
        "inspect": inspect,
        "verify": verify,
    }


def _main() -> None:
    import pyarrow as pa

    import colonnade as cn

    job = json.loads(sys.stdin.read())
    cn.read(cn.encode(pa.table({"a": [1], "s": ["x"]}), "arrow")).to_pandas()  # imports, before memory is counted
    in_use = sweep.confine()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input.parquet"
        for name, content in sweep.inputs(job):
            path.unlink(missing_ok=True)  # a new file: an old map stays what it was
            path.write_bytes(content)
            result: dict[str, Any] = {"name": name}
            for step, look in _looks(content, path).items():
                sweep.look(result, step, look)
            print(json.dumps(result), flush=True)
    sweep.summarise(in_use)


if __name__ == "__main__":
    _main()
