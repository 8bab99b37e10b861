"""Frames and datasets over HTTP, as an ASGI application that uvicorn or another server runs.

A file of ten lines is a server:

>>> import colonnade as cn, colonnade.serve, os, tempfile
>>> folder = tempfile.mkdtemp()
>>> cn.write({"a": [1, 2, 3]}, os.path.join(folder, "t.parquet"))
>>> app = colonnade.serve.asgi(folder)

``uvicorn server:app`` runs it, and each of these reads it:

- ``cn.read("http://127.0.0.1:8000/t.parquet")``: the file, by ranges;
- ``curl 'http://127.0.0.1:8000/t.parquet?columns=a&filters=a>1&format=csv'``: some rows, as text;
- ``pl.read_ipc_stream(...)``, DuckDB's httpfs, arrow-js.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ._dataset.dataset import Dataset
from ._serve.app import App
from ._serve.sources import FolderSource, NamedSources
from .errors import OptionError

__all__ = ["asgi"]


def asgi(
    source: Any,
    *,
    token: str | None = None,
    allowed_hosts: tuple[str, ...] | None = None,
    cors: str | None = None,
    **options: Any,
) -> App:
    """An application that serves a folder, a dataset, or several of them by name.

    ``GET /PATH`` returns a file as it is, with ``Range``, ``ETag`` and ``If-None-Match``. With a query it returns rows:

    ===========  =====================================================================================================
    parameter    meaning
    ===========  =====================================================================================================
    ``columns``  labels, with commas between them, or one in each of several parameters
    ``filters``  conditions, in the text that `read` takes: ``fare > 8 and city in ('A', 'B')``
    ``limit``    the most rows
    ``format``   ``arrows``, ``arrow``, ``parquet``, ``npz``, ``msgpack``, ``csv``, ``json``, ``ndjson``, ``yaml``
    ===========  =====================================================================================================

    Without ``format`` the ``Accept`` header decides; the default is an Arrow stream. Folders are datasets. Rows are
    sent while they are read, so a dataset may be larger than memory. If a client goes away, reading ends.

    Parameters
    ----------
    source : path, Dataset or mapping
        A folder, whose files and folders are served; a `Dataset`, served at ``/``; or a mapping of names to datasets
        and anything that `Frame` takes.
    token : str, optional
        Requests must have the header ``Authorization: Bearer TOKEN``.
    allowed_hosts : tuple of str, optional
        Requests for other names get 421. It keeps web pages from elsewhere from reading a server on loopback.
    cors : str, optional
        The origin whose web pages may read the answers, or ``"*"``.
    **options
        Options of reading, as for `dataset`.

    Returns
    -------
    App
        An ASGI 3 application.

    Raises
    ------
    FileNotFoundError
        There is no such folder.
    OptionError
        `source` is none of the above.
    """
    if isinstance(source, str | os.PathLike):
        return App(FolderSource(source, options), token, allowed_hosts, cors)
    if isinstance(source, Dataset):
        return App(NamedSources({"": source}), token, allowed_hosts, cors)
    if isinstance(source, Mapping):
        return App(NamedSources(dict(source)), token, allowed_hosts, cors)
    raise OptionError(
        f"source: expected a folder, a Dataset or a mapping of names to them, found {type(source).__name__}."
    )
