"""Bundles of every format that supports them: without frames, their progress, and interrupts within a frame."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

FORMATS = ("npz", "msgpack", "json", "yaml")


class Told:
    """A callback that records its calls."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int | None]] = []

    def __call__(self, done: int, total: int | None) -> None:
        self.steps.append((done, total))


def two() -> dict[str, Any]:
    return {"a": {"x": np.arange(100_000)}, "b": {"y": np.ones(50_000)}}


@pytest.mark.parametrize("format", FORMATS)
def test_a_bundle_of_no_frames_comes_back(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"none.{format}"
    cn.write_bundle({}, path)
    found = cn.read_bundle(path)
    assert (dict(found), len(found), "a" in found) == ({}, 0, False)
    with pytest.raises(cn.ColumnNotFound):
        found["a"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_frame_without_columns_is_no_bundle(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"frame.{format}"
    cn.write({}, path)
    with pytest.raises(cn.DecodeError, match="expected a bundle of frames"):
        cn.read_bundle(path)


@each(
    "text",
    [
        "a:\n- x: [1, 2]\nb:\n- y: 3\n- y: 4\n  z: 5\n",
        "a:\n  - x: [1, 2]\nb:\n  - y: 3\n  - y: 4\n    z: 5\n",
        "a: [{x: [1, 2]}]\nb: [{y: 3}, {y: 4, z: 5}]\n",
        "a:\n- {x: [1, 2]}\nb:\n- {y: 3}\n- # of two\n  y: 4\n  z: 5\n",
    ],
)
def test_sequences_of_a_yaml_bundle_need_no_indentation(text: str) -> None:
    found = cn.read_bundle(text.encode(), format="yaml")
    rows = {label: frame.to_arrow().to_pylist() for label, frame in found.items()}
    assert rows == {"a": [{"x": [1, 2]}], "b": [{"y": 3, "z": None}, {"y": 4, "z": 5}]}


def test_a_list_of_no_rows_is_no_bundle() -> None:
    with pytest.raises(cn.DecodeError, match="expected a bundle of frames"):
        cn.read_bundle(b"[]", format="json")


@each(
    ("format", "content", "rest"),
    [
        ("json", b'{"a": {"x": [1]}}', b" x"),
        ("json", b'{"a": {"x": [1]}, "b": [{"y": 2}]}', b",]"),
        ("json", b'{"a": {"x": [1]}}', b'{"b": {"x": [1]}}'),
        ("msgpack", b"\x81\xa1a\x81\xa1x\x91\x01", b"\x01"),
        ("msgpack", b"\x82\xa1a\x81\xa1x\x91\x01\xa1b\x91\x81\xa1y\x02", b"\x81\xa1a\x81\xa1x\x91\x01"),
        ("yaml", b"a: {x: [1]}\n", b"]\n"),
    ],
)
def test_nothing_may_follow_a_bundle(format: str, content: bytes, rest: bytes) -> None:
    assert cn.read_bundle(content, format=format)["a"].to_arrow().to_pydict() == {"x": [1]}
    for read in (cn.read_bundle, cn.verify, cn.inspect):
        with pytest.raises(cn.DecodeError):
            read(content + rest, format=format)


@each(
    ("format", "more"),
    [*((format, {}) for format in FORMATS), ("npz", {"layout": "npy"}), ("npz", {"outer": "deflate"})],
    ids=[*(f"plain-{format}" for format in FORMATS), "members-npz", "packed-npz"],
)
def test_progress_is_of_the_whole_bundle(format: str, more: dict[str, Any], tmp_path: Path) -> None:
    told = Told()
    cn.write_bundle(two(), tmp_path / f"b.{format}", progress=told, **more)
    done, totals = [done for done, _ in told.steps], {total for _, total in told.steps}
    assert done == sorted(done)
    assert len(totals) == 1
    assert totals == {done[-1]}


@pytest.mark.parametrize("format", FORMATS)
def test_what_the_callback_raises_stops_the_work(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"b.{format}"

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cn.write_bundle(two(), path, progress=stop)
    assert not list(tmp_path.iterdir())


def test_a_lone_array_is_told_of(tmp_path: Path) -> None:
    told = Told()
    cn.write(np.ones((1000, 10)), tmp_path / "a.npy", progress=told)
    assert told.steps
    assert told.steps[-1][0] == told.steps[-1][1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "npy", "compression": "zstd"}, "compression: expected None or 'deflate' .* found 'zstd'"),
        ({"layout": "npy", "profile": "fast"}, "compression: .* found profile='fast', which is zstd"),
        ({"layout": "npy", "compression": "zstd", "compression_level": 12}, "compression: "),
        (
            {"compression": "zstd", "compression_level": 12},
            "compression_level: expected 1 to 9 with outer='deflate', .* found 12",
        ),
    ],
)
def test_what_the_outer_codec_would_leave_out_is_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(cn.OptionError, match=message):
        cn.write_bundle(two(), tmp_path / "b.zip", outer="deflate", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options", [{"layout": "npy", "compression": "deflate", "compression_level": 9}, {"compression": "zstd"}]
)
def test_what_the_outer_codec_keeps(options: dict[str, Any], tmp_path: Path) -> None:
    cn.write_bundle(two(), tmp_path / "b.zip", outer="deflate", **options)
    assert cn.read_bundle(tmp_path / "b.zip")["a"].equals(two()["a"])


def test_arrays_are_not_those_of_frames(tmp_path: Path) -> None:
    cn.write_bundle({"x": {"a": [1]}}, tmp_path / "x.npz")
    message = r"npz: expected NPY members, found a bundle of frames\. Open it with cn\.read_bundle\(source\)\."
    with pytest.raises(cn.DecodeError, match=message):
        cn.read_arrays(tmp_path / "x.npz")
