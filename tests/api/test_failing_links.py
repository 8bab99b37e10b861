"""A link that the system cannot read is an error: the file would take its place, and the file behind it stay old."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import colonnade as cn

pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="no strace")

PROGRAM = """
import sys, colonnade as cn
try:
    cn.write({"n": [2]}, sys.argv[1])
except OSError as error:
    print(error.errno)
"""


def test_a_link_that_cannot_be_read(tmp_path: Path) -> None:
    target, link = tmp_path / "target.npz", tmp_path / "link.npz"
    cn.write({"n": [1]}, target)
    link.symlink_to(target)
    tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", str(link), "-e", "trace=readlink,readlinkat"]
    done = subprocess.run(
        [*tracer, "-e", "inject=readlink,readlinkat:error=EIO", sys.executable, "-c", PROGRAM, str(link)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "5\n", done.stderr[-2000:]
    assert link.is_symlink()
    assert cn.read(target)["n"].to_numpy().tolist() == [1]
