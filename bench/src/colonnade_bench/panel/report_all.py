"""Writes every report from results files. It measures nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from colonnade_bench.panel.report_markdown import as_markdown
from colonnade_bench.panel.report_words import slug
from colonnade_bench.panel.summary import Place, Results


def write_reports(paths: Iterable[Path], directory: Path, *, pictures: bool = True) -> list[Path]:
    """Writes ``page.html``, ``report.md``, ``merged.json``, and PNG and SVG of every chart.

    Parameters
    ----------
    paths : iterable of Path
        Results files (JSON lines) of one or several runs and machines. A ``merged.json`` of an earlier report counts as
        one file. An interrupted run is reported as far as it goes.
    directory : Path
        The directory of the reports, created if missing. Each place has its own folder of pictures.
    pictures : bool
        Whether to draw PNG and SVG, which takes most of the time.

    Returns
    -------
    list of Path
        The written files, the page first.

    Raises
    ------
    ValueError
        A file does not consist of records.
    ImportError
        altair or vl-convert-python is not installed. report.md and merged.json are written nevertheless.
    """
    results = Results.load(*paths)
    directory.mkdir(parents=True, exist_ok=True)
    merged = directory / "merged.json"
    merged.write_text("[\n" + ",\n".join(map(json.dumps, results.records)) + "\n]\n", encoding="utf-8")
    report = directory / "report.md"
    report.write_text(as_markdown(results), encoding="utf-8")
    try:
        from colonnade_bench.panel.page import page
        from colonnade_bench.panel.report_pictures import write_pictures
    except ImportError as error:
        raise ImportError(
            f"bench: page and pictures need more; pip install altair vl-convert-python jinja2 ({error})"
        ) from error
    html = directory / "page.html"
    html.write_text(page(results), encoding="utf-8")
    if not pictures:
        return [html, report, merged]
    drawn = {place: write_pictures(results, place, directory / folder(results, place)) for place in results.places()}
    beside = {place: [path.relative_to(directory) for path in each] for place, each in drawn.items()}
    report.write_text(as_markdown(results, beside), encoding="utf-8")
    return [html, report, merged, *(path for each in drawn.values() for path in each)]


def folder(results: Results, place: Place) -> Path:
    """Returns the folder for a place's pictures: `pictures`, with a subfolder for each of several places."""
    top = Path("pictures")
    return top if len(results.places()) == 1 else top / slug(f"{place.dataset}-{place.run}")
