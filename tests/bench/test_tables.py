"""The published tables as specifications: who is measured with what, and what a wrong specification says."""

import itertools
from fnmatch import fnmatchcase

import pytest

from colonnade_bench.__main__ import main
from colonnade_bench.channels import CHANNELS
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.entry import alternating
from colonnade_bench.spec import Spec, shipped_names
from colonnade_bench.spec_fields import listed
from tests.helpers.bench_records import TABLES, all_entries
from tests.helpers.each import each

MEASURED = {
    "arrow": {"streams": 67, "copies": 0, "files": 90, "codecs": 72},
    "codecs": {"arange": 98, "taxi": 153, "flights": 153, "events": 153},
    "connections": {"large": 45, "text": 12, "small": 24, "pieces": 4, "pieces-unix": 6, "relay": 0},
    "everyday": {
        "arrow": 252,
        "parquet": 126,
        "npz": 98,
        "msgpack": 112,
        "csv": 154,
        "ndjson": 140,
        "nullable": 2,
    },
    "json": {"json": 56},
    "msgpack": {"memory": 140, "records": 8, "wire": 29, "file": 33},
    "npz-1e6": {"fixtures": 261, "codecs": 126, "consolidated": 36},
    "npz-1e8": {"fixtures": 252},
    "parquet": {"low": 30, "files": 270, "columns": 5},
    "text": {"csv": 64, "ndjson": 52, "yaml": 4},
}
"""Calls of each part: those of the programs that the specifications have replaced, one by one."""


def test_every_shipped_table_is_known_here():
    assert tuple(shipped_names("tables")) == TABLES == tuple(MEASURED)
    assert shipped_names() == ["default", "msgpack", "quick"]


@each("table", TABLES)
def test_a_table_measures_what_it_always_did(table):
    parts = Spec.table(table).parts()
    found = {part.name: sum(1 for entry in part.entries() if entry.call) for part in parts}
    assert found == MEASURED[table]


@each("table", TABLES)
def test_everybody_is_asked_for_what_there_is(table):
    for part in Spec.table(table).parts():
        entries = part.entries()
        assert len({(entry.cell, entry.call) for entry in entries}) == len(entries)
        for entry in entries:
            cell = entry.cell
            assert cell.library in DATASETS[cell.dataset].libraries, cell
            if part.measure in ("channels", "pieces"):
                assert f"{cell.engine} {cell.format}" in CHANNELS
                continue
            writer, form = cell.option["of"].split() if len(str(cell.option.get("of")).split()) == 2 else ("", "")
            engine = ENGINES[cell.engine]
            assert cell.codec in (ENGINES[writer].formats[form] if writer else engine.formats[cell.format]), cell
            assert cell.library in engine.libraries, cell
            assert engine.supports(cell), cell


@each("table", TABLES)
def test_every_target_has_its_contestants(table):
    there = {(e.cell.dataset, e.cell.library, e.call, e.cell.contestant) for e in all_entries(table)}
    for target in Spec.table(table).targets():
        if target.kind not in ("time", "memory", "open"):
            continue
        for comparison, call in itertools.product(target.comparisons("first"), listed(target.operation)):
            where = (comparison.dataset, target.library, call)
            names = {name for *rest, name in there if tuple(rest) == where}
            for patterns in (
                [comparison.ours],
                *([comparison.peers] if comparison.peers else []),
                *comparison.slowest_of,
            ):
                assert any(fnmatchcase(name, pattern) for name in names for pattern in patterns), (where, patterns)


def test_those_alternate_that_agree():
    low = next(part for part in Spec.table("parquet").parts() if part.name == "low")
    groups = list(alternating(low.entries(), low.group_by))
    assert len(groups) > 3
    for group in groups:
        assert len({(e.cell.library, e.call, e.cell.option.get("threads")) for e in group}) == 1


def test_targets_only_leaves_out_what_no_target_is_judged_by():
    files = next(part for part in Spec.table("arrow").parts() if part.name == "files")
    fewer = files.entries(targets_only=True)
    assert {entry.cell.contestant for entry in fewer} == {"colonnade arrow", "pandas feather", "polars ipc"}
    assert len(fewer) < len(files.entries())


ONE = {"engine": "pickle", "format": "pickle", "library": "static-frame"}


def of(contestant=ONE, target=(), **part):
    told = {"name": "p", "dataset": ["article"], "contestant": [contestant], **part}
    return Spec.of({"part": [told], "target": list(target)})


WRONG = {
    "part's key": (lambda: of(rouns=3), 'unknown key of a part "rouns"; did you mean "rounds"'),
    "measure": (lambda: of(measure="cals"), 'unknown measure "cals"; did you mean "calls"'),
    "require_equal": (lambda: of(require_equal="al"), 'unknown require_equal "al"; did you mean "all"'),
    "state": (lambda: of(state=["frist"]), 'unknown state "frist"; did you mean "first"'),
    "dataset": (lambda: of(dataset=["artcle"]), 'unknown dataset "artcle"; did you mean "article"'),
    "contestant's key": (lambda: of({**ONE, "librry": "x"}), 'a contestant of "p" "librry"; did you mean "library"'),
    "engine": (lambda: of({**ONE, "engine": "pickel"}), 'unknown engine "pickel"; did you mean "pickle"'),
    "format": (lambda: of({**ONE, "format": "pikle"}), 'unknown format of pickle "pikle"; did you mean "pickle"'),
    "codec": (lambda: of({**ONE, "codec": "non"}), 'unknown codec of pickle pickle "non"; did you mean "none"'),
    "library": (lambda: of({**ONE, "library": "panda"}), 'unknown library "panda"; did you mean "pandas"'),
    "transport": (lambda: of({**ONE, "transport": "memry"}), 'unknown transport "memry"; did you mean "memory"'),
    "operation": (lambda: of({**ONE, "operation": "wirte"}), 'unknown operation "wirte"; did you mean "write"'),
    "their dataset": (
        lambda: of({**ONE, "dataset": "artcle"}),
        'unknown dataset of "p" "artcle"; did you mean "article"',
    ),
    "target's key": (
        lambda: of(target=[{"workload": "w", "minimun": 1.0}]),
        'key of a target "minimun"; did you mean "minimum"',
    ),
    "target's kind": (
        lambda: of(target=[{"workload": "w", "kind": "tme"}]),
        'kind of a target "tme"; did you mean "time"',
    ),
    "key": (lambda: Spec.of({"datset": ["article"]}), 'unknown key "datset"; did you mean "dataset"'),
    "table": (lambda: Spec.table("arow"), 'unknown table "arow"; did you mean "arrow"'),
    "panel": (lambda: Spec.load("quik"), 'unknown specification "quik"; did you mean "quick"'),
}
"""Names that are not there, and what is said of each."""


@each("case", WRONG)
def test_a_mistyped_name_is_told_with_the_nearest(case):
    make, message = case
    with pytest.raises(KeyError) as caught:
        make()
    assert message in caught.value.args[0]


@each("values", [{"rounds": 0}, {"rounds": "three"}, {"contestant": [1]}, {"contestant": [{"engine": "pickle"}]}])
def test_a_value_of_another_kind_is_refused(values):
    with pytest.raises(ValueError, match="bench: "):
        of(**values)


def test_two_parts_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two parts have one name"):
        Spec.of({"part": [{"name": "p", "dataset": ["article"]}] * 2})


def test_a_damaged_file_is_named(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    path.write_text('[[part]]\nname = "p\n')
    assert main(["table", str(path)]) == 2
    assert f"bench: {path} is not valid TOML: Illegal character" in capsys.readouterr().err
    path.write_text("repetitions = 2\n")
    assert main(["table", str(path)]) == 2
    assert f"bench: {path} has no part, so it is not a table" in capsys.readouterr().err


@each("words", [("arow",), ("arrow", "--part", "stream"), ("arrow", "--part", "files", "--dataset", "no-such-*")])
def test_the_command_refuses_before_it_begins(words, tmp_path, capsys):
    assert main(["table", *words, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("bench: ")
    assert not (tmp_path / "out").exists()


def test_a_specification_goes_to_json_and_back():
    for table in TABLES:
        spec = Spec.table(table)
        assert Spec.of(spec.to_json()) == spec
