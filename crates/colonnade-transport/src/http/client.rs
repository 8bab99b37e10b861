//! Single HTTP requests, redirects, and the headers of responses.

use std::process;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use ureq::http::{HeaderMap, Response, StatusCode, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body};

use super::error::{HttpError, HttpErrorKind};
use super::proxy;
use super::url::Url;
use super::version::Version;

const MAX_REDIRECTS: usize = 10;

/// A client of one server and of those that it redirects to. It reuses connections.
#[derive(Debug, Clone)]
pub(super) struct Client {
    agent: Agent,
    /// The address that the agent was created for.
    peer: Url,
    timeout: Duration,
    headers: Arc<Vec<(String, String)>>,
    /// The address that the headers and the password are for.
    home: Url,
    /// The process that opened the connections. A forked child has copies of them, which it must not use.
    pid: u32,
}

impl Client {
    pub(super) fn new(
        url: Url,
        timeout: Duration,
        headers: Vec<(String, String)>,
    ) -> Result<Self, HttpError> {
        let agent = new_agent(&url, timeout)?;
        Ok(Self {
            agent,
            peer: url.clone(),
            timeout,
            headers: Arc::new(headers),
            home: url,
            pid: process::id(),
        })
    }

    /// Returns a client with the same settings and new connections.
    pub(super) fn with_new_connections(&self) -> Result<Self, HttpError> {
        Ok(Self { agent: new_agent(&self.peer, self.timeout)?, pid: process::id(), ..self.clone() })
    }

    /// The address for messages, without secrets.
    pub(super) fn redacted_url(&self) -> String {
        self.home.redact()
    }

    /// Whether this process was forked from the one that opened the connections.
    pub(super) fn is_inherited(&self) -> bool {
        self.pid != process::id()
    }

    /// Closes all connections, so that requests on other threads fail at once. In a forked child it closes none, because they
    /// belong to the parent.
    pub(super) fn shutdown(&self) {
        if !self.is_inherited() {
            self.agent.clone().shutdown();
        }
    }

    /// Follows redirects from `url`. Returns the final response and its address, which later requests use.
    pub(super) fn follow(&mut self, url: Url, range: (u64, u64)) -> Result<(HttpResponse, Url), HttpError> {
        let mut url = url;
        for _ in 0..=MAX_REDIRECTS {
            if !self.peer.same_server(&url) {
                self.agent = new_agent(&url, self.timeout)?;
                self.peer = url.clone();
            }
            let answer = self.send(&url, Some(range), None)?;
            if !answer.status.is_redirection() || answer.status == StatusCode::NOT_MODIFIED {
                return Ok((answer, url));
            }
            let location = answer.text(&header::LOCATION).ok_or_else(|| {
                let message =
                    format!("{}: the server redirects ({}), and not where to.", url.redact(), answer.status);
                HttpError::new(HttpErrorKind::Answer, message)
            })?;
            let next = url.join(&location).map_err(|e| {
                let message = format!(
                    "{}: the server redirects ({}) to what cannot be read from ({e}).",
                    url.redact(),
                    answer.status
                );
                HttpError::new(HttpErrorKind::Answer, message)
            })?;
            if url.is_secure() && !next.is_secure() {
                let message = format!(
                    "{}: the server redirects to {}, which is not encrypted. Ask for that address if you trust it.",
                    url.redact(),
                    next.redact()
                );
                return Err(HttpError::new(HttpErrorKind::Forbidden, message));
            }
            url = next;
        }
        let message = format!("{}: more than {MAX_REDIRECTS} redirects.", self.home.redact());
        Err(HttpError::new(HttpErrorKind::Answer, message))
    }

    /// Sends one request without redirects. `range`: first and last byte. `same`: the validator of the file that the range must
    /// belong to (`If-Range`).
    pub(super) fn send(
        &self,
        url: &Url,
        range: Option<(u64, u64)>,
        same: Option<&str>,
    ) -> Result<HttpResponse, HttpError> {
        let redacted_url = url.redact();
        let mut request = self.agent.get(url.request()).header(header::ACCEPT_ENCODING, "identity");
        if let Some((first, last)) = range {
            request = request.header(header::RANGE, format!("bytes={first}-{last}"));
        }
        if let Some(same) = same {
            request = request.header(header::IF_RANGE, same);
        }
        if self.home.same_host(url) {
            if let Some(user) = self.home.user() {
                let token = base64::engine::general_purpose::STANDARD.encode(user);
                request = request.header(header::AUTHORIZATION, format!("Basic {token}"));
            }
            for (name, value) in self.headers.iter() {
                request = request.header(name, value);
            }
        }
        let response = request.call().map_err(|e| HttpError::of(&redacted_url, e))?;
        HttpResponse::new(response, redacted_url)
    }
}

fn new_agent(url: &Url, timeout: Duration) -> Result<Agent, HttpError> {
    let proxy = proxy::of(url)?;
    let secure = url.is_secure() || proxy.as_ref().is_some_and(proxy::is_secure);
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .https_only(url.is_secure())
        .proxy(proxy)
        .user_agent(concat!("colonnade/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(timeout))
        .timeout_connect(Some(timeout))
        .timeout_recv_response(Some(timeout))
        .timeout_per_read(Some(timeout))
        .timeout_per_write(Some(timeout));
    if !secure {
        return Ok(config.build().new_agent());
    }
    let found = rustls_native_certs::load_native_certs();
    let roots: Vec<_> = found.certs.iter().map(|c| Certificate::from_der(c).to_owned()).collect();
    if roots.is_empty() {
        let message =
            "https: this system has no certificate authorities. Name a file of them in SSL_CERT_FILE.";
        return Err(HttpError::new(HttpErrorKind::Connection, message));
    }
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&roots))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    Ok(config.tls_config(tls).build().new_agent())
}

/// A response whose body was not read yet.
#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) status: StatusCode,
    headers: HeaderMap,
    pub(super) body: Body,
    pub(super) redacted_url: String,
}

/// The content of `Content-Range`: first and last byte, and the length of the whole file, where they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContentRange {
    pub(super) bytes: Option<(u64, u64)>,
    pub(super) total: Option<u64>,
}

impl HttpResponse {
    fn new(response: Response<Body>, redacted_url: String) -> Result<Self, HttpError> {
        let (parts, body) = response.into_parts();
        let answer = Self { status: parts.status, headers: parts.headers, body, redacted_url };
        match answer.text(&header::CONTENT_ENCODING).as_deref() {
            None | Some("identity" | "") => Ok(answer),
            Some(other) => {
                let message = format!(
                    "{}: expected the bytes as they are, the server sends them as {other}. Ask for another address.",
                    answer.redacted_url
                );
                Err(HttpError::new(HttpErrorKind::Answer, message))
            }
        }
    }

    pub(super) fn text(&self, name: &header::HeaderName) -> Option<String> {
        self.headers.get(name).and_then(|value| value.to_str().ok()).map(|text| text.trim().to_owned())
    }

    /// The length of the body, if the server declares it.
    pub(super) fn content_length(&self) -> Option<u64> {
        self.text(&header::CONTENT_LENGTH).and_then(|text| text.parse().ok())
    }

    pub(super) fn content_range(&self) -> Option<ContentRange> {
        parse_range(&self.text(&header::CONTENT_RANGE)?)
    }

    /// Returns the validators that identify this version of the file.
    pub(super) fn version(&self) -> Version {
        Version { etag: self.text(&header::ETAG), modified: self.text(&header::LAST_MODIFIED) }
    }
}

fn parse_range(text: &str) -> Option<ContentRange> {
    let (range, total) = text.strip_prefix("bytes")?.trim_start().split_once('/')?;
    let total = match total.trim() {
        "*" => None,
        number => Some(number.parse().ok()?),
    };
    let bytes = match range.trim() {
        "*" => None,
        range => {
            let (first, last) = range.split_once('-')?;
            Some((first.parse().ok()?, last.parse().ok()?))
        }
    };
    Some(ContentRange { bytes, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges_are_read() {
        let known = |bytes, total| Some(ContentRange { bytes, total });
        assert_eq!(parse_range("bytes 0-9/100"), known(Some((0, 9)), Some(100)));
        assert_eq!(parse_range("bytes */0"), known(None, Some(0)));
        assert_eq!(parse_range("bytes 5-5/*"), known(Some((5, 5)), None));
        for wrong in [
            "",
            "bytes",
            "bytes 0-9",
            "items 0-9/10",
            "bytes 9/10",
            "bytes -1-9/10",
            "bytes 0-9/99999999999999999999",
        ] {
            assert_eq!(parse_range(wrong), None);
        }
    }
}
