"""What an error knows is there as attributes, not in its text alone."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

DATA = {"price": np.arange(5), "kind": np.array(list("abcde"))}


def _error(call: Callable[[], Any]) -> Any:
    with pytest.raises(cn.ColonnadeError) as caught:
        call()
    return caught.value


@each("format", ["npz", "arrow", "arrows", "parquet", "msgpack"])
def test_a_cut_file_counts_what_is_missing(format: str) -> None:
    content = cn.encode(DATA, format)
    for end in (len(content) - 1, len(content) // 2):
        error = _error(lambda end=end: cn.decode(content[:end], format).to_native())
        assert isinstance(error, cn.TruncatedError)
        assert error.needed > error.had, error
        assert error.had <= end, error
        assert error.hint


@each(
    ("call", "facts"),
    [
        (lambda: cn.decode(b"a,b\n1,2,3\n", "csv"), {"format": "csv", "offset": 8, "line": 2}),
        (lambda: cn.decode(b'[{"a": 1},\n{"a": x}]', "json"), {"format": "json", "line": 2}),
        (lambda: cn.decode(cn.encode(DATA, "npz"))["prize"], {"column": "prize", "hint": "nearest: 'price'"}),
        (lambda: cn.read(cn.encode(DATA, "npz"), columns=["x"]), {"column": "x", "hint": None}),
        (lambda: cn.encode(DATA, "npz", compression="zst"), {"hint": "nearest: 'zstd'"}),
        (
            lambda: cn.decode(cn.encode(DATA, "npz"), limits=cn.Limits(max_nbytes=3)),
            {"format": "npz", "hint": "Raise Limits(max_nbytes=...) if you trust the file."},
        ),
        (lambda: cn.Frame({"a": [1, 2], "b": [1]}), {"hint": "Make them equal."}),
    ],
)
def test_facts(call: Callable[[], Any], facts: dict[str, Any]) -> None:
    error = _error(call)
    assert {name: getattr(error, name) for name in facts} == facts
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert {name: getattr(again, name) for name in facts} == facts


@each(
    "data",
    [
        {"a": [1, 2], "b": [1]},
        {"a": np.arange(2), "b": np.arange(3)},
        np.zeros((2, 2, 2)),
        np.zeros((2, 2), [("a", int)]),
    ],
)
def test_data_of_a_wrong_shape_is_an_error_of_input(data: Any) -> None:
    error = _error(lambda: cn.Frame(data))
    assert isinstance(error, cn.InputError)
    assert isinstance(error, ValueError)
