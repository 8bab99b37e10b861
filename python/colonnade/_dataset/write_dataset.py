"""`cn.write_dataset`: writes many files, and makes all of them visible at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from io import IOBase
from itertools import chain
from typing import Any

from .._api.batch_reader import Reader
from .._api.chunks import chunks_of
from .._formats.options import Options, make_options
from .._frame.frame import Frame
from .._io.detection import check_format
from .._values.option_checks import check_count, is_one_of
from ..errors import EncodeError, OptionError
from .dataset import Dataset
from .transaction import Transaction

_MODES = ("error", "append", "overwrite")
_FORMATS = {"npz", "arrow", "arrows", "parquet", "msgpack", "csv", "ndjson", "json", "yaml"}


def write_dataset(
    data: Any,
    target: Any,
    *,
    format: str = "parquet",
    partition_by: Hashable | Sequence[Hashable] = (),
    rows_per_part: int = 1_000_000,
    mode: str = "error",
    table: str | None = None,
    **options: Any,
) -> None:
    """Write many files of one schema, which become visible at once.

    The parts are written first, under names that no file has. Then one small file is made, the manifest, which lists
    them all. `dataset` reads the newest manifest, so it sees either the old set of parts or the new one. Other programs
    read the folder itself: they see each part when it is written, and those that an overwrite has replaced until
    ``colonnade gc`` removes them. ``table="delta"`` is atomic for every reader of Delta Lake.

    Parameters
    ----------
    data
        Anything that `write` takes, a `Dataset`, or an iterable of frames of one schema, which are written one by one.
    target : path or URL
        A folder, or a prefix in a store.
    format : str
        The format of the parts, whose suffix they have.
    partition_by : label or list of labels
        Key columns. They become folders such as ``year=2024``, and are left out of the files. Text, whole numbers,
        bools, dates and times without a zone can be keys.
    rows_per_part : int
        The most rows of a part.
    mode : {"error", "append", "overwrite"}
        ``"error"``: the folder must have no parts. ``"append"``: the parts that are there stay; parts of several
        writers at once are all kept. ``"overwrite"``: only the new parts are listed.
    table : {"delta"}, optional
        Commit Parquet parts to a Delta Lake table, through the library deltalake.
    **options
        Options of writing the format, as for `write`. ``fsync=False`` does not sync the parts before the manifest.

    Raises
    ------
    FileExistsError
        ``mode="error"``, and the folder has parts.
    ConflictError
        ``mode="overwrite"``, and another writer has committed since the call began.
    EncodeError
        Frames of different schemas; an appended schema that is not the one of the parts; a key that cannot be one.
        Nothing that was written is visible.
    OSError
        Errors of the operating system and of stores. Nothing that was written is visible, unless the message says that
        it is: the last step, to sync the folder of the manifest, may fail.

    Examples
    --------
    >>> import colonnade as cn, os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "trips")
    >>> cn.write_dataset({"year": [2023, 2024], "fare": [7.5, 9.0]}, folder, partition_by="year")
    >>> cn.write_dataset({"year": [2024], "fare": [8.0]}, folder, partition_by="year", mode="append")
    >>> cn.dataset(folder).filter("year == 2024").count_rows()
    2
    """
    transaction = begin(target, format, partition_by, rows_per_part, mode, table, options)
    if isinstance(data, Dataset):
        transaction = transaction.of(data.home, data.version)
    settings = make_options(transaction.format, "write", options)
    transaction.commit([transaction.write(frames_of(data, settings), is_first=True)], is_checked=True)


def begin(
    target: Any,
    format: str,
    partition_by: Hashable | Sequence[Hashable],
    rows_per_part: int,
    mode: str,
    table: str | None,
    options: dict[str, Any],
) -> Transaction:
    """Check the arguments of `write_dataset`, and what is there. Nothing is written."""
    if not is_one_of(mode, _MODES):
        raise OptionError(f"mode: expected {', '.join(map(repr, _MODES))}, found {mode!r}.")
    if table is not None and not is_one_of(table, ("delta",)):
        raise OptionError(f"table: expected 'delta' or None, found {table!r}.")
    check_count("rows_per_part", rows_per_part, optional=False)
    name = check_format(format)
    if name not in _FORMATS:
        raise OptionError(f"format: expected one of {', '.join(sorted(_FORMATS))}, found {format!r}.")
    make_options(name, "write", options)
    by: Any = partition_by
    keys = (by,) if isinstance(by, str | bytes) or not isinstance(by, Iterable) else tuple(by)
    return Transaction(target, name, keys, rows_per_part, mode, table, options).begin()


def frames_of(data: Any, settings: Options) -> Iterator[Frame]:
    """The frames of the data, at least one."""
    if isinstance(data, Iterator) and not isinstance(data, Reader | IOBase):
        first = next(data, None)
        if first is None:
            raise EncodeError("write_dataset: expected one frame at least, found an empty iterator.")
        if not isinstance(first, dict | tuple | list):  # rows
            for each in chain((first,), data):
                for core in chunks_of(each, settings).frames:
                    yield Frame._make(core)
            return
        data = chain((first,), data)
    for core in chunks_of(data, settings).frames:
        yield Frame._make(core)
