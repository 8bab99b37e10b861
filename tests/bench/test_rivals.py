"""Rivals: in every shipped panel and in advice, the best-known other engines stand beside each row of ours."""

from __future__ import annotations

import pytest

pytest.importorskip("pandas")

from colonnade_bench.engines import ENGINES
from colonnade_bench.engines.rivals import OURS, RIVALS, Row, missing_rivals
from colonnade_bench.panel.advise import CANDIDATES
from colonnade_bench.panel.cli import add_arguments, spec_of
from colonnade_bench.spec import Spec, shipped_names

COMPRESSED = {"zstd", "lz4", "snappy", "deflate", "gzip", "auto", "small"}


def rows_of(name: str) -> list[Row]:
    """The rows of a panel, from pandas or the engine's own frames."""
    cells = Spec.load(name).curves()
    kept = (cell for cell in cells if cell.library in ("pandas", ENGINES[cell.engine].panel_libraries[0]))
    return list(dict.fromkeys((cell.engine, cell.format, cell.codec) for cell in kept))


def shipped_engines() -> list[str]:
    """The engines of this package, without those that other tests register."""
    return [name for name in ENGINES if type(ENGINES[name]).__module__.startswith("colonnade_bench.")]


FIELDS = {name: rows_of(name) for name in shipped_names()}
FIELDS["advise"] = [(entrant.engine, entrant.format, entrant.codec) for entrant in CANDIDATES]


@pytest.mark.parametrize("field", FIELDS)
def test_the_best_known_other_engine_stands_beside_each_row_of_ours(field: str) -> None:
    assert any(row[0] == OURS for row in FIELDS[field])
    assert list(missing_rivals(FIELDS[field])) == []


def test_the_default_panel_has_all_rivals() -> None:
    assert list(missing_rivals(FIELDS["default"], every=True)) == []


def test_every_row_of_ours_has_rivals_and_every_rival_is_a_row() -> None:
    ours = ENGINES[OURS]
    of_panels = {(form, codec) for form, codec in ours.panel if codec != "lz4" or (form, codec) in RIVALS}
    assert of_panels <= set(RIVALS)
    for rival in (row for rows in RIVALS.values() for row in rows):
        assert rival[0] != OURS
        assert rival[1:] in ENGINES[rival[0]].panel, rival


@pytest.mark.parametrize("field", FIELDS)
def test_ours_is_not_the_only_compressed_format(field: str) -> None:
    engines = {engine for engine, form, codec in FIELDS[field] if codec in COMPRESSED and not engine.startswith("R ")}
    assert OURS not in engines or len(engines) > 1


@pytest.mark.parametrize("name", ["default", "quick"])
def test_a_row_that_is_named_is_measured(name: str) -> None:
    import argparse

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    quick = ["--quick"] if name == "quick" else []
    for engine in shipped_engines():
        for form, codec in ENGINES[engine].panel:
            asked = parser.parse_args([*quick, "--engine", engine, "--format", form, "--codec", codec])
            assert list(spec_of(asked).curves()), (engine, form, codec)


def test_every_row_has_a_note() -> None:
    for name in shipped_engines():
        for form, codec in ENGINES[name].panel:
            note = ENGINES[name].note_of(form, codec)
            assert note, (name, form, codec)
            assert note.endswith("."), note
