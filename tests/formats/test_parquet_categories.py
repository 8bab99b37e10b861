"""Categories of Parquet files: of rows that are none, of row groups that do not agree, of dictionaries with nulls."""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from tests.transports.web import Site

FRAME = pd.DataFrame(
    {
        "c": pd.Categorical(["b", "a", None, "b"] * 5, categories=["z", "b", "a"], ordered=True),
        "n": np.arange(20),
    }
)
NONE = {
    "no rows in front": {"rows": slice(0, 0)},
    "no rows in the middle": {"rows": slice(7, 7)},
    "no rows at the end": {"rows": slice(20, 20)},
    "no row group of the filter": {"filter": [("n", ">", 100)]},
    "no row of the filter": {"filter": [("n", "<", 5), ("n", "in", [2, 7]), ("c", "==", "z")]},
}


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Site() as made:
        yield made


def of_pandas(frame: pd.DataFrame, **options: Any) -> bytes:
    sink = io.BytesIO()
    frame.to_parquet(sink, **options)
    return sink.getvalue()


FILES = {
    "ours": cn.encode(FRAME, "parquet", row_group_rows=6),
    "of pandas": of_pandas(FRAME, row_group_size=6),
    "of values": of_pandas(FRAME, row_group_size=6, use_dictionary=False),
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
@pytest.mark.parametrize("none", NONE.values(), ids=NONE)
def test_no_rows_keep_their_categories(content: bytes, none: dict[str, Any], site: Site) -> None:
    wanted = pd.read_parquet(io.BytesIO(content)).dtypes["c"]
    url = site.put("/x.parquet", content)
    for found in (cn.decode(content, **none), cn.read(url, **none)):
        frame = found.to_pandas()
        assert frame.shape == (0, 2)
        assert frame.dtypes["c"] == wanted
        assert found.to_arrow()["c"].type.ordered


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_some_rows_elsewhere_have_the_categories_of_all(content: bytes, site: Site) -> None:
    wanted = pd.read_parquet(io.BytesIO(content))
    url = site.put("/x.parquet", content)
    pd.testing.assert_frame_equal(cn.read(url, rows=slice(2, 5)).to_pandas(), wanted[2:5])
