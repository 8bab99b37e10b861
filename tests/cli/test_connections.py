"""`colonnade send` and `recv`: processes on both ends, or one of them and another program."""

import contextlib
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import colonnade as cn
from colonnade.cli import main
from tests.helpers.commands import Started, connected, free_port, run

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates

DATA = {"price": np.arange(1000) / 4, "count": np.arange(1000), "name": np.array(["ash", "elm"] * 500)}
TOKEN = b"twenty characters..."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    cn.write(DATA, tmp_path / "data.arrows", batch_nbytes=1000)
    return tmp_path / "data.arrows"


@pytest.fixture(params=["tcp", "unix"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "tcp://127.0.0.1:0" if request.param == "tcp" else f"unix:{tmp_path / 'socket'}"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> "Certificates":
    from tests.helpers.certificates import make_certificates

    return make_certificates(tmp_path_factory.mktemp("certificates"))


# ---------------------------------------------------------------------------- what goes over


@pytest.mark.parametrize("suffix", ["npz", "arrow", "arrows", "npy"])
@pytest.mark.parametrize(
    "options", [[], ["--compression", "zstd", "--compression-level", "3", "--batch-nbytes", "5000"]]
)
def test_a_file_goes_over(url: str, suffix: str, options: list[str], tmp_path: Path) -> None:
    source, target = tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}"
    cn.write(DATA, source)
    with Started("recv", url, target) as receiver:
        assert run("send", source, receiver.url(), *options) == (0, "")
        assert receiver.ended() == (0, "")
    assert cn.read(target).identical(cn.read(source))
    assert not (tmp_path / "socket").exists()


@pytest.mark.parametrize("suffix", ["npz", "arrow", "arrows"])
def test_the_sender_may_come_first(url: str, suffix: str, path: Path, tmp_path: Path) -> None:
    url = url.replace(":0", f":{free_port()}")
    with Started("send", path, url) as sender:
        with pytest.raises(subprocess.TimeoutExpired):
            sender.process.wait(1)
        with Started("recv", url, tmp_path / f"out.{suffix}") as receiver:
            assert receiver.url() == url
            assert receiver.ended() == (0, "")
        assert sender.ended() == (0, "")
    assert cn.read(tmp_path / f"out.{suffix}").equals(DATA)


def test_the_sender_may_listen(url: str, path: Path, tmp_path: Path) -> None:
    with Started("send", path, url, "--listen") as sender:
        assert run("recv", "--connect", sender.url(), tmp_path / "out.npz") == (0, "")
        assert sender.ended() == (0, "")
    assert cn.read(tmp_path / "out.npz").equals(DATA)


def test_from_stdin_to_stdout(url: str, path: Path) -> None:
    with Started("recv", url, "-", "--to", "arrows") as receiver:
        with path.open("rb") as file:
            assert run("send", "-", receiver.url(), stdin=file) == (0, "")
        assert receiver.ended() == (0, "")
        assert cn.read(receiver.out).equals(DATA)
    with Started("recv", url, "-", "--to", "npz") as receiver:
        url = receiver.url()
        with Started("send", "-", url, stdin=subprocess.PIPE) as sender:
            sender.process.communicate(path.read_bytes())
            assert sender.process.returncode == 0
        assert receiver.ended() == (0, "")
        assert cn.read(receiver.out).equals(DATA)


def test_through_a_fifo(path: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for first, second in (("send", "recv"), ("recv", "send")):
        commands = {"send": ("send", path, fifo), "recv": ("recv", fifo, tmp_path / "out.npz")}
        with Started(*commands[first]) as one, Started(*commands[second]) as other:
            assert (one.ended(), other.ended()) == ((0, ""), (0, ""))
        assert cn.read(tmp_path / "out.npz").equals(DATA)
        (tmp_path / "out.npz").unlink()


BEGINNINGS = {
    "arrows": b"\xff\xff\xff\xff",
    "msgpack": b"\x84\xad__colonnade__",
    "csv": b"# colonnade: {",
    "ndjson": b'{"__colonnade__"',
}


@pytest.mark.parametrize("format", BEGINNINGS)
def test_the_message_is_of_the_format_that_was_asked_for(format: str, path: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "heard"))
        listener.listen()
        with Started("send", path, f"unix:{tmp_path / 'heard'}", "--to", format) as sender:
            peer = listener.accept()[0]
            with peer, peer.makefile("rb") as file:
                assert file.read().startswith(BEGINNINGS[format])
            assert sender.ended() == (0, "")
    with Started("recv", f"unix:{tmp_path / 'socket'}", tmp_path / "out.npz") as receiver:
        assert run("send", path, receiver.url(), "--to", format) == (0, "")
        assert receiver.ended() == (0, "")
    assert cn.read(tmp_path / "out.npz").equals(DATA)


def test_other_programs_may_be_the_peer(url: str, path: Path, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    table = cn.read(path).to_arrow()
    with Started("recv", url, tmp_path / "out.arrow") as receiver:
        with (
            connected(receiver.url()) as peer,
            peer.makefile("wb") as file,
            pa.ipc.new_stream(file, table.schema) as writer,
        ):
            writer.write_table(table, max_chunksize=100)
        assert receiver.ended() == (0, "")
    assert cn.read(tmp_path / "out.arrow").equals(DATA)
    with Started("send", path, url, "--listen") as sender:
        with connected(sender.url()) as peer, peer.makefile("rb") as source:
            assert pa.ipc.open_stream(source).read_all().to_pylist() == table.to_pylist()
        assert sender.ended() == (0, "")


def test_frames_of_no_rows_and_no_columns(url: str, tmp_path: Path) -> None:
    for data in ({"a": np.arange(0)}, np.zeros((3, 0)), np.zeros((0, 0))):
        cn.write(data, tmp_path / "in.npz")
        with Started("recv", url, tmp_path / "out.npz") as receiver:
            assert run("send", tmp_path / "in.npz", receiver.url()) == (0, "")
            assert receiver.ended() == (0, "")
        assert cn.read(tmp_path / "out.npz").identical(cn.read(tmp_path / "in.npz"))


def test_only_one_message_is_taken(url: str, tmp_path: Path) -> None:
    data = cn.encode(DATA, "arrows")
    with Started("recv", url, tmp_path / "out.npz") as receiver, connected(receiver.url()) as peer:
        peer.sendall(data + data)
        status, said = receiver.ended()
    assert status == 0
    assert "more than one message came" in said
    assert cn.read(tmp_path / "out.npz").equals(DATA)


def test_a_large_stream_passes_in_little_memory(url: str, tmp_path: Path) -> None:
    """256 MiB, of which neither end holds more than a few batches."""
    with cn.open_writer(tmp_path / "large.arrows") as writer:
        for i in range(64):
            writer.write({"a": np.full(1 << 19, i)})
    with Started("recv", url, tmp_path / "out.arrows") as receiver:
        url = receiver.url()
        # Through a pipe: a file would be mapped, and its pages counted.
        cat = subprocess.Popen(["cat", tmp_path / "large.arrows"], stdout=subprocess.PIPE)
        with cat, Started("send", "-", url, stdin=cat.stdout) as sender:
            for started in (sender, receiver):
                assert peak_kib(started.process) < 220 << 10
                assert started.process.returncode == 0
    assert (tmp_path / "out.arrows").stat().st_size >= 256 << 20
    with cn.open_reader(tmp_path / "out.arrows") as reader:
        assert sum(int(frame["a"].to_numpy()[0]) * len(frame) for frame in reader) == (1 << 19) * 63 * 32


def peak_kib(process: "subprocess.Popen[Any]") -> int:
    """The peak memory of a process, sampled until it ends: wait4 would count its parent's too."""
    peak = 0
    while process.poll() is None:
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            peak = max(peak, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)
        time.sleep(0.005)
    return peak


def test_progress_knows_the_length(monkeypatch: pytest.MonkeyPatch, path: Path, tmp_path: Path) -> None:
    seen: dict[str, list[tuple[int, int | None]]] = {}

    @contextlib.contextmanager
    def bar(what: str) -> Iterator[Any]:
        yield lambda done, total: seen.setdefault(what.split()[0], []).append((done, total))

    monkeypatch.setattr("colonnade.cli.connections.bar", bar)
    url = f"unix:{tmp_path / 'socket'}"
    other = threading.Thread(target=main, args=(["send", str(path), url],))
    other.start()
    assert main(["recv", url, str(tmp_path / "out.npz")]) == 0
    other.join()
    for steps in seen.values():
        counts = [done for done, _ in steps]
        assert counts == sorted(counts)
        total = steps[-1][1]
        assert total is not None
        assert counts[-1] == total
    assert sorted(seen) == ["receiving", "sending"]


# ---------------------------------------------------------------------------- who may


def test_tls_with_client_certificates(certificates: "Certificates", path: Path, tmp_path: Path) -> None:
    ours = ["--authorities", certificates.authority]
    pair = ["--certificate", certificates.server.certificate, "--key", certificates.server.key]
    client = ["--certificate", certificates.client.certificate, "--key", certificates.client.key]
    with Started("recv", "tls://127.0.0.1:0", tmp_path / "out.npz", *ours, *pair) as receiver:
        url = receiver.url()
        unknown = certificates.unknown_client
        status, said = run("send", path, url, *ours, "--certificate", unknown.certificate, "--key", unknown.key)
        assert (status, said.count("\n")) == (1, 1)
        assert url in said
        assert "turned away" in receiver.line()
        assert run("send", path, url, *ours, *client) == (0, "")
        assert receiver.ended() == (0, "")
    assert cn.read(tmp_path / "out.npz").equals(DATA)


def test_tls_with_a_token(certificates: "Certificates", path: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(TOKEN + b"\n")
    (tmp_path / "wrong").write_bytes(TOKEN[::-1])
    for file in ("token", "wrong"):
        (tmp_path / file).chmod(0o600)
    pair = ["--certificate", certificates.server.certificate, "--key", certificates.server.key]
    listening = ["recv", "tls://127.0.0.1:0", tmp_path / "out.npz", *pair, "--token-file", tmp_path / "token"]
    with Started(*listening) as receiver:
        url = receiver.url()
        sending = ["send", path, url, "--authorities", certificates.authority]
        status, said = run(*sending, "--token-file", tmp_path / "wrong")
        assert (status, said.count("\n")) == (1, 1)
        assert url in said
        assert "turned away" in receiver.line()
        done = run(*sending, "--token-env", "A_TOKEN", env=os.environ | {"A_TOKEN": TOKEN.decode()})
        assert done == (0, "")
        assert receiver.ended() == (0, "")
    assert cn.read(tmp_path / "out.npz").equals(DATA)


def test_a_certificate_is_checked(certificates: "Certificates", path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    pair = certificates.expired
    options = ["--certificate", pair.certificate, "--key", pair.key]
    with Started("recv", "tls://127.0.0.1:0", out, *options) as receiver:
        url = receiver.url()
        for asked, hint in (
            (["--authorities", certificates.authority], "expired"),
            (["--authorities", certificates.other_authority], ""),
            (["--authorities", certificates.authority, "--server-name", "elsewhere.example"], ""),
        ):
            status, said = run("send", path, url, *asked, "--timeout", "5")
            assert (status, said.count("\n")) == (1, 1)
            assert url in said
            assert hint in said
        assert receiver.interrupted()[0] == 130
    assert not out.exists()
