"""docs/pictures has what `make pictures` draws from the published records, and nothing else."""

from scripts.pictures.__main__ import draw_all, problems


def test_pictures_are_those_of_the_records():
    assert problems(draw_all()) == []
