"""Builds the page: one HTML file that works offline and sends no request.

It contains the drawing library and the data of all places, both compressed, and one script that shows them. A policy in
its head forbids every request, and every script except two with known hashes. Records appear only as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from colonnade_bench.panel.page_data import figures
from colonnade_bench.panel.summary import Results

FOLDER = Path(__file__).with_name("page")

SCRIPTS = ("units.js", "model.js", "view.js", "answer.js", "bars.js", "drawing.js", "tables.js", "page.js")
"""The parts of the script, in the order in which they use each other."""
STYLES = ("page.css", "bars.css")


def page(results: Results, changes: Mapping[str, str] | None = None) -> str:
    """Returns the whole page as text. `changes` tells what a run changed in the ranking of the one before."""
    told = changes or {}
    places = [figures(results, place) | {"changes": told.get(place.run, "")} for place in results.places()]
    drawing, script = library(), "\n".join(read(name) for name in SCRIPTS)
    return (
        templates()
        .get_template("page.html")
        .render(
            style=Markup("\n".join(read(name) for name in STYLES)),
            hashes=Markup(" ".join(map(script_hash, (drawing, script)))),
            library=packed(drawing),
            script=Markup(script),
            data=packed(embedded(places)),
        )
    )


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def templates() -> Environment:
    """Loads the template of this folder. Text is escaped. An unknown name is an error."""
    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def library() -> str:
    """Returns Vega, Vega-Lite and their embedding as one script."""
    bundle: Any = vl_convert.javascript_bundle  # The types require a snippet, but the code does not.
    return str(bundle())


def packed(text: str) -> str:
    """Compresses text that the page's script unpacks: the library to a third of its size, the data to a tenth."""
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode("ascii")


def script_hash(script: str) -> str:
    """Returns the script's hash in the form of a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode('ascii')}'"


def embedded(value: Any) -> str:
    """Returns JSON for a script element. No content can end the element."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
