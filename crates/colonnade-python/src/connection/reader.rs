//! One message read batch by batch.

use colonnade::formats::arrow::read::{DecodedStream, Ipc, Request};
use colonnade::frame::Frame;
use colonnade::message::{Message, MessageStep, PendingMessage};
use colonnade::progress::Progress;
use pyo3::exceptions::{PyEOFError, PyValueError};
use pyo3::prelude::*;

use crate::errors;
use crate::frame::CoreFrame;
use crate::watched::watched;

use super::Connection;
use super::inner::{Failed, watched_in};
use super::msgpack::{self, Held};
use super::receive::{Answer, Turn};
use super::table;

/// What a turn gave this reader.
enum Gave {
    Schema(Box<Frame>, Option<u64>),
    Batch(Box<Frame>),
    /// The message had come whole before anyone asked for its batches. It is decoded when the receiving side is free again:
    /// signals are looked for meanwhile.
    Whole(Box<Message>),
    Bytes,
    /// This reader's message is over.
    End,
    /// No message comes any more.
    Nothing,
    /// The message was left for another.
    Left,
}

/// One message of a connection, batch by batch.
#[pyclass(module = "colonnade._core")]
pub(crate) struct ConnectionReader {
    connection: Py<Connection>,
    timeout_s: Option<f64>,
    /// The message's number, once it has begun.
    number: Option<u64>,
    schema: Option<CoreFrame>,
    announced: Option<u64>,
    /// Batches that came while the schema was asked for, the last first.
    waiting: Vec<Frame>,
    ended: bool,
}

impl ConnectionReader {
    pub(super) fn new(connection: Py<Connection>, timeout_s: Option<f64>) -> Self {
        Self {
            connection,
            timeout_s,
            number: None,
            schema: None,
            announced: None,
            waiting: Vec::new(),
            ended: false,
        }
    }

    fn turn(&mut self, py: Python<'_>) -> PyResult<Gave> {
        let connection = self.connection.get();
        let (mut number, mut left) = (self.number, usize::MAX);
        let gave =
            connection.receiving(py, connection.patience(self.timeout_s)?, None, |receiving, pull| {
                if number.is_some_and(|n| n != receiving.incoming.count() + 1) {
                    return Ok(Answer::Done(Gave::Left));
                }
                if number.is_none() {
                    // The rest of a message that another reader left.
                    while receiving.incoming.decoder().is_some() {
                        match receiving.turn(pull, &mut left)? {
                            Turn::Pending => return Ok(Answer::Wait),
                            Turn::Look => return Ok(Answer::Look),
                            Turn::End => return Ok(Answer::Done(Gave::Nothing)),
                            Turn::Step(_) => {}
                        }
                    }
                    receiving.incoming.by_batch(true);
                    number = Some(receiving.incoming.count() + 1);
                }
                loop {
                    return Ok(Answer::Done(match receiving.turn(pull, &mut left)? {
                        Turn::Pending => return Ok(Answer::Wait),
                        Turn::Look => return Ok(Answer::Look),
                        Turn::Step(MessageStep::Need) => continue,
                        Turn::End => Gave::Nothing,
                        Turn::Step(MessageStep::Batch(frame)) => Gave::Batch(frame),
                        Turn::Step(MessageStep::End) => Gave::End,
                        Turn::Step(MessageStep::Schema) => match receiving.incoming.decoder() {
                            Some(decoder) => Gave::Schema(Box::new(decoder.empty()?), decoder.announced()),
                            None => continue,
                        },
                        Turn::Step(MessageStep::Whole)
                            if receiving.incoming.waiting() == PendingMessage::Bytes =>
                        {
                            Gave::Bytes
                        }
                        Turn::Step(MessageStep::Whole) => match receiving.incoming.take() {
                            // Bytes wait for their own call.
                            Some(Message::Bytes(_)) | None => continue,
                            Some(message) => Gave::Whole(Box::new(message)),
                        },
                    }));
                }
            })?;
        self.number = number;
        Ok(gave)
    }

    /// Takes turns until a batch is there, or the schema where that is all that is wanted; `false` at the end.
    fn advance(&mut self, py: Python<'_>, schema_only: bool) -> PyResult<bool> {
        while !self.ended {
            match self.turn(py)? {
                Gave::Schema(empty, announced) => {
                    self.schema = Some(CoreFrame::new(*empty));
                    self.announced = announced;
                    if schema_only {
                        return Ok(true);
                    }
                }
                Gave::Batch(frame) => {
                    self.waiting.push(*frame);
                    return Ok(true);
                }
                Gave::Whole(message) => {
                    self.waiting = self.decoded(py, *message)?;
                    self.schema = self.waiting.last().map(|frame| CoreFrame::new(frame.slice(0, 0)));
                    return Ok(true);
                }
                Gave::End => self.ended = true,
                Gave::Bytes => {
                    self.number = None;
                    let message = "expected a frame, found opaque bytes: take them with receive_bytes().";
                    return Err(errors::decode(format!("{}: {message}", self.context())));
                }
                Gave::Nothing => {
                    self.ended = true;
                    return Err(PyEOFError::new_err(format!(
                        "{}: the end of input, no message comes any more",
                        self.context()
                    )));
                }
                Gave::Left => {
                    self.ended = true;
                    return Err(PyValueError::new_err(format!(
                        "{}: this message was left for the next one; read each to its end",
                        self.context()
                    )));
                }
            }
        }
        Ok(!self.waiting.is_empty())
    }

    /// The batches of a message that had come whole, the last first.
    fn decoded(&mut self, py: Python<'_>, message: Message) -> PyResult<Vec<Frame>> {
        let inner = &*self.connection.get().inner;
        let (options, threads) = (&inner.options, inner.options.threads);
        let decoded = watched_in(py, None, |watch| {
            Ok(match message {
                Message::Frame(decoder) => Some(decoder.into_decoded(false, threads, watch)?),
                Message::Msgpack(bytes) => match msgpack::open(*bytes, false, options, watch)? {
                    Held::Frame(frame) => Some(DecodedStream::Frame(frame)),
                    Held::Bundle(_) => None,
                },
                Message::Table(format, bytes) => {
                    Some(DecodedStream::Frame(Box::new(table::open(format, &bytes, options, watch)?)))
                }
                Message::Bytes(_) => None,
            })
        });
        self.ended = decoded.is_ok();
        match decoded {
            Ok(Some(DecodedStream::Frame(frame))) => Ok(vec![*frame]),
            Ok(Some(DecodedStream::Opened(ipc))) => {
                watched(py, None, None, |watch| all_batches(&ipc, threads, watch))
            }
            Ok(None) => {
                let message = "expected a frame, found several by name, which have no batches: receive() takes such messages.";
                Err(errors::decode(format!("{}: {message}", self.context())))
            }
            Err(Failed::Raised(error)) => Err(error),
            Err(Failed::Work(error)) => Err(inner.receiving_failed(py, error)),
        }
    }

    fn context(&self) -> String {
        let inner = &self.connection.get().inner;
        match self.number {
            Some(number) => inner.context("message", number),
            None => inner.peer.clone(),
        }
    }
}

/// The batches of a stream, the last first; at least one.
fn all_batches(ipc: &Ipc, threads: usize, progress: &dyn Progress) -> colonnade::Result<Vec<Frame>> {
    let request = Request::all(threads, progress);
    let mut frames = ipc.load_arrow(&request)?;
    frames.reverse();
    Ok(frames)
}

#[pymethods]
impl ConnectionReader {
    fn schema(&mut self, py: Python<'_>) -> PyResult<CoreFrame> {
        if self.schema.is_none() {
            self.advance(py, true)?;
        }
        let schema = self.schema.as_ref().map(CoreFrame::again);
        schema.ok_or_else(|| PyValueError::new_err(format!("{}: the schema did not come", self.context())))
    }

    fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<CoreFrame>> {
        if self.waiting.is_empty() && !self.advance(py, false)? {
            return Ok(None);
        }
        Ok(self.waiting.pop().map(CoreFrame::new))
    }

    /// Rows that the writer announced.
    #[getter]
    fn nrows(&self) -> Option<u64> {
        self.announced
    }
}
