"""Text is decoded when it is opened: Ctrl-C and progress work meanwhile; an interrupted write leaves no file."""

import signal
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.children import child

# The issue says at once. A machine under load may take longer to schedule a process; it does not decode to the end.
HANG_S = 10.0
TEXTS = ("csv", "json", "ndjson", "yaml")
every_text = pytest.mark.parametrize("format", TEXTS)

HEARD = ("csv", "yaml")


@pytest.mark.parametrize("format", HEARD)
def test_reading_is_interrupted(format: str) -> None:
    """By the CPU that it takes: a signal that is heard behind the last row costs as much as no signal.

    The text is long: under load, the thread that sends the signal may wait for a core while some of it is decoded.
    """
    script = """
        import signal
        format = sys.argv[1]
        row, count = {"csv": (b"1.2345678,word\\n", 12_000_000), "yaml": (b"- x: 1.25\\n", 400_000)}[format]
        text = (b"x,y\\n" if format == "csv" else b"") + row * count

        before = time.process_time()
        cn.decode(text, format, threads=1)
        whole_s = time.process_time() - before

        # The other thread runs only when the decoder releases the interpreter lock.
        sys.setswitchinterval(1000)
        go = threading.Event()
        threading.Thread(target=lambda: (go.wait(), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()
        before = time.process_time()
        try:
            go.set()
            cn.decode(text, format, threads=1)
        except KeyboardInterrupt:
            say(whole_s, time.process_time() - before)
        """
    with child(script, format) as made:
        status, output, errors = made.end()
    assert status == 0, errors
    whole_s, interrupted_s = map(float, output.split())
    assert interrupted_s < whole_s / 2


@every_text
def test_writing_is_interrupted(format: str, tmp_path: Path) -> None:
    target = tmp_path / f"x.{format}"
    cn.write({"a": np.arange(3)}, target)
    before = target.read_bytes()
    script = """
        path, format = sys.argv[1:]
        data = {"x": np.random.default_rng(0).standard_normal(20_000_000)}
        say("ready")
        cn.write(data, path, threads=1)
        say("written to the end")
        """
    with child(script, target, format) as made:
        assert made.line() == "ready"
        made.process.send_signal(signal.SIGINT)
        status, output, errors = made.end(HANG_S)
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    assert (status, output) == (-signal.SIGINT, "")
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("format", HEARD)
@pytest.mark.parametrize("packing", ["", ".gz"])
def test_progress_of_reading(format: str, packing: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}{packing}"
    data = {"x": np.arange(200_000)}
    cn.write(data, path)
    told: list[tuple[int, int | None]] = []
    frame = cn.read(path, progress=lambda done, total: told.append((done, total)))
    assert np.array_equal(frame["x"].to_numpy(), data["x"])
    assert told
    assert all(total is None or 0 <= done <= total for done, total in told)


@pytest.mark.parametrize("format", HEARD)
def test_what_progress_raises_ends_the_reading(format: str) -> None:
    text = cn.encode({"x": np.arange(200_000)}, format)

    def stop(done: int, total: int | None) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cn.decode(text, format, progress=stop)
    assert cn.decode(text, format).shape == (200_000, 1)
