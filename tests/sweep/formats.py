"""Changes every byte of a file in twelve ways, and reads each mutant in every way: a program, and a short sample.

A byte becomes its eight single-bit flips, 00, 7f, 80 and ff, except its own value. Each mutant is inspected, verified,
read and converted in one process with little memory. It counts as opened if all of these returned data, with arrays
that pyarrow calls valid, and as refused if any of them raised a `ColonnadeError`. Anything else (another exception, a
panic, a crash, a hang, much memory) is counted separately and ends the run with status 1.

    python -m tests.sweep.formats [--every N] [--report FILE] [files...]
"""

import argparse
import contextlib
import faulthandler
import io
import json
import resource
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.sweep import mutants as sweep

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "conformance"
# One golden file for each format, and one for each kind with metadata or children.
KINDS = ("flat", "nested", "pandas_categorical", "pandas_hierarchical_columns")
FORMATS = ("npz", "npy", "arrow", "arrows", "parquet", "msgpack", "json", "ndjson", "csv", "yaml")
RESIDENT = 512 << 20  # beyond what the child holds after its first reading
INPUT_S = 20  # the limit of one mutant, after which the child ends with a trace
PROCESSES = 2
_STREAMS = ("arrows", "msgpack", "ndjson", "csv")


def goldens() -> list[Path]:
    """The files that are swept: for each format those kinds of `KINDS` that it has."""
    found = [GOLDENS / format / f"{kind}.{format}" for format in FORMATS for kind in KINDS]
    return [path for path in found if path.exists()] + sorted((GOLDENS / "npy").glob("c_order.npy"))


def mutants(whole: bytes, every: int = 1) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes): every `every`-th change."""
    number = 0
    for offset, old in enumerate(whole):
        changes = dict.fromkeys([*(old ^ 1 << bit for bit in range(8)), 0x00, 0x7F, 0x80, 0xFF])
        changes.pop(old, None)
        for new in changes:
            if number % every == 0:
                yield f"byte {offset}: {new:02x}", whole[:offset] + bytes([new]) + whole[offset + 1 :]
            number += 1


def run(paths: list[Path], every: int = 1) -> list[dict[str, Any]]:
    """Sweep files in one child: return the counts of each, and under ``wrong`` mutants neither opened nor refused."""
    job = json.dumps({"paths": [str(path) for path in paths], "every": every})
    began = time.monotonic()
    child = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.sweep.formats", "--child"],
        input=job,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    lines = [json.loads(line) for line in child.stdout.splitlines()]
    done = {line["path"]: line for line in lines if "opened" in line}
    results: list[dict[str, Any]] = []
    for path in paths:
        wrong = [line for line in lines if "wrong" in line and line["path"] == str(path)]
        result = done.get(str(path), {"opened": 0, "refused": 0, "nbytes": 0, "seconds": time.monotonic() - began})
        if str(path) not in done:
            wrong.append({"name": "the child", "wrong": f"ended with {child.returncode}", "text": child.stderr[-2000:]})
        if result["nbytes"] > RESIDENT:
            wrong.append({"name": "memory", "wrong": f"{result['nbytes'] >> 20} MiB"})
        results.append({**result, "path": path, "wrong": wrong})
    return results


def _looks(format: str) -> dict[str, Callable[[bytes], Any]]:
    import colonnade as cn
    from tests.helpers.arrow_look import validate

    def arrow(content: bytes) -> None:
        table = cn.decode(content, format, threads=1).to_arrow()
        for column in table.columns:
            for chunk in column.chunks:
                validate(chunk)

    def reader(content: bytes) -> None:
        with cn.open_reader(io.BytesIO(content), format=format) as chunks:
            for _ in chunks:
                pass

    looks: dict[str, Callable[[bytes], Any]] = {
        "inspect": lambda content: cn.inspect(content, format=format),
        "arrow": arrow,
        "pandas": lambda content: cn.decode(content, format, threads=1).to_pandas(),
        "verify": lambda content: cn.verify(content, format=format, threads=1),
    }
    return looks | {"reader": reader} if format in _STREAMS else looks


def _child() -> None:
    warnings.simplefilter("ignore")
    import colonnade as cn

    job = json.loads(sys.stdin.read())
    paths = [Path(path) for path in job["paths"]]
    for path in paths:  # before memory is counted
        for look in _looks(path.suffix[1:]).values():
            with contextlib.suppress(cn.ColonnadeError):
                look(path.read_bytes())
    in_use = sweep.confine()
    for path in paths:
        began = time.monotonic()
        counts = _sweep(path, job["every"])
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - in_use
        told = {"opened": counts["opened"], "refused": counts["refused"], "nbytes": grown}
        print(json.dumps({"path": str(path), "seconds": time.monotonic() - began} | told), flush=True)


def _sweep(path: Path, every: int) -> Counter[str]:
    import colonnade as cn

    looks, counts = _looks(path.suffix[1:]), Counter[str]()
    for name, content in mutants(path.read_bytes(), every):
        faulthandler.dump_traceback_later(INPUT_S, exit=True)
        seen = "opened"
        for step, look in looks.items():
            try:
                look(content)
            except cn.ColonnadeError:
                seen = "refused" if seen == "opened" else seen
            except BaseException as error:  # a panic of Rust is no Exception
                seen = "other"
                told = {"path": str(path), "name": name, "wrong": f"{step}: {type(error).__name__}"}
                print(json.dumps(told | {"text": str(error)[:300]}), flush=True)
        counts[seen] += 1
    faulthandler.cancel_dump_traceback_later()
    return counts


def _row(result: dict[str, Any]) -> str:
    path, count = result["path"], result["opened"] + result["refused"]
    cells = [
        f"{path.parent.name}/{path.name}",
        f"{path.stat().st_size:,}",
        f"{count:,}",
        f"{result['opened']:,}",
        f"{result['refused']:,}",
        f"{len(result['wrong']):,}",
        f"{result['nbytes'] >> 20}",
        f"{result['seconds']:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def main(arguments: list[str]) -> int:
    """Sweep the files; return 1 if a mutant was neither opened nor refused."""
    parser = argparse.ArgumentParser(prog="tests.sweep.formats", description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="default: the goldens of every format")
    parser.add_argument("--every", type=int, default=1, help="one mutant of so many")
    parser.add_argument("--report", type=Path, help="write the table to this file too")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    told = parser.parse_args(arguments)
    if told.child:
        _child()
        return 0
    lines = [
        "| file | bytes | mutants | opened | refused | anything else | MiB | s |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    print("\n".join(lines), flush=True)
    failed = False
    with ThreadPoolExecutor(PROCESSES) as pool:
        for (result,) in pool.map(lambda path: run([path], told.every), told.files or goldens()):
            lines.append(_row(result))
            print(lines[-1], flush=True)
            for wrong in result["wrong"]:
                failed = True
                print(f"{result['path'].name}: {wrong}", file=sys.stderr, flush=True)
    if told.report is not None:
        told.report.write_text("\n".join(lines) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
