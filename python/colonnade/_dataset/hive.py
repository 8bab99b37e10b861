"""Keys in the names of folders, as Hive writes them: ``year=2024/month=7/part-0.parquet``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from .._io.nearest import nearest_hint
from ..errors import DecodeError, EncodeError, OptionError
from .keys import TEXT, KeyColumn

NULL = "__HIVE_DEFAULT_PARTITION__"
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TEXT = ("str", "string", "utf8", "text")

Texts = Mapping[str, str | None]
"""The keys of one part as texts; None is null."""


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


def folders_of(keys: Texts) -> str:
    """The folders of these keys, with a slash at the end.

    >>> folders_of({"year": "2024", "city": "Den Haag"})
    'year=2024/city=Den%20Haag/'
    """
    return "".join(f"{_escaped(name)}={NULL if text is None else _escaped(text)}/" for name, text in keys.items())


def key_text(label: str, value: str | bool | int | np.datetime64) -> str:
    """The text of a value in the name of a folder.

    Raises
    ------
    EncodeError
        Text that names no folder: the empty one, and Hive's text for null.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value).replace("T", " ") if isinstance(value, np.datetime64) else str(value)
    if text in ("", NULL):
        raise EncodeError(f"partition_by: column {label!r}: expected text that can name a folder, found {text!r}.")
    return text


def key_columns(parts: Sequence[Texts], types: Mapping[str, Any] | None) -> list[KeyColumn]:
    """The keys of all parts as columns with one row a part, of the declared type, or else int64, dates or text.

    Raises
    ------
    OptionError
        A type of a key that is not there.
    DecodeError
        A part lacks a key that another one has, or a value does not fit the declared type.
    """
    names = list(dict.fromkeys(name for part in parts for name in part))
    for name in types or {}:
        if parts and name not in names:
            hint = nearest_hint(name, names)
            raise OptionError(f"partition_types: {name!r} is no key of the folders ({_listed(names)}){hint}.")
    columns = []
    for name in names:
        if any(name not in part for part in parts):
            raise DecodeError(
                f"dataset: expected the key {name!r} in the folders of all parts, found parts without it. "
                "Pass partitioning=None to read the folders as plain ones."
            )
        texts = [part[name] for part in parts]
        dtype = _declared(name, types[name]) if types and name in types else _inferred(texts)
        columns.append(KeyColumn.of(name, dtype, _values(name, texts, dtype)))
    return columns


def _inferred(texts: Iterable[str | None]) -> np.dtype | None:
    there = [text for text in texts if text is not None]
    if there and all(_INTEGER.fullmatch(text) and -(2**63) <= int(text) < 2**63 for text in there):
        return np.dtype(np.int64)
    if there and all(_DATE.fullmatch(text) and _is_date(text) for text in there):
        return np.dtype("M8[D]")
    return TEXT


def _is_date(text: str) -> bool:
    try:
        np.datetime64(text, "D")
    except ValueError:
        return False
    return True


def _declared(name: str, type_: Any) -> np.dtype | None:
    if type_ is str or type_ in _TEXT:
        return TEXT
    try:
        dtype = np.dtype("M8[D]" if type_ == "date" else type_)
    except TypeError:
        dtype = np.dtype(object)
    if dtype.kind not in "iufbM":
        raise OptionError(
            f"partition_types of {name!r}: expected 'str', 'date', 'bool' or the name of a number type, "
            f"found {type_!r}."
        )
    return dtype


def _values(name: str, texts: Sequence[str | None], dtype: np.dtype | None) -> list[Any]:
    if dtype is TEXT:
        return list(texts)
    values = []
    for text in texts:
        try:
            values.append(None if text is None else _value(text, dtype))
        except (ValueError, OverflowError):
            raise DecodeError(f"dataset: key {name!r}: expected {dtype}, found the folder {name}={text}.") from None
    return values


def _value(text: str, dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        if text not in ("true", "false"):
            raise ValueError(text)
        return text == "true"
    if dtype.kind in "iu":
        number = int(text)
        if not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
            raise OverflowError(text)
        return number
    return np.datetime64(text).astype(dtype) if dtype.kind == "M" else dtype.type(text)


def _escaped(text: str) -> str:
    """ASCII but letters, digits and ``_.-~`` is escaped. Spark undoes escapes one byte a letter, so others stay."""
    return "".join(quote(letter, safe="") if letter < "\x80" else letter for letter in text)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f", ... ({len(names)} in all)" if len(names) > 5 else "") or "none"
