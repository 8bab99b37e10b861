"""The examples in other languages, each as the other end of a socket."""

import datetime as dt
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pandas as pd
import pyarrow as pa

import colonnade as cn
from tests.helpers.commands import PATIENCE_S
from tests.helpers.corpora import ROOT

_EXAMPLES = ROOT / "examples/msgpack"
_NODE, _RSCRIPT = shutil.which("node"), shutil.which("Rscript")

needs_node = pytest.mark.skipif(_NODE is None, reason="no node on this machine")
needs_r = pytest.mark.skipif(_RSCRIPT is None, reason="no Rscript on this machine")

SENT: dict[str, tuple[list[Any], Any]] = {
    "id": ([1, 2, 3, 4], pa.int64()),
    "price": ([1.5, None, -0.25, 1e300], pa.float64()),
    "name": (["ash", "élm", None, "\U0001f332"], pa.large_string()),
    "seen": ([True, False, None, True], pa.bool_()),
    "at": (
        [
            dt.datetime(1970, 1, 1, tzinfo=dt.UTC),
            dt.datetime(2024, 2, 29, 12, 34, 56, 789_000, tzinfo=dt.UTC),
            None,
            dt.datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=dt.UTC),
        ],
        pa.timestamp("ns", "UTC"),
    ),
    "big": ([9007199254740993, 0, -9007199254740993, None], pa.int64()),
    "tags": ([["a", "b"], [], None, ["c"]], pa.large_list(pa.large_string())),
}


def _started(program: str | None, name: str, *arguments: str) -> subprocess.Popen[str]:
    assert program is not None
    command = [program, str(_EXAMPLES / name), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, "")
    return out


@needs_node
@pytest.mark.parametrize("kind", ["unix", "tcp"])
def test_node_sends(kind: str, tmp_path: Path) -> None:
    url = f"unix:{tmp_path}/s" if kind == "unix" else "tcp://127.0.0.1:0"
    with cn.listen(url) as listener:
        target = url if kind == "unix" else listener.url.removeprefix("tcp://")
        process = _started(_NODE, "send.mjs", target)
        with listener.accept(PATIENCE_S) as connection:
            table = connection.receive().to_arrow()
            assert list(connection) == []
        _ended(process)
    assert table.column_names == list(SENT)
    for name, (wanted, kind_of) in SENT.items():
        assert table.schema.field(name).type == kind_of, name
        assert table.column(name).to_pylist() == wanted, name


@needs_node
def test_node_receives(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "i": [1, -200, 1 << 40],
            "f": [0.5, -0.25, 1e300],
            "s": ["x", None, "é" * 40],
            "b": [True, False, True],
            "t": pd.to_datetime(["2024-02-29T12:34:56.789", None, "1901-01-01"], format="ISO8601"),
        }
    )
    url = f"unix:{tmp_path}/s"
    with cn.listen(url) as listener:
        process = _started(_NODE, "receive.mjs", url)
        with listener.accept(PATIENCE_S) as connection:
            connection.send(frame, "msgpack")
        found = json.loads(_ended(process))
    assert found == {
        "nrows": 3,
        "columns": {
            "i": [1, -200, 1 << 40],
            "f": [0.5, -0.25, 1e300],
            "s": ["x", None, "é" * 40],
            "b": [True, False, True],
            "t": ["2024-02-29T12:34:56.789Z", None, "1901-01-01T00:00:00.000Z"],
        },
    }


@needs_r
def test_r_sends() -> None:
    if subprocess.run([str(_RSCRIPT), "-e", "library(RcppMsgPack)"], capture_output=True, check=False).returncode:
        pytest.skip("R has no package RcppMsgPack")
    with cn.listen("tcp://127.0.0.1:0") as listener:
        host, _, port = listener.url.removeprefix("tcp://").partition(":")
        process = _started(_RSCRIPT, "send.R", host, port)
        with listener.accept(PATIENCE_S) as connection:
            found = connection.receive().to_pandas()
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0
    assert found.to_dict("list") == {
        "id": [1, 2, 3, 4],
        "price": [1.5, 2.25, -0.25, 1e300],
        "name": ["ash", "élm", "oak", "fir"],
        "seen": [True, False, True, True],
    }
