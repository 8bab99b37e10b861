//! The address of a file behind HTTP: taken apart, joined with a redirect, shown without secrets.

use super::error::HttpError;

/// An `http://` or `https://` address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) secure: bool,
    /// Host and port.
    pub(super) authority: String,
    /// Path and query.
    target: String,
    /// `user:password`, still percent-encoded.
    user: Option<String>,
}

impl Url {
    /// Takes an address apart. What may not stand in a request (spaces, letters beyond ASCII) is percent-encoded.
    pub(super) fn parse(text: &str) -> Result<Self, HttpError> {
        let scheme = |name: &str| {
            text.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name)).and(text.get(name.len()..))
        };
        let (secure, rest) = match (scheme("http://"), scheme("https://")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => {
                return Err(HttpError::address(format!(
                    "expected http:// or https://, found {}.",
                    cut(text)
                )));
            }
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        let (user, authority) = match authority.rsplit_once('@') {
            Some((user, authority)) => (Some(user.to_owned()), authority),
            None => (None, authority),
        };
        let url = Self { secure, authority: authority.to_owned(), target: encoded(target), user };
        // Before an @ that comes too late stands a password with a / or ? in it.
        let shown = if url.target.contains('@') { cut(text) } else { url.shown() };
        if !has_port(&url.authority) {
            let message = format!(
                "{shown}: expected a host, or host:port with a port of 0 to 65535. In a password, / ? # are %2F %3F %23."
            );
            return Err(HttpError::address(message));
        }
        if url.authority.is_empty() || url.request().parse::<ureq::http::Uri>().is_err() {
            return Err(HttpError::address(format!("{shown} is no URL.")));
        }
        Ok(url)
    }

    /// Where a redirect leads.
    pub(super) fn join(&self, location: &str) -> Result<Self, HttpError> {
        let location = location.trim();
        let here = |target: String| Self { target: encoded(&target), user: None, ..self.clone() };
        if has_scheme(location) {
            return Self::parse(location);
        }
        if location.starts_with("//") {
            return Self::parse(&format!("{}:{location}", self.scheme()));
        }
        let location = location.split('#').next().unwrap_or_default();
        let path = self.target.split('?').next().unwrap_or_default();
        if location.starts_with('?') {
            return Ok(here(format!("{path}{location}")));
        }
        if location.starts_with('/') {
            return Ok(here(location.to_owned()));
        }
        let folder = path.rfind('/').map_or("/", |end| path.get(..=end).unwrap_or("/"));
        let (name, query) = location.find('?').map_or((location, ""), |at| location.split_at(at));
        let mut parts: Vec<&str> = Vec::new();
        let joined = format!("{folder}{name}");
        for part in joined.split('/').skip(1) {
            match part {
                "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        Ok(here(format!("/{}{query}", parts.join("/"))))
    }

    /// The address as a request has it: no user, no password.
    pub(super) fn request(&self) -> String {
        let slash = if self.target.starts_with('/') { "" } else { "/" };
        format!("{}://{}{slash}{}", self.scheme(), self.authority, self.target)
    }

    /// The address for messages: a query may be a signature, so it is left out too.
    pub(super) fn shown(&self) -> String {
        let request = self.request();
        match request.split_once('?') {
            Some((path, _)) => format!("{path}?..."),
            None => request,
        }
    }

    /// User and password, decoded.
    pub(super) fn user(&self) -> Option<Vec<u8>> {
        self.user.as_deref().map(decoded)
    }

    /// Whether what was meant for this one may be told the other: the same host and port, encrypted if it was.
    pub(super) fn same_host(&self, other: &Self) -> bool {
        self.authority.eq_ignore_ascii_case(&other.authority) && (other.secure || !self.secure)
    }

    /// Whether both are on one server, asked in one way.
    pub(super) fn same_place(&self, other: &Self) -> bool {
        self.authority == other.authority && self.secure == other.secure
    }

    fn scheme(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }
}

/// Whether a port, where the authority has one, is one.
fn has_port(authority: &str) -> bool {
    let tail = authority.rsplit_once(']').map_or(authority, |(_, tail)| tail);
    tail.rsplit_once(':').is_none_or(|(host, port)| {
        !host.contains(':') && port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok()
    })
}

/// Whether a reference is absolute (RFC 3986, 4.2).
fn has_scheme(location: &str) -> bool {
    let head = location.split(['/', '?', '#']).next().unwrap_or_default();
    head.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    })
}

/// An address that is none may be anything, a password too.
fn cut(text: &str) -> String {
    let scheme = text.split("://").next().unwrap_or_default();
    if scheme.len() < text.len() { format!("{scheme}://") } else { "none".to_owned() }
}

fn encoded(target: &str) -> String {
    let mut out = String::with_capacity(target.len());
    for byte in target.bytes() {
        match byte {
            b'!'..=b'~' if !b"\"<>\\^`{|}".contains(&byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let pair = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                out.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                out.push(first);
                rest = tail;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_secrets() {
        let url = Url::parse("HTTP://me:p%40ss@host:81/a b/ü.npz?key=secret#part").unwrap();
        assert_eq!(url.request(), "http://host:81/a%20b/%C3%BC.npz?key=secret");
        assert_eq!(url.shown(), "http://host:81/a%20b/%C3%BC.npz?...");
        assert_eq!(url.user().unwrap(), b"me:p@ss");
        assert_eq!(Url::parse("https://host").unwrap().request(), "https://host/");
        assert_eq!(Url::parse("https://[::1]:8443?x").unwrap().request(), "https://[::1]:8443/?x");
    }

    #[test]
    fn what_is_no_address_is_told_so_without_secrets() {
        for text in [
            "ftp://me:secret@host/x",
            "http://",
            "http://me:secret@",
            "http://a b/secret?",
            "secret",
            "http://me:ab/:secret@host/x",
        ] {
            let told = Url::parse(text).unwrap_err().to_string();
            assert!(!told.contains("secret@") && !told.contains(":secret"), "{told}");
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
