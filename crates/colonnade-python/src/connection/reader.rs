//! Reads one message of a connection batch by batch.

use colonnade::formats::arrow::read::{DecodedStream, Ipc, Request};
use colonnade::frame::Frame;
use colonnade::message::{Message, MessageStep, PendingMessage};
use colonnade::progress::Progress;
use pyo3::exceptions::{PyEOFError, PyValueError};
use pyo3::prelude::*;

use crate::errors;
use crate::frame::CoreFrame;
use crate::run::run_with_progress;

use super::Connection;
use super::msgpack::{self, MsgpackContent};
use super::receive::{Turn, TurnOutcome};
use super::state::{CallError, run_call};
use super::table;

/// The result of one turn of receiving.
enum ReaderEvent {
    Schema(Box<Frame>, Option<u64>),
    Batch(Box<Frame>),
    /// The message was complete before its batches were requested. It is decoded after the receiving side is unlocked, so that
    /// signals are checked meanwhile.
    Whole(Box<Message>),
    Bytes,
    /// The end of this reader's message.
    End,
    /// The end of the connection's input.
    Nothing,
    /// Another call has taken the rest of the message.
    Left,
}

/// Reads the batches of one message.
#[pyclass(module = "colonnade._core")]
pub(crate) struct ConnectionReader {
    connection: Py<Connection>,
    timeout_s: Option<f64>,
    /// The message's number, set when the message begins.
    number: Option<u64>,
    schema: Option<CoreFrame>,
    announced: Option<u64>,
    /// Batches that arrived while the schema was read, in reverse order.
    queue: Vec<Frame>,
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
            queue: Vec::new(),
            ended: false,
        }
    }

    fn turn(&mut self, py: Python<'_>) -> PyResult<ReaderEvent> {
        let connection = self.connection.get();
        let (mut number, mut left) = (self.number, usize::MAX);
        let event = connection.with_receiver(
            py,
            connection.timeout(self.timeout_s)?,
            None,
            |receiver, context| {
                if number.is_some_and(|n| n != receiver.incoming.count() + 1) {
                    return Ok(TurnOutcome::Done(ReaderEvent::Left));
                }
                if number.is_none() {
                    // Skip the rest of a message that another reader left.
                    while receiver.incoming.decoder().is_some() {
                        match receiver.turn(context, &mut left)? {
                            Turn::Pending => return Ok(TurnOutcome::Wait),
                            Turn::CheckSignals => return Ok(TurnOutcome::CheckSignals),
                            Turn::End => return Ok(TurnOutcome::Done(ReaderEvent::Nothing)),
                            Turn::Step(_) => {}
                        }
                    }
                    receiver.incoming.by_batch(true);
                    number = Some(receiver.incoming.count() + 1);
                }
                loop {
                    return Ok(TurnOutcome::Done(match receiver.turn(context, &mut left)? {
                        Turn::Pending => return Ok(TurnOutcome::Wait),
                        Turn::CheckSignals => return Ok(TurnOutcome::CheckSignals),
                        Turn::Step(MessageStep::Need) => continue,
                        Turn::End => ReaderEvent::Nothing,
                        Turn::Step(MessageStep::Batch(frame)) => ReaderEvent::Batch(frame),
                        Turn::Step(MessageStep::End) => ReaderEvent::End,
                        Turn::Step(MessageStep::Schema) => match receiver.incoming.decoder() {
                            Some(decoder) => {
                                ReaderEvent::Schema(Box::new(decoder.empty()?), decoder.announced())
                            }
                            None => continue,
                        },
                        Turn::Step(MessageStep::Whole)
                            if receiver.incoming.waiting() == PendingMessage::Bytes =>
                        {
                            ReaderEvent::Bytes
                        }
                        Turn::Step(MessageStep::Whole) => match receiver.incoming.take() {
                            // Messages of bytes wait for a call of `receive`.
                            Some(Message::Bytes(_)) | None => continue,
                            Some(message) => ReaderEvent::Whole(Box::new(message)),
                        },
                    }));
                }
            },
        )?;
        self.number = number;
        Ok(event)
    }

    /// Takes turns until a batch has arrived, or with `schema_only` the schema. Returns `false` at the end of the message.
    fn advance(&mut self, py: Python<'_>, schema_only: bool) -> PyResult<bool> {
        while !self.ended {
            match self.turn(py)? {
                ReaderEvent::Schema(empty, announced) => {
                    self.schema = Some(CoreFrame::new(*empty));
                    self.announced = announced;
                    if schema_only {
                        return Ok(true);
                    }
                }
                ReaderEvent::Batch(frame) => {
                    self.queue.push(*frame);
                    return Ok(true);
                }
                ReaderEvent::Whole(message) => {
                    self.queue = self.decode_message(py, *message)?;
                    self.schema = self.queue.last().map(|frame| CoreFrame::new(frame.slice(0, 0)));
                    return Ok(true);
                }
                ReaderEvent::End => self.ended = true,
                ReaderEvent::Bytes => {
                    self.number = None;
                    let message = "expected a frame, found opaque bytes: take them with receive_bytes().";
                    return Err(errors::decode(format!("{}: {message}", self.context())));
                }
                ReaderEvent::Nothing => {
                    self.ended = true;
                    return Err(PyEOFError::new_err(format!(
                        "{}: the end of input, no message comes any more",
                        self.context()
                    )));
                }
                ReaderEvent::Left => {
                    self.ended = true;
                    return Err(PyValueError::new_err(format!(
                        "{}: this message was left for the next one; read each to its end",
                        self.context()
                    )));
                }
            }
        }
        Ok(!self.queue.is_empty())
    }

    /// Decodes a message that was complete. Returns its batches in reverse order.
    fn decode_message(&mut self, py: Python<'_>, message: Message) -> PyResult<Vec<Frame>> {
        let inner = &*self.connection.get().inner;
        let (options, threads) = (&inner.options, inner.options.threads);
        let decoded = run_call(py, None, |watch| {
            Ok(match message {
                Message::Frame(decoder) => Some(decoder.into_decoded(&Request::all(threads, watch))?),
                Message::Msgpack(bytes) => match msgpack::open(*bytes, false, options, watch)? {
                    MsgpackContent::Frame(frame) => Some(DecodedStream::Frame(frame)),
                    MsgpackContent::Bundle(_) => None,
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
                run_with_progress(py, None, None, |watch| all_batches(&ipc, threads, watch))
            }
            Ok(None) => {
                let message = "expected a frame, found several by name, which have no batches: receive() takes such messages.";
                Err(errors::decode(format!("{}: {message}", self.context())))
            }
            Err(CallError::Raised(error)) => Err(error),
            Err(CallError::Work(error)) => Err(inner.receive_error(py, error)),
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

/// Decodes the batches of a stream. Returns at least one, in reverse order.
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
        let schema = self.schema.as_ref().map(CoreFrame::share);
        schema.ok_or_else(|| PyValueError::new_err(format!("{}: the schema did not come", self.context())))
    }

    fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<CoreFrame>> {
        if self.queue.is_empty() && !self.advance(py, false)? {
            return Ok(None);
        }
        Ok(self.queue.pop().map(CoreFrame::new))
    }

    /// The number of rows that the writer announced.
    #[getter]
    fn nrows(&self) -> Option<u64> {
        self.announced
    }
}
