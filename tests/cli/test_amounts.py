"""One notation for sizes, times and rates, and one place where it is written."""

import re
from pathlib import Path

import pytest

import colonnade
from colonnade.cli.amounts import bit_rate_text, byte_rate_text, digits_text, nbytes_text, seconds_text
from colonnade.cli.values import size

REPOSITORY = Path(colonnade.__file__).parents[2]


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1 kB"), (1_234, "1.23 kB"), (62_000_000, "62 MB"),
        (999_499, "999 kB"), (999_500, "1 MB"), (10**12, "1 TB"), (1_234_567 * 10**12, "1,230,000 TB"),
    ],
)  # fmt: skip
def test_sizes(nbytes: int, text: str) -> None:
    assert nbytes_text(nbytes) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"), (754, "754 s"), (1234.5, "1,230 s"), (3.14159, "3.14 s"), (0.9996, "1 s"), (0.012, "12 ms"),
        (0.0456, "45.6 ms"), (0.0009996, "1 ms"), (2.5e-5, "25 µs"), (3e-9, "3 ns"),
    ],
)  # fmt: skip
def test_times(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_rates() -> None:
    assert [bit_rate_text(value) for value in (1.0, 56e3, 999e6, 999.9e6)] == [
        "1 bit/s", "56 kbit/s", "999 Mbit/s", "1 Gbit/s"
    ]  # fmt: skip
    assert [byte_rate_text(value) for value in (1.2e9, 500e6)] == ["1.2 GB/s", "500 MB/s"]


def test_digits() -> None:
    assert [digits_text(value) for value in (0, 1.5, 62.0, 1234.6, 0.001234, 1e-9)] == [
        "0", "1.5", "62", "1,230", "0.00123", "0.000000001"
    ]  # fmt: skip
    assert nbytes_text(61_900_000, 2) == "62 MB"


@pytest.mark.parametrize("text", ["12 B", "5 kB", "64 MB", "2 GB", "3 TB"])
def test_sizes_can_be_given_as_they_are_shown(text: str) -> None:
    assert nbytes_text(size(text.replace(" ", ""))) == text


def test_nothing_else_writes_units() -> None:
    """A number before a unit in an f-string would be a second notation."""
    unit = re.compile(r"\{[^{}]*:[^{}]*[fg]\} ?(?:[kKMGT]i?B|B|us|µs|ms|[kMG]bit/s)\b")
    # The target of a relay's memory is given in MiB; shaping.py writes the arguments of tc.
    allowed = {"verdicts.py": "MiB", "shaping.py": "us"}
    found = [
        (path.name, match[0])
        for folder in ("python/colonnade/cli", "python/colonnade/_api", "bench/src/colonnade_bench")
        for path in sorted((REPOSITORY / folder).rglob("*.py"))
        for match in unit.finditer(path.read_text(encoding="utf-8"))
        if not match[0].endswith(allowed.get(path.name, "-"))
    ]
    assert found == []
