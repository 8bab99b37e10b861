//! Peers whose handshakes are not complete, and the listener that accepts them.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Policy;
use super::pending::Pending;
use super::permit::PermitChannel;
use crate::channel::{Channel, Direction};
use crate::failure::SystemError;
use crate::listen::ListeningSocket;
use crate::platform::Watch;
use crate::socket::Socket;
use crate::tls::TlsChannel;

/// The maximum number of concurrent handshakes.
pub(super) const MAX_PENDING: usize = 64;
/// The time for which a pending peer keeps its place while others wait for one.
const MIN_PLACE_TIME: Duration = Duration::from_millis(250);
/// The maximum number of peers that one turn accepts, so that pending peers are driven too.
const MAX_ACCEPTS: usize = 64;
/// The maximum number of rejected peers that are reported by name.
const MAX_REPORTED: usize = 100;

#[derive(Debug)]
pub(super) struct HandshakePool {
    pub(super) pending: Vec<Pending>,
    rejected: Vec<(String, String)>,
    /// The number of rejected peers beyond those reported by name.
    unreported: u64,
    /// The pool holds one permit. Each connected peer holds another.
    permits: Arc<()>,
    max_peers: usize,
}

impl HandshakePool {
    pub(super) fn new(max_peers: usize) -> Self {
        Self { pending: Vec::new(), rejected: Vec::new(), unreported: 0, permits: Arc::new(()), max_peers }
    }

    pub(super) fn take_rejected(&mut self) -> Vec<(String, String)> {
        let mut all = std::mem::take(&mut self.rejected);
        match std::mem::take(&mut self.unreported) {
            0 => {}
            count => all.push((format!("{count} more"), "turned away, for reasons as above".to_owned())),
        }
        all
    }

    pub(super) fn has_rejected(&self) -> bool {
        !self.rejected.is_empty()
    }

    /// Drops all pending peers. `watch` is `None` in a forked child, because it shares its watch with the parent.
    pub(super) fn clear(&mut self, watch: Option<&Watch>) {
        for pending in self.pending.drain(..) {
            if let Some(watch) = watch {
                unwatch(watch, &pending);
            }
        }
    }

    /// Drives all handshakes without waiting, and returns the first accepted peer.
    pub(super) fn turn(
        &mut self,
        listening: &ListeningSocket,
        policy: &Policy,
        watch: &Watch,
    ) -> io::Result<Option<Arc<dyn Channel>>> {
        let mut index = 0;
        while let Some(pending) = self.pending.get_mut(index) {
            match pending.step(policy.token.as_ref()) {
                Ok(true) => {
                    let pending = self.pending.swap_remove(index);
                    unwatch(watch, &pending);
                    if let Some(channel) = self.grant_permit(pending.channel) {
                        return Ok(Some(channel));
                    }
                }
                // Received bytes are processed before the deadline is checked, so no peer is rejected for bytes that this side
                // had not read.
                Ok(false) if !pending.is_overdue(Instant::now()) => {
                    watch_pending(watch, pending)?;
                    index += 1;
                }
                Ok(false) => {
                    let reason = pending.timeout_reason(policy.handshake);
                    self.reject_pending(index, reason, watch);
                }
                Err(reason) => self.reject_pending(index, reason, watch),
            }
        }
        for _ in 0..MAX_ACCEPTS {
            if self.pending.len() >= MAX_PENDING && !self.evict(listening, watch)? {
                break;
            }
            match listening.accept() {
                Ok(Some(socket)) => {
                    if let Some(channel) = self.begin_handshake(socket, policy, watch)? {
                        return Ok(Some(channel));
                    }
                }
                Ok(None) => break,
                Err(e) if e.kind() == ErrorKind::Interrupted => break,
                // The system had no descriptors or memory left: it rejected this peer, and pending peers may leave.
                Err(e) if e.get_ref().is_some_and(|inner| inner.is::<SystemError>()) => {
                    self.reject(listening.address().to_string(), e.to_string());
                    break;
                }
                Err(e) => return Err(e),
            }
        }
        // New peers do not wake a full pool, unless it can drop a pending one for them.
        match self.pending.len() < MAX_PENDING || self.oldest_evictable(Instant::now()).is_some() {
            true => watch.add(listening.descriptor(), Direction::Receive)?,
            false => watch.remove(listening.descriptor()),
        }
        Ok(None)
    }

    /// Returns the time of the next deadline.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        let deadline = self.pending.iter().map(|pending| pending.deadline).min();
        if self.pending.len() < MAX_PENDING || self.oldest_evictable(now).is_some() {
            return deadline;
        }
        let evictable = self.evictable().into_iter();
        evictable.map(|(_, pending)| pending.began + MIN_PLACE_TIME).chain(deadline).min()
    }

    fn begin_handshake(
        &mut self,
        socket: Socket,
        policy: &Policy,
        watch: &Watch,
    ) -> io::Result<Option<Arc<dyn Channel>>> {
        let socket = Arc::new(socket);
        let Some(config) = &policy.tls else { return Ok(self.grant_permit(socket)) };
        if self.is_full() {
            self.reject(socket.peer().to_owned(), self.full_reason());
            return Ok(None);
        }
        let channel = TlsChannel::server(socket, Arc::clone(config))?;
        let pending = Pending::new(channel, Instant::now(), policy.handshake);
        // The next turn processes the peer's first bytes. It follows at once if they have arrived.
        watch_pending(watch, &pending)?;
        self.pending.push(pending);
        Ok(None)
    }

    fn grant_permit(&mut self, channel: Arc<dyn Channel>) -> Option<Arc<dyn Channel>> {
        if self.is_full() {
            self.reject(channel.peer().to_owned(), self.full_reason());
            return None;
        }
        Some(Arc::new(PermitChannel::new(channel, &self.permits)))
    }

    fn is_full(&self) -> bool {
        Arc::strong_count(&self.permits) > self.max_peers
    }

    fn full_reason(&self) -> String {
        format!("{} peers are connected, as many as max_peers allows", self.max_peers)
    }

    /// Rejects a pending peer that had its time, if another one waits for the place.
    fn evict(&mut self, listening: &ListeningSocket, watch: &Watch) -> io::Result<bool> {
        let Some(index) = self.oldest_evictable(Instant::now()) else { return Ok(false) };
        match listening.wait(Duration::ZERO) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(e) if e.kind() == ErrorKind::Interrupted => return Ok(false),
            Err(e) => return Err(e),
        }
        let spoke = self.pending.get(index).is_some_and(Pending::has_received);
        let reason = if spoke {
            "it was not through while others waited"
        } else {
            "it said nothing while others waited"
        };
        self.reject_pending(index, reason.to_owned(), watch);
        Ok(true)
    }

    /// Selects the peer to reject: those in the handshake before those that send a token, then the oldest.
    fn oldest_evictable(&self, now: Instant) -> Option<usize> {
        let evictable = self.evictable().into_iter();
        let stale =
            evictable.filter(|(_, pending)| now.saturating_duration_since(pending.began) >= MIN_PLACE_TIME);
        stale.min_by_key(|(_, pending)| (!pending.is_before_token(), pending.began)).map(|(index, _)| index)
    }

    /// The peers that may be rejected: of the host that holds most places, those that have not proved anything. Bytes that
    /// they send do not keep a place, otherwise one byte from each would keep out others. Peers of other hosts stay, even
    /// if they are older.
    fn evictable(&self) -> Vec<(usize, &Pending)> {
        let unproven = || self.pending.iter().enumerate().filter(|(_, pending)| pending.is_unproven());
        let mut places = HashMap::new();
        for (_, pending) in unproven() {
            *places.entry(pending.host).or_insert(0_usize) += 1;
        }
        let most = places.values().max().copied();
        unproven().filter(|(_, pending)| places.get(&pending.host).copied() == most).collect()
    }

    fn reject_pending(&mut self, index: usize, reason: String, watch: &Watch) {
        let pending = self.pending.swap_remove(index);
        unwatch(watch, &pending);
        self.reject(pending.channel.peer().to_owned(), reason);
    }

    fn reject(&mut self, peer: String, reason: String) {
        match self.rejected.len() < MAX_REPORTED {
            true => self.rejected.push((peer, reason)),
            false => self.unreported += 1,
        }
    }
}

fn watch_pending(watch: &Watch, pending: &Pending) -> io::Result<()> {
    match pending.channel.descriptor(Direction::Receive) {
        Some(fd) => watch.add(fd, pending.waits_for()),
        None => Ok(()),
    }
}

/// Removes a peer from the watch before it is dropped. A copy of the descriptor in a forked child would keep it in the watch,
/// always ready.
fn unwatch(watch: &Watch, pending: &Pending) {
    if let Some(fd) = pending.channel.descriptor(Direction::Receive) {
        watch.remove(fd);
    }
}
