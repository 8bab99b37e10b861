"""The fuzz and crash files of the Arrow project: no crash, no hang, memory under the limit, typed errors alone."""

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

from tests.helpers.corpora import CORPORA, needs_corpora
from tests.sweep import arrow as sweep_arrow

pytestmark = needs_corpora

_FOLDERS = ("arrow-ipc-file", "arrow-ipc-stream", "arrow-ipc-tensor-stream")


@each("allowed", [False, True])
@each("format", [None, "arrow", "arrows"])
@each("folder", list(_FOLDERS))
def test_fuzzed_files_never_crash_hang_or_allocate(folder: str, format: str | None, allowed: bool) -> None:
    assert CORPORA is not None
    files = (CORPORA / "arrow-testing" / folder).iterdir()
    paths = sorted(str(path) for path in files if path.is_file() and path.suffix != ".md")
    assert paths
    results = sweep_arrow.run({"paths": paths, "modes": [(format, allowed)]})
    assert len(results) == len(paths)
    assert [(result["name"], result) for result in results if "invalid" in result.values()] == []
