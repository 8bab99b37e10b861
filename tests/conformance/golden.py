"""The golden files as tests see them: entries of `cases.json`, where their files lie, what they need."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.cases import CASES, Case
from tests.corpora import ROOT

FOLDER = ROOT / "conformance"

# What the entry of a frame holds beside what `describe` answers.
_OF_THE_FILE = {"case", "file", "sha256", "made_by", "options", "packed", "static_frame"}


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
