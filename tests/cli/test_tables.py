"""`colonnade.cli.table` lays out what fits by itself; rich, which lays out everything else, is the reference."""

import io
import random

import pytest

from colonnade.cli.table import Table, print_table, rich_console


def by_rich(table: Table, monkeypatch: pytest.MonkeyPatch, width: int) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout", out := io.StringIO())
    rich_console().print(table.rich())
    return out.getvalue()


def random_table(draw: random.Random) -> Table:
    has_header = draw.random() < 0.7
    left = draw.randrange(2)
    table = Table("t" * draw.randrange(1, 9) if has_header else None, has_header=has_header, padding=(left, 1))
    ncols = draw.randrange(1, 5)
    for i in range(ncols):
        options = {"justify": draw.choice(["left", "right"]), "min_width": draw.randrange(6)}
        table.add_column(f"c{i}", **options, **draw.choice([{}, {"overflow": "fold"}, {"no_wrap": True}]))
    for _ in range(draw.randrange(1, 4)):
        table.add_row(*("x " * draw.randrange(6) + "y" * draw.randrange(4) for _ in range(ncols)))
    if draw.random() < 0.3:
        table.caption = "more"
    return table


@pytest.mark.parametrize("seed", range(40))
def test_tables_that_fit_are_those_of_rich(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(random.Random(seed))
    lines = table.lines(120)
    if lines is not None:
        assert "\n".join(lines) + "\n" == by_rich(table, monkeypatch, 120)


@pytest.mark.parametrize("text", ["wider than it is", "gr\u00fcn", "two\nlines"])
def test_other_tables_are_for_rich(text: str) -> None:
    table = Table(has_header=False, padding=(0, 1))
    table.add_column()
    table.add_row(text)
    assert table.lines(10) is None


def test_control_characters_are_escaped_in_both(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(has_header=False, padding=(0, 1))
    table.add_column()
    table.add_row("a\x1b[31mb")
    assert table.lines(80) == [r"a\x1b[31mb "]
    assert by_rich(table, monkeypatch, 80) == "a\\x1b[31mb \n"


def test_colour_that_is_asked_for_is_of_rich(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table(has_header=False, padding=(0, 1))
    table.add_column(style="bold")
    table.add_row("a")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    print_table(table)
    assert "\x1b[1m" in capsys.readouterr().out
