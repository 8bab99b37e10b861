"""The command line of the benchmark: mistyped words, the help, and the list of what there is."""

import pytest

pytest.importorskip("pandas")

from colonnade_bench.__main__ import COMMANDS, main
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.listing import families, groups
from colonnade_bench.machine import reason_missing


def said(capsys, *words):
    """The exit status, standard output and standard error of a command."""
    try:
        status = main(list(words))
    except SystemExit as error:
        status = error.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (["lits"], "list"),
        (["tabel"], "table"),
        (["repotr", "x"], "report"),
        (["arow-stream"], "arrow-stream"),
        (["nycfligths13"], "nycflights13"),
    ],
)
def test_a_mistyped_word_is_met_by_the_nearest_and_a_next_step(words, nearest, capsys):
    status, out, err = said(capsys, *words)
    assert (status, out) == (2, "")
    assert err.startswith(f'bench: no command and no data set "{words[0]}"; did you mean "{nearest}"? ')
    assert "`colonnade bench list` names data sets" in err
    assert len(err.splitlines()) == 1
    assert len(err) < 250


def test_a_word_like_nothing_has_no_suggestion(capsys):
    status, _, err = said(capsys, "zzzzzzzz")
    assert status == 2
    assert err.startswith('bench: no command and no data set "zzzzzzzz". `colonnade bench list`')


def test_a_path_that_is_not_there_is_a_missing_file(capsys):
    status, _, err = said(capsys, "trips.parquet")
    assert status == 1
    assert "No such file" in err


def test_a_mistyped_dataset_among_options_gets_a_suggestion_and_no_list_of_all(capsys):
    status, _, err = said(capsys, "--quick", "--dataset", "everyday-oders")
    assert status == 2
    assert 'did you mean "everyday-orders"' in err
    assert "everyday-taxi" not in err


@pytest.mark.parametrize("words", [["--help"], ["panel", "--help"]])
def test_the_help_has_the_main_options_the_commands_and_three_examples(words, capsys):
    status, out, _ = said(capsys, *words)
    assert status == 0
    for option in ("--quick", "--engine", "--transport", "--budget", "--out", "--report-only"):
        assert option in out
    for command in COMMANDS.keys() - {"panel"}:
        assert f"  {command} " in out
    assert sum(line.startswith("  colonnade bench ") for line in out.partition("examples:")[2].splitlines()) == 3


def test_the_list_fits_a_screen_or_two_and_says_last_what_is_missing(capsys):
    status, out, _ = said(capsys, "list")
    assert status == 0
    assert len(out.splitlines()) < 70
    for name, _, _ in families():
        assert f"  {name} " in out
    for name, members in groups():
        assert f"  {name} " in out, members
    missing = out.partition("Missing here")
    for name in ENGINES:
        where = missing[0] if reason_missing(name) is None else missing[2]
        assert name in where


@pytest.mark.parametrize(("kind", "known"), [("datasets", DATASETS), ("engines", ENGINES)])
def test_one_kind_has_every_member(kind, known, capsys):
    status, out, _ = said(capsys, "list", kind)
    assert status == 0
    assert all(name in out for name in known)


def test_each_dataset_and_each_engine_is_in_one_group():
    assert sorted(each.name for _, _, members in families() for each in members) == sorted(DATASETS)
    assert sorted(name for _, members in groups() for name in members) == sorted(ENGINES)
