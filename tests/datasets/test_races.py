"""Several writers of one dataset at once, and writers that are killed. `scripts/races.py` runs thousands."""

from pathlib import Path

from colonnade.testing.races import Race


def test_appends_of_four_writers_are_all_there_once(tmp_path: Path) -> None:
    outcome = Race(str(tmp_path / "d"), writers=4, attempts=15).run()
    assert (outcome.done, outcome.lost, outcome.doubled, outcome.half) == (60, 0, 0, 0)


def test_killed_writers_leave_nothing_half(tmp_path: Path) -> None:
    outcome = Race(str(tmp_path / "d"), writers=2, attempts=1000, kills=3, seed=1).run()
    assert outcome.killed == 3
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
