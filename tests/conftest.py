"""Fixtures for all tests."""

import gc
import itertools
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.helpers.applies import does_apply
from tests.helpers.corpora import ABSENT, CORPORA
from tests.helpers.each import is_long, only
from tests.helpers.interrupts import restore_interrupts

if TYPE_CHECKING:
    from tests.helpers.web import Site

# Every run draws the same random cases, so that a failure comes from the change at hand. COLONNADE_TEST_EXPLORE=1
# (`make explore`) draws new ones, and prints how to repeat a case that fails.
settings.register_profile("repeat", derandomize=True)
settings.register_profile("explore", print_blob=True)
settings.load_profile("explore" if os.environ.get("COLONNADE_TEST_EXPLORE") else "repeat")

restore_interrupts()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--sample N`, for `make quick`, and `--case TEXT`, for one cell of a matrix."""
    parser.addoption(
        "--sample", type=int, default=1, metavar="N", help="run one test in N, and one cell of a loop in N"
    )
    parser.addoption("--case", default="", metavar="TEXT", help="of loops (@each), only cells with TEXT in a title")


def pytest_configure(config: pytest.Config) -> None:
    """Tell the loops which cells to try."""
    only(config.getoption("sample"), config.getoption("case"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the sample that was asked for, and remove what does not apply; without the corpora, skip what reads them."""
    every = config.getoption("sample")
    items[:] = filter(does_apply, (item for item in items if _is_chosen(item, every)))
    if CORPORA is None:
        for item in items:
            if item.get_closest_marker("corpora"):
                item.add_marker(pytest.mark.skip(reason=ABSENT))


# Of 3,000 tried, the one that chooses a tenth of the time of every folder: chance chooses a twentieth or a quarter.
_SALT = 1059


def _is_chosen(item: pytest.Item, every: int) -> bool:
    """Whether a test is of the sample: what is marked quick is, and a long loop, which chooses among its cells."""
    if item.get_closest_marker("quick") or is_long(getattr(item, "obj", None), every):
        return True
    return zlib.crc32(f"{_SALT} {item.nodeid}".encode()) % every == 0


_numbers = itertools.count()

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY", "no_proxy", "NO_PROXY")


@pytest.fixture
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the width of the terminal."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the proxy variables from the environment."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def site(no_proxy: None) -> "Iterator[Site]":
    """A web server."""
    from tests.helpers.web import Site

    with Site() as made:
        yield made


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new folder for one test, as pytest's own.

    pytest's searches all existing folders for a free number: with tens of thousands of tests that search
    takes longer than most of them.
    """
    number = next(_numbers)
    name = re.sub(r"\W", "_", request.node.name)[:30]
    path = tmp_path_factory.getbasetemp() / f"{number // 1000}" / f"{name}-{number}"
    path.mkdir(parents=True, mode=0o700)
    return path


@pytest.fixture(scope="session")
def corpora_dir() -> Path:
    """The folder of public test files; the test is skipped, with the reason, where it is absent."""
    if CORPORA is None:
        pytest.skip(ABSENT)
    return CORPORA


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what collecting made to no garbage collection: millions of objects that live as long as the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
