//! One pending peer: the TLS handshake, then the token if one is required, then the acceptance.

use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::channel::{Channel, Direction};
use crate::tls::{ACCEPTED, HEAD_NBYTES, TlsChannel, Token, token_nbytes};

#[derive(Debug)]
pub(super) struct Pending {
    pub(super) channel: Arc<TlsChannel>,
    stage: Stage,
    /// The host that the peer counts for; `None` if its address cannot be parsed.
    pub(super) host: Option<IpAddr>,
    pub(super) began: Instant,
    pub(super) deadline: Instant,
    time_limit: Duration,
    /// The time of the last step. `is_extended`: whether the deadline was extended once.
    last_step: Instant,
    is_extended: bool,
}

#[derive(Debug)]
enum Stage {
    Handshake,
    /// The received bytes of the token's message, and its expected length: at first that of its head.
    Token {
        bytes: Vec<u8>,
        length: usize,
    },
    /// The number of bytes of the acceptance that were sent.
    Acceptance {
        sent: usize,
    },
}

impl Pending {
    pub(super) fn new(channel: TlsChannel, now: Instant, time_limit: Duration) -> Self {
        let host = host(channel.peer());
        Self {
            channel: Arc::new(channel),
            stage: Stage::Handshake,
            host,
            began: now,
            deadline: saturating_deadline(now, time_limit),
            time_limit,
            last_step: now,
            is_extended: false,
        }
    }

    /// Whether the deadline has passed; called after each `step`. The deadline is extended once for a peer that has sent bytes
    /// and then was not driven for half of its time or more, because it waited for an answer from this side.
    pub(super) fn is_overdue(&mut self, now: Instant) -> bool {
        let idle = now.saturating_duration_since(self.last_step);
        self.last_step = now;
        if now < self.deadline {
            return false;
        }
        if self.is_extended || !self.has_received() || idle < self.time_limit / 2 {
            return true;
        }
        self.is_extended = true;
        self.deadline = saturating_deadline(now, self.time_limit);
        false
    }

    /// Whether the peer has not yet proved that it may connect.
    pub(super) fn is_unproven(&self) -> bool {
        !matches!(self.stage, Stage::Acceptance { .. })
    }

    pub(super) fn is_before_token(&self) -> bool {
        matches!(self.stage, Stage::Handshake)
    }

    /// Continues as far as possible without waiting. Returns `true` when the peer is accepted.
    ///
    /// # Errors
    /// The reason to reject the peer.
    pub(super) fn step(&mut self, token: Option<&Token>) -> Result<bool, String> {
        loop {
            let more = match &mut self.stage {
                Stage::Handshake => match pending_to_none(self.channel.handshake()) {
                    Ok(Some(true)) => match token {
                        None => return Ok(true),
                        Some(_) => {
                            self.stage = Stage::Token { bytes: Vec::new(), length: HEAD_NBYTES };
                            true
                        }
                    },
                    Ok(_) => false,
                    Err(e) => return Err(self.error_text(&e)),
                },
                Stage::Token { .. } => self.read_token(token)?,
                Stage::Acceptance { sent } => match ACCEPTED.get(*sent..).filter(|rest| !rest.is_empty()) {
                    Some(rest) => match pending_to_none(self.channel.send(&[IoSlice::new(rest)])) {
                        Ok(count) => {
                            *sent += count.unwrap_or(0);
                            count.is_some()
                        }
                        Err(e) => return Err(self.error_text(&e)),
                    },
                    None => return self.channel.flush().map_err(|e| self.error_text(&e)),
                },
            };
            if !more {
                return Ok(false);
            }
        }
    }

    /// Reads the token's message and no byte more. Returns whether to continue.
    fn read_token(&mut self, token: Option<&Token>) -> Result<bool, String> {
        let Stage::Token { bytes, length } = &mut self.stage else { return Ok(true) };
        let start = bytes.len();
        bytes.resize(*length, 0);
        let got = pending_to_none(
            self.channel.receive(&mut [IoSliceMut::new(bytes.get_mut(start..).unwrap_or_default())]),
        );
        bytes.truncate(start + got.as_ref().map_or(0, |got| got.unwrap_or(0)));
        match got {
            Ok(Some(0)) => return Err("it closed without showing a token".to_owned()),
            Ok(Some(_)) => {}
            Ok(None) => return Ok(false),
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => {
                return Err("it closed without showing a token".to_owned());
            }
            Err(e) => return Err(self.error_text(&e)),
        }
        if bytes.len() < *length {
            return Ok(true);
        }
        let (head, shown) = bytes.split_at(HEAD_NBYTES);
        if shown.is_empty() {
            let found = head.first_chunk().and_then(token_nbytes);
            let Some(nbytes) = found else {
                return Err("it showed no token, which this listener demands".to_owned());
            };
            *length = HEAD_NBYTES + nbytes;
        } else if token.is_some_and(|token| token.matches(shown)) {
            self.stage = Stage::Acceptance { sent: 0 };
        } else {
            return Err("it showed a wrong token".to_owned());
        }
        Ok(true)
    }

    /// The reason to reject the peer at its deadline.
    pub(super) fn timeout_reason(&self, time_limit: Duration) -> String {
        let missing = match self.stage {
            Stage::Handshake if !self.has_received() => "it said nothing",
            Stage::Handshake => "its TLS handshake was not through",
            Stage::Token { .. } => "it showed no token",
            Stage::Acceptance { .. } => "it did not take our answer",
        };
        format!("{missing} in {} s", time_limit.as_secs_f64())
    }

    pub(super) fn has_received(&self) -> bool {
        self.channel.has_received()
    }

    pub(super) fn waits_for(&self) -> Direction {
        self.channel.waits_for()
    }

    /// The text of an error without the peer, which the report already names.
    fn error_text(&self, error: &std::io::Error) -> String {
        let text = error.to_string();
        text.strip_prefix(self.channel.peer())
            .map_or(text.as_str(), |rest| rest.trim_start_matches([':', ' ']))
            .to_owned()
    }
}

/// Adds a duration. A time that the clock cannot represent becomes a year from now.
fn saturating_deadline(now: Instant, time_limit: Duration) -> Instant {
    now.checked_add(time_limit).unwrap_or_else(|| now + Duration::from_secs(365 * 24 * 3600))
}

/// The host of a peer. For IPv6 it is the /64 network, because one machine has all addresses of its network.
fn host(peer: &str) -> Option<IpAddr> {
    let at: SocketAddr = peer.strip_prefix("tls://")?.parse().ok()?;
    Some(match at.ip().to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
        ip => ip,
    })
}

/// Converts errors that mean "try again later" to `None`.
fn pending_to_none<T>(result: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
        Err(e) => Err(e),
    }
}
