"""Fixtures of the transports' tests."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.sockets import TOKEN

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> "Certificates":
    """Keys and certificates of this run; the tests that ask for them are skipped where nothing can make them."""
    from tests.helpers.certificates import make_certificates

    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def token_file(tmp_path: Path) -> str:
    """Where `TOKEN` is kept."""
    path = tmp_path / "token"
    path.write_bytes(TOKEN)
    path.chmod(0o600)
    return str(path)
