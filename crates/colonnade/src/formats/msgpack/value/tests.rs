//! Tests of single MessagePack messages among others, in pieces and at their limits.

use super::*;

mod pieces;
use crate::error::ErrorKind;
use crate::message::{Incoming, Message, MessageStep, envelope};

fn incoming(limits: Limits) -> Incoming {
    Incoming::new(limits, |nbytes| Ok(Box::new(vec![0; nbytes])))
}

/// Decodes a message that arrives in one piece.
fn alone(message: &[u8]) -> Vec<u8> {
    let mut incoming = incoming(Limits::default());
    assert!(matches!(incoming.feed(message).unwrap(), (n, MessageStep::Whole) if n == message.len()));
    taken(&mut incoming)
}

/// Encodes a column of `n` doubles.
fn doubles(n: u32) -> Vec<u8> {
    let mut out = b"\x81\xa1a\xdd".to_vec();
    out.extend(n.to_be_bytes());
    for i in 0..n {
        out.push(0xcb);
        out.extend(f64::from(i).to_be_bytes());
    }
    out
}

fn messages() -> Vec<Vec<u8>> {
    vec![
        vec![0x91, 0xc0],
        b"\x81\xa1a\x93\x01\xc0\x03".to_vec(),
        vec![0xdc, 0, 0],
        doubles(40_000),
        vec![0x90],
        b"\x82\xa1a\xc4\x02\xff\xff\xa1b\xd9\x01x".to_vec(),
    ]
}

fn taken(incoming: &mut Incoming) -> Vec<u8> {
    match incoming.take().unwrap() {
        Message::Msgpack(received) => match received.frame() {
            Ok(Err(bytes)) => bytes.as_slice().to_vec(),
            Ok(Ok(frame)) => format!("{} x {}", frame.nrows, frame.columns.len()).into_bytes(),
            Err(error) => error.to_string().into_bytes(),
        },
        Message::Bytes(mut room) => room.as_mut_slice().to_vec(),
        Message::Frame(_) => panic!("a frame"),
        Message::Table(..) => panic!("a table of text"),
    }
}

#[test]
fn messages_in_pieces_of_any_size() {
    let mut wire: Vec<u8> = messages().concat();
    wire.extend(envelope(b'B', 3));
    wire.extend(b"abc\x91\x07");
    let mut expected: Vec<Vec<u8>> = messages().iter().map(|message| alone(message)).collect();
    expected.extend([b"abc".to_vec(), alone(&[0x91, 7])]);
    assert!(expected.contains(&b"3 x 1".to_vec()) && expected.contains(&b"40000 x 1".to_vec()));
    for piece in [1, 2, 3, 7, 8, 9, 4096, usize::MAX] {
        let (mut incoming, mut found) = (incoming(Limits::default()), Vec::new());
        for mut part in wire.chunks(piece.min(wire.len())) {
            while !part.is_empty() {
                let (count, step) = incoming.feed(part).unwrap();
                part = &part[count..];
                if let MessageStep::Whole = step {
                    found.push(taken(&mut incoming));
                }
            }
        }
        assert_eq!(found, expected, "pieces of {piece}");
        incoming.end().unwrap();
    }
}

#[test]
fn buffers_never_reach_into_the_next_message() {
    let wire: Vec<u8> = [doubles(90_000), vec![0x90], doubles(70_000)].concat();
    let (mut incoming, mut at, mut found) = (incoming(Limits::default()), 0, Vec::new());
    let mut in_buffers = 0;
    while at < wire.len() {
        let mut count = 0;
        for buffer in incoming.io_buffers(1 << 20).unwrap().iter_mut() {
            let n = buffer.len().min(wire.len() - at - count);
            buffer[..n].copy_from_slice(&wire[at + count..at + count + n]);
            count += n;
        }
        at += count;
        in_buffers += count;
        let mut step = incoming.filled(count).unwrap();
        if count == 0 {
            let (count, fed) = incoming.feed(&wire[at..wire.len().min(at + 5000)]).unwrap();
            at += count;
            step = fed;
        }
        if let MessageStep::Whole = step {
            found.push(taken(&mut incoming));
        }
    }
    assert_eq!(found, [b"90000 x 1".to_vec(), vec![0x90], b"70000 x 1".to_vec()]);
    assert!(in_buffers > wire.len() / 2, "{in_buffers} of {}", wire.len());
}

#[test]
fn declared_sizes_do_not_allocate_and_limits_hold() {
    let mut open = incoming(Limits::default());
    let (count, step) = open.feed(b"\xdd\xff\xff\xff\xff\x01").unwrap();
    assert!(count == 6 && matches!(step, MessageStep::Need));
    let room: usize = open.io_buffers(1 << 30).unwrap().iter().map(|r| r.len()).sum();
    assert!(room <= PIECE_NBYTES, "{room}");
    let ErrorKind::Truncated { needed, had } = *open.end().unwrap_err().kind() else { panic!("not cut") };
    assert_eq!((needed, had), (5 + u64::from(u32::MAX), 6));

    let small = Limits { max_nbytes: 1000, ..Limits::default() };
    let error = incoming(small).feed(b"\xdc\x03\xe9").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded), "{error}");
    let deep = incoming(Limits { max_depth: 3, ..Limits::default() }).feed(&[0x91; 5]).unwrap_err();
    assert!(matches!(deep.kind(), ErrorKind::LimitExceeded), "{deep}");
    let reserved = incoming(Limits::default()).feed(b"\x92\x01\xc1").unwrap_err();
    assert!(matches!(reserved.kind(), ErrorKind::Malformed), "{reserved}");
    assert!(reserved.to_string().contains('2'), "{reserved}");
}

#[test]
fn received_bytes_are_kept() {
    let mut open = incoming(Limits::default());
    open.feed(b"\x92\xa3ab").unwrap();
    assert_eq!(open.partial(), b"\xa3ab", "what was taken in is gone");
    assert!(matches!(open.end().unwrap_err().kind(), ErrorKind::Truncated { needed: 6, had: 4 }));
    assert!(incoming(Limits::default()).feed(b"\x05\0\0\0\0\0\0\0").is_err());
    let pickle = incoming(Limits::default()).feed(b"\x80\x04\x95\x10\0\0\0\0\0\0\0\x94.");
    assert!(matches!(pickle.unwrap_err().kind(), ErrorKind::Malformed));
}
