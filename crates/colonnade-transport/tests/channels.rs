//! Sockets and pipes as channels: no call waits, and no byte is lost.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use std::io::{self, IoSlice, IoSliceMut};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use colonnade_transport::{Channel, Direction, Socket};
use common::{SECOND, both_ends, bytes, pipe, reader, receive_all, send_all, would_block, writer};

fn tcp() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

/// The name, the sending side and the receiving side.
type Pair = (&'static str, Arc<dyn Channel>, Arc<dyn Channel>);

/// Returns a pair of each transport that two descriptors can form.
fn pairs() -> Vec<Pair> {
    let socket = |fd: &dyn AsFd| -> Arc<dyn Channel> { Arc::new(Socket::from_fd(fd.as_fd(), None).unwrap()) };
    let (unix, net, (r, w)) = (UnixStream::pair().unwrap(), tcp(), pipe());
    let mixed = UnixStream::pair().unwrap();
    let fifos = tempfile::tempdir().unwrap();
    let (source, target) = both_ends(&fifos.path().join("fifo"));
    vec![
        ("unix", socket(&unix.0), socket(&unix.1)),
        ("tcp", socket(&net.0), socket(&net.1)),
        ("pipe", writer(&w), reader(&r)),
        ("fifo", writer(&target), reader(&source)),
        ("socket as descriptors", writer(&mixed.0.into()), reader(&mixed.1.into())),
    ]
}

#[test]
fn every_byte_arrives_once_whatever_the_pieces() {
    for (room, piece, count) in [(1, 1, 20_000), (1 << 20, 7, 3_000_000), (333, 1 << 20, 3_000_000)] {
        for (name, sending, receiving) in pairs() {
            let sent = bytes(count);
            let expected = sent.clone();
            let thread = thread::spawn(move || {
                send_all(&*sending, &sent, piece);
                drop(sending);
            });
            assert!(receive_all(&*receiving, room) == expected, "{name}, {room}, {piece}");
            thread.join().unwrap();
        }
    }
}

#[test]
fn a_full_transport_says_so_and_accepts_more_after_a_read() {
    for (name, sending, receiving) in pairs() {
        let mut target = [0; 1 << 16];
        assert!(would_block(receiving.receive(&mut [IoSliceMut::new(&mut target)])), "{name}");
        assert!(!receiving.wait(Direction::Receive, Duration::ZERO).unwrap(), "{name}");
        let block = bytes(100_000);
        let (mut sent, begin) = (0, Instant::now());
        loop {
            match sending.send(&[IoSlice::new(&block)]) {
                Ok(count) => sent += count,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    // Bytes that TCP has buffered make space when they arrive.
                    if !sending.wait(Direction::Send, Duration::from_millis(50)).unwrap() {
                        break;
                    }
                }
                Err(e) => panic!("{name}: {e}"),
            }
        }
        assert!(sent >= 1 << 16 && begin.elapsed() < 20 * SECOND, "{name}: {sent}");
        let mut taken = 0;
        while taken < sent {
            match receiving.receive(&mut [IoSliceMut::new(&mut target)]) {
                Ok(count) => taken += count,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    receiving.wait(Direction::Receive, SECOND).unwrap();
                }
                Err(e) => panic!("{name}: {e}"),
            }
        }
        assert!(sending.wait(Direction::Send, SECOND).unwrap(), "{name}");
    }
}

#[test]
fn more_pieces_than_the_system_takes_at_once() {
    for (name, sending, receiving) in pairs() {
        let sources = vec![IoSlice::new(b"x"); 3000];
        let count = sending.send(&sources).unwrap();
        let mut target = vec![[0; 1]; 3000];
        let mut targets: Vec<_> = target.iter_mut().map(|t| IoSliceMut::new(t)).collect();
        assert_eq!(receiving.receive(&mut targets).unwrap(), count, "{name}");
        assert_eq!(count, 1024, "{name}");
    }
}

#[test]
fn the_peers_leaving_is_the_end_here_and_a_broken_pipe_there() {
    for (name, sending, receiving) in pairs() {
        sending.send(&[IoSlice::new(b"last")]).unwrap();
        drop(sending);
        assert_eq!(receive_all(&*receiving, 100), b"last", "{name}");
        assert_eq!(
            receiving.receive(&mut [IoSliceMut::new(&mut [0; 4])]).unwrap(),
            0,
            "{name}: stays at its end"
        );
    }
    for (name, sending, receiving) in pairs() {
        drop(receiving);
        let end = Instant::now() + 5 * SECOND;
        let error = loop {
            // TCP reports it a moment later.
            match sending.send(&[IoSlice::new(&bytes(1000))]) {
                Err(e) if e.kind() != io::ErrorKind::WouldBlock => break e,
                _ => assert!(Instant::now() < end, "{name}"),
            }
        };
        let kinds = [io::ErrorKind::BrokenPipe, io::ErrorKind::ConnectionReset];
        assert!(kinds.contains(&error.kind()), "{name}: {error}");
    }
}

extern "C" fn nothing(_: libc::c_int) {}

#[test]
fn a_signal_ends_a_wait() {
    // SAFETY: the handler does nothing, and SA_RESTART is not set.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut()), 0);
    }
    for (name, _sending, receiving) in pairs() {
        // SAFETY: always succeeds.
        let waiting = unsafe { libc::pthread_self() };
        let thread = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            // SAFETY: the target thread waits for this one to end, so it exists.
            unsafe { libc::pthread_kill(waiting, libc::SIGUSR1) };
        });
        let error = receiving.wait(Direction::Receive, 20 * SECOND).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted, "{name}");
        thread.join().unwrap();
    }
}
