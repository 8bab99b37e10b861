"""A peer's claims cost no memory: what is taken follows the bytes that came, and lies below the limits."""

import json
import subprocess
import sys
import textwrap
from typing import Any

import pytest

resource = pytest.importorskip("resource", reason="no resource limits on this system")

from tests.helpers.corpora import ROOT  # noqa: E402

MIB = 1 << 20

# One process tries all claims. The peak of its memory is asked of the system (VmHWM), and set back before each.
HARNESS = """
import json, resource, socket, struct, sys
import numpy as np
import colonnade as cn
from tests.helpers import arrow_bytes as ab
from tests.helpers.announcing import Announcement

def told(nrows, *fields):
    return Announcement(1, ab.schema(*fields), nrows=str(nrows))

def status(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(key))

def tried(wire):
    near, far = socket.socketpair()
    far.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    with near, far, cn.connect(near) as connection:
        far.sendall(cn.encode({"x": np.arange(1000), "s": np.array(["a", "b"] * 500)}, "arrows"))
        connection.receive(timeout_s=30).to_numpy()
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before = status("VmRSS")
        try:
            exec(wire, {**globals(), "far": far})
            connection.receive(timeout_s=0.2).to_arrow()
            found = None
        except Exception as error:
            found = error
        grown = status("VmHWM") - before
        return {"error": type(found).__name__, "text": str(found), "grown": grown, "peer": connection.peer}

tried("far.sendall(ab.stream(told(3, ab.field('a', ab.INT64))))")
# 4 GiB of addresses beyond what it has, so that a claim of terabytes cannot be had at all.
resource.setrlimit(resource.RLIMIT_AS, (status("VmSize") + (4 << 30), resource.RLIM_INFINITY))
print(json.dumps({name: tried(wire) for name, wire in json.load(sys.stdin).items()}))
"""

CLAIMS = {
    "an envelope of 2^62 bytes": 'far.sendall(b"\\xc1CNB" + bytes(4) + struct.pack("<Q", 1 << 62) + bytes(1000))',
    "an envelope of 1 TiB": 'far.sendall(b"\\xc1CNB" + bytes(4) + struct.pack("<Q", 1 << 40) + bytes(1000))',
    "an envelope of 1 GiB": 'far.sendall(b"\\xc1CNB" + bytes(4) + struct.pack("<Q", 1 << 30) + bytes(1000))',
    "a header of 2 GiB": 'far.sendall(b"\\xff\\xff\\xff\\xff\\xf8\\xff\\xff\\x7f" + bytes(1000))',
    "a header of 256 MiB": 'far.sendall(b"\\xff\\xff\\xff\\xff\\x00\\x00\\x00\\x10" + bytes(1000))',
    "2^62 rows": 'far.sendall(ab.stream(told(1 << 62, ab.field("a", ab.INT64)), end=b""))',
    "2^40 rows": 'far.sendall(ab.stream(told(1 << 40, ab.field("a", ab.INT64)), end=b""))',
    "2^27 rows": 'far.sendall(ab.stream(told(1 << 27, ab.field("a", ab.INT64)), end=b""))',
    "2^27 rows of 100 columns": (
        'far.sendall(ab.stream(told(1 << 27, *(ab.field(str(i), ab.FLOAT64) for i in range(100))), end=b""))'
    ),
    "a body of 2^62 bytes": (
        'far.sendall(ab.stream(ab.schema(ab.field("a", ab.INT64)), '
        'ab.batch(1 << 59, [(1 << 59, 0)], [(0, 0), (0, 1 << 62)], bytes(64), body_nbytes=1 << 62), end=b""))'
    ),
    "a body of 1 GiB": (
        'far.sendall(ab.stream(ab.schema(ab.field("a", ab.INT64)), '
        'ab.batch(1 << 27, [(1 << 27, 0)], [(0, 0), (0, 1 << 30)], bytes(64), body_nbytes=1 << 30), end=b""))'
    ),
    "null rows without bytes": (
        'far.sendall(ab.stream(ab.schema(ab.field("a", ab.NULL)), ab.batch(1 << 62, [(1 << 62, 1 << 62)], [])))'
    ),
}


# Compressed buffers say how large they will be.
PACKED = {
    f"{size} bytes from 40": (
        'far.sendall(ab.stream(ab.schema(ab.field("a", ab.INT64)), ab.batch(4, [(4, 0)], [(0, 0), (0, 40)], '
        f'struct.pack("<q", {size}) + bytes(32), compression=ab.compression(1))))'
    )
    for size in ("1 << 62", "1 << 40", "1 << 30")
}


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    made = subprocess.run(
        [sys.executable, "-c", HARNESS],
        cwd=ROOT,
        input=json.dumps(CLAIMS | PACKED),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert made.returncode == 0, made.stderr[-2000:]
    found: dict[str, dict[str, Any]] = json.loads(made.stdout)
    return found


@pytest.mark.parametrize("name", CLAIMS)
def test_claims_without_bytes(name: str, answers: dict[str, dict[str, Any]]) -> None:
    """Waiting for the bytes (TimeoutError), or an error: a claim within the limits may still be more than there is."""
    found = answers[name]
    assert found["error"] in ("LimitError", "DecodeError", "TimeoutError", "MemoryError"), found
    assert found["peer"] in found["text"]
    assert "message 2" in found["text"]
    assert found["grown"] < 32 * MIB, found


@pytest.mark.parametrize("name", PACKED)
def test_claims_in_packed_buffers(name: str, answers: dict[str, dict[str, Any]]) -> None:
    found = answers[name]
    assert found["error"] in ("LimitError", "DecodeError"), found
    assert found["grown"] < 32 * MIB, found


def test_a_silent_crowd_takes_little() -> None:
    """Two hundred peers that each began a message of a gigabyte."""
    script = textwrap.dedent(
        """
        import json, resource, socket, struct
        import colonnade as cn

        def peak():
            with open("/proc/self/status") as file:
                return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))

        pairs = [socket.socketpair() for _ in range(200)]
        connections = [cn.connect(near) for near, _ in pairs]
        pairs[0][1].sendall(b"\\xc1CNB" + bytes(4) + struct.pack("<Q", 3) + b"abc")
        connections[0].receive_bytes(timeout_s=30)
        before = peak()
        for _, far in pairs:
            far.sendall(b"\\xc1CNB" + bytes(4) + struct.pack("<Q", 1 << 30) + bytes(100))
        waiting = cn.wait(connections, timeout_s=0.5)
        print(json.dumps({"grown": peak() - before, "ready": len(waiting), "status": connections[7].status()}))
        """
    )
    made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, made.stderr[-2000:]
    found = json.loads(made.stdout)
    assert found["ready"] == 0
    assert found["status"] == "waiting"
    assert found["grown"] < 500 * MIB, found
