"""Several frames in one JSON or YAML text: in every encoding, and errors that tell their place in the whole."""

import json
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

every = each("format", ["json", "yaml"])
ENCODINGS = {
    "utf-8": (b"", "utf-8", {}),
    "utf-8-sig": (b"\xef\xbb\xbf", "utf-8", {}),
    "utf-16-le": (b"\xff\xfe", "utf-16-le", {}),
    "utf-16-be": (b"\xfe\xff", "utf-16-be", {}),
    "utf-16-le without a mark": (b"", "utf-16-le", {"encoding": "utf-16-le"}),
    "utf-16 by name": (b"\xfe\xff", "utf-16-be", {"encoding": "utf-16"}),
    "latin-1": (b"", "latin-1", {"encoding": "latin-1"}),
}
in_every_encoding = each("name", list(ENCODINGS))


@every
@in_every_encoding
def test_frames_of_any_encoding(format: str, name: str, tmp_path: Path) -> None:
    mark, encoding, options = ENCODINGS[name]
    frames = {"é": [{"x": 1, "ü": "ö"}], "b": [{"y": 1.5}, {"y": 2.5}]}
    path = tmp_path / f"x.{format}"
    path.write_bytes(mark + json.dumps(frames, ensure_ascii=False, indent=1).encode(encoding))
    found = cn.read_bundle(path, **options)
    assert {label: frame.to_arrow().to_pylist() for label, frame in found.items()} == frames
    assert cn.inspect(path, **options).labels == ["é", "b"]


@every
@in_every_encoding
def test_an_error_tells_its_place_in_the_whole(format: str, name: str, tmp_path: Path) -> None:
    mark, encoding, options = ENCODINGS[name]
    text = '{\n "é": [{"x": 1}],\n "ü": [{"y": 1},\n  5]}\n'
    path = tmp_path / f"x.{format}"
    path.write_bytes(mark + text.encode(encoding))
    at = len(mark) + len(text[: text.index("5")].encode(encoding))
    with pytest.raises(cn.DecodeError, match=rf"at byte {at}: line 4, column 3: expected"):
        cn.read_bundle(path, **options)["ü"].to_arrow()


@pytest.mark.parametrize("format", ["json", "yaml", "msgpack"])
def test_several_frames_are_not_read_as_one_of_nothing(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}"
    cn.write_bundle({"a": {"x": np.arange(3)}, "b": {"y": np.arange(2)}}, path)
    with pytest.raises(cn.DecodeError, match=f"{format}: expected one frame, found a map of 2 frames: a, b"):
        cn.read(path)
    assert [frame.shape for frame in cn.read_bundle(path).values()] == [(3, 1), (2, 1)]
