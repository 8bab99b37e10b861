"""Writes SVG: elements as text, the colours of both themes, and the frame of a picture.

Texts have the font of the reader's system, so their widths are only estimated, with wide fonts in mind.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

WIDTH = 720
"""The natural width of every picture. Pages show it down to 400."""
MARGIN = 16
CHAR_WIDTH, CODE_CHAR_WIDTH = 0.56, 0.61
"""The estimated width of a character, as a share of the font size: of sentences, and of monospaced code."""

SIZES = {"label": 18, "note": 17, "detail": 15, "tick": 15}
"""The font size of each class of text. At a width of 400 the smallest is still 8 pixels."""

_COLORS = (
    ("text", "fill", "#1f2328", "#e6edf3"),
    (".muted", "fill", "#57606a", "#9aa4af"),
    (".grid", "stroke", "#d8dee4", "#3d444d"),
    (".axis,.limit", "stroke", "#57606a", "#9aa4af"),
    (".limit.solid", "fill", "#57606a", "#9aa4af"),
    (".metadata", "fill", "#fdf1d6", "#3d3013"),
    (".metadata,.copied", "stroke", "#b07d00", "#d9a53a"),
    (".values", "fill", "#dcecf8", "#12324a"),
    (".values,.shared,.colonnade", "stroke", "#0072b2", "#56b4e9"),
    (".colonnade.solid", "fill", "#0072b2", "#56b4e9"),
    (".labels", "fill", "#d9f2e9", "#0e3a2e"),
    (".labels", "stroke", "#009e73", "#2fb98f"),
    (".padding", "fill", "#f0f2f4", "#262c34"),
    (".padding", "stroke", "#8c959f", "#768390"),
    (".other", "stroke", "#d55e00", "#e69f00"),
    (".other.solid", "fill", "#d55e00", "#e69f00"),
)
"""Selector, property, the light colour and the dark one. Those of charts are of Okabe and Ito's palette."""

_SHAPES = """text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.bold{font-weight:600}
.line{fill:none;stroke-width:2;stroke-linejoin:round}
.line.colonnade{stroke-width:3}
.line.limit{stroke-dasharray:6 4}
.hollow{fill:none;stroke-width:2}
.padding{stroke-dasharray:4 3}
.group{fill:none;stroke-width:1.5}
.copied,.shared{fill:none;stroke-width:2.5}
.shared{stroke-dasharray:5 4}
.tip{stroke-dasharray:none}"""


def number(value: float) -> str:
    """Formats a coordinate with one decimal at most."""
    return f"{value:.1f}".removesuffix(".0")


def element(name: str, classes: str = "", content: str | None = None, **attributes: float | str) -> str:
    """Returns an element. Underscores in names of attributes become hyphens."""
    words = [name, f'class="{classes}"'] if classes else [name]
    for key, value in attributes.items():
        shown = value if isinstance(value, str) else number(value)
        words.append(f"{key.replace('_', '-')}={quoteattr(shown)}")
    return f"<{' '.join(words)}/>" if content is None else f"<{' '.join(words)}>{content}</{name}>"


def text(x: float, y: float, content: str, classes: str, anchor: str = "start") -> str:
    """Returns a line of text. Content in backticks is code."""
    if is_code(content):
        classes, content = f"{classes} code", content.strip("`")
    placed = {"text_anchor": anchor} if anchor != "start" else {}
    return element("text", classes, escape(content), x=x, y=y, **placed)


def line(x1: float, y1: float, x2: float, y2: float, classes: str) -> str:
    """Returns a straight line."""
    return element("path", classes, d=f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}")


def polyline(points: Iterable[tuple[float, float]], classes: str) -> str:
    """Returns a line through all points."""
    return element("path", classes, d="M" + "L".join(f"{number(x)} {number(y)}" for x, y in points))


def rect(x: float, y: float, width: float, height: float, classes: str, radius: float = 0) -> str:
    """Returns a rectangle."""
    rounded = {"rx": radius} if radius else {}
    return element("rect", classes, x=x, y=y, width=width, height=height, **rounded)


def is_code(content: str) -> bool:
    """Whether a text is written in backticks."""
    return len(content) > 1 and content[0] == content[-1] == "`"


def text_width(content: str, size_class: str) -> float:
    """Estimates the width of a text.

    >>> text_width("abcde", "label")
    50.4
    """
    share = CODE_CHAR_WIDTH if is_code(content) else CHAR_WIDTH
    return round(len(content.strip("`")) * share * SIZES[size_class], 1)


def style() -> str:
    """Returns the style sheet: shapes, sizes, light colours, and dark ones for dark pages."""
    sizes = "\n".join(f".{name}{{font-size:{size}px}}" for name, size in SIZES.items())
    light = "\n".join(f"{selector}{{{name}:{color}}}" for selector, name, color, _ in _COLORS)
    dark = "\n".join(f"{selector}{{{name}:{color}}}" for selector, name, _, color in _COLORS)
    return f"{_SHAPES}\n{sizes}\n{light}\n@media (prefers-color-scheme:dark){{\n{dark}\n}}"


def document(height: float, title: str, description: str, elements: Iterable[str]) -> str:
    """Returns the whole picture. Title and description are for readers who do not see it."""
    size = f'width="{WIDTH}" height="{number(height)}" viewBox="0 0 {WIDTH} {number(height)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="t d">',
        f'<title id="t">{escape(title)}</title>',
        f'<desc id="d">{escape(description)}</desc>',
        f"<style>\n{style()}\n</style>",
        *elements,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
