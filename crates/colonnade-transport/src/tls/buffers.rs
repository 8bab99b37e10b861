//! Buffers between the socket and the TLS session. They are bounded, and grow only for peers that send much.

use std::io::{self, Error, ErrorKind, IoSlice, IoSliceMut};

use super::record::{RECORD, RECORD_EXTRA, whole_records};
use crate::channel::Channel;

/// The minimum and maximum number of encrypted bytes of one receive. The buffer grows when a receive fills it.
const MIN_RECEIVE: usize = RECORD + RECORD_EXTRA;
const MAX_RECEIVE: usize = 256 * 1024;

/// Received bytes that are not decrypted yet, and decrypted bytes that no call has taken yet.
#[derive(Debug)]
pub(super) struct ReceiveBuffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Plaintext that did not fit its targets: less than a buffer.
    plaintext: Vec<u8>,
    plaintext_start: usize,
    /// Whether the session has processed all received bytes that it can.
    is_processed: bool,
    failed: Option<(ErrorKind, String)>,
    /// Whether the peer has ended its sending.
    pub(super) ended: bool,
    /// Whether any bytes were received.
    pub(super) has_received_any: bool,
    /// Whether any plaintext was returned.
    pub(super) has_delivered: bool,
}

impl ReceiveBuffer {
    pub(super) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            end: 0,
            plaintext: Vec::new(),
            plaintext_start: 0,
            is_processed: false,
            failed: None,
            ended: false,
            has_received_any: false,
            has_delivered: false,
        }
    }

    /// Receives once, as many bytes as the buffer has space for. 0 is the end of input.
    pub(super) fn fill(&mut self, below: &dyn Channel) -> io::Result<usize> {
        self.check()?;
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.bytes.len() - self.end < self.bytes.len() / 2 || self.bytes.is_empty() {
            self.bytes.resize((self.bytes.len() * 2).clamp(MIN_RECEIVE, MAX_RECEIVE), 0);
        }
        let room = self.bytes.get_mut(self.end..).unwrap_or_default();
        if room.is_empty() {
            return Err(self.fail(ErrorKind::InvalidData, "a TLS message of more than 256 KiB".to_owned()));
        }
        let most = room.len();
        let count = below.receive(&mut [IoSliceMut::new(room)])?;
        self.end += count;
        self.is_processed = false;
        self.has_received_any |= count > 0;
        if count == most && self.bytes.len() < MAX_RECEIVE {
            self.bytes.resize((self.bytes.len() * 4).min(MAX_RECEIVE), 0);
        }
        Ok(count)
    }

    /// Returns the bytes for the session, and the buffer for plaintext that the targets have no space for.
    pub(super) fn parts(&mut self) -> (&mut [u8], &mut Vec<u8>) {
        (self.bytes.get_mut(self.start..self.end).unwrap_or_default(), &mut self.plaintext)
    }

    pub(super) fn discard(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }

    pub(super) fn mark_processed(&mut self) {
        self.is_processed = true;
    }

    /// Whether the session has processed everything that it can.
    pub(super) fn is_idle(&self) -> bool {
        self.is_processed || self.ended
    }

    pub(super) fn has_pending(&self) -> bool {
        let whole = || whole_records(self.bytes.get(self.start..self.end).unwrap_or_default()) > 0;
        !self.plaintext.is_empty() || self.ended || self.failed.is_some() || (!self.is_processed && whole())
    }

    /// Copies the plaintext of earlier calls to the targets.
    pub(super) fn deliver_plaintext(&mut self, targets: &mut Targets<'_, '_>) {
        let rest = targets.take(self.plaintext.get(self.plaintext_start..).unwrap_or_default()).len();
        self.plaintext_start = self.plaintext.len() - rest;
        if rest == 0 {
            self.plaintext.clear();
            self.plaintext_start = 0;
        }
    }

    /// Stores an error, which all later calls return too.
    pub(super) fn fail(&mut self, kind: ErrorKind, text: String) -> Error {
        self.failed = Some((kind, text.clone()));
        Error::new(kind, text)
    }

    pub(super) fn check(&self) -> io::Result<()> {
        match &self.failed {
            Some((kind, text)) => Err(Error::new(*kind, text.clone())),
            None => Ok(()),
        }
    }
}

/// A queue of bytes to send: appended at the end, removed from the front.
#[derive(Debug, Default)]
pub(super) struct Queue {
    // Longer than the used range, so that no byte is zeroed twice.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns space for `count` bytes at the end; `add` then says how many were written.
    pub(super) fn reserve(&mut self, count: usize) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end + count > self.bytes.len() {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end + count > self.bytes.len() {
            self.bytes.resize(self.end + count, 0);
        }
        self.bytes.get_mut(self.end..).unwrap_or_default()
    }

    pub(super) fn commit(&mut self, count: usize) {
        self.end = (self.end + count).min(self.bytes.len());
    }

    /// Moves all bytes of another queue to the end of this one.
    pub(super) fn append(&mut self, other: &mut Self) {
        if let Some(bytes) = other.bytes.get(other.start..other.end).filter(|bytes| !bytes.is_empty()) {
            self.reserve(bytes.len()).split_at_mut(bytes.len()).0.copy_from_slice(bytes);
            self.commit(bytes.len());
            other.start = other.end;
        }
    }

    /// Sends all bytes to the socket, or returns `WouldBlock`.
    pub(super) fn send_to(&mut self, below: &dyn Channel) -> io::Result<()> {
        while let Some(rest) = self.bytes.get(self.start..self.end).filter(|rest| !rest.is_empty()) {
            match below.send(&[IoSlice::new(rest)])? {
                0 => return Err(ErrorKind::WriteZero.into()),
                count => self.start += count,
            }
        }
        Ok(())
    }
}

/// The targets of one call, which are filled in order.
pub(super) struct Targets<'t, 'b> {
    targets: &'t mut [IoSliceMut<'b>],
    index: usize,
    offset: usize,
    taken: usize,
    room: usize,
}

impl<'t, 'b> Targets<'t, 'b> {
    pub(super) fn new(targets: &'t mut [IoSliceMut<'b>]) -> Self {
        let room = targets.iter().map(|target| target.len()).sum();
        Self { targets, index: 0, offset: 0, taken: 0, room }
    }

    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    pub(super) fn is_full(&self) -> bool {
        self.taken == self.room
    }

    /// Copies as many bytes as fit, and returns the rest.
    pub(super) fn take<'x>(&mut self, mut text: &'x [u8]) -> &'x [u8] {
        while !text.is_empty() {
            let Some(target) = self.targets.get_mut(self.index) else { break };
            let target = target.get_mut(self.offset..).unwrap_or_default();
            let room = target.len();
            let count = room.min(text.len());
            let (now, later) = text.split_at(count);
            target.split_at_mut(count).0.copy_from_slice(now);
            text = later;
            self.taken += count;
            self.offset += count;
            if count == room {
                self.index += 1;
                self.offset = 0;
            }
        }
        text
    }
}

/// Returns the next piece to encrypt: part of one source if that makes whole records, otherwise several small sources copied
/// together.
pub(super) fn gather<'x>(
    sources: &'x [IoSlice<'x>],
    at: &mut (usize, usize),
    scratch: &'x mut Vec<u8>,
    most: usize,
) -> Option<&'x [u8]> {
    let rest = |at: &(usize, usize)| sources.get(at.0).and_then(|source| source.get(at.1..));
    while rest(at)?.is_empty() {
        *at = (at.0 + 1, 0);
    }
    let first = rest(at)?;
    if first.len() >= RECORD || at.0 + 1 == sources.len() {
        let count = match first.len() {
            0..RECORD => first.len(),
            length => (length / RECORD * RECORD).min(most),
        };
        at.1 += count;
        return first.get(..count);
    }
    scratch.clear();
    while let Some(piece) = rest(at).filter(|_| scratch.len() < RECORD) {
        let count = piece.len().min(RECORD - scratch.len());
        scratch.extend_from_slice(piece.get(..count).unwrap_or_default());
        *at = if count == piece.len() { (at.0 + 1, 0) } else { (at.0, at.1 + count) };
    }
    Some(scratch)
}
