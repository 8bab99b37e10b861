"""Several frames in one file, and plain arrays: `read_bundle`, `write_bundle`, `read_arrays`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._errors import not_found
from .._formats.options import Options, make_options
from .._formats.registry import FORMATS, kept_rows
from .._formats.writers import write_format
from .._frame.frame import Frame, frame_from
from .._frame.part import batch_rows
from .._io.detection import BUNDLED, DIRECTORIES, check_format, from_suffix
from .._io.nearest import nearest_hint
from .._io.progress import reporting
from .._io.sources import Source
from .._io.stores import Access
from .._io.targets import AnyTarget, Target, as_target, prepare_folder, released, settle
from .._values.option_checks import check_choice, check_word
from .._values.terminal_text import label_text, truncate
from ..errors import DecodeError, OptionError, UnsupportedError
from .open_source import File, open_file
from .store import store_bundle


class Bundle(Mapping[str, Frame]):
    """Maps labels to frames. A frame is opened on access, and decoded when it is converted."""

    def __init__(self, file: File, options: Options) -> None:
        self._file = file
        self._options = options
        self._labels = list(file.labels()) if file.kind == "bundle" else []
        self._known = frozenset(self._labels)

    def __getitem__(self, label: str) -> Frame:
        if label not in self._known:
            near = nearest_hint(str(label), self._labels)
            raise not_found(f"frame {label!r} is not there{near}", label)
        options = self._options
        file = kept_rows(self._file.open_label(label), options)
        return Frame._make(file=file, threads=options.threads, progress=options.progress)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    def __contains__(self, label: object) -> bool:
        return label in self._known

    def __repr__(self) -> str:
        return truncate(f"<Bundle: {len(self)} frames: {', '.join(map(label_text, self._labels[:20]))}>", 400)


def read_bundle(source: Source, **options: Any) -> Mapping[str, Frame]:
    """Open the frames of one file or directory without decoding them.

    Parameters
    ----------
    source
        Any source that `read` takes. The file is an outer ZIP of ``<label>.npz`` (StaticFrame's ``to_zip_npz``) or of
        ``<label>/<member>`` (``to_zip_npy``), a directory of such, or a map of frames in MessagePack, JSON or YAML
        (detected by the suffix, or by ``format=``).
    **options
        Options of reading; see `NpzOptions`, `MsgpackOptions`, `JsonOptions` and `YamlOptions`.

    Returns
    -------
    Mapping
        Label to `Frame`, in the order of the file. A frame is opened when it is looked up.

    Raises
    ------
    DecodeError, TruncatedError, LimitError, UnsupportedError, OSError
        The same errors as `read`. DecodeError also if the file is a single frame.
    ColumnNotFound
        A label does not exist; the message has the nearest labels.

    Examples
    --------
    >>> import colonnade as cn, numpy as np, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "two.zip")
    >>> cn.write_bundle({"a": {"x": np.arange(3)}, "b": {"y": np.arange(2)}}, path)
    >>> {label: frame.shape for label, frame in cn.read_bundle(path).items()}
    {'a': (3, 1), 'b': (2, 1)}
    """
    file, settings = open_file(source, options.pop("format", None), options)
    what = "a bundle of frames"
    name = file.format
    if batch_rows(file) is not None:
        raise _wrong_kind(what, FORMATS[name].noun)
    if file.kind != "bundle" and not _is_empty(file):
        name = "npz" if name in DIRECTORIES else name
        use = "cn.read_arrays(source)" if file.kind in ("savez", "zip") else "cn.read(source)"
        raise DecodeError(f"{name}: expected {what}, found one of kind {file.kind!r}. Open it with {use}.")
    return Bundle(file, settings)


def _is_empty(file: File) -> bool:
    """Whether it is an archive without members, or a map without keys: how a bundle of no frames is written."""
    if file.kind != "frame":
        return file.kind == "zip" and not file.members()
    orient = file.facts().get("orient")
    return orient == "columns" and file.version is None and (file.nrows, file.ncols) == (0, 0)


def write_bundle(
    frames: Mapping[str, Any] | Iterable[tuple[str, Any]],
    target: Target,
    *,
    layout: str = "npz",
    outer: str | None = None,
    format: str | None = None,
    **options: Any,
) -> None:
    """Write several frames into one ZIP that StaticFrame reads too, or into one map as MessagePack, JSON or YAML.

    Parameters
    ----------
    frames : mapping or iterable of (label, data)
        Labels are text. They become file names inside the ZIP, or keys of the map. Data is anything that `write` takes,
        except an open reader: pass its ``read_all()``.
    target : path
        As by `write`, a temporary file is written and renamed. A map can be written to every target of `write`.
    layout : one of {"npz", "npy"}
        The layout of the ZIP. ``npz``: one ``<label>.npz`` for each frame (``from_zip_npz``). ``npy``: members
        ``<label>/<member>`` (``from_zip_npy``).
    outer : one of {None, "deflate"}
        Compression of the outer ZIP. With None the frames can be mapped. With ``layout="npy"`` it is the compression of
        the members, so ``compression`` must not name another one. ``compression_level``, 1 to 9, applies to the outer
        ZIP too.
    format : one of {"npz", "msgpack", "json", "yaml"}, optional
        Default: by the suffix, or ``npz`` (the ZIP) if no format has the suffix (``.zip``).
    **options
        Options of writing; see `NpzOptions`, `MsgpackOptions`, `JsonOptions` and `YamlOptions`.

    Raises
    ------
    EncodeError
        The format cannot represent a column exactly, or a label cannot be a name in the ZIP. Nothing is written.
    UnsupportedError
        The format, or the format of the suffix, holds a single frame.
    OptionError, OSError
        The same errors as `write`.

    Examples
    --------
    See `read_bundle`.
    """
    check_word("layout", layout, ("npz", "npy"))
    check_choice("outer", outer, ("deflate",))
    where = as_target(target, Access.of(options))
    with released(where):
        _write_as(_bundle_format(format, where), frames, where, layout, outer, options)


def _bundle_format(format: str | None, where: AnyTarget) -> str:
    if format is None:
        named = None if where.name is None else from_suffix(where.name)
        if named is None or named == "npy":  # a ZIP may have any name, but for one that says something else
            return "npz"
        format = named
    format_name = check_format(format)
    if format_name not in BUNDLED:
        raise UnsupportedError(
            f"{format_name}: expected a format that holds several frames ({', '.join(BUNDLED)}). "
            "Write one file for each."
        )
    return format_name


def _write_as(
    format: str, frames: Any, where: AnyTarget, layout: str, outer: str | None, options: dict[str, Any]
) -> None:
    settings = make_options(format, "write", options)
    check = write_format(settings).check_bundle
    assert check is not None
    check(settings, format, where, layout, outer)
    prepare_folder(where, settings.mkdir)
    held = [(label, frame._load()) for label, frame in _labelled(frames, settings)]
    with reporting(settings.progress, "writing") as progress:
        store_bundle(held, where, settings, (layout, outer), progress)
    settle(where, settings.fsync)


def _labelled(frames: Any, options: Options) -> Iterator[tuple[str, Frame]]:
    """Each frame with its label, which is text and unique."""
    seen: set[str] = set()
    for label, data in frames.items() if isinstance(frames, Mapping) else frames:
        if not isinstance(label, str):
            raise TypeError(
                f"frames: expected text as label, found {type(label).__name__} ({label!r}). Use str(label)."
            )
        if label in seen:
            raise OptionError(f"frames: expected labels that differ, found {label!r} twice.")
        seen.add(label)
        yield label, frame_from(data, densify_sparse=options.densify_sparse, batch_rows=options.batch_rows)


def read_arrays(source: Source, **options: Any) -> dict[str, np.ndarray]:
    """Read every NPY member of a ZIP or directory by its name, as ``np.load`` does.

    The arrays may have any shapes, and need not form a frame.

    Parameters
    ----------
    source
        Any source that `read` takes: a file that ``np.savez`` wrote, a frame in NPZ, a single ``.npy``.
    **options
        Options of reading, except ``filters`` and ``progress``; see `NpzOptions`.

    Returns
    -------
    dict of str to numpy.ndarray
        Read-only arrays. Members that are stored uncompressed are not copied.

    Raises
    ------
    DecodeError, TruncatedError, LimitError, UnsupportedError, OSError
        The same errors as `read`. A bundle is refused: its arrays are parts of frames. So are arrays of Python
        objects, because they would have to be unpickled.

    Examples
    --------
    >>> import colonnade as cn, numpy as np, io
    >>> file = io.BytesIO()
    >>> np.savez(file, a=np.arange(3), b=np.eye(2))
    >>> {name: array.shape for name, array in cn.read_arrays(file.getvalue()).items()}
    {'a': (3,), 'b': (2, 2)}
    """
    file, settings = open_file(source, options.pop("format", None), options)
    if settings.filters is not None:
        raise OptionError("filters: expected None for arrays, which have no rows in common. Use cn.read for a frame.")
    what = "NPY members"
    if file.format not in DIRECTORIES:
        raise _wrong_kind(what, FORMATS[file.format].noun)
    if file.kind == "bundle" and file.labels():
        raise _wrong_kind(what, "a bundle of frames", "cn.read_bundle")
    return {name: file.read_array(name) for name in file.array_names()}


def _wrong_kind(expected: str, found: str, use: str = "cn.read") -> DecodeError:
    return DecodeError(f"npz: expected {expected}, found {found}. Open it with {use}(source).")
