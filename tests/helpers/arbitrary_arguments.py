"""Any options for every public function, and the rule of what may come of a call: a result, or an error that helps."""

import dataclasses
import decimal
import os
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import colonnade as cn
from colonnade._formats.options import CLASSES
from tests.helpers.arbitrary_cells import one_of
from tests.helpers.hostile_objects import Refused, objects

FORMATS = ("npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml")

# ---------------------------------------------------------------------------- the rule

# OSError covers what the system says of names and files. All other errors without a type of Colonnade are its own
# checks of types, which say what they expected.
_PLAIN = (TypeError, ValueError)
_FORBIDDEN = (cn.InternalError, AttributeError, IndexError, AssertionError, UnicodeError, RecursionError, MemoryError)


_BY_PYTHON = re.compile(
    r"__\w+__|got multiple values for|unexpected keyword|a bytes-like object is required"
    r"|embedded null|^iter\(\) returned"
)


class NotAllowed(AssertionError):
    """A call ended with an error that does not help."""


class Failed:
    """The result of a call that raised an error that is allowed."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def called(call: Callable[[], Any]) -> Any:
    """The result of the call, or `Failed`. Raises `NotAllowed` for an error that is not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except Refused as error:
        return Failed(error)
    except Exception as error:
        if not _is_allowed(error):
            raise NotAllowed(f"{type(error).__name__}: {error}") from error
        return Failed(error)


def _is_allowed(error: Exception) -> bool:
    text = str(error)
    if isinstance(error, _FORBIDDEN):
        return False
    if isinstance(error, cn.ColonnadeError):
        return bool(text)
    if isinstance(error, OSError):
        return bool(text)
    # The names of parameters, the methods of hostile objects, and paths with NUL are refused by Python itself.
    return isinstance(error, _PLAIN) and ("expected" in text or bool(_BY_PYTHON.search(text)))


# ---------------------------------------------------------------------------- values of options

ODD: list[Any] = [None, True, False, 0, -1, 1, 2, 100, 1 << 31, (1 << 63) - 1, 1 << 64, -(1 << 70), 0.0, 1.5]
ODD += [float("nan"), float("inf"), 1j, decimal.Decimal(1), Ellipsis, object(), int, len, print, lambda *_: None]
ODD += ["", "a", "\ud800", "\0", ";", '"', "é", "\U0001f600", "NPZ", "a" * 300, "\t", ",", b"", b"a", b"\xff" * 16]
ODD += ["raise", "ignore", "all", "records", "columns", "header", "sidecar", "utf-16", "auto", "zstd", Path("x")]
ODD += [
    [],
    [1],
    ["a"],
    ["a", "a"],
    [None],
    [[]],
    (),
    ("a", 1),
    {},
    {"a": 1},
    {1: "a"},
    {"a": "zstd"},
    {"nope": "delta"},
]
ODD += [
    set(),
    frozenset("a"),
    range(3),
    bytearray(b"a"),
    memoryview(b"a"),
    cn.Limits(),
    cn.CsvOptions(),
    cn.NpzOptions(),
]
ODD += [slice(None), slice(0, 1), slice(-5, 9), slice(None, None, -1), slice("a"), slice(1 << 70)]
ODD += [
    np.int64(1),
    np.float64(0.5),
    np.str_("a"),
    np.bool_(True),
    np.arange(2),
    np.array("zstd"),
    np.array(["a", "b"]),
]
ODD += [pd.NA, pd.NaT, pd.Series(["a"]), pd.Index(["a", "b"]), "a > 1", "a >", ("a", "==", 1), [("a", ">", None)]]
ODD += [[[("a", "in", [1])]], [("a", "~", 1)], [("a", "==", object())], [("a", np.arange(2), 1)]]

values = one_of(ODD) | st.integers() | st.text(max_size=3) | objects()


def _choices() -> dict[str, list[Any]]:
    """The words that options of each name take, so that some options are valid and the next ones are reached."""
    found: dict[str, list[Any]] = {}
    for name in FORMATS:
        for item in dataclasses.fields(CLASSES[name]):
            words = [word.strip("'\" ") for word in str(item.type).replace("[", ",").replace("]", ",").split(",")]
            found.setdefault(item.name, []).extend(word for word in words if word.islower() and word.isascii())
    return found


_CHOICES = _choices()
_UNKNOWN = (
    "nope",
    "",
    "\ud800",
    "sep ",
    "self",
    "data",
    "target",
    "source",
    "Columns",
    "index_label",
    "engine",
    "options",
)
# Those that reach for a network, or wait.
_LEFT_OUT = ("timeout_s", "storage_options", "filesystem")


def names(format: str, side: str) -> list[str]:
    """The options of a format for reading or for writing."""
    fields = dataclasses.fields(CLASSES[format])
    return [item.name for item in fields if item.metadata["side"] in (side, "both")]


@st.composite
def options(draw: st.DrawFn, format: str, side: str, *more: str, most: int = 3) -> dict[str, Any]:
    """A few options of a format, of another one or of none, with any values."""
    own = [*names(format, side), *more]
    name = st.one_of(*[st.sampled_from(own)] * 6, st.sampled_from(_UNKNOWN), st.sampled_from(sorted(_CHOICES)))
    found = {}
    for key in draw(st.lists(name, max_size=most, unique=True)):
        words = _CHOICES.get(key, [])
        found[key] = draw(st.sampled_from(words) | values if words else values)
    return found


def plans(side: str, *more: str, most: int = 3) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """A format, and options for it."""
    return st.sampled_from(FORMATS).flatmap(
        lambda name: st.tuples(st.just(name), options(name, side, *more, most=most))
    )


# ---------------------------------------------------------------------------- what is done with a frame


def describe(frame: cn.Frame) -> None:
    """Everything that a frame says of itself."""
    for name in ("shape", "columns", "index", "dtypes", "schema", "name", "attrs", "nbytes", "__repr__", "_repr_html_"):
        called(lambda name=name: _used(getattr(frame, name)))


def _used(value: Any) -> None:
    if callable(value):
        value = value()
    repr(value)
    if isinstance(value, Mapping):
        dict(value)
    elif hasattr(value, "__iter__") and hasattr(value, "__len__") and len(value) < 10_000:
        list(value)


CONVERSIONS = ("to_pandas", "to_polars", "to_arrow", "to_numpy", "to_static_frame", "to_awkward", "to_native")


@st.composite
def uses(draw: st.DrawFn) -> Callable[[cn.Frame], Any]:
    """A method of a frame, with any arguments."""
    value = draw(values)
    other = draw(values)
    calls: list[Callable[[cn.Frame], Any]] = [
        lambda frame: frame[value],
        lambda frame: frame.select(value),
        lambda frame: frame.select([value, other]),
        lambda frame: frame.slice(value, other),
        lambda frame: frame.head(value),
        lambda frame: frame.tail(value),
        lambda frame: frame.equals(value),
        lambda frame: frame.identical(value),
        lambda frame: frame.to(value),
        lambda frame: frame.to_pandas(dtype_backend=value),
        lambda frame: value in frame,
        lambda frame: frame.dtypes[value],
        lambda frame: frame.index.to_numpy(),
        np.asarray,
        describe,
        *(lambda frame, name=name: getattr(frame, name)() for name in CONVERSIONS),
    ]
    return draw(st.sampled_from(calls))


# ---------------------------------------------------------------------------- folders


def contents(folder: Path) -> dict[str, bytes | None]:
    """All files of a folder."""
    return {
        os.path.join(path, name): Path(path, name).read_bytes() for path, _, files in os.walk(folder) for name in files
    }
