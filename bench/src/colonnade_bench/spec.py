"""Defines a specification as data: a panel's levels of each factor, or the parts of a published table."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from fnmatch import fnmatchcase
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell, globs, passes
from colonnade_bench.engines import ENGINES
from colonnade_bench.panel import tables
from colonnade_bench.panel.shaping import Shape
from colonnade_bench.part import Part
from colonnade_bench.registry import unknown
from colonnade_bench.spec_fields import listed, made
from colonnade_bench.targets import Target

TRANSPORTS = ("memory", "buffer", "file", "file-cold", "fifo", "unix", "tcp")
"""The fixed names. ``tcp-<rate>[-<delay>]`` and ``remote`` (with a URL) are valid too."""
BETWEEN = ("file", "fifo", "unix", "tcp")
"""Transports with a framed variant. For a file it is the buffered payload, written and read as a whole."""
VIA = ("plain", "framed")
SQRT2 = 2**0.5
TEXTS = ("dataset", "engine", "format", "codec", "transport", "via")
LISTED: dict[str, Any] = {**dict.fromkeys(TEXTS, str), "size": (int, float)}
"""Fields that hold lists, and the type of their values."""
NUMBERS = ("budget_s", "point_s", "check_size", "disk_bps")
COUNTS = ("repetitions", "processes")


@dataclass(frozen=True)
class Spec:
    """The levels of the factors. None means every default row of an engine.

    Parameters
    ----------
    dataset, engine, format, codec, transport : list of str
    size : list of float
        Fractions of the rows, ascending. A curve continues until a point takes longer than `point_s`.
    via : list of str
        ``"plain"`` and ``"framed"`` (the buffered payload in Colonnade's message framing, between processes).
    repetitions, processes : int
        Repetitions of a cell inside one fresh process or pair of processes, after a first call that is kept apart, and
        the number of such processes. They start at different times of the run, so that a drift of the machine shows.
    budget_s, point_s : float
        Seconds for the whole run, and for one repetition of one point.
    check_size : float
        The fraction for the fidelity check. Faults are tried on a few thousand rows of it.
    remote, remote_options : str, dict
        The URL of `colonnade bench serve`, and further arguments of `cn.connect`.
    disk_bps : float
        Bits a second of an ideal disk. Each row shows its I/O time on that disk.
    title, introduction : str
        Title and introduction of a table's report.
    cache : {"warm", "cold"}
        Whether a file is in the page cache before it is read, or, verified, no page of it is.
    targets_only : bool
        Only the contestants that targets depend on.
    best_peer : bool
        The table compares each row with the fastest other engine, in the report and in one picture.
    part, target, chart : list of dict
        A published table instead of a panel: its parts (`Part`), its targets (`Target`) and its pictures. Targets are
        in a separate file in the same folder.
    """

    dataset: list[str] = field(default_factory=lambda: ["nycflights13"])
    engine: list[str] | None = None
    format: list[str] | None = None
    codec: list[str] | None = None
    transport: list[str] = field(default_factory=lambda: ["memory", "file", "fifo", "tcp"])
    size: list[float] = field(default_factory=lambda: [0.1])
    via: list[str] = field(default_factory=lambda: ["plain"])
    repetitions: int = 4
    processes: int = 2
    budget_s: float = 7200.0
    point_s: float = 10.0
    check_size: float = 0.01
    faults: bool = True
    remote: str | None = None
    remote_options: dict[str, Any] = field(default_factory=dict)
    disk_bps: float = 4e9
    include: list[dict[str, str]] = field(default_factory=list)
    exclude: list[dict[str, str]] = field(default_factory=list)
    title: str = ""
    introduction: str = ""
    cache: str = "warm"
    targets_only: bool = False
    best_peer: bool = False
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
        for name in (*NUMBERS, *COUNTS):
            value, kinds = getattr(self, name), int if name in COUNTS else (int, float)
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
        for name in ("include", "exclude"):
            self._check_filters(name)
        # A table can have sizes above 1, because its data are generated in any size. A panel's data have one size.
        if not all(size > 0 and (size <= 1 or self.part) for size in self.size):
            raise ValueError(f"bench: sizes are fractions above 0 and up to 1, found {self.size}")
        for name in COUNTS:
            if getattr(self, name) < 1:
                raise ValueError(f"bench: {name} must be 1 or more, found {getattr(self, name)}")

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Spec:
        """Makes a specification from a mapping, such as a TOML file's.

        ``size = {from = 0.001, to = 1.0}`` has steps of sqrt 2.
        """
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
        """Reads a TOML file, or a specification of the package by name: ``default``, ``quick``, ``msgpack``."""
        return cls._load(source, "")

    @classmethod
    def table(cls, source: str | Path) -> Spec:
        """Reads the specification of a published table, such as ``arrow``, or a file like it.

        Reads targets from the same folder.
        """
        return cls._load(source, "tables")

    @classmethod
    def _load(cls, source: str | Path, folder: str) -> Spec:
        shipped = files("colonnade_bench") / "specs" / folder
        name = f"{source}.toml"
        if (shipped / name).is_file():
            values = read_toml(shipped / name, str(source))
            targets, label = shipped / f"{source}.targets.toml", f"{source}.targets"
        else:
            path = Path(source)
            if path.suffix != ".toml" and not path.exists():
                raise unknown("table" if folder else "specification", str(source), shipped_names(folder))
            values = read_toml(path, str(source))
            targets, label = path.with_suffix(".targets.toml"), str(path.with_suffix(".targets.toml"))
        if targets.is_file():
            values = {**values, **read_toml(targets, label)}
        if folder and not values.get("part"):
            raise ValueError(f"bench: {source} has no part, so it is not a table")
        return cls.of(values)

    def parts(self) -> list[Part]:
        """Returns the parts of a table in the order of measurement."""
        return [made(Part, each, "a part") for each in listed(self.part)]

    def targets(self) -> list[Target]:
        """Returns the targets of a table."""
        return [made(Target, each, "a target") for each in listed(self.target)]

    def _check_filters(self, field_name: str) -> None:
        """Raises an error for a pattern that matches no engine. It would silently leave out nothing, or everything."""
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
                for glob in globs(pattern.get(factor, "*")):
                    if not any(fnmatchcase(level, glob) for level in levels):
                        raise unknown(factor, glob, sorted(levels))

    def but(self, **changed: Any) -> Spec:
        """Returns a copy with some levels changed. None keeps a level."""
        return replace(self, **{name: value for name, value in changed.items() if value is not None})

    def curves(self) -> Iterator[Cell]:
        """Yields every cell with the first size."""
        seen = set()
        for dataset in self.dataset:
            for name in self.engine or list(ENGINES):
                for library, (fmt, codec) in product(ENGINES[name].panel_libraries, rows(name)):
                    if (self.format and fmt not in self.format) or (self.codec and codec not in self.codec):
                        continue
                    for transport in self.transport:
                        for via in self.via:
                            if via != "plain" and transport.partition("-")[0] not in BETWEEN:
                                continue
                            options = (("via", via),) if via != "plain" else ()
                            cell = Cell(dataset, library, name, fmt, codec, transport, self.size[0], options)
                            if cell not in seen and self.keeps(cell):
                                seen.add(cell)
                                yield cell

    def keeps(self, cell: Cell) -> bool:
        """Whether the filters accept `cell`."""
        return passes(cell, self.include, self.exclude)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def rows(engine: str) -> tuple[tuple[str, str], ...]:
    """Returns (format, codec) of an engine's rows in a panel."""
    return ENGINES[engine].panel


def stepped(sizes: Mapping[str, Any]) -> list[float]:
    """Returns the sizes of ``{from = 0.001, to = 1.0, step = 1.41}``.

    Raises KeyError or ValueError for any other key or value.
    """
    names = {"from": "start", "to": "stop", "step": "step"}
    for name, value in sizes.items():
        if name not in names:
            raise unknown("key of size", name, list(names))
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise ValueError(f"bench: {name} of size must be a number, found {value!r}")
    if "from" not in sizes:
        raise ValueError("bench: size needs from, the smallest fraction: size = {from = 0.01, to = 1.0}")
    return steps(**{names[name]: float(value) for name, value in sizes.items()})


def steps(start: float, stop: float = 1.0, step: float = SQRT2) -> list[float]:
    """Returns sizes that grow by a constant factor. The last one is `stop` itself.

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
    """Reads a file. Raises ValueError with the file and the line of the damage."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"bench: {name} is not valid TOML: {error}") from None


def shipped_names(folder: str = "") -> list[str]:
    """Lists the specifications of the package: those of panels, or, in ``tables``, those of tables."""
    found = (files("colonnade_bench") / "specs" / folder).iterdir()
    return sorted(
        one.name.removesuffix(".toml")
        for one in found
        if one.name.endswith(".toml") and not one.name.endswith(".targets.toml")
    )


__all__ = ["TRANSPORTS", "Spec", "rows", "shipped_names", "steps"]
