//! A listener on loopback, and its peers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use rustls::ClientConfig;

use super::pool::MOST_PENDING;
use super::*;
use crate::tls::certificates::Authority;
use crate::tls::connect;
use crate::{Direction, dial};

const SECRET: &[u8] = b"a secret of more than sixteen bytes";

fn go_on() -> io::Result<()> {
    Ok(())
}

fn in_time(seconds: u64) -> Option<Instant> {
    Some(Instant::now() + Duration::from_secs(seconds))
}

fn token(bytes: &[u8]) -> Token {
    Token::new(bytes.to_vec()).unwrap()
}

struct House {
    authority: Authority,
    admission: Admission,
}

impl House {
    fn new(token: Option<&[u8]>, handshake: Duration, max_peers: usize) -> Self {
        let authority = Authority::new("ours");
        let (certificate, key) = authority.sign(&["localhost"], 2099);
        let files = TlsFiles { certificate: Some(certificate), key: Some(key), authorities: None };
        let address: Address = "tls://localhost:0".parse().unwrap();
        let token = token.map(self::token);
        let policy = Policy::new(&address, &files, token, handshake, max_peers).unwrap();
        Self { authority, admission: Admission::bind(&address, policy, &mut go_on).unwrap() }
    }

    fn port(&self) -> u16 {
        match self.admission.address() {
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
        let socket = dial(self.admission.address(), in_time(20), &mut go_on)?;
        connect(Arc::new(socket), "localhost", config, token, in_time(seconds), &mut go_on)
    }

    fn accept(&self, seconds: u64) -> Accepted {
        let deadline = in_time(seconds);
        loop {
            let accepted = self.admission.accept(deadline, &mut go_on).unwrap();
            if accepted.channel.is_some() || Some(Instant::now()) >= deadline {
                return accepted;
            }
        }
    }

    fn look(&self) -> Accepted {
        self.admission.accept(Some(Instant::now()), &mut go_on).unwrap()
    }

    fn pending(&self) -> usize {
        self.admission.pool().pending.len()
    }

    /// Connects as many peers as there are places. Each sends `words`, and all are pending.
    fn fill(&self, words: &[u8]) -> Vec<TcpStream> {
        let peers = Vec::from_iter((0..MOST_PENDING).map(|_| {
            let mut peer = self.bare();
            peer.write_all(words).unwrap();
            peer
        }));
        while self.pending() < MOST_PENDING {
            self.look();
        }
        peers
    }

    /// Accepts until a peer is rejected, and returns the reason.
    fn reason(&self) -> String {
        loop {
            let soon = Instant::now() + Duration::from_millis(20);
            let accepted = self.admission.accept(Some(soon), &mut go_on).unwrap();
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
fn the_right_token_comes_in_and_what_follows_it_is_not_lost() {
    let house = House::new(Some(SECRET), TEN, 4);
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let channel = house.connect(Some(&token(SECRET))).unwrap();
            channel.send(&[io::IoSlice::new(b"first message")]).unwrap();
            channel.flush().unwrap();
            channel
        });
        let accepted = house.accept(20);
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
fn a_wrong_token_gets_nothing_and_others_go_on() {
    let house = House::new(Some(SECRET), TEN, 4);
    for wrong in [&SECRET[1..], b"a secret of more than sixteen byteS", &[0; 4096]] {
        thread::scope(|scope| {
            let other = scope.spawn(|| house.connect(Some(&token(wrong))).unwrap_err());
            assert_eq!(house.reason(), "it showed a wrong token");
            let error = other.join().unwrap();
            assert_eq!(error.kind(), ErrorKind::ConnectionRefused, "{error}");
            assert!(error.to_string().contains("closed instead of accepting the token"), "{error}");
        });
    }
    thread::scope(|scope| {
        scope.spawn(|| house.connect(Some(&token(SECRET))).unwrap());
        assert!(house.accept(20).channel.is_some());
    });
}

#[test]
fn no_token_and_other_messages_are_turned_away() {
    let house = House::new(Some(SECRET), TEN, 4);
    for message in
        [&[0xFF; 64][..], b"\xC1CNB\0\0\0\0\x20\0\0\0\0\0\0\0", b"\xC1CNT\0\0\0\0\x01\x10\0\0\0\0\0\0"]
    {
        thread::scope(|scope| {
            scope.spawn(|| {
                let channel = house.connect(None).unwrap();
                channel.send(&[io::IoSlice::new(message)]).unwrap();
                channel.flush().unwrap();
                // The channel stays open: the listener does not wait for the rest.
                channel.wait(Direction::Receive, TEN).unwrap();
            });
            assert!(house.reason().contains("no token, which this listener demands"));
        });
    }
    thread::scope(|scope| {
        scope.spawn(|| drop(house.connect(None).unwrap()));
        assert_eq!(house.reason(), "it closed without showing a token");
    });
}

#[test]
fn a_token_that_nobody_asks_for_is_an_error_of_the_one_who_connects() {
    let house = House::new(None, TEN, 4);
    thread::scope(|scope| {
        let config = house.authority.client(&[], 2099);
        let other = scope.spawn(move || house.connect_with(&config, Some(&token(SECRET)), 0));
        assert!(other.join().unwrap().is_err());
    });
}

#[test]
fn garbage_and_silence_cost_a_bounded_time() {
    let house = House::new(None, Duration::from_millis(50), 4);
    let mut stream = house.bare();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert!(house.reason().contains("is not TLS"), "{}", house.reason());
    let silent = house.bare();
    assert_eq!(house.reason(), "it said nothing in 0.05 s");
    drop(silent);
    let mut half = house.bare();
    half.write_all(&[22, 3, 1, 1, 0, 1]).unwrap();
    assert_eq!(house.reason(), "its TLS handshake was not through in 0.05 s");
    // The peer gets no bytes, and then the end of input.
    let mut rest = Vec::new();
    assert!(half.read_to_end(&mut rest).is_ok() && rest.is_empty());
}

/// Short calls and pauses between them do not extend the time.
#[test]
fn the_time_between_calls_counts() {
    let house = House::new(None, Duration::from_millis(20), 4);
    let peers = house.fill(b"");
    let mut rejected = Vec::new();
    while rejected.len() < peers.len() {
        thread::sleep(Duration::from_millis(5));
        rejected.extend(house.look().rejected);
    }
    assert!(rejected.iter().all(|(_, reason)| reason == "it said nothing in 0.02 s"), "{rejected:?}");
    assert_eq!(house.pending(), 0);
}

/// A listener that rarely calls `accept` still accepts its peers, and rejects those that do not continue.
#[test]
fn who_spoke_while_nobody_drove_is_answered() {
    let house = House::new(Some(SECRET), Duration::from_millis(20), 4);
    let mut half = house.bare();
    half.write_all(&[22]).unwrap();
    let at = format!("tls://{}", half.local_addr().unwrap());
    while house.pending() == 0 {
        house.look();
    }
    thread::sleep(Duration::from_millis(60));
    assert!(house.look().rejected.is_empty());
    thread::sleep(Duration::from_millis(60));
    let reason = "its TLS handshake was not through in 0.02 s".to_owned();
    assert_eq!(house.look().rejected, [(at, reason)]);
    thread::scope(|scope| {
        // The test allows for a slow peer now and then.
        let other = scope.spawn(|| while house.connect(Some(&token(SECRET))).is_err() {});
        let mut channels = Vec::new();
        while !other.is_finished() {
            channels.extend(house.look().channel);
            thread::sleep(Duration::from_millis(60));
        }
        assert!(!channels.is_empty());
    });
}

/// A byte does not keep a place that another peer waits for, nor does a handshake without a token.
#[test]
fn who_speaks_and_does_not_go_on_keeps_nobody_out() {
    let house = House::new(Some(SECRET), Duration::from_secs(600), 4);
    let _half = house.fill(&[22]);
    thread::scope(|scope| {
        scope.spawn(|| {
            house.connect_with(&house.authority.client(&[], 2099), Some(&token(SECRET)), 60).unwrap()
        });
        let mut accepted = house.admission.accept(in_time(60), &mut go_on).unwrap();
        let mut rejected = std::mem::take(&mut accepted.rejected);
        while accepted.channel.is_none() {
            accepted = house.admission.accept(in_time(60), &mut go_on).unwrap();
            rejected.append(&mut accepted.rejected);
        }
        assert!(!rejected.is_empty());
        assert!(rejected.iter().all(|(_, reason)| reason == "it was not through while others waited"));
    });
    assert!(house.pending() >= MOST_PENDING - 1);
}

/// The host with most places loses one, even if a peer of the other host is older.
#[test]
fn the_host_with_most_places_makes_room() {
    let house = House::new(None, Duration::from_secs(600), 4);
    let far =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).unwrap();
    rustix::net::bind(&far, &std::net::SocketAddr::from(([127, 0, 0, 2], 0))).unwrap();
    rustix::net::connect(&far, &std::net::SocketAddr::from(([127, 0, 0, 1], house.port()))).unwrap();
    while house.pending() == 0 {
        house.look();
    }
    let _near = Vec::from_iter((1..MOST_PENDING).map(|_| house.bare()));
    while house.pending() < MOST_PENDING {
        house.look();
    }
    let _late = house.bare();
    let reason = loop {
        if let Some((peer, reason)) = house.look().rejected.first() {
            assert!(peer.starts_with("tls://127.0.0.1:"), "{peer}");
            break reason.clone();
        }
    };
    assert_eq!(reason, "it said nothing while others waited");
    assert_eq!(house.pending(), MOST_PENDING);
}

#[test]
fn who_is_turned_away_is_named_though_nobody_comes() {
    let house = House::new(None, TEN, 4);
    house.bare().write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let accepted = house.admission.accept(None, &mut go_on).unwrap();
    assert!(accepted.channel.is_none());
    assert_eq!(accepted.rejected.len(), 1);
}

/// A copy of the descriptor, as in a forked child, would keep the watch always ready.
#[test]
fn who_was_turned_away_is_watched_no_more() {
    for closes in [false, true] {
        let house = House::new(None, if closes { TEN } else { Duration::from_millis(20) }, 4);
        let mut peer = house.bare();
        while house.pending() == 0 {
            house.look();
        }
        let fd = house.admission.pool().pending[0].channel.descriptor(Direction::Receive).unwrap();
        // SAFETY: the peer is pending, so its descriptor is open.
        let _copy = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) }.try_clone_to_owned().unwrap();
        if closes {
            house.admission.pool().clear(Some(&house.admission.watch));
        } else {
            assert_eq!(house.reason(), "it said nothing in 0.02 s");
        }
        peer.write_all(b"more").unwrap();
        assert!(!house.admission.watch.wait(Duration::from_millis(50)).unwrap());
    }
}

/// Silent peers lose their places to peers that send something.
#[test]
fn a_thousand_who_say_nothing_keep_nobody_out() {
    let house = House::new(None, TEN, 4);
    let asked = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut silent = Vec::new();
            for _ in 0..1000 {
                match TcpStream::connect(("127.0.0.1", house.port())) {
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
            house.connect_with(&house.authority.client(&[], 2099), None, 60).unwrap();
        });
        let accepted = house.accept(60);
        assert!(accepted.channel.is_some());
        assert!(accepted.rejected.len() <= 101);
        assert!(house.pending() > 0);
        assert!(house.admission.pool().due(Instant::now()).is_some());
        // Ends the other connections, so that the test ends.
        house.admission.close();
    });
}

#[test]
fn peers_beyond_the_limit_are_turned_away_until_one_goes() {
    let address: Address = "tcp://:0".parse().unwrap();
    let policy = Policy::new(&address, &TlsFiles::default(), None, TEN, 2).unwrap();
    let admission = Admission::bind(&address, policy, &mut go_on).unwrap();
    let dial = || dial(admission.address(), in_time(20), &mut go_on).unwrap();
    let accept = || admission.accept(in_time(20), &mut go_on).unwrap().channel.unwrap();
    let (_a, first, _b) = (dial(), accept(), dial());
    let _second = accept();
    let third = dial();
    let accepted = admission.accept(Some(Instant::now() + Duration::from_millis(50)), &mut go_on).unwrap();
    assert!(accepted.channel.is_none());
    assert!(accepted.rejected[0].1.contains("2 peers are connected, as many as max_peers allows"));
    assert!(third.wait(Direction::Receive, TEN).unwrap());
    assert_eq!(third.receive(&mut [io::IoSliceMut::new(&mut [0; 1])]).unwrap(), 0);
    drop(first);
    let _fourth = dial();
    let _in = accept();
}

#[test]
fn whom_to_let_in_must_be_said() {
    let authority = Authority::new("ours");
    let (certificate, key) = authority.sign(&["localhost"], 2099);
    let files = TlsFiles { certificate: Some(certificate), key: Some(key), authorities: None };
    let open = |files: &TlsFiles, token| {
        let address: Address = "tls://0.0.0.0:0".parse().unwrap();
        let policy = Policy::new(&address, files, token, TEN, 4).unwrap();
        Admission::bind(&address, policy, &mut go_on)
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
    assert!(
        plain(&files, None)
            .contains("certificate: expected a tls:// address beside it, found unix:/nowhere/x")
    );
    assert!(plain(&TlsFiles::default(), Some(token(SECRET))).contains("token: expected a tls:// address"));
    let bare = Policy::new(&"tls://:0".parse().unwrap(), &TlsFiles::default(), None, TEN, 4);
    assert!(bare.unwrap_err().to_string().contains("certificate='server.pem'"));
}

#[test]
fn an_interruption_and_a_close_end_the_wait() {
    let house = House::new(None, TEN, 4);
    let error = house.admission.accept(None, &mut || Err(io::Error::other("stop"))).unwrap_err();
    assert_eq!(error.to_string(), "stop");
    thread::scope(|scope| {
        let waits = scope.spawn(|| house.admission.accept(None, &mut go_on).unwrap_err());
        house.admission.close();
        assert_eq!(waits.join().unwrap().kind(), ErrorKind::NotConnected);
    });
}
