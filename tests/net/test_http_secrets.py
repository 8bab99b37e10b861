"""Passwords in URLs, and signatures, are in no message, whoever refuses the URL."""

from collections.abc import Callable

import numpy as np
import pytest

import colonnade as cn
from colonnade._io.connection_io import LinkTarget
from colonnade._io.sources import as_source
from tests.helpers.applies import applies
from tests.helpers.each import each

CALLS: dict[str, Callable[[str], object]] = {
    "read": cn.read,
    "open_reader": lambda url: cn.open_reader(url).read_all(),
    "inspect": cn.inspect,
    "connect": cn.connect,
    "listen": cn.listen,
    "write": lambda url: cn.write({"a": np.arange(3)}, url),
    "convert": lambda url: cn.convert(cn.encode({"a": np.arange(3)}, "npz"), url),
}


@each("call", list(CALLS))
@each(
    "url",
    [
        "http://me:hush@127.0.0.1:1/x.npz?signature=hush",
        "http://me:ab/hush@127.0.0.1:1/x.npz",
        "http://me:ab?hush@127.0.0.1:1/x.npz",
        "ftp://me:hush@127.0.0.1/x.npz",
        "ftp://me:ab/hush@127.0.0.1/x.npz",
        "tcp://me:hush@127.0.0.1:1",
        "me:hush@127.0.0.1:1",
    ],
)
@applies(lambda call, url: not url.startswith("me:") or call in ("connect", "listen"))
def test_secrets_are_in_no_refusal(call: str, url: str) -> None:
    # A reader of a connection dials when it is asked.
    with pytest.raises((OSError, cn.ColonnadeError)) as raised:
        CALLS[call](url)
    assert "hush" not in str(raised.value)


def test_secrets_are_in_no_repr() -> None:
    for url in ("http://me:hush@127.0.0.1/x.npz", "tcp://me:hush@127.0.0.1:1"):
        assert "hush" not in repr(as_source(url))
    assert "hush" not in repr(LinkTarget(None, "tcp://me:hush@127.0.0.1:1"))


@each("place", ["host:", "host:x", "host:65536", "host:+80", "host:-1", "host:80:80", "[::1]:x"])
def test_ports_are_numbers(place: str) -> None:
    with pytest.raises(cn.OptionError, match="a port of 0 to 65535"):
        cn.read(f"http://{place}/x.npz")
