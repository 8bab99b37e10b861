"""The hierarchy: every error is ours, and also the builtin that fits."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade import errors
from tests.helpers.each import each


@each(
    ("error", "builtins"),
    [
        (cn.DecodeError, (ValueError,)),
        (cn.TruncatedError, (cn.DecodeError, ValueError, EOFError)),
        (cn.LimitError, (ValueError,)),
        (cn.UnsupportedError, (NotImplementedError,)),
        (cn.EncodeError, (TypeError,)),
        (cn.OptionError, (ValueError,)),
        (cn.ColumnNotFound, (KeyError, LookupError)),
        (cn.InternalError, (RuntimeError,)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_hierarchy(error: type[Exception], builtins: tuple[type[Exception], ...]) -> None:
    assert issubclass(error, (cn.ColonnadeError, Exception))
    for builtin in builtins:
        assert issubclass(error, builtin)
        with pytest.raises(builtin):
            raise error("why")
    assert str(error("a 'quoted' word")) == "a 'quoted' word"


def test_the_module_lists_them_all() -> None:
    assert set(errors.__all__) == {
        name
        for name in cn.__all__
        if isinstance(getattr(cn, name), type) and issubclass(getattr(cn, name), BaseException)
    }
    for name in errors.__all__:
        assert getattr(errors, name) is getattr(cn, name)


def test_errors_cross_process_boundaries() -> None:
    """multiprocessing and Dask send exceptions as pickles: ours must survive that."""
    for name in errors.__all__:
        error = pickle.loads(pickle.dumps(getattr(cn, name)("why")))
        assert type(error) is getattr(cn, name)
        assert str(error) == "why"


def test_name_in_a_traceback_is_the_public_one() -> None:
    for name in errors.__all__:
        assert getattr(cn, name).__module__ in ("colonnade", "colonnade.errors")


def test_missing_files_are_the_systems_error(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(FileNotFoundError) as caught:
        cn.read(tmp_path / "nope.npz")
    assert not isinstance(caught.value, cn.ColonnadeError)
    assert caught.value.filename == str(tmp_path / "nope.npz")
    with pytest.raises(FileNotFoundError):
        cn.write({}, tmp_path / "no folder" / "x.npz")


@each("format", ["npz", "npy", "arrow", "arrows", "msgpack", "csv", "json", "ndjson", "yaml"])
def test_the_systems_errors_name_the_file_as_open_does(format: str, tmp_path: Path) -> None:
    """`filename` is text, so that the message reads as that of Python's own `open`. A missing folder is named."""
    missing = tmp_path / "no" / f"x.{format}"
    folder = tmp_path / f"folder.{format}"
    folder.mkdir()
    (folder / "somebody's").touch()
    for target, error, named in ((missing, FileNotFoundError, missing.parent), (folder, OSError, folder)):
        with pytest.raises(error) as caught:
            cn.write({"a": np.arange(3)}, target, format=format)
        assert caught.value.filename == str(named)
        assert repr(str(named)) in str(caught.value)
    with pytest.raises(FileNotFoundError) as caught:
        cn.read(missing)
    assert caught.value.filename == str(missing)
    assert os.listdir(folder) == ["somebody's"]
