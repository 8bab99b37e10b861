"""Writes the golden files and their cases.json, by hand: ``python conformance/generate.py [--accept] [format...]``.

A file that would change is reported and left alone: a changed golden is a changed format version, or a bug.
With --accept it is replaced.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # run as a file, from anywhere

import colonnade as cn  # noqa: E402
from tests.conformance.cases import CASES, Case  # noqa: E402
from tests.conformance.describe import describe  # noqa: E402

MOST_NBYTES = 20 << 10


def write(case: Case, target: Path) -> None:
    """The case's frame or frames, as its options say."""
    if case.bundle:
        cn.write_bundle(case.make(), target, **case.options)
    else:
        cn.write(case.make(), target, **case.options)


def files_of(target: Path) -> dict[str, bytes]:
    """The bytes of a file, or of each file of a directory, by name."""
    paths = sorted(target.iterdir()) if target.is_dir() else [target]
    return {path.name: path.read_bytes() for path in paths}


def record(name: str, case: Case, files: dict[str, bytes]) -> dict[str, Any]:
    """The entry of cases.json."""
    hashes = {file: hashlib.sha256(content).hexdigest() for file, content in files.items()}
    entry = {
        "case": name,
        "file": case.file,
        "sha256": hashes.get(case.file, hashes),
        "options": case.options,
        "packed": case.packed,
        "static_frame": case.static_frame,
    }
    if case.bundle:
        return entry | {"frames": {label: describe(data) for label, data in case.make().items()}}
    return entry | describe(case.make())


def put(target: Path, files: dict[str, bytes], folder: bool, accept: bool) -> list[str]:
    """Writes what is new; answers what would change and was not accepted."""
    kept = []
    for name, content in files.items():
        path = target / name if folder else target
        if path.exists() and path.read_bytes() != content and not accept:
            kept.append(str(path.relative_to(HERE)))
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return kept


def one_line_a_list(data: Any, indent: str = "") -> str:
    """JSON with short values on one line: a changed cell is a changed line."""
    flat = json.dumps(data, ensure_ascii=False, allow_nan=False)
    if len(flat) + len(indent) <= 116 or not data or not isinstance(data, dict | list):
        return flat
    inner = indent + " "
    if isinstance(data, dict):
        parts = [f"{json.dumps(key)}: {one_line_a_list(value, inner)}" for key, value in data.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    if not isinstance(data[0], dict | list):
        return flat
    return "[\n" + ",\n".join(inner + one_line_a_list(part, inner) for part in data) + f"\n{indent}]"


def main(accept: bool, formats: list[str]) -> int:
    """All cases of these formats (of all where none is named); 1 where one would change."""
    kept = []
    for format in formats or CASES:
        cases = CASES[format]
        records = []
        for name, case in cases.items():
            with tempfile.TemporaryDirectory() as scratch:
                fresh = Path(scratch) / case.file
                write(case, fresh)
                files, folder = files_of(fresh), fresh.is_dir()
            target = HERE / format / case.file
            kept += [] if case.packed and target.exists() and not accept else put(target, files, folder, accept)
            records.append(record(name, case, files_of(target)))
            for path, content in files_of(target).items():
                assert len(content) <= MOST_NBYTES, (name, path, len(content))
        listing = one_line_a_list({"format": format, "version": 1, "cases": records}) + "\n"
        kept += put(HERE / format / "cases.json", {"cases.json": listing.encode()}, False, accept)
    for path in kept:
        print(f"{path} would change. Is it a new format version? Then run again with --accept.", file=sys.stderr)
    return 1 if kept else 0


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(main("--accept" in words, [word for word in words if not word.startswith("-")]))
