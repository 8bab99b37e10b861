"""An answer on the terminal: the sentence, the candidates, and what it rests on."""

from __future__ import annotations

import itertools
import math
from typing import Any

from colonnade.bench.panel import amounts
from colonnade.bench.panel.answer import ROBUST_FACTOR, Answer
from colonnade.bench.panel.race import Standing


def show(answer: Answer, console: Any = None) -> None:
    """Print everything."""
    from rich.console import Console

    console = console or Console()
    console.print(answer.sentence, style="bold", markup=False, highlight=False)
    console.print()
    console.print(table_of(answer))
    for line in lines(answer):
        console.print(line, markup=False, highlight=False)


def table_of(answer: Answer) -> Any:
    """Every candidate: those that lose nothing first, then the others, then those that were not measured."""
    from rich.table import Column, Table

    right = ("encode", "move", "decode", "serial", "pipelined", "size")
    heads = [Column(name, justify="right", no_wrap=True) for name in right]
    table = Table(Column("candidate", no_wrap=True), *heads, "remarks")
    measured = [*answer.ranked(lossless=True), *answer.ranked(lossless=False)]
    for standing in measured:
        candidate = answer.of(standing)
        move_s = 8 * candidate.nbytes / answer.bps + answer.link.delay_s
        times = (candidate.encode_s, move_s, candidate.decode_s, answer.seconds(candidate), answer.pipelined(candidate))
        figures = [amounts.seconds(value) for value in times]
        table.add_row(standing.entrant.name, *figures, amounts.nbytes(candidate.nbytes), remarks(answer, standing))
    for standing in answer.standings:
        if standing not in measured:
            table.add_row(standing.entrant.name, *[""] * len(right), standing.out or "not measured")
    return table


def remarks(answer: Answer, standing: Standing) -> str:
    """Its place, its losses, why it was taken out."""
    out = []
    if standing is answer.winner:
        out.append("fastest")
    elif standing in answer.tied:
        out.append("tied")
    if standing.losses:
        more = f" and {len(standing.losses) - 1} more" if len(standing.losses) > 1 else ""
        out.append(f"loses: {standing.losses[0]}{more}")
    if standing.out:
        out.append(standing.out)
    return "; ".join(out)


def lines(answer: Answer) -> list[str]:
    """What stands under the table."""
    out: list[str] = []
    if answer.contenders:
        evens = [f"{amounts.rate(at)} ({a} below, {b} above)" for at, a, b in break_evens(answer)]
        span = f"from {amounts.rate(answer.low_bps)} to {amounts.rate(answer.high_bps)}"
        out.append(f"Break-even: {'; '.join(evens)}." if evens else f"The same candidate wins {span}.")
        robust = answer.robust
        out.append(
            f"Robust pick for a link up to {ROBUST_FACTOR:g} times slower or faster: {robust.name}, "
            f"at worst {robust.worst:.0%} over the best there (at {amounts.rate(robust.bps)})."
        )
        floors = ", ".join(f"{name} {amounts.seconds(value)}" for name, value in answer.floors.items())
        share = answer.achievable_s / answer.seconds(answer.of(answer.winner))
        out.append(f"Floor for the raw frame: {floors}. The winner is at {share:.0%} of what its bytes could achieve.")
    if answer.path is not None:
        path = answer.path
        parts = f"encode {amounts.seconds(path.encode_s)}, move {amounts.seconds(path.move_s)}"
        sign = f"{path.gap:+.0%}" if math.isfinite(path.gap) else "?"
        out.append(
            f"Measured path: {amounts.seconds(path.total_s)} ({parts}, decode {amounts.seconds(path.decode_s)}); "
            f"the model says {amounts.seconds(path.model_s)} ({sign})."
        )
    elif not answer.link.measured:
        out.append("The path itself was not measured: the link was given, not reached.")
    return out + answer.findings


def break_evens(answer: Answer) -> list[tuple[float, str, str]]:
    """Rates at which the winner changes: (rate, who wins below it, who above)."""
    ribbon = answer.ribbon
    return [(below[1], below[2], above[2]) for below, above in itertools.pairwise(ribbon)]
