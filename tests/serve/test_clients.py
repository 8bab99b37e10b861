"""`colonnade serve`, read by others: cn.read, polars, and arrow-js in a page."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import colonnade as cn
from tests.helpers.browser import chromium, needs_browser
from tests.helpers.store_servers import free_port, node_module, running

pytest.importorskip("uvicorn")

FRAME = pd.DataFrame({"fare": [7.5, 9.0, 1.0], "city": ["A", "B", "Ä"], "year": [2023, 2024, 2024]})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    cn.write(FRAME, folder / "trips.parquet")
    cn.write(FRAME, folder / "trips.npz")
    port = free_port()
    command = [sys.executable, "-m", "colonnade", "serve", str(folder), "--port", str(port), "--cors", "*"]
    with running(command, port):
        yield f"http://127.0.0.1:{port}"


def test_colonnade_reads_files_and_rows(served: str) -> None:
    pd.testing.assert_frame_equal(cn.read_pandas(f"{served}/trips.npz"), FRAME)
    found = cn.read_pandas(f"{served}/trips.npz?columns=fare&filters=year>2023&format=arrows", format="arrows")
    assert found["fare"].tolist() == [9.0, 1.0]


def test_polars_reads_files_and_rows(served: str) -> None:
    assert pl.scan_parquet(f"{served}/trips.parquet").select("city").collect()["city"].to_list() == ["A", "B", "Ä"]
    rows = pl.read_ipc_stream(f"{served}/trips.npz?columns=fare,year&filters=fare>5")
    assert rows["year"].to_list() == [2023, 2024]


class TestInAPage:
    pytestmark = needs_browser

    def test_arrow_js_reads_rows(self, served: str, tmp_path: Path) -> None:
        script = node_module("apache-arrow/Arrow.es2015.min.js")
        page = tmp_path / "page.html"
        page.write_text(
            f"""<!doctype html><title>waiting</title><script src="{script.as_uri()}"></script><script>
            Arrow.tableFromIPC(fetch("{served}/trips.parquet?columns=fare,city&filters=fare>5"))
                .then(table => document.title = JSON.stringify(table.toArray().map(row => [row.fare, row.city])))
                .catch(error => document.title = String(error));
            </script>""",
            encoding="utf-8",
        )
        with chromium(tmp_path / "profile") as browser:
            browser.get(page.as_uri())
            end = time.monotonic() + 30
            while browser.title == "waiting" and time.monotonic() < end:
                time.sleep(0.02)
            assert browser.title == '[[7.5,"A"],[9,"B"]]'
