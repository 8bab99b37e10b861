"""Cells: JSON both ways, names, filters."""

import json

import pytest

from colonnade_bench.cell import Cell, matches


def test_size_can_be_filtered():
    assert matches(Cell("d", "pandas", "e", "f", size=0.001), {"size": "0.001"})


def test_cell_goes_to_json_and_back():
    cell = Cell("d", "pandas", "colonnade", "npz", "zstd", "memory", 0.5, (("mmap", False),))
    assert Cell.from_json(json.loads(json.dumps(cell.to_json()))) == cell
    assert cell.contestant == "colonnade npz zstd mmap=False (memory)"


def test_slugs_are_file_names_and_differ():
    a = Cell("d", "pandas", "e", "f", options=(("path", "../x"),))
    b = Cell("d", "pandas", "e", "f", size=0.5)
    assert "/" not in a.slug
    assert a.slug != b.slug


def test_an_unknown_factor_of_a_filter_is_named():
    with pytest.raises(ValueError, match="unknown factor"):
        matches(Cell("d", "pandas", "e", "f"), {"engin": "x"})
