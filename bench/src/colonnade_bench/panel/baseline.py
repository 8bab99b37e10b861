"""Measures the baseline of a run: the rate of each shaped link, and the floor of each transport."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.panel import point, tables
from colonnade_bench.panel._raw import RAW
from colonnade_bench.panel.measure_link import measure
from colonnade_bench.panel.shaped_link import ShapedLink
from colonnade_bench.panel.shaping import Shape
from colonnade_bench.spec import Spec

DELAY_NBYTES = 64
MOST_NBYTES = 512 << 20
"""The most raw bytes of a floor. The time of a byte does not change beyond it."""
SMALL = 8
"""A floor is measured a second time with one of so many of its bytes."""
REPETITIONS, REPETITIONS_OF_A_LINK = 7, 3
"""A shaped link sets its own pace, so it varies less, and takes seconds."""
LINK_S = 0.5
"""The seconds of sending that measure a shaped link."""
NO_FLOOR = ("buffer", "file-cold", "remote")


class Baseline:
    """Raw bytes over every transport of a run.

    Parameters
    ----------
    links : dict of str to ShapedLink
        Filled here. The caller closes them.
    """

    def __init__(
        self,
        spec: Spec,
        place: point.Place,
        links: dict[str, ShapedLink],
        emit: Callable[..., None],
        note: Callable[[str], None],
    ) -> None:
        self.spec, self.place, self.links, self.emit, self.note = spec, place, links, emit, note

    def make_links(self, cells: Sequence[Cell]) -> list[Cell]:
        """Makes every shaped link of the run once and measures it with raw bytes.

        Returns the cells whose link works.
        """
        broken = {}
        for number, transport in enumerate(sorted({cell.transport for cell in cells})):
            try:
                self.make_link(number, transport)
            except Exception as error:  # any failure of another host becomes rows without that transport
                broken[transport] = f"the link: {error}"[:300]
        for cell in cells:
            if cell.transport in broken:
                self.emit("failed", cell=cell.to_json(), reason=broken[cell.transport])
        return [cell for cell in cells if cell.transport not in broken]

    def make_link(self, number: int, transport: str) -> None:
        """Makes and measures one link. Does nothing for a transport without a shaped link."""
        if transport == "remote" and self.spec.remote is not None:
            found = measure(self.spec.remote, **self.spec.remote_options)
            self.emit("link", transport=transport, bps=found.bps, delay_s=found.delay_s, how="remote")
        shape = Shape.of(transport)
        if shape is None:
            return
        link = self.links[transport] = ShapedLink(shape, number + 1)
        nbytes = max(DELAY_NBYTES, int(shape.bps / 8 * LINK_S))
        seconds = self.raw(transport, nbytes, link)["union_s"]
        delay_s = self.raw(transport, DELAY_NBYTES, link)["union_s"]
        self.emit(
            "link", transport=transport, asked_bps=shape.bps, asked_delay_s=shape.delay_s,
            bps=nbytes * 8 / max(1e-9, seconds - shape.delay_s), delay_s=delay_s, how=link.how,
        )  # fmt: skip

    def floors(self, cells: Sequence[Cell]) -> None:
        """Measures each transport with as many raw bytes as the data has, and with an eighth of them.

        The line through both gives the floor of a format, which moves another number of bytes. A copy in memory is
        always measured, because every reader makes at least one.
        """
        few, size = min(self.spec.size), max(self.spec.size)
        for dataset in dict.fromkeys(cell.dataset for cell in cells):
            try:
                small = tables.load(tables.kept(dataset, few, self.place.cache)).values()
            except Exception as error:  # the points of this transport report the error again
                self.note(f"no floor of {dataset}: {error}")
                continue
            nbytes = sum(int(frame.memory_usage(deep=False).sum()) for frame in small) * size / few
            nbytes = int(min(nbytes, MOST_NBYTES))
            for transport in sorted({"memory", *(cell.transport for cell in cells)} - set(NO_FLOOR)):
                shape = Shape.of(transport)
                most = nbytes if shape is None else int(min(nbytes, shape.bps / 8 * 4 * LINK_S))
                what = "memcpy" if transport == "memory" else "raw bytes"
                self.floor(dataset, transport, what, max(1, most))
                if transport == "file":
                    self.floor(dataset, transport, "write + fsync", nbytes, sync=True)

    def floor(self, dataset: str, transport: str, what: str, nbytes: int, **options: Any) -> None:
        few = max(1, nbytes // SMALL)
        try:
            record = self.raw(transport, nbytes, self.links.get(transport), **options)
            small = self.raw(transport, few, self.links.get(transport), **options)
        except Exception as error:
            self.note(f"no floor of {transport}: {error}")
            return
        self.emit(
            "floor", transport=transport, dataset=dataset, what=what, nbytes=nbytes, seconds=record["union_s"],
            few_nbytes=few, few_seconds=small["union_s"],
            write_s=record["write"]["elapsed_s"], read_s=record["read"]["elapsed_s"],
        )  # fmt: skip

    def raw(self, transport: str, nbytes: int, link: ShapedLink | None, **options: Any) -> dict[str, Any]:
        """Sends `nbytes` raw bytes. Returns the repetition with the median time, of those after the first."""
        cell = Cell("raw", "pandas", RAW, "bytes", "none", transport, options=tuple(options.items()))
        self.note(f"floor {transport}: {nbytes:,} bytes")
        repetitions = REPETITIONS if link is None else REPETITIONS_OF_A_LINK
        _, *found = point.measure(cell, self.place, 1 + repetitions, link, nbytes)
        return sorted(found, key=lambda record: record["union_s"])[repetitions // 2]
