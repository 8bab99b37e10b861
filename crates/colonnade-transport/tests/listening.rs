//! Listening and connecting: which addresses are allowed, and which files stay.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::time::{Duration, Instant};

use colonnade_transport::{
    Address, AddressError, Channel, Direction, ListeningSocket, Socket, SystemError, dial,
};

const SECOND: Duration = Duration::from_secs(1);

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

fn at(path: &Path) -> Address {
    address(&format!("unix:{}", path.display()))
}

fn listen(address: &Address) -> io::Result<ListeningSocket> {
    ListeningSocket::bind(address, &mut || Ok(()))
}

fn connect(address: &Address) -> io::Result<Socket> {
    dial(address, Some(Instant::now() + 5 * SECOND), &mut || Ok(()))
}

fn next(listening: &ListeningSocket) -> Socket {
    assert!(listening.wait(5 * SECOND).unwrap());
    listening.accept().unwrap().unwrap()
}

fn errno(error: &io::Error) -> i32 {
    error.get_ref().unwrap().downcast_ref::<SystemError>().unwrap().errno()
}

#[test]
fn a_peer_is_accepted_and_bytes_go_both_ways() {
    let directory = tempfile::tempdir().unwrap();
    let loopback6 = std::net::TcpListener::bind("[::1]:0").is_ok();
    for to in [
        address("tcp://:0"),
        address("tcp://localhost:0"),
        address("tcp://[::1]:0"),
        at(&directory.path().join("s")),
    ] {
        if to == address("tcp://[::1]:0") && !loopback6 {
            continue;
        }
        let listening = listen(&to).unwrap();
        assert!(listening.is_loopback() && listening.accept().unwrap().is_none());
        assert!(!listening.address().to_string().ends_with(":0"));
        let here = connect(listening.address()).unwrap();
        let there = next(&listening);
        assert_eq!(here.peer(), listening.address().to_string());
        assert!(
            cfg!(feature = "portable")
                || there.peer().starts_with("tcp://")
                || there.peer().contains("(process "),
            "{}",
            there.peer()
        );
        for (one, other) in [(&here, &there), (&there, &here)] {
            one.send(&[IoSlice::new(b"bytes")]).unwrap();
            assert!(other.wait(Direction::Receive, SECOND).unwrap());
            assert_eq!(other.receive(&mut [IoSliceMut::new(&mut [0; 9])]).unwrap(), 5);
        }
    }
}

#[test]
fn the_last_bytes_arrive_although_answers_were_left_unread() {
    let directory = tempfile::tempdir().unwrap();
    for to in [address("tcp://:0"), at(&directory.path().join("s"))] {
        let listening = listen(&to).unwrap();
        let (here, there) = (connect(listening.address()).unwrap(), next(&listening));
        there.send(&[IoSlice::new(&[1; 60_000])]).unwrap();
        let (mut sent, block) = (0, vec![2; 1 << 20]);
        while let Ok(count) = here.send(&[IoSlice::new(&block)]) {
            sent += count;
            here.wait(Direction::Send, Duration::from_millis(50)).unwrap();
        }
        here.finish().unwrap();
        drop(here);
        let (mut came, mut target) = (0, vec![0; 1 << 20]);
        loop {
            match there.receive(&mut [IoSliceMut::new(&mut target)]) {
                Ok(0) => break,
                Ok(count) => came += count,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    there.wait(Direction::Receive, SECOND).unwrap();
                }
                Err(e) => panic!("{to}: {e} after {came} of {sent}"),
            }
        }
        assert_eq!(came, sent, "{to}");
    }
}

#[test]
fn plain_tcp_beyond_loopback_is_refused_both_ways() {
    for text in ["tcp://0.0.0.0:0", "tcp://192.0.2.1:5000"] {
        for error in [listen(&address(text)).unwrap_err(), connect(&address(text)).unwrap_err()] {
            let inner = error.get_ref().unwrap().downcast_ref::<AddressError>().unwrap();
            assert!(inner.to_string().contains("tls://"), "{inner}");
        }
    }
    assert!(!listen(&address("tls://0.0.0.0:0")).unwrap().is_loopback());
    assert!(listen(&address("tls://127.0.0.1:0")).unwrap().is_loopback());
}

#[test]
fn a_port_in_use_and_one_without_a_listener() {
    let listening = listen(&address("tcp://:0")).unwrap();
    let taken = listening.address().clone();
    let error = listen(&taken).unwrap_err();
    assert_eq!((error.kind(), errno(&error)), (io::ErrorKind::AddrInUse, libc::EADDRINUSE));
    assert!(error.to_string().starts_with(&format!("{taken}: Address already in use")), "{error}");
    // A connection of the old listener does not keep the new one from using its port.
    let (here, there) = (connect(&taken).unwrap(), next(&listening));
    drop(there);
    drop(listening);
    drop(here);
    let error = connect(&taken).unwrap_err();
    assert_eq!((error.kind(), errno(&error)), (io::ErrorKind::ConnectionRefused, libc::ECONNREFUSED));
    assert!(
        error.to_string().contains(&taken.to_string()) && error.to_string().contains("running"),
        "{error}"
    );
    listen(&taken).unwrap();
}

#[test]
fn a_socket_file_is_accessible_only_to_its_owner_from_its_beginning() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    // Another thread checks the file while it is created and removed.
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let (mut seen, mut wide) = (0, 0);
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                if let Ok(meta) = fs::symlink_metadata(&path) {
                    seen += 1;
                    wide += u32::from(meta.mode() & 0o777 != 0o600);
                }
            }
            (seen, wide)
        });
        for _ in 0..200 {
            let listening = listen(&at(&path)).unwrap();
            assert_eq!(fs::symlink_metadata(&path).unwrap().mode() & 0o777, 0o600);
            listening.close();
            assert!(!path.exists());
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let (_, wide) = watch.join().unwrap();
        // Elsewhere the mode comes after the file, but before anybody can connect.
        assert!(wide == 0 || cfg!(feature = "portable"), "{wide}");
    });
}

#[test]
fn a_stale_file_is_replaced_a_live_one_and_others_are_not() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    // A listener of the standard library leaves its file.
    drop(UnixListener::bind(&path).unwrap());
    let error = connect(&at(&path)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    let first = listen(&at(&path)).unwrap();
    let error = listen(&at(&path)).unwrap_err();
    assert_eq!((error.kind(), errno(&error)), (io::ErrorKind::AddrInUse, libc::EADDRINUSE));
    connect(&at(&path)).unwrap();
    drop(first);
    assert!(!path.exists());

    let datagrams = UnixDatagram::bind(&path).unwrap();
    assert_eq!(listen(&at(&path)).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    drop(datagrams);
    fs::remove_file(&path).unwrap();
    for make in [|p: &Path| fs::write(p, "precious"), |p: &Path| std::os::unix::fs::symlink("nowhere", p)] {
        make(&path).unwrap();
        let error = listen(&at(&path)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{error}");
        assert!(path.symlink_metadata().is_ok());
        fs::remove_file(&path).unwrap();
    }
    let error = listen(&at(&directory.path().join("none/s"))).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn only_its_own_file_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let first = listen(&at(&path)).unwrap();
    fs::remove_file(&path).unwrap();
    let second = listen(&at(&path)).unwrap();
    drop(first);
    assert!(path.symlink_metadata().unwrap().file_type().is_socket());
    connect(&at(&path)).unwrap();
    next(&second);
}

#[test]
fn a_forked_child_closes_its_copy_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let listening = listen(&at(&path)).unwrap();
    // SAFETY: the child only closes descriptors and exits.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop(listening);
        // SAFETY: ends the child without running the test's destructors.
        unsafe { libc::_exit(0) };
    }
    let mut status = -1;
    // SAFETY: `status` is live, and `child` is this process's child.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0);
    connect(&at(&path)).unwrap();
    next(&listening);
}

#[test]
fn listeners_that_start_at_once_on_a_stale_file_do_not_displace_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    for _ in 0..30 {
        drop(UnixListener::bind(&path).unwrap());
        let all: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| listen(&at(&path)))).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let (live, refused): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
        assert_eq!((live.len(), refused.len()), (1, 3));
        connect(&at(&path)).unwrap();
        next(live[0].as_ref().unwrap());
    }
}

#[test]
fn a_closed_listener_wakes_waiting_threads_and_refuses() {
    let directory = tempfile::tempdir().unwrap();
    for to in [address("tcp://:0"), at(&directory.path().join("s"))] {
        let listening = listen(&to).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| listening.wait(20 * SECOND));
            std::thread::sleep(Duration::from_millis(20));
            listening.close();
            assert!(waiting.join().unwrap().unwrap());
        });
        assert!(listening.accept().is_err());
        connect(listening.address()).unwrap_err();
    }
}

#[test]
fn a_full_queue_is_waited_for_until_the_deadline() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let listening = listen(&at(&path)).unwrap();
    let soon = || Some(Instant::now() + Duration::from_millis(50));
    let mut waiting = Vec::new();
    let error = loop {
        match dial(&at(&path), soon(), &mut || Ok(())) {
            Ok(socket) => waiting.push(socket),
            Err(error) => break error,
        }
        assert!(waiting.len() < 1000);
    };
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    let error = dial(&at(&path), None, &mut || Err(io::Error::other("stop"))).unwrap_err();
    assert_eq!(error.to_string(), "stop");
    next(&listening);
    connect(&at(&path)).unwrap();
}

#[test]
fn a_host_that_never_answers_and_one_that_does_not_exist() {
    // 192.0.2.0/24 is reserved for documentation. Some machines report that at once.
    let soon = Some(Instant::now() + Duration::from_millis(200));
    let begin = Instant::now();
    let error = dial(&address("tls://192.0.2.1:5"), soon, &mut || Ok(())).unwrap_err();
    assert!(begin.elapsed() < 5 * SECOND && error.to_string().contains("tls://192.0.2.1:5"), "{error}");
    let mut ticks = 0;
    let stop = &mut || {
        ticks += 1;
        Err(io::Error::other("stop"))
    };
    dial(&address("tls://192.0.2.1:5"), None, stop).unwrap_err();
    let error = dial(&address("tls://no.such.host.invalid:5"), soon, &mut || Ok(())).unwrap_err();
    assert!(error.to_string().contains("no.such.host.invalid"), "{error}");
}
