"""Objects that break Python's protocols: methods that raise, or that return what they must not."""

import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st


class Refused(Exception):
    """What hostile objects raise. It must reach the caller as it is."""


class _Answers:
    """A method that raises or answers a few times and then gives nothing: what has no end is read without end."""

    def __init__(self, answer: Any, nothing: Any) -> None:
        self.answer, self.nothing, self.left = answer, nothing, 3

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            return self.nothing
        if self.answer is Refused:
            raise Refused
        return self.answer


ANSWERS: list[Any] = [Refused, None, -1, 0, 1, 3, 1 << 62, 1 << 70, 1.5, "", "abc", "\ud800", b"", b"abc", b"x" * 100]
ANSWERS += [[], [1, 2], ["a"], (), (1,), {}, {"a": 1}, np.arange(3), np.float64(1.5), object(), NotImplemented, type]
ANSWERS += [{"shape": (3,), "typestr": "<i8", "version": 3}, {"shape": (1 << 62,), "typestr": "<i8", "data": (0, True)}]

_SIZES = ("__len__", "__length_hint__", "__index__", "__int__", "__float__", "__complex__", "__bool__", "__hash__")
_VALUES = ("__iter__", "__next__", "__getitem__", "__contains__", "__eq__", "__lt__", "__repr__", "__str__", "keys")
_TABLES = ("__array__", "__arrow_c_stream__", "__arrow_c_array__", "__arrow_c_schema__", "__dataframe__", "__fspath__")
_MORE = ("items", "values", "get", "__array_namespace__", "to_pandas", "to_arrow", "__dataframe_consortium_standard__")
_FIELDS = ("__array_interface__", "__array_struct__", "dtype", "shape", "name", "columns", "_fields", "__slots__")
_BASES: list[type] = [object, object, object, dict, list, tuple, str, bytes]
# Python itself refuses other lengths and texts, before any library sees them.
_TEXTS: list[Any] = [Refused, "", "\ud800", "x" * 10_000]
_POOLS: dict[str, list[Any]] = {"__len__": [Refused, -1, 0, 1, 3, 1 << 62], "__repr__": _TEXTS, "__str__": _TEXTS}


class Made:
    """An answer that is made anew for each call, for a capsule can be used once."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def _table() -> pa.Table:
    return pa.table({"a": [1, 2], "b": ["x", None]})


_BATCH = _table().to_batches()[0]
_USED = _table().__arrow_c_stream__()
pa.RecordBatchReader._import_from_c_capsule(_USED)
CAPSULES: list[Any] = [
    Refused,
    None,
    (),
    _USED,
    (_USED, _USED),
    Made(lambda: _table().__arrow_c_stream__()),
    Made(lambda: pa.chunked_array([[1], [2]]).__arrow_c_stream__()),
    Made(lambda: _BATCH.__arrow_c_array__()),
    Made(lambda: _BATCH.__arrow_c_array__()[::-1]),
    Made(lambda: (*_BATCH.__arrow_c_array__(), None)),
    Made(lambda: list(_BATCH.__arrow_c_array__())),
    Made(lambda: (_BATCH.schema.__arrow_c_schema__(), pa.array([1]).__arrow_c_array__()[1])),
    Made(lambda: (pa.array(["a"]).__arrow_c_array__()[0], _BATCH.__arrow_c_array__()[1])),
    Made(lambda: _BATCH.schema.__arrow_c_schema__()),
    Made(lambda: pa.array([[1]]).__arrow_c_array__()),
]


def _one_of(values: list[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, len(values) - 1).map(values.__getitem__)


@st.composite
def objects(draw: st.DrawFn) -> Any:
    """An object with one to four methods or attributes of protocols, each of which may answer anything."""
    body: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(_SIZES + _VALUES + _TABLES + _MORE), max_size=4)):
        pool = _POOLS.get(name, CAPSULES if name.startswith("__arrow") else ANSWERS)
        body[name] = _method(draw(_one_of(pool)))
    base = draw(st.sampled_from(_BASES))
    for name in draw(st.lists(st.sampled_from(_FIELDS), max_size=1)) if base is object else ():
        answer = draw(_one_of(ANSWERS))
        body[name] = property(_method(answer)) if name != "__slots__" else ()
    module = draw(st.sampled_from(("tests", "pandas.x", "numpy", "polars")))
    made: Any = type("Hostile", (base,), body | {"__module__": module})
    return made("1") if base is str else made.__new__(made)


def _method(answer: Any) -> Any:
    def method(self: Any, *_: Any, **__: Any) -> Any:
        if answer is Refused:
            raise Refused
        return answer.make() if isinstance(answer, Made) else answer

    return method


# ---------------------------------------------------------------------------- iterables and mappings


def raising(items: Any) -> Iterator[Any]:
    """A generator that raises midway."""
    yield from items
    raise Refused


class Changing(Mapping[Any, Any]):
    """A mapping with other keys and values each time that it is asked."""

    def __init__(self, *steps: dict[Any, Any]) -> None:
        self.steps = list(steps)

    def step(self) -> dict[Any, Any]:
        return self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.step())

    def __len__(self) -> int:
        return len(self.step())

    def __getitem__(self, key: Any) -> Any:
        try:
            return self.step()[key]
        except KeyError:
            raise Refused from None


class Growing(dict[Any, Any]):
    """A dict that grows while it is iterated, as one of another thread may."""

    def items(self) -> Any:
        for item in list(super().items()):
            self[len(self)] = [1, 2]
            yield item


class Short(list[Any]):
    """A list that claims another length."""

    def __len__(self) -> int:
        return 7


# ---------------------------------------------------------------------------- file objects


class File:
    """A file object whose methods give what they were drawn to give."""

    def __init__(self, **answers: Any) -> None:
        for name, answer in answers.items():
            setattr(self, name, _Answers(answer, 0 if name.startswith("readinto") else b""))


class RawFile(io.RawIOBase):
    """A file object of Python's own base class."""

    def __init__(self, answer: Any) -> None:
        self.answer = _Answers(answer, 0)

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, view: Any, /) -> Any:
        return self.answer()

    def write(self, data: Any, /) -> Any:
        return self.answer()


class Buffered(io.BytesIO):
    """Bytes in memory, of which one method answers something else."""

    def __init__(self, data: bytes, **answers: Any) -> None:
        super().__init__(data)
        for name, answer in answers.items():
            setattr(self, name, _Answers(answer, b"" if name == "read" else 0))


_FILE_METHODS = (
    "read",
    "readinto",
    "readinto1",
    "seek",
    "tell",
    "fileno",
    "name",
    "readable",
    "seekable",
    "peek",
    "write",
)


@st.composite
def files(draw: st.DrawFn, data: bytes) -> Any:
    """A file object, hostile or with `data` in it."""
    names = draw(st.lists(st.sampled_from(_FILE_METHODS), min_size=1, max_size=3, unique=True))
    # A method that raises the moment it is found is a property, and another lie.
    answers = {name: draw(_one_of(ANSWERS)) for name in names}
    kind = draw(st.sampled_from(("file", "raw", "buffered", "text", "mine")))
    if kind == "raw":
        return RawFile(draw(_one_of(ANSWERS)))
    if kind == "buffered":
        return Buffered(data, **answers)
    if kind == "text":
        return io.StringIO("a,b\n1,2\n")
    if kind == "mine":
        return io.BytesIO(data)
    return File(**({"read": data, "write": None} | answers))
