"""Text is decoded when it is opened: Ctrl-C and progress work meanwhile; an interrupted write leaves no file."""

import signal
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.children import child

TEXTS = ("csv", "json", "ndjson", "yaml")
every_text = pytest.mark.parametrize("format", TEXTS)

HEARD = ("csv", "yaml")


@pytest.mark.parametrize("format", HEARD)
def test_reading_is_interrupted(format: str) -> None:
    script = """
        format = sys.argv[1]
        row, count = {"csv": (b"1.2345678,word\\n", 12_000_000), "yaml": (b"- x: 1.25\\n", 400_000)}[format]
        text = (b"x,y\\n" if format == "csv" else b"") + row * count
        say(hears_signals(lambda: cn.decode(text, format, threads=1)))
        """
    with child(script, format) as made:
        assert made.end() == (0, "True\n", "")


@every_text
def test_writing_is_interrupted(format: str, tmp_path: Path) -> None:
    target = tmp_path / f"x.{format}"
    cn.write({"a": np.arange(3)}, target)
    before = target.read_bytes()
    script = """
        path, format = sys.argv[1:]
        data = {"x": np.random.default_rng(0).standard_normal(20_000_000)}
        cn.encode({"x": np.arange(3)}, format)  # imports what it needs
        say("ready")
        cn.write(data, path, threads=1)
        say("written to the end")
        """
    with child(script, target, format) as made:
        assert made.line() == "ready"
        made.process.send_signal(signal.SIGINT)
        status, output, errors = made.end()
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
