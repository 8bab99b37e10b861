//! Messages are told apart and found whole, however their bytes arrive. What other programs receive is tested in `tests/net`.

use super::*;
use crate::ErrorKind;
use crate::decode::Request;
use crate::error::Result;
use crate::formats::arrow::read::DecodedStream;
use crate::limits::Limits;
use crate::progress::NoProgress;

/// An array of two integers.
const MSGPACK: &[u8] = &[0x92, 1, 2];
const CSV: &[u8] = b"# colonnade: {\"nrows\":1}\na\n1\n";
const NDJSON: &[u8] = b"{\"__colonnade__\":{\"nrows\":1}}\n{\"a\":1}\n";

fn incoming(limits: Limits) -> Incoming {
    Incoming::new(limits, |nbytes| Ok(Box::new(vec![0; nbytes])))
}

/// A frame of one column, which arrow-rs has written.
fn arrow() -> Vec<u8> {
    use arrow_array::{Int64Array, RecordBatch};
    let column: arrow_array::ArrayRef = std::sync::Arc::new(Int64Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
    let mut out = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    out.write(&batch).unwrap();
    out.write(&batch).unwrap();
    out.into_inner().unwrap()
}

fn enveloped(bytes: &[u8]) -> Vec<u8> {
    [&envelope(b'B', bytes.len() as u64)[..], bytes].concat()
}

/// A word for each step, of input that arrives in pieces of `step` bytes.
fn words(incoming: &mut Incoming, input: &[u8], step: usize) -> Result<Vec<String>> {
    let mut out = Vec::new();
    for mut piece in input.chunks(step) {
        while !piece.is_empty() {
            let (count, step) = incoming.feed(piece)?;
            piece = &piece[count..];
            match step {
                MessageStep::Need => assert!(piece.is_empty(), "bytes that are not taken"),
                MessageStep::Schema => out.push("schema".into()),
                MessageStep::Batch(frame) => out.push(format!("batch of {}", frame.nrows)),
                MessageStep::End => out.push("end".into()),
                MessageStep::Whole => out.push(word(incoming)),
            }
        }
    }
    Ok(out)
}

fn word(incoming: &mut Incoming) -> String {
    assert!(incoming.is_whole() && incoming.end().is_ok() && incoming.partial().is_empty());
    let waiting = incoming.waiting();
    let message = incoming.take().unwrap();
    let (is_bytes, word) = match message {
        Message::Bytes(mut bytes) => (true, String::from_utf8(bytes.as_mut_slice().to_vec()).unwrap()),
        Message::Table(format, bytes) => (false, format!("{format:?} of {}", bytes.as_slice().len())),
        Message::Msgpack(_) => (false, "msgpack".into()),
        Message::Frame(decoder) => match decoder.into_decoded(&Request::all(1, &NoProgress)).unwrap() {
            DecodedStream::Frame(frame) => (false, format!("frame of {}", frame.nrows)),
            DecodedStream::Opened(opened) => (false, format!("{:?}", opened.shape())),
        },
    };
    assert_eq!(waiting, if is_bytes { PendingMessage::Bytes } else { PendingMessage::Frame }, "{word}");
    word
}

#[test]
fn messages_of_all_kinds_follow_one_another() {
    let input = [&arrow()[..], MSGPACK, &enveloped(b"text"), CSV, &enveloped(b""), NDJSON, &arrow()].concat();
    for step in [1, 2, 7, 64, input.len()] {
        let mut incoming = incoming(Limits::default());
        let words = words(&mut incoming, &input, step).unwrap();
        let expected = ["frame of 6", "msgpack", "text", "Csv of 29", "", "Ndjson of 38", "frame of 6"];
        assert_eq!(words, expected, "pieces of {step}");
        assert_eq!((incoming.count(), incoming.is_between(), incoming.is_whole()), (7, true, false));
        incoming.end().unwrap();
    }
}

#[test]
fn a_frame_comes_in_batches_if_it_has_not_begun() {
    for step in [1, 9, 10_000] {
        let mut incoming = incoming(Limits::default());
        assert!(incoming.by_batch(true) && incoming.decoder().is_none());
        let got = words(&mut incoming, &arrow(), step).unwrap();
        assert_eq!(got, ["schema", "batch of 3", "batch of 3", "end"], "pieces of {step}");
        assert_eq!((incoming.count(), incoming.is_between()), (1, true));
        // The next frame is whole again, and one that has begun stays as it is.
        let input = arrow();
        assert!(words(&mut incoming, &input[..100], step).unwrap().is_empty());
        assert!(!incoming.by_batch(true));
        assert_eq!(words(&mut incoming, &input[100..], step).unwrap(), ["frame of 6"]);
        assert!(incoming.by_batch(true));
        assert!(!incoming.by_batch(false));
        assert_eq!(words(&mut incoming, &input, step).unwrap(), ["frame of 6"]);
    }
    let mut incoming = incoming(Limits::default());
    incoming.by_batch(true);
    let input = arrow();
    words(&mut incoming, &input[..input.len() - 9], 50).unwrap();
    assert!(incoming.decoder().is_some() && incoming.by_batch(true), "it is read by batch already");
}

#[test]
fn the_first_bytes_tell_the_kind() {
    let cases: [(&[u8], usize, PendingMessage); 5] = [
        (&arrow(), 4, PendingMessage::Frame),
        (&enveloped(b"text"), 3, PendingMessage::Bytes),
        (MSGPACK, 1, PendingMessage::Frame),
        (CSV, 1, PendingMessage::Frame),
        (NDJSON, 1, PendingMessage::Frame),
    ];
    for (input, known_from, kind) in cases {
        for count in 0..input.len() {
            let mut incoming = incoming(Limits::default());
            assert!(words(&mut incoming, &input[..count], 1).unwrap().is_empty());
            let expected = if count < known_from { PendingMessage::Nothing } else { kind };
            assert_eq!(
                incoming.waiting(),
                expected,
                "{count} bytes of {:02x?}",
                &input[..4.min(input.len())]
            );
            assert_eq!(incoming.is_between(), count == 0);
            assert_eq!(incoming.end().is_ok(), count == 0);
            assert!(incoming.take().is_none() && !incoming.is_whole());
        }
    }
}

#[test]
fn an_input_that_ends_early_names_the_bytes() {
    let cases: [(&[u8], usize, u64, u64); 7] = [
        (&[0xFF; 4], 4, 4, 8),
        (b"\xc1CN\x01", 4, 4, 8),
        (&enveloped(b"text"), 9, 9, 16),
        (&enveloped(b"text"), 17, 17, 20),
        (CSV, 10, 10, 11),
        (CSV, 26, 26, 28),
        (NDJSON, 31, 31, 32),
    ];
    for (input, count, had, needed) in cases {
        let mut incoming = incoming(Limits::default());
        words(&mut incoming, &input[..count], 3).unwrap();
        let error = incoming.end().unwrap_err();
        let found = error.kind();
        assert!(
            matches!(found, ErrorKind::Truncated { needed: n, had: h } if (*n, *h) == (needed, had)),
            "{error}"
        );
        let expected = format!(
            "message: the input ends inside a message: found {had} bytes, expected at least {needed}."
        );
        assert_eq!(error.to_string(), expected);
    }
    for input in [MSGPACK, &arrow()] {
        let mut incoming = incoming(Limits::default());
        words(&mut incoming, &input[..input.len() - 1], 3).unwrap();
        assert!(matches!(incoming.end().unwrap_err().kind(), ErrorKind::Truncated { .. }));
    }
}

#[test]
fn received_bytes_of_a_piece_are_given_back() {
    let cases: [(&[u8], usize, &[u8]); 4] = [
        (&enveloped(b"text"), 5, b"\xc1CNB\0"),
        (&enveloped(b"text"), 18, b"te"),
        (CSV, 20, &CSV[..20]),
        (NDJSON, 35, &NDJSON[..35]),
    ];
    for (input, count, expected) in cases {
        let mut incoming = incoming(Limits::default());
        words(&mut incoming, &input[..count], 4).unwrap();
        assert_eq!(incoming.partial(), expected);
    }
}

#[test]
fn buffers_take_what_is_needed_and_no_more() {
    let input = enveloped(b"text");
    let mut incoming = incoming(Limits::default());
    let mut at = 0;
    for expected in [1, 7, 8, 4] {
        let mut buffers = incoming.io_buffers(1000).unwrap();
        let [buffer] = &mut buffers[..] else { panic!("{} buffers", buffers.len()) };
        assert_eq!(buffer.len(), expected);
        buffer.copy_from_slice(&input[at..at + expected]);
        at += expected;
        let step = incoming.filled(expected).unwrap();
        assert_eq!(matches!(step, MessageStep::Whole), at == input.len());
    }
    assert!(incoming.io_buffers(1000).unwrap().is_empty(), "a whole message waits");
    assert!(matches!(incoming.filled(0).unwrap(), MessageStep::Whole));
    assert_eq!(incoming.feed(b"next").unwrap().0, 0);
    assert_eq!(word(&mut incoming), "text");
}

#[test]
fn other_first_bytes_and_large_messages_are_errors() {
    let found = words(&mut incoming(Limits::default()), b"GET / HTTP/1.1\r\n", 100).unwrap_err().to_string();
    assert!(
        found.contains("expected a frame") && found.contains("[47, 45, 54, 20, 2f, 20, 48, 54]"),
        "{found}"
    );
    let limits = Limits { max_nbytes: 4, ..Limits::default() };
    assert_eq!(words(&mut incoming(limits), &enveloped(b"text"), 3).unwrap(), ["text"]);
    let error = words(&mut incoming(limits), &enveloped(b"texts"), 3).unwrap_err();
    let expected = "message: a message of 5 bytes, over the limit of 4. Raise max_nbytes to receive it.";
    assert_eq!(error.to_string(), expected);
}
