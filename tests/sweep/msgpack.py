"""Runs hostile MessagePack bytes through every function that reads them, in a child process; see `tests.sweep.mutants`.

pyarrow fully validates all accepted data. Accepting data that it calls invalid is a failure.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.sweep import mutants as sweep

RESIDENT = 96 << 20


def run(job: dict[str, Any], resident: int = RESIDENT) -> list[dict[str, Any]]:
    """Return one result for each input; raise AssertionError on a crash, a hang, or much memory.

    `job` is ``{"hex": {name: text}}`` or ``{"source": path, "damage": "cut" | "flip"}``. A result holds of each way in
    ``"data"``, or the class of the error, and its text under ``<way>_message``.
    """
    results = sweep.run(job, "tests.sweep.msgpack", resident)
    untyped = [result for result in results if "untyped" in result.values()]
    assert not untyped, f"{len(untyped)} inputs with errors of no type, such as {untyped[:3]}"
    invalid = [result for result in results if "invalid" in result.values()]
    assert not invalid, f"{len(invalid)} inputs with invalid arrays, such as {invalid[:3]}"
    return results


def _kind_of(content: bytes, error: BaseException) -> str | None:
    if isinstance(error, ConnectionError):
        return type(error).__name__
    if type(error) is EOFError and not content:  # of a connection without input
        return "EOFError"
    # Arrow's C interface cannot represent names with NUL, so they are refused.
    text = str(error)
    refused = type(error).__name__ == "ArrowInvalid" and "Null byte" in text and "not allowed in name" in text
    return "ArrowInvalid" if refused else None


def _main() -> None:
    import pyarrow as pa

    import colonnade as cn
    from tests.helpers.arrow_look import validate
    from tests.helpers.msgpack_look import received

    def validated(look: Callable[[bytes], Any], content: bytes) -> str:
        table = look(content)
        for column in table.columns if table is not None else ():
            for chunk in column.chunks:
                validate(chunk)
        return "data"

    def pandas(content: bytes) -> None:
        cn.decode(content, "msgpack", threads=1).to_pandas()

    looks: dict[str, Callable[[bytes], Any]] = {
        "decode": lambda content: cn.decode(content, "msgpack", threads=2).to_arrow(),
        "rows": lambda content: cn.decode(content, "msgpack", threads=1, rows=slice(1, 2)).to_arrow(),
        "bytes": lambda content: cn.decode(content, "msgpack", ext="bytes", invalid_utf8="bytes").to_arrow(),
        "pandas": pandas,
        "message": received,
        "pieces": lambda content: received(content, 5),
    }
    job = json.loads(sys.stdin.read())
    for look in looks.values():  # before memory is counted
        look(cn.encode(pa.table({"a": [1, 2], "b": ["x", None]}), "msgpack"))
    in_use = sweep.confine()
    for name, content in sweep.inputs(job):
        result: dict[str, Any] = {"name": name}
        for step, look in looks.items():
            sweep.look(result, step, partial(validated, look, content), partial(_kind_of, content))
        print(json.dumps(result), flush=True)
    sweep.summarise(in_use)


if __name__ == "__main__":
    _main()
