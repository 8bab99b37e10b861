"""Answers of HTTP servers that contradict themselves, and proxies that are left out for hosts of IPv6."""

from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.web import Request, Site

DATA = bytes(cn.encode({"a": np.arange(1000)}, "npz"))


def test_a_range_that_a_file_with_bytes_does_not_have_is_an_error(site: Site) -> None:
    """Only an empty file has no first byte."""
    url = site.answer("/x.npz", lambda request: request.reply(416, content_range="bytes */1000"))
    with pytest.raises(OSError, match=r"/x\.npz: the server answers 416"):
        cn.read(url)


def test_a_body_that_is_shorter_than_its_range_is_truncated(site: Site) -> None:
    content_range = f"bytes 0-{len(DATA) - 1}/{len(DATA)}"
    url = site.answer("/x.npz", lambda request: request.reply(206, DATA[:100], content_range=content_range))
    with pytest.raises(cn.TruncatedError, match=rf"expected {len(DATA)} bytes, the connection ended after 100\."):
        cn.read(url)


@pytest.mark.parametrize(("listed", "is_asked"), [("::1", False), ("[::1]", False), ("::2", True), ("", True)])
def test_a_host_of_ipv6_may_be_read_without_the_proxy(
    site: Site, monkeypatch: pytest.MonkeyPatch, listed: str, is_asked: bool
) -> None:
    monkeypatch.setenv("http_proxy", site.url)
    monkeypatch.setenv("no_proxy", listed)
    with pytest.raises(OSError):
        cn.read("http://[::1]/no-such-file.npz", timeout_s=5.0)
    assert (site.connections > 0) == is_asked


def test_an_answer_that_is_refused_is_not_asked_for_again(site: Site) -> None:
    data = bytes(cn.encode({"a": np.arange(100_000)}, "npz"))
    later: list[object] = []

    def answer(request: Request) -> None:
        if request.range == (0, 65535):
            return request.ranged(data)
        later.append(request.range)
        return request.ranged(data, content_encoding="gzip")

    url = site.answer("/x.npz", answer)
    with pytest.raises(cn.DecodeError, match="sends them as gzip"):
        cn.read(url).to_numpy()
    assert len(later) == len(set(later)) > 0


def test_a_proxy_without_tls_needs_no_certificates(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "none.pem").write_bytes(b"")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.setenv("http_proxy", site.url)
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(OSError) as raised:
        cn.read("http://example.invalid/x.npz", timeout_s=5.0)
    assert "certificate" not in str(raised.value)
    assert site.connections > 0
