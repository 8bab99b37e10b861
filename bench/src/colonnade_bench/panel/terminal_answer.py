"""Prints an answer on the terminal: the sentence, the candidates, and the figures behind it."""

from __future__ import annotations

import itertools
import math
import sys
from typing import Any

from colonnade.cli.amounts import bit_rate_text, nbytes_text, seconds_text
from colonnade_bench.panel.answer import DIGITS, ROBUST_FACTOR, Answer
from colonnade_bench.panel.race import Standing
from colonnade_bench.panel.report_words import one_line
from colonnade_bench.section import PIPE_WIDTH


def show(answer: Answer, console: Any = None) -> None:
    """Prints everything, the answer first."""
    from rich.console import Console

    console = console or Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    console.print(answer.headline, style="bold", markup=False, highlight=False)
    console.print(answer.context, markup=False, highlight=False)
    console.print()
    console.print(table_of(answer))
    console.print()
    for line in [*remarks(answer), *lines(answer)]:
        console.print(line, markup=False, highlight=False)


def table_of(answer: Answer) -> Any:
    """Returns a table of every candidate: lossless ones first, then lossy ones, then those without measurements."""
    from rich.table import Column, Table

    right = ("encode", "move", "decode", "one after\nanother", "overlapping", "size", "laps")
    heads = [Column(name, justify="right", no_wrap=True) for name in right]
    table = Table(
        Column("candidate", no_wrap=True),
        *heads,
        Column("", overflow="fold"),
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    for standing in in_order(answer):
        name, word = standing.entrant.name, place_of(answer, standing)
        if not standing.measured:
            table.add_row(name, *[""] * len(right), word)
            continue
        candidate = answer.of(standing)
        move_s = 8 * candidate.nbytes / answer.bps + answer.link.delay_s
        times = (
            candidate.encode_s,
            move_s,
            candidate.decoding_s(answer.share),
            answer.seconds(candidate),
            answer.pipelined(candidate),
        )
        figures = [*(seconds_text(each, DIGITS) for each in times), nbytes_text(candidate.nbytes, DIGITS)]
        table.add_row(name, *figures, str(len(standing.laps)), word)
    return table


def in_order(answer: Answer) -> list[Standing]:
    """Returns the standings in the order of the table."""
    measured = [*answer.ranked(lossless=True), *answer.ranked(lossless=False)]
    return [*measured, *(standing for standing in answer.standings if standing not in measured)]


def place_of(answer: Answer, standing: Standing) -> str:
    """Returns the remark at the end of a row: its place, and its number of laps if they are few."""
    if not standing.measured:
        return "-"
    words = []
    if standing is answer.winner:
        words.append("fastest" if standing.lossless else "fastest, lossy")
    elif standing in answer.tied:
        words.append("tied")
    elif not standing.lossless:
        words.append("lossy")
    if standing.out:
        words.append(standing.out)
    elif not standing.certain:
        words.append(f"{standing.count} only")
    return "; ".join(words)


def remarks(answer: Answer) -> list[str]:
    """Lists losses, and reasons for no laps, one line for each candidate."""
    out = []
    for standing in in_order(answer):
        found = [f"loses: {'; '.join(standing.losses)}"] if standing.losses else []
        if not standing.measured:
            found.append(one_line(standing.out) or "not measured")
        if found:
            out.append(f"{standing.entrant.name}: {'; '.join(found)}.")
    return out


def lines(answer: Answer) -> list[str]:
    """Returns the lines under the table."""
    out: list[str] = []
    if answer.contenders:
        evens = [f"{bit_rate_text(at, DIGITS)} ({a} below, {b} above)" for at, a, b in break_evens(answer)]
        span = f"from {bit_rate_text(answer.low_bps, DIGITS)} to {bit_rate_text(answer.high_bps, DIGITS)}"
        out.append(f"Break-even: {'; '.join(evens)}." if evens else f"The same candidate wins {span}.")
        robust = answer.robust
        out.append(
            f"Robust pick for a link up to {ROBUST_FACTOR:g} times slower or faster: {robust.name}, "
            f"at worst {robust.worst:.0%} over the best there (at {bit_rate_text(robust.bps, DIGITS)})."
        )
        if answer.floors:
            floors = ", ".join(f"{name} {seconds_text(value, DIGITS)}" for name, value in answer.floors.items())
            out.append(f"Floor for the raw frame: {floors}.")
        share = answer.achievable_s / answer.seconds(answer.of(answer.winner))
        out.append(f"The winner runs at {share:.0%} of what is achievable with its bytes: moving them, and one copy.")
    if answer.path is not None:
        path = answer.path
        parts = f"encode {seconds_text(path.encode_s, DIGITS)}, move {seconds_text(path.move_s, DIGITS)}"
        which = " of the sample" if answer.sample.nblocks else ""
        sign = f"{path.gap:+.0%}" if math.isfinite(path.gap) else "?"
        out.append(
            f"Measured path{which}: {seconds_text(path.total_s, DIGITS)} "
            f"({parts}, decode {seconds_text(path.decode_s, DIGITS)}); "
            f"the model says {seconds_text(path.model_s, DIGITS)} ({sign})."
        )
    elif not answer.link.measured:
        out.append("The path itself was not measured: the link was given, not reached.")
    elif answer.contenders:
        out.append("The path itself was not measured.")
    return out + answer.findings


def break_evens(answer: Answer) -> list[tuple[float, str, str]]:
    """Returns the rates at which the winner changes: (rate, winner below it, winner above it)."""
    ribbon = answer.ribbon
    return [(below[1], below[2], above[2]) for below, above in itertools.pairwise(ribbon)]
