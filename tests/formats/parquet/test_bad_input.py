"""Parquet with one thing wrong: a typed error that names the place, before memory is taken for what is claimed."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.parquet_bad_cases import FOREIGN, SOUND, Bad
from tests.helpers.parquet_bad_pages import BAD, EITHER
from tests.sweep import parquet as sweep_parquet

# Where in the bytes: a column, a row group, or a byte.
_COLUMN = re.compile(r'"(row group \d+, )?column [abl]"|column "?[abl]\b|row group 0')
_PLACE = re.compile(r"byte \d+|row group \d+|footer|the file|schema")


def _by_batch(content: bytes) -> None:
    with cn.open_reader(content, format="parquet") as reader:
        for frame in reader:
            frame.to_pandas()


_WAYS: dict[str, Callable[[bytes], Any]] = {
    "pandas": lambda content: cn.read(content, format="parquet").to_pandas(),
    "pandas, one thread": lambda content: cn.read(content, format="parquet", threads=1).to_pandas(),
    "arrow": lambda content: cn.read(content, format="parquet").to_arrow(),
    "batches": _by_batch,
}
_VERIFIED: dict[str, Callable[[bytes], Any]] = {
    "verify": lambda content: cn.verify(content),
    "read verified": lambda content: cn.read(content, format="parquet", verify=True).to_pandas(),
}
_UNVERIFIED = [name for name, bad in BAD.items() if not bad.verified]


def _refused(bad: Bad, way: Callable[[bytes], Any]) -> None:
    with pytest.raises(cn.ColonnadeError) as raised:
        way(bad.content)
    error, message = raised.value, str(raised.value)
    assert isinstance(error, bad.errors), (type(error).__name__, message)
    assert message.startswith("parquet: "), message
    assert re.search(bad.words, message), message
    assert _PLACE.search(message) or _COLUMN.search(message), message
    assert bad.whole or _COLUMN.search(message), message


def test_what_the_cases_damage_is_sound() -> None:
    found = cn.read(SOUND, format="parquet").to_pandas()
    assert found.to_dict("list") == {"a": [1, 2], "b": [1, 2]}
    cn.verify(SOUND)


@each("way", list(_WAYS))
@each("name", list(_UNVERIFIED), per=20)
def test_is_refused(name: str, way: str) -> None:
    _refused(BAD[name], _WAYS[way])


@each("way", list(_VERIFIED))
@each("name", [name for name in BAD if name not in FOREIGN], per=20)
def test_is_refused_when_verified(name: str, way: str) -> None:
    _refused(BAD[name], _VERIFIED[way])


@each("name", list(EITHER))
def test_is_read_or_refused(name: str) -> None:
    refused = []
    for way in (*_WAYS.values(), *_VERIFIED.values()):
        try:
            way(EITHER[name].content)
        except cn.ColonnadeError as error:
            refused.append(str(error))
    # What is wrong with pandas' own words, its adapter says.
    assert [message for message in refused if not message.startswith(("parquet: ", "pandas: schema metadata"))] == []


@pytest.mark.parametrize("name", ["a chunk outside the file", "a wrong checksum", "a key out of range in a run, words"])
def test_other_columns_are_read(name: str) -> None:
    """What is wrong with one column is no matter to who asks for others."""
    content = BAD[name].content
    other = "before" if b"before" in content else "a"
    found = cn.read(content, format="parquet", columns=[other]).to_pandas()
    assert found[other].tolist() == [1, 2]


def test_a_directory_an_empty_file_and_text(tmp_path: Path) -> None:
    empty, text = tmp_path / "empty.parquet", tmp_path / "text.parquet"
    empty.write_bytes(b"")
    text.write_text("a,b\n1,2\n3,4\n5,6\n7,8\n")
    for path in (empty, text):
        with pytest.raises(cn.DecodeError, match="parquet: "):
            cn.read(path, format="parquet")
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises((OSError, cn.ColonnadeError)):
        cn.read(tmp_path / "folder.parquet")


def test_no_memory_is_taken_for_what_is_claimed() -> None:
    cases = {name: bad.content.hex() for name, bad in (BAD | EITHER).items()}
    results = sweep_parquet.run({"hex": cases}, resident=48 << 20)
    assert len(results) == len(cases)
    accepted = [r["name"] for r in results if r["name"] in _UNVERIFIED and isinstance(r["pandas"], int)]
    assert accepted == []
