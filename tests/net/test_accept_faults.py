"""Peers that are gone before they are accepted: the system says so by an error, and the listener waits for the next."""

import shutil
import subprocess
import sys

import pytest

from tests.helpers.each import each

pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="no strace")

CODE = """
import colonnade as cn
with cn.listen("tcp://127.0.0.1:0") as listener, cn.connect(listener.url) as here:
    with listener.accept(timeout_s=30) as there:
        here.send_bytes(b"heard")
        print(there.receive_bytes())
"""


@each("error", ["ECONNABORTED", "EHOSTUNREACH"])
def test_an_error_of_the_network_leaves_the_listener_open(error: str) -> None:
    faults = ["-e", "trace=accept,accept4", "-e", f"inject=accept,accept4:error={error}:when=1"]
    tracer = ["strace", "-f", "-qq", "-o", "/dev/null", *faults]
    found = subprocess.run(
        [*tracer, sys.executable, "-c", CODE], capture_output=True, text=True, check=False, timeout=60
    )
    assert found.stdout == "b'heard'\n", found.stderr
