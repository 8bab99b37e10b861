"""Commits Parquet parts to a Delta Lake table, through the transactions of the library deltalake."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import Any

from .._frame.frame import Frame
from ..errors import ColonnadeError, ConflictError, EncodeError, OptionError, UnsupportedError
from .manifest import Entry

_MODES = {"error": "error", "append": "append", "overwrite": "overwrite"}


class DeltaTarget:
    """A Delta Lake table that parts are committed to.

    Parameters
    ----------
    target
        The folder or URL of the table.
    format
        Must be ``"parquet"``.
    storage_options
        As `write_dataset` takes them, in the names of object_store, which deltalake has too.

    Raises
    ------
    OptionError
        Another format.
    UnsupportedError
        deltalake is not installed.
    """

    def __init__(self, target: Any, format: str, storage_options: Any) -> None:
        if format != "parquet":
            raise OptionError(f"format: expected 'parquet' with table='delta', found {format!r}.")
        self.library = _library()
        self.uri = os.fsdecode(target)
        self.storage_options = None if storage_options is None else {k: str(v) for k, v in storage_options.items()}
        self.table = self._opened()

    def check_mode(self, mode: str) -> None:
        """FileExistsError if the table is there, and mode is "error"."""
        if mode == "error" and self.table is not None:
            raise FileExistsError(17, 'The table is there. Pass mode="append" or mode="overwrite"', self.uri)

    def check_schema(self, first: Frame, keys: Sequence[str]) -> None:
        """EncodeError if the columns or keys of `first` are not those of the table. Used for appends."""
        if self.table is None:
            return
        ours, theirs = self._schema(first), self.table.schema()
        one, other = ([(field.name, str(field.type)) for field in each.fields] for each in (ours, theirs))
        if one != other:
            expected, found = next(
                (pair for pair in zip([*other, None], [*one, None], strict=False) if pair[0] != pair[1]), (other, one)
            )
            raise EncodeError(f"write_dataset: expected the columns of the table, {expected}, found {found}.")
        partition = list(self.table.metadata().partition_columns)
        if partition != list(keys):
            raise EncodeError(f"write_dataset: expected the keys of the table, {partition}, found {list(keys)}.")

    def commit(self, first: Frame, keys: Sequence[str], parts: Sequence[Entry], mode: str) -> None:
        """Make the parts visible, all at once.

        Raises
        ------
        ConflictError
            Another writer has changed what this one replaces.
        """
        from deltalake.exceptions import CommitFailedError, DeltaError
        from deltalake.transaction import AddAction, create_table_with_add_actions

        now = int(time.time() * 1000)
        actions = [
            AddAction(part.name, part.nbytes, dict(part.keys), now, True, json.dumps({"numRecords": part.nrows}))
            for part in parts
        ]
        schema = self._schema(first)
        try:
            if self.table is None:
                create_table_with_add_actions(
                    self.uri, schema, actions, "error", list(keys), storage_options=self.storage_options
                )
            else:
                self.table.create_write_transaction(actions, "append" if mode == "append" else mode, schema, list(keys))
        except CommitFailedError as error:
            raise ConflictError(f"write_dataset: {self.uri}: {error} Read the table, and write again.") from error
        except DeltaError as error:
            raise ConflictError(f"write_dataset: {self.uri}: deltalake refuses the commit: {error}") from error

    def _schema(self, first: Frame) -> Any:
        try:
            return self.library.Schema.from_arrow(first)
        except ColonnadeError:
            raise
        except Exception as error:
            raise EncodeError(f"write_dataset: expected types that Delta Lake has: {error}") from error

    def _opened(self) -> Any:
        from deltalake.exceptions import TableNotFoundError

        try:
            return self.library.DeltaTable(self.uri, storage_options=self.storage_options)
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
