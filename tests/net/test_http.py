"""Reading over HTTP: the same frames as from a file, and no more bytes than were asked for."""

import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from tests.helpers.children import child
from tests.helpers.corpora import ROOT
from tests.helpers.each import each
from tests.helpers.web import Request, Site

WAYS = {
    "npz": {"format": "npz"},
    "npz zstd": {"format": "npz", "compression": "zstd"},
    "npz deflate": {"format": "npz", "compression": "deflate"},
    "arrow": {"format": "arrow"},
    "arrow zstd": {"format": "arrow", "compression": "zstd"},
    "arrow lz4": {"format": "arrow", "compression": "lz4"},
    "parquet": {"format": "parquet"},
    "parquet zstd": {"format": "parquet", "compression": "zstd"},
}
GOLDEN = sorted(
    path
    for name in ("npz", "npy", "arrow", "arrows", "parquet")
    for path in (ROOT / "conformance" / name).glob(f"*.{name}")
)


@pytest.fixture(scope="module")
def wide() -> pd.DataFrame:
    """A hundred columns that do not compress, text, and labels."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"c{i}": rng.random(20_000) for i in range(99)}
    columns["text"] = [f"text {i * i}" for i in range(20_000)]
    return pd.DataFrame(columns, index=pd.Index(np.arange(20_000) * 3, name="key"))


def no_byte_twice(site: Site) -> None:
    """Of each file every byte was sent once at most."""
    for path in {asked.path for asked in site.asked}:
        ranges = sorted(asked.range for asked in site.asked if asked.path == path and asked.range)
        assert all(last < first for (_, last), (first, _) in pairwise(ranges)), ranges


@each("way", list(WAYS))
def test_one_column_of_a_hundred_is_a_small_share(site: Site, wide: pd.DataFrame, way: str) -> None:
    data = cn.encode(wide, **WAYS[way])
    url = site.put("/wide." + WAYS[way]["format"], data)
    found = cn.read(url, columns=["c50", "text"]).to_pandas()
    pd.testing.assert_frame_equal(found, wide[["c50", "text"]])
    # Two of a hundred columns and the index; headers, and gaps of less than 64 KiB that are not worth a request.
    # Columns of a compressed member come together.
    assert site.nbytes < len(data) / (2 if way in ("npz zstd", "npz deflate") else 4)
    no_byte_twice(site)


@each("way", list(WAYS))
def test_a_whole_file_is_fetched_once_over_a_few_connections(site: Site, wide: pd.DataFrame, way: str) -> None:
    data = cn.encode(wide, **WAYS[way])
    url = site.put("/wide." + WAYS[way]["format"], data)
    pd.testing.assert_frame_equal(cn.read(url).to_pandas(), wide)
    assert site.nbytes <= len(data)
    assert site.connections <= 8
    no_byte_twice(site)


@each("way", list(WAYS))
def test_looking_fetches_no_data(site: Site, wide: pd.DataFrame, way: str) -> None:
    data = cn.encode(wide, **WAYS[way])
    url = site.put("/wide." + WAYS[way]["format"], data)
    there, here = cn.inspect(url), cn.inspect(data)
    assert (there.shape, there.schema, there.file_nbytes) == (here.shape, here.schema, here.file_nbytes)
    assert site.nbytes < len(data) / 4


def test_rows_of_an_arrow_file_are_those_batches_alone(site: Site, wide: pd.DataFrame) -> None:
    data = cn.encode(wide, "arrow", batch_nbytes=1 << 20)
    url = site.put("/wide.arrow", data)
    found = cn.read(url, rows=slice(19_000, 19_100)).to_pandas()
    pd.testing.assert_frame_equal(found, wide.iloc[19_000:19_100])
    assert site.nbytes < len(data) / 4


@pytest.mark.parametrize("rows", ["slice", "filter"])
def test_rows_of_a_parquet_file_are_those_pages_alone(site: Site, wide: pd.DataFrame, rows: str) -> None:
    data = cn.encode(wide, "parquet", row_group_size=4_000, data_page_size=4_096)
    url = site.put("/wide.parquet", data)
    options = (
        {"rows": slice(19_000, 19_100)} if rows == "slice" else {"filters": [("key", "in", range(57_000, 57_300))]}
    )
    found = cn.read(url, **options).to_pandas()
    pd.testing.assert_frame_equal(found, wide.iloc[19_000:19_100])
    assert site.nbytes < len(data) / 4


def test_a_footer_in_the_tail_is_one_request(site: Site) -> None:
    url = site.put("/x.parquet", cn.encode({"a": np.arange(1_000_000) ** 2}, "parquet"))
    assert cn.inspect(url).shape == (1_000_000, 1)
    assert len(site.asked) <= 3  # how long it is, the footer, and what checks the beginning


def test_a_frame_fetches_when_it_is_converted_and_what_is_here_stays_here(site: Site, wide: pd.DataFrame) -> None:
    url = site.put("/wide.npz", cn.encode(wide, "npz"))
    frame = cn.read(url)
    opened = site.nbytes
    pd.testing.assert_frame_equal(frame.select(["c1"]).to_pandas(), wide[["c1"]])
    once = site.nbytes
    assert opened < once
    pd.testing.assert_frame_equal(frame.select(["c1"]).to_pandas(), wide[["c1"]])
    assert site.nbytes == once


def test_columns_of_other_dictionaries_are_left_alone(site: Site) -> None:
    rng = np.random.default_rng(1)
    words = [f"{n:>60}" for n in rng.permutation(20_000)]
    df = pd.DataFrame({"a": pd.Categorical(words), "b": np.arange(20_000.0), "c": pd.Categorical(["x", "y"] * 10_000)})
    data = cn.encode(df, "arrow")
    url = site.put("/codes.arrow", data)
    pd.testing.assert_frame_equal(cn.read(url, columns=["b", "c"]).to_pandas(), df[["b", "c"]])
    assert site.nbytes < len(data) / 2
    pd.testing.assert_frame_equal(cn.read(url).to_pandas(), df)


@each("ranges", [True, False], ids=["ranges", "whole"])
@each("path", list(GOLDEN), ids=lambda path: path.name, per=20)
def test_golden_files_are_what_they_are_on_disk(site: Site, path: Path, ranges: bool) -> None:
    url = site.put("/" + path.name, path.read_bytes(), ranges=ranges)
    expected = cn.inspect(path)
    assert repr(cn.inspect(url)) == repr(expected)
    if expected.shape is not None:
        assert cn.read(url).identical(cn.read(path))
        part = slice(0, expected.shape[0] // 2)
        assert cn.read(url, rows=part).identical(cn.read(path, rows=part))


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "whole"])
def test_every_function_that_reads_takes_a_url(site: Site, tmp_path: Path, ranges: bool) -> None:
    df = pd.DataFrame({"a": np.arange(5), "b": list("vwxyz")})
    npz = site.put("/x.npz", cn.encode(df, "npz"), ranges=ranges)
    arrow = site.put("/x.arrow", cn.encode(df, "arrow", batch_nbytes=1), ranges=ranges)
    arrows = site.put("/x.arrows", cn.encode(df, "arrows", batch_nbytes=1), ranges=ranges)
    parquet = site.put("/x.parquet", cn.encode(df, "parquet", row_group_size=2), ranges=ranges)
    bundle = tmp_path / "two.zip"
    cn.write_bundle({"p": df, "q": df.iloc[:2]}, bundle)
    np.savez(tmp_path / "arrays.npz", u=np.arange(3), v=np.ones((2, 2, 2)))
    np.save(tmp_path / "one.npy", np.arange(6).reshape(3, 2))
    for url in (npz, arrow, arrows, parquet):
        pd.testing.assert_frame_equal(cn.read_pandas(url), df)
        cn.verify(url)
        with cn.open_reader(url) as reader:
            pd.testing.assert_frame_equal(reader.read_all().to_pandas(), df)
        with cn.open_reader(url, columns=["b"]) as reader:
            assert [row for frame in reader for row in frame.to_pandas()["b"]] == list("vwxyz")
        cn.convert(url, tmp_path / "out.npz")
        pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "out.npz"), df)
    found = cn.read_bundle(site.put("/two.zip", bundle.read_bytes(), ranges=ranges))
    pd.testing.assert_frame_equal(found["q"].to_pandas(), df.iloc[:2])
    arrays = cn.read_arrays(site.put("/arrays.npz", (tmp_path / "arrays.npz").read_bytes(), ranges=ranges))
    assert arrays["v"].shape == (2, 2, 2)
    one = cn.read(site.put("/one.npy", (tmp_path / "one.npy").read_bytes(), ranges=ranges)).to_numpy()
    np.testing.assert_array_equal(one, np.arange(6).reshape(3, 2))


def test_a_stream_is_read_as_it_comes(site: Site) -> None:
    data = cn.encode({"a": np.arange(300_000)}, "arrows", batch_nbytes=200_000)
    seen = threading.Event()

    def slowly(request: Request) -> None:
        request.reply(200, data[: len(data) // 2], content_length=len(data))
        seen.wait(60)
        request.send(data[len(data) // 2 :])

    with cn.open_reader(site.answer("/slow.arrows", slowly)) as reader:
        batches = iter(reader)
        first = next(batches).to_numpy()["a"]
        seen.set()
        rest = [frame.to_numpy()["a"] for frame in batches]
    np.testing.assert_array_equal(np.concatenate([first, *rest]), np.arange(300_000))


@each("length", ["told", "chunked", "until it closes"])
@each("format", ["npz", "arrow", "arrows", "parquet"])
def test_servers_without_ranges_are_read_whole(site: Site, format: str, length: str) -> None:
    data = cn.encode({"a": np.arange(100_000)}, format)

    def answer(request: Request) -> None:
        if length == "told":
            return request.whole(data)
        if length == "chunked":
            request.reply(200, content_length=None, transfer_encoding="chunked")
            for start in range(0, len(data), 50_000):
                piece = data[start : start + 50_000]
                request.send(b"%x\r\n%b\r\n" % (len(piece), piece))
            return request.send(b"0\r\n\r\n")
        request.close_connection = True
        return request.reply(200, data, content_length=None, connection="close")

    frame = cn.read(site.answer("/x", answer), columns=["a"])
    np.testing.assert_array_equal(frame.to_numpy()["a"], np.arange(100_000))
    assert len(site.asked) == 1


def test_a_file_without_a_known_end_is_read_whole(site: Site) -> None:
    data = cn.encode({"a": np.arange(100_000)}, "npz")

    def answer(request: Request) -> None:
        if request.range is None:
            return request.whole(data)
        return request.reply(206, data[:65536], content_range="bytes 0-65535/*")

    assert cn.read(site.answer("/x.npz", answer)).shape == (100_000, 1)


def test_small_files_take_one_request(site: Site) -> None:
    for format in ("npz", "arrow", "arrows"):
        url = site.put("/small", cn.encode({"a": np.arange(10)}, format))
        site.asked.clear()
        assert cn.read(url).to_numpy()["a"].sum() == 45
        assert len(site.asked) == 1


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "whole"])
def test_an_empty_file_is_what_it_is_on_disk(site: Site, tmp_path: Path, ranges: bool) -> None:
    (tmp_path / "empty.npz").touch()
    with pytest.raises(cn.ColonnadeError) as on_disk:
        cn.read(tmp_path / "empty.npz")
    with pytest.raises(type(on_disk.value)):
        cn.read(site.put("/empty.npz", b"", ranges=ranges))


def test_threads_share_a_frame(site: Site, wide: pd.DataFrame) -> None:
    frame = cn.read(site.put("/wide.npz", cn.encode(wide, "npz")))
    found: dict[str, pd.DataFrame] = {}

    def fetch(name: str) -> None:
        found[name] = frame.select([name]).to_pandas()

    threads = [threading.Thread(target=fetch, args=(f"c{i}",), daemon=True) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 8
    for name, part in found.items():
        pd.testing.assert_frame_equal(part, wide[[name]])
    no_byte_twice(site)


RESIDENT = """
def resident_nbytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
cn.read(sys.argv[1] + "/small").to_numpy()
before = resident_nbytes()
column = cn.read(sys.argv[1] + "/large", columns=["c7"]).to_numpy()["c7"]
say(resident_nbytes() - before)
"""


@pytest.mark.parametrize("format", ["npz", "arrow"])
def test_a_column_takes_the_memory_of_a_column(site: Site, format: str) -> None:
    rng = np.random.default_rng(2)
    data = cn.encode({f"c{i}": rng.random(500_000) for i in range(30)}, format)
    site.put("/small", cn.encode({"a": np.arange(3)}, format))
    site.put("/large", data)
    with child(RESIDENT, site.url) as process:
        # 4 MB of 120, and what the pieces on their way take.
        assert int(process.line()) < 24 << 20


def test_progress_is_told(site: Site, wide: pd.DataFrame) -> None:
    told: list[tuple[int, int | None]] = []
    frame = cn.read(site.put("/x.npz", cn.encode(wide, "npz")), progress=lambda done, total: told.append((done, total)))
    frame.to_pandas()
    assert told
    assert all(total is None or done <= total for done, total in told)
