"""Keys in the names of folders, as Hive writes them: ``year=2024/month=7/part-0.parquet``."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any
from urllib.parse import unquote

import numpy as np

from ..errors import DecodeError, OptionError

NULL = "__HIVE_DEFAULT_PARTITION__"
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,18})")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Keys = dict[str, Any]


def keys_of(relative: str) -> dict[str, str | None]:
    """The keys in the folders of a path, with their escapes undone. The name of the file has none.

    >>> keys_of("year=2024/city=Den%20Haag/part-0.parquet")
    {'year': '2024', 'city': 'Den Haag'}
    >>> keys_of("city=__HIVE_DEFAULT_PARTITION__/x.npz")
    {'city': None}
    """
    found: dict[str, str | None] = {}
    for folder in relative.split("/")[:-1]:
        name, equals, text = folder.partition("=")
        if equals and name:
            found[unquote(name)] = None if text == NULL else unquote(text)
    return found


def typed(texts: Iterable[Mapping[str, str | None]], types: Mapping[str, Any] | None) -> list[Keys]:
    """The keys of all parts as values of one type for each key: the declared one, or int64, date or text.

    Raises
    ------
    DecodeError
        A part lacks a key that another one has, or a value does not fit the declared type.
    """
    parts = list(texts)
    names = list(dict.fromkeys(name for part in parts for name in part))
    for name in types or {}:
        if parts and name not in names:
            raise OptionError(f"partition_types: expected keys of the folders ({', '.join(names) or 'none'}), found {name!r}.")
    out: list[Keys] = [{} for _ in parts]
    for name in names:
        if any(name not in part for part in parts):
            raise DecodeError(
                f"dataset: expected the key {name!r} in the folders of all parts, found parts without it. "
                "Pass partitioning=None to read the folders as plain ones."
            )
        values = [part[name] for part in parts]
        convert = _declared(name, types[name]) if types and name in types else _inferred(values)
        for keys, value in zip(out, values, strict=True):
            keys[name] = None if value is None else convert(value)
    return out


def _inferred(values: list[str | None]) -> Any:
    there = [value for value in values if value is not None]
    if there and all(_INTEGER.fullmatch(value) and -(2**63) <= int(value) < 2**63 for value in there):
        return lambda text: np.int64(int(text))
    if there and all(_DATE.fullmatch(value) and _is_date(value) for value in there):
        return date.fromisoformat
    return str


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _declared(name: str, type_: Any) -> Any:
    if type_ in (str, "str", "string", "utf8"):
        return str
    if type_ in (date, "date"):
        return date.fromisoformat
    dtype = np.dtype(type_)

    def convert(text: str) -> Any:
        try:
            return np.array([text]).astype(dtype)[0]
        except (ValueError, OverflowError):
            raise DecodeError(f"dataset: key {name!r}: expected {dtype}, found the folder {name}={text}.") from None

    return convert
