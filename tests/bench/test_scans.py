"""The report of scans, whose parts are measured one at a time."""

from colonnade_bench.scans.__main__ import INTRODUCTION, MACHINE, report
from colonnade_bench.section import Section


def test_a_part_that_is_measured_again_replaces_its_own_tables() -> None:
    one, two, machine = (Section(name, ["call"], [[name]]) for name in ("one", "two", MACHINE))
    whole = report("", [one, two, machine])
    assert whole.startswith(INTRODUCTION + "## one\n")
    again = report(whole, [Section("one", ["call"], [["new"]]), machine])
    assert again == whole.replace("| one |", "| new |")
    more = report(again, [Section("three", ["call"], []), machine])
    assert more.index("## two") < more.index("## three") < more.index(f"## {MACHINE}")
