"""The wait for other work on the machine, with a clock and counters of the test's own."""

import os

import pytest

from colonnade_bench.panel import quiet
from colonnade_bench.panel.quiet import Busy, cpu_s, wait


@pytest.fixture
def clock(monkeypatch):
    """Times that `Busy.now` returns one after another; the measured processes use none."""

    def runs(*times):
        left = iter(times)
        monkeypatch.setattr(Busy, "now", classmethod(lambda cls: next(left)))
        monkeypatch.setattr(quiet, "PATIENCE_S", 1800.0)
        monkeypatch.setattr(quiet, "cpu_s", lambda pids: 0.0)
        monkeypatch.setattr(quiet.time, "sleep", lambda seconds: None)

    return runs


def test_nothing_is_waited_for_on_a_quiet_machine(clock):
    clock(Busy(0.4, 1.0))
    assert wait(Busy(0.0, 0.0), [], lambda: False) == 0.0


def test_other_work_is_waited_for_and_noted_once(clock):
    clock(
        Busy(2.0, 1.0),  # two cores busy since the start
        *(Busy(3.0, 2.0), Busy(3.4, 2.2)),  # still two
        *(Busy(4.0, 3.0), Busy(4.4, 3.2)),
        *(Busy(5.0, 4.0), Busy(5.0, 4.2)),  # quiet
    )
    notes = []
    assert wait(Busy(0.0, 0.0), [], lambda: False, notes.append) > 0.0
    assert notes == ["waiting: other work uses 2.0 cores"]


def test_the_end_of_the_budget_ends_the_wait(clock):
    clock(Busy(2.0, 1.0))
    wait(Busy(0.0, 0.0), [], lambda: True)


def test_a_system_without_counters_waits_for_nothing(clock):
    clock(None, None)
    assert wait(Busy(0.0, 0.0), [], lambda: False) == 0.0
    assert wait(None, [], lambda: False) == 0.0


def test_the_time_of_a_process_is_counted():
    used = sum(os.times()[:4])
    assert cpu_s([os.getpid(), 1 << 22]) == pytest.approx(used, abs=1.0)
