"""The command line takes URLs where it takes files to read."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade.cli import main
from tests.helpers.web import Site


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("http_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Site() as site:
        yield site.put("/day.npz", cn.encode({"price": np.arange(1000.0), "size": np.arange(1000)}, "npz"))


@pytest.mark.parametrize("command", ["info", "head", "verify"])
def test_files_behind_urls_are_looked_at(url: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, url]) == 0
    if command != "verify":
        assert "price" in capsys.readouterr().out


def test_a_url_is_converted(url: str, tmp_path: Path) -> None:
    assert main(["convert", url, str(tmp_path / "day.arrow")]) == 0
    np.testing.assert_array_equal(cn.read(tmp_path / "day.arrow").to_numpy()["size"], np.arange(1000))


def test_what_is_not_there_is_told_in_a_line(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", url + ".gone"]) == 1
    assert "404 Not Found" in capsys.readouterr().err
