//! A listener on loopback, and its peers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use rustls::ClientConfig;

use super::pool::MAX_PENDING;
use super::*;
use crate::tls::certificates::Authority;
use crate::tls::connect;
use crate::{Direction, dial};

const SECRET: &[u8] = b"a secret of more than sixteen bytes";

fn no_interrupt() -> io::Result<()> {
    Ok(())
}

fn deadline_in(seconds: u64) -> Option<Instant> {
    Some(Instant::now() + Duration::from_secs(seconds))
}

fn token(bytes: &[u8]) -> Token {
    Token::new(bytes.to_vec()).unwrap()
}

struct TestListener {
    authority: Authority,
    inner: HandshakeListener,
}

impl TestListener {
    fn new(token: Option<&[u8]>, handshake: Duration, max_peers: usize) -> Self {
        let authority = Authority::new("ours");
        let (certificate, key) = authority.sign(&["localhost"], 2099);
        let files = TlsFiles { certificate: Some(certificate), key: Some(key), authorities: None };
        let address: Address = "tls://localhost:0".parse().unwrap();
        let token = token.map(self::token);
        let policy = Policy::new(&address, &files, token, handshake, max_peers).unwrap();
        Self { authority, inner: HandshakeListener::bind(&address, policy, &mut no_interrupt).unwrap() }
    }

    fn port(&self) -> u16 {
        match self.inner.address() {
            Address::Tls { port, .. } => *port,
            other => panic!("{other}"),
        }
    }

    fn bare(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port())).unwrap()
    }

    fn connect(&self, token: Option<&Token>) -> io::Result<Arc<dyn Channel>> {
        self.connect_with(&self.authority.client(&[], 2099), token, 20)
    }

    fn connect_with(
        &self,
        config: &Arc<ClientConfig>,
        token: Option<&Token>,
        seconds: u64,
    ) -> io::Result<Arc<dyn Channel>> {
        let socket = dial(self.inner.address(), deadline_in(20), &mut no_interrupt)?;
        connect(Arc::new(socket), "localhost", config, token, deadline_in(seconds), &mut no_interrupt)
    }

    fn accept(&self, seconds: u64) -> Accepted {
        let deadline = deadline_in(seconds);
        loop {
            let accepted = self.inner.accept(deadline, &mut no_interrupt).unwrap();
            if accepted.channel.is_some() || Some(Instant::now()) >= deadline {
                return accepted;
            }
        }
    }

    fn poll(&self) -> Accepted {
        self.inner.accept(Some(Instant::now()), &mut no_interrupt).unwrap()
    }

    fn pending(&self) -> usize {
        self.inner.pool().pending.len()
    }

    /// Connects as many peers as there are places. Each sends `words`, and all are pending.
    fn fill(&self, words: &[u8]) -> Vec<TcpStream> {
        let peers = Vec::from_iter((0..MAX_PENDING).map(|_| {
            let mut peer = self.bare();
            peer.write_all(words).unwrap();
            peer
        }));
        while self.pending() < MAX_PENDING {
            self.poll();
        }
        peers
    }

    /// Accepts until a peer is rejected, and returns the reason.
    fn reason(&self) -> String {
        loop {
            let soon = Instant::now() + Duration::from_millis(20);
            let accepted = self.inner.accept(Some(soon), &mut no_interrupt).unwrap();
            assert!(accepted.channel.is_none());
            if let Some((peer, reason)) = accepted.rejected.first() {
                assert!(peer.starts_with("tls://127.0.0.1:"), "{peer}");
                return reason.clone();
            }
        }
    }
}

const TEN: Duration = Duration::from_secs(10);

#[test]
fn the_right_token_is_accepted_and_later_bytes_arrive() {
    let listener = TestListener::new(Some(SECRET), TEN, 4);
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let channel = listener.connect(Some(&token(SECRET))).unwrap();
            channel.send(&[io::IoSlice::new(b"first message")]).unwrap();
            channel.flush().unwrap();
            channel
        });
        let accepted = listener.accept(20);
        assert!(accepted.rejected.is_empty());
        let channel = accepted.channel.unwrap();
        let mut found = [0; 13];
        let mut start = 0;
        while start < found.len() {
            match channel.receive(&mut [io::IoSliceMut::new(&mut found[start..])]) {
                Ok(count) => start += count,
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    assert!(channel.wait(Direction::Receive, TEN).unwrap());
                }
                Err(e) => panic!("{e}"),
            }
        }
        assert_eq!(&found, b"first message");
        assert!(other.join().unwrap().peer().starts_with("tls://localhost:"));
    });
}

#[test]
fn a_wrong_token_is_rejected_and_other_peers_continue() {
    let listener = TestListener::new(Some(SECRET), TEN, 4);
    for wrong in [&SECRET[1..], b"a secret of more than sixteen byteS", &[0; 4096]] {
        thread::scope(|scope| {
            let other = scope.spawn(|| listener.connect(Some(&token(wrong))).unwrap_err());
            assert_eq!(listener.reason(), "it showed a wrong token");
            let error = other.join().unwrap();
            assert_eq!(error.kind(), ErrorKind::ConnectionRefused, "{error}");
            assert!(error.to_string().contains("closed instead of accepting the token"), "{error}");
        });
    }
    thread::scope(|scope| {
        scope.spawn(|| listener.connect(Some(&token(SECRET))).unwrap());
        assert!(listener.accept(20).channel.is_some());
    });
}

#[test]
fn missing_tokens_and_other_messages_are_rejected() {
    let listener = TestListener::new(Some(SECRET), TEN, 4);
    for message in
        [&[0xFF; 64][..], b"\xC1CNB\0\0\0\0\x20\0\0\0\0\0\0\0", b"\xC1CNT\0\0\0\0\x01\x10\0\0\0\0\0\0"]
    {
        thread::scope(|scope| {
            scope.spawn(|| {
                let channel = listener.connect(None).unwrap();
                channel.send(&[io::IoSlice::new(message)]).unwrap();
                channel.flush().unwrap();
                // The channel stays open: the listener does not wait for the rest.
                channel.wait(Direction::Receive, TEN).unwrap();
            });
            assert!(listener.reason().contains("no token, which this listener demands"));
        });
    }
    thread::scope(|scope| {
        scope.spawn(|| drop(listener.connect(None).unwrap()));
        assert_eq!(listener.reason(), "it closed without showing a token");
    });
}

#[test]
fn a_token_for_a_listener_without_tokens_is_an_error_of_the_client() {
    let listener = TestListener::new(None, TEN, 4);
    thread::scope(|scope| {
        let config = listener.authority.client(&[], 2099);
        let other = scope.spawn(move || listener.connect_with(&config, Some(&token(SECRET)), 0));
        assert!(other.join().unwrap().is_err());
    });
}

#[test]
fn garbage_and_silence_cost_a_bounded_time() {
    let listener = TestListener::new(None, Duration::from_millis(50), 4);
    let mut stream = listener.bare();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert!(listener.reason().contains("is not TLS"), "{}", listener.reason());
    let silent = listener.bare();
    assert_eq!(listener.reason(), "it said nothing in 0.05 s");
    drop(silent);
    let mut half = listener.bare();
    half.write_all(&[22, 3, 1, 1, 0, 1]).unwrap();
    assert_eq!(listener.reason(), "its TLS handshake was not through in 0.05 s");
    // The peer gets no bytes, and then the end of input.
    let mut rest = Vec::new();
    assert!(half.read_to_end(&mut rest).is_ok() && rest.is_empty());
}

/// Short calls and pauses between them do not extend the time.
#[test]
fn the_time_between_calls_counts() {
    let listener = TestListener::new(None, Duration::from_millis(20), 4);
    let peers = listener.fill(b"");
    let mut rejected = Vec::new();
    while rejected.len() < peers.len() {
        thread::sleep(Duration::from_millis(5));
        rejected.extend(listener.poll().rejected);
    }
    assert!(rejected.iter().all(|(_, reason)| reason == "it said nothing in 0.02 s"), "{rejected:?}");
    assert_eq!(listener.pending(), 0);
}

/// A listener that rarely calls `accept` still accepts its peers, and rejects those that do not continue.
#[test]
fn peers_that_send_between_calls_of_accept_are_answered() {
    let listener = TestListener::new(Some(SECRET), Duration::from_millis(20), 4);
    let mut half = listener.bare();
    half.write_all(&[22]).unwrap();
    let at = format!("tls://{}", half.local_addr().unwrap());
    while listener.pending() == 0 {
        listener.poll();
    }
    thread::sleep(Duration::from_millis(60));
    assert!(listener.poll().rejected.is_empty());
    thread::sleep(Duration::from_millis(60));
    let reason = "its TLS handshake was not through in 0.02 s".to_owned();
    assert_eq!(listener.poll().rejected, [(at, reason)]);
    thread::scope(|scope| {
        // The test allows for a slow peer now and then.
        let other = scope.spawn(|| while listener.connect(Some(&token(SECRET))).is_err() {});
        let mut channels = Vec::new();
        while !other.is_finished() {
            channels.extend(listener.poll().channel);
            thread::sleep(Duration::from_millis(60));
        }
        assert!(!channels.is_empty());
    });
}

/// A byte does not keep a place that another peer waits for, nor does a handshake without a token.
#[test]
fn stalled_handshakes_keep_no_peer_out() {
    let listener = TestListener::new(Some(SECRET), Duration::from_secs(600), 4);
    let _half = listener.fill(&[22]);
    thread::scope(|scope| {
        scope.spawn(|| {
            listener.connect_with(&listener.authority.client(&[], 2099), Some(&token(SECRET)), 60).unwrap()
        });
        let mut accepted = listener.inner.accept(deadline_in(60), &mut no_interrupt).unwrap();
        let mut rejected = std::mem::take(&mut accepted.rejected);
        while accepted.channel.is_none() {
            accepted = listener.inner.accept(deadline_in(60), &mut no_interrupt).unwrap();
            rejected.append(&mut accepted.rejected);
        }
        assert!(!rejected.is_empty());
        assert!(rejected.iter().all(|(_, reason)| reason == "it was not through while others waited"));
    });
    assert!(listener.pending() >= MAX_PENDING - 1);
}

/// The host with most places loses one, even if a peer of the other host is older.
#[test]
fn the_host_with_most_places_loses_one() {
    let listener = TestListener::new(None, Duration::from_secs(600), 4);
    let far =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).unwrap();
    rustix::net::bind(&far, &std::net::SocketAddr::from(([127, 0, 0, 2], 0))).unwrap();
    rustix::net::connect(&far, &std::net::SocketAddr::from(([127, 0, 0, 1], listener.port()))).unwrap();
    while listener.pending() == 0 {
        listener.poll();
    }
    let _near = Vec::from_iter((1..MAX_PENDING).map(|_| listener.bare()));
    while listener.pending() < MAX_PENDING {
        listener.poll();
    }
    let _late = listener.bare();
    let reason = loop {
        if let Some((peer, reason)) = listener.poll().rejected.first() {
            assert!(peer.starts_with("tls://127.0.0.1:"), "{peer}");
            break reason.clone();
        }
    };
    assert_eq!(reason, "it said nothing while others waited");
    assert_eq!(listener.pending(), MAX_PENDING);
}

#[test]
fn rejected_peers_are_reported_without_new_peers() {
    let listener = TestListener::new(None, TEN, 4);
    listener.bare().write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let accepted = listener.inner.accept(None, &mut no_interrupt).unwrap();
    assert!(accepted.channel.is_none());
    assert_eq!(accepted.rejected.len(), 1);
}

/// A copy of the descriptor, as in a forked child, would keep the watch always ready.
#[test]
fn rejected_peers_are_no_longer_watched() {
    for closes in [false, true] {
        let listener = TestListener::new(None, if closes { TEN } else { Duration::from_millis(20) }, 4);
        let mut peer = listener.bare();
        while listener.pending() == 0 {
            listener.poll();
        }
        let fd = listener.inner.pool().pending[0].channel.descriptor(Direction::Receive).unwrap();
        // SAFETY: the peer is pending, so its descriptor is open.
        let _copy = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) }.try_clone_to_owned().unwrap();
        if closes {
            listener.inner.pool().clear(Some(&listener.inner.watch));
        } else {
            assert_eq!(listener.reason(), "it said nothing in 0.02 s");
        }
        peer.write_all(b"more").unwrap();
        assert!(!listener.inner.watch.wait(Duration::from_millis(50)).unwrap());
    }
}

/// Silent peers lose their places to peers that send something.
#[test]
fn a_thousand_silent_peers_keep_no_peer_out() {
    let listener = TestListener::new(None, TEN, 4);
    let asked = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut silent = Vec::new();
            for _ in 0..1000 {
                match TcpStream::connect(("127.0.0.1", listener.port())) {
                    Ok(stream) => silent.push(stream),
                    Err(_) => break,
                }
                if silent.len() == 100 {
                    asked.store(true, std::sync::atomic::Ordering::Release);
                }
            }
        });
        scope.spawn(|| {
            while !asked.load(std::sync::atomic::Ordering::Acquire) {
                thread::sleep(Duration::from_millis(1));
            }
            listener.connect_with(&listener.authority.client(&[], 2099), None, 60).unwrap();
        });
        let accepted = listener.accept(60);
        assert!(accepted.channel.is_some());
        assert!(accepted.rejected.len() <= 101);
        assert!(listener.pending() > 0);
        assert!(listener.inner.pool().due(Instant::now()).is_some());
        // Ends the other connections, so that the test ends.
        listener.inner.close();
    });
}

#[test]
fn peers_beyond_the_limit_are_rejected_until_one_leaves() {
    let address: Address = "tcp://:0".parse().unwrap();
    let policy = Policy::new(&address, &TlsFiles::default(), None, TEN, 2).unwrap();
    let listener = HandshakeListener::bind(&address, policy, &mut no_interrupt).unwrap();
    let dial = || dial(listener.address(), deadline_in(20), &mut no_interrupt).unwrap();
    let accept = || listener.accept(deadline_in(20), &mut no_interrupt).unwrap().channel.unwrap();
    let (_a, first, _b) = (dial(), accept(), dial());
    let _second = accept();
    let third = dial();
    let accepted =
        listener.accept(Some(Instant::now() + Duration::from_millis(50)), &mut no_interrupt).unwrap();
    assert!(accepted.channel.is_none());
    assert!(accepted.rejected[0].1.contains("2 peers are connected, as many as max_peers allows"));
    assert!(third.wait(Direction::Receive, TEN).unwrap());
    assert_eq!(third.receive(&mut [io::IoSliceMut::new(&mut [0; 1])]).unwrap(), 0);
    drop(first);
    let _fourth = dial();
    let _in = accept();
}

#[test]
fn remote_listeners_must_authenticate_peers() {
    let authority = Authority::new("ours");
    let (certificate, key) = authority.sign(&["localhost"], 2099);
    let files = TlsFiles { certificate: Some(certificate), key: Some(key), authorities: None };
    let open = |files: &TlsFiles, token| {
        let address: Address = "tls://0.0.0.0:0".parse().unwrap();
        let policy = Policy::new(&address, files, token, TEN, 4).unwrap();
        HandshakeListener::bind(&address, policy, &mut no_interrupt)
    };
    let error = open(&files, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("authorities='ca.pem'"), "{error}");
    assert!(error.get_ref().unwrap().is::<TlsFault>());
    assert!(open(&files, Some(token(SECRET))).is_ok());
    assert!(open(&TlsFiles { authorities: Some(authority.pem()), ..files.clone() }, None).is_ok());
    let plain = |files: &TlsFiles, token| {
        let address: Address = "unix:/nowhere/x".parse().unwrap();
        Policy::new(&address, files, token, TEN, 4).unwrap_err().to_string()
    };
    assert!(plain(&files, None).contains("certificate: expected a tls:// address, found unix:/nowhere/x"));
    assert!(plain(&TlsFiles::default(), Some(token(SECRET))).contains("token: expected a tls:// address"));
    let bare = Policy::new(&"tls://:0".parse().unwrap(), &TlsFiles::default(), None, TEN, 4);
    assert!(bare.unwrap_err().to_string().contains("certificate='server.pem'"));
}

#[test]
fn an_interruption_and_a_close_end_the_wait() {
    let listener = TestListener::new(None, TEN, 4);
    let error = listener.inner.accept(None, &mut || Err(io::Error::other("stop"))).unwrap_err();
    assert_eq!(error.to_string(), "stop");
    thread::scope(|scope| {
        let waits = scope.spawn(|| listener.inner.accept(None, &mut no_interrupt).unwrap_err());
        listener.inner.close();
        assert_eq!(waits.join().unwrap().kind(), ErrorKind::NotConnected);
    });
}
