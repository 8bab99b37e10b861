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


def make_grid(
    frame: "Frame",
    *,
    max_rows: int,
    width: int,
    titles: tuple[str, ...] = (),
    gap: int = 1,
    least: int = _WIDEST,
    widest: int = _WIDEST,
    column_types: bool = True,
) -> Grid:
    """The grid of `frame` for a terminal of `width` columns. Decodes only the displayed part.

    If there are more than `max_rows` rows, half of that number is shown from each end. Columns in the middle are
    omitted until the rest fits, each at most `least` wide; the room that is left then goes to those that need it, up
    to `widest`. `titles` are above the first level of the row labels. `gap` spaces separate columns. `column_types`:
    leave room for the types of the column labels.
    """
    nrows, ncols = frame.shape
    rows = _parts(nrows, max_rows)
    # Two characters are the least a column takes: more columns than that cannot fit, so they are not decoded.
    positions = [i for part in _parts(ncols, max(2, width // 2)) for i in part]
    blocks = [frame._selected(Chosen(positions, {})).slice(part.start, part.stop) for part in rows]
    values = [_columns_of(block, len(positions), widest) for block in blocks]
    names = frame._dtype_names()
    index_dtypes = [short_dtype(name) for name in frame.index.dtypes]
    column_dtypes = [short_dtype(name) for name in frame.columns.dtypes]
    index = [_join([_level_texts(block.index, i) for block in blocks]) for i in range(frame.index.depth)]
    grid = Grid(
        columns=_label_texts(frame.columns, positions, widest),
        index=index,
        cells=[_join([part[i] for part in values]) for i in range(len(positions))],
        dtypes=[short_dtype(names[i], widest) for i in positions],
        index_dtypes=index_dtypes,
        column_dtypes=column_dtypes,
        right=[_is_number(names[i]) for i in positions],
    )
    taken = [_width([*level, dtype]) for level, dtype in zip(index, index_dtypes, strict=True)]
    taken[0] = max(taken[0], _width(titles))
    # Each column of cells counts with the gap before it; where types of columns follow, so does the one after the last.
    gaps = gap * (len(taken) if column_types else len(taken) - 1)
    room = width - sum(taken) - gaps - (_width(column_dtypes) if column_types else 0)
    return _fit(grid, ncols, room, gap, least)


def _is_number(name: str) -> bool:
    return name[1:2] in "iufc" if name[:1] in "<>|=" else name.startswith(_NUMERIC)


_NUMERIC = ("int8", "int16", "int32", "int64", "uint", "half", "float", "double", "decimal", "Int", "UInt", "Float")


def short_dtype(name: str, width: int = _WIDEST) -> str:
    """A type in angle brackets, as StaticFrame and this project's repr show it."""
    return f"<{truncate(dtype_text(name), width)}>"


def _parts(count: int, most: int) -> list[range]:
    if count <= most:
        return [range(count)]
    last = most // 2
    return [range(most - last), range(count - last, count)] if last else [range(most)]


def _columns_of(block: "Frame", ncols: int, width: int) -> list[list[str]]:
    core = block._load()
    return [_value_texts(core.column(i), width) for i in range(ncols)]


def _value_texts(column: np.ndarray | ArrowColumn, width: int) -> list[str]:
    values = column if isinstance(column, np.ndarray) else arrow_values(column)
    texts = [cell_text(value) for value in (values if values.dtype.kind != "O" else values.tolist())]
    if values.dtype.kind == "M":
        texts = _without_zeros(texts)
    if not isinstance(column, np.ndarray) and column.type.startswith("timestamp[") and "," in column.type:
        # The file holds the moment in UTC; without a mark it would read as the time of the zone named below it.
        texts = [text if text in ("NaT", "null") else f"{text}Z" for text in texts]
    return [truncate(text, width) for text in texts]


def _without_zeros(times: list[str]) -> list[str]:
    """Times without the zeros at the end of their fractions that all of them have: they are of one unit."""
    fractions = [text.rpartition(".")[2] for text in times if "." in text]
    digits = max((len(fraction.rstrip("0")) for fraction in fractions), default=0)
    cut = len(fractions[0]) - digits + (digits == 0) if fractions else 0
    return [text[: len(text) - cut] if "." in text else text for text in times]


def _level_texts(labels: Labels, i: int) -> list[str]:
    level = labels.level(i)
    texts = [label_text(label) for label in level]
    is_times = isinstance(level, np.ndarray) and level.dtype.kind == "M"
    return [truncate(text, _WIDEST) for text in (_without_zeros(texts) if is_times else texts)]


def _label_texts(labels: Labels, positions: list[int], width: int) -> list[list[str]]:
    part = [labels[i] if labels.depth > 1 else (labels[i],) for i in positions]
    return [[truncate(label_text(level), width) for level in label] for label in part]


def _join(parts: list[list[str]]) -> list[str]:
    return parts[0] if len(parts) == 1 else [*parts[0], ELLIPSIS, *parts[1]]


def _width(texts: Iterable[str]) -> int:
    return max(map(width_of, texts), default=0)


def _fit(grid: Grid, ncols: int, room: int, gap: int, least: int) -> Grid:
    """Columns from both ends inwards while there is room; one at least."""
    count = len(grid.cells)
    natural = [_width([*grid.columns[i], *grid.cells[i], grid.dtypes[i]]) for i in range(count)]
    # A type in angle brackets may be two characters wider than the text in it.
    widths = [min(width, least + 2) for width in natural]
    keep, left = list(range(count)), count
    if sum(widths) + gap * count > room or count < ncols:
        room -= 1 + gap  # of the ellipsis column
        left, right, taken = 0, 0, 0
        while left + right < count:
            from_left = left <= right
            width = gap + (widths[left] if from_left else widths[count - 1 - right])
            if room < taken + width and left:
                break
            taken += width
            left, right = (left + 1, right) if from_left else (left, right + 1)
        keep = [*range(left), *range(count - right, count)]
    spread = _spread([widths[i] for i in keep], [natural[i] for i in keep], room - gap * len(keep))
    chosen = replace(
        grid,
        columns=[[truncate(text, width) for text in grid.columns[i]] for i, width in zip(keep, spread, strict=True)],
        cells=[[truncate(text, width) for text in grid.cells[i]] for i, width in zip(keep, spread, strict=True)],
        dtypes=[_cut_dtype(grid.dtypes[i], width) for i, width in zip(keep, spread, strict=True)],
        right=[grid.right[i] for i in keep],
    )
    if len(keep) == count == ncols:
        return chosen
    nlevels, nrows = len(grid.columns[0]), len(grid.cells[0])
    return replace(
        chosen,
        columns=_inserted(chosen.columns, left, [ELLIPSIS] * nlevels),
        cells=_inserted(chosen.cells, left, [ELLIPSIS] * nrows),
        dtypes=_inserted(chosen.dtypes, left, ELLIPSIS),
        right=_inserted(chosen.right, left, False),
    )


def _spread(widths: list[int], natural: list[int], room: int) -> list[int]:
    """`widths` with the room that is left, which goes to the narrowest columns that need more first."""
    widths = list(widths)
    for _ in range(max(0, room - sum(widths))):
        growing = [i for i, width in enumerate(widths) if width < natural[i]]
        if not growing:
            break
        widths[min(growing, key=lambda i: (widths[i], i))] += 1
    return widths


def _cut_dtype(text: str, width: int) -> str:
    return text if width_of(text) <= width else f"<{truncate(text[1:-1], width - 2)}>"


def _inserted(items: list[T], at: int, item: T) -> list[T]:
    return [*items[:at], item, *items[at:]]
