"""What a dropped frame held serves the next read: at every size, up to a limit, and not across a fork."""

import os
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.children import child
from tests.helpers.each import each

PAGE = resource.getpagesize()


@pytest.fixture(autouse=True)
def nothing_kept() -> Any:
    cn.release_memory()
    yield
    cn.keep_memory(2 << 30)


def faults() -> int:
    """Pages that this process has touched for the first time."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def numbers(nbytes: int) -> Any:
    return np.random.default_rng(0).standard_normal(nbytes // 8)


@each("format", ["npy", "npz", "arrow", "parquet"])
@each("nbytes", [200_000, 800_000, 3_200_000, 8_000_000])
def test_a_second_read_touches_no_fresh_pages(nbytes: int, format: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}"
    wanted = numbers(nbytes)
    if format == "npy":
        np.save(path, wanted)
    else:
        cn.write({"x": wanted}, path)
    counts = []
    for _ in range(6):
        before = faults()
        found = cn.read(path, mmap=False)["x" if format != "npy" else 0].to_numpy()
        counts.append(faults() - before)
        np.testing.assert_array_equal(found, wanted)
        del found
    assert min(counts[1:]) * PAGE < nbytes / 4, counts


def test_memory_goes_back_when_it_is_asked_for() -> None:
    content = cn.encode({"x": numbers(8_000_000)}, "parquet")
    assert cn.release_memory() >= 0
    found = cn.decode(content).to_numpy()
    assert cn.release_memory() < 8_000_000, "memory in use stays"
    del found
    assert cn.release_memory() >= 8_000_000
    assert cn.release_memory() == 0


def test_a_limit_of_nothing() -> None:
    content = cn.encode({"x": numbers(8_000_000)}, "parquet")
    assert cn.keep_memory(0) == 2 << 30
    cn.decode(content).to_numpy()
    np.testing.assert_array_equal(cn.decode(content)["x"].to_numpy(), numbers(8_000_000))
    assert cn.release_memory() == 0


def test_a_lower_limit_releases_what_is_kept_now() -> None:
    cn.decode(cn.encode({"x": numbers(8_000_000)}, "parquet")).to_numpy()
    cn.keep_memory(1 << 20)
    assert cn.release_memory() == 0


@each("value", [-1, 1.5, "1 GB", None, True, 1 << 64])
def test_a_limit_that_is_none(value: Any) -> None:
    with pytest.raises(cn.OptionError) as raised:
        cn.keep_memory(value)
    assert str(raised.value) == (
        f"keep_memory: expected a number of bytes, 0 or more, found {value!r}. Pass an integer."
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_with_kept_memory() -> None:
    """Child and parent read side by side, each into memory of its own."""
    wanted = numbers(800_000)
    content = cn.encode({"x": wanted}, "parquet")
    cn.decode(content).to_numpy()
    forked = os.fork()
    if forked == 0:
        right = cn.release_memory() == 0 and all(
            np.array_equal(cn.decode(content)["x"].to_numpy(), wanted) for _ in range(20)
        )
        os._exit(0 if right else 1)
    held = [cn.decode(content)["x"].to_numpy() for _ in range(20)]
    assert os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]) == 0
    for found in held:
        np.testing.assert_array_equal(found, wanted)


def test_memory_that_cannot_be_had(tmp_path: Path) -> None:
    """A read that fails for want of memory is a MemoryError, and the next one, of less, is right."""
    np.save(tmp_path / "large.npy", np.zeros(100_000_000))
    np.save(tmp_path / "small.npy", np.arange(100_000))
    script = """
        import resource
        large, small = sys.argv[1:]
        cn.read(small, mmap=False).to_numpy()
        taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + (256 << 20),) * 2)
        try:
            cn.read(large, mmap=False).to_numpy()
        except MemoryError as error:
            print(type(error).__name__)
        print(int(cn.read(small, mmap=False).to_numpy().sum()))
        """
    with child(script, tmp_path / "large.npy", tmp_path / "small.npy") as made:
        assert made.end() == (0, "MemoryError\n4999950000\n", "")
