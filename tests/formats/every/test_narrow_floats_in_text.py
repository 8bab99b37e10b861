"""Text as floats of 16 and 32 bits: rounded once, from all digits; what is beyond them is refused."""

from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.corpora import CORPORA, needs_corpora
from tests.helpers.each import each

FILES = sorted((CORPORA / "num-nigeltao" / "data").glob("*.txt")) if CORPORA else []
MOST = 20_000
WIDE = {"float16": "u2", "float32": "u4"}


def read(texts: list[str], dtype: str) -> np.ndarray:
    # The second column keeps a row a row.
    rows = "".join(f"{text},\n" for text in texts)
    return cn.decode(f"x,y\n{rows}".encode(), "csv", dtype={"x": dtype})["x"].to_numpy()


@cache
def halves() -> list[Fraction]:
    """All that are not negative, and the one that would follow."""
    finite = np.arange(0x7C00, dtype="u2").view("f2")
    return [*(Fraction(float(half)) for half in finite), Fraction(65536)]


def nearest_half(text: str) -> int | None:
    """The bits of the nearest half, the even one of two; None beyond all of them."""
    exact, value = abs(Fraction(text)), halves()
    low, high = 0, 0x7C00
    while low < high:  # the first half that is not below
        middle = (low + high) // 2
        low, high = (middle + 1, high) if value[middle] < exact else (low, middle)
    if low and (exact - value[low - 1], (low - 1) % 2) < (value[low] - exact, low % 2):
        low -= 1
    return None if low == 0x7C00 else low | (0x8000 if text.startswith("-") else 0)


def around(half: int) -> list[str]:
    """Texts at, just below and just above the value half way to the next half, in several spellings."""
    low, high = (
        Fraction(float(np.array(bits, "u2").view("f2"))) if bits < 0x7C00 else Fraction(65536)
        for bits in (half, half + 1)
    )
    scaled = (low + high) / 2 * 10**60
    assert scaled.denominator == 1
    digits = scaled.numerator
    return [f"{near}e-60" for near in (digits - 1, digits, digits + 1)]


@each("half", [0, 1, 0x3FE, 0x3FF, 0x400, 0x3BFF, 0x3C00, 0x3C01, 0x7BFE, 0x7BFF])
def test_half_way_between_two_halves(half: int) -> None:
    for text in around(half):
        for spelled in (text, f"-{text}", f"000{text}", text.upper()):
            wanted = nearest_half(text)
            if wanted is None:
                with pytest.raises(cn.DecodeError, match="float16"):
                    read([spelled], "float16")
            else:
                sign = 0x8000 if spelled.startswith("-") else 0
                assert read([spelled], "float16").view("u2").tolist() == [wanted | sign], spelled


def test_digits_far_behind_count() -> None:
    texts = [
        "1.00048828125",
        "1.00048828125000000000000000001",
        "1.00146484374999999999999999999",
        "65519.999999999999999999999999",
        "0.000000029802322387695312500000000000000000001",
    ]
    assert read(texts, "float16").view("u2").tolist() == [0x3C00, 0x3C01, 0x3C01, 0x7BFF, 1]
    assert [nearest_half(text) for text in texts] == [0x3C00, 0x3C01, 0x3C01, 0x7BFF, 1]
    # 1 + 2**-24 is half way between two floats of 32 bits, and a float64.
    texts = [
        "1.000000059604644775390625",
        "1.00000005960464477539062500000000000001",
        "16777217",
        "16777217.0000000001",
    ]
    assert read(texts, "float32").view("u4").tolist() == [0x3F800000, 0x3F800001, 0x4B800000, 0x4B800001]


def test_random_halves_against_fractions() -> None:
    random = np.random.default_rng(16)
    mantissas, powers = random.integers([[1], [-30]], [[10**18], [-12]], (2, 500))
    texts = [f"{mantissa}e{power}" for mantissa, power in zip(mantissas, powers, strict=True)]
    kept = [(text, wanted) for text in texts if (wanted := nearest_half(text)) is not None]
    assert len(kept) > 300
    found = read([text for text, _ in kept], "float16").view("u2").tolist()
    assert found == [wanted for _, wanted in kept]


@needs_corpora
@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in FILES])
@pytest.mark.parametrize("dtype", WIDE)
def test_as_the_vectors_say(path: Path, dtype: str) -> None:
    texts, bits = [], []
    with open(path, encoding="ascii") as file:
        for line in file:
            half, single, _, text = line.split()
            texts.append(text)
            bits.append(int(half if dtype == "float16" else single, 16))
    wanted = np.array(bits[:MOST], WIDE[dtype])
    finite = np.isfinite(wanted.view(dtype))
    # The vectors write infinities and NaN as words, and numbers that become infinite.
    kept = [text for text, keep in zip(texts[:MOST], finite, strict=True) if keep]
    if kept:
        np.testing.assert_array_equal(read(kept, dtype).view(WIDE[dtype]), wanted[finite])
    beyond = [text for text, keep in zip(texts[:MOST], finite, strict=True) if not keep and text[-1].isdigit()]
    for text in beyond[:200]:
        with pytest.raises(cn.DecodeError, match=dtype):
            read([text], dtype)


@each(
    ("dtype", "texts"),
    {
        "float16": ["65520", "-65520", "1e39", "-1e39", "1e300", "1e400", "-1e400", "65520.00000000000000000001"],
        "float32": ["3.5e38", "-1e39", "1e400", "340282356779733661637539395458142568448"],
        "float64": ["1e309", "-1e400"],
        "int8": ["128", "-129", "1e2", "99999999999999999999"],
        "uint8": ["256", "-1"],
        "int64": ["9223372036854775808", "-9223372036854775809"],
        "uint64": ["18446744073709551616", "-1"],
        "Int16": ["32768"],
        "UInt32": ["4294967296", "-1"],
        "decimal128(4, 2)": ["100", "-100.00"],
    }.items(),
)
def test_what_is_beyond_a_type_is_refused(dtype: str, texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(cn.DecodeError):
            read([text], dtype)


@pytest.mark.parametrize(("text", "bits"), [("1.000488281250001", 0x3C01), ("1.00048828125", 0x3C00)])
def test_half_floats_of_a_table_schema(text: str, bits: int) -> None:
    """`orient="table"` names float16: one rounding of the float64, not one by way of 32 bits."""
    schema = '{"fields":[{"name":"x","type":"number","extDtype":"float16"}]}'
    found = cn.decode(f'{{"schema":{schema},"data":[{{"x":{text}}}]}}'.encode(), "json")["x"].to_numpy()
    assert found.view("u2").tolist() == [bits]
