"""Unusual arguments: NumPy's integers, file objects that accept no bytes, names of file objects, options."""

import gzip
import io
import os
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade.cli import main
from tests.helpers.each import each
from tests.helpers.ways import exactly


def stream(data: Any) -> Any:
    """The reading end of a pipe that holds all bytes."""
    source, sink = os.pipe()
    with open(sink, "wb") as file:
        file.write(cn.encode(data, "arrows"))
    return open(source, "rb")  # the caller closes it


def test_positions_of_numpy_are_positions() -> None:
    data = {"a": np.arange(10)}
    with stream(data) as source, pytest.raises(cn.OptionError, match="from the front of a stream"):
        cn.open_reader(source, rows=slice(np.int64(-5), None)).read_all()
    with stream(data) as source, cn.open_reader(source, rows=slice(np.int64(2), np.int64(4))) as reader:
        assert sum(len(batch) for batch in reader) == 2


def test_a_column_that_is_not_there_stays_an_error() -> None:
    with stream({"a": np.arange(3)}) as source:
        reader = cn.open_reader(source, columns=["nope"])
        for _ in range(2):
            with pytest.raises(cn.ColumnNotFound):
                next(iter(reader))


def test_a_file_objects_name_says_the_delimiter(tmp_path: Path) -> None:
    data = {"a": np.arange(2), "b": np.arange(2)}
    with gzip.open(tmp_path / "t.tsv.gz", "wb") as file:
        cn.write(data, file, format="csv", on_loss="ignore")
    with gzip.open(tmp_path / "t.tsv.gz", "rb") as file:
        assert file.read().splitlines()[-1] == b"1\t1"
    assert cn.read(tmp_path / "t.tsv.gz").shape == (2, 2)


class Full(io.RawIOBase):
    def __init__(self, answer: int | None) -> None:
        self.answer = answer

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int | None:
        return self.answer


@pytest.mark.parametrize(("answer", "error"), [(None, BlockingIOError), (0, OSError)])
def test_a_file_object_that_takes_nothing(answer: int | None, error: type[OSError]) -> None:
    with pytest.raises(error):
        cn.write({"a": np.arange(3)}, Full(answer), format="arrows")


def test_an_option_of_one_frame_is_none_of_a_bundle(tmp_path: Path) -> None:
    frames = {"x": {"a": np.arange(3)}, "y": {"b": np.arange(3)}}
    with pytest.raises(cn.OptionError, match="transform"):
        cn.write_bundle(frames, tmp_path / "x.npz", compression="zstd", transform={"a": "delta"})


def test_a_silent_peer_and_a_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(TimeoutError):
            cn.read(f"tcp://127.0.0.1:{port}", format="arrows", timeout_s=0.2)


@pytest.mark.parametrize("option", [{"batch_rows": -1}, {"batch_rows": 0}, {"densify_sparse": 1}])
def test_options_of_a_frame_are_checked(option: dict[str, Any]) -> None:
    with pytest.raises(cn.OptionError, match=next(iter(option))):
        cn.Frame([{"a": 1}], **option)


def test_empty_rows_fix_no_columns(tmp_path: Path) -> None:
    with cn.open_writer(tmp_path / "rows.arrows") as writer:
        writer.write([])
        writer.write([{"a": 1}])
        writer.write([])
    assert cn.read(tmp_path / "rows.arrows").shape == (1, 1)
    with cn.open_writer(tmp_path / "none.arrows") as writer:
        writer.write([])
    assert cn.read(tmp_path / "none.arrows").shape == (0, 0)


def test_the_name_of_a_format_in_capitals(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    cn.write({"a": np.zeros(1000)}, tmp_path / "x.npz")
    paths = [str(tmp_path / name) for name in ("x.npz", "y")]
    assert main(["convert", *paths, "--to", "Parquet", "--compression", "none"]) == 0
    assert pq.ParquetFile(paths[1]).metadata.row_group(0).column(0).compression == "UNCOMPRESSED"


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0.0, -0.0)])
def test_identical_tells_values_that_python_calls_equal(one: Any, other: Any) -> None:
    pd = pytest.importorskip("pandas")

    def frame(value: Any) -> cn.Frame:
        made = pd.DataFrame({"a": [1]})
        made.attrs["x"] = value
        return cn.Frame(made)

    assert frame(one).equals(frame(other))
    assert not frame(one).identical(frame(other))
    assert frame(one).identical(frame(one))


@each("format", ["npz", "arrow", "parquet", "msgpack", "json"])
def test_a_level_of_integer_intervals_with_missing_labels(format: str) -> None:
    pd = pytest.importorskip("pandas")
    index = pd.MultiIndex(levels=[pd.interval_range(0, 2), [1]], codes=[[0, -1], [0, 0]])
    frame = pd.DataFrame({"a": [1, 2]}, index=index)
    found = cn.decode(cn.encode(frame, format, **exactly(format)), format).to_pandas()
    assert found.index.levels[0].dtype == index.levels[0].dtype
    pd.testing.assert_frame_equal(found, frame)


class Lying:
    """A file object whose method answers this."""

    def __init__(self, name: str, answer: Any) -> None:
        setattr(self, name, lambda *_: answer)

    def read(self, size: int) -> bytes:
        return b""


@pytest.mark.parametrize(
    ("method", "answer", "error", "message"),
    [
        ("read", b"x" * (1 << 21), OSError, "0 to 8 bytes when asked, found 2,097,152"),
        ("read", 3, TypeError, r"read\(\) returns bytes, found int"),
        ("read", "text", TypeError, "mode 'rb'"),
        ("read", np.eye(4)[:, 1], TypeError, r"read\(\) returns bytes, found ndarray"),
        ("readinto", -1, OSError, "0 to 8 bytes when asked, found -1"),
        ("readinto", 1 << 40, OSError, "0 to 8 bytes"),
        ("readinto", "", TypeError, "a number of bytes, found str"),
        ("readinto1", 1.5, TypeError, "a number of bytes, found float"),
    ],
)
@each("call", [cn.read, cn.open_reader, cn.inspect])
def test_a_file_object_that_lies_about_what_it_read(
    call: Any, method: str, answer: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(Lying(method, answer), format="npz")


def test_bytes_in_memory_that_read_something_else() -> None:
    class Other(io.BytesIO):
        def read(self, size: int | None = -1, /) -> Any:
            return {"a": 1}

    with pytest.raises(TypeError, match=r"read\(\) returns bytes, found dict"):
        cn.read(Other(b"a,b\n1,2\n"), format="csv")


@pytest.mark.parametrize("name", ["a\0.npz", "\ud800.npz"])
def test_a_name_that_no_file_can_have(name: str) -> None:
    with pytest.raises(cn.OptionError, match="source: expected a path that a file can have"):
        cn.read(name)
    with pytest.raises(cn.OptionError, match="target: expected a path that a file can have"):
        cn.write({"a": [1]}, Path(name))


def test_places_that_are_none() -> None:
    with pytest.raises(OSError, match="no descriptor has the number"):
        cn.read(1 << 70)
    with pytest.raises(OSError, match="no descriptor has the number"):
        cn.write({"a": [1]}, 1 << 70, format="npz")
    with pytest.raises(TypeError, match="source: expected a path"):
        cn.read(io.BytesIO)
    with pytest.raises(TypeError, match="target: expected a path"):
        cn.write({"a": [1]}, cn.BufferSink, format="npz")
    with pytest.raises(TypeError, match="source: expected a path"):
        cn.read(np.float64(1), format="parquet")


@each("value", [np.array(["zstd", "a"]), np.array("zstd"), 1.5], ids=repr)
@each(
    "option",
    ["compression", "profile", "encoding", "data_page_version", "use_dictionary", "statistics", "threads", "fsync"],
)
def test_options_that_are_arrays_and_others(option: str, value: Any) -> None:
    with pytest.raises(cn.OptionError, match=option):
        cn.encode({"a": [1]}, "parquet", **{option: value})


def test_options_that_are_compared_in_ways_of_their_own() -> None:
    pd = pytest.importorskip("pandas")
    for option in ({"compression": pd.NA}, {"filters": [("a", np.arange(2), 1)]}, {"use_statistics": np.arange(2)}):
        side = cn.encode if "compression" in option else cn.decode
        data: Any = {"a": [1]} if side is cn.encode else cn.encode({"a": [1]}, "parquet")
        with pytest.raises(cn.OptionError, match=next(iter(option))):
            side(data, "parquet", **option)
    with pytest.raises(cn.OptionError, match="layout"):
        cn.write_bundle({}, "x.zip", layout=np.array(["npz", "npy"]))  # type: ignore[arg-type]


def test_options_of_convert_have_names(tmp_path: Path) -> None:
    with pytest.raises(cn.OptionError, match="read_options: expected names of options as keys, found 1"):
        cn.convert(b"a,b\n", tmp_path / "x.npz", read_options={1: "a"})  # type: ignore[dict-item]


def test_a_file_object_is_no_data() -> None:
    with pytest.raises(TypeError, match=r"found _io.BytesIO. Use cn.read for files."):
        cn.Frame(io.BytesIO(b"a,b\n1,2\n"))


def test_a_mapping_that_changes_while_it_is_read() -> None:
    data: dict[str, Any] = {}

    def cells() -> Any:
        data["late"] = [3, 4]
        yield from (1, 2)

    data.update(a=cells(), b=[5, 6])
    assert list(cn.Frame(data).columns) == ["a", "b"]

    class Shrinking(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            raise KeyError(name)

    with pytest.raises(cn.InputError, match="a column for each label, found none for 'a'"):
        cn.Frame(Shrinking(a=[1]))


def test_a_panic_of_polars_is_an_error() -> None:
    pl = pytest.importorskip("polars")
    with pytest.raises(cn.EncodeError, match=r"polars.DataFrame refuses these columns"):
        cn.Frame({"a": pl.Series([1]), "b": [{"x": object()}]})


@each("value", ["a", -1, 1 << 200, 1.5, np.arange(2)], ids=repr)
def test_limits_are_whole_numbers(value: Any) -> None:
    with pytest.raises(cn.OptionError, match="max_depth: expected a whole number of 0 to 18446744073709551615, found"):
        cn.Limits(max_depth=value)


def test_batches_of_more_rows_than_there_can_be() -> None:
    assert cn.Frame([{"a": 1}], batch_rows=1 << 64).shape == (1, 1)


def test_a_label_without_a_hash() -> None:
    class Name(str):
        __hash__ = None  # type: ignore[assignment]

    class Apart:
        __hash__ = None  # type: ignore[assignment]

        def __ne__(self, other: object) -> Any:
            return np.array([True, False])

    for label, kind in ((Name("a"), "Name"), (np.array("a"), "ndarray"), (Apart(), "Apart")):
        with pytest.raises(TypeError, match=f"columns: expected labels, found a {kind} among them"):
            cn.Frame({"a": [1]}).select(label)


def test_no_connections() -> None:
    with pytest.raises(TypeError, match="expected connections and listeners, found NoneType"):
        cn.wait(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected connections and listeners, found ndarray"):
        cn.wait(np.array(1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="timeout_s: expected a number of seconds"):
        cn.wait([], "a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "option",
    [{"partition_types": "int"}, {"partitioning": "delta"}, {"on_schema": np.arange(2)}, {"filesystem": "s3"}],
    ids=str,
)
def test_options_of_datasets(option: dict[str, Any], tmp_path: Path) -> None:
    name = next(iter(option))
    cn.write_dataset({"a": [1, 2], "b": ["x", "y"]}, tmp_path / "set", format="npz", partition_by="b")
    with pytest.raises(cn.OptionError, match=name):
        cn.dataset(tmp_path / "set", **option)
    with pytest.raises(cn.OptionError, match=r"partition_types: 1 is no key"):
        cn.dataset(tmp_path / "set", partition_types={1: "str"})
    with pytest.raises(cn.OptionError, match="older_than_s"):
        cn.remove_leftovers(tmp_path / "set", older_than_s="a")  # type: ignore[arg-type]
    with pytest.raises(cn.EncodeError, match="partition_by: expected column labels of text, found 1"):
        cn.write_dataset({1: [1]}, tmp_path / "new", partition_by=1)
    for other in ({"mode": np.arange(2)}, {"table": np.arange(2)}):
        with pytest.raises(cn.OptionError, match=next(iter(other))):
            cn.write_dataset({"a": [1]}, tmp_path / "set", **other)  # type: ignore[arg-type]


def test_a_list_of_sources_that_claims_a_length() -> None:
    class Claiming(list[Any]):
        def __len__(self) -> int:
            return 3

    with pytest.raises(FileNotFoundError, match="one source at least"):
        cn.read(Claiming())
