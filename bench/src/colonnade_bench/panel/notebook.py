"""Shows results and advice in a notebook: as small HTML tables, and as pandas DataFrames to go on with.

Text from records is escaped, because a notebook shows HTML as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from colonnade.cli.amounts import nbytes_text, seconds_text
from colonnade_bench.intervals import FEWEST, of_median
from colonnade_bench.panel.answer import DIGITS
from colonnade_bench.panel.ranking import Ranked, ranking
from colonnade_bench.panel.report_answer import answer, banner
from colonnade_bench.panel.report_words import range_text, title
from colonnade_bench.panel.terminal_answer import in_order, lines, place_of, remarks

if TYPE_CHECKING:
    from colonnade_bench.panel.answer import Answer
    from colonnade_bench.panel.race import Standing
    from colonnade_bench.panel.summary import Contestant, Place, Results
    from colonnade_bench.summary import Figure

MOST_ROWS = 10
"""A table shows so many engines, and counts the others."""
KEYS = ("run", "dataset", "engine", "format", "codec", "library", "options", "transport", "size")
FIGURES = ("median_s", "low_s", "high_s", "repetitions", "nbytes", "exact", "losses")
"""The columns of `results_frame`."""
CANDIDATE = ("engine", "format", "codec", *FIGURES, "encode_s", "decode_s", "out")
"""The columns of `advice_frame`."""


def results_html(results: Results) -> str:
    """Returns a small table for each place and transport, under the answer.

    >>> from colonnade_bench.panel.summary import Results
    >>> results_html(Results([]))
    '<p>Nothing was measured.</p>'
    """
    out: list[str] = []
    for place in results.places():
        out += [f"<p><strong>{escape(text)}</strong></p>" for text in [banner(results, place)] if text]
        out += [f"<p>{escape(text)}</p>" for text in answer(results, place)]
        for transport in results.transports(place):
            found = ranking(results, place, transport)
            rows = [figures_of(row) for row in (*found.exact, *found.lossy)]
            if rows:
                out.append(html_table(title(transport), HEADER, rows))
    return "".join(out) or "<p>Nothing was measured.</p>"


HEADER = ("engine", "time", "95 % interval", "repetitions", "bytes", "")


def figures_of(row: Ranked) -> list[str]:
    """Returns an engine's row of a notebook's table."""
    losses = "; ".join(row.fidelity.losses) if row.fidelity is not None else "not checked"
    remark = "with losses: " + losses if row.fidelity is not None and losses else losses
    nbytes = nbytes_text(row.nbytes) if row.nbytes is not None else "-"
    times = [seconds_text(row.figure.median), range_text(row.figure), str(row.figure.n)]
    return [row.contestant.name, *times, nbytes, remark]


def html_table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns an HTML table of escaped text.

    >>> html_table("<a>", ["b"], [["c & d"]])
    '<table><caption>&lt;a&gt;</caption><tr><th>b</th></tr><tr><td>c &amp; d</td></tr></table>'
    """
    more = f" (and {len(rows) - MOST_ROWS} more: .to_pandas() has all)" if len(rows) > MOST_ROWS else ""
    lines_of = [line("th", header), *(line("td", row) for row in rows[:MOST_ROWS])]
    return f"<table><caption>{escape(caption + more)}</caption>{''.join(lines_of)}</table>"


def line(tag: str, texts: Iterable[str]) -> str:
    """Returns a row of an HTML table."""
    return "<tr>" + "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts) + "</tr>"


def results_frame(results: Results) -> Any:
    """Returns a pandas DataFrame with a row for each engine, format, codec, transport and size.

    Times are in seconds. ``low_s`` and ``high_s`` are the ends of the 95 % interval of the median, missing where there
    are too few repetitions for one. ``exact`` is missing where the round trip was not checked.

    >>> from colonnade_bench.panel.summary import Results
    >>> list(results_frame(Results([])).columns)[-7:]
    ['median_s', 'low_s', 'high_s', 'repetitions', 'nbytes', 'exact', 'losses']
    """
    rows = [
        row_of(results, place, contestant, transport, size)
        for place in results.places()
        for contestant in results.contestants(place)
        for transport in results.transports(place)
        for size in results.sizes(place, contestant, transport)
    ]
    return as_frame([row for row in rows if row is not None], (*KEYS, *FIGURES))


def row_of(results: Results, place: Place, contestant: Contestant, transport: str, size: float) -> list[Any] | None:
    """Returns a row of `results_frame`. None without measurements."""
    figure = results.figure(place, contestant, transport, size)
    if figure is None:
        return None
    nbytes = results.figure(place, contestant, transport, size, "wire_nbytes")
    found = results.fidelity(place, contestant)
    options = " ".join(f"{key}={value}" for key, value in contestant.options)
    keys = (contestant.engine, contestant.format, contestant.codec, contestant.library, options, transport, size)
    exact = None if found is None else found.exact
    losses = "" if found is None else "; ".join(found.losses)
    return [place.run, place.dataset, *keys, *interval_of(figure), nbytes and nbytes.median, exact, losses]


def interval_of(figure: Figure) -> tuple[float, float | None, float | None, int]:
    """Returns median, ends of the interval, and repetitions. Too few repetitions have no interval."""
    enough = figure.n >= FEWEST
    return figure.median, figure.low if enough else None, figure.high if enough else None, figure.n


def advice_html(answer: Answer) -> str:
    """Returns the answer and a table of the candidates."""
    header = ("candidate", "encode", "decode", "over this link", "size", "laps", "")
    rows = []
    for standing in in_order(answer):
        figures = ["-"] * 5
        if standing.measured:
            costs = answer.of(standing)
            times = (costs.encode_s, costs.decoding_s(answer.share), answer.seconds(costs))
            figures = [*(seconds_text(each, DIGITS) for each in times), nbytes_text(costs.nbytes, DIGITS)]
            figures.append(str(len(standing.laps)))
        rows.append([standing.entrant.name, *figures, place_of(answer, standing)])
    under = "".join(f"<p>{escape(text)}</p>" for text in [*remarks(answer), *lines(answer)])
    first = f"<p><strong>{escape(answer.headline)}</strong></p><p>{escape(answer.context)}</p>"
    return first + html_table("Candidates", header, rows) + under


def advice_frame(answer: Answer) -> Any:
    """Returns a pandas DataFrame with a row for each candidate, fastest first.

    Times are in seconds, for the whole frame over this link, one step after another. ``repetitions`` counts laps, and
    ``out`` says why a candidate ran few or none.
    """
    rows: list[list[Any]] = []
    for standing in in_order(answer):
        entrant = standing.entrant
        keys = [entrant.engine, entrant.format, entrant.codec]
        fidelity = [None if standing.losses is None else standing.lossless, "; ".join(standing.losses or ())]
        if not standing.measured:
            rows.append([*keys, None, None, None, 0, None, *fidelity, None, None, standing.out])
            continue
        costs = answer.of(standing)
        timed = [*laps_interval(answer, standing), costs.nbytes]
        rows.append([*keys, *timed, *fidelity, costs.encode_s, costs.decoding_s(answer.share), standing.out])
    return as_frame(rows, CANDIDATE)


def laps_interval(answer: Answer, standing: Standing) -> tuple[float, float | None, float | None, int]:
    """Returns the median of the laps over this link, the ends of its interval, and the number of laps."""
    found = of_median(answer.lap_seconds(standing))
    ends = (found.low, found.high) if standing.certain else (None, None)
    return found.value, *ends, len(standing.laps)


def as_frame(rows: Sequence[Sequence[Any]], columns: Sequence[str]) -> Any:
    """Returns a pandas DataFrame. Missing figures are NaN, a missing ``exact`` is NA."""
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list(columns))
    kinds = {name: "float64" for name in columns if name.endswith(("_s", "nbytes")) or name == "size"}
    return frame.astype({**kinds, "repetitions": "int64", "exact": "boolean"})
