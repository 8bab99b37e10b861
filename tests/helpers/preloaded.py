"""`scripts/short_calls.c` as a library to preload: short transfers, and wall clocks that jump."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.corpora import ROOT

HAS_LIBRARY = sys.platform == "linux" and platform.machine() == "x86_64" and shutil.which("cc") is not None
needs_library = pytest.mark.skipif(not HAS_LIBRARY, reason="needs Linux on x86_64 and a C compiler")


def compiled(folder: Path) -> Path:
    """The library, compiled into this folder."""
    library = folder / "short_calls.so"
    source = ROOT / "scripts" / "short_calls.c"
    subprocess.run(["cc", "-O2", "-Wall", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return library


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """The environment of a child process that has the library."""
    return {**os.environ, "LD_PRELOAD": str(compiled(folder)), **settings}
