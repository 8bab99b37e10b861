"""Draws all pictures, or with ``--check`` compares those in docs/pictures with their sources."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from colonnade_bench.panel.summary import Results
from scripts.pictures.chunk_sizes import chunk_sizes
from scripts.pictures.codec_sizes import codec_sizes
from scripts.pictures.fastest_by_link import fastest_by_link
from scripts.pictures.fastest_by_way import fastest_by_way
from scripts.pictures.layout_drawing import draw_layout
from scripts.pictures.layouts import FORMATS
from scripts.pictures.layouts_of_ways import WAYS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "pictures"
BENCHMARKS = ROOT / "docs" / "benchmarks"
RECORDS = ROOT / "examples" / "default-panel" / "panel.jsonl.xz"
MOST_NBYTES = 25_000
"""The largest size of a picture."""


def draw_all() -> dict[str, str]:
    """Returns the text of every picture by the name of its file."""
    results = Results.load(RECORDS)
    layouts = {f"{layout.name}.svg": draw_layout(layout) for layout in FORMATS + WAYS}
    return layouts | {
        "chunk-sizes.svg": chunk_sizes(BENCHMARKS / "arrow.md"),
        "codecs.svg": codec_sizes(BENCHMARKS / "codecs.md"),
        "fastest-by-way.svg": fastest_by_way(results),
        "fastest-by-link.svg": fastest_by_link(results),
    }


def problems(pictures: dict[str, str]) -> list[str]:
    """Names the pictures that are missing, differ from their source, have no source or are too large."""
    found = []
    for name, content in pictures.items():
        path = FOLDER / name
        if len(content.encode()) > MOST_NBYTES:
            found.append(f"{name} has more than {MOST_NBYTES:,} bytes")
        if not path.exists():
            found.append(f"{name} is missing")
        elif path.read_text(encoding="utf-8") != content:
            found.append(f"{name} differs from its source")
    extra = sorted({path.name for path in FOLDER.glob("*.svg")} - pictures.keys())
    return found + [f"{name} has no source" for name in extra]


def main() -> int:
    """Writes or checks all pictures. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m scripts.pictures", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a picture is not up to date")
    check = parser.parse_args().check
    pictures = draw_all()
    if not check:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name, content in pictures.items():
            (FOLDER / name).write_text(content, encoding="utf-8")
    found = problems(pictures)
    for problem in found:
        print(f"docs/pictures: {problem}", file=sys.stderr)
    if check and found:
        print("docs/pictures: `python -m scripts.pictures` draws them again", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
