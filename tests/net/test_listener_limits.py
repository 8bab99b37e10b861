"""Listeners at their limits: no descriptors, more peers than places, endless time limits, foreign addresses."""

import errno
import logging
import os
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S
from tests.helpers.shortage import no_descriptors
from tests.helpers.sockets import plain_socket, served

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates


def test_a_listener_without_descriptors_turns_the_peer_away_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.WARNING, "colonnade"),
        cn.listen("tcp://127.0.0.1:0") as listener,
        plain_socket(listener.url) as peer,
    ):
        with no_descriptors(), pytest.raises(TimeoutError):
            listener.accept(timeout_s=0.05)
        with suppress(ConnectionResetError):
            assert peer.recv(1) == b""
        assert f"{os.strerror(errno.EMFILE)}. A peer was turned away" in caplog.records[0].getMessage()
        served(listener)


def test_a_listener_without_descriptors_reports_no_peer_that_does_not_exist(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "colonnade"), cn.listen("tcp://127.0.0.1:0") as listener:
        with no_descriptors(), pytest.raises(TimeoutError):
            listener.accept(timeout_s=0.05)
        assert caplog.records == []
        served(listener)


def test_peers_beyond_a_hundred_that_are_turned_away_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.WARNING, "colonnade"),
        cn.listen("tcp://127.0.0.1:0", max_peers=1) as listener,
        ExitStack() as stack,
    ):
        stack.enter_context(plain_socket(listener.url))
        stack.enter_context(listener.accept(timeout_s=PATIENCE_S))
        for _ in range(107):
            stack.enter_context(plain_socket(listener.url))
        with pytest.raises(TimeoutError):
            listener.accept(timeout_s=0.2)
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 101
    assert "turned away 7 more:" in messages[-1]


def test_a_time_limit_beyond_the_clock_leaves_time(certificates: "Certificates") -> None:
    options: dict[str, Any] = {**certificates.server.options, "handshake_timeout_s": 1e19}
    with cn.listen("tls://127.0.0.1:0", **options) as listener:
        served(listener, authorities=certificates.authority)


def test_an_address_of_another_machine_is_named_as_such(certificates: "Certificates", token_file: str) -> None:
    options: dict[str, Any] = {**certificates.server.options, "token_file": token_file}
    with pytest.raises(OSError, match=r"tls://192\.0\.2\.1:0: .*It is not an address of this machine") as raised:
        cn.listen("tls://192.0.2.1:0", **options)
    assert raised.value.errno == errno.EADDRNOTAVAIL
