"""What is refused of filtered members, provoked by literal bytes: class, member and byte."""

import json
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.formats.npz.test_bad_input import points_into
from tests.helpers.archives import DEFLATE, ZSTD, Archive, Member, archive, deflated, npy, zstd
from tests.helpers.each import each

ROWS = 6
VALUES = np.arange(ROWS) * 10.0
SHUFFLED = np.ascontiguousarray(VALUES.view("u1").reshape(-1, 8).T)
META = "__meta__.json"
BLOCK = "__blocks_0__.npy"


def entry(**changes: Any) -> dict[str, Any]:
    base = {"member": BLOCK, "filter": "shuffle", "type": "<f8", "shape": [ROWS]}
    return {key: value for key, value in (base | changes).items() if value is not None}


def built(filters: Any, *members: Member, version: int = 2) -> Archive:
    meta = {
        "__names__": [None, None, None],
        "__types__": ["Index", "Index"],
        "__depths__": [1, 1, 1],
        "__colonnade__": {"version": version, "filters": filters},
    }
    return archive(Member(META, json.dumps(meta).encode()), *members)


def block(array: np.ndarray, name: str = BLOCK) -> Member:
    return Member(name, npy(array))


def wrong(made: Archive, name: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        cn.read(made.data).to_pandas()
    with pytest.raises(error):
        cn.verify(made.data)
    text = str(caught.value)
    assert words in text, text
    assert name in text, text
    points_into(text, *made.anywhere(name))


def test_the_honest_file_is_read() -> None:
    made = built([entry()], block(SHUFFLED))
    np.testing.assert_array_equal(cn.read(made.data).to_pandas()[0], VALUES)
    codes = built(
        [entry(filter="dictionary", part_rows=4, values=2)],
        block(np.array([1.5, 2.5]), "__blocks_0_dictionary__.npy"),
        block(np.array([0, 1, 1, 0], "u1")),
        block(np.array([1, 1], "u1"), "__blocks_0_part_1__.npy"),
    )
    np.testing.assert_array_equal(cn.read(codes.data).to_pandas()[0], [1.5, 2.5, 2.5, 1.5, 2.5, 2.5])


def test_an_unknown_filter() -> None:
    made = built([entry(filter="bitshuffle")], block(SHUFFLED))
    words = 'expected a filter of none, shuffle, delta, delta-shuffle, dictionary, found "bitshuffle"'
    wrong(made, META, cn.UnsupportedError, words)


def test_a_later_version() -> None:
    text = refused_text(built([], block(VALUES), version=3))
    assert "expected __colonnade__ version up to 2, found 3. Upgrade colonnade." in text


def refused_text(made: Archive) -> str:
    with pytest.raises(cn.ColonnadeError) as caught:
        cn.read(made.data)
    return str(caught.value)


@each(
    "filters",
    [
        {},
        [7],
        [entry(member=None)],
        [entry(filter=None)],
        [entry(type="|O")],
        [entry(type=None)],
        [entry(shape=[])],
        [entry(shape=[ROWS, 1])],
        [entry(shape=[-1])],
        [entry(shape=[2, 3, 1])],
        [entry(part_rows=0)],
        [entry(part_rows="all")],
        [entry(filter="dictionary")],
        [entry(filter="dictionary", values=65_537)],
    ],
)
def test_entries_that_are_none(filters: Any) -> None:
    wrong(built(filters, block(SHUFFLED)), META, cn.DecodeError, "__colonnade__")


@each(
    "changes",
    [
        {"type": "<U2"},
        {"type": "|b1", "filter": "delta"},
        {"type": "|u1"},
        {"type": "<f2", "filter": "dictionary", "values": 1},
        {"type": "|V16", "filter": "delta"},
        {"filter": "dictionary", "shape": [3, 2], "values": 1},
        {"shape": [3, 2], "part_rows": 2},
    ],
)
def test_filters_that_a_type_or_shape_cannot_have(changes: dict[str, Any]) -> None:
    made = built([entry(**changes)], block(SHUFFLED))
    wrong(made, META, cn.DecodeError, "does not apply to")


@each(
    ("array", "found"),
    [
        (VALUES, "<f8 of shape (6,)"),
        (SHUFFLED.reshape(-1), "|u1 of shape (48,)"),
        (SHUFFLED[:7].copy(), "|u1 of shape (7, 6) in C order"),
        (np.asfortranarray(SHUFFLED), "|u1 of shape (8, 6) in Fortran order"),
        (SHUFFLED.view("i1"), "|i1 of shape (8, 6) in C order"),
        (np.ones((2, 2, 2)), "another array"),
    ],
)
def test_a_member_that_the_filter_does_not_make(array: np.ndarray, found: str) -> None:
    words = f'expected |u1 of shape (8, 6) in C order, which filter "shuffle" makes of <f8, found {found}'
    wrong(built([entry()], block(array)), BLOCK, cn.DecodeError, words)


@pytest.mark.parametrize("method", [DEFLATE, ZSTD])
def test_a_compressed_member_that_the_filter_does_not_make(method: int) -> None:
    shuffled = np.ascontiguousarray(np.arange(600.0).view("u1").reshape(-1, 8).T)
    for array, found in [(np.arange(600.0), "<f8 of shape (600,)"), (np.arange(60.0), "another array")]:
        content = npy(array)
        packed = deflated(content) if method == DEFLATE else zstd(content)
        made = built([entry(shape=[600])], Member(BLOCK, content, method=method, stored=packed))
        words = f'expected |u1 of shape {shuffled.shape} in C order, which filter "shuffle" makes of <f8, found {found}'
        wrong(made, BLOCK, cn.DecodeError, words)


def test_differences_of_another_type() -> None:
    words = 'expected <i8 of shape (6,), which filter "delta" makes of <f8, found <f8 of shape (6,)'
    wrong(built([entry(filter="delta")], block(VALUES)), BLOCK, cn.DecodeError, words)


def test_a_filter_on_text() -> None:
    made = built([entry(type="|S8")], block(np.full(ROWS, b"a", "S8")))
    wrong(made, META, cn.DecodeError, 'filter "shuffle" does not apply to |S8')


def test_a_member_that_is_missing() -> None:
    made = built([entry(), entry(member="__blocks_9__.npy")], block(SHUFFLED))
    text = refused_text(made)
    assert '"__blocks_9__.npy": at byte' in text
    assert "is missing, though __colonnade__ lists it as part of a filtered array. Write the file again." in text
    points_into(text, *made.anywhere(META))


def test_a_part_that_is_missing() -> None:
    made = built([entry(filter="delta", type="<i8", part_rows=4)], block(np.arange(4)))
    text = refused_text(made)
    assert "__blocks_0_part_1__.npy" in text
    assert "is missing" in text


def test_parts_beyond_count_cost_nothing() -> None:
    made = built([entry(filter="delta", type="<i8", shape=[2**40], part_rows=1)], block(np.arange(1)))
    with pytest.raises(cn.ColonnadeError):
        cn.read(made.data)


def test_a_part_that_stands_twice() -> None:
    made = built([entry(), entry()], block(SHUFFLED))
    wrong(made, BLOCK, cn.DecodeError, "is listed as part of two filtered arrays")


def test_values_that_are_missing() -> None:
    made = built([entry(filter="dictionary", values=2)], block(np.zeros(ROWS, "u1")))
    text = refused_text(made)
    assert "__blocks_0_dictionary__.npy" in text
    assert "is missing" in text


def test_values_of_another_type() -> None:
    made = built(
        [entry(filter="dictionary", values=3)],
        block(np.zeros(ROWS, "u1")),
        block(np.arange(3, dtype="f4"), "__blocks_0_dictionary__.npy"),
    )
    wrong(made, "__blocks_0_dictionary__.npy", cn.DecodeError, "expected <f8 of shape (3,)")


@pytest.mark.parametrize("count", [1, 300])
def test_codes_beyond_the_values(count: int) -> None:
    codes = np.zeros(ROWS, "u2")
    codes[4] = count
    stored = codes.astype("u1") if count < 256 else np.ascontiguousarray(codes.view("u1").reshape(-1, 2).T)
    made = built(
        [entry(filter="dictionary", values=count)],
        block(stored),
        block(np.arange(count) / 2, "__blocks_0_dictionary__.npy"),
    )
    wrong(made, BLOCK, cn.DecodeError, f"row 4: expected codes below {count}, found one of up to {count}")


def test_no_values_at_all() -> None:
    made = built(
        [entry(filter="dictionary", values=0)],
        block(np.zeros(ROWS, "u1")),
        block(np.zeros(0), "__blocks_0_dictionary__.npy"),
    )
    wrong(made, BLOCK, cn.DecodeError, "row 0: expected codes below 0")


def test_sizes_over_the_limit() -> None:
    codes = built(
        [entry(filter="dictionary", shape=[1000], values=1)],
        block(np.zeros(1000, "u1")),
        block(np.ones(1), "__blocks_0_dictionary__.npy"),
    )
    for limits in (cn.Limits(max_member_nbytes=4000), cn.Limits(max_nbytes=4000)):
        with pytest.raises(cn.LimitError, match="filtered arrays declare 8000 bytes, the limit is 4000") as caught:
            cn.read(codes.data, limits=limits)
        points_into(str(caught.value), *codes.anywhere(META))


def test_bools_in_parts_are_checked() -> None:
    bools = np.array([0, 1, 2, 1], "u1").view("?")
    made = built(
        [entry(filter="none", type="|b1", shape=[6], part_rows=4)],
        block(bools),
        block(np.array([True, False]), "__blocks_0_part_1__.npy"),
    )
    with pytest.raises(cn.DecodeError, match="expected a bool of 0 or 1"):
        cn.verify(made.data)


def test_a_damaged_part_is_told() -> None:
    data = bytearray(cn.encode({"x": np.arange(300_000) % 700}, "npz", compression="zstd", transform="dictionary"))
    (member,) = (m for m in cn.inspect(bytes(data)).members if m["name"] == "__blocks_0_part_1__.npy")
    data[member["offset"] + member["compressed_nbytes"] // 2] ^= 0xFF
    with pytest.raises(cn.DecodeError, match=r"__blocks_0_part_1__\.npy"):
        cn.decode(bytes(data)).to_numpy()
    whole = cn.decode(bytes(data), rows=slice(0, 1000)).to_numpy()["x"]
    np.testing.assert_array_equal(whole, np.arange(1000) % 700)
