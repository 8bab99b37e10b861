"""Programs outside Python that some tests use as independent readers.

    from tests.helpers.programs import needs_program

    @needs_program("7z", package="p7zip-full")
    def test_seven_zip_reads_ours(): ...

A missing program skips the test and says how to get it. Under ``CI=true``, where ``scripts/system-packages.sh`` has
installed them all, the test runs and fails instead, so that nothing is skipped unseen.
"""

import os
import shutil

import pytest


def needs_program(program: str, package: str | None = None, *, how: str | None = None) -> pytest.MarkDecorator:
    """Skip where `program` is not on PATH, unless CI=true. `how`: what installs it, where that is not apt-get."""
    absent = shutil.which(program) is None and os.environ.get("CI") != "true"
    return pytest.mark.skipif(absent, reason=f"no {program}: {how or f'apt-get install {package or program}'}")
