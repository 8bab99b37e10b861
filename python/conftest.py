"""Doctests of the package run in an empty folder, with the names that every example begins with."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _doctest_room(doctest_namespace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    import colonnade as cn

    monkeypatch.chdir(tmp_path)
    doctest_namespace["cn"] = cn
    doctest_namespace["np"] = np
