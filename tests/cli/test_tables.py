"""Tables of the command line: how columns share the width, how cells are wrapped and cut, what is left out."""

import io
import random

import pytest

from colonnade._values.terminal_text import width_of
from colonnade.cli.layout import wrap
from colonnade.cli.table import Table, print_table


def table(*columns: dict[str, object], rows: list[list[str]]) -> Table:
    made = Table()
    for options in columns:
        made.add_column(**options)  # type: ignore[arg-type]
    for row in rows:
        made.add_row(*row)
    return made


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 20, ["one two three"]),
        ("one two three", 8, ["one two", "three"]),
        ("RLE, DELTA_BINARY_PACKED", 15, ["RLE,", "DELTA_BINARY_", "PACKED"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("日本語の列", 5, ["日本", "語の", "列"]),
        ("日本", 1, ["日", "本"]),
        ("", 5, [""]),
    ],
)
def test_wrapped_text(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


@pytest.mark.parametrize("seed", range(40))
def test_wrapped_text_is_whole(seed: int) -> None:
    draw = random.Random(seed)
    text = "".join(draw.choice("ab _.,日語") for _ in range(60)).strip()
    width = draw.randrange(2, 30)
    lines = wrap(text, width)
    assert max(map(width_of, lines)) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_table_that_fits() -> None:
    made = table({"name": "a"}, {"name": "count", "is_right": True}, rows=[["x", "1"], ["long", "1,000"]])
    assert made.lines(80) == ["a     count", "───────────", "x         1", "long  1,000"]


def test_columns_are_wrapped_and_cut() -> None:
    made = table(
        {"name": "a", "fit": "wrap"}, {"name": "b", "fit": "cut"}, {"name": "c"},
        rows=[["one two three four", "five six seven eight", "kept"]],
    )  # fmt: skip
    assert made.lines(34)[2:] == ["one two three  five six sev…  kept", "four"]


def test_the_highest_rank_is_left_out_first() -> None:
    made = table({"name": "a"}, {"name": "b", "rank": 1}, {"name": "c", "rank": 2}, rows=[["1" * 8, "2" * 8, "3" * 8]])
    assert made.lines(28)[-1] == "11111111  22222222  33333333"
    assert made.lines(27)[2:] == ["11111111  22222222", "not shown at this width: c;", "--json has all"]
    assert made.lines(17)[2:] == ["11111111", "not shown at this", "width: b, c;", "--json has all"]


@pytest.mark.parametrize("seed", range(40))
def test_no_line_is_wider_than_the_terminal(seed: int) -> None:
    draw = random.Random(seed)
    ncols = draw.randrange(1, 7)
    columns = [
        {"name": draw.choice(["n", "a name", "日本"]), "fit": draw.choice(["wrap", "cut"]), "rank": draw.randrange(3)}
        for _ in range(ncols)
    ]
    cells = [["".join(draw.choice("ab _日") for _ in range(draw.randrange(40))) for _ in columns] for _ in range(4)]
    made = table(*columns, rows=cells)
    for width in (20, 40, 80, 120):
        assert max(map(width_of, made.lines(width))) <= max(width, 4 * ncols)


def test_control_characters_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(table({}, rows=[["a\x1b[31mb"]]))
    assert capsys.readouterr().out == "a\\x1b[31mb\n"


def test_colour_that_is_asked_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    print_table(table({"is_bold": True}, {}, rows=[["a", "b"]]))
    assert capsys.readouterr().out == "\x1b[1ma\x1b[0m  b\n"


def test_an_output_without_unicode(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("COLUMNS", "14")
    print_table(table({"name": "a"}, {"name": "b", "fit": "cut"}, rows=[["é", "much too long"]]))
    out.flush()
    assert out.buffer.getvalue() == b"a  b\n--------------\n\\xe9  much too l~\n"
