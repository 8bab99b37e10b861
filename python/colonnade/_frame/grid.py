"""The part of a frame that is shown, as text: first and last rows and columns. For repr, HTML and the command line."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from .._core import ArrowColumn
from .._values.terminal_text import ELLIPSIS, cell_text, label_text, truncate, width_of
from .axes import Labels, arrow_values, dtype_text
from .field_paths import Chosen

if TYPE_CHECKING:
    from .frame import Frame

_WIDEST = 32
T = TypeVar("T")


@dataclass(frozen=True)
class Grid:
    """The displayed texts, with an ellipsis row or column in place of omitted ones.

    ``columns``: per column the labels of its levels; ``index``: per level the labels of the rows; ``cells``: per column
    the values; ``dtypes``: per column; ``index_dtypes``, ``column_dtypes``: per level; ``right``: per column whether it
    is set to the right.
    """

    columns: list[list[str]]
    index: list[list[str]]
    cells: list[list[str]]
    dtypes: list[str]
    index_dtypes: list[str]
    column_dtypes: list[str]
    right: list[bool]


def make_grid(frame: "Frame", *, max_rows: int, width: int, titles: tuple[str, ...] = (), gap: int = 1) -> Grid:
    """The grid of `frame` for a terminal of `width` columns. Decodes only the displayed part.

    If there are more than `max_rows` rows, half of that number is shown from each end. Columns in the middle are
    omitted until the rest fits. `titles` are above the first level of the row labels. `gap` spaces separate columns.
    """
    nrows, ncols = frame.shape
    rows = _parts(nrows, max_rows)
    # Two characters are the least a column takes: more columns than that cannot fit, so they are not decoded.
    positions = [i for part in _parts(ncols, max(2, width // 2)) for i in part]
    blocks = [frame._selected(Chosen(positions, {})).slice(part.start, part.stop) for part in rows]
    values = [_columns_of(block, len(positions)) for block in blocks]
    names = frame._dtype_names()
    index_dtypes = [short_dtype(name) for name in frame.index.dtypes]
    column_dtypes = [short_dtype(name) for name in frame.columns.dtypes]
    index = [_join([_level_texts(block.index, i) for block in blocks]) for i in range(frame.index.depth)]
    grid = Grid(
        columns=_label_texts(frame.columns, positions),
        index=index,
        cells=[_join([part[i] for part in values]) for i in range(len(positions))],
        dtypes=[short_dtype(names[i]) for i in positions],
        index_dtypes=index_dtypes,
        column_dtypes=column_dtypes,
        right=[_is_number(names[i]) for i in positions],
    )
    taken = [_width([*level, dtype]) for level, dtype in zip(index, index_dtypes, strict=True)]
    taken[0] = max(taken[0], _width(titles))
    return _fit(grid, ncols, width - sum(taken) - gap * len(taken) - _width(column_dtypes), gap)


def _is_number(name: str) -> bool:
    return name[1:2] in "iufc" if name[:1] in "<>|=" else name.startswith(_NUMERIC)


_NUMERIC = ("int8", "int16", "int32", "int64", "uint", "half", "float", "double", "decimal", "Int", "UInt", "Float")


def short_dtype(name: str) -> str:
    """A type in angle brackets, as StaticFrame and this project's repr show it."""
    return f"<{truncate(dtype_text(name), _WIDEST)}>"


def _parts(count: int, most: int) -> list[range]:
    if count <= most:
        return [range(count)]
    last = most // 2
    return [range(most - last), range(count - last, count)] if last else [range(most)]


def _columns_of(block: "Frame", ncols: int) -> list[list[str]]:
    core = block._load()
    return [_value_texts(core.column(i)) for i in range(ncols)]


def _value_texts(column: np.ndarray | ArrowColumn) -> list[str]:
    values = column if isinstance(column, np.ndarray) else arrow_values(column)
    texts = [cell_text(value) for value in (values if values.dtype.kind != "O" else values.tolist())]
    if not isinstance(column, np.ndarray) and column.type.startswith("timestamp[") and "," in column.type:
        # The file holds the moment in UTC; without a mark it would read as the time of the zone named below it.
        texts = [text if text in ("NaT", "null") else f"{text}Z" for text in texts]
    return [truncate(text, _WIDEST) for text in texts]


def _level_texts(labels: Labels, i: int) -> list[str]:
    return [truncate(label_text(label), _WIDEST) for label in labels.level(i)]


def _label_texts(labels: Labels, positions: list[int]) -> list[list[str]]:
    part = [labels[i] if labels.depth > 1 else (labels[i],) for i in positions]
    return [[truncate(label_text(level), _WIDEST) for level in label] for label in part]


def _join(parts: list[list[str]]) -> list[str]:
    return parts[0] if len(parts) == 1 else [*parts[0], ELLIPSIS, *parts[1]]


def _width(texts: Iterable[str]) -> int:
    return max(map(width_of, texts), default=0)


def _fit(grid: Grid, ncols: int, room: int, gap: int) -> Grid:
    """Columns from both ends inwards while there is room; one at least."""
    count = len(grid.cells)
    widths = [_width([*grid.columns[i], *grid.cells[i], grid.dtypes[i]]) + gap for i in range(count)]
    if sum(widths) <= room and count == ncols:
        return grid
    room -= 1 + gap
    left, right = 0, 0
    while left + right < count:
        from_left = left <= right
        width = widths[left] if from_left else widths[count - 1 - right]
        if room < width and left:
            break
        room -= width
        left, right = (left + 1, right) if from_left else (left, right + 1)
    if left + right == count == ncols:
        return grid
    keep = [*range(left), *range(count - right, count)]
    nlevels, nrows = len(grid.columns[0]), len(grid.cells[0])

    return replace(
        grid,
        columns=_picked(grid.columns, keep, left, [ELLIPSIS] * nlevels),
        cells=_picked(grid.cells, keep, left, [ELLIPSIS] * nrows),
        dtypes=_picked(grid.dtypes, keep, left, ELLIPSIS),
        right=_picked(grid.right, keep, left, False),
    )


def _picked(items: list[T], keep: list[int], at: int, gap: T) -> list[T]:
    chosen = [items[i] for i in keep]
    chosen.insert(at, gap)
    return chosen
