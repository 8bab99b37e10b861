"""Cases of sending for every transport."""

from typing import ClassVar

import numpy as np
import pytest

import colonnade as cn

from ._transport_base import Transport
from ._transport_messages import big_bytes, big_frame, sent_as_is


class Sending(Transport):
    """A connection sends exactly the bytes of the messages, in order."""

    each_needs: ClassVar[tuple[str, ...]] = ("sends",)

    def test_what_is_sent(self) -> None:
        messages = sent_as_is()
        with self.sender() as (connection, collected):
            for message in messages:
                message.send(connection, self.patience_s)
            connection.close()
            assert collected.result() == b"".join(message.wire for message in messages)

    def test_what_is_sent_is_there_without_a_close(self) -> None:
        """`finish` sends all buffered bytes."""
        messages = sent_as_is()
        with self.sender() as (connection, collected):
            for message in messages:
                message.send(connection, self.patience_s)
            connection.finish()
            assert collected.result() == b"".join(message.wire for message in messages)

    def test_big_messages_are_sent(self) -> None:
        frame, opaque = big_frame(), big_bytes()
        with self.sender() as (connection, collected):
            frame.send(connection, self.patience_s)
            opaque.send(connection, self.patience_s)
            connection.close()
            assert collected.result() == frame.wire + opaque.wire

    def test_bytes_may_be_any_buffer(self) -> None:
        with self.sender() as (connection, collected):
            connection.send_bytes(bytearray(b"one"))
            connection.send_bytes(memoryview(b"-two-")[1:-1])
            connection.close()
            assert collected.result().endswith(b"two")

    def test_a_frame_is_sent_chunk_by_chunk(self) -> None:
        with self.sender() as (connection, collected):
            with cn.open_writer(connection, format="arrows") as writer:
                for start in (0, 10):
                    writer.write({"x": np.arange(start, start + 10)})
            connection.send_bytes(b"after")
            connection.close()
            data = collected.result()
        with cn.connect((data, None)) as again:
            assert again.receive().to_numpy()["x"].tolist() == list(range(20))
            assert again.receive_bytes() == b"after"

    def test_a_writer_that_fails_leaves_no_whole_message(self) -> None:
        """The peer detects the failure, because its input ends inside a message."""
        with self.sender() as (connection, collected):
            with pytest.raises(RuntimeError, match="the source broke"):
                _write_and_fail(connection)
            connection.close()
            data = collected.result()
        with cn.connect((data, None)) as again, pytest.raises((cn.TruncatedError, EOFError)):
            again.receive()

    def test_after_the_end_nothing_is_sent(self) -> None:
        with self.sender() as (connection, collected):
            connection.send_bytes(b"last")
            connection.finish()
            with pytest.raises((OSError, ValueError)):
                connection.send_bytes(b"more")
            connection.close()
            with pytest.raises((OSError, ValueError)):
                connection.send_bytes(b"more")
            assert collected.result().endswith(b"last")

    def test_closing_twice_is_closing_once(self) -> None:
        with self.sender() as (connection, collected):
            connection.close()
            connection.close()
            assert collected.result() == b""


def _write_and_fail(connection: "cn.Connection") -> None:
    with cn.open_writer(connection, format="arrows") as writer:
        writer.write({"x": np.arange(10)})
        raise RuntimeError("the source broke")
