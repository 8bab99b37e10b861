"""A frame as a mapping from column labels to columns, as in pandas: iteration, ``in``, `keys`, `values`, `items`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ColumnNotFound
from .axes import Labels
from .conversions import Conversions
from .field_paths import Chosen

if TYPE_CHECKING:
    from .frame import Frame


class ColumnMapping(Conversions):
    """Access of `Frame` by column label."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the column labels, in order."""
        return iter(self._lookup._labels)

    def __contains__(self, label: object) -> bool:
        """Whether `label` is the label of a column or of a group of hierarchical columns. Paths do not count."""
        lookup = self._lookup
        if not lookup.is_label(label):
            return False
        try:
            return bool(lookup.of(label))
        except (ColumnNotFound, TypeError):
            return False

    def keys(self) -> Labels:
        """Return the column labels, as `columns` does.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> frame = cn.Frame({"a": np.arange(2), "b": np.ones(2)})
        >>> list(frame.keys()), "b" in frame, "c" in frame
        (['a', 'b'], True, False)
        """
        return self._lookup._labels

    def values(self) -> "Iterator[Frame]":
        """Iterate over the columns, each a frame of one column. No data is copied or decoded.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> [column.to_numpy().tolist() for column in cn.Frame({"a": np.arange(2), "b": np.ones(2)}).values()]
        [[0, 1], [1.0, 1.0]]
        """
        for position in range(len(self._lookup._labels)):
            yield self._column(position)

    def items(self) -> "Iterator[tuple[Any, Frame]]":
        """Iterate over pairs of column label and column. A repeated label is returned as often as it occurs.

        Examples
        --------
        >>> import colonnade as cn, numpy as np
        >>> {label: column.to_numpy().max().item() for label, column in cn.Frame({"a": np.arange(3)}).items()}
        {'a': 2}
        """
        return zip(self._lookup._labels, self.values(), strict=True)

    def _column(self, position: int) -> "Frame":
        column = self._selected(Chosen([position], {}))
        column._single = True
        return column

    def _selected(self, chosen: Chosen) -> "Frame":
        raise NotImplementedError
