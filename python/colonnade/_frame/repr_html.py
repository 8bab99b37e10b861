"""The same grid as `repr`, as an HTML table for notebooks. Everything from the file is escaped."""

from html import escape
from typing import TYPE_CHECKING

from .grid import make_grid
from .repr import axis_title, label_list, title

if TYPE_CHECKING:
    from .frame import Frame

_MAX_ROWS = 20
_WIDTH = 240


def render_html(frame: "Frame") -> str:
    """`frame` as an HTML table."""
    titles = axis_title(frame.columns), axis_title(frame.index)
    head = f"<div>{escape(title(frame))}</div>"
    if 0 in frame.shape:
        sides = zip(titles, (frame.columns, frame.index), strict=True)
        return head + "".join(
            f"<div>{escape(name)} {escape(label_list(labels, _WIDTH))}</div>" for name, labels in sides
        )
    grid = make_grid(frame, max_rows=_MAX_ROWS, width=_WIDTH, titles=titles)
    depth = len(grid.index)
    rows = []
    for level, dtype in enumerate(grid.column_dtypes):
        left = _cell("th", titles[0] if level == 0 else "", span=depth)
        labels = [_cell("th", column[level]) for column in grid.columns]
        rows.append([left, *labels, _cell("td", dtype, small=True)])
    rows.append([_cell("th", titles[1], span=depth)])
    for row in range(len(grid.index[0])):
        left_cells = [_cell("th", level[row]) for level in grid.index]
        cells = [_cell("td", column[row], right=right) for column, right in zip(grid.cells, grid.right, strict=True)]
        rows.append([*left_cells, *cells])
    rows.append([_cell("td", dtype, small=True) for dtype in [*grid.index_dtypes, *grid.dtypes]])
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"{head}\n<table>\n{body}\n</table>"


def _cell(tag: str, text: str, *, span: int = 1, right: bool = False, small: bool = False) -> str:
    attributes = f' colspan="{span}"' if span > 1 else ""
    attributes += ' style="text-align: right"' if right else ' style="text-align: left"'
    content = f"<small>{escape(text)}</small>" if small else escape(text)
    return f"<{tag}{attributes}>{content}</{tag}>"
