"""What `listen` and `connect` refuse to be told about TLS, before a byte is sent."""

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import colonnade as cn
from colonnade._net import auth_token
from colonnade.testing.transports import PATIENCE_S, Background, bytes_message, envelope

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates

URL = "tls://127.0.0.1:0"
GOOD = bytes_message("good", b"good")
ACCEPTED = envelope(b"", b"A")


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]"])
def test_beyond_this_machine_somebody_must_be_asked_for_something(certificates: "Certificates", host: str) -> None:
    with pytest.raises(cn.OptionError, match=r"authorities.*token|token.*authorities"):
        cn.listen(f"tls://{host}:0", **certificates.server.options)


def test_beyond_this_machine_with_a_token(certificates: "Certificates", token_file: str) -> None:
    with cn.listen("tls://0.0.0.0:0", **certificates.server.options, token_file=token_file) as listener:
        port = listener.url.rpartition(":")[2]
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        options = {"authorities": certificates.authority, "token_file": token_file, "timeout_s": PATIENCE_S}
        with cn.connect(f"tls://127.0.0.1:{port}", **options), accepting.result():
            pass


@pytest.mark.parametrize("token", [b"", b"short", b"x" * 15, b"x" * 4097, b"\n\n"])
def test_a_token_of_a_wrong_length(certificates: "Certificates", tmp_path: Path, token: bytes) -> None:
    path = tmp_path / "token"
    path.write_bytes(token)
    path.chmod(0o600)
    for call in (cn.listen, cn.connect):
        with pytest.raises(cn.OptionError, match="16") as raised:
            call(URL, **certificates.server.options, token_file=path)
        assert token.strip() == b"" or token.decode() not in str(raised.value)


def test_no_token_on_a_plain_wire(token_file: str, tmp_path: Path) -> None:
    for call in (cn.listen, cn.connect):
        for url in ("tcp://127.0.0.1:5000", f"unix:{tmp_path}/socket"):
            with pytest.raises(cn.OptionError, match="tls"):
                call(url, token_file=token_file)


def test_a_token_file_that_has_no_bytes_yet(
    certificates: "Certificates", token_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Waiting(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object) -> None:
            return None

    monkeypatch.setattr(auth_token, "open", lambda *_: io.BufferedReader(Waiting()), raising=False)
    with pytest.raises(BlockingIOError, match="token"):
        cn.listen(URL, **certificates.server.options, token_file=token_file)


def test_a_token_file_that_is_not_there(certificates: "Certificates", tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no-token"):
        cn.listen(URL, **certificates.server.options, token_file=tmp_path / "no-token")
    with pytest.raises(cn.OptionError, match="COLONNADE_NO_TOKEN"):
        cn.listen(URL, **certificates.server.options, token_env="COLONNADE_NO_TOKEN")


@pytest.mark.parametrize(
    "swap",
    [{"certificate": None}, {"key": None}, {"key": "other"}, {"certificate": "nowhere"}, {"certificate": "junk"}],
)
def test_certificates_that_cannot_be_used(
    certificates: "Certificates", tmp_path: Path, swap: dict[str, str | None]
) -> None:
    (tmp_path / "junk.pem").write_bytes(b"no certificate\n")
    known = {"other": certificates.client.key, "nowhere": f"{tmp_path}/nowhere.pem", "junk": f"{tmp_path}/junk.pem"}
    options: dict[str, Any] = {**certificates.server.options, **{k: known.get(v or "") for k, v in swap.items()}}
    with pytest.raises((cn.OptionError, OSError)):
        cn.listen(URL, **options)
    assert os.path.exists(certificates.server.key)
