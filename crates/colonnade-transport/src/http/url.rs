//! HTTP addresses, parsed by the URL Standard: their parts for requests, and their text without secrets for messages.

use percent_encoding::percent_decode_str;
use url::{ParseError, Position};

use super::error::HttpError;

/// An `http://` or `https://` address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    /// Without user, password and fragment: a request line carries none of them.
    url: url::Url,
    /// `user:password`, decoded.
    user: Option<Vec<u8>>,
}

impl Url {
    /// Parses an address. Characters that a request cannot carry (spaces, letters beyond ASCII) are percent-encoded.
    pub(super) fn parse(text: &str) -> Result<Self, HttpError> {
        Self::checked(url::Url::parse(text), text)
    }

    /// Resolves the location of a redirect.
    pub(super) fn join(&self, location: &str) -> Result<Self, HttpError> {
        Self::checked(self.url.join(location), location)
    }

    fn checked(parsed: Result<url::Url, ParseError>, text: &str) -> Result<Self, HttpError> {
        let mut url = match parsed {
            Ok(url) if matches!(url.scheme(), "http" | "https") => url,
            Ok(_) | Err(ParseError::RelativeUrlWithoutBase) => {
                let message = format!("expected http:// or https://, found {}.", scheme(text));
                return Err(HttpError::address(message));
            }
            Err(_) => return Err(no_host(text)),
        };
        // Such an address is legal, but it is the result of `f"{host}:{port}"` without a port.
        let authority = text.split("://").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next());
        if authority.is_some_and(|authority| authority.ends_with(':')) {
            return Err(no_host(text));
        }
        let user = user(&url);
        url.set_fragment(None);
        if url.set_username("").and(url.set_password(None)).is_err() {
            return Err(no_host(text));
        }
        let url = Self { url, user };
        // The URI type of the client library is limited to 65,534 bytes.
        if url.request().parse::<ureq::http::Uri>().is_err() {
            return Err(HttpError::address(format!("{} is no URL.", url.redact())));
        }
        Ok(url)
    }

    /// Whether the connection is encrypted.
    pub(super) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Returns host and port, without the port if it is the scheme's default.
    pub(super) fn authority(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    /// Returns host and port, always with the port.
    pub(super) fn host_and_port(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port_or_known_default().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Returns the address for a request, without user and password.
    pub(super) fn request(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the address for messages: without user and password, and without the query, which may be a signature.
    pub(super) fn redact(&self) -> String {
        let query = if self.url.query().is_some() { "?..." } else { "" };
        format!("{}{query}", &self.url[..Position::AfterPath])
    }

    /// Returns user and password, decoded.
    pub(super) fn user(&self) -> Option<&[u8]> {
        self.user.as_deref()
    }

    /// Whether credentials for this address may be sent to the other: the same host and port, encrypted if this one is.
    pub(super) fn same_host(&self, other: &Self) -> bool {
        self.authority() == other.authority() && (other.is_secure() || !self.is_secure())
    }

    /// Whether both addresses are on one server and have the same scheme.
    pub(super) fn same_server(&self, other: &Self) -> bool {
        self.authority() == other.authority() && self.is_secure() == other.is_secure()
    }
}

fn user(url: &url::Url) -> Option<Vec<u8>> {
    let name = (!url.username().is_empty() || url.password().is_some()).then(|| url.username())?;
    let mut user: Vec<u8> = percent_decode_str(name).collect();
    if let Some(password) = url.password() {
        user.push(b':');
        user.extend(percent_decode_str(password));
    }
    Some(user)
}

/// The error does not show an invalid URL, any part of which may be a password.
fn no_host(text: &str) -> HttpError {
    HttpError::address(format!(
        "{}: expected a host, or host:port with a port of 0 to 65535. In a password, / ? # are %2F %3F %23.",
        scheme(text)
    ))
}

fn scheme(text: &str) -> String {
    let scheme = text.split("://").next().unwrap_or_default();
    if scheme.len() < text.len() { format!("{scheme}://") } else { "none".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_secrets() {
        let url = Url::parse("HTTP://me:p%40ss@host:81/a b/ü.npz?key=secret#part").unwrap();
        assert_eq!(url.request(), "http://host:81/a%20b/%C3%BC.npz?key=secret");
        assert_eq!(url.redact(), "http://host:81/a%20b/%C3%BC.npz?...");
        assert_eq!(url.user().unwrap(), b"me:p@ss");
        assert_eq!(Url::parse("http://HOST:80/").unwrap().authority(), "host");
        assert_eq!(Url::parse("https://host").unwrap().request(), "https://host/");
        assert_eq!(Url::parse("https://[::1]:8443?x").unwrap().request(), "https://[::1]:8443/?x");
    }

    #[test]
    fn an_address_that_is_none_is_refused_without_secrets() {
        for text in [
            "ftp://me:secret@host/x",
            "http://",
            "http://me:secret@",
            "http://a b/secret?",
            "secret",
            "http://me:ab/:secret@host/x",
        ] {
            let message = Url::parse(text).unwrap_err().to_string();
            assert!(!message.contains("secret@") && !message.contains(":secret"), "{message}");
        }
    }

    #[test]
    fn ports_are_numbers() {
        for right in ["host", "host:0", "host:65535", "[::1]", "[::1]:80", "me:p:w@host:80"] {
            assert!(Url::parse(&format!("http://{right}/x")).is_ok(), "{right}");
        }
        for wrong in [
            "host:",
            "host:65536",
            "host:99999999999",
            "host:+80",
            "host:8o",
            "host:-1",
            "a:1:2",
            "[::1]:x",
            "::1",
        ] {
            assert!(Url::parse(&format!("http://{wrong}/x")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn redirects_lead_where_rfc_3986_says() {
        let base = Url::parse("https://me:secret@host/a/b/c.npz?x=1").unwrap();
        let cases = [
            ("http://other/x", "http://other/x"),
            ("//other/x?y", "https://other/x?y"),
            ("/x/y", "https://host/x/y"),
            ("d.npz?z=://", "https://host/a/b/d.npz?z=://"),
            ("../d.npz", "https://host/a/d.npz"),
            ("../../../d.npz", "https://host/d.npz"),
            ("./d.npz#f", "https://host/a/b/d.npz"),
            ("?x=2", "https://host/a/b/c.npz?x=2"),
        ];
        for (location, leads) in cases {
            let url = base.join(location).unwrap();
            assert_eq!(url.request(), leads);
            assert_eq!(url.user(), None);
        }
        for elsewhere in
            ["ftp://host/x", "file:///etc/passwd", "file:/etc/passwd", "mailto:me", "http://host:99999/"]
        {
            assert!(base.join(elsewhere).is_err(), "{elsewhere}");
        }
        assert!(base.same_host(&base.join("/x").unwrap()));
        assert!(!base.same_host(&base.join("http://host/x").unwrap()));
    }
}
