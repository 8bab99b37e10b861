"""Files whose footer is in clear text and signed: its key opens the columns that are encrypted with it."""

import io

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.parquet.encryption import create_decryption_properties, create_encryption_properties

import colonnade as cn
from tests.helpers.each import each

TABLE = pa.table({"number": range(50), "text": [f"word {k % 7}" for k in range(50)]})


@each("mode", ["AES_GCM_V1", "AES_GCM_CTR_V1"])
@each("nbytes", [16, 24, 32])
def test_the_key_of_a_signed_footer_opens_all_columns(nbytes: int, mode: str) -> None:
    key, sink = bytes(range(nbytes)), io.BytesIO()
    properties = create_encryption_properties(key, encryption_algorithm=mode, plaintext_footer=True)
    pq.write_table(TABLE, sink, encryption_properties=properties, row_group_size=20)
    theirs = pq.read_table(io.BytesIO(sink.getvalue()), decryption_properties=create_decryption_properties(key))
    assert theirs.equals(TABLE)
    assert cn.read(sink.getvalue(), footer_key=key).to_arrow().equals(TABLE)
    assert cn.read(sink.getvalue(), footer_key=key, columns=["text"]).to_arrow().equals(TABLE.select(["text"]))
