//! The proxy that the environment sets for an address, with curl's rules.

use std::env;

use ureq::{Proxy, ProxyProtocol};

use super::error::{HttpError, HttpErrorKind};
use super::url::Url;

/// Returns the proxy for `url`, if there is one.
pub(super) fn of(url: &Url) -> Result<Option<Proxy>, HttpError> {
    // `HTTP_PROXY` in capitals is ignored, because a client of a CGI program can set it.
    let names: &[&str] = if url.is_secure() {
        &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    } else {
        &["http_proxy", "all_proxy", "ALL_PROXY"]
    };
    let Some((name, value)) = first(names) else { return Ok(None) };
    if first(&["no_proxy", "NO_PROXY"]).is_some_and(|(_, list)| is_listed(&list, &url.host_and_port())) {
        return Ok(None);
    }
    // The error does not show the value, which may hold a password.
    let wrong = |_| {
        let message = format!("the proxy that {name} names is no address: expected http://host:port.");
        HttpError::new(HttpErrorKind::Connection, message)
    };
    Proxy::new(&value).map(Some).map_err(wrong)
}

/// Whether connections to the proxy use TLS.
pub(super) fn is_secure(proxy: &Proxy) -> bool {
    proxy.protocol() == ProxyProtocol::Https
}

fn first(names: &[&'static str]) -> Option<(&'static str, String)> {
    names.iter().find_map(|&name| env::var(name).ok().filter(|v| !v.is_empty()).map(|value| (name, value)))
}

/// Whether a `no_proxy` list contains the host, a domain above it, or `*`.
fn is_listed(list: &str, authority: &str) -> bool {
    let authority = authority.to_ascii_lowercase();
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => &authority,
    };
    let bare = host.trim_matches(['[', ']']);
    list.split([',', ' ']).map(|entry| entry.trim().to_ascii_lowercase()).any(|entry| {
        let domain = entry.trim_start_matches('*').trim_start_matches('.');
        let within = || bare.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        entry == "*" || !domain.is_empty() && (domain == authority || domain == host || within())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_domains_are_left_out() {
        for (list, authority) in [
            ("*", "any"),
            ("a.org", "a.org:81"),
            ("x, .a.org", "b.a.org"),
            ("*.a.org", "B.A.org:81"),
            ("a.org:81", "a.org:81"),
            ("127.0.0.1 localhost", "localhost:5"),
            ("::1", "[::1]:81"),
        ] {
            assert!(is_listed(list, authority), "{list} {authority}");
        }
        for (list, authority) in
            [("", "a.org"), ("a.org", "ba.org"), ("b.a.org", "a.org"), ("a.org:81", "a.org:82")]
        {
            assert!(!is_listed(list, authority), "{list} {authority}");
        }
    }
}
