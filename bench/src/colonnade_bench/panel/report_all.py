"""Every report from results files, whenever they were measured: nothing is measured here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from colonnade_bench.panel.report_markdown import as_markdown
from colonnade_bench.panel.report_words import slug
from colonnade_bench.panel.summary import Place, Results


def write_reports(paths: Iterable[Path], directory: Path, *, pictures: bool = True) -> list[Path]:
    """Write ``page.html``, ``report.md``, ``merged.json`` and PNG and SVG of every chart.

    Parameters
    ----------
    paths : iterable of Path
        Results files (JSON lines), of one or several runs and machines; a ``merged.json`` of an earlier report counts
        as one. A run that was interrupted is reported as far as it goes.
    directory : Path
        Where they go; made where it is not there. Each place has its own folder of pictures.
    pictures : bool
        Whether PNG and SVG are drawn: most of the time goes there.

    Returns
    -------
    list of Path
        What was written, the page first.

    Raises
    ------
    ValueError
        A file that is not made of records.
    ImportError
        altair or vl-convert-python is not installed; report.md and merged.json are written all the same.
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
    """Where the pictures of a place go: `pictures`, and a folder within for each where there are several."""
    top = Path("pictures")
    return top if len(results.places()) == 1 else top / slug(f"{place.dataset}-{place.run}")
