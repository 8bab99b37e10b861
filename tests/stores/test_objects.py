"""Objects of stores as sources and targets: S3 by URL, an obstore store, an fsspec file system."""

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from tests.helpers.each import each

FRAME = pd.DataFrame(
    {"x": np.arange(1000.0), "name": [f"row {i}" for i in range(1000)]},
    index=pd.MultiIndex.from_product([range(10), range(100)], names=["a", "b"]),
)
NAMES = ["f.npz", "f.arrow", "f.arrows", "f.parquet", "f.msgpack", "f.csv.gz", "f.json", "f.ndjson", "f.yaml"]


def schema_of(name):
    return {"schema": "header"} if name.split(".")[1] in ("csv", "json", "ndjson", "yaml") else {}


@each("name", NAMES)
def test_a_frame_comes_back_from_s3(s3, name):
    url, options = s3
    cn.write(FRAME, f"{url}/dir/{name}", storage_options=options, **schema_of(name))
    pd.testing.assert_frame_equal(cn.read_pandas(f"{url}/dir/{name}", storage_options=options), FRAME)


@each("name", ["f.npz", "f.parquet", "f.csv"])
@each("kind", ["obstore", "fsspec"])
def test_a_given_store_is_used(kind, name):
    if kind == "obstore":
        from obstore.store import MemoryStore

        filesystem = MemoryStore()
    else:
        filesystem = pytest.importorskip("fsspec").filesystem("memory")
    cn.write(FRAME, f"dir/{name}", filesystem=filesystem, **schema_of(name))
    pd.testing.assert_frame_equal(cn.read_pandas(f"dir/{name}", filesystem=filesystem), FRAME)


def test_only_the_needed_ranges_are_fetched(s3):
    url, options = s3
    data = {f"c{i}": np.random.default_rng(i).random(50_000) for i in range(40)}
    cn.write(data, f"{url}/wide.npz", storage_options=options)
    frame = cn.read(f"{url}/wide.npz", columns=["c3"], storage_options=options)
    np.testing.assert_array_equal(frame["c3"].to_numpy(), data["c3"])


def test_chunks_are_written_and_read(s3):
    url, options = s3
    with cn.open_writer(f"{url}/t.arrows", storage_options=options) as writer:
        for start in range(0, 300, 100):
            writer.write({"n": np.arange(start, start + 100)})
    with cn.open_reader(f"{url}/t.arrows", storage_options=options) as reader:
        assert sum(len(frame) for frame in reader) == 300


def test_a_failed_write_leaves_the_old_object(s3):
    url, options = s3
    cn.write({"x": np.arange(3)}, f"{url}/x.arrows", storage_options=options)
    with pytest.raises(ZeroDivisionError), cn.open_writer(f"{url}/x.arrows", storage_options=options) as writer:
        writer.write({"x": np.random.default_rng(0).random(4_000_000)})
        raise ZeroDivisionError
    assert len(cn.read(f"{url}/x.arrows", storage_options=options)) == 3


def test_file_urls_are_paths(tmp_path):
    cn.write({"x": [1]}, f"file://{tmp_path}/a%20b.npz")
    assert (tmp_path / "a b.npz").exists()
    assert cn.read(f"file://{tmp_path}/a%20b.npz").shape == (1, 1)


@each(
    ("options", "message"),
    [
        ({"acess_key_id": "x"}, "storage_options: expected options of s3 stores"),
        (7, "storage_options: expected a mapping or None, found int"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(cn.OptionError, match=message):
        cn.read("s3://bucket/x.npz", storage_options=options)


def test_a_missing_object_is_named(s3):
    url, options = s3
    with pytest.raises(FileNotFoundError, match="No such object") as error:
        cn.read(f"{url}/missing.npz", storage_options=options)
    assert error.value.filename == f"{url}/missing.npz"
    assert "very-secret" not in str(error.value)


def test_a_key_with_dots_is_refused():
    with pytest.raises(cn.OptionError, match=r"without '\.' and '\.\.'"):
        cn.read("s3://bucket/../x.npz")


def test_an_object_that_is_replaced_while_it_is_read(s3):
    url, options = s3
    data = {f"c{i}": np.random.default_rng(i).random(100_000) for i in range(4)}
    cn.write(data, f"{url}/r.npz", storage_options=options)
    frame = cn.read(f"{url}/r.npz", storage_options=options)
    cn.write({**data, "c4": data["c0"]}, f"{url}/r.npz", storage_options=options)
    with pytest.raises(cn.DecodeError, match="one version of the object"):
        frame["c3"].to_numpy()
