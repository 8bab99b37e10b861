"""The marks of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from colonnade_bench.marks import ROUNDS_WANTED, Verdict
from colonnade_bench.marks_connections import verdict
from colonnade_bench.marks_msgpack import fastest
from colonnade_bench.paper_text import LARGE, SMALL
from colonnade_bench.summary import Figure, Summary

STATES = ("first", "repeat")


@dataclass(frozen=True)
class TableMark:
    """The fastest peer's time over ours, table by table: the least of them counts. Judged in *first*.

    `otherwise` stands in where no peer can read a table back.
    """

    work: str
    ours: str
    operation: str
    peers: tuple[str, ...]
    against: str
    least: float
    datasets: Sequence[str] = LARGE
    otherwise: tuple[str, ...] = ()
    metric: str = "usable_s"

    def judge(self, summary: Summary) -> Verdict:
        texts, words = {}, {}
        for state in STATES:
            found = self.found(summary, state)
            parts = [f"{name.partition('-')[2]} {ratio.median:.2f}x" for name, ratio in found.items()]
            few = [ratio.n for ratio in found.values() if ratio.n < ROUNDS_WANTED]
            texts[state] = (", ".join(parts) or "-") + (f"; {min(few)} rounds" if few else "")
            figures = list(found.values())
            words[state] = verdict([f.median >= self.least for f in figures], figures, len(self.datasets))
        measured = any(word != "-" for word in words.values())
        wanted = f">= {self.least:g}x"
        return Verdict(self.work, self.against, wanted, texts["first"], texts["repeat"], words["first"], measured)

    def found(self, summary: Summary, state: str) -> dict[str, Figure]:
        """The ratio of each table."""
        out: dict[str, Figure] = {}
        for place in summary.places(library="pandas", operation=self.operation, state=state, size=1.0):
            if place.dataset not in self.datasets:
                continue
            peer = fastest(summary, [place], self.peers) or fastest(summary, [place], self.otherwise)
            ratio = summary.ratio(place, self.ours, peer, self.metric) if peer is not None else None
            if ratio is not None:
                out[place.dataset] = ratio
        return out


def _json(orient: str, operation: str) -> TableMark:
    way = "to pandas" if operation == "read" else "from pandas"
    peers = (f"orjson json orient={orient}", f"pandas-text json orient={orient}")
    against = "the faster of orjson + pandas, " + ("`pd.read_json`" if operation == "read" else "`to_json`")
    return TableMark(f"json ({orient}) {way}", f"colonnade json orient={orient}", operation, peers, against, 1.5)


C_ENGINE = ("pandas-text csv engine=c",)
LINES = (*(f"{engine}-text ndjson" for engine in ("polars", "pyarrow", "pandas")), "polars-text ndjson infer=all")
TEXT_MARKS: list[TableMark] = [
    TableMark(
        "csv to pandas",
        "colonnade csv",
        "read",
        ("pandas-text csv", *C_ENGINE),
        '`pd.read_csv`, by the faster of its C engine and `engine="pyarrow"`',
        1.0,
    ),
    TableMark(
        "csv from pandas",
        "colonnade csv",
        "replace",
        ("pandas-text csv",),
        "`DataFrame.to_csv`",
        5.0,
        otherwise=C_ENGINE,
    ),
    TableMark(
        "ndjson to pandas", "colonnade ndjson", "read", LINES, "the fastest of polars, pyarrow.json, pandas", 1.0
    ),
    TableMark("ndjson from pandas", "colonnade ndjson", "replace", LINES, "the faster of polars, pandas", 1.0),
    *(_json(orient, operation) for orient in ("records", "columns") for operation in ("read", "replace")),
    TableMark("yaml to pandas", "colonnade yaml", "read", ("pyyaml yaml",), "PyYAML's C loader", 3.0, SMALL),
    TableMark("yaml from pandas", "colonnade yaml", "replace", ("pyyaml yaml",), "PyYAML's C dumper", 3.0, SMALL),
]
