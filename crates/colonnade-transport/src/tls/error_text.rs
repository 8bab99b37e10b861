//! The text of rustls's errors: the peer, what failed, and what to do about it.

use std::io::{self, ErrorKind};

use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError, Error, InvalidMessage, PeerIncompatible};

/// Returns the kind and text of an error of receiving or of the handshake.
pub(super) fn of(error: &Error, peer: &str) -> (ErrorKind, String) {
    match error {
        Error::AlertReceived(alert) => (ErrorKind::ConnectionRefused, alerted(*alert, peer)),
        Error::InvalidCertificate(why) => (ErrorKind::ConnectionAborted, certificate(why, peer)),
        Error::NoCertificatesPresented => (
            ErrorKind::ConnectionAborted,
            format!(
                "{peer} showed no certificate, and this listener demands one. Connect with certificate= and key="
            ),
        ),
        Error::InvalidMessage(why) => (ErrorKind::ConnectionAborted, message(why, peer)),
        Error::PeerIncompatible(PeerIncompatible::NoCertificateRequestSignatureSchemesInCommon) => (
            ErrorKind::ConnectionAborted,
            format!("{peer}: our key's kind is not one it takes. Use an ECDSA (P-256), Ed25519 or RSA key"),
        ),
        Error::PeerIncompatible(why) => (
            ErrorKind::ConnectionAborted,
            format!("{peer}: no version or cipher of TLS in common ({why:?}). Expected TLS 1.2 or 1.3 there"),
        ),
        Error::DecryptError => (
            ErrorKind::ConnectionAborted,
            format!("{peer}: a TLS record was altered on its way. Nothing of it was taken"),
        ),
        other => (ErrorKind::ConnectionAborted, format!("{peer}: TLS failed: {other}")),
    }
}

/// Converts an error of encrypting.
pub(super) fn sending(error: &Error, peer: &str) -> io::Error {
    match error {
        Error::HandshakeNotComplete => {
            io::Error::new(ErrorKind::NotConnected, format!("{peer}: the TLS handshake is not through"))
        }
        Error::AlertReceived(AlertDescription::CloseNotify) => io::Error::new(
            ErrorKind::BrokenPipe,
            format!("{peer}: nothing can be sent after the end was said"),
        ),
        other => {
            let (kind, text) = of(other, peer);
            io::Error::new(kind, text)
        }
    }
}

/// Returns the text for bytes that end without TLS's close notification.
pub(super) fn cut_off_text(peer: &str, has_delivered: bool) -> String {
    match has_delivered {
        true => format!("{peer}: the connection ended without TLS's farewell: what came may be cut off"),
        false => format!(
            "{peer} closed without a word. It may have crashed, or refuse this side: does it ask for a token or a \
             certificate?"
        ),
    }
}

pub(super) fn cut_handshake_text(peer: &str) -> String {
    format!("{peer} closed during the TLS handshake. Is it a TLS listener, with room for another peer?")
}

fn certificate(why: &CertificateError, peer: &str) -> String {
    let of = format!("the certificate of {peer}");
    match why {
        CertificateError::Expired => format!("{of} has expired. Renew it"),
        CertificateError::ExpiredContext { not_after, .. } => {
            format!("{of} has expired (not valid after {}). Renew it", date(*not_after))
        }
        CertificateError::NotValidYet => format!("{of} is not valid yet. Are both clocks right?"),
        CertificateError::NotValidYetContext { not_before, .. } => {
            format!("{of} is not valid yet (not before {}). Are both clocks right?", date(*not_before))
        }
        CertificateError::UnknownIssuer => format!(
            "{of} is not signed by an authority that we trust. Name the one that signed it, authorities='ca.pem'"
        ),
        CertificateError::NotValidForName => {
            format!("{of} is made out to another name. Name it: server_name=")
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            let names = names.join(", ");
            format!(
                "{of} is made out to another name: expected {}, found {names}. Name it: server_name=",
                expected.to_str()
            )
        }
        CertificateError::BadSignature => format!("{of} has a signature that does not hold"),
        CertificateError::Revoked => format!("{of} was revoked"),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            format!(
                "{of} may not be used for this: its extended key usage must name serverAuth for a listener, clientAuth for the connecting side"
            )
        }
        other => format!("{of} was refused: {other}"),
    }
}

/// Extracts the name: `DnsName("localhost")` becomes `localhost`.
fn bare(name: &str) -> &str {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(name);
    inner.trim_matches('"')
}

fn message(why: &InvalidMessage, peer: &str) -> String {
    format!("{peer}: what came is not TLS ({why:?}). Does the other side use tls:// too?")
}

fn alerted(alert: AlertDescription, peer: &str) -> String {
    use AlertDescription as A;
    let ours = format!("{peer} refused our certificate");
    match alert {
        A::CertificateRequired | A::NoCertificate => {
            format!("{peer} requires a client certificate. Connect with certificate= and key=")
        }
        A::CertificateExpired => format!("{ours}: it has expired. Renew it"),
        A::UnknownCA => {
            format!("{ours}: it trusts no authority that signed it. Its authorities= must name that one")
        }
        A::CertificateRevoked => format!("{ours}: it was revoked"),
        A::BadCertificate | A::UnsupportedCertificate | A::CertificateUnknown => {
            format!("{ours} ({alert:?}): not made out to the name it expects, or not for this use")
        }
        A::HandshakeFailure | A::ProtocolVersion | A::InsufficientSecurity => {
            format!("{peer} has no version, cipher or kind of certificate in common with us ({alert:?})")
        }
        A::AccessDenied => format!("{peer} denies us access"),
        A::UnrecognisedName => {
            format!("{peer} does not know the name we asked for. Name the right one: server_name=")
        }
        A::DecodeError | A::UnexpectedMessage | A::IllegalParameter => {
            format!("{peer} did not accept the handshake ({alert:?}). Is it a Colonnade listener?")
        }
        A::BadRecordMac | A::DecryptError => {
            format!("{peer}: a TLS record that was sent to it was altered on its way")
        }
        other => format!("{peer} ended the connection with the TLS alert {other:?}"),
    }
}

/// Formats a date as `2024-02-29 12:00:00 UTC`.
fn date(time: UnixTime) -> String {
    let seconds = time.as_secs();
    let (mut days, rest) = (seconds / 86_400, seconds % 86_400);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while year < 10_000 && days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{:02} {hour:02}:{minute:02}:{second:02} UTC", days + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_spelled_out() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400 - 1, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_709_208_000, "2024-02-29 12:00:00 UTC"),
            (4_102_444_799, "2099-12-31 23:59:59 UTC"),
        ] {
            assert_eq!(date(UnixTime::since_unix_epoch(Duration::from_secs(seconds))), text);
        }
    }
}
