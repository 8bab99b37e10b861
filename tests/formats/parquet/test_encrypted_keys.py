"""Encrypted files of pyarrow: keys of every length, footers in clear text, and the errors of files that are cut."""

import io
import struct
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.parquet.encryption import create_decryption_properties, create_encryption_properties

import colonnade as cn
from tests.helpers.each import each

TABLE = pa.table({"number": range(50), "text": [f"word {k % 7}" for k in range(50)]})
KEYS = {16: b"0123456789abcdef", 24: b"0123456789abcdef01234567", 32: b"0123456789abcdef0123456789abcdef"}
MODES = ["AES_GCM_V1", "AES_GCM_CTR_V1"]


def encrypted(key: bytes, mode: str = "AES_GCM_V1", **options: Any) -> bytes:
    sink = io.BytesIO()
    properties = create_encryption_properties(key, encryption_algorithm=mode, **options)
    pq.write_table(TABLE, sink, encryption_properties=properties)
    return sink.getvalue()


def theirs(content: bytes, key: bytes) -> Any:
    return pq.read_table(io.BytesIO(content), decryption_properties=create_decryption_properties(key))


@each("mode", MODES)
@each("key", KEYS)
def test_one_key_of_any_length_opens_all_columns(key: bytes, mode: str) -> None:
    content = encrypted(key, mode)
    assert theirs(content, key).equals(TABLE)
    assert cn.read(content, footer_key=key).to_arrow().equals(TABLE)
    assert cn.read(content, footer_key=key, columns=["text"]).to_arrow().equals(TABLE.select(["text"]))


@each("key", KEYS)
def test_the_key_of_a_signed_footer_may_be_given_for_each_column(key: bytes) -> None:
    content = encrypted(key, plaintext_footer=True)
    columns = dict.fromkeys(TABLE.column_names, key)
    assert cn.read(content, footer_key=key, column_keys=columns).to_arrow().equals(TABLE)


@each("plaintext_footer", [False, True])
@each("mode", MODES)
@each("key", KEYS)
def test_another_key_of_the_same_length_opens_nothing(key: bytes, mode: str, plaintext_footer: bool) -> None:
    content = encrypted(key, mode, plaintext_footer=plaintext_footer)
    with pytest.raises(cn.ColonnadeError, match="is not opened by its key"):
        cn.read(content, footer_key=key[::-1]).to_arrow()


def test_a_footer_that_is_cut_says_how_many_bytes_it_lacks() -> None:
    content = encrypted(KEYS[16])
    (nbytes,) = struct.unpack("<I", content[-8:-4])
    front, foot = content[: -8 - nbytes], content[-8 - nbytes : -8]
    cut = foot[:-1]
    with pytest.raises(cn.TruncatedError, match=rf"footer needs {len(cut) + 1} bytes, found {len(cut)}\."):
        cn.read(front + cut + struct.pack("<I", len(cut)) + b"PARE", footer_key=KEYS[16])


def test_a_page_that_is_cut_says_how_many_bytes_it_lacks() -> None:
    content = bytearray(encrypted(KEYS[16]))
    metadata = pq.read_metadata(
        io.BytesIO(bytes(content)), decryption_properties=create_decryption_properties(KEYS[16])
    )
    nbytes = metadata.row_group(0).column(0).total_compressed_size
    content[4:8] = struct.pack("<I", 1 << 30)
    with pytest.raises(cn.TruncatedError, match=rf"number.*page needs {nbytes + 1} bytes, found {nbytes}\."):
        cn.read(bytes(content), footer_key=KEYS[16])
