"""The ASGI application, asked without a server."""

import asyncio
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from colonnade.serve import asgi
from tests.helpers.each import each

FRAME = pd.DataFrame({"fare": [7.5, 9.0, 1.0], "city": ["A", "B,C", "A"], "year": [2023, 2024, 2024]})


class Answer:
    """What an application sent."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.pieces = 0
        self.is_whole = False


def ask(app: Any, path: str, method: str = "GET", headers: dict[str, str] | None = None, **query: Any) -> Answer:
    """One request."""
    return asyncio.run(_ask(app, path, method, headers or {}, query))


async def _ask(app: Any, path: str, method: str, headers: dict[str, str], query: dict[str, Any]) -> Answer:
    answer = Answer()
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": urlencode(query, doseq=True, quote_via=quote).encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if asked:
            await asyncio.sleep(3600)
        asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            answer.body += message["body"]
            answer.pieces += bool(message["body"])
            answer.is_whole = not message["more_body"]

    await app(scope, receive, send)
    return answer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cn.write(FRAME, tmp_path / "trips.parquet")
    cn.write_dataset(FRAME, tmp_path / "by year", partition_by="year")
    (tmp_path / ".secret").write_text("x")
    return tmp_path


def test_files_are_sent_as_they_are(folder: Path) -> None:
    answer = ask(asgi(folder), "/trips.parquet")
    assert answer.status == 200
    assert answer.body == (folder / "trips.parquet").read_bytes()
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.headers["accept-ranges"] == "bytes"
    again = ask(asgi(folder), "/trips.parquet", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


@each(
    ("asked", "status", "span"),
    [
        ("bytes=0-3", 206, slice(0, 4)),
        ("bytes=4-", 206, slice(4, None)),
        ("bytes=-4", 206, slice(-4, None)),
        ("bytes=4-1000000", 206, slice(4, None)),
        ("bytes=1000000-", 416, slice(0, 0)),
        ("bytes=5-4", 416, slice(0, 0)),
        ("bytes=0-1,3-4", 200, slice(None)),
        ("lines=0-1", 200, slice(None)),
        ("bytes=x-1", 200, slice(None)),
    ],
)
def test_ranges(tmp_path: Path, asked: str, status: int, span: slice) -> None:
    cn.write(FRAME, tmp_path / "trips.parquet")
    data = (tmp_path / "trips.parquet").read_bytes()
    answer = ask(asgi(tmp_path), "/trips.parquet", headers={"Range": asked})
    assert (answer.status, answer.body) == (status, data[span])
    old = ask(asgi(tmp_path), "/trips.parquet", headers={"Range": asked, "If-Range": '"other"'})
    assert (old.status, old.body) == (200, data)


@each("format", ["arrows", "arrow", "parquet", "npz", "msgpack"])
@each("path", ["/trips.parquet", "/by year"])
def test_rows_in_each_format(tmp_path: Path, format: str, path: str) -> None:
    cn.write(FRAME, tmp_path / "trips.parquet")
    cn.write_dataset(FRAME, tmp_path / "by year", partition_by="year")
    answer = ask(asgi(tmp_path), path, format=format)
    assert answer.status == 200
    pd.testing.assert_frame_equal(cn.decode(answer.body, format).to_pandas(), FRAME)


def test_text(folder: Path) -> None:
    csv = ask(asgi(folder), "/trips.parquet", columns="city,fare", filters="year == 2024 and fare > 2", format="csv")
    assert csv.body.decode() == 'city,fare\n"B,C",9.0\n'
    lines = ask(asgi(folder), "/trips.parquet", headers={"Accept": "text/html;q=0.1, application/x-ndjson"}, limit=1)
    assert json.loads(lines.body) == {"fare": 7.5, "city": "A", "year": 2023}


def test_labels_with_commas_are_repeated(tmp_path: Path) -> None:
    cn.write({"a,b": [1], "c": [2]}, tmp_path / "t.npz")
    answer = ask(asgi(tmp_path), "/t.npz", columns=["c", "a,b"], format="json")
    assert list(cn.decode(answer.body, "json").columns) == ["c", "a,b"]


@each(
    ("query", "status", "message"),
    [
        ({"colums": "a"}, 400, "colums: expected columns, filters, limit, format as parameters; nearest: 'columns'"),
        ({"columns": "fares"}, 400, "column 'fares' is not there; nearest: 'fare'"),
        ({"filters": "fares > 1"}, 400, "filters: column 'fares' is not there"),
        ({"filters": "fare >"}, 400, "filters"),
        ({"limit": "²"}, 400, "limit: expected a whole number, found '²'"),
        ({"limit": "-1"}, 400, "limit: expected a whole number, found '-1'"),
        ({"format": "parket"}, 400, "format: expected arrows"),
        ({"format": ["csv", "json"]}, 400, "format: expected one value, found several"),
    ],
)
def test_wrong_queries(tmp_path: Path, query: dict[str, Any], status: int, message: str) -> None:
    cn.write(FRAME, tmp_path / "trips.parquet")
    answer = ask(asgi(tmp_path), "/trips.parquet", **query)
    assert answer.status == status
    assert message in json.loads(answer.body)["error"]


@each(
    "path",
    [
        "/nowhere",
        "/../etc/passwd",
        "/.secret",
        "/link/passwd",
        "/by year/_colonnade",
        "/%00",
        "/trips.parquet/x",
        "/linked",
        "/linked/x.csv",
    ],
)
def test_what_is_not_there(tmp_path: Path, path: str) -> None:
    cn.write(FRAME, tmp_path / "root" / "trips.parquet", mkdir=True)
    cn.write_dataset(FRAME, tmp_path / "root" / "by year")
    (tmp_path / "root" / ".secret").write_text("x")
    (tmp_path / "root" / "link").symlink_to("/etc")
    (tmp_path / "private.csv").write_text("secret\n1\n")
    (tmp_path / "root" / "linked").mkdir()
    (tmp_path / "root" / "linked" / "x.csv").symlink_to(tmp_path / "private.csv")
    answer = ask(asgi(tmp_path / "root"), path)
    assert answer.status == 404
    assert str(tmp_path) not in answer.body.decode()


def test_a_file_that_is_replaced_while_it_is_sent(tmp_path: Path) -> None:
    cn.write({"x": np.zeros(400_000)}, tmp_path / "t.npz")
    before = (tmp_path / "t.npz").read_bytes()
    app = asgi(tmp_path)
    find = app._source.find

    def find_and_replace(path: str) -> Any:
        found = find(path)
        cn.write({"x": np.ones(300_000)}, tmp_path / "t.npz")
        return found

    app._source.find = find_and_replace
    answer = ask(app, "/t.npz")
    assert answer.body == (tmp_path / "t.npz").read_bytes() != before
    assert len(answer.body) == int(answer.headers["content-length"])


def test_tokens(folder: Path) -> None:
    app = asgi(folder, token="very-secret")
    assert ask(app, "/trips.parquet").status == 401
    assert ask(app, "/trips.parquet", headers={"Authorization": "Bearer wrong"}).status == 401
    assert ask(app, "/trips.parquet", headers={"Authorization": "bearer very-secret"}).status == 200


def test_hosts(folder: Path) -> None:
    app = asgi(folder, allowed_hosts=("localhost", "::1"))
    assert ask(app, "/trips.parquet", headers={"Host": "evil.example:8000"}).status == 421
    assert ask(app, "/trips.parquet", headers={"Host": "localhost:8000"}).status == 200
    assert ask(app, "/trips.parquet", headers={"Host": "[::1]:8000"}).status == 200
    assert ask(app, "/trips.parquet", headers={"Host": "[::1]"}).status == 200


def test_other_methods(folder: Path) -> None:
    assert ask(asgi(folder), "/trips.parquet", method="POST").status == 405
    head = ask(asgi(folder), "/trips.parquet", method="HEAD")
    assert (head.status, head.body) == (200, b"")
    options = ask(asgi(folder, cors="*", token="t"), "/trips.parquet", method="OPTIONS")
    assert options.status == 204
    assert options.headers["access-control-allow-origin"] == "*"


def test_a_person_sees_the_names_of_a_folder(folder: Path) -> None:
    (folder / "a<b>").mkdir()
    page = ask(asgi(folder), "/", headers={"Accept": "text/html"}).body.decode()
    assert "trips.parquet" in page
    assert "by%20year/" in page
    assert "a&lt;b&gt;/" in page
    assert "secret" not in page


def test_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
    answer = ask(asgi(tmp_path), "/t.parquet", format="csv")
    assert answer.status == 500
    assert "parquet" in json.loads(answer.body)["error"]


def test_an_error_in_the_middle_breaks_the_answer_off(tmp_path: Path) -> None:
    cn.write({"x": np.random.default_rng(0).random(400_000)}, tmp_path / "d" / "1.npz", mkdir=True)
    (tmp_path / "d" / "2.npz").write_bytes(b"PK damaged")
    with pytest.raises(cn.DecodeError, match=r"2\.npz"):
        ask(asgi(tmp_path), "/d")


def test_rows_are_sent_while_they_are_read(tmp_path: Path) -> None:
    for i in range(4):
        cn.write({"x": np.random.default_rng(i).random(200_000)}, tmp_path / "d" / f"{i}.npz", mkdir=True)
    answer = ask(asgi(tmp_path), "/d")
    assert answer.pieces >= 4
    assert len(cn.decode(answer.body, "arrows")) == 800_000


def test_reading_ends_when_the_client_goes(tmp_path: Path) -> None:
    read = []

    class Slow(cn.Dataset):
        def only(self, i: int) -> Any:
            return self

        def scan(self, batch_rows: int | None = None) -> Any:
            for i in range(1000):
                read.append(i)
                yield cn.Frame({"x": np.zeros(200_000)})

    cn.write({"x": np.zeros(1)}, tmp_path / "t.npz")
    found = cn.dataset(tmp_path / "t.npz")
    slow = Slow(found._listing, found._structure, found._options)

    async def run() -> None:
        sent = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await sent.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message.get("body"):
                sent.set()
                await asyncio.sleep(3600)  # a client that reads nothing more

        scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
        await asyncio.wait_for(asgi(slow)(scope, receive, send), 10)

    asyncio.run(run())
    assert len(read) < 10


def test_named_frames() -> None:
    app = asgi({"trips": FRAME, "other": {"n": [1]}})
    assert len(cn.decode(ask(app, "/trips").body, "arrows")) == 3
    assert ask(app, "/else").status == 404
    assert "trips" in ask(app, "/", headers={"Accept": "text/html"}).body.decode()


def test_what_cannot_be_served(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        asgi(tmp_path / "nowhere")
    with pytest.raises(cn.OptionError, match="expected a folder, a Dataset or a mapping"):
        asgi(FRAME)
