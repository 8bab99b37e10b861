"""`cn.dataset`: opens many files as one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._frame.frame import Frame
from .._io.stores import Access
from .._values.option_checks import check_mapping, check_word
from ..errors import OptionError
from .dataset import Dataset
from .listing import list_parts, of_manifest
from .manifest import Manifest
from .places import Place
from .structure import Structure


def dataset(
    source: Any,
    *,
    format: str | None = None,
    partitioning: str | None = "hive",
    partition_types: Mapping[str, Any] | None = None,
    on_schema: str = "strict",
    **options: Any,
) -> Dataset:
    """Open many files of one schema as one table. Only their names are read.

    Parameters
    ----------
    source : path, URL, list of sources, or a table of deltalake or pyiceberg
        A folder, a pattern such as ``"trips/*.parquet"``, a list, or a prefix in a store such as ``s3://bucket/trips``.
        In a folder that `write_dataset` wrote, the parts are those of its newest manifest. In other folders they are
        all files but those whose names, or whose folders' names, begin with ``.`` or ``_``. Of a ``DeltaTable`` or a
        pyiceberg ``Table`` they are its current files.
    format : str, optional
        The format of all files. Default: the one of their suffixes, which must agree.
    partitioning : {"hive", None}
        ``"hive"``: folders such as ``year=2024`` are columns, the keys. They come last, unless the files have a
        column of that name, which the key replaces.
    partition_types : mapping, optional
        Types of keys, as ``{"year": "int32", "day": "date", "code": "str"}``. Default: those of the manifest, or else
        int64, dates or text, by the values.
    on_schema : {"strict", "union"}
        ``"strict"``: all parts have the same columns. ``"union"``: columns that a part lacks are null there. The
        structure of every file is read for it.
    **options
        Options of reading, as for `read`: ``storage_options``, ``filesystem``, ``limits``, ``threads``...

    Returns
    -------
    Dataset
        Lazy.

    Raises
    ------
    FileNotFoundError
        There is no file.
    UnsupportedError
        Files of several formats; a feature of a Delta or Iceberg table that is not applied here. The message names it.
    DecodeError
        A manifest is damaged, or parts have different keys.
    LimitError
        More than a million files.

    Examples
    --------
    >>> import colonnade as cn, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for year in (2023, 2024):
    ...     cn.write({"fare": [7.5, 9.0]}, os.path.join(folder, f"year={year}", "part-0.parquet"), mkdir=True)
    >>> trips = cn.dataset(folder)
    >>> trips.count_rows()
    4
    >>> trips.filter("year == 2024 and fare > 8").to_arrow().to_pylist()
    [{'fare': 9.0, 'year': 2024}]
    """
    check_word("on_schema", on_schema, ("strict", "union"))
    check_mapping("partition_types", partition_types)
    for name in ("columns", "rows", "filters"):
        if options.get(name) is not None:
            instead = {"columns": "select()", "filters": "filter()", "rows": "head()"}[name]
            raise OptionError(f"{name}: expected no {name} here. Use {instead} of the dataset.")
    access = Access.of(options)
    library = type(source).__module__.partition(".")[0]
    if library in ("deltalake", "pyiceberg"):
        from .lake_tables import parts_of_table

        listing = parts_of_table(source, library)
    else:
        listing = list_parts(source, format, partitioning, partition_types, access)
    return Dataset(listing, Structure(listing, options, on_schema == "union"), options)


def columns_of(place: Place, manifest: Manifest, options: Mapping[str, Any]) -> Frame:
    """The columns and keys of the parts of a manifest, without rows. `options` are those of writing."""
    reading = {name: options[name] for name in ("storage_options", "filesystem") if options.get(name) is not None}
    listing = of_manifest(place, manifest, None, "hive", None)
    return Structure(listing, reading, False).empty
