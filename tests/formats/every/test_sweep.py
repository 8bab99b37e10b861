"""A sample of the sweep that ``make sweep`` does in full: see `tests.sweep.formats`."""

from tests.sweep import formats as sweep_formats

# A prime, so that the changes that are tried differ from byte to byte.
EVERY = 997


def test_the_changes_are_eight_flips_and_four_values_where_they_differ() -> None:
    found = {content for _, content in sweep_formats.mutants(b"\x00")}
    assert found == {bytes([1 << bit]) for bit in range(8)} | {b"\x7f", b"\xff"}
    assert len(list(sweep_formats.mutants(b"A\x80"))) == 12 + 10
    assert [name for name, _ in sweep_formats.mutants(b"AB", 12)] == ["byte 0: 40", "byte 1: 43"]


def test_every_format_is_swept() -> None:
    assert {path.suffix[1:] for path in sweep_formats.goldens()} == set(sweep_formats.FORMATS)


def test_a_changed_byte_opens_or_is_refused() -> None:
    results = sweep_formats.run(sweep_formats.goldens(), EVERY)
    wrong = [(result["path"].name, found) for result in results for found in result["wrong"]]
    assert not wrong
    assert all(result["opened"] + result["refused"] for result in results)
    assert sum(result["refused"] for result in results) > 100
