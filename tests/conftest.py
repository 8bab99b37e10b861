"""Fixtures that every test may ask for."""

from pathlib import Path

import pytest

from tests.corpora import CORPORA, needs_corpora


@pytest.fixture(scope="session")
def corpora_dir() -> Path:
    """The folder of public test files; the test is skipped, with the reason, where it is absent."""
    if CORPORA is None:
        pytest.skip(needs_corpora.kwargs["reason"])
    return CORPORA
