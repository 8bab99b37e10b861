"""The golden files as tests see them: entries of `cases.json`, where their files lie, what they need."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.conformance.cases import CASES, Case
from tests.conformance.describe import describe
from tests.conformance.values import cells
from tests.helpers.corpora import ROOT

FOLDER = ROOT / "conformance"

# What the entry of a frame holds beside what `describe` answers.
_OF_THE_FILE = {"case", "file", "sha256", "options", "packed", "static_frame"}


def entries(format: str) -> dict[str, dict[str, Any]]:
    """The entries of a format by their case."""
    listing = json.loads((FOLDER / format / "cases.json").read_text(encoding="utf-8"))
    return {entry["case"]: entry for entry in listing["cases"]}


def case_of(format: str, entry: dict[str, Any]) -> Case:
    """How its frame is made."""
    return CASES[format][entry["case"]]


def path_of(format: str, entry: dict[str, Any]) -> Path:
    """Its file or directory."""
    return FOLDER / format / entry["file"]


def frames_of(entry: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What each of its frames holds, by label; one that is no bundle has the label ``""``."""
    held = {key: value for key, value in entry.items() if key not in _OF_THE_FILE}
    return held.get("frames", {"": held})


def hashes(path: Path) -> str | dict[str, str]:
    """SHA-256 of a file, or of each file in a directory by name."""
    if path.is_dir():
        return {inner.name: hashlib.sha256(inner.read_bytes()).hexdigest() for inner in sorted(path.iterdir())}
    return hashlib.sha256(path.read_bytes()).hexdigest()


def assert_all_there(format: str) -> None:
    """Every case has its entry, and its file."""
    listed = entries(format)
    assert list(listed) == list(CASES[format])
    files = {path.name for path in (FOLDER / format).iterdir()}
    assert files == {entry["file"] for entry in listed.values()} | {"cases.json"}


def assert_recorded(format: str, entry: dict[str, Any]) -> None:
    """The file is the one that was recorded, and small."""
    path = path_of(format, entry)
    assert hashes(path) == entry["sha256"]
    assert path.stat().st_size < 20 << 10


def assert_reads_as_recorded(format: str, entry: dict[str, Any], mmap: bool) -> None:
    """Its one frame is the recorded one: shape, labels, dtypes, cells, attrs."""
    needs_library(entry)
    path = path_of(format, entry)
    cn.verify(path)
    read = cn.read(path, mmap=mmap, verify=True)
    (held,) = frames_of(entry).values()
    assert as_json(describe(read.to_native())) == held
    assert list(read.shape) == held["shape"]
    assert read.attrs == held.get("attrs", {})


def assert_columns_stand_alone(format: str, entry: dict[str, Any], one: Callable[[Path, Any], Any]) -> None:
    """Each column, read by `one` (path and label) alone, is the recorded one, with the row labels."""
    needs_library(entry)
    (held,) = frames_of(entry).values()
    path = path_of(format, entry)
    labels = list(cn.read(path).columns)
    if len(set(labels)) < len(labels) or held["library"] == "numpy":
        # A label that stands twice gives both columns; a lone column of arrays is an array.
        for label in labels:
            assert len(one(path, label).columns) == labels.count(label)
        return
    for position, label in enumerate(labels):
        alone = as_json(describe(one(path, label).to_native()))
        assert alone["data"] == held["data"][position : position + 1]
        assert alone["index"] == held["index"]


def assert_numbers(held: dict[str, Any], plain: list[list[Any]]) -> None:
    """Cells of numbers that another reader gave, column by column, are the recorded ones to the bit."""
    for position, column in enumerate(held["data"]):
        if column["dtype"][1:3] in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"):
            if column["dtype"][0] == ">":
                continue  # numbers of the other order are what their field says they are
            dtype = np.dtype(column["dtype"])
            bits = np.array(plain[position], f"u{dtype.itemsize}" if dtype.kind == "f" else dtype)
            assert cells(bits.view(dtype)) == column["values"]


def needs_library(entry: dict[str, Any]) -> None:
    """Skip where the library that made the frames is not there, or says other things than when they were made."""
    for library in {held["library"] for held in frames_of(entry).values()}:
        module = pytest.importorskip(library)
        if library == "pandas" and int(module.__version__.partition(".")[0]) < 3:
            pytest.skip("made with pandas 3: earlier ones tell other kinds of text apart")
    if "text" in entry["case"] and importlib.util.find_spec("pyarrow") is None:
        pytest.skip("its text is kept by pyarrow")


def as_json(record: dict[str, Any]) -> dict[str, Any]:
    """A record as it comes out of a file: lists for tuples, text for keys."""
    return json.loads(json.dumps(record))
