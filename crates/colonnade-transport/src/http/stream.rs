//! A file from front to back, received on a background thread.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};

use super::background::{TICK, spawn};
use super::client::Client;
use super::error::{HttpError, HttpErrorKind};

/// The maximum number of bytes of one chunk that the thread sends to the reader.
pub(super) const CHUNK_NBYTES: usize = 256 << 10;

/// The number of chunks that may wait for the reader. Beyond that, the thread stops receiving.
const MAX_QUEUED_CHUNKS: usize = 8;

/// A body that must have as many bytes as the server declared.
pub(super) struct CheckedBody {
    reader: Box<dyn Read + Send>,
    redacted_url: String,
    declared: Option<u64>,
    had: u64,
}

impl CheckedBody {
    pub(super) fn new(reader: Box<dyn Read + Send>, redacted_url: String, declared: Option<u64>) -> Self {
        Self { reader, redacted_url, declared, had: 0 }
    }

    /// Reads the next bytes; 0 at the end.
    fn read(&mut self, target: &mut [u8]) -> Result<usize, HttpError> {
        let short = |had| HttpError::truncated(&self.redacted_url, self.declared.unwrap_or(had + 1), had);
        loop {
            return match self.reader.read(target) {
                Ok(0) if self.declared.is_some_and(|n| self.had < n) => Err(short(self.had)),
                Ok(count) => {
                    self.had += count as u64;
                    self.check_length().map(|()| count)
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(short(self.had)),
                Err(e) => Err(HttpError::of_io(&self.redacted_url, &e)),
            };
        }
    }

    fn check_length(&self) -> Result<(), HttpError> {
        match self.declared {
            Some(declared) if self.had > declared => {
                let message =
                    format!("{}: expected {declared} bytes, the server sends more.", self.redacted_url);
                Err(HttpError::new(HttpErrorKind::Answer, message))
            }
            _ => Ok(()),
        }
    }

    /// Reads to the end, so that the connection can be reused. Further bytes are an error.
    pub(super) fn finish(&mut self) -> Result<(), HttpError> {
        self.read(&mut [0]).map(drop)
    }
}

/// Fills `target` as far as the body suffices, and returns the number of bytes.
pub(super) fn fill(body: &mut CheckedBody, target: &mut [u8]) -> Result<usize, HttpError> {
    let mut filled = 0;
    while let Some(room) = target.get_mut(filled..).filter(|room| !room.is_empty()) {
        match body.read(room)? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

/// A body that is already open, or a request that opens one.
pub(super) struct BodySource {
    open: Box<dyn FnOnce() -> Result<CheckedBody, HttpError> + Send>,
    fetched: Arc<AtomicU64>,
}

impl BodySource {
    pub(super) fn from_body(body: CheckedBody, fetched: Arc<AtomicU64>) -> Self {
        Self::from_request(move || Ok(body), fetched)
    }

    pub(super) fn from_request(
        open: impl FnOnce() -> Result<CheckedBody, HttpError> + Send + 'static,
        fetched: Arc<AtomicU64>,
    ) -> Self {
        Self { open: Box::new(open), fetched }
    }

    /// Receives the whole body, or until the receiver is gone.
    fn run(self, send: &SyncSender<Result<Vec<u8>, HttpError>>) {
        let all = || {
            let mut body = (self.open)()?;
            loop {
                let mut bytes = vec![0; CHUNK_NBYTES];
                // Bytes are sent as they arrive, because a reader of single messages must not wait for the next one.
                let count = body.read(&mut bytes)?;
                bytes.truncate(count);
                self.fetched.fetch_add(count as u64, Ordering::Relaxed);
                if count == 0 || send.send(Ok(bytes)).is_err() {
                    return Ok(());
                }
            }
        };
        if let Err(error) = all() {
            let _ = send.send(Err(error));
        }
    }
}

impl fmt::Debug for BodySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Incoming")
    }
}

/// A file from front to back. A read that waits returns `Interrupted` at intervals, so that the caller can check for signals.
/// No bytes are lost.
#[derive(Debug)]
pub struct HttpStream {
    bytes: Vec<u8>,
    at: usize,
    rest: Option<Receiver<Result<Vec<u8>, HttpError>>>,
    lenient: bool,
    client: Client,
}

impl HttpStream {
    pub(super) fn new(
        head: Vec<u8>,
        incoming: Option<BodySource>,
        lenient: bool,
        client: Client,
    ) -> io::Result<Self> {
        let rest = match incoming {
            None => None,
            Some(incoming) => {
                let (send, receive) = sync_channel(MAX_QUEUED_CHUNKS);
                spawn(move || incoming.run(&send))?;
                Some(receive)
            }
        };
        Ok(Self { bytes: head, at: 0, rest, lenient, client })
    }
}

impl Read for HttpStream {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        while self.at >= self.bytes.len() {
            let Some(rest) = &self.rest else { return Ok(0) };
            if self.client.is_inherited() {
                let message = format!(
                    "{}: it is being read by the process that this one was forked from. Read it again here.",
                    self.client.redacted_url()
                );
                return Err(HttpError::new(HttpErrorKind::Other, message).into());
            }
            match rest.recv_timeout(TICK) {
                Ok(Ok(bytes)) => (self.bytes, self.at) = (bytes, 0),
                Ok(Err(error)) => {
                    self.rest = None;
                    if self.lenient && matches!(error.kind, HttpErrorKind::Truncated { .. }) {
                        return Ok(0);
                    }
                    return Err(error.into());
                }
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::Interrupted.into()),
                Err(RecvTimeoutError::Disconnected) => self.rest = None,
            }
        }
        let left = self.bytes.get(self.at..).unwrap_or_default();
        let count = left.len().min(target.len());
        if let (Some(target), Some(source)) = (target.get_mut(..count), left.get(..count)) {
            target.copy_from_slice(source);
        }
        self.at += count;
        Ok(count)
    }
}

impl Drop for HttpStream {
    fn drop(&mut self) {
        // The rest of the file is not read. A forked child closes no connection, and the channel may be in any state there.
        if self.client.is_inherited() {
            std::mem::forget(self.rest.take());
        } else if self.rest.is_some() {
            self.client.shutdown();
        }
    }
}
