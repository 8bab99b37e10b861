"""`colonnade advise`: recommends a format for a frame and a link.

It samples the frame if it is too large for the budget. It measures the link, or takes the given figures. It races the
candidates. The answer is one sentence, followed by the figures behind it. See docs/benchmarks/advise.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from colonnade.cli import os_error_text, status_of
from colonnade.cli.security import add_security, security_of
from colonnade_bench.engines import ENGINES
from colonnade_bench.panel import measure_link as links
from colonnade_bench.panel import notebook, sample
from colonnade_bench.panel.answer import Answer
from colonnade_bench.panel.baselines import floors, walked
from colonnade_bench.panel.names import usual_codec
from colonnade_bench.panel.progress import Progress
from colonnade_bench.panel.race import Entrant, Race
from colonnade_bench.panel.terminal_answer import show, table_of
from colonnade_bench.panel.track import Processes
from colonnade_bench.process import EndError
from colonnade_bench.registry import did_you_mean

CANDIDATES = (
    Entrant("colonnade", "npz"),  # arrays as they are in memory: the least to convert
    Entrant("numpy", "npz"),  # ... by its best-known other engine (engines/rivals.py), as below
    Entrant("colonnade", "arrow"),  # Arrow IPC file, uncompressed
    Entrant("pyarrow", "arrow"),
    Entrant("polars", "ipc"),  # the same file by polars
    Entrant("pandas", "feather"),  # the same file by pandas, which has Feather uncompressed
    Entrant("colonnade", "arrow", "zstd"),  # Arrow IPC file, compressed
    Entrant("pyarrow", "arrow", "zstd"),
    Entrant("pandas", "feather", "lz4"),  # pandas' default
    Entrant("colonnade", "parquet", "auto"),  # the smallest of ours at its defaults
    Entrant("pyarrow", "parquet", "zstd"),
    Entrant("pyarrow", "parquet", "snappy"),  # pyarrow's and pandas' default
    Entrant("polars", "parquet", "zstd"),  # polars' default
    Entrant("colonnade", "msgpack"),  # messages that other languages read
    Entrant("ormsgpack", "msgpack"),
    Entrant("pickle", "pickle"),  # what Python has without any library
)
"""The default candidates: each format and codec of Colonnade, and the best-known other engines of the same."""

SAMPLE_BYTES_PER_S = 2_000_000
"""Bytes of the frame for each second of the budget. With more, too few laps would fit."""
RACE_SHARE = 0.8
"""The race's share of the budget. The rest is for the link, the floors and the measured path."""


class Advice:
    """The result of `advise`.

    Attributes
    ----------
    answer : Answer
        All figures.
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    @property
    def sentence(self) -> str:
        """The answer in one line."""
        return self.answer.sentence

    def table(self) -> Any:
        """All candidates, fastest first, as a `rich` table."""
        return table_of(self.answer)

    def show(self) -> None:
        """Prints everything on the terminal."""
        show(self.answer)

    def to_pandas(self) -> Any:
        """All candidates as a pandas DataFrame, fastest first: times in seconds, laps, bytes, losses.

        Examples
        --------
        >>> import colonnade as cn
        >>> advice = cn.advise({"a": [1, 2, 3]}, link="1Gbit/s", candidates=["pickle pickle"])
        >>> advice.to_pandas()[["engine", "format", "repetitions", "exact"]]
           engine  format  repetitions  exact
        0  pickle  pickle            7   True
        """
        return notebook.advice_frame(self.answer)

    def _repr_html_(self) -> str:
        return notebook.advice_html(self.answer)

    def to_json(self) -> dict[str, Any]:
        """All figures as a mapping that can be written as JSON."""
        return self.answer.to_json()

    def __repr__(self) -> str:
        return self.sentence


def advise(
    data: Any,
    *,
    link: str | None = None,
    to: str | os.PathLike[str] | None = None,
    budget_s: float = 60.0,
    reads: int = 1,
    columns: Sequence[str] | None = None,
    candidates: Sequence[str] | None = None,
    seed: int = sample.SEED,
    note: Callable[[str], None] | None = None,
    **security: Any,
) -> Advice:
    """Measures which format is fastest for this data over this link.

    Parameters
    ----------
    data : path, URL, or DataFrame
        Anything that `read` reads or `Frame` accepts. Random blocks of rows are taken if it is too large for the
        budget.
    link : str, optional
        ``940Mbit/s`` or ``940Mbit/s,0.4ms`` (one way). It is not measured.
    to : str or path, optional
        The target to measure: ``tls://host:port`` (or ``tcp://`` on this machine), where ``colonnade bench serve``
        runs, or a folder. Without `link` and `to`, the temporary folder of this machine.
    budget_s : float
        Seconds for the whole call.
    reads : int
        How many times each written frame is read.
    columns : sequence of str, optional
        Labels of the columns to read. All columns by default. The bytes of all of them move either way.
    candidates : sequence of str, optional
        ``"engine format [codec]"``; `CANDIDATES` by default.
    seed : int
        The seed for the blocks and for the order of the race.
    note : callable, optional
        A function that receives progress messages.
    **security
        Arguments of `connect` for a host beyond this machine: certificate, key, authorities, token_file, token_env.

    Returns
    -------
    Advice

    Raises
    ------
    ValueError
        A link in an unknown unit, both `link` and `to`, a frame without rows, an unknown format of an engine.
    KeyError
        An unknown engine or column. The error names the nearest.
    OSError
        The data, the host or the folder cannot be reached.

    Examples
    --------
    >>> import colonnade as cn
    >>> cn.advise(df, link="940Mbit/s,0.4ms")                       # doctest: +SKIP
    Fastest over 940 Mbit/s: Parquet with snappy (pyarrow), 310 ms. Below 60 Mbit/s: ...
    """
    say = note or (lambda text: None)
    if reads < 1:
        raise ValueError(f"advise: reads must be 1 or more, found {reads}")
    if link is not None and to is not None:
        raise ValueError("advise: give either link (declared) or to (measured), not both")
    started = time.monotonic()
    entrants = CANDIDATES if candidates is None else tuple(map(known, candidates))
    told = None if link is None else links.parse_link(link)
    say("reading the data")
    taken = sample.take(data, int(budget_s * SAMPLE_BYTES_PER_S), seed)
    wanted = columns_of(taken.frame, columns)
    if taken.note:
        say(taken.note)
    to = None if to is None else os.fspath(to)
    if told is None:
        say(f"measuring the link to {to or tempfile.gettempdir()}")
    way = links.measure(to, **security) if told is None else told
    answer = Answer(taken, way, [], reads, wanted, floors(taken, way))
    with tempfile.TemporaryDirectory(prefix="colonnade-advise-") as folder:
        track = Processes(taken.frame, Path(folder), patience_s=max(10.0, budget_s / 2))
        left_s = RACE_SHARE * budget_s - (time.monotonic() - started)
        race = Race(
            entrants, track, budget_s=left_s, low_bps=answer.low_bps, high_bps=answer.high_bps, reads=reads,
            columns=answer.share, seed=seed, note=say,
        )  # fmt: skip
        answer.standings = race.standings
        race.run()
        answer.reason = race.reason
        if race.reason != "interrupted":
            try:
                finish(answer, track, security, say)
            except KeyboardInterrupt:  # the race has run, so its findings give an answer
                answer.reason = "interrupted"
    return Advice(answer)


def finish(answer: Answer, track: Processes, security: dict[str, Any], say: Callable[[str], None]) -> None:
    """Completes the answer after the race: reads the wanted columns, and measures the whole way of the winner."""
    for standing in answer.standings if answer.columns else []:
        if standing.measured:
            say(f"reading {len(answer.columns)} columns with {standing.entrant.name}")
            standing.columns_s = track.columns_s(standing.entrant, answer.columns)
    if answer.contenders and answer.link.measured:
        say(f"walking the way with {answer.winner.entrant.name}")
        try:
            answer.path = walked(answer, track, security)
        except EndError as error:
            say(f"the way could not be walked: {error}")


def known(text: str) -> Entrant:
    """Parses a candidate, ``engine format [codec]``. Without a codec, the engine's default counts.

    >>> known("pyarrow parquet")
    Entrant(engine='pyarrow', format='parquet', codec='snappy')

    Raises
    ------
    KeyError, ValueError
        No such engine, format or codec. The error lists the known ones.
    """
    engine, format_, codec, *more = (*text.split(), "", "", "")
    if not format_ or any(more):
        raise ValueError(f'advise: expected a candidate as "engine format [codec]", found "{text}"')
    formats = ENGINES[engine].formats
    if format_ not in formats:
        raise ValueError(f'advise: {engine} has no format "{format_}"; known: {", ".join(formats)}')
    if codec and codec not in formats[format_]:
        raise ValueError(f'advise: {engine} {format_} has no codec "{codec}"; known: {", ".join(formats[format_])}')
    return Entrant(engine, format_, codec or usual_codec(engine, format_))


def columns_of(frame: Any, columns: Sequence[str] | None) -> tuple[str, ...]:
    """Returns the wanted columns, or an empty tuple for all. Raises KeyError naming the nearest."""
    names = [str(label) for label in frame.columns]
    for name in columns or ():
        if name not in names:
            hint = did_you_mean(name, names) or f"; there are {', '.join(names[:8])}"
            raise KeyError(f'advise: no column "{name}"{hint}')
    return tuple(columns or ())


# ---------------------------------------------------------------- the command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `colonnade advise`."""
    parser.add_argument("data", metavar="FILE", help="the data, in any format that colonnade reads")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--link", metavar="RATE[,DELAY]", help="its rate and delay (one way), such as 940Mbit/s,0.4ms")
    way.add_argument("--to", metavar="WHERE", help="measured: tls://host:port of a colonnade bench serve, or a folder")
    parser.add_argument("--budget", metavar="SECONDS", type=float, default=60.0, help="for everything (default 60)")
    parser.add_argument("--reads", metavar="N", type=int, default=1, help="how often it is read (default 1)")
    parser.add_argument("--columns", metavar="A,B", type=lambda text: text.split(","), help="columns that are read")
    parser.add_argument(
        "--candidate", metavar="'ENGINE FORMAT [CODEC]'", action="append", help="instead of the usual ones; repeatable"
    )
    add_security(parser)
    parser.add_argument("--seed", type=int, default=sample.SEED, help="of the sample and the order")
    parser.add_argument("--json", action="store_true", help="all figures as JSON on standard output")
    parser.add_argument(
        "--progress", action="store_true", help="say what is measured, also where standard error is no terminal"
    )


def main(arguments: argparse.Namespace) -> int:
    """Runs the command and returns the exit status. Off a terminal it is silent but for its answer."""
    try:
        with Progress(quiet=not arguments.progress) as progress:
            advice = advise(
                arguments.data, link=arguments.link, to=arguments.to, budget_s=arguments.budget,
                reads=arguments.reads, columns=arguments.columns, candidates=arguments.candidate, seed=arguments.seed,
                note=progress.note, **security_of(arguments),
            )  # fmt: skip
    except (KeyError, ValueError, OSError) as error:
        print(os_error_text(error) if isinstance(error, OSError) else error.args[0], file=sys.stderr)
        return status_of(error)
    if arguments.json:
        print(json.dumps(advice.to_json(), indent=1))
    else:
        advice.show()
    if advice.answer.reason == "interrupted":
        return 130
    return 0 if advice.answer.contenders else 1
