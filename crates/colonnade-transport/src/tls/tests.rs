//! Both sides of TLS connections over loopback, driven by two threads.

use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::certificates::Authority;
use super::*;
use crate::Socket;

const SOON: Duration = Duration::from_secs(20);

/// Connects two sockets.
pub(crate) fn pair() -> (Arc<dyn Channel>, Arc<dyn Channel>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let here = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (there, _) = listener.accept().unwrap();
    (
        Arc::new(Socket::from_fd(here.as_fd(), None).unwrap()),
        Arc::new(Socket::from_fd(there.as_fd(), None).unwrap()),
    )
}

fn until<T>(
    channel: &dyn Channel,
    direction: Direction,
    mut step: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match step() {
            Err(e) if e.kind() == ErrorKind::WouldBlock => {
                assert!(channel.wait(direction, SOON).unwrap(), "stuck")
            }
            result => return result,
        }
    }
}

fn shake(channel: &TlsChannel) -> io::Result<()> {
    while !channel.handshake()? {
        assert!(channel.below.wait(channel.waits_for(), SOON).unwrap(), "stuck");
    }
    Ok(())
}

fn give(channel: &dyn Channel, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = until(channel, Direction::Send, || channel.send(&[IoSlice::new(bytes)]))?;
        bytes = &bytes[count..];
    }
    while !channel.flush()? {
        channel.wait(Direction::Send, SOON)?;
    }
    Ok(())
}

fn take(channel: &dyn Channel, bytes: &mut [u8]) -> io::Result<usize> {
    let mut start = 0;
    while start < bytes.len() {
        let rest = &mut bytes[start..];
        match until(channel, Direction::Receive, || channel.receive(&mut [IoSliceMut::new(rest)]))? {
            0 => break,
            count => start += count,
        }
    }
    Ok(start)
}

/// Runs a handshake and returns the results of both sides, the client's first.
fn both(
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
    name: &str,
) -> (io::Result<()>, io::Result<()>, TlsChannel, TlsChannel) {
    let (here, there) = pair();
    let here = TlsChannel::client(here, client, name).unwrap();
    let there = TlsChannel::server(there, server).unwrap();
    let (one, other) = thread::scope(|scope| {
        let other = scope.spawn(|| shake(&there));
        let one = shake(&here);
        (one, other.join().unwrap())
    });
    (one, other, here, there)
}

fn said(error: &io::Error, kind: ErrorKind, pieces: &[&str]) {
    assert_eq!(error.kind(), kind, "{error}");
    let text = error.to_string();
    assert!(pieces.iter().all(|piece| text.contains(piece)), "{text}");
}

fn joined() -> (TlsChannel, TlsChannel) {
    let authority = Authority::new("ours");
    let (one, other, here, there) =
        both(authority.server(&["localhost"], 2099, None), authority.client(&[], 2099), "localhost");
    one.unwrap();
    other.unwrap();
    (here, there)
}

#[test]
fn bytes_arrive_unchanged_in_both_directions_at_once() {
    let (here, there) = joined();
    assert!(here.peer().starts_with("tls://127.0.0.1:"));
    let bytes: Vec<u8> = (0..9_000_001_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let exchange = |channel: &TlsChannel| {
        thread::scope(|scope| {
            scope.spawn(|| give(channel, &bytes).unwrap());
            let mut found = vec![0; bytes.len()];
            assert_eq!(take(channel, &mut found).unwrap(), bytes.len());
            assert!(found == bytes);
        });
    };
    thread::scope(|scope| {
        scope.spawn(|| exchange(&here));
        exchange(&there);
    });
}

#[test]
fn small_pieces_share_records_and_small_targets_lose_nothing() {
    let (here, there) = joined();
    let bytes: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
    let slices: Vec<_> = bytes.chunks(7).map(IoSlice::new).collect();
    assert_eq!(here.send(&slices).unwrap(), bytes.len());
    here.flush().unwrap();
    let mut found = Vec::new();
    while found.len() < bytes.len() {
        let (mut a, mut b, mut c) = ([0; 3], [0; 0], [0; 11]);
        let count = until(&there, Direction::Receive, || {
            there.receive(&mut [IoSliceMut::new(&mut a), IoSliceMut::new(&mut b), IoSliceMut::new(&mut c)])
        })
        .unwrap();
        found.extend_from_slice(&[&a[..], &c[..]].concat()[..count]);
    }
    assert!(found == bytes);
    assert!(!there.has_pending());
}

#[test]
fn a_close_notification_ends_one_direction() {
    let (here, there) = joined();
    give(&here, b"last").unwrap();
    until(&here, Direction::Send, || here.finish()).unwrap();
    here.finish().unwrap();
    assert_eq!(here.send(&[IoSlice::new(b"more")]).unwrap_err().kind(), ErrorKind::BrokenPipe);
    let mut found = [0; 9];
    assert_eq!(take(&there, &mut found).unwrap(), 4);
    assert_eq!(take(&there, &mut found).unwrap(), 0);
    assert!(there.has_pending());
    give(&there, b"answer").unwrap();
    until(&there, Direction::Send, || there.finish()).unwrap();
    assert_eq!(take(&here, &mut found).unwrap(), 6);
}

#[test]
fn an_end_without_close_notification_is_an_error_each_time() {
    let (here, there) = joined();
    give(&here, b"cut").unwrap();
    drop(here);
    let mut found = [0; 9];
    assert_eq!(there.receive(&mut [IoSliceMut::new(&mut found)]).unwrap(), 3);
    for _ in 0..2 {
        let error = take(&there, &mut found).unwrap_err();
        said(&error, ErrorKind::UnexpectedEof, &["tls://127.0.0.1:", "without TLS's farewell"]);
    }
}

#[test]
fn a_record_that_was_altered_is_refused() {
    let (here, there) = joined();
    // A record of the right form that was not encrypted.
    let forged = [&[23, 3, 3, 0, 40][..], &[7; 40]].concat();
    here.below.send(&[IoSlice::new(&forged)]).unwrap();
    let error = take(&there, &mut [0; 4]).unwrap_err();
    said(&error, ErrorKind::ConnectionAborted, &["altered"]);
    said(&take(&here, &mut [0; 4]).unwrap_err(), ErrorKind::ConnectionRefused, &["altered"]);
}

#[test]
fn certificates_decide_which_peers_connect() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let good = || ours.server(&["localhost", "127.0.0.1"], 2099, Some(&ours));
    let (one, other, ..) = both(good(), ours.client(&["me"], 2099), "127.0.0.1");
    one.unwrap();
    other.unwrap();

    let open = ours.server(&["localhost"], 2099, None);
    let (one, other, ..) = both(open.clone(), theirs.client(&[], 2099), "localhost");
    said(
        &one.unwrap_err(),
        ErrorKind::ConnectionAborted,
        &["certificate of tls://127", "not signed", "authorities="],
    );
    said(
        &other.unwrap_err(),
        ErrorKind::ConnectionRefused,
        &["refused our certificate", "trusts no authority"],
    );

    let (one, ..) = both(open, ours.client(&[], 2099), "elsewhere");
    said(
        &one.unwrap_err(),
        ErrorKind::ConnectionAborted,
        &["expected elsewhere, found localhost. ", "server_name="],
    );

    let old = ours.server(&["localhost"], 2020, None);
    let (one, other, ..) = both(old, ours.client(&[], 2099), "localhost");
    said(
        &one.unwrap_err(),
        ErrorKind::ConnectionAborted,
        &["has expired (not valid after 2020-01-31 00:00:00 UTC)"],
    );
    said(&other.unwrap_err(), ErrorKind::ConnectionRefused, &["has expired"]);
}

/// With TLS 1.3 a client completes its handshake before the listener checks its certificate. The reason arrives afterwards.
#[test]
fn a_client_learns_why_it_was_refused() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let outsider = client_config(&TlsFiles {
        authorities: Some(ours.pem()),
        certificate: Some(theirs.sign(&["me"], 2099).0),
        key: Some(theirs.path("me-2099.key")),
    })
    .unwrap();
    for (client, here_says, there_says) in [
        (ours.client(&[], 2099), "requires a client certificate", "showed no certificate"),
        (ours.client(&["me"], 2020), "refused our certificate: it has expired", "not valid after 2020-01-31"),
        (outsider, "refused our certificate: it trusts no authority", "not signed by an authority"),
    ] {
        let (one, other, here, there) =
            both(ours.server(&["localhost"], 2099, Some(&ours)), client, "localhost");
        one.unwrap();
        said(&other.unwrap_err(), ErrorKind::ConnectionAborted, &[there_says]);
        drop(there);
        let sent = (0..100).find_map(|_| {
            thread::sleep(Duration::from_millis(1));
            give(&here, b"message").err()
        });
        said(&sent.unwrap(), ErrorKind::ConnectionRefused, &[here_says]);
        said(&take(&here, &mut [0; 1]).unwrap_err(), ErrorKind::ConnectionRefused, &[here_says]);
    }
}

#[test]
fn bytes_that_are_not_tls_are_refused() {
    let ours = Authority::new("ours");
    for garbage in
        [&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], &[0xFF; 64], b"\x16\x03\x01\xFF\xFF", &[0; 1 << 16]]
    {
        let (here, there) = pair();
        let there = TlsChannel::server(there, ours.server(&["localhost"], 2099, None)).unwrap();
        here.send(&[IoSlice::new(garbage)]).unwrap();
        let error = shake(&there).unwrap_err();
        said(&error, ErrorKind::ConnectionAborted, &["is not TLS", "tls://"]);
    }
    let (here, there) = pair();
    let here = TlsChannel::client(here, ours.client(&[], 2099), "localhost").unwrap();
    assert_eq!(here.send(&[IoSlice::new(b"early")]).unwrap_err().kind(), ErrorKind::NotConnected);
    drop(there);
    said(&shake(&here).unwrap_err(), ErrorKind::UnexpectedEof, &["during the TLS handshake"]);
}

#[test]
fn a_refusal_without_an_alert_lists_possible_reasons() {
    let (here, there) = joined();
    drop(there);
    let error = (0..100).find_map(|_| {
        thread::sleep(Duration::from_millis(1));
        give(&here, b"message").err()
    });
    said(&error.unwrap(), ErrorKind::BrokenPipe, &["closed without a word", "a token or a certificate"]);
}

/// Receives one byte, then returns `WouldBlock` once, and so on.
#[derive(Debug)]
struct Dribble(Arc<dyn Channel>, AtomicBool);

impl Channel for Dribble {
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        match self.1.fetch_xor(true, Ordering::Relaxed) {
            true => Err(ErrorKind::WouldBlock.into()),
            false => self.0.receive(&mut [IoSliceMut::new(&mut targets[0][..1])]),
        }
    }

    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.send(sources)
    }

    fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool> {
        self.0.wait(direction, at_most)
    }

    fn finish(&self) -> io::Result<()> {
        self.0.finish()
    }

    fn descriptor(&self, direction: Direction) -> Option<RawFd> {
        self.0.descriptor(direction)
    }

    fn peer(&self) -> &str {
        self.0.peer()
    }
}

/// Session tickets of another TLS implementation in records of a few bytes. Sending continues while half of one has arrived.
#[test]
fn messages_of_tls_itself_may_come_in_pieces() {
    let ours = Authority::new("ours");
    let mut config = (*ours.server(&["localhost"], 2099, None)).clone();
    config.session_storage = rustls::server::ServerSessionMemoryCache::new(8);
    config.send_tls13_tickets = 3;
    config.max_fragment_size = Some(40);
    let (here, there) = pair();
    let here = TlsChannel::client(
        Arc::new(Dribble(here, AtomicBool::new(false))),
        ours.client(&[], 2099),
        "localhost",
    )
    .unwrap();
    let there = TlsChannel::server(there, Arc::new(config)).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| shake(&there).unwrap());
        shake(&here).unwrap();
    });
    let (mut sent, mut held) = (0, 0);
    loop {
        match here.receive(&mut [IoSliceMut::new(&mut [0; 1])]) {
            Err(e) if e.kind() == ErrorKind::WouldBlock => {}
            other => panic!("{other:?}"),
        }
        held += usize::from(lock(&here.session).has_partial_message());
        sent += here.send(&[IoSlice::new(b"x")]).unwrap();
        if sent == 2000 {
            break;
        }
    }
    assert!(held > 0);
    here.flush().unwrap();
    assert_eq!(take(&there, &mut vec![0; sent]).unwrap(), sent);
    give(&there, b"and back").unwrap();
    assert_eq!(take(&here, &mut [0; 8]).unwrap(), 8);
}
