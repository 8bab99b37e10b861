"""Runs many hostile inputs through the public API in one child process with little memory.

The child may answer with data or with a typed error, and nothing else: a crash, a hang, a MemoryError, an untyped
exception or a large allocation fails the test and names the input.

As a program: reads a JSON job from stdin, prints one JSON line for each finished input.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# Beyond the memory of the child after its imports. Thread stacks and reserved (not touched) pool regions count as
# address space too, hence the distance between the two.
ADDRESS_SPACE = 4 << 30
RESIDENT = 256 << 20
TIMEOUT_S = 300  # a guard against a hang, far above any honest run


def run(job: dict[str, Any], program: str = "tests.sweep.mutants", resident: int = RESIDENT) -> list[dict[str, Any]]:
    """Return one result for each input; raise AssertionError on a crash.

    `job` is ``{"paths": [...]}``, or ``{"source": path, "damage": "cut" | "flip"}``. A result holds, for each step of
    ``inspect, read, arrays, verify``, ``"data"`` or the class of the error, and its text under ``<step>_message``;
    ``same`` says whether the arrays are those of the undamaged source, to the bit. Another `program` has its own steps.
    """
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.run(
            [sys.executable, "-m", program],
            input=json.dumps({"folder": folder} | job),
            capture_output=True,
            text=True,
            cwd=root,
            timeout=TIMEOUT_S,
            check=False,
        )
    lines = [json.loads(line) for line in child.stdout.splitlines()]
    after = lines[-1]["name"] if lines else "the start"
    assert child.returncode == 0, f"the child ended with {child.returncode} after {after}:\n{child.stderr[-3000:]}"
    *results, summary = lines
    grown = summary["resident_nbytes"]
    assert grown < resident, f"{grown >> 20} MiB were taken for inputs of a few KiB"
    return results


def _inputs(job: dict[str, Any], folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield (name, source): the files given (their links bear a suffix), or every cut or flip of one."""
    for path in job.get("paths", []):
        link = folder / ("input.npy" if path.endswith(".npy") else "input.npz")
        link.unlink(missing_ok=True)
        link.symlink_to(path)
        yield path, link
    if "source" in job:
        yield from damaged(Path(job["source"]).read_bytes(), job["damage"])


def inputs(job: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes): the files given, bytes spelled out in ``hex`` by name, every cut or flip of a source."""
    for path in job.get("paths", []):
        yield path, Path(path).read_bytes()
    for name, text in job.get("hex", {}).items():
        yield name, bytes.fromhex(text)
    if "source" in job:
        yield from damaged(Path(job["source"]).read_bytes(), job["damage"])


def look(
    result: dict[str, Any],
    step: str,
    at: Callable[[], Any],
    kind_of: Callable[[BaseException], str | None] = lambda _: None,
) -> None:
    """Record the result of a step: its answer, or the class of its error, with the text under ``<step>_message``.

    A result that pyarrow calls invalid is ``"invalid"``, an error of another library ``"untyped"``. `kind_of` may
    override this.
    """
    import pyarrow as pa

    import colonnade as cn

    try:
        result[step] = at()
    except BaseException as error:  # a panic of Rust is no Exception
        kind, text = kind_of(error), str(error)
        if kind is None and isinstance(error, cn.ColonnadeError):
            kind = type(error).__name__
        elif kind is None and isinstance(error, pa.ArrowInvalid):
            kind = "invalid"
        elif kind is None:
            kind, text = "untyped", f"{type(error).__name__}: {error}"
        result[step], result[f"{step}_message"] = kind, text


def damaged(whole: bytes, damage: str) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes): every cut or every flip."""
    if damage == "cut":
        for length in range(len(whole)):
            yield f"cut at {length}", whole[:length]
        return
    for offset in range(len(whole)):
        for mask in (0x01, 0x80, 0xFF):
            flipped = bytearray(whole)
            flipped[offset] ^= mask
            yield f"byte {offset} ^ {mask:#04x}", bytes(flipped)


def confine() -> int:
    """Limit the address space from now on; return the bytes that are resident now."""
    in_use = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    if pages:
        cap = pages * resource.getpagesize() + ADDRESS_SPACE
        resource.setrlimit(resource.RLIMIT_AS, (cap, cap))
    return in_use


def summarise(in_use: int) -> None:
    """Print the last line of a child."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"name": "summary", "resident_nbytes": peak - in_use}), flush=True)


def _same_bits(found: Any, expected: Any) -> bool:
    return found.keys() == expected.keys() and all(
        found[name].dtype == expected[name].dtype
        and found[name].shape == expected[name].shape
        and found[name].tobytes() == expected[name].tobytes()
        for name in expected
    )


def _main() -> None:
    import colonnade as cn

    job = json.loads(sys.stdin.read())
    expected = cn.read_arrays(job["source"]) if "source" in job else None

    # Only the result of "arrays" is compared later.
    looks = {
        "inspect": lambda source: cn.inspect(source) and None,
        "read": lambda source: cn.read(source).to_pandas() is None,
        "arrays": cn.read_arrays,
        "verify": cn.verify,
    }

    in_use = confine()

    folder = Path(job["folder"])
    for name, source in _inputs(job, folder):
        arrays, result = {}, {"name": name}
        for step, look in looks.items():
            try:
                arrays = look(source) or arrays
            except cn.ColonnadeError as error:
                result[step], result[f"{step}_message"] = type(error).__name__, str(error)
            except BaseException as error:
                raise SystemExit(f"{name}: {step}: untyped {type(error).__name__}: {error}") from error
            else:
                result[step] = "data"
        result["same"] = expected is not None and result["arrays"] == "data" and _same_bits(arrays, expected)
        print(json.dumps(result), flush=True)
    summarise(in_use)


if __name__ == "__main__":
    _main()
