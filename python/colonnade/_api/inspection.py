"""`cn.inspect`: describes a file by its structure."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._formats.registry import FORMATS
from .._frame.axes import Labels
from .._frame.part import selects_leaves
from .._frame.schema import AxisInfo, Schema
from .._values.amounts import nbytes_text
from .._values.tagged_labels import decode_optional
from .._values.terminal_text import label_text, table
from ..errors import ColonnadeError
from .open_source import File

if TYPE_CHECKING:
    from .._formats.arrow_info import ArrowInfo
    from .._formats.parquet_info import ParquetInfo
    from .._formats.text_info import TextInfo

_MAX_SHOWN = 20


@dataclass(frozen=True)
class Info:
    """The description of a file, which `inspect` returns.

    Attributes
    ----------
    format : str
        ``npz``, ``npy``, ``arrow``, ``arrows``, ``parquet``, ``msgpack``, ``csv``, ``json``, ``ndjson`` or ``yaml``.
    layout : str
        NPZ and NPY: ``zip``, ``directory`` or ``npy`` (a single array). Arrow: ``file`` or ``stream``. Parquet: ``row
        groups``. MessagePack, JSON and YAML: ``columns``, ``records``, ``split``... CSV: ``records``. Several frames
        in one MessagePack file: ``series``. Plug-ins: ``plug-in``.
    kind : str
        ``frame``, ``savez`` (NumPy's ``np.savez``), ``npy``, ``bundle`` (several frames), ``zip`` (no frame).
    shape : tuple of int, or None
        The numbers of rows and columns; None if the file has no frame.
    schema : Schema or None
        The fields and both axes.
    name, attrs, origin
        The name and attributes of the frame, and the library that wrote it.
    version : int or None
        The version of Colonnade's metadata; None in a file of another program.
    file_nbytes, nbytes : int
        The size of the file, and of decoded data and labels, in bytes.
    codecs : dict
        Each compression method, with the number of its members.
    members : list of dict
        Keys: name, method, transform, nbytes, compressed_nbytes, offset, crc32, descr, fortran_order, shape. Arrow has
        one for each message: the schema, dictionaries, record batches. Parquet has one for each column chunk, with
        group, physical, encodings, nvalues, statistics, page_index, bloom_filter and encrypted. MessagePack has one for
        each column, or one for each frame of a series. Text has one for the whole file.
    arrow : ArrowInfo or None
        Properties of an Arrow file or stream.
    text : TextInfo or None
        Properties of a text file.
    parquet : ParquetInfo or None
        Properties of a Parquet file: row groups, encodings.
    plugin : str or None
        The distribution and version of the plug-in that reads this format.
    leaves : dict
        For nested columns with text labels in npz, Arrow and Parquet: each label, with the paths of its leaves, as
        ``columns=`` takes them.
    labels : list of str
        The labels of the frames of a bundle.
    problem : str or None
        The reason why the file is no frame.
    """

    format: str
    layout: str
    kind: str
    shape: tuple[int, int] | None
    schema: Schema | None
    name: Any
    attrs: dict[Any, Any]
    origin: Any
    version: int | None
    file_nbytes: int
    nbytes: int | None
    codecs: dict[str, int]
    members: list[dict[str, Any]] = field(repr=False)
    labels: list[str] = field(default_factory=list)
    leaves: dict[str, list[str]] = field(default_factory=dict, repr=False)
    problem: str | None = None
    arrow: ArrowInfo | None = None
    text: TextInfo | None = None
    parquet: ParquetInfo | None = None
    plugin: str | None = None

    @property
    def index(self) -> AxisInfo | None:
        """The description of the row labels."""
        return None if self.schema is None else self.schema.index

    @property
    def columns(self) -> AxisInfo | None:
        """The description of the column labels."""
        return None if self.schema is None else self.schema.columns

    def to_dict(self) -> dict[str, Any]:
        """Return all attributes as JSON values. Tuples become lists. Dates and other types without JSON become text."""
        columns = [] if self.schema is None else self.schema.fields
        return {
            "format": self.format,
            "layout": self.layout,
            "kind": self.kind,
            "shape": None if self.shape is None else list(self.shape),
            "name": to_json(self.name),
            "attrs": to_json(self.attrs),
            "origin": to_json(self.origin),
            "version": self.version,
            "file_nbytes": self.file_nbytes,
            "nbytes": self.nbytes,
            "codecs": dict(self.codecs),
            "index": _axis_dict(self.index),
            "columns": _axis_dict(self.columns),
            "schema": [{"label": to_json(item.label), "dtype": item.dtype, "layout": item.layout} for item in columns],
            "leaves": {label: list(paths) for label, paths in self.leaves.items()},
            "labels": list(self.labels),
            "problem": self.problem,
            "plugin": self.plugin,
            "arrow": None if self.arrow is None else asdict(self.arrow),
            "text": None if self.text is None else asdict(self.text),
            "parquet": None if self.parquet is None else to_json(asdict(self.parquet)),
            "members": [to_json(member) for member in self.members],
        }

    def facts(self) -> list[tuple[str, str]]:
        """Return the summary as pairs (name, text): the first lines of the repr and of ``colonnade info``."""
        facts = [("format", f"{self.format} ({self.layout}, {self.kind})")]
        if self.shape is not None:
            facts.append(("shape", f"{self.shape[0]:,} rows x {self.shape[1]:,} columns"))
        if self.name is not None:
            facts.append(("name", label_text(self.name)))
        if self.index is not None and self.columns is not None:
            facts += [("index", str(self.index)), ("columns", str(self.columns))]
        if self.attrs:
            facts.append(("attrs", ", ".join(label_text(key) for key in self.attrs)))
        sizes = nbytes_text(self.file_nbytes)
        facts.append(("size", sizes if self.nbytes is None else f"{sizes} on disk, {nbytes_text(self.nbytes)} decoded"))
        if self.arrow is not None:
            facts.append(("batches", str(self.arrow)))
        if self.text is not None:
            facts.append(("text", str(self.text)))
        if self.parquet is not None:
            facts += self.parquet.facts()
        if self.plugin is not None:
            facts.append(("plug-in", self.plugin))
        codecs = ", ".join(f"{count:,} {codec}" for codec, count in self.codecs.items()) or "none"
        members = "messages" if self.arrow is not None else "column chunks" if self.parquet is not None else "members"
        facts.append((members, codecs))
        transforms = Counter(str(member["transform"]) for member in self.members if member.get("transform"))
        if transforms:
            facts.append(("transforms", ", ".join(f"{count:,} {name}" for name, count in transforms.items())))
        facts.append(("written by", _writer_text(self.origin, self.version)))
        if self.labels:
            facts.append(("frames", f"{len(self.labels):,}: " + ", ".join(map(label_text, self.labels[:_MAX_SHOWN]))))
        if self.problem is not None:
            facts.append(("note", self.problem))
        return facts

    def __repr__(self) -> str:
        text = "<Info>\n" + table([list(pair) for pair in self.facts()])
        if self.schema is not None and self.schema.fields:
            shown = self.schema.fields[:_MAX_SHOWN]
            text += "\n" + table([["", label_text(item.label), item.dtype] for item in shown])
            left = len(self.schema.fields) - len(shown)
            text += f"\n  ... {left:,} more columns" if left else ""
        elif self.schema is None:
            text += "\n" + table([["", label_text(member["name"])] for member in self.members[:_MAX_SHOWN]])
        return text


def info_of(file: File) -> Info:
    """The Info of an opened file."""
    members = file.members()
    schema, nbytes, problem = None, None, None
    if file.kind in ("frame", "savez", "npy"):
        try:
            name = decode_optional(file.name)
            schema = Schema.of(name, Labels(file.index), Labels(file.columns), file.dtypes())
            nbytes = file.nbytes
        except ColonnadeError as error:
            # Arrays that do not form a frame are listed, with the reason.
            problem = str(error)
    return Info(
        format=file.format,
        layout=file.facts().get("orient", file.layout),
        kind=file.kind,
        shape=None if schema is None else (file.nrows, file.ncols),
        schema=schema,
        name=None if schema is None else schema.name,
        attrs={} if schema is None else decode_optional(file.attrs) or {},
        origin=None if schema is None else decode_optional(file.origin),
        version=file.version,
        file_nbytes=file.file_nbytes,
        nbytes=nbytes,
        codecs=dict(Counter(str(member["method"]) for member in members)),
        members=members,
        labels=list(file.labels()) if file.kind == "bundle" else [],
        leaves={} if schema is None else _leaves(file, schema),
        problem=problem,
        **_format_info(file, members),
    )


def _format_info(file: File, members: list[dict[str, Any]]) -> dict[str, Any]:
    """The attribute that only this format has."""
    info = FORMATS[file.format].info
    if info is None:
        return {}
    name, of = info
    return {name: of(file, members)}


def _leaves(file: File, schema: Schema) -> dict[str, list[str]]:
    """Paths of leaves, if they are known without decoding."""
    if not selects_leaves(file):
        return {}
    found = {}
    for position, item in enumerate(schema.fields):
        if item.layout == "arrow" and "<" in item.dtype and isinstance(item.label, str):
            paths = [item.label + path for path, _, is_leaf in file.leaf_paths(position) if is_leaf]
            if paths:
                found[str(item.label)] = paths
    return found


def to_json(value: Any) -> Any:
    """`value` as a JSON value."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {key if isinstance(key, str) else label_text(key): to_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(part) for part in value]
    return str(value)


def _axis_dict(axis: AxisInfo | None) -> dict[str, Any] | None:
    if axis is None:
        return None
    return {
        "class": axis.cls,
        "length": axis.length,
        "auto": axis.is_auto,
        "name": to_json(axis.name),
        "levels": [
            {"class": kind, "dtype": dtype, "name": to_json(name)}
            for kind, dtype, name in zip(axis.classes, axis.dtypes, axis.names, strict=True)
        ],
    }


def _writer_text(origin: Any, version: int | None) -> str:
    if version is None:
        return "another program (no Colonnade metadata)"
    library = origin.get("library") if isinstance(origin, dict) else None
    return f"Colonnade, format version {version}" + (f", from {label_text(library)}" if library else "")
