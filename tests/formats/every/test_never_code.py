"""No file runs code: `eval`, `exec`, `compile`, unpickling and child processes are watched while every public file is
read.
"""

import subprocess
import sys

from tests.helpers.corpora import CORPORA, ROOT, needs_corpora

MOST_NBYTES = 1 << 20


@needs_corpora
def test_no_corpus_file_runs_code() -> None:
    assert CORPORA is not None
    paths = [path for path in sorted(CORPORA.rglob("*")) if path.is_file() and path.stat().st_size <= MOST_NBYTES]
    assert len(paths) > 1000
    watched = subprocess.run(
        [sys.executable, "-m", "tests.helpers.never_code"],
        input="".join(f"{path}\n" for path in paths),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=600,
        check=False,
    )
    assert watched.returncode == 0, watched.stderr[-3000:]
    *ran, last = watched.stdout.splitlines()
    assert not ran
    assert last == "watched 3", "eval is a compile and an exec, and pickle is trapped"
