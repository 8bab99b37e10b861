"""Numbers with many digits: each is the double that the standard library reads."""

import json

import numpy as np

import colonnade as cn
from tests.helpers.each import each


def number(whole: int, fraction: int, tail: str) -> str:
    digits = "9182736450" * 4
    return f"{digits[:whole]}.{digits[1 : 1 + fraction]}{tail}"


@each("tail", ["", "e5", "E-7", "e+0", "e-300", "e00000000012"])
@each("sign", ["", "-"])
def test_digits_before_and_after_the_point_all_count(tail: str, sign: str) -> None:
    texts = [sign + number(whole, fraction, tail) for whole in range(1, 31) for fraction in range(1, 31)]
    found = cn.decode(f'{{"x": [{",".join(texts)}]}}'.encode(), "json")["x"].to_numpy()
    assert found.tobytes() == np.array([float(text) for text in texts]).tobytes()


@each("times", [1, 3, 1000, 10**9])
def test_digits_that_are_a_little_more_than_all_of_64_bits_count(times: int) -> None:
    for more in (0, 1, 5, 2**40):
        digits = str(times * 2**64 + more)
        texts = [f"{digits[:point]}.{digits[point:]}" for point in range(1, len(digits))]
        found = cn.decode(f'{{"x": [{",".join(texts)}]}}'.encode(), "json")["x"].to_numpy()
        assert found.tolist() == [float(text) for text in texts]


@each("power", [0, 1, 9, 10, 18, 19, 20, 22, 23, 40, 300])
def test_zeros_in_front_of_the_digits_do_not_count(power: int) -> None:
    texts = [f"0.{'0' * power}{digits}" for digits in ("1", "123456789", "12345678901234567890123", "9007199254740993")]
    found = cn.decode(f'{{"x": [{",".join(texts)}]}}'.encode(), "json")["x"].to_numpy()
    assert found.tolist() == json.loads(f"[{','.join(texts)}]")
