"""Stores that refuse, fail, answer slowly, half, or with other ranges; what is fetched; what messages show."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import colonnade as cn
from tests.helpers import s3_faults
from tests.helpers.each import each
from tests.helpers.s3_faults import S3

WIDE = {f"c{i}": np.random.default_rng(i).random(20_000) for i in range(40)}


@pytest.fixture
def s3() -> Iterator[S3]:
    with s3_faults.serving() as server:
        yield server


def put(server: S3, name: str = "wide.npz") -> str:
    server.objects[name] = bytes(cn.encode(WIDE, name.partition(".")[2]))
    return f"s3://bucket/{name}"


@each("format", ["npz", "parquet", "arrow"])
def test_bytes_of_two_columns_of_forty(format: str) -> None:
    with s3_faults.serving() as server:
        url = put(server, f"wide.{format}")
        found = cn.read(url, columns=["c3", "c20"], storage_options=server.options).to_numpy()
        np.testing.assert_array_equal(found["c20"], WIDE["c20"])
        # The first request is for 64 KiB, and gaps of less are fetched too.
        assert server.nbytes() < 2 * 160_000 + 4 * 65_536 + 20_000


@each(
    ("code", "error", "message"),
    [
        (403, PermissionError, "The store refuses access"),
        (404, FileNotFoundError, "No such object"),
    ],
)
def test_refusals(code: int, error: type[Exception], message: str) -> None:
    with s3_faults.serving() as server:
        server.faults.append(s3_faults.status(code))
        for call in (cn.read, cn.inspect, cn.verify):
            with pytest.raises(error, match=message) as caught:
                call("s3://bucket/x.npz", storage_options=server.options)
            assert caught.value.filename == "s3://bucket/x.npz"
            assert "secret" not in str(caught.value).lower()


def test_later_calls_use_the_connections_of_earlier_ones(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "s3://bucket/x.npz"
    cn.write({"x": [1]}, url, storage_options=s3.options)
    for _ in range(3):
        cn.inspect(url, storage_options=s3.options)
    assert s3.nconnections == 1
    # Credentials may be in the environment: after a change, none of before are used.
    monkeypatch.setenv("AWS_SESSION_TOKEN", "new")
    cn.inspect(url, storage_options=s3.options)
    assert s3.nconnections == 2


@each("code", [429, 500])
def test_a_busy_store_is_asked_again(code: int) -> None:
    with s3_faults.serving() as server:
        url = put(server)
        server.faults.append(s3_faults.status(code, times=2))
        assert cn.read(url, storage_options=server.options).shape == (20_000, 40)


def test_a_store_that_fails_for_good(s3: S3) -> None:
    url = put(s3)
    s3.faults.append(s3_faults.status(500))
    options = {**s3.options, "retry_timeout_s": 0.2}
    with pytest.raises(OSError, match="The store failed"):
        cn.read(url, storage_options=options)


def test_another_range_than_asked(s3: S3) -> None:
    url = put(s3)
    s3.faults.append(s3_faults.other_range)
    with pytest.raises((cn.DecodeError, OSError), match=r"wide\.npz"):
        cn.read(url, storage_options=s3.options)["c3"].to_numpy()


def test_half_a_range(s3: S3) -> None:
    url = put(s3)
    s3.faults.append(s3_faults.cut)
    options = {**s3.options, "retry_timeout_s": 0.2}
    with pytest.raises((cn.DecodeError, OSError), match=r"wide\.npz"):
        cn.read(url, storage_options=options)["c3"].to_numpy()


def test_an_object_that_is_replaced_while_it_is_read(s3: S3) -> None:
    url = put(s3)
    frame = cn.read(url, storage_options=s3.options)
    s3.objects["wide.npz"] = bytes(cn.encode({**WIDE, "c41": WIDE["c0"]}, "npz"))
    with pytest.raises(cn.DecodeError, match="expected one version of the object, found another"):
        frame["c3"].to_numpy()


def test_a_write_that_fails_leaves_the_old_object(s3: S3) -> None:
    url = put(s3)
    before = s3.objects["wide.npz"]
    s3.faults.append(s3_faults.status(403))
    with pytest.raises(PermissionError):
        cn.write({"x": [1]}, url, storage_options=s3.options)
    assert s3.objects["wide.npz"] is before


def test_an_upload_in_parts_without_a_thread(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(OSError, match="allows no more threads") as caught:
        cn.write({"x": np.zeros(2_000_000)}, "s3://bucket/large.npz", storage_options=s3.options)
    assert caught.value.filename == "s3://bucket/large.npz"
    assert not s3.objects


def test_credentials_are_never_shown(s3: S3) -> None:
    s3.faults.append(s3_faults.status(403))
    options = cn.NpzOptions(storage_options=s3.options)
    assert "secret" not in repr(options).lower()
    with pytest.raises(PermissionError) as caught:
        cn.read("s3://user:password@bucket/x.npz", storage_options=s3.options)
    assert "password" not in str(caught.value)
    with pytest.raises(cn.OptionError, match=r"expected a key, found a query after it") as refused:
        cn.read("s3://bucket/x.npz?X-Amz-Signature=abc", storage_options=s3.options)
    assert "abc" not in str(refused.value)


def test_one_of_two_writers_makes_a_manifest(s3: S3) -> None:
    from colonnade._dataset.places import place_of
    from colonnade._io.stores import Access

    place = place_of("s3://bucket/d", Access(s3.options))
    assert place.create("_colonnade/00000001.json", b"one")
    assert not place.create("_colonnade/00000001.json", b"two")
    # The answer to the first request was lost, and the request was sent again.
    assert place.create("_colonnade/00000001.json", b"one")
    assert place.get("_colonnade/00000001.json") == b"one"
