//! The pool of handshakes: TLS and tokens of many peers at once, each bounded in time and memory. Calls of `accept` drive it.

mod pending;
mod permit;
mod pool;

use std::io::{self, ErrorKind};
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustls::ServerConfig;

use crate::address::{Address, TICK};
use crate::channel::Channel;
use crate::listen::ListeningSocket;
use crate::platform::Watch;
use crate::tls::{TlsFault, TlsFiles, Token, server_config};
use pool::HandshakePool;

/// The time after which a waiting `accept` returns to report rejected peers.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// The requirements that a peer must satisfy.
#[derive(Debug)]
pub struct Policy {
    tls: Option<Arc<ServerConfig>>,
    demands_certificates: bool,
    token: Option<Token>,
    handshake: Duration,
    max_peers: usize,
}

impl Policy {
    /// Reads the files and returns the requirements of a listener at `address`.
    ///
    /// # Errors
    /// [`TlsFault`], also if files or a token are given for an address that is not `tls://`.
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

/// The result of one `accept`.
#[derive(Debug, Default)]
pub struct Accepted {
    /// The accepted peer; `None` at the deadline, or when there are rejected peers to report.
    pub channel: Option<Arc<dyn Channel>>,
    /// The peers that were rejected since the last call, and the reasons.
    pub rejected: Vec<(String, String)>,
}

/// A listener and its requirements of peers.
#[derive(Debug)]
pub struct HandshakeListener {
    listening: ListeningSocket,
    policy: Policy,
    pool: Mutex<HandshakePool>,
    watch: Watch,
}

impl HandshakeListener {
    /// Listens on `address` for peers that satisfy `policy`.
    ///
    /// # Errors
    /// `InvalidInput` before listening, if a listener reachable from other machines would accept any peer; errors of
    /// [`ListeningSocket::bind`].
    pub fn bind(
        address: &Address,
        policy: Policy,
        interrupted: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<Self> {
        let lets_anybody_in = !policy.demands_certificates && policy.token.is_none();
        let check = |is_loopback: bool| {
            if is_loopback || !lets_anybody_in {
                return Ok(());
            }
            let text = format!(
                "{address}: a listener beyond this machine lets nobody in unasked. Demand client certificates \
                 (authorities='ca.pem') or a token (token_file=, token_env=), or listen on 127.0.0.1"
            );
            Err(TlsFault::Option(text).into())
        };
        let listening = ListeningSocket::bind_where(address, &check, interrupted)?;
        let watch = Watch::new(listening.descriptor())?;
        let pool = Mutex::new(HandshakePool::new(policy.max_peers));
        Ok(Self { listening, policy, pool, watch })
    }

    /// Returns the next peer that satisfies the policy, and waits for it until `deadline`. Handshakes that have begun continue
    /// in the next call; the time between calls counts. If peers were rejected, it returns after a second without a peer, so
    /// that they are reported soon.
    ///
    /// # Errors
    /// Errors of `interrupted` (called at least ten times a second); `NotConnected` after `close`; operating-system errors.
    /// Errors of peers are in [`Accepted::rejected`].
    pub fn accept(
        &self,
        deadline: Option<Instant>,
        interrupted: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<Accepted> {
        let channel = self.next(deadline, interrupted)?;
        Ok(Accepted { channel, rejected: self.pool().take_rejected() })
    }

    fn next(
        &self,
        deadline: Option<Instant>,
        interrupted: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<Option<Arc<dyn Channel>>> {
        let report = Instant::now() + REPORT_INTERVAL;
        loop {
            let (due, has_rejected) = {
                let mut pool = self.pool();
                match pool.turn(&self.listening, &self.policy, &self.watch)? {
                    Some(channel) => return Ok(Some(channel)),
                    None => (pool.due(Instant::now()), pool.has_rejected()),
                }
            };
            let now = Instant::now();
            if (has_rejected && report <= now) || deadline.is_some_and(|deadline| deadline <= now) {
                return Ok(None);
            }
            let left = |moment: Option<Instant>| moment.map_or(TICK, |m| m.saturating_duration_since(now));
            match self.watch.wait(TICK.min(left(deadline)).min(left(due))) {
                Err(e) if e.kind() != ErrorKind::Interrupted => return Err(e),
                _ => interrupted()?,
            }
        }
    }

    /// A descriptor that is readable when `accept` has work: a new peer, or (on Linux) the next bytes of a handshake. Deadlines
    /// do not wake it either, so who polls it calls `accept` now and then.
    #[must_use]
    pub fn descriptor(&self) -> RawFd {
        self.watch.descriptor()
    }

    /// The address of the listener, with the port that the system chose.
    #[must_use]
    pub fn address(&self) -> &Address {
        self.listening.address()
    }

    /// Stops listening, drops pending peers, and wakes threads that wait in `accept`. Accepted peers stay connected.
    pub fn close(&self) {
        self.listening.close();
        self.pool().clear(self.listening.is_owner().then_some(&self.watch));
    }

    fn pool(&self) -> MutexGuard<'_, HandshakePool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
