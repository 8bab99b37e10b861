"""The schema of a frame: one field per column, and a description of each axis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .._errors import not_found
from .._io.nearest import nearest_hint
from .._values.terminal_text import label_text, table
from .axes import Labels, dtype_text


class Dtypes:
    """The data type of each column, by label. Iteration returns pairs ``(label, dtype name)`` in column order.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> dtypes = cn.Frame({"a": np.array([1, 2]), "b": np.array([3.0, 4.0])}).dtypes
    >>> dtypes["b"], list(dtypes)
    ('float64', [('a', 'int64'), ('b', 'float64')])
    """

    __slots__ = ("_labels", "_names")

    def __init__(self, labels: Labels, names: Sequence[str]) -> None:
        self._labels = labels
        self._names = [dtype_text(name) for name in names]

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[tuple[Any, str]]:
        return zip(self._labels, self._names, strict=True)

    def __getitem__(self, label: Any) -> str:
        for known, name in self:
            if known == label:
                return name
        near = nearest_hint(str(label), (str(known) for known in self._labels))
        raise not_found(f"column {label!r} is not there{near}", label)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Dtypes | Sequence) else NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def names(self) -> list[str]:
        """Return the names of the types, in column order."""
        return list(self._names)

    def __repr__(self) -> str:
        if len(self) <= 60:
            return table([[label_text(label), name] for label, name in self])
        rows = [[label_text(label), name] for label, name in zip(self._labels[:30], self._names[:30], strict=True)]
        rows.append(["...", f"{len(self)} columns"])
        rows += [[label_text(label), name] for label, name in zip(self._labels[-30:], self._names[-30:], strict=True)]
        return table(rows)


@dataclass(frozen=True)
class Field:
    """One column of a `Schema`.

    Attributes
    ----------
    label
        The label.
    dtype : str
        The data type, as in `Frame.dtypes`.
    layout : {"numpy", "arrow"}
        Whether the column is in a NumPy block or in Arrow's layout.
    """

    label: Any
    dtype: str
    layout: str


@dataclass(frozen=True)
class AxisInfo:
    """One axis of a `Schema`.

    Attributes
    ----------
    cls : str
        The class of the axis, as its library names it.
    length : int
        The number of labels.
    classes, dtypes, names : tuple
        The class, the data type and the name of each level.
    name
        The name of the axis.
    is_auto : bool
        Whether the labels are an automatic range, which is not stored.
    """

    cls: str
    length: int
    classes: tuple[str, ...]
    dtypes: tuple[str, ...]
    names: tuple[Any, ...]
    name: Any
    is_auto: bool

    @classmethod
    def of(cls, labels: Labels) -> "AxisInfo":
        """The description of these labels."""
        return cls(
            cls=labels.cls,
            length=len(labels),
            classes=tuple(labels.classes),
            dtypes=tuple(labels.dtypes),
            names=tuple(labels.names),
            name=labels.name,
            is_auto=labels.is_auto,
        )

    def __str__(self) -> str:
        named = "" if self.name is None else f": {label_text(self.name)}"
        levels = ", ".join(
            dtype if kind == "Index" else f"{kind} {dtype}"
            for kind, dtype in zip(self.classes, self.dtypes, strict=True)
        )
        return f"<{self.cls}{named}> {self.length} {'automatic' if self.is_auto else levels}"


@dataclass(frozen=True)
class Schema:
    """The fields and both axes of a frame. ``len(schema)`` is the number of columns.

    Attributes
    ----------
    fields : tuple of Field
        The columns, in order.
    index, columns : AxisInfo
        The row labels and the column labels.
    name
        The name of the frame, or None.
    """

    fields: tuple[Field, ...]
    index: AxisInfo
    columns: AxisInfo
    name: Any

    @classmethod
    def of(cls, name: Any, index: Labels, columns: Labels, dtypes: Sequence[str]) -> "Schema":
        """The schema of a frame with these labels and type names (as the core gives them)."""
        fields = tuple(
            Field(label, dtype_text(dtype), "numpy" if dtype[:1] in "<>|=" else "arrow")
            for label, dtype in zip(columns, dtypes, strict=True)
        )
        return cls(fields, AxisInfo.of(index), AxisInfo.of(columns), name)

    def __len__(self) -> int:
        return len(self.fields)

    def __repr__(self) -> str:
        head = [f"<Schema: {len(self)} columns>", f"index    {self.index}", f"columns  {self.columns}"]
        shown = self.fields if len(self) <= 60 else (*self.fields[:30], *self.fields[-30:])
        rows = [[label_text(field.label), field.dtype, field.layout] for field in shown]
        if len(self) > 60:
            rows.insert(30, ["...", f"{len(self) - 60} more", ""])
        return "\n".join([*head, table(rows)]) if rows else "\n".join(head)
