"""Requests: the path, the query and the headers that matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from .._io.nearest import nearest_hint
from ..errors import OptionError

MEDIA_TYPES = {
    "arrows": "application/vnd.apache.arrow.stream",
    "arrow": "application/vnd.apache.arrow.file",
    "parquet": "application/vnd.apache.parquet",
    "npz": "application/x-npz",
    "msgpack": "application/vnd.msgpack",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "yaml": "application/yaml",
}
_ACCEPTED = {
    **{media.partition(";")[0]: name for name, media in MEDIA_TYPES.items()},
    "application/msgpack": "msgpack",
    "application/x-msgpack": "msgpack",
    "application/x-yaml": "yaml",
    "application/jsonl": "ndjson",
    "application/parquet": "parquet",
}
_PARAMETERS = ("columns", "filters", "limit", "format")


@dataclass(frozen=True)
class Query:
    """What is asked of the rows at a path.

    Attributes
    ----------
    columns, filters, limit
        None: everything.
    format : str
        The format of the answer.
    is_of_rows : bool
        Whether rows are asked for, rather than the bytes of a file.
    """

    columns: list[str] | None
    filters: str | None
    limit: int | None
    format: str
    is_of_rows: bool


def query_of(scope: Mapping[str, Any]) -> Query:
    """The query of a request.

    Raises
    ------
    OptionError
        An unknown parameter or format, or a limit that is no number.
    """
    columns: list[str] = []
    single: dict[str, str] = {}
    given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    for name, value in given:
        if name not in _PARAMETERS:
            raise OptionError(
                f"{name}: expected {', '.join(_PARAMETERS)} as parameters{nearest_hint(name, _PARAMETERS)}."
            )
        if name == "columns":
            columns.append(value)
        elif name in single:
            raise OptionError(f"{name}: expected one value, found several.")
        else:
            single[name] = value
    # One parameter may have several labels; several parameters have one each, which may have commas.
    labels = columns[0].split(",") if len(columns) == 1 and columns[0] else columns if len(columns) > 1 else None
    accepted = accepted_format(header(scope, b"accept"))
    format = single.get("format") or accepted or "arrows"
    if format not in MEDIA_TYPES:
        raise OptionError(
            f"format: expected {', '.join(MEDIA_TYPES)}, found {format!r}{nearest_hint(format, MEDIA_TYPES)}."
        )
    limit = single.get("limit")
    if limit is not None and not re.fullmatch(r"[0-9]{1,18}", limit):
        raise OptionError(f"limit: expected a whole number, found {limit!r}.")
    return Query(
        labels,
        single.get("filters"),
        None if limit is None else int(limit),
        format,
        bool(given) or accepted is not None,
    )


def accepted_format(accept: str) -> str | None:
    """The format of the best known media type in an ``Accept`` header, by its weight."""
    found = []
    for i, part in enumerate(accept.split(",")):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        weight = next((p[2:] for p in parameters if p.startswith("q=")), "1")
        name = _ACCEPTED.get(media.lower())
        if name is not None and re.fullmatch(r"[01](\.[0-9]{0,3})?", weight) and float(weight):
            found.append((-float(weight), i, name))
    return min(found)[2] if found else None


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """The value of a header; empty if there is none."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name), "")


def byte_range(text: str, nbytes: int) -> tuple[int, int] | None:
    """The first and the last byte, plus one, of a ``Range`` header with one range; None for the whole file.

    Raises
    ------
    ValueError
        The range is outside the file.
    """
    unit, _, span = text.partition("=")
    if unit.strip().lower() != "bytes" or "," in span:
        return None
    first, dash, last = span.strip().partition("-")
    if not dash or not (first or last) or not (first + last).isdigit():
        return None
    if not first:
        start, stop = max(nbytes - int(last), 0), nbytes
    else:
        start, stop = int(first), min(int(last) + 1, nbytes) if last else nbytes
    if start >= stop:
        raise ValueError(text)
    return start, stop
