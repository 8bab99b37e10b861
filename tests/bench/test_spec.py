"""Cells and specifications: the cross product, its filters, and JSON both ways."""

import json

import pytest

from colonnade_bench.cell import Cell, Spec, matches


def test_cross_product_of_all_factors():
    spec = Spec(
        dataset=["nycflights13-air*"],
        engine=["pandas", "pickle"],
        library=["pandas"],
        format=["feather", "pickle"],
        codec=["none", "lz4"],
        transport=["file", "memory"],
        size=[0.5, 1.0],
    )
    cells = list(spec.cells())
    # 2 datasets x (feather none, feather lz4, pickle none) x 2 transports x 2 sizes
    assert len(cells) == 2 * 3 * 2 * 2
    assert len(set(cells)) == len(cells)
    assert {cell.library for cell in cells} == {"pandas"}


def test_an_engine_is_only_asked_for_what_it_can_do():
    cells = list(Spec(dataset=["fixture-tall-mixed-1e6"], engine=["static-frame"]).cells())
    assert {(cell.library, cell.format) for cell in cells} == {("static-frame", "npz"), ("static-frame", "npy")}
    assert not list(Spec(dataset=["article"], engine=["static-frame"], format=["npy"], transport=["memory"]).cells())


def test_filters_keep_and_drop():
    spec = Spec(
        dataset=["fixture-wide-*-1e6"],
        engine=["pandas"],
        only=[{"format": "feather"}, {"codec": "snappy"}],
        without=[{"dataset": "*-mixed-*"}, {"codec": "z*"}],
    )
    cells = list(spec.cells())
    assert {(cell.format, cell.codec) for cell in cells} == {
        ("feather", "none"),
        ("feather", "lz4"),
        ("parquet", "snappy"),
    }
    assert {cell.dataset for cell in cells} == {"fixture-wide-uniform-1e6", "fixture-wide-columnar-1e6"}


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


def test_spec_goes_to_json_and_back():
    spec = Spec(dataset=["article"], rounds=3, options={"mmap": True})
    assert Spec.from_json(json.dumps(spec.to_json())) == spec


@pytest.mark.parametrize(
    ("change", "message"),
    [({"operations": ["wirte"]}, "wirte"), ({"rounds": 0}, "rounds"), ({"colour": ["red"]}, "colour")],
)
def test_a_wrong_specification_says_what(change, message):
    with pytest.raises(ValueError, match=message):
        Spec.from_json({"dataset": ["article"], **change})


def test_unknown_names_name_the_nearest():
    with pytest.raises(KeyError, match='did you mean "pandas"'):
        list(Spec(dataset=["article"], engine=["panda"]).cells())
    with pytest.raises(KeyError, match='did you mean "article"'):
        list(Spec(dataset=["artcle"]).cells())
    with pytest.raises(ValueError, match="unknown factor"):
        matches(Cell("d", "pandas", "e", "f"), {"engin": "x"})
