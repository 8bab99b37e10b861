"""A wall clock that jumps by a day loses nothing, and no call waits longer or shorter for it."""

from pathlib import Path

import pytest

from tests.helpers.children import child
from tests.helpers.preloaded import environment, needs_library

WORK = """
import contextlib, pathlib

folder = pathlib.Path(sys.argv[1])
data = {"a": np.arange(1000), "b": np.linspace(0, 1, 1000)}

def same(frame):
    found = frame.to_numpy()
    return all(np.array_equal(found[name], data[name]) for name in data)

looks = [time.time() for _ in range(12)]
say(min(looks), max(looks))

for format in ("npz", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml"):
    for _ in range(2):
        cn.write(data, folder / f"x.{format}", fsync=True)
        assert same(cn.read(folder / f"x.{format}")), format

for number in range(8):
    cn.write_dataset(data, folder / "d", mode="append" if number else "error", rows_per_part=400)
    assert cn.remove_leftovers(folder / "d", older_than_s=7200).names == ()
    assert len(cn.dataset(folder / "d").read()) == 1000 * (number + 1)
cn.write_dataset(data, folder / "d", mode="overwrite")
assert cn.remove_leftovers(folder / "d", older_than_s=7200).names == ()
assert same(cn.dataset(folder / "d").read())

@contextlib.contextmanager
def takes(seconds, error=None):
    begun = time.monotonic()
    try:
        yield
    except TimeoutError:
        assert error is TimeoutError
    else:
        assert error is None
    assert seconds <= time.monotonic() - begun < seconds + 20

with cn.listen(f"unix:{folder}/socket") as listener:
    with takes(0.1, TimeoutError):
        listener.accept(timeout_s=0.1)
    with cn.connect(listener.url, timeout_s=30) as here, listener.accept(timeout_s=30) as there:
        with takes(0.1, TimeoutError):
            there.receive(timeout_s=0.1)
        with takes(0.1):
            assert cn.wait([there], timeout_s=0.1) == []
        with takes(0.1):
            assert not there.poll(0.1)
        for _ in range(20):
            here.send(data)
            assert same(there.receive())
"""


@needs_library
@pytest.mark.parametrize("clock", ["86400 0", "86400 1", "-86400 3"])
def test_files_datasets_and_timeouts_under_a_clock_that_jumps(clock: str, tmp_path: Path) -> None:
    """The clock is a day ahead all the time, or from time to time, or a day behind from time to time."""
    with child(WORK, tmp_path, env=environment(tmp_path, COLONNADE_CLOCK=clock)) as made:
        earliest, latest = map(float, made.line().split())
        status, _, errors = made.end()
    assert status == 0, errors
    assert (latest - earliest > 80_000) == (not clock.endswith(" 0"))
