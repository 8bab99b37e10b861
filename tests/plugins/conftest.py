"""Installed plug-ins."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.installed import ORC, add_orc, forget, on_path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A folder of `sys.path` for distributions."""
    folder = tmp_path / "site"
    folder.mkdir()
    yield from on_path(folder)


@pytest.fixture
def orc(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example plug-in, installed; its folders for `PYTHONPATH`."""
    pytest.importorskip("pyarrow.orc")
    add_orc(site)
    monkeypatch.syspath_prepend(str(ORC / "src"))
    sys.modules.pop("colonnade_orc", None)
    forget()
    return site
