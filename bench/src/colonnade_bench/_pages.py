"""What the pages of several papers have: the file itself, and a table of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from colonnade_bench.report import Section, to_markdown
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Summary


def write_page(path: Path, title: str, introduction: str, sections: Iterable[Section]) -> Path:
    """A report as Markdown; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {title}\n\n{introduction}{to_markdown(sections)}")
    return path


def bytes_section(
    summary: Summary, datasets: Sequence[str], prefix: str, named: Callable[[Cell], str | None]
) -> Iterator[Section]:
    """Bytes of what each contestant wrote, a column a dataset; `named` is None of cells that have no row."""
    found: dict[str, dict[str, int]] = {}
    for cell, record in summary.checks():
        name = named(cell) if record.get("wire_nbytes") else None
        if name is not None:
            found.setdefault(name, {})[cell.dataset] = record["wire_nbytes"]
    shown = [name for name in datasets if any(name in each for each in found.values())]
    rows = [[name, *(f"{each[d]:,}" if d in each else "-" for d in shown)] for name, each in sorted(found.items())]
    if rows:
        yield Section("Bytes", ["contestant", *(name.removeprefix(prefix) for name in shown)], rows)
