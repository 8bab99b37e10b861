//! Sockets and pipes as channels: whatever they are asked to do, they never wait, never lose a byte, and never change
//! what others see.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use colonnade_transport::{Channel, Direction, Pipe, Socket, from_descriptors, open_fifo};
use rustix::fs::{CWD, FileType, Mode, OFlags, fcntl_getfl, mknodat};
use rustix::pipe::{PipeFlags, fcntl_getpipe_size, pipe_with};

const SECOND: Duration = Duration::from_secs(1);

fn pipe() -> (OwnedFd, OwnedFd) {
    pipe_with(PipeFlags::CLOEXEC).unwrap()
}

fn reader(fd: &OwnedFd) -> Arc<dyn Channel> {
    Arc::new(Pipe::new(Some(fd.as_fd()), None, None).unwrap())
}

fn writer(fd: &OwnedFd) -> Arc<dyn Channel> {
    Arc::new(Pipe::new(None, Some(fd.as_fd()), None).unwrap())
}

fn tcp() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

/// A name, the sending side, the receiving side.
type Pair = (&'static str, Arc<dyn Channel>, Arc<dyn Channel>);

/// Every transport that two descriptors make.
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

fn both_ends(path: &Path) -> (OwnedFd, OwnedFd) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let source = open_fifo(path, Direction::Receive, None, &mut || Ok(())).unwrap();
    (source, open_fifo(path, Direction::Send, None, &mut || Ok(())).unwrap())
}

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()[0]).collect()
}

fn send_all(channel: &dyn Channel, bytes: &[u8], piece: usize) {
    let mut sent = 0;
    while sent < bytes.len() {
        let rest = &bytes[sent..];
        let (one, two) = rest.split_at(piece.min(rest.len()));
        match channel.send(&[IoSlice::new(one), IoSlice::new(&[]), IoSlice::new(two)]) {
            Ok(count) => sent += count,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                channel.wait(Direction::Send, SECOND).unwrap();
            }
            Err(e) => panic!("{e}"),
        }
    }
    channel.finish().unwrap();
}

fn receive_all(channel: &dyn Channel, room: usize) -> Vec<u8> {
    let (mut out, mut one, mut two) = (Vec::new(), vec![0; 1], vec![0; room]);
    loop {
        match channel.receive(&mut [IoSliceMut::new(&mut one), IoSliceMut::new(&mut two)]) {
            Ok(0) => return out,
            Ok(count) => {
                out.push(one[0]);
                out.extend_from_slice(&two[..count - 1]);
            }
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                channel.wait(Direction::Receive, SECOND).unwrap();
            }
            Err(e) => panic!("{e}"),
        }
    }
}

fn would_block(result: io::Result<usize>) -> bool {
    matches!(result, Err(e) if e.kind() == io::ErrorKind::WouldBlock)
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
fn a_full_transport_says_so_and_takes_more_once_somebody_reads() {
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
                    // What TCP still has on its way makes room once more.
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
            // TCP hears of it a moment later.
            match sending.send(&[IoSlice::new(&bytes(1000))]) {
                Err(e) if e.kind() != io::ErrorKind::WouldBlock => break e,
                _ => assert!(Instant::now() < end, "{name}"),
            }
        };
        let kinds = [io::ErrorKind::BrokenPipe, io::ErrorKind::ConnectionReset];
        assert!(kinds.contains(&error.kind()), "{name}: {error}");
    }
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

#[test]
fn nothing_is_set_on_the_callers_description() {
    let (r, w) = pipe();
    let (one, two) = UnixStream::pair().unwrap();
    let channels = [reader(&r), writer(&w)];
    let socket = Socket::from_fd(one.as_fd(), None).unwrap();
    for fd in [r.as_fd(), w.as_fd(), one.as_fd()] {
        assert!(!fcntl_getfl(fd).unwrap().contains(OFlags::NONBLOCK));
    }
    for channel in &channels {
        assert_eq!(fcntl_getpipe_size(r.as_fd()).unwrap(), 1 << 20, "{channel:?}");
    }
    assert!(would_block(channels[0].receive(&mut [IoSliceMut::new(&mut [0; 1])])));
    assert!(would_block(socket.receive(&mut [IoSliceMut::new(&mut [0; 1])])));
    // The caller's may be closed while the channel lives, and the other way round.
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
fn what_cannot_be_used_is_named() {
    let text = |result: io::Result<Socket>| result.unwrap_err().to_string();
    let (r, w) = pipe();
    let listener = UnixListener::bind(tempfile::tempdir().unwrap().path().join("s")).unwrap();
    assert!(text(Socket::from_fd(r.as_fd(), None)).contains("found no socket"));
    assert!(text(Socket::from_fd(listener.as_fd(), None)).contains("Accept from it first"));
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
fn a_fifo_is_not_at_its_end_before_somebody_wrote() {
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

    // The writer came and went before the descriptor was given to us, as behind a shell's `< fifo`.
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

extern "C" fn nothing(_: libc::c_int) {}

#[test]
fn a_signal_ends_a_wait() {
    // SAFETY: the handler does nothing, and no SA_RESTART stands beside it.
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
            // SAFETY: the thread named waits for this one to end.
            unsafe { libc::pthread_kill(waiting, libc::SIGUSR1) };
        });
        let error = receiving.wait(Direction::Receive, 20 * SECOND).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted, "{name}");
        thread.join().unwrap();
    }
}
