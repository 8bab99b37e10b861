//! Who may come in: handshakes and tokens of many peers side by side, each bounded in time and memory, driven by whoever
//! calls `accept`.

mod pending;
mod room;
mod ticket;
mod watch;

use std::io::{self, ErrorKind};
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustls::ServerConfig;

use crate::address::{Address, TICK};
use crate::channel::Channel;
use crate::listen::Listening;
use crate::tls::{TlsFault, TlsFiles, Token, server_config};
use room::Room;
use watch::Watch;

/// What a peer must satisfy.
#[derive(Debug)]
pub struct Policy {
    tls: Option<Arc<ServerConfig>>,
    demands_certificates: bool,
    token: Option<Token>,
    handshake: Duration,
    max_peers: usize,
}

impl Policy {
    /// What a listener at `address` demands: the files are read now.
    ///
    /// # Errors
    /// [`TlsFault`], also where files or a token are given for an address that is not `tls://`.
    pub fn new(
        address: &Address,
        files: &TlsFiles,
        token: Option<Token>,
        handshake: Duration,
        max_peers: usize,
    ) -> Result<Self, TlsFault> {
        files.check_for(address, token.as_ref())?;
        let tls = match address {
            Address::Tls { .. } => Some(server_config(files)?),
            _ => None,
        };
        Ok(Self { tls, demands_certificates: files.authorities.is_some(), token, handshake, max_peers })
    }
}

/// What one `accept` came to.
#[derive(Debug, Default)]
pub struct Accepted {
    /// The peer that satisfied everything; None at the deadline.
    pub channel: Option<Arc<dyn Channel>>,
    /// Who was turned away since the last call, and why.
    pub rejected: Vec<(String, String)>,
}

/// A listener and its policy.
#[derive(Debug)]
pub struct Admission {
    listening: Listening,
    policy: Policy,
    room: Mutex<Room>,
    watch: Watch,
}

impl Admission {
    /// # Errors
    /// `InvalidInput` where a listener beyond this machine would let anybody in; the system's own.
    pub fn new(listening: Listening, policy: Policy) -> io::Result<Self> {
        if !listening.is_loopback() && !policy.demands_certificates && policy.token.is_none() {
            let text = format!(
                "{}: a listener beyond this machine lets nobody in unasked. Demand client certificates \
                 (authorities='ca.pem') or a token (token_file=, token_env=), or listen on 127.0.0.1",
                listening.address()
            );
            return Err(TlsFault::Option(text).into());
        }
        let watch = Watch::new()?;
        let room = Mutex::new(Room::new(policy.max_peers));
        Ok(Self { listening, policy, room, watch })
    }

    /// The next peer that satisfies everything, waiting until `deadline`. Handshakes that have begun go on in the next
    /// call; the time between calls is not theirs.
    ///
    /// # Errors
    /// What `interrupted` gives (asked at least ten times a second); `NotConnected` once closed; the system's own. Those
    /// of peers are in [`Accepted::rejected`].
    pub fn accept(
        &self,
        deadline: Option<Instant>,
        interrupted: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<Accepted> {
        self.room().enter(Instant::now());
        let result = self.next(deadline, interrupted);
        let mut room = self.room();
        room.leave(Instant::now());
        let channel = result?;
        Ok(Accepted { channel, rejected: room.take_rejected() })
    }

    fn next(
        &self,
        deadline: Option<Instant>,
        interrupted: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<Option<Arc<dyn Channel>>> {
        loop {
            let due = {
                let mut room = self.room();
                match room.turn(&self.listening, &self.policy, &self.watch)? {
                    Some(channel) => return Ok(Some(channel)),
                    None => room.due(Instant::now()),
                }
            };
            let now = Instant::now();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return Ok(None);
            }
            let left = |moment: Option<Instant>| moment.map_or(TICK, |m| m.saturating_duration_since(now));
            match self.watch.wait(TICK.min(left(deadline)).min(left(due))) {
                Err(e) if e.kind() != ErrorKind::Interrupted => return Err(e),
                _ => interrupted()?,
            }
        }
    }

    /// Readable once `accept` has something to do: a peer comes, or goes on with its handshake.
    #[must_use]
    pub fn descriptor(&self) -> RawFd {
        self.watch.descriptor()
    }

    /// Where it listens, with the port it got.
    #[must_use]
    pub fn address(&self) -> &Address {
        self.listening.address()
    }

    /// Takes nobody in any more, drops those who are half in, and wakes who waits. Who was let in stays.
    pub fn close(&self) {
        self.listening.close();
        self.room().clear();
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
