"""Bytes on the wire: as many as the sender sends, with the headers of its format."""

import pytest

from colonnade_bench.cell import Cell
from colonnade_bench.channels import CHANNELS
from colonnade_bench.channels.pair import Pair
from colonnade_bench.transports import certificates

pytest.importorskip("pandas")
pytest.importorskip("pyarrow.flight")
pytest.importorskip("trustme")

FRAME = 1024  # wire-1KiB: 16 rows of 8 float64 columns


@pytest.fixture(scope="module")
def trusted(tmp_path_factory):
    return certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.mark.parametrize("transport", ["pipe", "fifo", "unix", "tcp", "tls"])
def test_bytes_are_counted_over_every_transport(transport, tmp_path, trusted):
    names = [name.split() for name in CHANNELS if transport in CHANNELS[name].transports]
    cells = [Cell("wire-1KiB", "pandas", engine, fmt, transport=transport) for engine, fmt in names]
    assert cells
    with Pair(cells, tmp_path, trusted, counted=True) as pair:
        for k, cell in enumerate(cells):
            pair.send(k, tiny=True)
            found = pair.send(k, check=True)
            assert found["difference"] is None, cell
            name, counted = f"{cell.engine} {cell.format}", found["wire_nbytes"]
            if cell.format in ("msgpack-encode", "msgpack-decode"):
                assert counted == 0  # they send nothing
            elif name == "raw bytes" and transport != "tls":
                assert counted == FRAME
            elif name == "raw msgpack":
                assert counted == found["nbytes"]
            else:
                assert FRAME < counted < 8 * FRAME, cell


def test_connections_are_not_counted_while_they_are_timed(tmp_path):
    cells = [Cell("wire-1KiB", "pandas", "raw", "bytes", transport="unix")]
    with Pair(cells, tmp_path) as pair:
        assert pair.counters == []
        assert pair.send(0, check=True)["wire_nbytes"] is None
