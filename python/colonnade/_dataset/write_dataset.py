"""`cn.write_dataset`: writes many files, and makes all of them visible at once."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .._api.batch_reader import Reader
from .._api.chunks import chunks_of
from .._api.many_files import difference
from .._formats.options import make_options
from .._frame.frame import Frame
from .._io.detection import check_format
from .._io.stores import Access
from .._values.option_checks import check_count
from ..errors import ConflictError, EncodeError, OptionError
from .dataset import Dataset
from .listing import is_part
from .manifest import Entry, Manifest, commit, latest
from .part_writer import PartWriter
from .places import Place, place_of
from .split import Split

_MODES = ("error", "append", "overwrite")
_SUFFIXES = {"npz", "arrow", "arrows", "parquet", "msgpack", "csv", "ndjson", "json", "yaml"}


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

    The parts are written first, under names that nobody has. Then one small file, the manifest, is made that lists them
    all. `dataset` reads the newest manifest, so it sees either the old set of parts or the new one. Other programs read
    the folder itself: they see each part when it is written, and those that an overwrite has replaced until
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
        ``"error"``: the folder must have no parts. ``"append"``: the parts that are there stay; parts of several writers
        at once are all kept. ``"overwrite"``: only the new parts are listed.
    table : {"delta"}, optional
        Commit Parquet parts to a Delta Lake table, through the library deltalake.
    **options
        Options of writing the format, as for `write`.

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
        Errors of the operating system and of stores. Nothing that was written is visible.

    Examples
    --------
    >>> import colonnade as cn, os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "trips")
    >>> cn.write_dataset({"year": [2023, 2024], "fare": [7.5, 9.0]}, folder, partition_by="year")
    >>> cn.write_dataset({"year": [2024], "fare": [8.0]}, folder, partition_by="year", mode="append")
    >>> cn.dataset(folder).filter("year == 2024").count_rows()
    2
    """
    if mode not in _MODES:
        raise OptionError(f"mode: expected {', '.join(map(repr, _MODES))}, found {mode!r}.")
    if table not in (None, "delta"):
        raise OptionError(f"table: expected 'delta' or None, found {table!r}.")
    check_count("rows_per_part", rows_per_part, optional=False)
    name = check_format(format)
    if name not in _SUFFIXES:
        raise OptionError(f"format: expected one of {', '.join(sorted(_SUFFIXES))}, found {format!r}.")
    settings = make_options(name, "write", options)
    keys = (partition_by,) if isinstance(partition_by, str) else tuple(partition_by)  # type: ignore[arg-type]
    frames = _frames(data, settings)
    place = place_of(target, Access.of(options))
    request = _Request(place, name, keys, rows_per_part, mode, options)
    if table == "delta":
        _commit_to_delta(request, target, frames)
    else:
        _commit(request, frames)


@dataclass(frozen=True)
class _Request:
    """The arguments of `write_dataset`."""

    place: Place
    format: str
    keys: tuple[Hashable, ...]
    rows_per_part: int
    mode: str
    options: dict[str, Any]


def _commit(request: _Request, frames: Iterator[Frame]) -> None:
    place, mode = request.place, request.mode
    before = latest(place)
    known = _parts_there(place, before)
    if mode == "error" and known.parts:
        raise FileExistsError(17, 'The dataset has parts. Pass mode="append" or mode="overwrite"', place.target(""))
    first = next(frames)
    split = Split.of(first, request.keys)
    if mode == "append" and known.parts:
        _check_schema(place, known, first, request.options)

    def change(base: Manifest) -> Manifest:
        if mode == "append":
            old = base if base.version else known
            _check_alike(old, request.format, split)
        elif base.version != before.version:
            raise ConflictError(
                f"write_dataset: {place.target('')}: expected version {before.version} of the dataset, found version "
                f'{base.version}: another writer was first. Read it, and write again, or use mode="append".'
            )
        else:
            old = Manifest()
        return Manifest(0, request.format, (*old.parts, *written), split.types, split.columns)

    written = _written(request, split, first, frames)
    try:
        commit(place, change)
    except BaseException:
        _remove(place, written)
        raise


def _commit_to_delta(request: _Request, target: Any, frames: Iterator[Frame]) -> None:
    from .delta import DeltaTarget

    table = DeltaTarget(target, request.format, request.options.get("storage_options"))
    table.check_mode(request.mode)
    first = next(frames)
    split = Split.of(first, request.keys)
    if request.mode == "append":
        table.check_schema(first, split.labels)
    written = _written(request, split, first, frames)
    try:
        table.commit(first, split.labels, written, request.mode)
    except BaseException:
        _remove(request.place, written)
        raise


def _frames(data: Any, settings: Any) -> Iterator[Frame]:
    """The frames of the data, at least one."""
    if isinstance(data, Dataset):
        any_frame = False
        for frame in data.scan():
            any_frame = True
            yield frame
        if not any_frame:
            yield data.head(0)
        return
    if isinstance(data, Iterable) and not isinstance(data, Reader | str | bytes) and hasattr(data, "__next__"):
        first = next(data, None)
        if first is None:
            raise EncodeError("write_dataset: expected one frame at least, found an empty iterator.")
        if not isinstance(first, dict | tuple | list):  # rows
            for each in _chained(first, data):
                for core in chunks_of(each, settings).frames:
                    yield Frame._make(core)
            return
        data = _chained(first, data)
    for core in chunks_of(data, settings).frames:
        yield Frame._make(core)


def _chained(first: Any, rest: Iterable[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _written(request: _Request, split: Split, first: Frame, rest: Iterator[Frame]) -> list[Entry]:
    """The parts that were written. After an error they are removed."""
    writer = PartWriter(request.place, request.format, split.labels, request.rows_per_part, request.options)
    try:
        empty = first.slice(0, 0)
        for frame in _chained(first, rest):
            found = difference(empty, frame)
            if found is not None:
                what, ours, theirs = found
                raise EncodeError(f"write_dataset: expected {what} as in the first frame, {ours}, found {theirs}.")
            for texts, piece in split.pieces(frame):
                writer.add(texts, piece)
        if not writer.has_parts:
            writer.add_empty(split.without_keys(empty))
        return writer.finish()
    except BaseException:
        _remove(request.place, writer.written)
        raise


def _parts_there(place: Place, manifest: Manifest) -> Manifest:
    """The manifest, or one of the files that are there without one."""
    if manifest.version:
        return manifest
    from .hive import keys_of

    found = [each for each in place.files("") if is_part(each.name)]
    return Manifest(0, "", tuple(Entry(each.name, each.nbytes, None, keys_of(each.name)) for each in found))


def _check_alike(old: Manifest, format: str, split: Split) -> None:
    """Other parts must have the format and the keys of the new ones."""
    if not old.parts:
        return
    names = list(old.parts[0].keys)
    if old.format not in ("", format):
        raise EncodeError(f"write_dataset: expected format={old.format!r}, as the parts have, found {format!r}.")
    if names != list(split.labels) or (old.key_types and dict(old.key_types) != split.types):
        raise EncodeError(
            f"write_dataset: expected the keys {old.key_types or names}, as the parts have, found {split.types}."
        )


def _check_schema(place: Place, known: Manifest, first: Frame, options: dict[str, Any]) -> None:
    """The new columns must be those of the parts that are there."""
    from .open_dataset import dataset

    reading = {name: options[name] for name in ("storage_options", "filesystem") if options.get(name) is not None}
    types = known.key_types or None
    there = dataset(place.target(""), partition_types=types, **reading).head(0)
    found = difference(there, first)
    if found is not None:
        what, ours, theirs = found
        raise EncodeError(f"write_dataset: expected {what} of the parts that are there, {ours}, found {theirs}.")


def _remove(place: Place, parts: Sequence[Entry]) -> None:
    """Remove parts that no manifest lists. What cannot be removed now is left for `gc`."""
    for part in parts:
        with contextlib.suppress(OSError):
            place.remove(part.name)
