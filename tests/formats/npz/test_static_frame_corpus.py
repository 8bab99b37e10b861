"""Files that StaticFrame 1.4, 2.14 and 5.1 wrote, against goldens made when they were written."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("static_frame")

import static_frame as sf

import colonnade as cn
from colonnade.testing.cases_static_frame import CASES, assert_identical
from tests.helpers.corpora import CORPORA, needs_corpora

pytestmark = needs_corpora


def _goldens() -> list[Any]:
    if CORPORA is None:
        return []
    found = []
    for path in sorted(CORPORA.glob("npz-staticframe-gen/*/_golden.json")):
        for name, golden in json.loads(path.read_text(encoding="utf-8"))["frames"].items():
            found.append(pytest.param(path.parent / f"{name}.npz", golden, id=f"{path.parent.name}-{name}"))
    return found


GOLDENS = _goldens()


def _values(array: np.ndarray) -> list[Any]:
    """As the goldens write them: floats as C99 hex, complex as pairs, times as int64 ticks, bytes as hex."""
    kind = array.dtype.kind
    if kind == "f":
        return [value.hex() for value in array.astype(np.float64).tolist()]
    if kind == "c":
        return [[value.real.hex(), value.imag.hex()] for value in array.tolist()]
    if kind in "mM":
        return array.view(np.int64).tolist()
    return [value.hex() for value in array.tolist()] if kind == "S" else array.tolist()


def _assert_axis(index: Any, golden: dict[str, Any]) -> None:
    # The class of the Frame is not in the file: what was grow-only comes back static.
    assert type(index).__name__ == golden["cls"].removesuffix("GO")
    assert repr(index.name) == golden["name"]
    assert index.depth == golden["depth"]
    if index.depth == 1:
        assert index.dtype.str == golden["dtype"]
        assert _values(index.values) == golden["values"]
        return
    levels = [index.values_at_depth(level) for level in range(index.depth)]
    assert [kind.__name__ for kind in index.index_types.values] == golden["types"]
    assert [level.dtype.str for level in levels] == golden["dtypes"]
    assert [_values(level) for level in levels] == golden["values"]


@each(("path", "golden"), list(GOLDENS), per=50)
def test_value_dtype_class_and_name_are_the_goldens(path: Path, golden: dict[str, Any]) -> None:
    frame = cn.read(path).to_static_frame()
    assert type(frame) is sf.Frame
    assert repr(frame.name) == golden["name"]
    assert list(frame.shape) == golden["shape"]
    _assert_axis(frame.index, golden["index"])
    _assert_axis(frame.columns, golden["columns"])
    for column, wanted in zip(frame.iter_array(axis=0), golden["cols"], strict=True):
        assert column.dtype.str == wanted["dtype"]
        assert _values(column) == wanted["values"]


@each("mmap", [True, False])
@each(("path", "golden"), list(GOLDENS), per=20)
def test_the_frame_is_the_one_static_frame_reads(path: Path, golden: dict[str, Any], mmap: bool) -> None:
    assert_identical(sf.Frame.from_npz(path), cn.read(path, mmap=mmap, verify=True).to_native())


@each(("path", "golden"), list(GOLDENS), per=50)
def test_what_we_write_again_is_the_same_to_static_frame(path: Path, golden: dict[str, Any], tmp_path: Path) -> None:
    again = tmp_path / "again.npz"
    cn.write(cn.read(path), again)
    assert_identical(sf.Frame.from_npz(path), sf.Frame.from_npz(again))


def test_the_file_of_the_article(corpora_dir: Path) -> None:
    path = corpora_dir / "npz-staticframe-doc" / "doc" / "source" / "articles" / "serialize" / "frame.npz"
    frame = cn.read(path).to_static_frame()
    assert_identical(sf.Frame.from_npz(path), frame)
    assert_identical(CASES["the article frame"](), frame)
