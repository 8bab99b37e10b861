"""Tables of text over connections: consecutive tables, each of which ends where its header says."""

import socket

import numpy as np
import pytest

import colonnade as cn

pd = pytest.importorskip("pandas")

FRAMES = [
    pd.DataFrame({"a": [1, 2], "b": ["x", 'two\n"lines"\n']}, index=pd.Index([7, 8], name="i")),
    pd.DataFrame({"c": pd.Categorical(["u", None])}),
    pd.DataFrame({"d": np.array([], dtype="f4")}),
    pd.DataFrame(index=range(3)),
]


@pytest.mark.parametrize("format", ["csv", "ndjson"])
def test_several_tables_over_one_connection(format: str) -> None:
    here, there = map(cn.connect, socket.socketpair())
    for frame in FRAMES:
        here.send(frame, format)
        here.send_bytes(b"between")
    here.send(FRAMES[0])
    for frame in FRAMES:
        pd.testing.assert_frame_equal(there.receive().to_pandas(), frame)
        assert there.receive_bytes() == b"between"
    pd.testing.assert_frame_equal(there.receive().to_pandas(), FRAMES[0])
    cn.write(FRAMES[1], here, format=format)
    pd.testing.assert_frame_equal(cn.read_pandas(there), FRAMES[1])


@pytest.mark.parametrize("format", ["csv", "ndjson"])
def test_a_table_is_one_batch(format: str) -> None:
    here, there = map(cn.connect, socket.socketpair())
    here.send(FRAMES[0], format)
    here.send(FRAMES[1])
    for frame in FRAMES[:2]:
        with cn.open_reader(there) as reader:
            (batch,) = reader
            pd.testing.assert_frame_equal(batch.to_pandas(), frame)


@pytest.mark.parametrize("step", [1, 7, 4096])
def test_in_pieces_and_cut(step: int) -> None:
    for format, options in (("csv", {"schema": "header"}), ("ndjson", {"schema": "header"})):
        content = cn.encode(FRAMES[0], format, **options)
        here, there = socket.socketpair()
        link = cn.connect(there)
        for start in range(0, len(content), step):
            here.sendall(content[start : start + step])
            assert link.poll() == (start + step >= len(content))
        pd.testing.assert_frame_equal(link.receive().to_pandas(), FRAMES[0])
        here.sendall(content[:-1])
        here.shutdown(socket.SHUT_WR)
        with pytest.raises(cn.TruncatedError):
            link.receive()


def test_what_does_not_say_its_rows_is_refused() -> None:
    here, there = map(cn.connect, socket.socketpair())
    for format, options in (
        ("ndjson", {"compression": "gzip"}),
        ("csv", {"encoding": "utf-16"}),
    ):
        with pytest.raises(cn.OptionError, match="header"):
            here.send(FRAMES[0], format, **options)
    with pytest.raises(cn.UnsupportedError, match="json: expected a format that goes over a connection"):
        here.send(FRAMES[0], "json")
    here.send(FRAMES[0])
    assert there.receive().shape == (2, 2)
    raw, other = socket.socketpair()
    raw.sendall(b'{"a": 1}\n')
    with pytest.raises(cn.DecodeError, match="header"):
        cn.connect(other).receive()


@pytest.mark.parametrize("format", ["csv", "ndjson"])
def test_names_of_odd_characters_and_tables_of_no_rows(format: str) -> None:
    frames = [
        pd.DataFrame({'a,"b"\r\nc\t#': [1], "é 🎉": ["x"], "": [2.5], "# colonnade: {": [None]}),
        pd.DataFrame({"a\nb": np.array([], dtype="i2")}),
        pd.DataFrame(
            {"x": ["", "\n", "# colonnade: {}", '{"__colonnade__": {}}']}, index=pd.Index(list("abcd"), name="\n")
        ),
        pd.DataFrame(),
    ]
    here, there = map(cn.connect, socket.socketpair())
    for frame in frames:
        here.send(frame, format)
    for frame in frames:
        pd.testing.assert_frame_equal(there.receive().to_pandas(), frame)


@pytest.mark.parametrize(("format", "options"), [(format, {"schema": "header"}) for format in ("csv", "ndjson")])
def test_counts_of_rows_that_are_wrong(format: str, options: dict[str, str]) -> None:
    content = bytes(cn.encode(FRAMES[0], format, **options))
    assert content.count(b'"nrows":2') == 1
    # The header declares one row too many: the connection ends in the middle of the table.
    raw, other = socket.socketpair()
    raw.sendall(content.replace(b'"nrows":2', b'"nrows":3'))
    raw.shutdown(socket.SHUT_WR)
    with pytest.raises(cn.TruncatedError):
        cn.connect(other).receive()
    # One too few: the rest is no table.
    raw, other = socket.socketpair()
    raw.sendall(content.replace(b'"nrows":2', b'"nrows":1'))
    raw.shutdown(socket.SHUT_WR)
    link = cn.connect(other)
    assert link.receive().shape == (1, 2)
    with pytest.raises(cn.DecodeError):
        link.receive()
    # Every cut is detected.
    for end in range(1, len(content), 7):
        raw, other = socket.socketpair()
        raw.sendall(content[:end])
        raw.shutdown(socket.SHUT_WR)
        with pytest.raises(cn.DecodeError):
            cn.connect(other).receive()
