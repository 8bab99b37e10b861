"""Collects the figures of one place for the page's script: engines, ways, presets, charts and tables.

The script ranks measured ways exactly as `ranking` does, because order, ratios and ties come from there. It computes
only what a slider changes.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from colonnade_bench.engines.ours import Colonnade
from colonnade_bench.intervals import FEWEST
from colonnade_bench.panel.calls_shown import call_of
from colonnade_bench.panel.charts_compared import scatter
from colonnade_bench.panel.page_ways import absent, presets, raw_bps
from colonnade_bench.panel.ranking import Ranked, ranking
from colonnade_bench.panel.report_answer import HIGH_BPS, LOW_BPS, banner, candidates, data
from colonnade_bench.panel.report_looks import Chart, config
from colonnade_bench.panel.report_pictures import by_transport, looks, ribbon, splits
from colonnade_bench.panel.report_sections import parts
from colonnade_bench.panel.report_words import phrase, title
from colonnade_bench.panel.summary import Contestant, Fidelity, Place, Results

MOST = 300
"""Losses are cut after this many characters. The table of fidelity has them all."""


def figures(results: Results, place: Place) -> dict[str, Any]:
    """Returns all data of one place."""
    engines = results.contestants(place)
    numbers = {contestant: number for number, contestant in enumerate(engines)}
    ways = [way(results, place, transport, numbers) for transport in results.transports(place)]
    blocked = sorted({name for each in ways for name in each["unmeasured"]} - modelled(results, place))
    found, first = presets(results, place, ways)
    return {
        "name": place.dataset,
        "run": place.run,
        "data": data(results, place),
        "banner": banner(results, place),
        "low": LOW_BPS,
        "high": HIGH_BPS,
        "fewest": FEWEST,
        "engines": described(results, place, engines),
        "ways": ways,
        "presets": found,
        "first": first,
        "blocked": blocked,
        "charts": drawn(results, place),
        "parts": [vars(part) for part in parts(results, place)],
    }  # fmt: skip


def modelled(results: Results, place: Place) -> set[str]:
    """Returns the names of the engines that the model can compare."""
    return {contestant.name for contestant in candidates(results, place, lossy=True)}


def described(results: Results, place: Place, engines: list[Contestant]) -> list[dict[str, Any]]:
    """Returns what is known of each engine, whatever the way: its call, its losses, its costs for the model."""
    costs, colours = candidates(results, place, lossy=True), looks(results, place)
    out = []
    for contestant in engines:
        fidelity, cost = results.fidelity(place, contestant), costs.get(contestant)
        out.append(
            {
                "name": contestant.name,
                "spoken": contestant.spoken,
                "ours": contestant.engine == Colonnade.name,
                "format": contestant.format,
                "call": call_of(contestant),
                "exact": fidelity is not None and fidelity.exact,
                "lost": lost(fidelity),
                "losses": losses(fidelity),
                "colour": colours[contestant.name][0],
                "cost": cost and {
                    "encode_s": cost.encode_s,
                    "decode_s": cost.decode_s,
                    "nbytes": cost.nbytes,
                    "column_decode_s": cost.column_decode_s,
                },
            }
        )  # fmt: skip
    return out


def lost(fidelity: Fidelity | None) -> str:
    """Says in a word or two what a round trip loses. Empty if nothing."""
    if fidelity is None:
        return "not checked"
    if fidelity.exact:
        return ""
    if not fidelity.ok:
        return "failed"
    return "metadata only" if fidelity.values_kept else "values"


def losses(fidelity: Fidelity | None) -> str:
    """Lists what is lost, for the tooltip of the mark."""
    text = "" if fidelity is None else "; ".join(fidelity.losses) or fidelity.error
    return text if len(text) <= MOST else text[:MOST] + " ..."


def way(results: Results, place: Place, transport: str, numbers: dict[Contestant, int]) -> dict[str, Any]:
    """Returns the ranking over one transport, with engines by number."""
    found = ranking(results, place, transport)
    link = results.link(place.run, transport)
    return {
        "id": transport,
        "title": title(transport),
        "phrase": phrase(transport),
        "bps": link["bps"] if link else raw_bps(results, place, transport),
        "delay_s": link["delay_s"] if link else 0.0,
        "exact": [row(each, numbers) for each in found.exact],
        "lossy": [row(each, numbers) for each in found.lossy],
        "winner": numbers[found.winner.contestant] if found.winner else None,
        "unmeasured": [contestant.name for contestant in found.unmeasured],
        "absent": absent(results, place, found, numbers),
    }


def row(each: Ranked, numbers: dict[Contestant, int]) -> dict[str, Any]:
    """Returns one measured row. Times are seconds, `slower` is the ratio to the first row with its interval."""
    figure = each.figure
    return {
        "engine": numbers[each.contestant],
        "time": figure.median,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        "slower": [each.slower.value, each.slower.low, each.slower.high],
        "tied": each.tied,
        "first": each.first_call_s,
        "nbytes": each.nbytes,
    }


def drawn(results: Results, place: Place) -> dict[str, Any]:
    """Returns the charts. Growth and split have one for each way, in the order of the ways that have points."""
    board = ribbon(results, place)
    compared = [board] if board is not None else []
    compared.append(scatter([], [], []))
    for chart in compared:
        chart.datasets = alt.Undefined  # the script computes these tables
    specs = [spec(chart.properties(width="container", title="")) for chart in compared]
    return {
        "ribbon": specs[0] if board is not None else None,
        "scatter": specs[-1],
        "log": [spec(wide(chart)) for chart in by_transport(results, place)],
        "straight": [spec(wide(chart)) for chart in by_transport(results, place, straight=True)],
        "split": [spec(wide(chart)) for chart in splits(results, place)],
    }


def wide(chart: Chart) -> Chart:
    """Returns the chart as wide as its box."""
    found: Chart = chart.properties(width="container")
    return found


def spec(chart: Chart) -> dict[str, Any]:
    """Returns a chart in the form that the drawing library reads."""
    out: dict[str, Any] = rounded(chart.to_dict(validate=False))
    out["config"] = config()
    return out


def rounded(value: Any) -> Any:
    """Rounds the numbers of a chart to four digits. A chart shows no more."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list | tuple) else value
