"""Reports the times of a table in sections, one for each part, library, call, state and transport.

A part that lists its columns has one row for each dataset and contestant. Other parts have a column for each
contestant, or rows if there are many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from colonnade_bench.section import Section
from colonnade_bench.spec import Spec
from colonnade_bench.spec_fields import listed
from colonnade_bench.summary import Figure, Place, Summary, geometric_mean
from colonnade_bench.table_columns import COLUMNS, DEFAULT, Row, digits, notes

TITLES = {
    "write": "Write onto a fresh name",
    "replace": "Write over an existing file",
    "read": "Read, usable",
    "columns": "Read column by column, with the maximum of each",
    "leaf": "Read one field of the records in lists",
    "channel": "From one process to another: the time of the call",
}
METRICS = {"channel": "message_s", "columns": "open_s", "leaf": "open_s"}
"""The metric to show for a call. All other calls show *usable*, which includes one pass over every byte."""
WIDE = 8
"""A table with more contestants than this shows them in rows instead of columns."""
STATES = {
    "first": "first call of a fresh process, empty pools",
    "repeat": "repeated, earlier result dropped, pools warm",
}


def times_sections(summary: Summary, spec: Spec) -> Iterable[Section]:
    """Yields a section for each part with columns, library, call, state and transport.

    Runs of the same contestants share it: each row is of one run, and is compared within it.
    """
    columns = columns_of(spec)
    groups: dict[tuple[str, ...], dict[Place, list[str]]] = {}
    for place in sorted(summary.places(), key=lambda p: (p.run, p.library, p.operation, p.state)):
        for name in summary.contestants(place):
            part = summary.part_of(place, name)
            key = (place.run, place.library, place.operation, place.state, twin(place.dataset), transport_of(name))
            groups.setdefault((*key, part if part in columns else ""), {}).setdefault(place, []).append(name)
    shared: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Place]] = {}
    for (_, *rest_of_key), found in groups.items():
        names = colonnade_first({*chain(*found.values())})
        shared.setdefault((tuple(rest_of_key), tuple(names)), []).extend(found)
    for ((library, operation, state, kind, transport, part), chosen), places in shared.items():
        # For given streams the call itself is compared. A reader is not responsible for the time to find the buffers of
        # a million chunks.
        given = transport == "given"
        metric = "open_s" if given else METRICS.get(operation, "usable_s")
        words = "Read, the time of the call" if given else TITLES[operation]
        rest = f"{library}{', ' + kind if kind else ''}, {STATES[state]}{', ' + transport if transport else ''}"
        title = f"{words}: {part + ', ' if part else ''}{rest}"
        if part or len(chosen) > WIDE:
            section = ranking(summary, title, places, chosen, metric, columns.get(part, DEFAULT))
        else:
            section = comparison(summary, title, places, chosen, metric)
        section.brief = bool(part)
        if section.rows:
            yield section


def colonnade_first(contestants: Iterable[str]) -> list[str]:
    """Sorts contestants so that others are compared with the Colonnade row that does the same work as most of them.

    >>> colonnade_first(["polars of=b", "colonnade of=a", "colonnade of=b", "duckdb of=b"])
    ['colonnade of=b', 'colonnade of=a', 'duckdb of=b', 'polars of=b']
    """
    work = {name: name.partition(" ")[2] for name in contestants}
    count = Counter(work.values())
    return sorted(
        work, key=lambda name: (0, -count[work[name]], name) if name.startswith("colonnade") else (1, 0, name)
    )


def columns_of(spec: Spec) -> dict[str, list[str]]:
    """Returns the columns of each part that lists some."""
    return {part.name: listed(part.column) for part in spec.parts() if part.column}


def transport_of(contestant: str) -> str:
    """Returns the transport in a contestant's name. A file has none.

    >>> transport_of("raw bytes (unix)"), transport_of("pickle pickle")
    ('unix', '')
    """
    return contestant.rpartition(" (")[2].removesuffix(")") if contestant.endswith(")") else ""


def ranking(
    summary: Summary,
    title: str,
    places: Iterable[Place],
    contestants: Sequence[str],
    metric: str,
    columns: Sequence[str] = DEFAULT,
) -> Section:
    """Shows one row for each place and contestant, the fastest first, with the given columns and the rounds."""
    found: dict[Place, dict[str, Figure]] = {
        place: {name: figure for name in contestants if (figure := summary.figure(place, name, metric))}
        for place in places
    }
    bases = {place: next((n for n in found[place] if n.startswith("colonnade")), None) for place in found}
    known = {base for base in bases.values() if base}
    names = [name for name in columns if name != "rounds" and (name != "ratio" or known)] + ["rounds"]
    rows: list[list[str]] = []
    for place, figures in found.items():
        for name in sorted(figures, key=lambda n: figures[n].median):
            row = Row(summary, place, name, metric, bases[place])
            rows.append([_dataset(place), name, *(COLUMNS[column].text(row) for column in names)])
    base = next(iter(known)) if len(known) == 1 else "the dataset's first Colonnade contestant"
    header = ["dataset", "contestant", *(COLUMNS[name].header for name in names)]
    return Section(title, header, rows, notes(names, base))


def comparison(
    summary: Summary, title: str, places: Sequence[Place], contestants: Sequence[str], metric: str
) -> Section:
    """Shows one row for each place and one column for each contestant.

    A cell has milliseconds and their multiple of the first contestant's time.
    """
    base = contestants[0]
    places = [place for place in places if any(summary.figure(place, name, metric) for name in contestants)]
    rows: list[list[str]] = []
    ratios: dict[str, list[float]] = {name: [] for name in contestants}
    counts = set()
    for place in places:
        row = [_dataset(place)]
        for name in contestants:
            figure, ratio = summary.figure(place, name, metric), summary.ratio(place, base, name, metric)
            if ratio is not None:
                ratios[name].append(ratio.median)
            counts |= {figure.n} if figure else set()
            row.append(_cell(figure, None if name == base else ratio))
        rows.append(row)
    if len(places) > 1:
        means = [f"{geometric_mean(r):.2f}x" if r and n != base else "" for n, r in ratios.items()]
        rows.append(["geometric mean", *means])
    note = (
        f"Milliseconds: median [quartiles], then how many times the time of {base} (median of per-round ratios)."
        f" {rounds_text(counts)}"
    )
    return Section(title, ["dataset", *contestants], rows, [note])


def rounds_text(counts: Iterable[int]) -> str:
    """Says how many samples each figure has.

    >>> rounds_text([7]), rounds_text([3, 7])
    ('Rounds: 7.', 'Rounds: 3 to 7.')
    """
    low, high = min(counts, default=0), max(counts, default=0)
    return f"Rounds: {low}." if low == high else f"Rounds: {low} to {high}."


def twin(dataset: str) -> str:
    """Returns the twin of a fixture that a dataset is. A mean over different twins has no meaning.

    >>> twin("fixture-tall-mixed-1e6-unique"), twin("fixture-tall-mixed-1e6")
    ('unique', '')
    """
    last = dataset.rpartition("-")[2]
    return last if dataset.startswith("fixture-") and last in ("unique", "consolidated") else ""


def _dataset(place: Place) -> str:
    return place.dataset if place.size == 1.0 else f"{place.dataset} x {place.size:g}"


def _cell(figure: Figure | None, ratio: Figure | None) -> str:
    """Formats milliseconds, and their multiple of the base's if there is one."""
    if figure is None:
        return "-"
    text = f"{digits(figure.median * 1e3)} [{digits(figure.low * 1e3)}-{digits(figure.high * 1e3)}]"
    return text if ratio is None else f"{text} {ratio.median:.2f}x"
