"""Cases of receiving for every transport, including those with all bytes present from the start."""

from typing import ClassVar

import numpy as np
import pytest

import colonnade as cn

from ._transport_base import Transport
from ._transport_messages import big_bytes, big_frame, bytes_message, envelope, frame_message, samples

# Positions at which the second message is cut, counted from its start or (negative) its end.
CUTS = {
    "after its first byte": 1,
    "inside its first word": 3,
    "behind its first word": 4,
    "inside its length": 11,
    "behind its length": 16,
    "in its midst": 150,
    "before its last byte": -1,
}

GARBAGE = {
    "http": b"GET / HTTP/1.1\r\n\r\n",
    "zeros": bytes(64),
    "zip": b"PK\x03\x04" + bytes(60),
    "unknown kind": b"\xc1CNX" + bytes(60),
}


class Receiving(Transport):
    """The received messages equal the sent ones, whatever the end of the input."""

    each_needs: ClassVar[tuple[str, ...]] = ("receives",)

    def test_messages_come_in_their_order(self) -> None:
        messages = samples()
        with self.receiver(b"".join(message.wire for message in messages)) as connection:
            self.take(connection, *messages)
            self.assert_at_end(connection)
            self.assert_at_end(connection)

    def test_iteration_gives_frames_and_bytes_until_the_end(self) -> None:
        messages = samples()
        with self.receiver(b"".join(message.wire for message in messages)) as connection:
            found = list(connection)
            assert len(found) == len(messages)
            for one, message in zip(found, messages, strict=True):
                message.check(one)

    def test_input_without_a_byte(self) -> None:
        with self.receiver(b"") as connection:
            self.assert_at_end(connection)

    def test_big_messages(self) -> None:
        small, *_ = samples()
        messages = (big_frame(), small, big_bytes(), small)
        with self.receiver(b"".join(message.wire for message in messages)) as connection:
            self.take(connection, *messages)
            self.assert_at_end(connection)

    def test_a_frame_is_taken_batch_by_batch(self) -> None:
        frame = frame_message("frame in batches", {"x": np.arange(1000)}, batch_nbytes=1024)
        after = bytes_message("after it", b"after it")
        with self.receiver(frame.wire + after.wire) as connection:
            with cn.open_reader(connection) as reader:
                batches = list(reader)
            assert len(batches) > 1
            assert [x for batch in batches for x in batch.to_numpy()["x"]] == list(range(1000))
            self.take(connection, after)
            self.assert_at_end(connection)

    def test_the_other_kind_was_asked_for(self) -> None:
        """The call raises an error that names the right method, and the message stays available."""
        frame = frame_message("frame", {"x": np.arange(3)})
        opaque = bytes_message("bytes", b"bytes")
        with self.receiver(frame.wire + opaque.wire) as connection:
            with pytest.raises(cn.DecodeError, match="receive"):
                connection.receive_bytes(timeout_s=self.patience_s)
            self.take(connection, frame)
            with pytest.raises(cn.DecodeError, match="receive_bytes"):
                connection.receive(timeout_s=self.patience_s)
            self.take(connection, opaque)
            self.assert_at_end(connection)

    @pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS.keys())
    @pytest.mark.parametrize("kind", ["frame", "bytes"])
    def test_input_that_ends_inside_a_message(self, kind: str, cut: int) -> None:
        whole = {message.name: message for message in samples()}
        wire = whole[kind].wire
        assert len(wire) > 200
        with self.receiver(whole["one byte"].wire + wire[:cut]) as connection:
            self.take(connection, whole["one byte"])
            self.assert_broken(connection, cn.TruncatedError, 2)

    @pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE.keys())
    def test_what_is_no_message(self, garbage: bytes) -> None:
        first = bytes_message("first", b"first")
        with self.receiver(first.wire + garbage) as connection:
            self.take(connection, first)
            self.assert_broken(connection, cn.DecodeError, 2)

    def test_a_length_beyond_all_bounds(self) -> None:
        first = bytes_message("first", b"first")
        claim = envelope(b"")[:8] + b"\x00\x00\x00\x00\x00\x00\x00\x80" + b"only this"
        with self.receiver(first.wire + claim) as connection:
            self.take(connection, first)
            self.assert_broken(connection, cn.LimitError, 2)
