"""Explains the curve of the stream sweep: batches cost time in small chunks, the cache runs out in large ones.

This machine has no hardware counters, so the tables vary one thing at a time. Chunk size against number of columns
shows the cost of headers. Copies laid out like the streams but without headers show the cost of memory. The copies use
both kinds of stores, and also read a chunk that is still in the cache.
"""

from __future__ import annotations

from colonnade.cli.amounts import byte_rate_text, seconds_text
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.streams import Stream, label
from colonnade_bench.section import Section
from colonnade_bench.summary import Figure, Place, Summary

READERS = (
    ("Colonnade", "pandas", "colonnade arrows (given)"),
    ("pyarrow", "pandas", "pyarrow arrows (given)"),
    ("polars", "polars", "polars ipc-stream (given)"),
)
ORDERS = {"by_chunk": "chunk by chunk", "by_column": "column by column", "hot": "from a chunk in the cache"}
REFERENCE = "1MiB"
TIE = 0.03


def places_of(summary: Summary, prefix: str, state: str, library: str) -> dict[str, Place]:
    """Maps each chunk size, in words, to the place that compares the readers of that stream. Whole datasets only."""
    found = summary.places(library=library, operation="read", state=state, size=1.0)
    return {place.dataset.removeprefix(prefix): place for place in found if place.dataset.startswith(prefix)}


def cost_sections(summary: Summary) -> list[Section]:
    """Returns the two tables, with the sentences under them."""
    batch, gather = batch_costs(summary), gathered(summary)
    out = []
    if batch:
        tables = [title for title, _ in cost_tables()]
        rows = [[name, *("; ".join(both(ns, ncols)) for ns, ncols in costs)] for name, costs in batch]
        rows = [[*row, *["-"] * (len(tables) + 1 - len(row))] for row in rows]
        out.append(
            Section("Why the curve bends: what a batch costs", ["reader", *tables], rows, [small_end(batch, gather)])
        )
    if gather:
        header = ["chunk", "piece"]
        header += [f"{text}, {stores}" for text in ORDERS.values() for stores in ("ordinary", "streaming")]
        rows = []
        for chunk, figures in gather.items():
            cells = [
                f"{figures[order, s].median:.1f}" if (order, s) in figures else "-"
                for order in ORDERS
                for s in (False, True)
            ]
            rows.append([label(chunk), label(chunk // 16), *cells])
        section = Section("Why the curve bends: copies laid out like the streams, GB/s", header, rows)
        section.notes.append(large_end(summary, gather))
        out.append(section)
    return out


def cost_tables() -> list[tuple[str, str]]:
    """Returns the tables whose smallest chunks show the cost of a batch."""
    return [("16 columns: a batch; a column of it", "floats"), ("1,000 columns", "wide")]


def batch_costs(summary: Summary) -> list[tuple[str, list[tuple[float, int]]]]:
    """Returns nanoseconds a batch and the number of columns for each reader and table.

    The cost compares the smallest chunks with 1 MiB: the extra time divided by the number of extra batches.
    """
    out = []
    for name, library, contestant in READERS:
        costs = []
        for _, kind in cost_tables():
            places = places_of(summary, f"stream-{kind}-", "repeat", library)
            timed = {}
            for chunk, place in places.items():
                figure = summary.figure(place, contestant, "open_s")
                dataset = DATASETS[place.dataset]
                if figure is not None and isinstance(dataset, Stream):
                    timed[chunk] = (dataset.nbatches(place.size), figure.median, dataset.kind.ncols)
            if REFERENCE not in timed or len(timed) < 2:
                continue
            most = max(timed.values())
            base = timed[REFERENCE]
            costs.append(((most[1] - base[1]) / (most[0] - base[0]) * 1e9, base[2]))
        if costs and costs[0][1] == 16:
            out.append((name, costs))
    return out


Gathered = dict[int, dict[tuple[str, bool], Figure]]


def gathered(summary: Summary) -> Gathered:
    """Maps each chunk size to the speeds (GB/s) of each order and kind of stores."""
    out: Gathered = {}
    for record in summary.kind("gather"):
        speeds = [record["nbytes"] / seconds / 1e9 for seconds in record["seconds"]]
        out.setdefault(record["chunk"], {})[record["order"], record["streaming"]] = Figure.of(speeds)
    return out


def best(figures: dict[tuple[str, bool], Figure], order: str) -> float:
    """Returns the speed of the faster kind of stores."""
    return max((figure.median for (name, _), figure in figures.items() if name == order), default=0.0)


def both(ns: float, ncols: int) -> tuple[str, str]:
    """Formats the cost of a batch, and of one of its columns."""
    return seconds_text(ns / 1e9), seconds_text(ns / ncols / 1e9)


def small_end(batch: list[tuple[str, list[tuple[float, int]]]], gather: Gathered) -> str:
    """Returns the sentence on small chunks."""
    parts = "; ".join(
        f"{name} {both(*costs[0])[0]} ({', '.join(f'{both(ns, n)[1]} a column with {n:,}' for ns, n in costs)})"
        for name, costs in batch
    )
    text = (
        "**At the small end the curve is the price of a batch**, what each one more adds between chunks of 1 MiB and"
        f" the smallest measured: {parts}. Where a column's price is much the same in both tables, it goes with the"
        " arrays that are described, checked and set up, not with bytes: a chunk of 16 KiB has 1 KiB a column to"
        " spread it over, one of 1 MiB has 64 KiB."
    )
    ends = [chunk for chunk in (16 << 10, 1 << 20) if chunk in gather]
    if len(ends) == 2:
        low, high = (best(gather[chunk], "by_chunk") for chunk in ends)
        text += (
            " The memory has its share in it: the same pieces copied without any header run at"
            f" {byte_rate_text(low * 1e9)} for chunks of 16 KiB (runs of 1 KiB) and at"
            f" {byte_rate_text(high * 1e9)} for 1 MiB."
        )
    return text


def against(name: str, small: Figure, large: Figure) -> str:
    """Says how fast a reader is at 1 MiB and 16 MiB. The figures are times of the same bytes."""
    change = small.median / large.median - 1
    if small.overlaps(large) or abs(change) < TIE:
        return f"{name} tied"
    return f"{name} {abs(change):.0%} {'faster' if change > 0 else 'slower'} with 16 MiB"


def rate(speeds: dict[int, float], chunk: int) -> str:
    """Formats the speed of a chunk size, of which there may be none. Speeds are in GB/s."""
    return byte_rate_text(speeds.get(chunk, 0.0) * 1e9)


def large_end(summary: Summary, gather: Gathered) -> str:
    """Returns the sentence on large chunks."""
    words = []
    for name, library, contestant in READERS:
        places = places_of(summary, "stream-floats-", "repeat", library)
        figures = [summary.figure(places[c], contestant, "open_s") for c in (REFERENCE, "16MiB") if c in places]
        if len(figures) == 2 and figures[0] and figures[1]:
            words.append(against(name, figures[0], figures[1]))
    text = f"**At the large end**, 1 MiB against 16 MiB: {', '.join(words)}. " if words else ""
    chunks = sorted(gather)
    cold, hot = ({chunk: best(gather[chunk], order) for chunk in chunks} for order in ("by_chunk", "hot"))
    if len(chunks) < 2 or not hot[chunks[-1]]:
        return text
    peak = max(chunks, key=lambda chunk: hot[chunk])
    fall = hot[peak] / hot[chunks[-1]] - 1
    text += (
        "Every byte of a stream in memory is read once, so no chunk size can be kept in a cache: the bare"
        f" copy runs at {rate(cold, 1 << 20)} with 1 MiB and {rate(cold, 16 << 20)} with 16 MiB. "
    )
    if fall > TIE:
        text += (
            f"For a chunk that is still in the cache it runs at {rate(hot, peak)} with {label(peak)} and at"
            f" {rate(hot, chunks[-1])} with {label(chunks[-1])}: **the bend is the cache's**. A chunk that fits is not"
            " fetched from memory again, one that does not is. It lets 1 MiB beat 16 MiB wherever a stream is read as"
            " it arrives, and our own streams are cut at 1 MiB for that."
        )
    else:
        text += "For a chunk that is still in the cache it is no faster: large chunks cost nothing extra here."
    return text
