//! Helpers for the tests of channels.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "tests; not all use all of it"
)]

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use colonnade_transport::{Channel, Direction, Pipe, open_fifo};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::pipe::{PipeFlags, pipe_with};

pub const SECOND: Duration = Duration::from_secs(1);

pub fn pipe() -> (OwnedFd, OwnedFd) {
    pipe_with(PipeFlags::CLOEXEC).unwrap()
}

pub fn reader(fd: &OwnedFd) -> Arc<dyn Channel> {
    Arc::new(Pipe::new(Some(fd.as_fd()), None, None).unwrap())
}

pub fn writer(fd: &OwnedFd) -> Arc<dyn Channel> {
    Arc::new(Pipe::new(None, Some(fd.as_fd()), None).unwrap())
}

pub fn send_all(channel: &dyn Channel, bytes: &[u8], piece: usize) {
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

pub fn receive_all(channel: &dyn Channel, room: usize) -> Vec<u8> {
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

pub fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()[0]).collect()
}

pub fn would_block(result: io::Result<usize>) -> bool {
    matches!(result, Err(e) if e.kind() == io::ErrorKind::WouldBlock)
}

pub fn both_ends(path: &Path) -> (OwnedFd, OwnedFd) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let source = open_fifo(path, Direction::Receive, None, &mut || Ok(())).unwrap();
    (source, open_fifo(path, Direction::Send, None, &mut || Ok(())).unwrap())
}
