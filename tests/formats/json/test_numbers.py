"""Numbers in text: rounded exactly, written in the shortest form that comes back, integers of any size."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.applies import applies
from tests.helpers.corpora import CORPORA, needs_corpora

TEXTS = ("json", "ndjson", "csv", "yaml")
FILES = sorted((CORPORA / "num-nigeltao" / "data").glob("*.txt")) if CORPORA else []
MOST = 50_000
INTEGERS = [0, 1, -1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]


def vectors(path: Path) -> tuple[list[str], np.ndarray]:
    """The texts that JSON takes as numbers, and the bits of each as float64."""
    texts, bits = [], []
    with open(path, encoding="ascii") as file:
        for line in file:
            *_, float64, text = line.split()
            whole = text.lstrip("-").partition(".")[0].lower().partition("e")[0]
            well_formed = whole.isdigit() and (whole == "0" or whole[0] != "0") and ".e" not in text.lower()
            if well_formed and not text.endswith("."):
                texts.append(text)
                bits.append(int(float64, 16))
    return texts[:MOST], np.array(bits[:MOST], dtype=np.uint64)


def has_floats(path: Path) -> bool:
    """Whether one of the numbers is a finite float: some files are integers and overflows alone."""
    with open(path, encoding="ascii") as file:
        for line in file:
            *_, bits, text = line.split()
            well_formed = text.lstrip("-")[:1].isdigit() and not text.endswith(".")
            if well_formed and ("." in text or "e" in text.lower()) and int(bits, 16) >> 52 & 0x7FF < 0x7FF:
                return True
    return False


@applies(has_floats)
@needs_corpora
@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in FILES])
@pytest.mark.parametrize("format", ["json", "csv"])
def test_numbers_are_rounded_as_the_vectors_say(path: Path, format: str) -> None:
    texts, bits = vectors(path)
    finite = np.isfinite(bits.view(np.float64))
    # A float in the column makes it one of floats, whatever the others are.
    kept = [text for text, keep in zip(texts, finite, strict=True) if keep and ("." in text or "e" in text.lower())]
    wanted = bits[
        [bool(keep) and ("." in text or "e" in text.lower()) for text, keep in zip(texts, finite, strict=True)]
    ]
    assert kept
    if format == "csv":
        found = cn.decode(("x\n" + "\n".join(kept) + "\n").encode(), "csv")
    else:
        found = cn.decode(('{"x": [' + ",".join(kept) + "]}").encode(), "json")
    np.testing.assert_array_equal(found["x"].to_numpy().view(np.uint64), wanted)


@pytest.mark.parametrize("format", TEXTS)
def test_every_exponent_and_its_neighbours_come_back(format: str) -> None:
    powers = np.ldexp(1.0, np.arange(-1074, 1024))
    values = np.concatenate([powers, np.nextafter(powers, np.inf), np.nextafter(powers, 0), -powers])
    values = np.concatenate([values, np.random.default_rng(7).integers(0, 2**63, 5000).view(np.float64)])
    values = values[np.isfinite(values)]
    for dtype in ("<f8", "<f4", "<f2"):
        with np.errstate(over="ignore"):
            column = values.astype(dtype)
        column = column[np.isfinite(column)]
        found = cn.decode(cn.encode({"x": column}, format, schema="header"), format)["x"].to_numpy()
        assert found.dtype == column.dtype
        np.testing.assert_array_equal(found.view(f"<u{column.itemsize}"), column.view(f"<u{column.itemsize}"))


def test_floats_are_as_short_as_pythons() -> None:
    values = [0.1, 1e22, 1e23, 5e-324, 1.7976931348623157e308, 123456789.125, 1e16, -0.0, 100.0]
    told = json.loads(cn.encode({"x": np.array(values)}, "json", orient="split"))["data"]
    assert [struct.pack("<d", row[0]) for row in told] == [struct.pack("<d", value) for value in values]
    text = cn.encode({"x": np.array(values)}, "csv", on_loss="ignore").decode().split("\n")[1:-1]
    assert [float(cell) for cell in text] == values
    assert all(len(cell) <= len(repr(value)) + 2 for cell, value in zip(text, values, strict=True))


@pytest.mark.parametrize("format", ["json", "ndjson", "yaml"])
def test_integers_stay_integers(format: str) -> None:
    for values, dtype in ((INTEGERS, "<i8"), ([0, 1, 2**53 + 1, 2**64 - 1], "<u8")):
        rows = [{"x": value} for value in values]
        text = json.dumps(rows) if format != "ndjson" else "\n".join(map(json.dumps, rows))
        found = cn.decode(text.encode(), format)["x"].to_numpy()
        assert found.dtype.str == dtype
        assert found.tolist() == values


@pytest.mark.parametrize("big", [2**64, -(2**63) - 1, 10**40])
def test_integers_over_64_bits(big: int) -> None:
    lines = f'{{"x": 1}}\n{{"x": {big}}}\n'.encode()
    with pytest.raises(cn.DecodeError, match=r"line 2.*big_ints"):
        cn.decode(lines, "ndjson")
    if big < 10**38:
        found = cn.decode(lines, "ndjson", big_ints="decimal").to_arrow().column("x").to_pylist()
        assert [int(value) for value in found] == [1, big]
    text = f"x\n1\n{big}\n".encode()
    assert cn.decode(text, "csv").to_pandas()["x"].tolist() == ["1", str(big)]
    with pytest.raises(cn.DecodeError, match="line 3"):
        cn.decode(text, "csv", big_ints="error")
