//! The pool of handshakes: TLS and tokens of many peers at once, each bounded in time and memory. Calls of `accept` drive it.

mod pending;
mod permit;
mod pool;
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
use pool::HandshakePool;
use watch::Watch;

/// How long somebody who was turned away stays unnamed while `accept` waits.
const REPORT: Duration = Duration::from_secs(1);

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
    /// The peer that satisfied everything; None at the deadline, or where there is somebody to name.
    pub channel: Option<Arc<dyn Channel>>,
    /// Who was turned away since the last call, and why.
    pub rejected: Vec<(String, String)>,
}

/// A listener and its policy.
#[derive(Debug)]
pub struct Admission {
    listening: Listening,
    policy: Policy,
    pool: Mutex<HandshakePool>,
    watch: Watch,
}

impl Admission {
    /// Listens on `address`, for peers that satisfy `policy`.
    ///
    /// # Errors
    /// `InvalidInput` where a listener beyond this machine would let anybody in, before it listens there; those of
    /// [`Listening::bind`].
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
        let listening = Listening::bind_where(address, &check, interrupted)?;
        let watch = Watch::new()?;
        let pool = Mutex::new(HandshakePool::new(policy.max_peers));
        Ok(Self { listening, policy, pool, watch })
    }

    /// The next peer that satisfies everything, waiting until `deadline`. Handshakes that have begun go on in the next
    /// call; the time between calls counts. Comes back after a second with nobody where peers were turned away, so that
    /// they are named soon.
    ///
    /// # Errors
    /// What `interrupted` gives (asked at least ten times a second); `NotConnected` once closed; the system's own. Those
    /// of peers are in [`Accepted::rejected`].
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
        let report = Instant::now() + REPORT;
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
        self.pool().clear(self.listening.is_ours().then_some(&self.watch));
    }

    fn pool(&self) -> MutexGuard<'_, HandshakePool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
