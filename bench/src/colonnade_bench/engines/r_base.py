"""The base of all engines in R. Their end is an R process with the same commands as the ends in Python."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine
from colonnade_bench.engines.r_hand_over import hand_over

PROGRAMS = Path(__file__).parent.parent / "r"
"""The folder of the R programs."""
RSCRIPT = ("Rscript", "--vanilla", "--default-packages=methods,utils")
"""Without graphics and statistics, R starts in half the time."""
TRANSPORTS = ("memory", "buffer", "file", "fifo", "tcp")
"""The transports for which R has connections. R has no Unix sockets."""
INSTALL_R = "apt-get install r-base-core"
ASKED_S = 60.0


class REngine(Engine):
    """An engine for R's data frames. Its calls are in ``bench/r``. This class tells the panel about it.

    Attributes
    ----------
    package : str
        The R package that must be installed. Empty if R itself is enough.
    """

    package = ""
    libraries = panel_libraries = ("data.frame",)

    def program(self, task: Mapping[str, Any]) -> list[str]:
        """Returns the command of the process for `task`. It reads commands from standard input."""
        return [*RSCRIPT, str(PROGRAMS / "end.R")]

    def hand_over(self, tables: Mapping[str, Any], folder: Path) -> None:
        """Writes `tables` for R before any clock starts."""
        hand_over(tables, folder)

    def missing(self) -> str | None:
        if shutil.which("Rscript") is None:
            return f"Rscript is not installed; {INSTALL_R}"
        if self.package and self.package not in installed():
            return f"{self.package} is not installed in R; {self.install}"
        return None

    def versions(self) -> dict[str, str]:
        found = installed()
        return {name: found[name] for name in ("R", self.package) if name in found}

    def supports(self, cell: Cell) -> bool:
        return cell.transport.partition("-")[0] in TRANSPORTS


@functools.cache
def installed() -> Mapping[str, str]:
    """Returns the versions of R and its packages, queried once. Empty if R is not installed."""
    if shutil.which("Rscript") is None:
        return {}
    argv = [*RSCRIPT, str(PROGRAMS / "versions.R")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=ASKED_S, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found
