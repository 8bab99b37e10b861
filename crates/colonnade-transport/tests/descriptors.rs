//! Descriptors of the caller: shared ones keep their settings, and unsuitable ones are refused by name.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::Path;
use std::ptr::null_mut;
use std::thread;
use std::time::{Duration, Instant};

use colonnade_transport::{Channel, Direction, Socket, from_descriptors, open_fifo};
use common::{SECOND, bytes, pipe, reader, receive_all, send_all, would_block, writer};
use rustix::fs::{CWD, FileType, Mode, OFlags, fcntl_getfl, mknodat};
use rustix::pipe::{PipeFlags, fcntl_getpipe_size, pipe_with};

#[test]
fn nothing_is_set_on_the_callers_description() {
    let (r, w) = pipe();
    let (one, two) = UnixStream::pair().unwrap();
    let channels = [reader(&r), writer(&w)];
    let socket = Socket::from_fd(one.as_fd(), None).unwrap();
    for fd in [r.as_fd(), w.as_fd(), one.as_fd()] {
        assert!(!fcntl_getfl(fd).unwrap().contains(OFlags::NONBLOCK));
    }
    for channel in channels.iter().filter(|_| cfg!(not(feature = "portable"))) {
        assert_eq!(fcntl_getpipe_size(r.as_fd()).unwrap(), 1 << 20, "{channel:?}");
    }
    assert!(would_block(channels[0].receive(&mut [IoSliceMut::new(&mut [0; 1])])));
    assert!(would_block(socket.receive(&mut [IoSliceMut::new(&mut [0; 1])])));
    // The caller may close its descriptor while the channel lives, and the other way round.
    drop(r);
    drop(socket);
    channels[1].send(&[IoSlice::new(b"a")]).unwrap();
    assert_eq!(channels[0].receive(&mut [IoSliceMut::new(&mut [0; 9])]).unwrap(), 1);
    drop(two);
    assert_eq!((&one).read(&mut [0; 1]).unwrap(), 0);
}

#[test]
fn non_blocking_descriptors_of_the_callers_work_alike() {
    let (r, w) = pipe_with(PipeFlags::NONBLOCK | PipeFlags::CLOEXEC).unwrap();
    let (sending, receiving) = (writer(&w), reader(&r));
    drop((r, w));
    let thread = thread::spawn(move || send_all(&*sending, &bytes(5_000_000), 10));
    assert!(receive_all(&*receiving, 4096) == bytes(5_000_000));
    thread.join().unwrap();
}

#[test]
fn unusable_descriptors_are_named() {
    let text = |result: io::Result<Socket>| result.unwrap_err().to_string();
    let (r, w) = pipe();
    let listener = UnixListener::bind(tempfile::tempdir().unwrap().path().join("s")).unwrap();
    assert!(text(Socket::from_fd(r.as_fd(), None)).contains("found no socket"));
    assert!(text(Socket::from_fd(listener.as_fd(), None)).contains(if cfg!(feature = "portable") {
        "not connected"
    } else {
        "Accept from it first"
    }));
    assert!(text(Socket::from_fd(UnixDatagram::unbound().unwrap().as_fd(), None)).contains("datagrams"));
    let free =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).unwrap();
    assert!(text(Socket::from_fd(free.as_fd(), None)).contains("not connected"));
    let text = |r, s| from_descriptors(r, s, None).unwrap_err().to_string();
    assert!(text(Some(w.as_fd()), None).contains("open for reading"));
    assert!(text(None, Some(r.as_fd())).contains("open for writing"));
    assert!(text(None, None).contains("neither"));
    let directory = std::fs::File::open("/").unwrap();
    assert!(text(Some(directory.as_fd()), None).contains("a directory"));
    assert_eq!(reader(&r).send(&[IoSlice::new(b"x")]).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    let error = writer(&w).receive(&mut [IoSliceMut::new(&mut [0; 1])]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Unsupported);
}

#[test]
fn one_socket_twice_is_a_socket_and_files_are_read_and_written_at_once() {
    let (one, mut two) = UnixStream::pair().unwrap();
    let again = one.try_clone().unwrap();
    let channel = from_descriptors(Some(one.as_fd()), Some(again.as_fd()), None).unwrap();
    drop((one, again));
    channel.finish().unwrap();
    assert_eq!(two.read(&mut [0; 1]).unwrap(), 0);

    let mut file = tempfile::tempfile().unwrap();
    let channel = from_descriptors(None, Some(file.as_fd()), Some("it")).unwrap();
    send_all(&*channel, &bytes(100_000), 10);
    assert_eq!((channel.peer(), file.metadata().unwrap().len()), ("it", 100_000));
    io::Seek::rewind(&mut file).unwrap();
    let channel = from_descriptors(Some(file.as_fd()), None, None).unwrap();
    assert!(channel.wait(Direction::Receive, SECOND).unwrap());
    assert!(receive_all(&*channel, 1000) == bytes(100_000));
    assert_eq!(channel.peer(), format!("descriptor {}", file.as_raw_fd()));
}

#[test]
fn a_fifo_is_not_at_its_end_before_a_writer_opened_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("fifo");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let late = Some(Instant::now() + Duration::from_millis(50));
    let error = open_fifo(&path, Direction::Send, late, &mut || Ok(())).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    let stop = &mut || Err(io::Error::other("stop"));
    assert_eq!(open_fifo(&path, Direction::Send, None, stop).unwrap_err().to_string(), "stop");

    let receiving = reader(&open_fifo(&path, Direction::Receive, None, &mut || Ok(())).unwrap());
    let mut target = [0; 8];
    assert!(would_block(receiving.receive(&mut [IoSliceMut::new(&mut target)])));
    assert!(!receiving.wait(Direction::Receive, Duration::from_millis(20)).unwrap());
    let sending = writer(&open_fifo(&path, Direction::Send, None, &mut || Ok(())).unwrap());
    assert!(would_block(receiving.receive(&mut [IoSliceMut::new(&mut target)])));
    sending.send(&[IoSlice::new(b"x")]).unwrap();
    sending.finish().unwrap();
    assert_eq!(receive_all(&*receiving, 8), b"x");
    // Otherwise the writer below would find this reader instead of the intended one.
    drop(receiving);

    // The writer opens and closes the FIFO before the channel gets the descriptor, as with a shell's `< fifo`.
    let early = thread::spawn({
        let path = path.clone();
        move || std::fs::OpenOptions::new().write(true).open(path).unwrap().write_all(b"early").unwrap()
    });
    let opened = std::fs::File::open(&path).unwrap();
    early.join().unwrap();
    assert_eq!(receive_all(&*reader(&opened.into()), 8), b"early");

    let error = open_fifo(Path::new("/dev/null"), Direction::Receive, None, &mut || Ok(())).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn finishing_ends_one_direction_only() {
    let (here, there) = UnixStream::pair().unwrap();
    let (mut there, channel) = (there, Socket::from_fd(here.as_fd(), None).unwrap());
    channel.finish().unwrap();
    channel.finish().unwrap();
    assert_eq!(there.read(&mut [0; 1]).unwrap(), 0);
    there.write_all(b"still").unwrap();
    drop((there, here));
    assert_eq!(receive_all(&channel, 10), b"still");

    let (r, w) = pipe();
    let channel = writer(&w);
    drop(w);
    channel.finish().unwrap();
    channel.finish().unwrap();
    assert_eq!(receive_all(&*reader(&r), 10), b"");
    assert_eq!(channel.send(&[IoSlice::new(b"x")]).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

/// A terminal provides its input line by line, and no call waits.
#[test]
fn terminals_are_polled_first() {
    let (mut master, mut slave) = (-1, -1);
    // SAFETY: both numbers are live; name, settings and size are null.
    let failed =
        unsafe { libc::openpty(&raw mut master, &raw mut slave, null_mut(), null_mut(), null_mut()) };
    assert_eq!(failed, 0);
    // SAFETY: both were just opened, and no other code owns them.
    let (master, slave) = unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
    let (receiving, sending) = (reader(&slave), writer(&master));
    let mut target = [0; 64];
    assert!(would_block(receiving.receive(&mut [IoSliceMut::new(&mut target)])));
    assert_eq!(sending.send(&[IoSlice::new(b"line\n")]).unwrap(), 5);
    assert!(receiving.wait(Direction::Receive, SECOND).unwrap());
    assert_eq!(receiving.receive(&mut [IoSliceMut::new(&mut target)]).unwrap(), 5);
    assert!(would_block(receiving.receive(&mut [IoSliceMut::new(&mut target)])));
}
