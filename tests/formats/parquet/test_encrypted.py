"""Encrypted files of parquet-testing: with their keys the values of all are the same, without them they are refused."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from colonnade.testing.cases_pyarrow import cells
from tests.helpers.corpora import CORPORA, needs_corpora

pytestmark = needs_corpora
DATA = CORPORA / "pq-apache" / "data" if CORPORA else Path()

# data/README.md; what it writes as numbers are digits.
FOOTER = b"0123456789012345"
COLUMNS = {"double_field": b"1234567890123450", "float_field": b"1234567890123451"}
LONG_FOOTER = b"01234567890123456789012345678901"
LONG_COLUMNS = {
    name: f"123456789012345678901234567890{number}".encode()
    for number, name in enumerate(
        ["double_field", "float_field", "boolean_field", "int32_field", "ba_field", "flba_field", "int64_field",
         "int96_field"], 12
    )
}  # fmt: skip
LONG_COLUMNS["int64_field.list.element"] = LONG_COLUMNS["int64_field"]

BLOOM = "encrypt_columns_and_footer_bloom_filter"
SHORT = [
    "uniform_encryption",
    "encrypt_columns_and_footer",
    "encrypt_columns_and_footer_aad",
    "encrypt_columns_and_footer_ctr",
    "encrypt_columns_and_footer_disable_aad_storage",
    "encrypt_columns_plaintext_footer",
]
LONG = [
    "uniform_encryption",
    "encrypt_columns_and_footer",
    "encrypt_columns_and_footer_ctr",
    "encrypt_columns_and_footer_disable_aad_storage",
    "encrypt_columns_plaintext_footer",
]
IN_MICROSECONDS = {"int96_unit": "us"}
SAME = [*SHORT, *(f"aes256/{name}" for name in LONG)]
FILES = [*SAME, BLOOM]


def _path(name: str) -> Path:
    return DATA / f"{name}.parquet.encrypted"


def _keys(name: str) -> dict[str, Any]:
    footer, columns = (LONG_FOOTER, LONG_COLUMNS) if name.startswith("aes256") else (FOOTER, COLUMNS)
    keys: dict[str, Any] = {"footer_key": footer}
    if "uniform" not in name:
        keys["column_keys"] = columns
    if "disable_aad" in name or name.endswith("_aad"):
        keys["aad_prefix"] = b"tester"
    # Their instants are about the year -4712, which nanoseconds do not reach.
    return keys | IN_MICROSECONDS


def _whole(name: str, **keys: Any) -> Any:
    return cn.read(_path(name), format="parquet", **keys).to_arrow()


@pytest.fixture(scope="module")
def wanted() -> Any:
    """pyarrow reads files of one key."""
    from pyarrow.parquet.encryption import create_decryption_properties

    properties = create_decryption_properties(FOOTER)
    path = _path("uniform_encryption")
    return pq.read_table(path, decryption_properties=properties, coerce_int96_timestamp_unit="us")


@each("name", list(SAME))
def test_with_the_keys(name: str, wanted: Any) -> None:
    found = _whole(name, **_keys(name))
    assert found.column_names == wanted.column_names
    for column in wanted.column_names:
        assert cells(found.column(column)) == cells(wanted.column(column)), column


@each("name", list(SAME))
def test_with_the_keys_as_pandas(name: str, wanted: Any) -> None:
    found = cn.read(_path(name), format="parquet", columns=["double_field", "float_field"], **_keys(name)).to_pandas()
    assert found["double_field"].tolist() == [k * 1.1111111 for k in range(50)]
    assert found["float_field"].tolist() == wanted.column("float_field").to_pylist()
    assert cn.read(_path(name), format="parquet", **_keys(name)).to_pandas().shape == (50, 8)


def test_a_file_with_bloom_filters() -> None:
    found = cn.read(_path(BLOOM), format="parquet", **_keys(BLOOM)).to_pandas()
    assert found["double_field"].tolist() == [k + 0.5 for k in range(2000)]
    assert found["float_field"].tolist() == [k + 0.25 for k in range(2000)]
    assert found["int32_field"].tolist() == list(range(2000))
    assert found["name"].tolist() == [f"name_{k}" for k in range(2000)]
    some = cn.read(_path(BLOOM), format="parquet", filters=[("double_field", "==", 7.5)], **_keys(BLOOM)).to_pandas()
    assert some["name"].tolist() == ["name_7"]


@each("name", list(FILES))
def test_without_keys(name: str) -> None:
    """The message says that it is encrypted, and which option takes the key."""
    path = _path(name)
    for look in (
        lambda: cn.read(path, format="parquet", **IN_MICROSECONDS).to_pandas(),
        lambda: cn.read(path, format="parquet", **IN_MICROSECONDS).to_arrow(),
        lambda: cn.verify(path, **IN_MICROSECONDS),
    ):
        with pytest.raises(cn.UnsupportedError, match=r"parquet: .*encrypted.*key") as raised:
            look()
        if "plaintext" in name:
            assert any(column in str(raised.value) for column in LONG_COLUMNS), str(raised.value)


def test_columns_that_are_not_encrypted_need_no_key(wanted: Any) -> None:
    names = ["boolean_field", "int32_field", "ba_field"]
    found = cn.read(_path("encrypt_columns_plaintext_footer"), format="parquet", columns=names).to_arrow()
    for name in names:
        assert cells(found.column(name)) == cells(wanted.column(name)), name


@each("name", list(FILES))
def test_with_a_wrong_key(name: str) -> None:
    """In counter mode pages have no tag: a wrong key is found by what is wrong with the header of the page then."""
    right = _keys(name)
    wrong = bytes(len(right["footer_key"]))
    for keys in (
        right | {"footer_key": wrong},
        right | {"column_keys": dict.fromkeys(right.get("column_keys", {"double_field": wrong}), wrong)},
    ):
        if keys == right or ("uniform" in name and "column_keys" in keys):
            continue
        if "plaintext" in name and keys["footer_key"] == wrong and "aes256" not in name:
            # The footer is signed, not encrypted: its columns may be read by their own keys.
            continue
        with pytest.raises(cn.ColonnadeError, match="parquet: ") as raised:
            _whole(name, **keys)
        for key in (right["footer_key"], *right.get("column_keys", {}).values()):
            assert key.decode() not in str(raised.value)


@pytest.mark.parametrize("name", ["encrypt_columns_and_footer_disable_aad_storage"])
def test_without_the_prefix(name: str) -> None:
    keys = {k: v for k, v in _keys(name).items() if k != "aad_prefix"}
    with pytest.raises(cn.ColonnadeError, match=r"parquet: .*"):
        _whole(name, **keys)


def test_keys_that_stand_beside_the_file() -> None:
    """parquet-mr's external key material: the keys are wrapped in keys that are wrapped in those of the README."""
    pytest.importorskip("cryptography")
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    name = "external_key_material_java"
    masters = {"kf": FOOTER, "kc1": COLUMNS["double_field"], "kc2": COLUMNS["float_field"]}
    material = json.loads((DATA / f"_KEY_MATERIAL_FOR_{name}.parquet.encrypted.json").read_text())
    keys = {}
    for which, text in material.items():
        told = json.loads(text)
        wrapping, master = base64.b64decode(told["wrappedKEK"]), told["masterKeyID"]
        middle = AESGCM(masters[master]).decrypt(wrapping[:12], wrapping[12:], master.encode())
        wrapped = base64.b64decode(told["wrappedDEK"])
        keys[which] = AESGCM(middle).decrypt(wrapped[:12], wrapped[12:], base64.b64decode(told["keyEncryptionKeyID"]))
    columns = {"integers": keys["columnKey0"], "strings": keys["columnKey1"]}
    found = _whole(name, footer_key=keys["footerKey"], column_keys=columns)
    assert found.column_names == ["integers", "strings"]
    assert found.num_rows == 100
    assert len(set(found.column("integers").to_pylist())) > 1
    assert all(isinstance(text, str) for text in found.column("strings").to_pylist())


def test_a_file_that_is_not_encrypted_with_a_key() -> None:
    """A key too many is no error: the same options are used for a folder of files."""
    path = DATA / "alltypes_plain.parquet"
    assert cn.read(path, footer_key=FOOTER).to_arrow().num_rows == 8


@each("name", list(FILES))
def test_with_their_keys_they_are_verified(name: str) -> None:
    frame = cn.read(_path(name), format="parquet", verify=True, **_keys(name))
    assert len(frame) > 0


def test_a_part_of_a_nested_column(tmp_path: Path) -> None:
    """What is read by part opens the file anew, with the same keys."""
    from pyarrow.parquet.encryption import create_encryption_properties

    path = tmp_path / "muons.parquet"
    muons = [{"pt": k / 2, "hits": [k, k + 1]} for k in range(100)]
    table = pa.table({"id": range(100), "muon": muons})
    pq.write_table(table, path, encryption_properties=create_encryption_properties(FOOTER), row_group_size=40)
    frame = cn.read(path, columns=["muon.hits"], footer_key=FOOTER)
    assert frame.to_arrow().to_pylist() == [{"muon": {"hits": muon["hits"]}} for muon in muons]
    assert [list(muon["hits"]) for muon in frame.to_pandas()["muon"]] == [muon["hits"] for muon in muons]
    some = cn.read(path, columns=["muon.pt"], filters=[("id", ">=", 95)], footer_key=FOOTER).to_arrow()
    assert some.to_pylist() == [{"muon": {"pt": k / 2}} for k in range(95, 100)]
