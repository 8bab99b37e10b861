"""Azure Blob Storage, and reading from Google Cloud Storage, by their servers for tests."""

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from colonnade._dataset.places import place_of
from colonnade._io.stores import Access
from tests.helpers.store_servers import Bucket, azurite, fake_gcs

FRAME = pd.DataFrame({"x": np.arange(1000.0), "name": [f"row {i}" for i in range(1000)]})
WIDE = {f"c{i}": np.random.default_rng(i).random(400_000) for i in range(8)}


@pytest.fixture(scope="module")
def azure() -> Iterator[Bucket]:
    with azurite() as found:
        yield found


def test_a_frame_comes_back_from_azure(azure: Bucket) -> None:
    url, options = azure
    for suffix in ("npz", "parquet", "arrows"):
        cn.write(FRAME, f"{url}/dir/f.{suffix}", storage_options=options)
        pd.testing.assert_frame_equal(cn.read_pandas(f"{url}/dir/f.{suffix}", storage_options=options), FRAME)


def test_an_object_of_several_blocks_comes_back_from_azure(azure: Bucket) -> None:
    url, options = azure
    cn.write(WIDE, f"{url}/large.npz", storage_options=options)
    found = cn.read(f"{url}/large.npz", columns=["c5"], storage_options=options)
    np.testing.assert_array_equal(found["c5"].to_numpy(), WIDE["c5"])


def test_a_wrong_key_is_refused_by_azure(azure: Bucket) -> None:
    url, options = azure
    cn.write(FRAME, f"{url}/f.npz", storage_options=options)
    with pytest.raises(PermissionError) as caught:
        cn.read(f"{url}/f.npz", storage_options={**options, "account_key": base64.b64encode(b"wrong").decode()})
    assert caught.value.filename == f"{url}/f.npz"
    assert options["account_key"] not in str(caught.value)
    assert options["account_key"] not in repr(cn.NpzOptions(storage_options=options))


def test_a_dataset_in_azure_is_appended_to_and_overwritten(azure: Bucket) -> None:
    url, options = azure
    for i in range(3):
        cn.write_dataset({"a": [i]}, f"{url}/d", mode="append", storage_options=options)
    assert cn.dataset(f"{url}/d", storage_options=options).read().to_numpy()["a"].tolist() == [0, 1, 2]
    cn.write_dataset({"a": [7]}, f"{url}/d", mode="overwrite", storage_options=options)
    assert cn.dataset(f"{url}/d", storage_options=options).count_rows() == 1


def test_one_of_several_writers_makes_a_manifest_in_azure(azure: Bucket) -> None:
    url, options = azure
    place = place_of(f"{url}/races", Access(options))
    with ThreadPoolExecutor(4) as pool:
        for i in range(25):
            won = list(pool.map(lambda j, i=i: place.create(f"{i}", f"{i}, writer {j}".encode()), range(4)))
            assert sum(won) == 1
            assert place.get(f"{i}") == f"{i}, writer {won.index(True)}".encode()


def test_files_and_datasets_are_read_from_google() -> None:
    objects = {f"dir/f.{suffix}": bytes(cn.encode(FRAME, suffix)) for suffix in ("npz", "parquet", "arrows")}
    objects |= {f"d/year={year}/p.parquet": bytes(cn.encode({"a": [year]}, "parquet")) for year in (2023, 2024)}
    objects["wide.npz"] = bytes(cn.encode(WIDE, "npz"))
    with fake_gcs(objects) as (url, options):
        for suffix in ("npz", "parquet", "arrows"):
            pd.testing.assert_frame_equal(cn.read_pandas(f"{url}/dir/f.{suffix}", storage_options=options), FRAME)
        found = cn.read(f"{url}/wide.npz", columns=["c5"], storage_options=options)
        np.testing.assert_array_equal(found["c5"].to_numpy(), WIDE["c5"])
        years = cn.dataset(f"{url}/d", storage_options=options).filter("year == 2024").read()
        assert years["a"].to_numpy().tolist() == [2024]
        with pytest.raises(FileNotFoundError) as caught:
            cn.read(f"{url}/none.npz", storage_options=options)
        assert caught.value.filename == f"{url}/none.npz"
