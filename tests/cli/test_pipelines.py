"""`colonnade convert - -` between other commands of a shell."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import colonnade as cn
from tests.helpers.commands import PATIENCE_S, Started

DATA = {"price": np.arange(1000) / 4, "count": np.arange(1000), "name": np.array(["ash", "elm"] * 500)}


def test_converts_in_a_pipeline(tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / "in.npz")
    program = f'"{sys.executable}" -m colonnade convert'
    line = (
        f"{program} in.npz - --to arrows | {program} - - --to arrow | {program} - - --to arrows | {program} - out.npz"
    )
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], cwd=tmp_path, capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "out.npz").read_bytes() == (tmp_path / "in.npz").read_bytes()


def test_a_pipeline_passes_batches_on_as_they_come() -> None:
    """Each process passes its batches on while the stream is still open, and holds back one at most."""
    command = ("convert", "-", "-", "--to", "arrows", "--batch-nbytes", "8192")
    with (
        Started(*command, stdin=subprocess.PIPE) as first,
        Started(*command, stdin=first.process.stdout) as second,
    ):
        assert first.process.stdin is not None
        assert second.process.stdout is not None
        writer = cn.open_writer(first.process.stdin, format="arrows", batch_nbytes=8192)
        for i in range(4):
            writer.write({"a": np.full(1024, i)})
        with cn.open_reader(second.process.stdout) as reader:
            frames = iter(reader)
            for i in range(4, 8):
                assert next(frames)["a"].to_numpy()[0] == i - 4
                writer.write({"a": np.full(1024, i)})
            writer.close()
            first.process.stdin.close()
            first.process.stdin = None
            assert [frame["a"].to_numpy()[0] for frame in frames] == [4, 5, 6, 7]


def test_a_pipeline_whose_reader_goes_is_quiet(tmp_path: Path) -> None:
    cn.write({"a": np.arange(1 << 20)}, tmp_path / "x.arrows")
    with Started("convert", tmp_path / "x.arrows", "-", "--to", "arrows") as first:
        assert first.process.stdout is not None
        first.process.stdout.read(1)
        first.process.stdout.close()
        first.process.stdout = None
        assert first.ended() == (141, "")
