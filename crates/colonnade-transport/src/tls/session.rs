//! One rustls session without input and output: callers pass in received bytes and take the bytes to send.

use std::fmt;

use rustls::client::UnbufferedClientConnection;
use rustls::server::UnbufferedServerConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncryptError, UnbufferedStatus};
use rustls::{AlertDescription, Error};

use super::buffers::Queue;
use super::record::{RECORD, RECORD_EXTRA, whole_records};

pub(super) enum Role {
    Client(Box<UnbufferedClientConnection>),
    Server(Box<UnbufferedServerConnection>),
}

impl Role {
    fn wants_write(&self) -> bool {
        match self {
            Self::Client(connection) => connection.wants_write(),
            Self::Server(connection) => connection.wants_write(),
        }
    }
}

/// The action of one turn, if the session is ready for it.
pub(super) enum Action<'a> {
    Nothing,
    Encrypt(&'a [u8]),
    Close,
}

/// The result of a turn.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The session made progress: another turn may make more.
    Again,
    /// The session needs more of the peer's handshake.
    Blocked,
    /// The handshake is complete, no whole record is left, and the action is done.
    Ready,
    /// The peer has ended its sending.
    Ended,
}

pub(super) struct Session {
    role: Role,
    /// Encrypted records to send before any that are encrypted later.
    pub(super) outgoing: Queue,
    /// A part of a handshake message that rustls has seen and needs to see again; nearly always empty.
    partial_message: Vec<u8>,
    /// Whether the handshake is complete.
    pub(super) established: bool,
    /// The error of rustls. The session is not used after it.
    failed: Option<Error>,
    closing: bool,
}

impl Session {
    pub(super) fn new(role: Role) -> Self {
        Self {
            role,
            outgoing: Queue::default(),
            partial_message: Vec::new(),
            established: false,
            failed: None,
            closing: false,
        }
    }

    /// Processes received bytes for one turn. Returns the number of used bytes and the result. Plaintext goes to `sink`.
    pub(super) fn receive(
        &mut self,
        incoming: &mut [u8],
        sink: &mut dyn FnMut(&[u8]),
    ) -> (usize, Result<Turn, Error>) {
        self.partial_message.clear();
        let (used, turn) = self.turn(incoming, &Action::Nothing, sink);
        if turn == Ok(Turn::Ready) {
            self.established = true;
            // A whole record that is not used: its handshake message continues in the next one. (Only the first record still
            // has its header: rustls joins the pieces of the message in place.)
            let rest = incoming.get(used..).unwrap_or_default();
            if whole_records(rest) > 0 {
                self.partial_message.extend_from_slice(rest);
            }
        }
        (used, turn)
    }

    /// Encrypts `plaintext` into `outgoing`.
    pub(super) fn encrypt(&mut self, plaintext: &[u8]) -> Result<(), Error> {
        self.run(&Action::Encrypt(plaintext))
    }

    /// Encrypts the close notification into `outgoing`, once.
    pub(super) fn close(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.closing, true) { Ok(()) } else { self.run(&Action::Close) }
    }

    /// Encrypts the alert for an error into `outgoing`.
    pub(super) fn alert(&mut self, rest: &mut [u8]) {
        let mut ignored = |_: &[u8]| ();
        // Only while rustls has bytes to write: after an alert it accepts no input.
        while self.role.wants_write() && self.turn(rest, &Action::Nothing, &mut ignored).1.is_ok() {}
    }

    #[cfg(test)]
    pub(super) fn has_partial_message(&self) -> bool {
        !self.partial_message.is_empty()
    }

    fn run(&mut self, action: &Action<'_>) -> Result<(), Error> {
        if matches!(action, Action::Encrypt(_)) && self.closing {
            return Err(Error::AlertReceived(AlertDescription::CloseNotify));
        }
        if !self.established {
            return Err(Error::HandshakeNotComplete);
        }
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut partial_message = std::mem::take(&mut self.partial_message);
        let mut ignored = |_: &[u8]| ();
        let result = loop {
            match self.turn(&mut partial_message, action, &mut ignored) {
                (_, Ok(Turn::Again)) => {}
                (_, Ok(Turn::Ready | Turn::Ended)) => break Ok(()),
                (_, Ok(Turn::Blocked)) => break Err(Error::HandshakeNotComplete),
                (_, Err(error)) => break Err(error),
            }
        };
        self.partial_message = partial_message;
        result
    }

    fn turn(
        &mut self,
        incoming: &mut [u8],
        action: &Action<'_>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> (usize, Result<Turn, Error>) {
        let out = &mut self.outgoing;
        let (used, turn) = match &mut self.role {
            Role::Client(connection) => step(connection.process_tls_records(incoming), action, out, sink),
            Role::Server(connection) => step(connection.process_tls_records(incoming), action, out, sink),
        };
        self.failed = turn.as_ref().err().cloned().or(self.failed.take());
        (used, turn)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("outgoing", &self.outgoing.len())
            .field("failed", &self.failed)
            .finish()
    }
}

fn step<Data>(
    status: UnbufferedStatus<'_, '_, Data>,
    action: &Action<'_>,
    out: &mut Queue,
    sink: &mut dyn FnMut(&[u8]),
) -> (usize, Result<Turn, Error>) {
    let mut used = status.discard;
    let state = match status.state {
        Ok(state) => state,
        Err(error) => return (used, Err(error)),
    };
    let turn = match state {
        ConnectionState::ReadTraffic(mut traffic) => loop {
            match traffic.next_record() {
                Some(Ok(record)) => {
                    used += record.discard;
                    sink(record.payload);
                }
                Some(Err(error)) => break Err(error),
                None => break Ok(Turn::Again),
            }
        },
        ConnectionState::EncodeTlsData(mut data) => append(out, 0, |room| match data.encode(room) {
            Ok(written) => Ok(Some(written)),
            Err(EncodeError::InsufficientSize(_)) => Ok(None),
            Err(error) => Err(Error::General(error.to_string())),
        }),
        // The record is in `outgoing`, before any that are encrypted later, so it counts as sent.
        ConnectionState::TransmitTlsData(data) => {
            data.done();
            Ok(Turn::Again)
        }
        ConnectionState::BlockedHandshake => Ok(Turn::Blocked),
        ConnectionState::WriteTraffic(mut traffic) => match action {
            Action::Nothing => Ok(Turn::Ready),
            Action::Encrypt(plaintext) => {
                let room = plaintext.len() + plaintext.len().div_ceil(RECORD) * RECORD_EXTRA;
                append(out, room, |room| record_size(traffic.encrypt(plaintext, room)))
            }
            Action::Close => append(out, RECORD_EXTRA, |room| record_size(traffic.queue_close_notify(room))),
        }
        .map(|turn| if turn == Turn::Again { Turn::Ready } else { turn }),
        ConnectionState::PeerClosed => Ok(Turn::Ended),
        ConnectionState::Closed => Ok(Turn::Ended),
        _ => Err(Error::General("early data, which was not offered".to_owned())),
    };
    (used, turn)
}

fn record_size(result: Result<usize, EncryptError>) -> Result<Option<usize>, Error> {
    match result {
        Ok(written) => Ok(Some(written)),
        Err(EncryptError::InsufficientSize(_)) => Ok(None),
        Err(EncryptError::EncryptExhausted) => Err(Error::EncryptError),
    }
}

/// Calls `write` with the free space of the queue, and with more space until it suffices.
fn append(
    out: &mut Queue,
    expected: usize,
    mut write: impl FnMut(&mut [u8]) -> Result<Option<usize>, Error>,
) -> Result<Turn, Error> {
    let mut room = expected.max(RECORD_EXTRA);
    loop {
        match write(out.reserve(room))? {
            Some(written) => {
                out.commit(written);
                return Ok(Turn::Again);
            }
            None => room *= 2,
        }
    }
}
