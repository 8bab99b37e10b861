"""Peers that speak Arrow and nothing of ours."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S
from tests.helpers.children import child
from tests.helpers.store_servers import node_module


@pytest.fixture(params=["unix", "tcp"])
def listener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[cn.Listener]:
    url = f"unix:{tmp_path}/socket" if request.param == "unix" else "tcp://127.0.0.1:0"
    with cn.listen(url) as made:
        yield made


def test_pyarrow_sends(listener: cn.Listener) -> None:
    """Streams one behind the other on a socket, from a program that has never heard of us."""
    pytest.importorskip("pyarrow")
    script = """
        import pyarrow as pa
        url = sys.argv[1]
        made = socket.socket(socket.AF_UNIX if url.startswith("unix:") else socket.AF_INET)
        made.connect(url[5:] if url.startswith("unix:") else ("127.0.0.1", int(url.rpartition(":")[2])))
        with made.makefile("wb") as file:
            for turn in range(3):
                table = pa.table({"x": pa.array(range(turn * 1000)), "s": [str(i) for i in range(turn * 1000)]})
                with pa.ipc.new_stream(file, table.schema) as writer:
                    writer.write_table(table, max_chunksize=300)
    """
    with child(script, listener.url) as made:
        with listener.accept(timeout_s=PATIENCE_S) as connection:
            for turn in range(3):
                table = connection.receive(timeout_s=PATIENCE_S).to_arrow()
                assert table["x"].to_pylist() == list(range(turn * 1000))
                assert table["s"].to_pylist() == [str(i) for i in range(turn * 1000)]
            assert list(connection) == []
        assert made.end()[0] == 0


def test_pyarrow_receives(listener: cn.Listener) -> None:
    pytest.importorskip("pyarrow")
    script = """
        import pyarrow as pa
        url = sys.argv[1]
        made = socket.socket(socket.AF_UNIX if url.startswith("unix:") else socket.AF_INET)
        made.connect(url[5:] if url.startswith("unix:") else ("127.0.0.1", int(url.rpartition(":")[2])))
        with made.makefile("rb") as file:
            for _ in range(3):
                table = pa.ipc.open_stream(file).read_all()
                say(table.num_rows, sum(table["x"].to_pylist()), "".join(table["s"].to_pylist())[:20])
    """
    with child(script, listener.url) as made, listener.accept(timeout_s=PATIENCE_S) as connection:
        for turn in range(3):
            x = np.arange(turn * 1000)
            connection.send({"x": x, "s": x.astype(str)}, timeout_s=PATIENCE_S)
            assert made.line().rstrip() == f"{len(x)} {x.sum()} {''.join(map(str, range(turn * 1000)))[:20]}".rstrip()
        assert made.end()[0] == 0


def test_javascript_sends(listener: cn.Listener) -> None:
    modules = node_module("apache-arrow/package.json").parents[1]
    if not listener.url.startswith("tcp:"):
        pytest.skip("once is enough")
    script = """
        const arrow = require("apache-arrow"), net = require("net");
        const table = arrow.tableFromArrays({x: Float64Array.from([1.5, 2.5, 3.5])});
        const socket = net.connect(Number(process.argv[1]), "127.0.0.1", () => {
            socket.end(arrow.tableToIPC(table, "stream"));
        });
    """
    port = listener.url.rpartition(":")[2]
    made = subprocess.Popen(["node", "-e", script, port], env={**os.environ, "NODE_PATH": str(modules)})
    try:
        with listener.accept(timeout_s=PATIENCE_S) as connection:
            assert connection.receive(timeout_s=PATIENCE_S).to_arrow()["x"].to_pylist() == [1.5, 2.5, 3.5]
            assert list(connection) == []
    finally:
        made.kill()
        made.wait()
