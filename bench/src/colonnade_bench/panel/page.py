"""The page: one HTML file that needs nothing else, and that nothing leaves.

Everything is inside it: the drawing library, the charts' tables, the figures that the sliders reckon with. A policy
in its head forbids every request and every evaluation of text as code. What records say stands in it as text only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import vl_convert

from colonnade_bench.panel.report_answer import HIGH_BPS, LOW_BPS, candidates, data, headline
from colonnade_bench.panel.report_figures import ended
from colonnade_bench.panel.report_looks import Chart, config
from colonnade_bench.panel.report_part import Part
from colonnade_bench.panel.report_pictures import (
    SLOWEST,
    by_package,
    by_transport,
    kept,
    looks,
    measured,
    ribbon,
    splits,
)
from colonnade_bench.panel.report_sections import parts
from colonnade_bench.panel.summary import Place, Results

FOLDER = Path(__file__).with_name("page")

CHARTED = ("times", "stored", "growth")
"""Tables that stand under a chart of their own."""


BAD = {"silently wrong", "crash", "hang", "failed"}
"""Words that a reader should not miss."""


def page(results: Results) -> str:
    """The whole page as text."""
    places = results.places()
    pieces = {
        "style": (FOLDER / "page.css").read_text(encoding="utf-8"),
        "library": library(),
        "model": (FOLDER / "model.js").read_text(encoding="utf-8"),
        "script": (FOLDER / "page.js").read_text(encoding="utf-8"),
        "choice": choice(places),
        "places": "\n".join(section(results, place, k) for k, place in enumerate(places)) or "<p>No records.</p>",
        "data": embedded([figures(results, place) for place in places]),
    }
    template = (FOLDER / "page.html").read_text(encoding="utf-8")
    # One pass: nothing that is put in is looked at again.
    return re.sub(r"<!--(\w+)-->", lambda match: pieces[match[1]], template)


def library() -> str:
    """Vega, Vega-Lite and their embedding, as one script."""
    bundle: Any = vl_convert.javascript_bundle  # Its types ask for a snippet that its code does not need.
    text = str(bundle())
    if "</script" in text.lower():
        raise ValueError("page: the drawing library cannot stand inside a page: it contains an end of script")
    return text


def embedded(value: Any) -> str:
    """JSON that may stand in a script element: nothing in it can end the element."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def figures(results: Results, place: Place) -> dict[str, Any]:
    """What the page's script needs of one place: charts, and costs of the candidates."""
    colours = looks(results, place)
    links = [results.link(place.run, transport) for transport in results.transports(place)]
    link = next((record for record in reversed(links) if record is not None), None)
    board = ribbon(results, place)
    shown = {
        "log": by_transport(results, place),
        "straight": by_transport(results, place, straight=True),
        "storage": [chart] if (chart := kept(results, place)) is not None else [],
        "split": splits(results, place),
        "package": [by_package(results, place, each) for each in measured(results, place)],
        "ribbon": [board.properties(width="container", title="")] if board is not None else [],
    }
    return {
        "low": LOW_BPS,
        "high": HIGH_BPS,
        "bps": min(max(link["bps"], LOW_BPS), HIGH_BPS) if link else 1e9,
        "delay_s": link["delay_s"] if link else 0.0,
        "candidates": [
            {
                "name": each.name,
                "encode_s": each.encode_s,
                "decode_s": each.decode_s,
                "nbytes": each.nbytes,
                "column_decode_s": each.column_decode_s,
                "colour": colours[each.name][0],
                "exact": results.exact(place, contestant),
            }
            for contestant, each in candidates(results, place, lossy=True).items()
        ],
        "charts": {name: [spec(chart) for chart in each] for name, each in shown.items()},
    }


def spec(chart: Chart) -> dict[str, Any]:
    """A chart as the drawing library reads it."""
    out: dict[str, Any] = chart.to_dict(validate=False)
    out["config"] = config()
    return out


def choice(places: Sequence[Place]) -> str:
    """A list to choose from, where there are several runs or data sets."""
    if len(places) < 2:
        return ""
    options = "".join(
        f'<option value="{k}">{escape(p.dataset)}, run {escape(p.run)}</option>' for k, p in enumerate(places)
    )
    return f'<label class="choice">Data and run <select id="place">{options}</select></label>'


def section(results: Results, place: Place, number: int) -> str:
    """Everything about one place."""
    tables = {part.name: part for part in parts(results, place)}
    pieces = {
        "number": str(number),
        "headline": escape(headline(results, place)),
        "about": escape(f"{data(results, place)}. Run {place.run}: {ended(results, place.run)}."),
        "packages": "".join(f"<option>{escape(each.name)}</option>" for each in measured(results, place)),
        "slow": escape(f"Drawn are those within {SLOWEST:g} times the fastest."),
        "fastest": table(tables.get("fastest")),
        "rest": "".join(boxed(part) for name, part in tables.items() if name not in ("fastest", *CHARTED)),
    }
    pieces.update({name: table(tables.get(name)) for name in CHARTED})
    template = (FOLDER / "place.html").read_text(encoding="utf-8")
    return re.sub(r"<!--(\w+)-->", lambda match: pieces[match[1]], template)


def boxed(part: Part) -> str:
    """A table under a heading; the long one is folded."""
    inside = table(part)
    title = escape(part.title)
    if part.name == "details":
        return f'<section class="part {part.name}"><details><summary>{title}</summary>{inside}</details></section>'
    return f'<section class="part {part.name}"><h2>{title}</h2>{inside}</section>'


def table(part: Part | None) -> str:
    """A table that scrolls inside its own box, with its notes."""
    if part is None:
        return ""
    title = escape(part.title, quote=True)
    head = "".join(f'<th scope="col"{number(part, k)}>{escape(name)}</th>' for k, name in enumerate(part.header))
    body = "".join(f"<tr>{cells(part, row)}</tr>" for row in part.rows)
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in part.notes)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{title}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{notes}"
    )


def cells(part: Part, row: Iterable[str]) -> str:
    """The first cell names the row."""
    out = []
    for k, text in enumerate(row):
        tag, scope = ("th", ' scope="row"') if k == 0 else ("td", "")
        out.append(f"<{tag}{scope}{number(part, k, text)}>{escape(text)}</{tag}>")
    return "".join(out)


def number(part: Part, column: int, text: str = "") -> str:
    """Numbers stand to the right in their columns and are broken nowhere, long text is given room, bad news is seen."""
    if column >= part.numbers:
        return ' class="number"'
    if BAD.intersection(text.split(", ")):
        return ' class="bad"'
    if len(text) > 40:
        return ' class="prose"'
    return ' class="figure"' if text[:1].isdigit() else ""
