"""pyright, which most editors ask: every public name has a type, and what the documentation promises is right."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.helpers.corpora import ROOT
from tests.helpers.programs import needs_program

LEAST_COMPLETE = 0.98
has_pyright = needs_program("pyright", how="scripts/system-packages.sh")


def pyright(*arguments: str) -> Any:
    # It asks the first Python on PATH where packages are.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "python")}
    command = ["pyright", "--outputjson", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return json.loads(done.stdout)


@has_pyright
def test_public_names_have_complete_types() -> None:
    found = pyright("--verifytypes", "colonnade", "--ignoreexternal")["typeCompleteness"]
    assert str(ROOT) in found["packageRootDirectory"]
    unknown = [symbol["name"] for symbol in found["symbols"] if not symbol["isTypeKnown"]]
    assert found["completenessScore"] >= LEAST_COMPLETE, unknown


@has_pyright
def test_promises_hold() -> None:
    """The examples of `promises.py`, with the errors that they expect."""
    found = pyright()
    assert found["summary"]["filesAnalyzed"] == 1
    assert [f"{one['range']['start']['line'] + 1}: {one['message']}" for one in found["generalDiagnostics"]] == []
