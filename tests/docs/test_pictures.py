"""docs/pictures has what `make pictures` draws from the published records, and nothing else."""

import os
import subprocess
import sys

from tests.helpers.corpora import ROOT


def test_pictures_are_those_of_the_records():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT / "bench" / "src")])}
    command = [sys.executable, "-m", "scripts.pictures", "--check"]
    checked = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
