//! What stands between the socket and the session: bounded, and grown only by peers that send much.

use std::io::{self, Error, ErrorKind, IoSlice, IoSliceMut};

use super::session::{RECORD, RECORD_EXTRA, whole_records};
use crate::channel::Channel;

/// Encrypted bytes taken from the socket at once: at first, and where they fill that.
const LEAST: usize = RECORD + RECORD_EXTRA;
const MOST: usize = 256 * 1024;

/// What has come and is not decrypted, and what is decrypted and was not asked for.
#[derive(Debug)]
pub(super) struct Incoming {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Plaintext that did not fit its targets: less than a buffer.
    kept: Vec<u8>,
    kept_start: usize,
    /// The session has seen all there is.
    looked: bool,
    failed: Option<(ErrorKind, String)>,
    /// The peer said that it will send no more.
    pub(super) ended: bool,
    /// Anything has come.
    pub(super) spoken: bool,
    /// Plaintext has been given.
    pub(super) given: bool,
}

impl Incoming {
    pub(super) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            end: 0,
            kept: Vec::new(),
            kept_start: 0,
            looked: false,
            failed: None,
            ended: false,
            spoken: false,
            given: false,
        }
    }

    /// One read, as large as the buffer allows. 0 is the end of the peer's bytes.
    pub(super) fn fill(&mut self, below: &dyn Channel) -> io::Result<usize> {
        self.check()?;
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.bytes.len() - self.end < self.bytes.len() / 2 || self.bytes.is_empty() {
            self.bytes.resize((self.bytes.len() * 2).clamp(LEAST, MOST), 0);
        }
        let room = self.bytes.get_mut(self.end..).unwrap_or_default();
        if room.is_empty() {
            return Err(self.fail(ErrorKind::InvalidData, "a TLS message of more than 256 KiB".to_owned()));
        }
        let most = room.len();
        let count = below.receive(&mut [IoSliceMut::new(room)])?;
        self.end += count;
        self.looked = false;
        self.spoken |= count > 0;
        if count == most && self.bytes.len() < MOST {
            self.bytes.resize((self.bytes.len() * 4).min(MOST), 0);
        }
        Ok(count)
    }

    /// The bytes for the session, and where plaintext goes that no target is left for.
    pub(super) fn parts(&mut self) -> (&mut [u8], &mut Vec<u8>) {
        (self.bytes.get_mut(self.start..self.end).unwrap_or_default(), &mut self.kept)
    }

    pub(super) fn discard(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }

    pub(super) fn looked_at(&mut self) {
        self.looked = true;
    }

    /// Nothing that the session has not seen.
    pub(super) fn is_idle(&self) -> bool {
        self.looked || self.ended
    }

    pub(super) fn has_pending(&self) -> bool {
        let whole = || whole_records(self.bytes.get(self.start..self.end).unwrap_or_default()) > 0;
        !self.kept.is_empty() || self.ended || self.failed.is_some() || (!self.looked && whole())
    }

    /// The plaintext of earlier calls.
    pub(super) fn give_kept(&mut self, targets: &mut Targets<'_, '_>) {
        let rest = targets.take(self.kept.get(self.kept_start..).unwrap_or_default()).len();
        self.kept_start = self.kept.len() - rest;
        if rest == 0 {
            self.kept.clear();
            self.kept_start = 0;
        }
    }

    /// Remembers an error: it is every later call's too.
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

/// Bytes that wait to go out: appended behind, taken in front.
#[derive(Debug, Default)]
pub(super) struct Queue {
    // Longer than what is in use, so that nothing is zeroed twice.
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

    /// Room for so many bytes behind the others; `add` then says how many there are.
    pub(super) fn room(&mut self, count: usize) -> &mut [u8] {
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

    pub(super) fn add(&mut self, count: usize) {
        self.end = (self.end + count).min(self.bytes.len());
    }

    /// Takes all that another one holds.
    pub(super) fn append(&mut self, other: &mut Self) {
        if let Some(bytes) = other.bytes.get(other.start..other.end).filter(|bytes| !bytes.is_empty()) {
            self.room(bytes.len()).split_at_mut(bytes.len()).0.copy_from_slice(bytes);
            self.add(bytes.len());
            other.start = other.end;
        }
    }

    /// Gives all of it to the socket, or `WouldBlock`.
    pub(super) fn give(&mut self, below: &dyn Channel) -> io::Result<()> {
        while let Some(rest) = self.bytes.get(self.start..self.end).filter(|rest| !rest.is_empty()) {
            match below.send(&[IoSlice::new(rest)])? {
                0 => return Err(ErrorKind::WriteZero.into()),
                count => self.start += count,
            }
        }
        Ok(())
    }
}

/// The targets of one call, filled in their order.
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

    /// Takes what fits: the rest.
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

/// The next piece to encrypt: part of one source where that makes whole records, else several small ones together.
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
