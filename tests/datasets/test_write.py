"""Datasets that we write: parts, keys, modes, and what is visible when."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as pads
import pytest

import colonnade as cn
from tests.helpers.each import each

FRAME = pd.DataFrame(
    {"x": np.arange(10.0), "k": list("aabba") * 2},
    index=pd.MultiIndex.from_product([["p", "q"], range(5)], names=["a", "b"]),
)
FRAME.attrs = {"unit": "km"}


def parts_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.glob("**/*.*") if "_colonnade" not in str(path))


def manifests_of(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "_colonnade").iterdir())


@each("format", ["npz", "arrow", "arrows", "parquet", "msgpack", "csv", "ndjson", "json", "yaml"])
def test_labels_come_back(tmp_path: Path, format: str) -> None:
    schema = {"schema": "header"} if format in ("csv", "ndjson", "json", "yaml") else {}
    cn.write_dataset(FRAME, tmp_path / "d", format=format, rows_per_part=4, **schema)
    found = cn.dataset(tmp_path / "d")
    assert [part.nrows for part in found.parts] == [4, 4, 2]
    back = found.to_pandas()
    pd.testing.assert_frame_equal(back, FRAME)
    assert back.attrs == {"unit": "km"}


def test_other_programs_read_the_parts(tmp_path: Path) -> None:
    cn.write_dataset(FRAME, tmp_path / "d", partition_by="k")
    table = pads.dataset(tmp_path / "d", partitioning="hive").to_table()
    assert sorted(table["x"].to_pylist()) == FRAME["x"].tolist()
    assert set(table["k"].to_pylist()) == {"a", "b"}


@each(
    ("values", "folders"),
    [
        (np.array(["a", "b c", "ä/=%"]), ["k=a", "k=b%20c", "k=ä%2F%3D%25"]),
        (np.array([-3, 5, 12], np.int16), ["k=-3", "k=12", "k=5"]),
        (np.array([True, False, True]), ["k=false", "k=true"]),
        (pd.array([date(2024, 1, 31), date(2024, 2, 1), None], pd.ArrowDtype(pa.date32())),
         ["k=2024-01-31", "k=2024-02-01", "k=__HIVE_DEFAULT_PARTITION__"]),
        (pd.array([1, None, 3], "Int32"), ["k=1", "k=3", "k=__HIVE_DEFAULT_PARTITION__"]),
        (pd.Categorical(["u", None, "u"]), ["k=__HIVE_DEFAULT_PARTITION__", "k=u"]),
        (np.array(["2024-01-31T12:30", "2024-01-31T12:31:05.25", "NaT"], "M8[us]"),
         ["k=2024-01-31%2012%3A30%3A00.000000", "k=2024-01-31%2012%3A31%3A05.250000", "k=__HIVE_DEFAULT_PARTITION__"]),
        (np.array(["1", "007", "true"]), ["k=007", "k=1", "k=true"]),
    ],
)  # fmt: skip
def test_values_of_keys_come_back(tmp_path: Path, values: object, folders: list[str]) -> None:
    frame = pd.DataFrame({"k": values, "n": range(3)})
    cn.write_dataset(frame, tmp_path / "d", partition_by="k")
    assert sorted({Path(name).parts[0] for name in parts_of(tmp_path / "d")}) == sorted(folders)
    back = cn.dataset(tmp_path / "d").to_arrow().sort_by("n")
    assert back["n"].to_pylist() == [0, 1, 2]
    expected = [None if pd.isna(value) else value for value in frame["k"].tolist()]
    assert [None if value is None else str(value) for value in back["k"].to_pylist()] == [
        None if value is None else str(value) for value in expected
    ]


@each(
    ("frame", "keys", "error", "message"),
    [
        ({"k": [1.5], "n": [1]}, "k", cn.EncodeError, "column 'k': expected text, whole numbers.*found double. Cut it"),
        ({"k": [""], "n": [1]}, "k", cn.EncodeError, "column 'k': expected text that can name a folder, found ''"),
        ({"k": [1]}, "k", cn.EncodeError, "expected a column that is no key, found only keys"),
        ({"k": [1], "n": [1]}, "m", cn.ColumnNotFound, "partition_by: column 'm' is not there"),
        ({"k": ["__HIVE_DEFAULT_PARTITION__"], "n": [1]}, "k", cn.EncodeError, "found '__HIVE_DEFAULT_PARTITION__'"),
    ],
)
def test_keys_that_cannot_be(tmp_path: Path, frame: dict, keys: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        cn.write_dataset(frame, tmp_path / "d", partition_by=keys)
    assert not parts_of(tmp_path)


def test_a_frame_without_rows_keeps_its_columns(tmp_path: Path) -> None:
    cn.write_dataset(FRAME.reset_index().iloc[:0], tmp_path / "d", partition_by="k")
    found = cn.dataset(tmp_path / "d")
    assert found.count_rows() == 0
    assert list(found.to_pandas().columns) == ["a", "b", "x", "k"]
    cn.write_dataset(FRAME.reset_index(), tmp_path / "d", partition_by="k", mode="append")
    assert cn.dataset(tmp_path / "d").count_rows() == 10


def test_an_iterator_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    waiting: list[int] = []

    def frames() -> Iterator[cn.Frame]:
        for i in range(6):
            waiting.append(len(parts_of(tmp_path / "d")))
            yield cn.Frame({"n": np.arange(i * 100, i * 100 + 100)})

    cn.write_dataset(frames(), tmp_path / "d", rows_per_part=200)
    assert waiting == [0, 0, 1, 1, 2, 2] or waiting == [0, 0, 0, 1, 1, 2]
    assert cn.dataset(tmp_path / "d").read()["n"].to_numpy().tolist() == list(range(600))


def test_modes(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    cn.write_dataset({"n": [1]}, folder)
    with pytest.raises(FileExistsError, match='Pass mode="append" or mode="overwrite"'):
        cn.write_dataset({"n": [2]}, folder)
    cn.write_dataset({"n": [2]}, folder, mode="append")
    assert sorted(cn.dataset(folder).read()["n"].to_numpy().tolist()) == [1, 2]
    cn.write_dataset({"n": [3]}, folder, mode="overwrite")
    assert cn.dataset(folder).read()["n"].to_numpy().tolist() == [3]
    assert manifests_of(folder) == [f"0000000{i}.json" for i in (1, 2, 3, 4)]


def test_files_that_were_there_are_kept_by_an_append(tmp_path: Path) -> None:
    cn.write({"n": [1]}, tmp_path / "theirs.parquet")
    with pytest.raises(FileExistsError):
        cn.write_dataset({"n": [2]}, tmp_path)
    cn.write_dataset({"n": [2]}, tmp_path, mode="append")
    assert sorted(cn.dataset(tmp_path).read()["n"].to_numpy().tolist()) == [1, 2]


@each(
    ("frame", "options", "message"),
    [
        ({"n": [1.5], "k": ["a"]}, {"partition_by": "k"},
         "expected column 'n' of the parts that are there, int64, found double"),
        ({"m": [1], "k": ["a"]}, {"partition_by": "k"}, "expected the columns of the parts that are there"),
        ({"n": [1], "k": ["a"]}, {}, "expected partition_by of the parts that are there, {'k': 'str'}, found {}"),
        ({"n": [1], "k": [7]}, {"partition_by": "k"}, "expected partition_by of the parts"),
        ({"n": [1], "k": ["a"]}, {"partition_by": "k", "format": "npz"},
         "expected format='parquet', as the parts have, found 'npz'"),
    ],
)  # fmt: skip
def test_appends_that_do_not_fit(tmp_path: Path, frame: dict, options: dict, message: str) -> None:
    folder = tmp_path / "d"
    cn.write_dataset({"n": [1], "k": ["a"]}, folder, partition_by="k")
    before = parts_of(folder)
    with pytest.raises(cn.EncodeError, match=message):
        cn.write_dataset(frame, folder, mode="append", **options)
    assert parts_of(folder) == before
    assert cn.dataset(folder).count_rows() == 1


def test_frames_of_two_schemas_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(cn.EncodeError, match="expected column 'n' as in the first frame, int64, found"):
        cn.write_dataset(
            iter([cn.Frame({"n": np.arange(5)}), cn.Frame({"n": np.arange(5.0)})]), tmp_path / "d", rows_per_part=2
        )
    assert not parts_of(tmp_path)


def test_an_error_of_the_data_leaves_nothing(tmp_path: Path) -> None:
    def frames() -> Iterator[cn.Frame]:
        yield cn.Frame({"n": np.arange(5)})
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cn.write_dataset(frames(), tmp_path / "d", rows_per_part=2)
    assert not parts_of(tmp_path)
    with pytest.raises(FileNotFoundError):
        cn.dataset(tmp_path / "d")


def test_an_overwrite_that_comes_second_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    cn.write_dataset({"n": [1]}, folder)

    def frames() -> Iterator[cn.Frame]:
        cn.write_dataset({"n": [2]}, folder, mode="append")
        yield cn.Frame({"n": [3]})

    with pytest.raises(cn.ConflictError, match="expected version 2 of the dataset, found version 3"):
        cn.write_dataset(frames(), folder, mode="overwrite")
    assert sorted(cn.dataset(folder).read()["n"].to_numpy().tolist()) == [1, 2]
    assert len(parts_of(folder)) == 2


def test_an_append_that_comes_second_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    cn.write_dataset({"n": [1]}, folder)

    def frames() -> Iterator[cn.Frame]:
        cn.write_dataset({"n": [2]}, folder, mode="append")
        yield cn.Frame({"n": [3]})

    cn.write_dataset(frames(), folder, mode="append")
    assert sorted(cn.dataset(folder).read()["n"].to_numpy().tolist()) == [1, 2, 3]


def test_an_overwrite_by_what_was_read_before_an_append_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    cn.write_dataset({"n": [1]}, folder)
    before = cn.dataset(folder)
    cn.write_dataset({"n": [2]}, folder, mode="append")
    with pytest.raises(cn.ConflictError, match="expected version 2 of the dataset, found version 3"):
        cn.write_dataset(before, folder, mode="overwrite")
    assert cn.dataset(folder).count_rows() == 2


def test_a_folder_of_a_key_has_the_current_parts_alone(tmp_path: Path) -> None:
    for n in (1, 2):
        cn.write_dataset({"n": [n, n], "k": ["a", "b"]}, tmp_path / "d", partition_by="k", mode="overwrite")
    for source in (tmp_path / "d" / "k=a", f"{tmp_path}/d/k=a/*.parquet", f"{tmp_path}/*/*/*.parquet"):
        assert set(cn.dataset(source).read()["n"].to_numpy().tolist()) == {2}


def test_a_refused_write_leaves_a_foreign_folder_alone(tmp_path: Path) -> None:
    cn.write({"n": [1]}, tmp_path / "theirs.parquet")
    with pytest.raises(FileExistsError):
        cn.write_dataset({"n": [2]}, tmp_path)
    with pytest.raises(cn.EncodeError):
        cn.write_dataset({"n": [2.5]}, tmp_path, mode="append")
    assert not (tmp_path / "_colonnade").exists()


def test_categories_as_keys_are_appended(tmp_path: Path) -> None:
    frame = pd.DataFrame({"k": pd.Categorical(["a", "b"]), "n": [1, 2]})
    for _ in range(2):
        cn.write_dataset(frame, tmp_path / "d", partition_by="k", mode="append")
    assert cn.dataset(tmp_path / "d").count_rows() == 4


def test_a_commit_whose_end_is_not_known_keeps_its_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from colonnade._dataset.places import Folder

    create = Folder.create

    def interrupted(self: Folder, name: str, data: bytes) -> bool:
        made = create(self, name, data)
        if name.endswith("00000002.json"):
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(Folder, "create", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cn.write_dataset({"n": [1]}, tmp_path / "d")
    assert cn.dataset(tmp_path / "d").count_rows() == 1


def test_compaction(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    for i in range(5):
        cn.write_dataset({"n": [i], "k": ["a" if i % 2 else "b"]}, folder, partition_by="k", mode="append")
    cn.write_dataset(cn.dataset(folder), folder, partition_by="k", mode="overwrite")
    assert len(cn.dataset(folder).parts) == 2
    assert sorted(cn.dataset(folder).read()["n"].to_numpy().tolist()) == [0, 1, 2, 3, 4]


# ---------------------------------------------------------------------------- manifests


def damaged(folder: Path, change: dict[str, object]) -> None:
    path = folder / "_colonnade" / "00000002.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))


@each(
    ("change", "error", "message"),
    [
        ({"colonnade_dataset": 2}, cn.UnsupportedError, "expected a manifest of version 1, found 2. A later version"),
        ({"parts": 7}, cn.DecodeError, "expected the manifest of a dataset, found TypeError"),
        (
            {"parts": [{"name": "../x.npz", "nbytes": 1, "nrows": 1, "keys": {}}]},
            cn.DecodeError,
            r"found '\.\./x\.npz'",
        ),
        (
            {"parts": [{"name": "/etc/x.npz", "nbytes": 1, "nrows": 1, "keys": {}}]},
            cn.DecodeError,
            "found '/etc/x.npz'",
        ),
        ({"parts": [{"nbytes": 1, "nrows": 1, "keys": {}}]}, cn.DecodeError, "found KeyError: 'name'"),
    ],
)
def test_damaged_manifests(tmp_path: Path, change: dict, error: type[Exception], message: str) -> None:
    cn.write_dataset({"n": [1]}, tmp_path)
    damaged(tmp_path, change)
    with pytest.raises(error, match=message):
        cn.dataset(tmp_path)


def test_a_cut_manifest(tmp_path: Path) -> None:
    cn.write_dataset({"n": [1]}, tmp_path)
    path = tmp_path / "_colonnade" / "00000002.json"
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(cn.DecodeError, match="It is cut or damaged; remove it to read the version before it"):
        cn.dataset(tmp_path)


def test_leftovers(tmp_path: Path) -> None:
    import os
    import time

    cn.write_dataset({"n": [1]}, tmp_path)
    cn.write_dataset({"n": [2]}, tmp_path, mode="overwrite")
    (tmp_path / f"part-{'0' * 32}-00000.parquet").write_bytes(b"of a killed writer")
    (tmp_path / "README.md").write_text("theirs")
    assert cn.remove_leftovers(tmp_path).names == ()
    old = time.time() - 30 * 86_400
    for path in tmp_path.glob("**/*.*"):
        os.utime(path, (old, old))
    found = cn.remove_leftovers(tmp_path, dry_run=True)
    assert len(found.names) == 4
    assert cn.remove_leftovers(tmp_path) == found
    assert manifests_of(tmp_path) == ["00000003.json"]
    assert (tmp_path / "README.md").exists()
    assert cn.dataset(tmp_path).read()["n"].to_numpy().tolist() == [2]


STOPPED = """
def stop(done, total):
    say("writing")
    time.sleep(600)

data = {"n": np.arange(1000), "m": np.arange(1000)}
cn.write_dataset(data, sys.argv[1], mode="append", partition_by="n", progress=stop)
"""


def test_temporary_files_of_killed_writers_are_leftovers(tmp_path: Path) -> None:
    import os

    from tests.helpers.children import child

    cn.write_dataset({"n": [1], "m": [1]}, tmp_path, partition_by="n")
    with child(STOPPED, tmp_path) as made:
        assert made.line() == "writing"
    (left,) = tmp_path.rglob(".part-*")
    assert cn.remove_leftovers(tmp_path).names == ()
    os.utime(left, (0, 0))
    assert cn.remove_leftovers(tmp_path).names == (str(left.relative_to(tmp_path)),)
    assert not left.exists()


def test_a_version_that_readers_may_have_stays(tmp_path: Path) -> None:
    import os
    import time

    cn.write_dataset({"n": [1]}, tmp_path)
    old = time.time() - 30 * 86_400
    for path in tmp_path.glob("**/*.*"):
        os.utime(path, (old, old))
    before = cn.dataset(tmp_path)
    cn.write_dataset({"n": [2]}, tmp_path, mode="overwrite")
    assert cn.remove_leftovers(tmp_path).names == ("_colonnade/00000001.json",)
    assert before.read()["n"].to_numpy().tolist() == [1]


def test_wrong_options_of_leftovers(tmp_path: Path) -> None:
    with pytest.raises(cn.OptionError, match="older_than_s: expected 7,200 seconds at least, found 0"):
        cn.remove_leftovers(tmp_path, older_than_s=0)
    with pytest.raises(cn.OptionError, match="dryrun: expected storage_options or filesystem"):
        cn.remove_leftovers(tmp_path, dryrun=True)
