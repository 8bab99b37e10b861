"""Doctests of the package run in an empty folder, with the names that every example begins with."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

# Modules whose engine is not installed cannot be imported.
_NEEDED = {
    "colonnade/daft.py": "daft",
    "colonnade/ray.py": "ray",
    "colonnade/spark.py": "pyspark",
    "colonnade/_engines/dask_serialization.py": "distributed",
    "colonnade/_engines/spark_source.py": "pyspark",
    "colonnade/cli/serving.py": "uvicorn",
}
collect_ignore = [path for path, library in _NEEDED.items() if find_spec(library) is None]


@pytest.fixture(autouse=True)
def _doctest_room(doctest_namespace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    import colonnade as cn

    monkeypatch.chdir(tmp_path)
    doctest_namespace["cn"] = cn
    doctest_namespace["np"] = np
