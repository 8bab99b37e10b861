"""Reads, writes and messages whose transfers move fewer bytes than asked for. `scripts/short_calls.py` tries more."""

from pathlib import Path

from tests.helpers.children import child
from tests.helpers.preloaded import environment, needs_library

WORK = """
import pathlib

folder = pathlib.Path(sys.argv[1])
data = {"a": np.arange(4000), "b": np.linspace(0, 1, 4000), "c": np.array(["x", "yz"] * 2000)}
formats = ("npz", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml")

def same(frame):
    found = frame.to_numpy()
    return all(np.array_equal(found[name], data[name]) for name in data)

def work(folder):
    folder.mkdir()
    for format in formats:
        path = folder / f"x.{format}"
        cn.write(data, path, fsync=True)
        for mmap in (False, True):
            assert same(cn.read(path, mmap=mmap)), format
    cn.write(data, folder / "x", format="npy", directory=True)
    assert same(cn.read(folder / "x"))
    sockets, pipe = socket.socketpair(), os.pipe()
    for here, there in [map(cn.connect, sockets), map(cn.connect, [(None, pipe[1]), (pipe[0], None)])]:
        for format in ("arrows", "msgpack", "csv", "ndjson"):
            sender = threading.Thread(target=here.send, args=(data, format))
            sender.start()
            assert same(there.receive()), format
            sender.join()
    cn.write_dataset(data, folder / "d", rows_per_part=1500)
    cn.write_dataset(data, folder / "d", mode="append")
    assert len(cn.dataset(folder / "d").read()) == 8000
    # Whole transfers and short ones write the same bytes.
    return {path.name: path.read_bytes() for path in folder.glob("x.*")}

def mark():
    try:
        os.readlink("/colonnade-mark")
    except OSError:
        pass

whole = work(folder / "whole")
mark()
short = work(folder / "short")
mark()
assert whole == short
"""


@needs_library
def test_short_transfers_are_no_errors(tmp_path: Path) -> None:
    log = tmp_path / "log"
    settings = {"COLONNADE_SHORT": "1000 /2 all 1 /3 7", "COLONNADE_SHORT_LOG": str(log)}
    with child(WORK, tmp_path, env=environment(tmp_path, **settings)) as made:
        status, _, errors = made.end()
    assert status == 0, errors
    assert int(log.read_text()) > 300
