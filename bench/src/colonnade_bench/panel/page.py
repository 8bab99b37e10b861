"""Builds the page: one HTML file that works offline and sends no request.

It contains the drawing library, the tables of the charts and the figures of the sliders, all compressed. A policy in
its head forbids every request, and every script except three with known hashes. Records appear only as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

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
"""Tables that have a chart of their own above them."""


BAD = {"silently wrong", "crash", "hang", "failed"}
"""Words that the page marks as bad news."""


def page(results: Results) -> str:
    """Returns the whole page as text."""
    places = results.places()
    drawing = library()
    model, script = ((FOLDER / name).read_text(encoding="utf-8") for name in ("model.js", "page.js"))
    return (
        templates()
        .get_template("page.html")
        .render(
            style=Markup((FOLDER / "page.css").read_text(encoding="utf-8")),
            hashes=Markup(" ".join(map(script_hash, (drawing, model, script)))),
            library=packed(drawing),
            model=Markup(model),
            script=Markup(script),
            data=packed(embedded([figures(results, place) for place in places])),
            places=[section(results, place) for place in places],
        )
    )


def templates() -> Environment:
    """Loads the templates of this folder. Text from records is escaped. An unknown name is an error."""
    found = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals["look"] = look
    return found


def library() -> str:
    """Returns Vega, Vega-Lite and their embedding as one script."""
    bundle: Any = vl_convert.javascript_bundle  # The types require a snippet, but the code does not.
    return str(bundle())


def packed(text: str) -> str:
    """Compresses text that the page's script unpacks: the library to a third of its size, the charts to a tenth."""
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode("ascii")


def script_hash(script: str) -> str:
    """Returns the script's hash in the form of a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode('ascii')}'"


def embedded(value: Any) -> str:
    """Returns JSON for a script element. No content can end the element."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def figures(results: Results, place: Place) -> dict[str, Any]:
    """Returns the data of one place for the page's script: charts, and costs of the candidates."""
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
    for chart in shown["ribbon"]:
        chart.datasets = alt.Undefined  # the page's script computes these tables
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
    """Returns a chart in the form that the drawing library reads."""
    out: dict[str, Any] = rounded(chart.to_dict(validate=False))
    out["config"] = config()
    return out


def rounded(value: Any) -> Any:
    """Rounds the numbers of a chart to five digits. A chart shows no more."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list | tuple) else value


def section(results: Results, place: Place) -> dict[str, Any]:
    """Returns all content of the page about one place."""
    tables = {part.name: part for part in parts(results, place)}
    return {
        "dataset": place.dataset,
        "run": place.run,
        "headline": headline(results, place),
        "about": f"{data(results, place)}. Run {place.run}: {ended(results, place.run)}.",
        "packages": [each.name for each in measured(results, place)],
        "slowest": f"{SLOWEST:g}",
        **{name: tables.get(name) for name in ("fastest", *CHARTED)},
        "rest": [part for name, part in tables.items() if name not in ("fastest", *CHARTED)],
    }


def look(part: Part, column: int, text: str) -> str:
    """Returns the class of a cell: figures do not wrap, long text gets room, bad news is marked.

    Columns of numbers need no class, because the table states where they begin.
    """
    if column >= part.numbers:
        return ""
    if BAD.intersection(text.split(", ")):
        return "bad"
    if len(text) > 40:
        return "prose"
    return "figure" if text[:1].isdigit() else ""
