"""Where the system allows no more threads, a read and a write take longer and nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import colonnade as cn

pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="no strace")

PROGRAM = """
import sys, colonnade as cn
source, target = sys.argv[1:]
cn.write(cn.read(source, mmap=False), target)
print("done")
"""


@pytest.mark.parametrize("format", ["npz", "arrow", "parquet", "msgpack", "csv", "ndjson"])
def test_threads_are_refused(tmp_path: Path, format: str) -> None:
    source, target = tmp_path / f"source.{format}", tmp_path / f"target.{format}"
    cn.write({"n": list(range(300_000))}, source)
    tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=clone,clone3"]
    faults = ["-e", "inject=clone,clone3:error=EAGAIN"]
    done = subprocess.run(
        [*tracer, *faults, sys.executable, "-W", "ignore", "-c", PROGRAM, source, target],
        capture_output=True,
        text=True,
        # OpenBLAS complains about threads of its own.
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr[-2000:]
    assert cn.read(target).to_pandas()["n"].sum() == sum(range(300_000))
