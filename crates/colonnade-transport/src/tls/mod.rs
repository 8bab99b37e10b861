//! TLS over any channel: rustls does the cryptography, and this module moves the bytes. Buffers are bounded. A sending and a
//! receiving thread share only the session, which is never locked while bytes are moved or waited for.

mod buffers;
mod config;
mod connect;
mod error_text;
mod record;
mod session;
mod token;

use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::ServerName;
use rustls::server::UnbufferedServerConnection;
use rustls::{ClientConfig, ServerConfig};

use crate::channel::{Channel, Direction};
use buffers::{Queue, ReceiveBuffer, Targets, gather};
use session::{Role, Session, Turn};

pub use config::{TlsFault, TlsFiles, client_config, server_config};
pub use connect::connect;
pub use token::Token;
pub(crate) use token::{ACCEPTED, HEAD_NBYTES, token_nbytes};

/// The maximum number of encrypted bytes that wait for the socket.
const BACKLOG: usize = 256 * 1024;
/// The number of plaintext bytes that are encrypted in one step, which bounds the time that the session is locked.
const ENCRYPT_NBYTES: usize = 64 * 1024;
/// The maximum number of bytes that one call sends, so that its caller can check for signals.
const MAX_SEND: usize = 4 << 20;

/// A TLS connection over another channel.
#[derive(Debug)]
pub struct TlsChannel {
    below: Arc<dyn Channel>,
    peer: String,
    // The lock order: `incoming` or `outgoing` first, then the session.
    incoming: Mutex<ReceiveBuffer>,
    outgoing: Mutex<Queue>,
    session: Mutex<Session>,
    /// The process that created the connection; see `check_owner`.
    owner: u32,
}

impl TlsChannel {
    /// Creates the client side. The certificate must be valid for `server_name`.
    ///
    /// # Errors
    /// `InvalidInput` if the name is neither a host name nor an IP address.
    pub fn client(below: Arc<dyn Channel>, config: Arc<ClientConfig>, server_name: &str) -> io::Result<Self> {
        let name = ServerName::try_from(server_name.to_owned()).map_err(|_| {
            let text = format!("server_name: expected a host name or an IP address, found {server_name:?}");
            io::Error::from(TlsFault::Option(text))
        })?;
        let session = UnbufferedClientConnection::new(config, name).map_err(io::Error::other)?;
        Ok(Self::new(below, Role::Client(Box::new(session))))
    }

    /// Creates the listener's side.
    ///
    /// # Errors
    /// Errors of rustls about the configuration.
    pub fn server(below: Arc<dyn Channel>, config: Arc<ServerConfig>) -> io::Result<Self> {
        let session = UnbufferedServerConnection::new(config).map_err(io::Error::other)?;
        Ok(Self::new(below, Role::Server(Box::new(session))))
    }

    fn new(below: Arc<dyn Channel>, role: Role) -> Self {
        let peer = match below.peer().strip_prefix("tcp://") {
            Some(rest) => format!("tls://{rest}"),
            None => below.peer().to_owned(),
        };
        Self {
            below,
            peer,
            incoming: Mutex::new(ReceiveBuffer::new()),
            outgoing: Mutex::new(Queue::default()),
            session: Mutex::new(Session::new(role)),
            owner: std::process::id(),
        }
    }

    /// Refuses a forked child. It has the same keys and sequence numbers: bytes that it sent would break the parent's session
    /// and weaken its encryption.
    fn check_owner(&self) -> io::Result<()> {
        if self.owner == std::process::id() {
            return Ok(());
        }
        Err(io::Error::other(
            "this TLS connection was opened before a fork, and is the parent's. Connect again",
        ))
    }

    /// Continues the handshake. Returns true when it is complete and all of this side's bytes are sent.
    ///
    /// # Errors
    /// `WouldBlock` (wait for [`TlsChannel::waits_for`]); operating-system errors; the reason for a failed handshake.
    pub fn handshake(&self) -> io::Result<bool> {
        let through = {
            let mut buffer = lock(&self.incoming);
            self.decrypt(&mut buffer, &mut Targets::new(&mut []))?;
            loop {
                if lock(&self.session).established {
                    break true;
                }
                match buffer.fill(&*self.below) {
                    Ok(0) => {
                        return Err(
                            buffer.fail(ErrorKind::UnexpectedEof, error_text::cut_handshake_text(&self.peer))
                        );
                    }
                    Ok(_) => self.decrypt(&mut buffer, &mut Targets::new(&mut []))?,
                    Err(e) if e.kind() == ErrorKind::WouldBlock => break false,
                    Err(e) => return Err(e),
                }
            }
        };
        let gone = self.flush()?;
        Ok(through && gone)
    }

    /// The direction that the handshake or a flush waits for.
    pub fn waits_for(&self) -> Direction {
        match lock(&self.outgoing).is_empty() {
            true => Direction::Receive,
            false => Direction::Send,
        }
    }

    /// Whether any bytes have arrived from the peer.
    pub(crate) fn has_received(&self) -> bool {
        lock(&self.incoming).has_received_any
    }

    /// Decrypts received bytes into the targets. Plaintext beyond their space is kept for the next call.
    fn decrypt(&self, buffer: &mut ReceiveBuffer, targets: &mut Targets<'_, '_>) -> io::Result<()> {
        buffer.check()?;
        if buffer.is_idle() {
            return Ok(());
        }
        let mut session = lock(&self.session);
        loop {
            let (bytes, plain) = buffer.parts();
            let before = targets.taken();
            let (used, turn) = session.receive(bytes, &mut |text| {
                let rest = targets.take(text);
                plain.extend_from_slice(rest);
            });
            buffer.discard(used);
            buffer.has_delivered |= targets.taken() > 0;
            match turn {
                Ok(Turn::Again) if targets.taken() > before && targets.is_full() => return Ok(()),
                Ok(Turn::Again) => {}
                Ok(Turn::Blocked | Turn::Ready) => break,
                Ok(Turn::Ended) => {
                    buffer.ended = true;
                    break;
                }
                Err(error) => {
                    session.alert(buffer.parts().0);
                    drop(session);
                    // The alert tells the peer the reason. If it cannot be sent, this error still counts.
                    self.flush().ok();
                    let (kind, text) = error_text::of(&error, &self.peer);
                    return Err(buffer.fail(kind, text));
                }
            }
        }
        buffer.mark_processed();
        Ok(())
    }

    /// Returns the peer's alert if it explains an error of sending: a refused peer often finds its socket closed first.
    fn with_alert(&self, error: io::Error) -> io::Error {
        if !matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) {
            return error;
        }
        let Ok(mut buffer) = self.incoming.try_lock() else { return error };
        if buffer.has_pending() {
            return buffer.check().err().unwrap_or(error);
        }
        let mut targets = Targets::new(&mut []);
        match buffer.fill(&*self.below) {
            Ok(1..) => self.decrypt(&mut buffer, &mut targets).err().unwrap_or(error),
            Ok(0) | Err(_) if !buffer.has_delivered => {
                io::Error::new(error.kind(), error_text::cut_off_text(&self.peer, false))
            }
            _ => error,
        }
    }
}

impl Channel for TlsChannel {
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.check_owner()?;
        let mut targets = Targets::new(targets);
        let mut buffer = lock(&self.incoming);
        buffer.deliver_plaintext(&mut targets);
        loop {
            if targets.is_full() {
                return Ok(targets.taken());
            }
            match self.decrypt(&mut buffer, &mut targets) {
                Err(error) if targets.taken() == 0 => return Err(error),
                // Later calls return the error again.
                _ if targets.taken() > 0 || buffer.ended => return Ok(targets.taken()),
                _ => {}
            }
            if buffer.fill(&*self.below)? == 0 {
                let text = error_text::cut_off_text(&self.peer, buffer.has_delivered);
                return Err(buffer.fail(ErrorKind::UnexpectedEof, text));
            }
        }
    }

    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize> {
        self.check_owner()?;
        let mut buffer = lock(&self.outgoing);
        let mut scratch = Vec::new();
        let mut sent = 0;
        let mut at = (0, 0);
        loop {
            match buffer.send_to(&*self.below) {
                Ok(()) => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock && buffer.len() < BACKLOG / 2 => {}
                // Encrypted bytes count as sent: they are in the backlog.
                Err(_) if sent > 0 => return Ok(sent),
                Err(e) => {
                    drop(buffer);
                    return Err(self.with_alert(e));
                }
            }
            if sent >= MAX_SEND {
                return Ok(sent);
            }
            let Some(piece) = gather(sources, &mut at, &mut scratch, ENCRYPT_NBYTES) else { return Ok(sent) };
            let mut session = lock(&self.session);
            buffer.append(&mut session.outgoing);
            std::mem::swap(&mut *buffer, &mut session.outgoing);
            let result = session.encrypt(piece);
            std::mem::swap(&mut *buffer, &mut session.outgoing);
            drop(session);
            if let Err(error) = result {
                return Err(error_text::sending(&error, &self.peer));
            }
            sent += piece.len();
        }
    }

    fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool> {
        if direction == Direction::Receive && self.has_pending() {
            return Ok(true);
        }
        self.below.wait(direction, at_most)
    }

    fn flush(&self) -> io::Result<bool> {
        self.check_owner()?;
        let mut buffer = lock(&self.outgoing);
        buffer.append(&mut lock(&self.session).outgoing);
        let sent = buffer.send_to(&*self.below);
        drop(buffer);
        match sent {
            Ok(()) => self.below.flush(),
            Err(e) if e.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(e) => Err(self.with_alert(e)),
        }
    }

    /// Sends TLS's close notification. `WouldBlock` while it, or earlier bytes, do not fit: wait and call it again.
    fn finish(&self) -> io::Result<()> {
        self.check_owner()?;
        lock(&self.session).close().map_err(|error| error_text::sending(&error, &self.peer))?;
        match self.flush()? {
            true => self.below.finish(),
            false => Err(ErrorKind::WouldBlock.into()),
        }
    }

    fn descriptor(&self, direction: Direction) -> Option<RawFd> {
        self.below.descriptor(direction)
    }

    fn has_pending(&self) -> bool {
        lock(&self.incoming).has_pending() || self.below.has_pending()
    }

    fn peer(&self) -> &str {
        &self.peer
    }
}

/// Locks a mutex. The state after a panic elsewhere is as consistent as after an error.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(crate) mod certificates;
#[cfg(test)]
pub(crate) mod tests;
