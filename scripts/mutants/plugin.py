"""A plugin of pytest that notes what each test reaches, and that tries changes in forks of one process.

`COLONNADE_MUTANTS_RECORD` is a file for the notes. `COLONNADE_MUTANTS_TRY` is a file of changes, each with the tests to
run: all tests are collected once, and each change has a child process, which runs its tests up to the first that fails.
"""

import ctypes
import json
import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import colonnade._core as core

LIBRARY = ctypes.CDLL(core.__file__)
CRATES = ("colonnade", "colonnade_transport")
MOST_MEMORY = 10 << 30


def recorded(count: int) -> list[ctypes.Array]:
    """The bytes of the record of each crate."""
    out = []
    for crate in CRATES:
        call = LIBRARY[f"{crate}_recorded"]
        call.restype = ctypes.c_void_p
        out.append((ctypes.c_char * count).from_address(call()))
    return out


class Recorder:
    """Appends a line for each test: its name, its seconds and the changes it reaches."""

    def __init__(self, path: Path, count: int) -> None:
        self.path, self.count = path, count
        self.bytes = recorded(count)
        self.passed = True
        self.children = path.with_name(f"reached-{os.getpid()}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Around each test."""
        for each in self.bytes:
            ctypes.memset(ctypes.addressof(each), 0, self.count)
        os.environ["COLONNADE_REACHED"] = str(self.children)
        self.passed = True
        started = time.monotonic()
        result = yield
        seconds = time.monotonic() - started
        reached = {n for each in self.bytes for n, byte in enumerate(each.raw) if byte}
        if self.children.exists():
            reached |= {int(line) for line in self.children.read_text().split()}
            self.children.unlink()
        if self.passed:
            line = json.dumps({"name": item.nodeid, "seconds": round(seconds, 4), "reached": sorted(reached)})
            with self.path.with_name(f"{self.path.name}-{os.getpid()}").open("a") as file:
                file.write(line + "\n")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails or is skipped without a change tells nothing."""
        self.passed = self.passed and report.passed


class Tries:
    """Runs the tests of each change in a child."""

    def __init__(self, path: Path) -> None:
        self.changes = json.loads(path.read_text())
        self.results = path.with_suffix(".results")
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A change is noticed by a test that fails."""
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running all tests."""
        items = {item.nodeid: item for item in session.items}
        end = time.monotonic() + 60 * float(os.environ["COLONNADE_MUTANTS_MINUTES"])
        for change in self.changes:
            if time.monotonic() > end:
                break
            child = os.fork()
            if child == 0:
                self.child(session, change["number"], [items[name] for name in change["tests"] if name in items])
            result = wait(child, change["seconds"])
            with self.results.open("a") as file:
                file.write(json.dumps({"number": change["number"], "result": result}) + "\n")
        return True

    def child(self, session: pytest.Session, number: int, items: list[pytest.Item]) -> None:
        """Never returns."""
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.environ["COLONNADE_MUTANT"] = str(number)
        for crate in CRATES:
            LIBRARY[f"{crate}_choose_mutant"](number)
        code = 0
        try:
            for item, following in zip(items, [*items[1:], None], strict=True):
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    code = 1
                    break
        except BaseException:
            code = 1
        os._exit(code)


def wait(child: int, seconds: float) -> str:
    """Waits for a child and ends what it has started."""
    end = time.monotonic() + seconds
    pause = 0.002
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            result = "passed" if status == 0 else "failed"
            break
        if time.monotonic() > end:
            result = "endless"
            break
        time.sleep(pause)
        pause = min(pause * 1.2, 0.1)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if result == "endless":
        os.waitpid(child, 0)
    return result


def pytest_configure(config: pytest.Config) -> None:
    """Registers what the environment asks for."""
    if path := os.environ.get("COLONNADE_MUTANTS_RECORD"):
        config.pluginmanager.register(Recorder(Path(path), int(os.environ["COLONNADE_MUTANTS_COUNT"])))
    if path := os.environ.get("COLONNADE_MUTANTS_TRY"):
        config.pluginmanager.register(Tries(Path(path)))
