"""Measurements that do not wait for the other tests."""

from collections.abc import Iterator

import pytest

from colonnade_bench.panel import quiet


@pytest.fixture(scope="session", autouse=True)
def no_wait_for_other_tests() -> Iterator[None]:
    """A measurement waits until the machine is quiet. Tests in other processes would keep it waiting."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quiet, "PATIENCE_S", 0.0)
        yield
