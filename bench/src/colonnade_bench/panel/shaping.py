"""Shapes links of a given bandwidth and delay: two network namespaces with `tc` if permitted, else a relay process.

Names are ``tcp-<rate>`` and ``tcp-<rate>-<delay>``: ``tcp-1gbit``, ``tcp-100mbit-5ms``. The real rate is measured.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

UNITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
NAME = re.compile(r"tcp-(\d+(?:\.\d+)?)(kbit|mbit|gbit)(?:-(\d+(?:\.\d+)?)ms)?")
BURST_S = 0.002
LEAST_BURST_NBYTES = 16 << 10


@dataclass(frozen=True)
class Shape:
    """Bits a second and one-way seconds of delay.

    >>> Shape.of("tcp-100mbit-5ms")
    Shape(bps=100000000.0, delay_s=0.005)
    """

    bps: float
    delay_s: float = 0.0

    @classmethod
    def of(cls, transport: str) -> Shape | None:
        """Returns None for a transport without a shape. Raises ValueError for a malformed name."""
        if not transport.startswith("tcp-"):
            return None
        found = NAME.fullmatch(transport)
        if found is None:
            raise ValueError(
                f'bench: unknown link "{transport}"; expected tcp-<rate> or tcp-<rate>-<delay>, '
                f"with a rate in {', '.join(UNITS)} and a delay in ms, such as tcp-100mbit-5ms"
            )
        rate, unit, delay = found.groups()
        return cls(float(rate) * UNITS[unit], float(delay or 0) / 1e3)

    @property
    def burst_nbytes(self) -> int:
        """Returns the bytes that may go at once: small compared with the data, but at least a few packets."""
        return max(LEAST_BURST_NBYTES, int(self.bps / 8 * BURST_S))


class Namespaces:
    """Two namespaces and a cable between them. `prefix` returns the command that runs a process in one of them."""

    how = "namespaces"

    def __init__(self, shape: Shape, number: int) -> None:
        # The name contains the process id, so that two runs on one machine have separate links.
        stem = f"cn{os.getpid()}-{number}"
        self.names = (f"{stem}a", f"{stem}b")
        cables = (f"v{stem}a", f"v{stem}b")
        self.host = "10.213.77.2"
        # The buffer needs room for the bytes in flight during the delay, and some more.
        room = int(shape.bps / 8 * (shape.delay_s * 2 + 0.05)) + shape.burst_nbytes
        try:
            for name in self.names:
                ip("netns", "add", name)
            ip("link", "add", cables[0], "type", "veth", "peer", "name", cables[1])
            for name, cable, address in zip(self.names, cables, ("10.213.77.1", self.host), strict=True):
                ip("link", "set", cable, "netns", name)
                ip("-n", name, "addr", "add", f"{address}/24", "dev", cable)
                ip("-n", name, "link", "set", "lo", "up")
                ip("-n", name, "link", "set", cable, "up")
                parent = ["root"]
                if shape.delay_s:
                    tc(
                        name,
                        cable,
                        "root",
                        "handle",
                        "1:",
                        "netem",
                        "delay",
                        f"{shape.delay_s * 1e6:.0f}us",
                        "limit",
                        "200000",
                    )
                    parent = ["parent", "1:1"]
                tc(
                    name, cable, *parent, "handle", "10:", "tbf", "rate", f"{shape.bps:.0f}bit",
                    "burst", str(shape.burst_nbytes), "limit", str(room),
                )  # fmt: skip
        except BaseException:
            self.close()
            raise

    def prefix(self, *, sends: bool) -> list[str]:
        return ["ip", "netns", "exec", self.names[0 if sends else 1]]

    def close(self) -> None:
        for name in self.names:
            with contextlib.suppress(OSError, subprocess.CalledProcessError):
                ip("netns", "delete", name)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def tc(name: str, cable: str, *words: str) -> None:
    subprocess.run(
        ["ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", cable, *words], check=True, capture_output=True
    )


def permitted(shape: Shape) -> bool:
    """Whether namespaces and `tc` can make this shape here. It tries, because some kernels support no delay."""
    if os.geteuid() != 0 or not all(shutil.which(name) for name in ("ip", "tc")):
        return False
    try:
        Namespaces(shape, 0).close()
    except (OSError, subprocess.CalledProcessError):
        return False
    return True
