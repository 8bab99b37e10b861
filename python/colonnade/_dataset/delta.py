"""Commits Parquet parts to a Delta Lake table, through the transactions of the library deltalake."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from .._frame.frame import Frame
from .._io.store_text import public_text
from .._io.stores import Access, plain_options
from ..errors import ColonnadeError, ConflictError, EncodeError, OptionError, UnsupportedError
from .manifest import Entry
from .places import Place
from .split import Split


class DeltaTarget:
    """A Delta Lake table that parts are committed to.

    Parameters
    ----------
    place
        The folder of the table.
    format
        Must be ``"parquet"``.
    access
        How the store is reached.

    Raises
    ------
    OptionError
        Another format, or an open file system, which deltalake cannot use.
    UnsupportedError
        deltalake is not installed.
    """

    def __init__(self, place: Place, format: str, access: Access) -> None:
        if format != "parquet":
            raise OptionError(f"format: expected 'parquet' with table='delta', found {format!r}.")
        if access.filesystem is not None:
            raise OptionError("filesystem: expected None with table='delta'. Pass a URL and storage_options.")
        self._library = _library()
        self._place = place
        self._uri = place.target("").rstrip("/")
        self._options = plain_options(self._uri, access.storage_options)
        self._table = self._opened()

    @property
    def version(self) -> int | None:
        """The version of the table; None if there is none."""
        return None if self._table is None else int(self._table.version())

    def check_mode(self, mode: str) -> None:
        """FileExistsError if the table is there, and mode is "error"."""
        if mode == "error" and self._table is not None:
            advice = 'The table is there. Pass mode="append" or mode="overwrite"'
            raise FileExistsError(17, advice, self._place.shown(""))

    def check_schema(self, first: Frame, keys: Sequence[str], mode: str) -> None:
        """EncodeError if the keys of `first`, and for an append its columns, are not those of the table."""
        if self._table is None:
            return
        partition = list(self._table.metadata().partition_columns)
        if partition != list(keys):
            raise EncodeError(f"write_dataset: expected the keys of the table, {partition}, found {list(keys)}.")
        if mode != "append":
            return
        ours, theirs = (
            [(field.name, str(field.type)) for field in schema.fields]
            for schema in (self._schema(first), self._table.schema())
        )
        for i in range(max(len(ours), len(theirs))):
            expected, found = (each[i] if i < len(each) else None for each in (theirs, ours))
            if expected != found:
                raise EncodeError(f"write_dataset: expected column {i} of the table, {expected}, found {found}.")

    def commit(self, first: Frame, split: Split, parts: Sequence[Entry], mode: str, before: int | None) -> None:
        """Make the parts visible, all at once. `before`: the version that the transaction began with.

        Raises
        ------
        ConflictError
            Another writer has committed since, and mode is not "append"; or the library refuses.
        EncodeError
            Another writer has changed the columns or keys since.
        """
        from deltalake.exceptions import DeltaError
        from deltalake.transaction import AddAction, create_table_with_add_actions

        if mode != "append" and self.version != before:
            raise ConflictError(
                f"write_dataset: {self._place.shown('')}: expected version {before} of the table, found version "
                f"{self.version}: another writer was first. Read it, and write again."
            )
        self.check_schema(first, split.labels, mode)
        now = int(time.time() * 1000)
        actions = [
            AddAction(part.name, part.nbytes, dict(part.keys), now, True, json.dumps({"numRecords": part.nrows}))
            for part in parts
        ]
        schema, keys = self._schema(first), list(split.labels)
        try:
            if self._table is None:
                create_table_with_add_actions(self._uri, schema, actions, "error", keys, storage_options=self._options)
            else:
                self._table.create_write_transaction(
                    actions, "append" if mode == "append" else "overwrite", schema, keys
                )
        except DeltaError as error:
            raise ConflictError(
                f"write_dataset: {self._place.shown('')}: deltalake refuses the commit: {public_text(error)} Read the "
                "table, and write again."
            ) from None

    def _schema(self, first: Frame) -> Any:
        try:
            return self._library.Schema.from_arrow(first)
        except ColonnadeError:
            raise
        except Exception as error:
            raise EncodeError(f"write_dataset: expected types that Delta Lake has: {error}") from error

    def _opened(self) -> Any:
        from deltalake.exceptions import TableNotFoundError

        try:
            return self._library.DeltaTable(self._uri, storage_options=self._options)
        except TableNotFoundError:
            return None


def _library() -> Any:
    try:
        import deltalake
    except ImportError:
        raise UnsupportedError(
            "table='delta': tables of Delta Lake are committed through deltalake, which is not installed. Install it "
            "with: pip install 'colonnade[delta]'"
        ) from None
    return deltalake
