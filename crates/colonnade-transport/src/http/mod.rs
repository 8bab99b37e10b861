//! Files over HTTP(S): ranges of them if the server supports ranges, otherwise the whole file from front to back.
//!
//! Requests run on background threads. The caller checks for signals meanwhile; if it gives up, the connections are closed. TLS
//! is rustls with ring. The system's certificates are trusted (or those of the file that `SSL_CERT_FILE` names). Proxies are
//! those of the environment.

mod background;
mod client;
mod error;
mod proxy;
mod ranges;
mod stream;
mod url;
mod version;

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use error::{HttpError, HttpErrorKind};
pub use stream::HttpStream;

use background::run_in_background;
use client::{Client, HttpResponse};
use stream::{BodySource, fill};
use url::Url;
use version::Version;

/// The length of the first request's range: the beginning of a file, or all of a small file.
const FIRST_NBYTES: u64 = 64 << 10;

/// The minimum number of bytes that identify a format.
const MIN_HEAD_NBYTES: usize = 64;

/// The default time limit for the next bytes.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A function that is called while a request is pending. Its error ends the request.
pub type Tick<'a> = dyn FnMut() -> io::Result<()> + 'a;

/// A function that receives a fetched piece: its offset in the file, and its bytes.
pub type OnPiece<'a, E> = dyn FnMut(u64, &[u8]) -> Result<(), E> + 'a;

/// Options for requests.
#[derive(Debug, Clone, Default)]
pub struct HttpOptions {
    /// The time limit for connecting, for the response and for the next bytes; `None`: 30 seconds.
    pub timeout: Option<Duration>,
    /// Headers of each request to the host of the address.
    pub headers: Vec<(String, String)>,
}

/// A file at an HTTP(S) address.
#[derive(Debug)]
pub struct HttpFile {
    client: Mutex<Client>,
    url: Url,
    head: Vec<u8>,
    extent: Extent,
    /// The validators of the opened version of the file.
    version: Version,
    /// The rest of the first response, if that is the whole file.
    rest: Mutex<Option<BodySource>>,
    fetched: Arc<AtomicU64>,
}

#[derive(Debug, Clone, Copy)]
enum Extent {
    /// The server supports ranges. The file has this length.
    Ranged(u64),
    /// The server only sends the whole file, of this length if it declares one.
    Whole(Option<u64>),
}

impl HttpFile {
    /// Requests the beginning of the file at `url`, and follows redirects (never from https to http).
    ///
    /// # Errors
    /// An [`HttpError`] as the source of the I/O error; errors of `tick`.
    pub fn open(url: &str, options: &HttpOptions, tick: &mut Tick<'_>) -> io::Result<Self> {
        let url = Url::parse(url)?;
        let client = Client::new(url.clone(), options.timeout.unwrap_or(TIMEOUT), options.headers.clone())?;
        let abandoned = client.clone();
        run_in_background(tick, move || send_first(client, url)).inspect_err(|_| abandoned.shutdown())
    }

    /// Returns the address after redirects, without user and password.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.request().to_owned()
    }

    /// Returns the address for messages, without secrets.
    #[must_use]
    pub fn redacted_url(&self) -> String {
        self.url.redact()
    }

    /// Returns the length of the file, if the server declares it.
    #[must_use]
    pub fn nbytes(&self) -> Option<u64> {
        match self.extent {
            Extent::Ranged(nbytes) => Some(nbytes),
            Extent::Whole(nbytes) => nbytes,
        }
    }

    /// Whether ranges of the file can be requested.
    #[must_use]
    pub fn is_ranged(&self) -> bool {
        matches!(self.extent, Extent::Ranged(_))
    }

    /// Returns the first bytes: all of a small file.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns the number of bytes of bodies that have been fetched.
    #[must_use]
    pub fn fetched_nbytes(&self) -> u64 {
        self.fetched.load(Ordering::Relaxed)
    }

    /// Fetches ranges (start and end) over several connections, and passes their pieces to `on_piece` in any order.
    ///
    /// # Errors
    /// An [`HttpError`] as the source of the I/O error; errors of `tick` and `on_piece`.
    pub fn fetch<E: From<io::Error>>(
        &self,
        ranges: &[(u64, u64)],
        on_piece: &mut OnPiece<'_, E>,
        tick: &mut Tick<'_>,
    ) -> Result<(), E> {
        let Extent::Ranged(total) = self.extent else {
            return Err(io::Error::from(io::ErrorKind::Unsupported).into());
        };
        let request = ranges::RangeRequest {
            client: self.client().map_err(io::Error::from)?,
            url: self.url.clone(),
            total,
            version: self.version.clone(),
            fetched: Arc::clone(&self.fetched),
        };
        let done = ranges::fetch(request, ranges, on_piece, tick);
        if done.is_err() {
            self.end_requests()?;
        }
        done
    }

    /// Returns a stream of the whole file. `lenient`: a connection that closes early ends the stream without an error.
    ///
    /// # Errors
    /// Operating-system errors.
    pub fn stream(&self, lenient: bool) -> io::Result<HttpStream> {
        // The rest of the first response belongs to the process that requested it, not to a forked child.
        let inherited = self.lock().is_inherited();
        let rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner).take().filter(|_| !inherited);
        // A stream has its own connections, which it closes when it ends.
        let client = self.client()?.with_new_connections()?;
        let (url, fetched) = (self.url.clone(), Arc::clone(&self.fetched));
        let (asking, head) = (client.clone(), self.head.clone());
        match (self.extent, rest) {
            (Extent::Whole(_), Some(rest)) => HttpStream::new(head, Some(rest), lenient, self.client()?),
            (Extent::Whole(_), None) => {
                let send = move || asking.send(&url, None, None).and_then(whole_body);
                HttpStream::new(Vec::new(), Some(BodySource::from_request(send, fetched)), lenient, client)
            }
            (Extent::Ranged(total), _) if total <= head.len() as u64 => {
                HttpStream::new(head, None, lenient, client)
            }
            (Extent::Ranged(total), _) => {
                let (range, version) = ((head.len() as u64, total - 1), self.version.clone());
                let send = move || ranges::open_range(&asking, &url, range, total, &version);
                HttpStream::new(head, Some(BodySource::from_request(send, fetched)), lenient, client)
            }
        }
    }

    /// Returns the client. A forked child creates its own, because two processes on one connection would mix up responses.
    fn client(&self) -> Result<Client, HttpError> {
        let client = self.lock().clone();
        if client.is_inherited() { self.replace_client(&client) } else { Ok(client) }
    }

    /// Ends abandoned requests by closing their connections.
    fn end_requests(&self) -> io::Result<()> {
        let client = self.lock().clone();
        client.shutdown();
        self.replace_client(&client)?;
        Ok(())
    }

    /// Replaces the client's connections. The lock is not held while they are created, because a fork meanwhile would leave it
    /// locked.
    fn replace_client(&self, client: &Client) -> Result<Client, HttpError> {
        let client = client.with_new_connections()?;
        *self.lock() = client.clone();
        Ok(client)
    }

    fn lock(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HttpFile {
    fn drop(&mut self) {
        // A stream may have taken over the connection of the first response, so it stays open.
        if self.is_ranged() {
            self.lock().shutdown();
        }
    }
}

/// Sends the first request, which shows whether the server supports ranges.
fn send_first(mut client: Client, url: Url) -> Result<HttpFile, HttpError> {
    let (answer, url) = client.follow(url, (0, FIRST_NBYTES - 1))?;
    let fetched = Arc::new(AtomicU64::new(0));
    let version = answer.version();
    let redacted_url = answer.redacted_url.clone();
    let file = |client, head: Vec<u8>, extent, rest| {
        fetched.fetch_add(head.len() as u64, Ordering::Relaxed);
        let (client, rest, fetched) = (Mutex::new(client), Mutex::new(rest), Arc::clone(&fetched));
        HttpFile { client, url: url.clone(), head, extent, version: version.clone(), rest, fetched }
    };
    match (answer.status.as_u16(), answer.content_range()) {
        (206, Some(range)) => match (range.bytes, range.total) {
            (Some((0, last)), Some(total)) if last.checked_add(1) == Some(total.min(FIRST_NBYTES)) => {
                let head = ranges::read_exactly(answer, last + 1)?;
                Ok(file(client, head, Extent::Ranged(total), None))
            }
            // The length of a file that is still being written is unknown.
            (Some((0, _)), None) => {
                let answer = client.send(&url, None, None)?;
                from_whole(answer, |head, extent, rest| file(client, head, extent, rest), &fetched)
            }
            _ => Err(ranges::contradiction_error(&redacted_url, (0, FIRST_NBYTES - 1), Some(range))),
        },
        (206, None) => Err(ranges::contradiction_error(&redacted_url, (0, FIRST_NBYTES - 1), None)),
        // An empty file has no byte to request.
        (416, Some(range)) if range.total == Some(0) => Ok(file(client, Vec::new(), Extent::Ranged(0), None)),
        (200, _) => from_whole(answer, |head, extent, rest| file(client, head, extent, rest), &fetched),
        _ => Err(HttpError::of_status(&redacted_url, answer.status)),
    }
}

fn from_whole(
    answer: HttpResponse,
    file: impl FnOnce(Vec<u8>, Extent, Option<BodySource>) -> HttpFile,
    fetched: &Arc<AtomicU64>,
) -> Result<HttpFile, HttpError> {
    let length = answer.content_length();
    let mut body = whole_body(answer)?;
    let mut head = vec![0; MIN_HEAD_NBYTES];
    let count = fill(&mut body, &mut head)?;
    head.truncate(count);
    let rest = (count == MIN_HEAD_NBYTES).then(|| BodySource::from_body(body, Arc::clone(fetched)));
    Ok(file(head, Extent::Whole(length), rest))
}

/// Returns the body of a response that has the whole file.
fn whole_body(answer: HttpResponse) -> Result<stream::CheckedBody, HttpError> {
    if answer.status.as_u16() != 200 {
        return Err(HttpError::of_status(&answer.redacted_url, answer.status));
    }
    let (length, redacted_url) = (answer.content_length(), answer.redacted_url);
    let reader: Box<dyn Read + Send> = Box::new(answer.body.into_reader());
    Ok(stream::CheckedBody::new(reader, redacted_url, length))
}
