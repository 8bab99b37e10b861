"""What the schemaless readers make of every file of the public corpora: schema, hash of the values, or the error.

CSV, JSON, NDJSON, YAML and third-party MessagePack declare no types, so a change of inference changes results that no
other test sees. `conformance/corpora.json.gz` keeps one row an input; a test compares. Run as a program to write it
again, and say in the commit why rows changed:

    .venv/bin/python -m tests.conformance.frozen
"""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import colonnade as cn
from tests.helpers.corpora import CORPORA, ROOT

FROZEN = ROOT / "conformance" / "corpora.json.gz"


def inputs(root: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield (name, format, bytes) of everything that a schemaless reader may be given, in a fixed order."""
    for path in sorted(root.rglob("*")):
        if not path.is_file() or "_LICENCE" in path.parts:
            continue
        name, suffixes = str(path.relative_to(root)), path.suffixes
        if suffixes[-1:] in ([".csv"], [".tsv"]):
            yield name, "csv", path.read_bytes()
        elif suffixes[-1:] == [".json"] or suffixes[-2:] == [".json", ".gz"]:
            content = path.read_bytes()
            content = gzip.decompress(content) if path.suffix == ".gz" else content
            yield name, "json", content
            yield name, "ndjson", content
            packed = as_msgpack(content)
            if packed is not None:
                yield name, "msgpack", packed
        elif suffixes[-1:] == [".yaml"]:
            yield name, "yaml", path.read_bytes()
            if "yaml-suite" in path.parts:
                yield from yaml_cases(name, path)
    yield from msgpack_cases(root / "mp-kawanet" / "dist" / "msgpack-test-suite.json")


def as_msgpack(content: bytes) -> bytes | None:
    """A JSON text as the `msgpack` package packs it."""
    import msgpack

    try:
        packed: bytes = msgpack.packb(json.loads(content))
    except (ValueError, OverflowError, RecursionError, UnicodeError):
        return None
    return packed


def yaml_cases(name: str, path: Path) -> Iterator[tuple[str, str, bytes]]:
    """The documents within a file of the YAML test suite, its marks for white space replaced."""
    import yaml

    marks = {"␣": " ", "»": "\t", "—»": "\t", "↵": "", "∎": "", "←": "\r", "⇔": "\ufeff"}
    try:
        cases = yaml.safe_load(path.read_text("utf-8"))
    except yaml.YAMLError:
        return
    for number, case in enumerate(cases):
        text = re.sub("—*»|[␣↵∎←⇔]", lambda found: marks["»" if "»" in found[0] else found[0]], case.get("yaml", ""))
        yield f"{name}#{number}", "yaml", text.encode("utf-8", "surrogatepass")


def msgpack_cases(path: Path) -> Iterator[tuple[str, str, bytes]]:
    """Each encoding of each value, as the cell of a table of one row."""
    for group, cases in json.loads(path.read_bytes()).items():
        for number, case in enumerate(cases):
            for encoded in case["msgpack"]:
                cell = bytes.fromhex(encoded.replace("-", ""))
                yield f"{group}#{number}#{encoded[:60]}", "msgpack", b"\x91\x81\xa1x" + cell


def outcome(content: bytes, format: str) -> list[Any]:
    """``[shape, columns, hash]``, or ``[class, numbers]`` of an error: its places and counts without its words."""
    import pyarrow as pa

    try:
        table: pa.Table = cn.decode(content, format).to_arrow()
    except cn.ColonnadeError as error:
        return [type(error).__name__, re.findall(r"\d+", str(error))[:8]]
    columns = [f"{field.name}: {field.type}" for field in table.schema]
    values = hashlib.blake2b(digest_size=12)
    for column in table.columns:
        values.update(repr(plain(column)).encode("utf-8", "surrogatepass"))
    return [[table.num_rows, table.num_columns], columns, values.hexdigest()]


def plain(column: Any) -> list[Any]:
    """A column's values as Python objects, times as their counts, which have no bounds."""
    import pyarrow as pa

    if pa.types.is_temporal(column.type):
        column = column.cast(pa.int64() if column.type.bit_width == 64 else pa.int32())
    values: list[Any] = column.to_pylist()
    return values


def measured() -> dict[str, list[Any]]:
    """The outcome of every input by ``name (format)``."""
    assert CORPORA is not None
    return {f"{name} ({format})": outcome(content, format) for name, format, content in inputs(CORPORA)}


def frozen() -> dict[str, list[Any]]:
    """What the repository keeps."""
    kept: dict[str, list[Any]] = json.loads(gzip.decompress(FROZEN.read_bytes()))
    return kept


if __name__ == "__main__":
    text = json.dumps(measured(), ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    FROZEN.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{FROZEN}: {len(frozen())} inputs, {FROZEN.stat().st_size} bytes")
