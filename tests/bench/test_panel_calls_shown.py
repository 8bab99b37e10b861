"""The call that the page shows for an engine is one that writes the data."""

import pickle

import pandas as pd
import pytest

import colonnade as cn
from colonnade_bench.engines import ENGINES
from colonnade_bench.panel.calls_shown import call_of
from colonnade_bench.panel.summary import Contestant

SHOWN = [(engine, *row) for engine in ("colonnade", "pandas", "pandas-text", "pickle") for row in ENGINES[engine].panel]


@pytest.mark.parametrize(("engine", "fmt", "codec"), SHOWN)
def test_the_call_writes_a_file(engine, fmt, codec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    exec(call_of(Contestant(engine, fmt, codec)), {"cn": cn, "df": frame, "pickle": pickle})
    (path,) = tmp_path.iterdir()
    assert path.stat().st_size > 0
    if engine == "colonnade":
        assert list(cn.read(path).to_pandas()["b"]) == ["x", "y", "z"]


def test_every_row_of_ours_has_a_call():
    assert all(call_of(Contestant("colonnade", *row)) for row in ENGINES["colonnade"].panel)
