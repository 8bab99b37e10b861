"""Reading over HTTP from servers that refuse, lie, break off, change their mind, or say nothing."""

import io
import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.children import child
from tests.helpers.each import each
from tests.helpers.web import Request, Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.certificates import Certificates

DATA = cn.encode({f"c{i}": np.arange(30_000) * i for i in range(20)}, "npz")
ARROW = cn.encode({f"c{i}": np.arange(30_000) * i for i in range(20)}, "arrow")


@each(
    ("status", "error"),
    [
        (400, OSError),
        (401, PermissionError),
        (403, PermissionError),
        (404, FileNotFoundError),
        (410, FileNotFoundError),
        (429, ConnectionError),
        (500, ConnectionError),
        (503, ConnectionError),
        (504, TimeoutError),
    ],
)
def test_refusals_are_oserrors_that_name_the_file(site: Site, status: int, error: type[OSError]) -> None:
    url = site.answer("/x.npz", lambda request: request.reply(status, b"no"))
    with pytest.raises(error, match=f"/x.npz: the server answers {status}"):
        cn.read(url)
    later = site.answer("/later.npz", lambda request: later_only(request, status))
    with pytest.raises(error, match=f"/later.npz: the server answers {status}"):
        cn.read(later).to_numpy()


def later_only(request: Request, status: int) -> None:
    """The head of the file, and no more."""
    request.ranged(DATA) if request.range == (0, 65535) else request.reply(status, b"no")


def test_secrets_are_in_no_message(site: Site) -> None:
    url = f"http://me:hush@{site.authority}/x.npz?signature=hush"
    with pytest.raises(FileNotFoundError) as raised:
        cn.read(url)
    assert "hush" not in str(raised.value)
    assert site.asked[0].headers["authorization"].startswith("Basic ")
    with pytest.raises(cn.OptionError) as refused:
        cn.read("http://me:hush@/x.npz")
    assert "hush" not in str(refused.value)


def test_nobody_there(site: Site) -> None:
    with pytest.raises(ConnectionRefusedError, match=r"127\.0\.0\.1:1/x\.npz"):
        cn.read("http://127.0.0.1:1/x.npz")
    with pytest.raises(ConnectionError, match="no-such-host"):
        cn.read("http://no-such-host.invalid/x.npz")


def cut(request: Request, sent: float, *, ranges: bool, data: bytes = DATA) -> None:
    """Less than was promised."""
    request.close_connection = True
    if not ranges:
        request.reply(200, data[: int(len(data) * sent)], content_length=len(data))
    elif request.range == (0, 65535):
        request.ranged(data)
    else:
        assert request.range is not None
        first, last = request.range
        part = data[first : last + 1]
        told = {"content_range": f"bytes {first}-{last}/{len(data)}", "content_length": len(part)}
        request.reply(206, part[: int(len(part) * sent)], etag='"1"', **told)


@each("sent", [0.0, 0.001, 0.5])
@each("ranges", [True, False], ids=["ranges", "whole"])
def test_bodies_that_break_off_are_truncated(site: Site, ranges: bool, sent: float) -> None:
    url = site.answer("/x.npz", lambda request: cut(request, sent, ranges=ranges))
    with pytest.raises(cn.TruncatedError, match=r"/x\.npz: expected .* bytes, the connection ended"):
        cn.read(url).to_numpy()


def test_what_came_of_a_stream_that_breaks_off_can_be_had(site: Site) -> None:
    data = cn.encode({"a": np.arange(100_000)}, "arrows", batch_nbytes=100_000)
    url = site.answer("/x.arrows", lambda request: cut(request, 0.5, ranges=False, data=data))
    frame = cn.read(url, allow_truncated=True)
    assert 0 < len(frame) < 100_000
    np.testing.assert_array_equal(frame.to_numpy()["a"], np.arange(len(frame)))
    with pytest.raises(cn.TruncatedError):
        cn.read(url)


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "whole"])
def test_a_file_that_was_cut_before_it_was_put_there(site: Site, ranges: bool) -> None:
    """Its footer is not there, and what lies between its ends was not fetched."""
    sink = io.BytesIO()
    with cn.open_writer(sink, format="arrow") as writer:
        for start in range(0, 1_000_000, 100_000):
            writer.write({"a": np.arange(start, start + 100_000)})
    data = sink.getvalue()[:-20]
    url = site.put("/x.arrow", data, ranges=ranges)
    with pytest.raises(cn.TruncatedError):
        cn.read(url)
    frame = cn.read(url, allow_truncated=True)
    np.testing.assert_array_equal(frame.to_numpy()["a"], np.arange(1_000_000))


def lying(**wrong: object) -> Callable[[Request], None]:
    """The head of the file, and then ranges whose headers say otherwise."""

    def answer(request: Request) -> None:
        if request.range == (0, 65535):
            return request.ranged(DATA)
        return request.ranged(DATA, **wrong)  # type: ignore[arg-type]

    return answer


@each(
    ("answer", "error", "words"),
    [
        (lying(content_range="bytes 0-9/1000000"), cn.DecodeError, "changed while it was read"),
        (lying(content_range=f"bytes 0-9/{len(DATA)}"), cn.DecodeError, "answers with 0-9/"),
        (lying(content_range="nonsense"), cn.DecodeError, "no Content-Range"),
        (lying(content_range=None), cn.DecodeError, "no Content-Range"),
        (lying(etag='"2"'), cn.DecodeError, "changed while it was read"),
        (lying(content_encoding="gzip"), cn.DecodeError, "sends them as gzip"),
        (lambda r: r.reply(206, DATA[:100], content_range=f"bytes 0-99/{len(DATA)}"), cn.DecodeError, "0-99"),
        (lambda r: r.reply(206, DATA[:65536]), cn.DecodeError, "no Content-Range"),
        (lambda r: r.reply(206, DATA[:65536], content_range=f"bytes 0-65535/{1 << 63}"), cn.LimitError, "more than"),
        (lambda r: r.reply(206, DATA[:65536], content_range=f"bytes 0-65535/{1 << 64}"), cn.DecodeError, "no Content"),
        (lambda r: r.reply(302), cn.DecodeError, "not where to"),
        (lambda r: r.reply(302, location="ftp://host/x"), cn.DecodeError, "/x.npz: .*redirects .*found ftp://"),
        (lambda r: r.reply(302, location="file:///etc/passwd"), cn.DecodeError, "/x.npz: .*redirects .*found file://"),
        (lambda r: r.reply(302, location="file:/etc/passwd"), cn.DecodeError, "/x.npz: .*redirects .*expected http"),
        (lambda r: r.reply(302, location="http://host:99999/x"), cn.DecodeError, "/x.npz: .*redirects .*a port"),
        (lambda r: r.reply(302, location="/x.npz"), cn.DecodeError, "redirects"),
        (lambda r: r.send(b"\xff" * 100_000), OSError, "/x.npz"),
    ],
)
def test_answers_that_contradict_are_refused(
    site: Site, answer: Callable[[Request], object], error: type[Exception], words: str
) -> None:
    try:
        url = site.answer("/x.npz", answer)
        with pytest.raises((error, cn.DecodeError), match=words):
            cn.read(url).to_numpy()
    finally:
        assert len(site.asked) < 30


def test_more_than_was_promised_is_refused(site: Site) -> None:
    def answer(request: Request) -> None:
        first, last = request.range or (0, 0)
        part = DATA[first : last + 1] + b"more"
        request.reply(206, content_length=None, transfer_encoding="chunked",
                      content_range=f"bytes {first}-{min(last, len(DATA) - 1)}/{len(DATA)}")  # fmt: skip
        request.send(b"%x\r\n%b\r\n0\r\n\r\n" % (len(part), part))

    with pytest.raises(cn.DecodeError, match="sends more"):
        cn.read(site.answer("/x.npz", answer))


@pytest.mark.parametrize("data", [DATA, ARROW], ids=["npz", "arrow"])
def test_a_file_that_is_replaced_meanwhile_is_told_so(site: Site, data: bytes) -> None:
    now = [data]
    frame = cn.read(site.answer("/x", lambda request: request.ranged(now[0], etag=f'"{hash(now[0])}"')))
    now[0] = cn.encode({"other": np.zeros(200_000)}, "npz")
    with pytest.raises(cn.DecodeError, match="changed while it was read"):
        frame.to_numpy()


@each(
    ("was", "now"),
    [
        ({"etag": '"1"'}, {"etag": '"2"'}),
        ({"etag": '"1"'}, {}),
        ({"etag": 'W/"1"'}, {"etag": 'W/"2"'}),
        ({"etag": 'W/"1"'}, {}),
        ({"etag": 'W/"1"', "last_modified": "then"}, {"etag": 'W/"2"', "last_modified": "then"}),
        ({"etag": 'W/"1"', "last_modified": "then"}, {"etag": 'W/"1"', "last_modified": "later"}),
        ({"last_modified": "then"}, {"last_modified": "later"}),
    ],
)
def test_a_file_replaced_by_one_as_long_is_told_by_its_headers(
    site: Site, was: dict[str, str], now: dict[str, str]
) -> None:
    """Of a server that does not look at If-Range."""
    told = [was]

    def answer(request: Request) -> None:
        assert request.range is not None
        first, last = request.range
        part = DATA[first : last + 1]
        request.reply(206, part, content_range=f"bytes {first}-{first + len(part) - 1}/{len(DATA)}", **told[0])

    url = site.answer("/x.npz", answer)
    frame = cn.read(url)
    np.testing.assert_array_equal(frame.select(["c3"]).to_numpy()["c3"], np.arange(30_000) * 3)
    strong = [tag for tag in (was.get("etag"),) if tag and not tag.startswith("W/")]
    asked = {asked.headers.get("if-range") for asked in site.asked[1:]}
    assert asked == {strong[0] if strong else was.get("last_modified")}
    told[0] = now
    with pytest.raises(cn.DecodeError, match="changed while it was read"):
        frame.select(["c9"]).to_numpy()


@pytest.mark.parametrize("now", [{"etag": '"1"'}, {"etag": 'W/"1"'}])
def test_a_mark_of_weakness_and_a_date_left_out_are_no_change(site: Site, now: dict[str, str]) -> None:
    def answer(request: Request) -> None:
        assert request.range is not None
        first, last = request.range
        told = {"etag": '"1"', "last_modified": "then"} if first == 0 else now
        part = DATA[first : last + 1]
        request.reply(206, part, content_range=f"bytes {first}-{first + len(part) - 1}/{len(DATA)}", **told)

    found = cn.read(site.answer("/x.npz", answer)).to_numpy()
    np.testing.assert_array_equal(found["c9"], np.arange(30_000) * 9)


def test_after_an_error_the_next_try_asks_again(site: Site) -> None:
    broken = [True]
    url = site.answer("/x.npz", lambda r: cut(r, 0.5, ranges=True) if broken[0] else r.ranged(DATA))
    with pytest.raises(cn.TruncatedError):
        cn.read(url)
    broken[0] = False
    frame = cn.read(url)
    broken[0] = True
    with pytest.raises(cn.TruncatedError):
        frame.to_numpy()
    broken[0] = False
    np.testing.assert_array_equal(frame.to_numpy()["c3"], np.arange(30_000) * 3)


@pytest.mark.parametrize("format", ["npz", "arrows"])
def test_lengths_that_nobody_has_take_no_memory(site: Site, format: str) -> None:
    data = cn.encode({"a": np.arange(1000)}, format)
    limits = cn.Limits(max_nbytes=1 << 20)

    def endless(request: Request) -> None:
        request.close_connection = True
        request.reply(200, data[:-20], content_length=(1 << 63) - 1)
        for _ in range(64):
            request.send(b"\1" * (1 << 16))

    url = site.answer("/x." + format, endless)
    with pytest.raises(cn.ColonnadeError):
        cn.read(url, limits=limits)
    assert site.connections == 1


def test_limits_hold_for_ranges_too(site: Site) -> None:
    url = site.put("/x.npz", DATA)
    with pytest.raises(cn.LimitError, match="max_nbytes"):
        cn.read(url, limits=cn.Limits(max_nbytes=1 << 20)).to_numpy()
    with pytest.raises(cn.LimitError, match="max_nbytes"):
        cn.read(site.put("/x.arrow", ARROW), limits=cn.Limits(max_nbytes=1 << 20)).to_numpy()


@pytest.mark.parametrize("when", ["before the answer", "within the head", "within a range"])
def test_silence_ends_in_a_timeout(site: Site, when: str) -> None:
    over = threading.Event()

    def answer(request: Request) -> None:
        request.close_connection = True
        if when == "within a range" and request.range == (0, 65535):
            return request.ranged(DATA)
        if when == "before the answer":
            return void(over.wait(60))
        first, last = request.range or (0, 0)
        request.reply(206, DATA[first : first + 10], content_range=f"bytes {first}-{last}/{len(DATA)}",
                      content_length=last - first + 1, etag='"1"')  # fmt: skip
        return void(over.wait(60))

    with pytest.raises(TimeoutError, match=r"/x.npz: timed out .* timeout_s="):
        cn.read(site.answer("/x.npz", answer), timeout_s=0.2).to_numpy()
    over.set()


def void(_: object) -> None:
    """Nothing."""


@each("value", [0, -1, float("nan"), float("inf"), "1", True])
def test_timeouts_are_checked(value: object) -> None:
    with pytest.raises(cn.OptionError, match="timeout_s"):
        cn.read("http://127.0.0.1:1/x.npz", timeout_s=value)


def test_redirects_are_followed_and_secrets_stay_where_they_belong(site: Site) -> None:
    site.put("/there/x.npz", DATA)
    site.answer("/a/x.npz", lambda request: request.reply(302, location="../b/x.npz?y"))
    site.answer("/b/x.npz?y", lambda request: request.reply(307, location=f"http://localhost:{port}/there/x.npz"))
    port = site.authority.partition(":")[2]
    frame = cn.read(f"http://me:hush@{site.authority}/a/x.npz", columns=["c7"])
    np.testing.assert_array_equal(frame.to_numpy()["c7"], np.arange(30_000) * 7)
    asked = [(asked.path, "authorization" in asked.headers) for asked in site.asked]
    assert asked[:3] == [("/a/x.npz", True), ("/b/x.npz?y", True), ("/there/x.npz", False)]
    # After that, only the place where it led is asked.
    assert set(asked[3:]) == {("/there/x.npz", False)}
    assert all(asked.headers["accept-encoding"] == "identity" for asked in site.asked)


def test_urls_are_not_written_to_and_need_a_scheme_that_is_read() -> None:
    with pytest.raises(cn.UnsupportedError, match="http"):
        cn.write({"a": [1]}, "http://127.0.0.1:1/x.npz")
    with pytest.raises(cn.UnsupportedError, match="ftp"):
        cn.read("ftp://127.0.0.1/x.npz")


def test_https_trusts_whom_the_system_trusts(
    certificates: "Certificates", no_proxy: None, monkeypatch: pytest.MonkeyPatch, tmp_path: "Path"
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", certificates.authority)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with Site(certificates.server_context()) as secure, Site() as plain:
        url = secure.put("/x.npz", DATA)
        np.testing.assert_array_equal(cn.read(url, columns=["c2"]).to_numpy()["c2"], np.arange(30_000) * 2)
        up = plain.answer("/x.npz", lambda request: request.reply(301, location=url))
        assert cn.read(up).shape == (30_000, 20)
        plain.put("/down.npz", DATA)
        down = secure.answer("/x2.npz", lambda request: request.reply(301, location=plain.url + "/down.npz"))
        with pytest.raises(PermissionError, match="not encrypted"):
            cn.read(down)
        assert "/down.npz" not in {asked.path for asked in plain.asked}
        monkeypatch.setenv("SSL_CERT_FILE", certificates.other_authority)
        with pytest.raises(ConnectionError, match="certificate"):
            cn.read(url)
    monkeypatch.setenv("SSL_CERT_FILE", certificates.authority)
    for pair in (certificates.expired, certificates.wrong_name, certificates.unknown):
        with (
            Site(certificates.server_context(pair=pair)) as secure,
            pytest.raises(ConnectionError, match="certificate"),
        ):
            cn.read(secure.put("/x.npz", DATA))
        assert not secure.asked


def test_proxies_of_the_environment_are_used(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    url = site.put("/x.npz", DATA)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with pytest.raises(ConnectionError):
        cn.read(url)
    assert not site.asked
    monkeypatch.setenv("no_proxy", "example.org, 127.0.0.1")
    assert cn.read(url).shape == (30_000, 20)
    monkeypatch.setenv("no_proxy", "example.org")
    monkeypatch.setenv("http_proxy", "http://me:hush@[")
    with pytest.raises(OSError, match="http_proxy") as raised:
        cn.read(url)
    assert "hush" not in str(raised.value)


WAITS = {
    "the answer": "cn.read(sys.argv[1] + '/silent.npz')",
    "a range": "cn.read(sys.argv[1] + '/stalling.npz').to_numpy()",
    "a stream": "cn.read(sys.argv[1] + '/stalling.arrows')",
    "labels": "cn.read(sys.argv[1] + '/stalling.npz').index",
}


@pytest.mark.parametrize("waits", WAITS)
def test_ctrl_c_ends_the_waiting(site: Site, waits: str) -> None:
    over = threading.Event()
    stalled = threading.Event()

    def stall(request: Request) -> None:
        request.close_connection = True
        stalled.set()
        over.wait(60)

    def ranged(request: Request) -> None:
        request.ranged(DATA) if request.range == (0, 65535) else stall(request)

    def stream(request: Request) -> None:
        request.reply(200, cn.encode({"a": np.arange(100_000)}, "arrows")[:70_000], content_length=1 << 30)
        stall(request)

    site.answer("/silent.npz", stall)
    site.answer("/stalling.npz", ranged)
    site.answer("/stalling.arrows", stream)
    with child(f"say('ready')\n{WAITS[waits]}", site.url) as process:
        assert process.line() == "ready"
        assert stalled.wait(60)
        process.process.send_signal(signal.SIGINT)
        # A second is what is promised; a machine under load may take longer to schedule a process. It does not hang.
        _, errors = process.process.communicate(timeout=10)
    over.set()
    assert b"KeyboardInterrupt" in errors
    assert process.process.returncode != 0
