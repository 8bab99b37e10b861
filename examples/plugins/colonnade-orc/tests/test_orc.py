"""The contract of formats, and what is ORC's own."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from colonnade_orc import OrcFormat
from pyarrow import orc

import colonnade as cn
from colonnade.testing.contracts import FormatContract


class TestOrc(FormatContract):
    def plugin(self) -> OrcFormat:
        return OrcFormat()

    def frames(self) -> dict:
        nested = pa.table({"n": [1, 2, 3], "l": [[1.5], None, []], "s": [{"x": "a"}, {"x": None}, None]})
        times = pa.table({"t": pa.array([dt.datetime(2020, 1, 31), None], pa.timestamp("ns"))})
        return {**super().frames(), "nested": nested, "times": times}


def test_other_programs_read_it(tmp_path) -> None:
    cn.write({"a": np.arange(3)}, tmp_path / "x.orc", compression="snappy")
    assert orc.ORCFile(tmp_path / "x.orc").compression == "SNAPPY"
    assert orc.read_table(tmp_path / "x.orc").to_pydict() == {"a": [0, 1, 2]}


def test_stripes_are_chunks(tmp_path) -> None:
    with cn.open_writer(tmp_path / "x.orc", stripe_nbytes=1024) as writer:
        for start in range(0, 60_000, 20_000):
            writer.write({"a": np.random.default_rng(start).integers(0, 2**60, 20_000)})
    with cn.open_reader(tmp_path / "x.orc", columns=["a"], rows=slice(5, None)) as reader:
        chunks = [len(frame) for frame in reader]
    assert len(chunks) > 1
    assert sum(chunks) == 59_995


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (np.array([1j]), "ORC has no type for fixed_size_list"),
        (np.array([1], "u8"), "uint64"),
        (np.array(["3020"], "M8[us]"), "would result in out of bounds timestamp"),
    ],
)
def test_types_that_orc_lacks_are_refused_by_column(column, text, tmp_path) -> None:
    with pytest.raises(cn.EncodeError, match=text) as raised:
        cn.write({"good": np.array([1]), "bad": column}, tmp_path / "x.orc")
    assert "column 'bad'" in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_options_are_checked_and_named(tmp_path) -> None:
    with pytest.raises(cn.OptionError, match="'compresion'; nearest: 'compression'"):
        cn.write({"a": [1]}, tmp_path / "x.orc", compresion="zstd")
    with pytest.raises(cn.OptionError, match="found 'brotli'"):
        cn.write({"a": [1]}, tmp_path / "x.orc", compression="brotli")
