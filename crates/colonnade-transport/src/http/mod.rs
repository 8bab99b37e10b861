//! Files behind HTTP(S): ranges of them where the server gives ranges, else the whole from front to back.
//!
//! Requests run on threads of their own, which nobody has to wait for: the caller looks for signals meanwhile, and when
//! he gives up, their connections are shut. TLS is rustls with ring; whom it trusts the system says (or the file that
//! `SSL_CERT_FILE` names). Proxies are those of the environment.

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
use client::{Answer, Client};
use stream::{Incoming, fill};
use url::Url;
use version::Version;

/// How much the first request asks for: the head of the file, and all of a small one.
const FIRST_NBYTES: u64 = 64 << 10;

/// Enough to tell a format by.
const LEAST_NBYTES: usize = 64;

/// How long nothing may come, where nobody says otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Called while a request is waited for; its error ends the waiting.
pub type Tick<'a> = dyn FnMut() -> io::Result<()> + 'a;

/// Takes a piece of the file that came: where it stands, and its bytes.
pub type Land<'a, E> = dyn FnMut(u64, &[u8]) -> Result<(), E> + 'a;

/// How a file is asked for.
#[derive(Debug, Clone, Default)]
pub struct HttpOptions {
    /// How long connecting, the answer, or the next bytes may take; 30 seconds where `None`.
    pub timeout: Option<Duration>,
    /// Headers of each request to the host of the address.
    pub headers: Vec<(String, String)>,
}

/// A file behind an address.
#[derive(Debug)]
pub struct HttpFile {
    client: Mutex<Client>,
    url: Url,
    head: Vec<u8>,
    extent: Extent,
    /// What tells this file from a later one.
    version: Version,
    /// The rest of the first answer, where that is the whole file.
    rest: Mutex<Option<Incoming>>,
    fetched: Arc<AtomicU64>,
}

#[derive(Debug, Clone, Copy)]
enum Extent {
    /// The server gives ranges of so many bytes.
    Ranged(u64),
    /// It gives the whole, of so many bytes where it says.
    Whole(Option<u64>),
}

impl HttpFile {
    /// Asks for the head of the file at `url`, following redirects (never from https to http).
    ///
    /// # Errors
    /// An [`HttpError`] as the source of the I/O error; what `tick` answers.
    pub fn open(url: &str, options: &HttpOptions, tick: &mut Tick<'_>) -> io::Result<Self> {
        let url = Url::parse(url)?;
        let client = Client::new(url.clone(), options.timeout.unwrap_or(TIMEOUT), options.headers.clone())?;
        let abandoned = client.clone();
        run_in_background(tick, move || first(client, url)).inspect_err(|_| abandoned.shutdown())
    }

    /// The address after redirects, without user and password.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.request().to_owned()
    }

    /// The address for messages.
    #[must_use]
    pub fn shown(&self) -> String {
        self.url.shown()
    }

    /// Bytes of the file, where the server says.
    #[must_use]
    pub fn nbytes(&self) -> Option<u64> {
        match self.extent {
            Extent::Ranged(nbytes) => Some(nbytes),
            Extent::Whole(nbytes) => nbytes,
        }
    }

    /// Whether parts of it can be asked for.
    #[must_use]
    pub fn is_ranged(&self) -> bool {
        matches!(self.extent, Extent::Ranged(_))
    }

    /// The first bytes, all of a small file's.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Bytes of bodies that came so far.
    #[must_use]
    pub fn fetched_nbytes(&self) -> u64 {
        self.fetched.load(Ordering::Relaxed)
    }

    /// Fetches ranges (start and end) over a few connections at once, and hands their pieces on in any order.
    ///
    /// # Errors
    /// An [`HttpError`] as the source of the I/O error; what `tick` or `land` answer.
    pub fn fetch<E: From<io::Error>>(
        &self,
        ranges: &[(u64, u64)],
        land: &mut Land<'_, E>,
        tick: &mut Tick<'_>,
    ) -> Result<(), E> {
        let Extent::Ranged(total) = self.extent else {
            return Err(io::Error::from(io::ErrorKind::Unsupported).into());
        };
        let asked = ranges::Asked {
            client: self.client().map_err(io::Error::from)?,
            url: self.url.clone(),
            total,
            version: self.version.clone(),
            fetched: Arc::clone(&self.fetched),
        };
        let done = ranges::fetch(asked, ranges, land, tick);
        if done.is_err() {
            self.renew()?;
        }
        done
    }

    /// The whole file from front to back. `lenient`: where the connection ends early, so does the file.
    ///
    /// # Errors
    /// The system's own.
    pub fn stream(&self, lenient: bool) -> io::Result<HttpStream> {
        // The body of an answer to the process that this one was forked from is for that one alone.
        let inherited = self.lock().is_inherited();
        let rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner).take().filter(|_| !inherited);
        // A stream has connections of its own, which end with it.
        let client = self.client()?.renewed()?;
        let (url, fetched) = (self.url.clone(), Arc::clone(&self.fetched));
        let (asking, head) = (client.clone(), self.head.clone());
        match (self.extent, rest) {
            (Extent::Whole(_), Some(rest)) => HttpStream::new(head, Some(rest), lenient, self.client()?),
            (Extent::Whole(_), None) => {
                let ask = move || asking.ask(&url, None, None).and_then(whole);
                HttpStream::new(Vec::new(), Some(Incoming::later(ask, fetched)), lenient, client)
            }
            (Extent::Ranged(total), _) if total <= head.len() as u64 => {
                HttpStream::new(head, None, lenient, client)
            }
            (Extent::Ranged(total), _) => {
                let (range, version) = ((head.len() as u64, total - 1), self.version.clone());
                let ask = move || ranges::body(&asking, &url, range, total, &version);
                HttpStream::new(head, Some(Incoming::later(ask, fetched)), lenient, client)
            }
        }
    }

    /// Who asks: in a forked child somebody new, for two processes on one connection take each other's answers.
    fn client(&self) -> Result<Client, HttpError> {
        let client = self.lock().clone();
        if client.is_inherited() { self.replace(&client) } else { Ok(client) }
    }

    /// Ends requests that nobody waits for any more.
    fn renew(&self) -> io::Result<()> {
        let client = self.lock().clone();
        client.shutdown();
        self.replace(&client)?;
        Ok(())
    }

    /// The client anew. The lock is not held while it is made: a fork meanwhile would leave it locked.
    fn replace(&self, client: &Client) -> Result<Client, HttpError> {
        let client = client.renewed()?;
        *self.lock() = client.clone();
        Ok(client)
    }

    fn lock(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HttpFile {
    fn drop(&mut self) {
        // A stream has taken over the connection, if there is one: it goes on.
        if self.is_ranged() {
            self.lock().shutdown();
        }
    }
}

/// The first request: it tells whether the server gives ranges.
fn first(mut client: Client, url: Url) -> Result<HttpFile, HttpError> {
    let (answer, url) = client.follow(url, (0, FIRST_NBYTES - 1))?;
    let fetched = Arc::new(AtomicU64::new(0));
    let version = answer.version();
    let shown = answer.shown.clone();
    let file = |client, head: Vec<u8>, extent, rest| {
        fetched.fetch_add(head.len() as u64, Ordering::Relaxed);
        let (client, rest, fetched) = (Mutex::new(client), Mutex::new(rest), Arc::clone(&fetched));
        HttpFile { client, url: url.clone(), head, extent, version: version.clone(), rest, fetched }
    };
    match (answer.status.as_u16(), answer.content_range()) {
        (206, Some(range)) => match (range.bytes, range.total) {
            (Some((0, last)), Some(total)) if last.checked_add(1) == Some(total.min(FIRST_NBYTES)) => {
                let head = ranges::exactly(answer, last + 1)?;
                Ok(file(client, head, Extent::Ranged(total), None))
            }
            // Of a file that is still being written nobody knows the end.
            (Some((0, _)), None) => {
                let answer = client.ask(&url, None, None)?;
                from_whole(answer, |head, extent, rest| file(client, head, extent, rest), &fetched)
            }
            _ => Err(ranges::contradiction(&shown, (0, FIRST_NBYTES - 1), Some(range))),
        },
        (206, None) => Err(ranges::contradiction(&shown, (0, FIRST_NBYTES - 1), None)),
        // No byte of an empty file can be asked for.
        (416, Some(range)) if range.total == Some(0) => Ok(file(client, Vec::new(), Extent::Ranged(0), None)),
        (200, _) => from_whole(answer, |head, extent, rest| file(client, head, extent, rest), &fetched),
        _ => Err(HttpError::of_status(&shown, answer.status)),
    }
}

fn from_whole(
    answer: Answer,
    file: impl FnOnce(Vec<u8>, Extent, Option<Incoming>) -> HttpFile,
    fetched: &Arc<AtomicU64>,
) -> Result<HttpFile, HttpError> {
    let length = answer.content_length();
    let mut body = whole(answer)?;
    let mut head = vec![0; LEAST_NBYTES];
    let count = fill(&mut body, &mut head)?;
    head.truncate(count);
    let rest = (count == LEAST_NBYTES).then(|| Incoming::now(body, Arc::clone(fetched)));
    Ok(file(head, Extent::Whole(length), rest))
}

/// The body of an answer that is the whole file.
fn whole(answer: Answer) -> Result<stream::Counted, HttpError> {
    if answer.status.as_u16() != 200 {
        return Err(HttpError::of_status(&answer.shown, answer.status));
    }
    let (length, shown) = (answer.content_length(), answer.shown);
    let reader: Box<dyn Read + Send> = Box::new(answer.body.into_reader());
    Ok(stream::Counted::new(reader, shown, length))
}
