"""What people try on their first day, with the habits of pandas, polars and pyarrow, and what it gives."""

import copy
import os
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import colonnade as cn

# ------------------------------------------------------------------ a frame is a mapping of its columns


@pytest.fixture
def frame() -> cn.Frame:
    return cn.Frame({"a": np.arange(4), "b": np.linspace(0, 1, 4), "c": np.array(list("wxyz"))})


def test_iterating_yields_labels(frame: cn.Frame) -> None:
    assert list(frame) == ["a", "b", "c"] == list(frame.keys())
    assert ("a" in frame, "z" in frame, 0 in frame, ["a"] in frame) == (True, False, False, False)


def test_items_are_columns(frame: cn.Frame) -> None:
    assert {label: column.to_numpy().tolist() for label, column in frame.items()}["a"] == [0, 1, 2, 3]
    assert [column.shape for column in frame.values()] == [(4, 1)] * 3


def test_a_label_that_stands_twice_comes_twice() -> None:
    twice = cn.Frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    assert [(label, column.to_numpy().tolist()) for label, column in twice.items()] == [("a", [1]), ("a", [2])]


def test_hierarchical_labels_are_tuples_and_groups_are_in() -> None:
    frame = cn.Frame(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("x", 1), ("x", 2)])))
    assert list(frame) == [("x", 1), ("x", 2)]
    assert [label in frame for label in (("x", 1), "x", ("x", 3))] == [True, True, False]


@pytest.mark.parametrize("n", [0, 1, 3, 4, 9, -1, -4, -9])
def test_tail_is_pandas_tail(frame: cn.Frame, n: int) -> None:
    assert frame.tail(n).to_pandas()["a"].tolist() == frame.to_pandas().tail(n)["a"].tolist()
    assert frame.head(n).to_pandas()["a"].tolist() == frame.to_pandas().head(n)["a"].tolist()


def test_numpy_takes_columns_and_frames(frame: cn.Frame) -> None:
    assert np.asarray(frame["a"]).tolist() == [0, 1, 2, 3]
    assert np.mean(frame["b"]) == 0.5  # type: ignore[call-overload]
    assert np.asarray(frame.select(["b", "b"])).shape == (4, 2)
    assert np.asarray(frame).dtype.names == ("a", "b", "c")
    assert np.asarray(frame["a"], dtype=float).dtype == np.float64
    with pytest.raises(ValueError, match="copy: expected None or True, since int64 becomes float64"):
        np.asarray(frame["a"], dtype=float, copy=False)
    assert np.array(frame["a"], copy=True).flags.writeable


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "to_csv",
            "'Frame' object has no attribute 'to_csv'. Use cn.write(frame, path), whose suffix says the format.",
        ),
        ("iloc", "'Frame' object has no attribute 'iloc'. Use frame.slice(start, stop)."),
        ("num_rows", "'Frame' object has no attribute 'num_rows'. Use len(frame)."),
        ("groupby", "'Frame' object has no attribute 'groupby'. A Frame is kept and sent, not calculated with: use"),
        ("a", "'Frame' object has no attribute 'a'. Use frame['a'] for the column."),
        ("to_panda", "'Frame' object has no attribute 'to_panda'; nearest: 'to_pandas'"),
        ("xyzzy", "'Frame' object has no attribute 'xyzzy'"),
        ("__dataframe__", "'Frame' object has no attribute '__dataframe__'"),
    ],
)
def test_attributes_of_other_libraries_get_an_answer(frame: cn.Frame, name: str, message: str) -> None:
    assert not hasattr(frame, name)
    with pytest.raises(AttributeError) as error:
        getattr(frame, name)
    assert str(error.value).startswith(message)


# ------------------------------------------------------------------ copies and pickles


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_frame_comes_back(frame: cn.Frame, protocol: int) -> None:
    assert pickle.loads(pickle.dumps(frame, protocol=protocol)).identical(frame)
    column = pickle.loads(pickle.dumps(frame["a"], protocol=protocol))
    assert column.to_numpy().tolist() == [0, 1, 2, 3]


def test_a_part_of_a_file_is_pickled_with_its_data(tmp_path: Path) -> None:
    cn.write({"a": np.arange(10_000), "b": np.ones(10_000)}, tmp_path / "x.parquet")
    part = cn.read(tmp_path / "x.parquet", columns=["a"], rows=slice(2, 4))
    data = pickle.dumps(part)
    (tmp_path / "x.parquet").unlink()
    assert len(data) < 5_000
    assert pickle.loads(data)["a"].to_numpy().tolist() == [2, 3]


def test_buffers_out_of_band_are_not_copied() -> None:
    frame = cn.Frame({"a": np.arange(100_000)})
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(frame, protocol=5, buffer_callback=buffers.append)
    assert (len(head) < 200, len(buffers)) == (True, 1)
    back = pickle.loads(head, buffers=buffers)
    held = np.frombuffer(buffers[0], np.uint8)
    assert np.shares_memory(back["a"].to_numpy(), held)


def test_a_pickle_that_was_cut_is_a_decode_error(frame: cn.Frame) -> None:
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(frame, protocol=5, buffer_callback=buffers.append)
    with pytest.raises(cn.DecodeError):
        pickle.loads(head, buffers=[bytes(buffers[0])[:-40]]).to_pandas()


def test_copies(frame: cn.Frame) -> None:
    values = np.arange(3)
    shown, own = cn.Frame({"a": values}), copy.deepcopy(cn.Frame({"a": values}))
    values[0] = 7
    assert (shown["a"].to_numpy()[0], own["a"].to_numpy()[0]) == (7, 0)
    assert copy.copy(frame) is frame


# ------------------------------------------------------------------ what a frame is made of


def test_mappings_of_lists_values_and_arrays() -> None:
    frame = cn.Frame({"n": [1, 2, None], "t": ("x", None, "z"), "r": range(3), "one": 0.5, "f": np.ones(3)})
    back = frame.to_arrow().to_pydict()
    assert back == {"n": [1, 2, None], "t": ["x", None, "z"], "r": [0, 1, 2], "one": [0.5] * 3, "f": [1.0] * 3}
    assert cn.Frame({"a": 1, "b": "x"}).shape == (1, 2)


@pytest.mark.parametrize("data", [pd.Series([1, 2], name="x"), pl.Series("x", [1, 2])])
def test_a_series_is_a_frame_of_one_column(data: Any) -> None:
    assert list(cn.Frame(data)) == ["x"]


def test_mappings_of_series_become_what_their_library_makes() -> None:
    one, two = pd.Series([1, 2], index=["p", "q"]), pd.Series([3, 4], index=["q", "p"])
    assert cn.Frame({"a": one, "b": two}).to_pandas().equals(pd.DataFrame({"a": one, "b": two}))
    assert cn.Frame({"a": pl.Series([1]), "b": ["x"]}).to_polars().equals(pl.DataFrame({"a": [1], "b": ["x"]}))
    assert cn.Frame({"a": pa.array([1])}).to_arrow().column("a").to_pylist() == [1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": [1, 2], "b": [1]}, "data: column 'b': expected 2 rows, as column 'a' has, found 1. Make them equal."),
        ({"a": [1, object()]}, "data: column 'a', row 1: expected int64, found object"),
        ({"a": pd.Series([1]), "b": pl.Series([1])}, "expected columns of one library, found 'a' of pandas and 'b' of"),
        ({"a": pa.array([1]), "b": pa.array([1, 2])}, "data: pyarrow.table refuses these columns: "),
    ],
)
def test_mappings_that_are_no_frame(data: Any, message: str) -> None:
    with pytest.raises((cn.InputError, cn.EncodeError), match=re.escape(message)):
        cn.Frame(data)


# ------------------------------------------------------------------ words of other libraries

FOREIGN = [
    ("read", "x.csv", "delimiter", "csv: unknown option 'delimiter'; here it is sep."),
    ("read", "x.csv", "delimeter", "csv: unknown option 'delimeter'; here it is sep."),  # a typo in a foreign word
    ("read", "x.csv", "separator", "csv: unknown option 'separator'; here it is sep."),
    ("read", "x.csv", "usecols", "csv: unknown option 'usecols'; here it is columns."),
    ("read", "x.csv", "skip_rows", "csv: unknown option 'skip_rows'; here it is skiprows."),
    ("read", "x.csv", "try_parse_dates", "csv: unknown option 'try_parse_dates'; here it is parse_dates."),
    ("read", "x.csv", "nrows", "csv: unknown option 'nrows'; here it is rows: slice(0, n)."),
    ("read", "x.csv", "chunksize", "csv: unknown option 'chunksize'; here it is cn.open_reader, which yields frames."),
    ("read", "x.parquet", "n_rows", "parquet: unknown option 'n_rows'; here it is rows: slice(0, n)."),
    ("read", "x.parquet", "use_threads", "parquet: unknown option 'use_threads'; here it is threads."),
    ("read", "x.parquet", "sep", "parquet: unknown option 'sep'"),  # a word of CSV alone
    ("read", "x.arrow", "memory_map", "arrow: unknown option 'memory_map'; here it is mmap."),
    ("read", "x.npz", "allow_pickle", "npz: unknown option 'allow_pickle'; there is none here: nothing is ever unpick"),
    ("read", "x.bin", "memory_map", "unknown option 'memory_map'; here it is mmap."),
    ("write", "x.csv", "delimiter", "csv: unknown option 'delimiter'; here it is sep."),
    ("write", "x.csv", "mode", "csv: unknown option 'mode'; there is none here: a file is replaced as a whole;"),
    ("write", "x.parquet", "level", "parquet: unknown option 'level'; here it is compression_level."),
    ("write", "x.npz", "filter", "npz: unknown option 'filter'; here it is transform."),
    ("write", "x.parquet", "index", "parquet: unknown option 'index'; there is none here: row labels are kept;"),
    ("write", "x.ndjson", "lines", "ndjson: unknown option 'lines'; here it is format='ndjson'."),
]


@pytest.mark.parametrize(("side", "name", "word", "message"), FOREIGN)
def test_foreign_words_get_ours(tmp_path: Path, side: str, name: str, word: str, message: str) -> None:
    options: dict[str, Any] = {word: 1}
    with pytest.raises(cn.OptionError) as error:
        cn.read(tmp_path / name, **options) if side == "read" else cn.write({"a": [1]}, tmp_path / name, **options)
    assert str(error.value).startswith(message)


def test_options_objects_are_taken(tmp_path: Path) -> None:
    options = cn.CsvOptions(sep=";")
    cn.write({"a": np.arange(2), "b": np.ones(2)}, tmp_path / "x.csv", options=options)
    assert (tmp_path / "x.csv").read_text().startswith("a;b\n")
    assert cn.read(tmp_path / "x.csv", options=options).shape == (2, 2)
    assert cn.read(tmp_path / "x.csv", options=options, sep=",").shape == (2, 1)  # a keyword is nearer
    assert cn.encode({"a": np.arange(2)}, "csv", options=options) == b"a\n0\n1\n"
    for wrong, message in (
        ({"sep": ";"}, "options: expected an options object such as cn.CsvOptions(...), or None, found dict."),
        (cn.ParquetOptions(), "options: expected those of csv, found ParquetOptions."),
    ):
        with pytest.raises(cn.OptionError, match=re.escape(message)):
            cn.read(tmp_path / "x.csv", format="csv", options=wrong)


# ------------------------------------------------------------------ paths


def test_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    cn.write({"a": np.arange(2)}, "~/x.npz")
    assert (tmp_path / "x.npz").exists()
    assert cn.read("~/x.npz").shape == cn.read("~/x.np?").shape == (2, 1)


@pytest.mark.parametrize("name", ["x.npz", "x.npy", "x.parquet", "x.arrow", "x.csv"])
def test_a_missing_folder_is_named_or_made(tmp_path: Path, name: str) -> None:
    target = tmp_path / "no" / "such" / name
    with pytest.raises(FileNotFoundError) as error:
        cn.write({"a": np.arange(2)}, target)
    assert error.value.filename == str(target.parent)
    assert error.value.strerror == "No such folder (mkdir would make it)"
    assert not (tmp_path / "no").exists()
    cn.write({"a": np.arange(2)}, target, mkdir=True)
    assert cn.read(target).shape == (2, 1)


def test_a_writer_makes_a_missing_folder(tmp_path: Path) -> None:
    with cn.open_writer(tmp_path / "new" / "x.arrows", mkdir=True) as writer:
        writer.write({"a": np.arange(2)})
    assert os.listdir(tmp_path / "new") == ["x.arrows"]


# ------------------------------------------------------------------ several files


@pytest.mark.parametrize("suffix", ["npz", "parquet", "arrow", "csv", "ndjson", "msgpack"])
def test_a_list_and_a_pattern_are_one_frame(tmp_path: Path, suffix: str) -> None:
    options = {"on_loss": "ignore"} if suffix == "csv" else {}
    for k in range(3):
        cn.write({"a": np.arange(2) + 2 * k, "t": np.array(["x", "yy"])}, tmp_path / f"{k}.{suffix}", **options)
    whole = cn.read(tmp_path / f"*.{suffix}")
    assert whole["a"].to_numpy().tolist() == [0, 1, 2, 3, 4, 5]
    assert list(whole.index) == [0, 1, 2, 3, 4, 5]
    assert cn.read([tmp_path / f"{k}.{suffix}" for k in (2, 0)])["a"].to_numpy().tolist() == [4, 5, 0, 1]
    part = cn.read(tmp_path / f"*.{suffix}", columns=["a"], rows=slice(1, 4))
    assert part.to_pandas()["a"].tolist() == [1, 2, 3]
    assert cn.read_pandas(tmp_path / f"*.{suffix}", rows=slice(0, 1))["a"].tolist() == [0]


def test_row_labels_are_joined(tmp_path: Path) -> None:
    for k in range(2):
        cn.write(pd.DataFrame({"a": [k]}, index=pd.Index([f"row {k}"], name="id")), tmp_path / f"{k}.npz")
    assert cn.read(tmp_path / "*.npz").to_pandas().index.tolist() == ["row 0", "row 1"]


def test_files_of_different_schemas_are_named(tmp_path: Path) -> None:
    cn.write({"a": np.arange(2)}, tmp_path / "0.npz")
    cn.write({"a": np.ones(2)}, tmp_path / "1.npz")
    cn.write({"b": np.ones(2)}, tmp_path / "2.npz")
    with pytest.raises(cn.DecodeError, match=r"1\.npz': expected column 'a' as in '.*0\.npz', int64, found float64"):
        cn.read([tmp_path / "0.npz", tmp_path / "1.npz"])
    with pytest.raises(cn.DecodeError, match=r"2\.npz': expected the columns as in '.*0\.npz', \['a'\], found no 'a'"):
        cn.read([tmp_path / "0.npz", tmp_path / "2.npz"])


def test_a_pattern_that_matches_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No file matches the pattern"):
        cn.read(tmp_path / "*.npz")
    with pytest.raises(FileNotFoundError, match="expected one source at least"):
        cn.read([])


def test_a_file_with_the_letters_of_a_pattern_is_itself(tmp_path: Path) -> None:
    cn.write({"a": np.arange(2)}, tmp_path / "a[1].npz")
    cn.write({"a": np.arange(3)}, tmp_path / "a1.npz")
    assert cn.read(tmp_path / "a[1].npz").shape == (2, 1)


def test_another_file_system_says_what_to_do() -> None:
    with pytest.raises(cn.UnsupportedError) as error:
        cn.read("hf://bucket/trips.parquet")
    assert str(error.value) == (
        "'hf://bucket/trips.parquet': hf:// is not built into this version. Open its file system with fsspec, and pass "
        "it as filesystem=."
    )
