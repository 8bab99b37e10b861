"""Draws layout diagrams: rows of boxes, framed groups, arrows and sentences, from top to bottom.

A box whose texts do not fit is an error, so that no text is ever clipped.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from scripts.pictures import svg
from scripts.pictures.layout_parts import Arrows, Box, Group, Layout, Part, Row, Words

LABEL_HEIGHT, DETAIL_HEIGHT, NOTE_HEIGHT = 23, 19, 22
BOX_PADDING, GROUP_PADDING = 8, 12
SPACE = 12
"""The distance between parts."""
ARROW_LENGTH = 46

Drawn = tuple[list[str], float]
"""Elements, and the height that they take."""


def draw_layout(layout: Layout) -> str:
    """Returns a picture as SVG."""
    inner = svg.WIDTH - 2 * svg.MARGIN
    elements, height = _parts(layout.parts, svg.MARGIN, svg.MARGIN, inner)
    if layout.legend:
        marks, legend_height = _legend(layout.legend, svg.MARGIN + height + SPACE)
        elements, height = elements + marks, height + SPACE + legend_height
    return svg.document(height + 2 * svg.MARGIN, layout.title, layout.description, elements)


def _parts(parts: tuple[Part, ...], x: float, y: float, width: float) -> Drawn:
    elements: list[str] = []
    top, after_arrow = y, True
    for part in parts:
        arrow = isinstance(part, Arrows)
        top += 0 if arrow or after_arrow else SPACE
        drawn, height = _part(part, x, top, width)
        elements += drawn
        top, after_arrow = top + height, arrow
    return elements, top - y


def _part(part: Part, x: float, y: float, width: float) -> Drawn:
    match part:
        case Row():
            return _row(part, x, y, width)
        case Group():
            return _group(part, x, y, width)
        case Arrows():
            return _arrows(part, x, y, width)
        case Words():
            return _note(part.text, x, y, width)


def _row(row: Row, x: float, y: float, width: float) -> Drawn:
    elements: list[str] = []
    lines = max(len(box.details) for box in row.boxes)
    height = 2 * BOX_PADDING + LABEL_HEIGHT + lines * DETAIL_HEIGHT
    left = x
    for box, box_width in zip(row.boxes, _widths(row, width), strict=True):
        elements += _box(box, left, y, box_width, height)
        left += box_width + row.gap
    if row.note:
        note, note_height = _note(row.note, x, y + height + 4, width)
        return elements + note, height + 4 + note_height
    return elements, height


def _widths(row: Row, width: float) -> list[float]:
    """Gives each box the width of its texts, and its share of the rest."""
    natural = [_natural_width(box) for box in row.boxes]
    rest = width - sum(natural) - row.gap * (len(row.boxes) - 1)
    if rest < 0:
        labels = ", ".join(box.label for box in row.boxes)
        raise ValueError(f"The boxes {labels} are {-rest:.0f} pixels too wide.")
    total = sum(box.weight for box in row.boxes) or 1.0
    return [each + rest * box.weight / total for each, box in zip(natural, row.boxes, strict=True)]


def _natural_width(box: Box) -> float:
    texts = [svg.text_width(box.label, "label"), *(svg.text_width(each, "detail") for each in box.details)]
    return max(box.least, max(texts) + 2 * BOX_PADDING)


def _box(box: Box, x: float, y: float, width: float, height: float) -> list[str]:
    middle = x + width / 2
    block = LABEL_HEIGHT + len(box.details) * DETAIL_HEIGHT
    baseline = y + (height - block) / 2 + LABEL_HEIGHT - 6
    elements = [svg.rect(x, y, width, height, box.kind), svg.text(middle, baseline, box.label, "label", "middle")]
    for number, detail in enumerate(box.details, 1):
        elements.append(svg.text(middle, baseline + number * DETAIL_HEIGHT, detail, "detail", "middle"))
    return elements


def _group(group: Group, x: float, y: float, width: float) -> Drawn:
    top = GROUP_PADDING + LABEL_HEIGHT
    inner, height = _parts(group.parts, x + GROUP_PADDING, y + top, width - 2 * GROUP_PADDING)
    height += top + GROUP_PADDING
    label = svg.text(x + GROUP_PADDING, y + GROUP_PADDING + LABEL_HEIGHT - 10, group.label, "label bold")
    return [svg.rect(x, y, width, height, "group axis", 6), label, *inner], height


def _note(content: str, x: float, y: float, width: float) -> Drawn:
    most = int(width / (svg.CHAR_WIDTH * svg.SIZES["note"]))
    lines = textwrap.wrap(content, most)
    elements = [svg.text(x, y + number * NOTE_HEIGHT - 5, each, "note muted") for number, each in enumerate(lines, 1)]
    return elements, len(lines) * NOTE_HEIGHT


def _arrows(arrows: Arrows, x: float, y: float, width: float) -> Drawn:
    elements: list[str] = []
    step = width / len(arrows.arrows)
    for number, arrow in enumerate(arrows.arrows):
        left = x + number * step + (24 if len(arrows.arrows) == 1 else 12)
        if left + 14 + svg.text_width(arrow.label, "note") > x + (number + 1) * step:
            raise ValueError(f"The label of the arrow, {arrow.label!r}, is too wide.")
        kind = "copied" if arrow.copies else "shared"
        end = y + ARROW_LENGTH - 3
        elements.append(svg.line(left, y + 3, left, end - 3, kind))
        elements.append(svg.polyline([(left - 6, end - 8), (left, end), (left + 6, end - 8)], f"{kind} tip"))
        elements.append(svg.text(left + 14, y + ARROW_LENGTH / 2 + 6, arrow.label, "note"))
    return elements, ARROW_LENGTH


def _legend(legend: Mapping[str, str], y: float) -> Drawn:
    elements: list[str] = []
    x: float = svg.MARGIN
    for kind, words in legend.items():
        elements += [svg.rect(x, y + 4, 18, 14, kind), svg.text(x + 25, y + 17, words, "detail muted")]
        x += 25 + svg.text_width(words, "detail") + 18
    if x - 18 > svg.WIDTH - svg.MARGIN:
        raise ValueError("The legend is too wide.")
    return elements, NOTE_HEIGHT
