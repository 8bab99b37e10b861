"""A clone is small: what can be made again from tracked files is not tracked."""

import shutil
import subprocess

import pytest

from tests.helpers.corpora import ROOT

MOST_NBYTES = 19_000_000


@pytest.mark.skipif(not shutil.which("git") or not (ROOT / ".git").exists(), reason="no clone")
def test_tracked_files_are_few_bytes() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    paths = [ROOT / name for name in listed.decode().split("\0") if name]
    assert sum(path.stat().st_size for path in paths if path.is_file()) < MOST_NBYTES


def test_published_runs_are_compressed_and_have_one_page() -> None:
    examples = ROOT / "examples"
    assert not list(examples.rglob("*.jsonl"))
    assert list(examples.rglob("page.html")) == [examples / "page.html"]
