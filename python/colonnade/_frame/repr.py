"""`repr(frame)`: shape and name, classes and names of both axes, first and last rows and columns, data types.

    <Frame: p> 3 rows x 4 columns
    <IndexHierarchy: q>          data    data    data valid  <<U5>
                                    A       B       C *      <<U1>
    <IndexHierarchy: r>
    2012-03             x           5       4       7 False
    2012-03             y           9       1       8 True
    2012-04             x           3       6       2 True
    <datetime64[M]>     <<U1> <int64> <int64> <int64> <bool>

The order is StaticFrame's: the class and name of the columns in the first line of labels, those of the rows above
them, and the types at the ends of both.
"""

import shutil
from typing import TYPE_CHECKING

from .._values.terminal_text import label_text, pad, truncate, width_of
from .axes import Labels
from .grid import make_grid

if TYPE_CHECKING:
    from .frame import Frame

_MAX_ROWS = 10


def render(frame: "Frame", *, max_rows: int = _MAX_ROWS, width: int | None = None) -> str:
    """`frame` as text of at most `width` columns (default: the terminal's, 80 where there is none)."""
    width = width or shutil.get_terminal_size().columns
    titles = axis_title(frame.columns), axis_title(frame.index)
    if 0 in frame.shape:
        sides = zip(titles, (frame.columns, frame.index), strict=True)
        return "\n".join([title(frame), *(f"{name} {label_list(labels, width)}".rstrip() for name, labels in sides)])
    grid = make_grid(frame, max_rows=max_rows, width=width, titles=titles)
    nlevels = len(grid.column_dtypes)
    # Three bands: labels of the columns, one line for the title of the index, then rows and data types.
    first = [titles[0], *[""] * (nlevels - 1), titles[1], *grid.index[0], grid.index_dtypes[0]]
    others = [
        [""] * (nlevels + 1) + [*level, dtype]
        for level, dtype in zip(grid.index[1:], grid.index_dtypes[1:], strict=True)
    ]
    columns = [
        [*labels, "", *cells, dtype] for labels, cells, dtype in zip(grid.columns, grid.cells, grid.dtypes, strict=True)
    ]
    last = [*grid.column_dtypes, *[""] * (len(first) - nlevels)]
    right = [False] * (1 + len(others)) + grid.right + [False]
    lines = _aligned([first, *others, *columns, last], right)
    return "\n".join([title(frame), *lines])


def _aligned(columns: list[list[str]], right: list[bool]) -> list[str]:
    padded = []
    for column, is_right in zip(columns, right, strict=True):
        width = max(map(width_of, column))
        padded.append([pad(text, width, right=is_right) for text in column])
    return [" ".join(cells).rstrip() for cells in zip(*padded, strict=True)]


def title(frame: "Frame") -> str:
    """Name and shape."""
    name = "<Frame>" if frame.name is None else f"<Frame: {truncate(label_text(frame.name), 60)}>"
    nrows, ncols = frame.shape
    return f"{name} {nrows:,} row{'' if nrows == 1 else 's'} x {ncols:,} column{'' if ncols == 1 else 's'}"


def axis_title(labels: Labels) -> str:
    """Class and name of an axis."""
    return f"<{labels.cls}>" if labels.name is None else f"<{labels.cls}: {truncate(label_text(labels.name), 40)}>"


def label_list(labels: Labels, width: int) -> str:
    """A few labels in one line, for a frame that has no cells to show."""
    shown = ", ".join(label_text(label) for label in labels[:20])
    return truncate(shown, max(8, width - width_of(axis_title(labels)) - 1))
