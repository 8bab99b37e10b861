//! Feeds the bytes of a connection to the decoder of messages, in pieces.
//!
//! Input: a byte that chooses the ways, the number of sizes, the sizes of the pieces less one, then the bytes.

use colonnade::decode::Request;
use colonnade::formats::Format;
use colonnade::formats::arrow::read::DecodedStream;
use colonnade::formats::msgpack::{MsgpackFormat, ReadOptions};
use colonnade::limits::Limits;
use colonnade::memory::Buffer;
use colonnade::message::{Incoming, Message, MessageStep, PendingMessage};
use colonnade::progress::NoProgress;
use colonnade::source::Source;
use colonnade_capi::write::encode;

use crate::check_error;

/// Receives the bytes in pieces of the given sizes, and as one piece.
///
/// # Panics
/// If the pieces change the messages, or whether there is an error.
pub fn messages(input: &[u8]) {
    let [choice, count, rest @ ..] = input else { return };
    let (sizes, bytes) = rest.split_at(usize::from(count % 16).min(rest.len()));
    let by_batch = choice % 2 == 1;
    let whole = Received::of(bytes, &[], by_batch);
    let pieces = Received::of(bytes, sizes, by_batch);
    // Of several errors in a message, each piece may show another one first.
    assert_eq!(pieces.error.is_some(), whole.error.is_some(), "{:?}, {:?}", pieces.error, whole.error);
    assert_eq!(pieces.messages, whole.messages, "the messages");
}

/// What the messages hold, in words, and the error that ended them.
#[derive(Default)]
struct Received {
    messages: Vec<String>,
    error: Option<String>,
}

impl Received {
    fn of(bytes: &[u8], sizes: &[u8], by_batch: bool) -> Self {
        let mut out = Self::default();
        let ended = out.receive(bytes, sizes, by_batch);
        out.error = ended.err().inspect(check_error).map(|error| error.to_string());
        out
    }

    fn receive(&mut self, mut bytes: &[u8], sizes: &[u8], by_batch: bool) -> colonnade::Result<()> {
        let nbytes = bytes.len();
        let mut incoming = Incoming::new(limits(), |nbytes| Ok(Box::new(vec![0; nbytes])));
        let mut sizes = sizes.iter().map(|size| usize::from(*size) + 1).cycle();
        while !bytes.is_empty() {
            let count = sizes.next().unwrap_or(usize::MAX).min(bytes.len());
            let (mut piece, rest) = bytes.split_at(count);
            while !piece.is_empty() {
                if incoming.is_between() {
                    incoming.by_batch(by_batch);
                }
                let (taken, step) = incoming.feed(piece)?;
                let is_known = incoming.waiting() != PendingMessage::Nothing;
                assert!(is_known || !incoming.is_whole(), "a whole message of no kind");
                assert!(incoming.partial().len() <= nbytes, "more bytes than the input has");
                assert!(incoming.is_whole() || incoming.take().is_none(), "a message before its end");
                assert!(incoming.decoder().is_none() || by_batch, "batches that were not asked for");
                assert!(incoming.count() <= self.messages.len() as u64, "more messages than were taken");
                assert!(
                    taken > 0 || !matches!(step, MessageStep::Need),
                    "bytes are neither taken nor refused"
                );
                self.step(&mut incoming, step)?;
                piece = &piece[taken..];
            }
            bytes = rest;
        }
        incoming.end()
    }

    fn step(&mut self, incoming: &mut Incoming, step: MessageStep) -> colonnade::Result<()> {
        match step {
            MessageStep::Need => {}
            MessageStep::Schema => self.messages.push("schema".into()),
            MessageStep::Batch(frame) => self.messages.push(format!("batch of {}", frame.nrows)),
            MessageStep::End => self.messages.push("end".into()),
            MessageStep::Whole => {
                if let Some(message) = incoming.take() {
                    self.messages.push(words(message)?);
                }
            }
        }
        Ok(())
    }
}

fn limits() -> Limits {
    Limits { max_unbacked_nbytes: 1_000_000, max_expansion: 64, max_nbytes: 1 << 24, ..Limits::default() }
}

/// What a message holds, in words that are equal for equal messages.
fn words(message: Message) -> colonnade::Result<String> {
    Ok(match message {
        Message::Bytes(mut bytes) => format!("bytes {:08x}", crc32fast::hash(bytes.as_mut_slice())),
        Message::Table(_, bytes) => format!("table {:08x}", crc32fast::hash(bytes.as_slice())),
        // A value is decoded while it arrives or when it is whole. In both cases its error ends the input.
        Message::Msgpack(received) => match received.frame()? {
            Ok(frame) => frame_words(&frame),
            Err(bytes) => value_words(bytes)?,
        },
        Message::Frame(decoder) => match decoder.into_decoded(&Request::all(1, &NoProgress))? {
            DecodedStream::Frame(frame) => frame_words(&frame),
            DecodedStream::Opened(opened) => {
                let frame = opened.load(&Request::all(1, &NoProgress));
                frame.map_or_else(|error| error.to_string(), |frame| frame_words(&frame))
            }
        },
    })
}

fn value_words(bytes: Buffer) -> colonnade::Result<String> {
    let options = ReadOptions { limits: limits(), threads: 1, ..ReadOptions::default() };
    let opened = MsgpackFormat.open(Source::Memory(bytes), &options, &NoProgress)?;
    Ok(match opened.kind() {
        "frame" => frame_words(&opened.load(&Request::all(1, &NoProgress))?.frame),
        _ => format!("{:?}", opened.labels()?),
    })
}

fn frame_words(frame: &colonnade::frame::Frame) -> String {
    let mut bytes = Vec::new();
    match encode(frame, "arrows", Some(r#"{"threads":1}"#), &mut bytes, &NoProgress) {
        Ok(_) => format!("frame of {} x {}, {:08x}", frame.nrows, frame.ncols, crc32fast::hash(&bytes)),
        Err(error) => error.to_string(),
    }
}
