//! Fetches ranges of a file over several connections, and checks that the responses match the requests.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::background::{TICK, forked_error, spawn};
use super::client::{Client, ContentRange, HttpResponse};
use super::error::{HttpError, HttpErrorKind};
use super::stream::{CHUNK_NBYTES, CheckedBody, fill};
use super::url::Url;
use super::version::Version;
use super::{OnPiece, Tick};

/// The maximum number of concurrent connections to a server.
const MAX_CONNECTIONS: usize = 4;

/// Larger ranges are split between connections.
const PIECE_NBYTES: u64 = 8 << 20;

/// The data that the threads share.
#[derive(Clone)]
pub(super) struct RangeRequest {
    pub(super) client: Client,
    pub(super) url: Url,
    pub(super) total: u64,
    pub(super) version: Version,
    pub(super) fetched: Arc<AtomicU64>,
}

type Chunk = Result<(u64, Vec<u8>), HttpError>;

/// Fetches all ranges (start and end).
pub(super) fn fetch<E: From<io::Error>>(
    request: RangeRequest,
    ranges: &[(u64, u64)],
    on_piece: &mut OnPiece<'_, E>,
    tick: &mut Tick<'_>,
) -> Result<(), E> {
    let pieces: VecDeque<(u64, u64)> = ranges.iter().flat_map(|&range| pieces(range)).collect();
    let mut left: u64 = pieces.iter().map(|(start, end)| end - start).sum();
    let threads = MAX_CONNECTIONS.min(pieces.len());
    let pieces = Arc::new(Mutex::new(pieces));
    let (send, receive) = sync_channel::<Chunk>(2 * MAX_CONNECTIONS);
    for _ in 0..threads {
        let (request, pieces, send) = (request.clone(), Arc::clone(&pieces), send.clone());
        spawn(move || fetch_pieces(&request, &pieces, &send))?;
    }
    drop(send);
    let (client, mut checked) = (request.client, Instant::now());
    while left > 0 {
        match receive.recv_timeout(TICK) {
            Ok(Ok((at, bytes))) => {
                left = left.saturating_sub(bytes.len() as u64);
                on_piece(at, &bytes)?;
            }
            Ok(Err(error)) => return Err(io::Error::from(error).into()),
            Err(RecvTimeoutError::Timeout) if client.is_inherited() => return Err(forked_error().into()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("http: the requests ended early").into());
            }
        }
        if checked.elapsed() >= TICK {
            tick()?;
            checked = Instant::now();
        }
    }
    Ok(())
}

fn pieces((start, end): (u64, u64)) -> impl Iterator<Item = (u64, u64)> {
    let count = end.saturating_sub(start).div_ceil(PIECE_NBYTES);
    (0..count).map(move |i| {
        let from = start + i * PIECE_NBYTES;
        (from, (from + PIECE_NBYTES).min(end))
    })
}

/// Fetches pieces until none is left or the receiver is gone.
fn fetch_pieces(request: &RangeRequest, pieces: &Mutex<VecDeque<(u64, u64)>>, send: &SyncSender<Chunk>) {
    loop {
        let piece = pieces.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(piece) = piece else { return };
        match fetch_piece(request, piece, send) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                let _ = send.send(Err(error));
                return;
            }
        }
    }
}

/// Fetches one piece. Returns false if the receiver is gone.
fn fetch_piece(
    request: &RangeRequest,
    (start, end): (u64, u64),
    send: &SyncSender<Chunk>,
) -> Result<bool, HttpError> {
    let range = (start, end - 1);
    let mut body = open_range(&request.client, &request.url, range, request.total, &request.version)?;
    let mut at = start;
    while at < end {
        let nbytes = usize::try_from(end - at).unwrap_or(CHUNK_NBYTES).min(CHUNK_NBYTES);
        let mut bytes = vec![0; nbytes];
        // Fewer bytes arrive only at the end of the body, which the body reports as an error.
        let count = fill(&mut body, &mut bytes)?;
        bytes.truncate(count);
        request.fetched.fetch_add(count as u64, Ordering::Relaxed);
        if send.send(Ok((at, bytes))).is_err() {
            return Ok(false);
        }
        at += count as u64;
    }
    body.finish()?;
    Ok(true)
}

/// Requests a range (first and last byte). Returns its body, and refuses one of another version of the file.
pub(super) fn open_range(
    client: &Client,
    url: &Url,
    range: (u64, u64),
    total: u64,
    version: &Version,
) -> Result<CheckedBody, HttpError> {
    let same = version.for_ranges();
    let answer = match client.send(url, Some(range), same) {
        // The server may have closed a reused connection. A request that only reads can be repeated.
        Err(error) if error.kind == HttpErrorKind::Connection => client.send(url, Some(range), same)?,
        answer => answer?,
    };
    let redacted_url = answer.redacted_url.clone();
    let status = answer.status.as_u16();
    let changed = |what: &str| {
        let message = format!("{redacted_url}: the file changed while it was read ({what}). Read it again.");
        HttpError::new(HttpErrorKind::Changed, message)
    };
    match (status, answer.content_range()) {
        (206, Some(found)) => {
            if found.total.is_some_and(|now| now != total) {
                return Err(changed(&format!(
                    "it had {total} bytes, now it has {}",
                    found.total.unwrap_or(0)
                )));
            }
            if !version.is_same_file(&answer.version()) {
                return Err(changed("its ETag or date is another one"));
            }
            if found.bytes != Some(range) {
                return Err(contradiction_error(&redacted_url, range, Some(found)));
            }
            let declared = range.1 - range.0 + 1;
            Ok(checked_body(answer, declared))
        }
        (206, None) => Err(contradiction_error(&redacted_url, range, None)),
        (200 | 412 | 416, _) => Err(changed("the range is no longer given")),
        _ => Err(HttpError::of_status(&redacted_url, answer.status)),
    }
}

fn checked_body(answer: HttpResponse, nbytes: u64) -> CheckedBody {
    let redacted_url = answer.redacted_url;
    let reader: Box<dyn Read + Send> = Box::new(answer.body.into_reader());
    CheckedBody::new(reader, redacted_url, Some(nbytes))
}

/// Reads all bytes of a small response.
pub(super) fn read_exactly(answer: HttpResponse, nbytes: u64) -> Result<Vec<u8>, HttpError> {
    let mut body = checked_body(answer, nbytes);
    let mut out = vec![0; usize::try_from(nbytes).unwrap_or(0)];
    fill(&mut body, &mut out)?;
    body.finish()?;
    Ok(out)
}

pub(super) fn contradiction_error(
    redacted_url: &str,
    request: (u64, u64),
    found: Option<ContentRange>,
) -> HttpError {
    let found = match found {
        None => "no Content-Range".to_owned(),
        Some(ContentRange { bytes, total }) => {
            let range = bytes.map_or("*".to_owned(), |(first, last)| format!("{first}-{last}"));
            format!("{range}/{}", total.map_or("*".to_owned(), |n| n.to_string()))
        }
    };
    let message = format!(
        "{redacted_url}: expected the bytes {}-{}, the server answers with {found}. It is broken, or a proxy is.",
        request.0, request.1
    );
    HttpError::new(HttpErrorKind::Answer, message)
}
