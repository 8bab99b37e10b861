"""Reads files while everything that runs code is watched: a program, which prints a line for each thing that ran.

Audit hooks see `exec`, `eval`, `compile`, `subprocess`, `os.system`, `ctypes` and the loading of marshalled and
pickled objects, also where C code asks for them. What Python does while it imports an installed module is left out:
the modules that readers load late are imported before the watch begins, and any import after that is reported by name
if it is of no installed file.

    python -m tests.helpers.never_code < PATHS
"""

import contextlib
import pickle
import sys
import warnings
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn

import numpy as np

import colonnade as cn
from tests.helpers.corpora import ROOT

WATCHED = (
    "exec",
    "compile",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "subprocess.Popen",
    "pickle.find_class",
)
ALSO = ("marshal.loads", "marshal.load", "code.__new__", "ctypes.dlopen", "os.fork", "os.forkpty")
FORMATS = ("npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml")

ran: list[str] = []


def main() -> None:
    warnings.simplefilter("ignore")
    limits = cn.Limits(max_unbacked_nbytes=1 << 24)
    for path in sorted((ROOT / "conformance").rglob("*.*")):
        read(path, limits)  # what readers import late
    trap_pickle()
    sys.addaudithook(watch)
    for line in sys.stdin:
        before = len(ran)
        read(Path(line.rstrip("\n")), limits)
        for what in ran[before:]:
            print(f"{line.rstrip()}: {what}")
    # The watch itself works.
    before = len(ran)
    eval("1")  # noqa: S307 - what the watch must see
    with contextlib.suppress(RuntimeError):
        pickle.loads(b"N.")
    print(f"watched {len(ran) - before}")


def read(path: Path, limits: cn.Limits) -> None:
    """Reads the file as the format of its name, and as its first bytes say, and as objects of each library."""
    for format in (None, *(name for name in FORMATS if path.suffix == f".{name}")):
        with contextlib.suppress(cn.ColonnadeError, OSError, ValueError):
            cn.verify(path, format=format, limits=limits)
        for convert in ("to_pandas", "to_polars", "to_pyarrow", "to_numpy"):
            # Other libraries may fail on data that they cannot hold; that they run nothing is what counts.
            with contextlib.suppress(Exception):
                getattr(cn.read(path, format=format, limits=limits), convert)()


def trap_pickle() -> None:
    """Unpickling is an error, also of values that name no class."""

    def trapped(*args: Any, **options: Any) -> NoReturn:
        ran.append("pickle")
        raise RuntimeError("pickle was asked to load")

    pickle.load = pickle.loads = pickle.Unpickler = trapped  # type: ignore[assignment, misc]
    np.lib.format.pickle = pickle  # type: ignore[attr-defined]


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if not event.startswith(WATCHED) and event not in ALSO:
        return
    if is_import():
        return
    shown = arguments[0].co_filename if arguments and isinstance(arguments[0], CodeType) else repr(arguments)[:200]
    ran.append(f"{event} {shown}")


def is_import() -> bool:
    """Whether Python is importing a module of an installed file."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap_external>":
            module = frame.f_locals.get("module") or frame.f_locals.get("spec")
            origin = getattr(getattr(module, "__spec__", module), "origin", None)
            return origin is None or Path(origin).is_file()
        frame = frame.f_back
    return False


if __name__ == "__main__":
    main()
