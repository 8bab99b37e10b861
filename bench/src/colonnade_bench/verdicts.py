"""Judges a table's targets: pass, short, or partly (good, but not measured in full)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from colonnade.cli.amounts import seconds_text
from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.ratios import figures, sizes
from colonnade_bench.spec_fields import listed
from colonnade_bench.summary import Figure, Summary, geometric_mean
from colonnade_bench.targets import STATES, Target, short

LISTED_MOST = 6
"""The most ratios to list. For more, only the mean and the least are shown."""


@dataclass(frozen=True)
class Verdict:
    """One row of the table of targets. `word` is pass, short, partly (good, but not measured in full) or -."""

    workload: str
    baseline: str
    required: str
    first: str
    repeat: str
    word: str

    @property
    def measured(self) -> bool:
        return self.word != "-"


def judge(target: Target, summary: Summary) -> Verdict:
    special = {"memory": judge_memory, "open": judge_open, "relay": judge_relay, "size": judge_size}
    if target.kind in special:
        return special[target.kind](target, summary)
    found = {state: figures(target, summary, state) for state in STATES}
    shown = [target.state] if target.hide_other_state else STATES
    texts = {state: described(target, found[state]) if state in shown else "" for state in STATES}
    if target.state == "both":
        words = [word_of(target, found[state]) for state in STATES]
        word = next((one for one in ("short", "partly", "pass") if one in words), "-")
        word = "partly" if word == "pass" and "-" in words else word
    else:
        word = word_of(target, found[target.state])
        if word == "-" and any(found[state] for state in shown):
            word = "not judged"
    return Verdict(target.workload, target.baseline, in_words(target), texts["first"], texts["repeat"], word)


def in_words(target: Target) -> str:
    """Formats the requirement in words."""
    words = [f"geomean >= {show(target, target.geomean, 0)}"] if target.geomean is not None else []
    for pattern, least in target.minimum_of.items():
        name = pattern.strip("*-").replace("-", " ")
        words.append(f"{name} >= {show(target, least, 0)}".strip())
    words += [f">= {show(target, target.minimum, 0)}"] if target.minimum is not None else []
    words += [f"<= {show(target, target.maximum, 0)}"] if target.maximum is not None else []
    return "; ".join(words)


def show(target: Target, value: float, digits: int = 2) -> str:
    """Formats a ratio, or a share in percent."""
    if target.percent:
        return f"{value:.0%}"
    return f"{value:.{digits}f}x" if digits else f"{value:g}x"


def described(target: Target, figures: Mapping[str, Figure]) -> str:
    """Lists a few ratios in full. Of many, shows the mean and the least. Adds what a full measurement lacks."""
    if not figures:
        return "-"
    values = {label: figure.median for label, figure in figures.items()}
    if len(values) <= LISTED_MOST and target.geomean is None:
        text = ", ".join(f"{label} {show(target, value)}".strip() for label, value in values.items())
    else:
        least = min(values, key=lambda label: values[label])
        mean = geometric_mean(values.values())
        text = f"{show(target, mean)}; least {show(target, values[least])}" + (f" ({least})" if least else "")
    expected, rounds = target.expected(), min((f.n for f in figures.values()), default=0)
    text += "" if len(figures) == expected else f"; {len(figures)} of {expected}"
    return text + ("" if rounds >= target.rounds else f"; {rounds} round{'s' * (rounds != 1)}")


def meets(target: Target, values: Mapping[str, float]) -> bool:
    """Whether all conditions hold."""
    if target.geomean is not None and geometric_mean(values.values()) < target.geomean:
        return False
    if target.maximum is not None and max(values.values()) > target.maximum:
        return False
    return all(value >= target.minimum_for(label) for label, value in values.items())


def word_of(target: Target, figures: Mapping[str, Figure]) -> str:
    """Returns short if a condition fails, pass only if every comparison has enough rounds, else partly."""
    if not figures:
        return "-"
    whole = len(figures) == target.expected() and all(figure.n >= target.rounds for figure in figures.values())
    good = meets(target, {label: figure.median for label, figure in figures.items()})
    return "short" if not good else "pass" if whole else "partly"


def judge_size(target: Target, summary: Summary) -> Verdict:
    """Judges bytes: Colonnade's divided by the smallest peer's. `inverse` swaps the two."""
    values = {}
    for each in target.comparisons("first"):
        found = sizes(summary, each.dataset)
        ours = found.get((target.library, each.ours))
        fitting = [
            nbytes
            for (_, name), nbytes in found.items()
            if not name.startswith("colonnade") and any(fnmatchcase(name, peer) for peer in each.peers)
        ]
        if ours and fitting:
            values[each.label] = min(fitting) / ours if target.inverse else ours / min(fitting)
    figures = {label: Figure(value, value, value, target.rounds) for label, value in values.items()}
    return Verdict(
        target.workload, target.baseline, in_words(target), described(target, figures), "", word_of(target, figures)
    )


def judge_memory(target: Target, summary: Summary) -> Verdict:
    """Judges peak private growth as a multiple of the frame. The largest of each dataset counts."""
    shares: dict[str, float] = {}
    for record in summary.kind("memory"):
        cell = Cell.from_json(record["cell"])
        ours = any(fnmatchcase(cell.contestant, pattern) for pattern in listed(target.candidate))
        inside = cell.dataset in target.datasets() and record["operation"] in listed(target.operation)
        if ours and inside and cell.size >= 1.0 and record["frame_nbytes"]:
            label, share = short(cell.dataset), record["private_nbytes"] / record["frame_nbytes"]
            shares[label] = max(shares.get(label, 0.0), share)
    text = ", ".join(f"{label} {share:.3f}x" for label, share in shares.items()) or "-"
    word = "-" if not shares else "pass" if max(shares.values()) <= (target.maximum or 0.0) else "short"
    return Verdict(target.workload, target.baseline or "the frame", f"<= {target.maximum}x", text, "", word)


def judge_open(target: Target, summary: Summary) -> Verdict:
    """Judges the time to open. The limit is the larger of a fixed time and a time for each member."""
    texts, words = {}, {}
    for state in STATES:
        found = {}
        for place in summary.places(library=target.library, operation="read", state=state, size=1.0):
            figure = summary.figure(place, listed(target.candidate)[0], "open_s")
            if figure is not None and place.dataset in target.datasets():
                found[place.dataset] = (figure.median, DATASETS[place.dataset].member_count())
        good = [seconds <= max(target.max_s, members * target.max_s_per_member) for seconds, members in found.values()]
        parts = [f"{short(name)} {seconds_text(s)} ({n:,} members)" for name, (s, n) in found.items()]
        texts[state], words[state] = ", ".join(parts) or "-", "-" if not good else "pass" if all(good) else "short"
    wanted = f"<= {seconds_text(target.max_s)}, or {seconds_text(target.max_s_per_member)} a member"
    return Verdict(target.workload, target.baseline, wanted, texts["first"], texts["repeat"], words["first"])


def judge_relay(target: Target, summary: Summary) -> Verdict:
    """Judges the relay's memory over idle in MiB, at its worst. All data must arrive unchanged."""
    records = [record for record in summary.kind("relay") if record["size"] >= 1.0]
    worst = max((max(r["private_nbytes"], r["total_nbytes"]) for r in records), default=0) / (1 << 20)
    good = worst <= (target.maximum or 0.0) and all(record["equal"] for record in records)
    word = "-" if not records else "pass" if good else "short"
    text = f"{worst:.1f} MiB" if records else "-"
    return Verdict(target.workload, target.baseline, f"<= {target.maximum:g} MiB", "", text, word)


def verdicts(summary: Summary, targets: Iterable[Target]) -> list[Verdict]:
    """Returns the verdict of each target that has measurements."""
    return [verdict for target in targets if (verdict := judge(target, summary)).measured]
