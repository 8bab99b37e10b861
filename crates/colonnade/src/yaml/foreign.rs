//! Nodes as MessagePack: what others wrote becomes a frame by the rules that hold for MessagePack.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::frame::Frame;
use crate::msgpack::head::{Head, head};
use crate::msgpack::read::foreign::{self, Layout};

use super::nodes::{Document, byte_of};
use super::options::{Orient, ReadOptions};
use super::resolve::Value;

/// The document as MessagePack, and where each node begins.
pub(super) struct Packed<'d, 't> {
    document: &'d Document<'t>,
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

fn put(written: bool, document: &Document<'_>, at: usize) -> Result<()> {
    if written {
        return Ok(());
    }
    Err(document.error(ErrorKind::Malformed, at, None, "no memory for the document."))
}

impl<'d, 't> Packed<'d, 't> {
    pub(super) fn new(document: &'d Document<'t>) -> Result<Self> {
        let mut out = Self { document, bytes: Vec::new(), starts: Vec::with_capacity(document.nodes.len()) };
        for node in &document.nodes {
            out.starts.push(out.bytes.len());
            out.node(&node.value, node.at)?;
        }
        Ok(out)
    }

    fn node(&mut self, value: &Value<'_>, at: usize) -> Result<()> {
        use rmp::encode::{
            write_array_len, write_bool, write_f64, write_map_len, write_nil, write_sint, write_str,
            write_uint,
        };
        let out = &mut self.bytes;
        let wrong = |message: String| self.document.error(ErrorKind::Malformed, at, None, message);
        let count = |n: usize| {
            u32::try_from(n).map_err(|_| wrong(format!("expected at most 4294967295 entries, found {n}.")))
        };
        let written = match value {
            Value::Null => write_nil(out).is_ok(),
            Value::Bool(value) => write_bool(out, *value).is_ok(),
            Value::Int(digits) => match (digits.parse::<i64>(), digits.parse::<u64>()) {
                (Ok(value), _) => write_sint(out, value).is_ok(),
                (_, Ok(value)) => write_uint(out, value).is_ok(),
                _ => {
                    return Err(wrong(format!(
                        "expected an integer of 64 bits, found {digits}. Quote it to read it as text."
                    )));
                }
            },
            Value::Float(text) => write_f64(out, float(text).ok_or_else(|| wrong(too_large(text)))?).is_ok(),
            Value::Str(text) => {
                count(text.len())?;
                write_str(out, text).is_ok()
            }
            Value::Sequence(n, _) => write_array_len(out, count(*n)?).is_ok(),
            Value::Mapping(n, _) => write_map_len(out, count(*n)?).is_ok(),
        };
        put(written, self.document, at)
    }

    /// The frame.
    ///
    /// # Errors
    /// No frame; several; over a limit.
    pub(super) fn frame(&self, options: &ReadOptions) -> Result<Frame> {
        foreign::decode(&self.bytes, 0, &options.msgpack()).map_err(|e| self.placed(e))
    }

    /// Labels of several frames and the values of the root that they are; `None` of one frame.
    ///
    /// # Errors
    /// As [`Packed::frame`].
    pub(super) fn labels(&self, options: &ReadOptions) -> Result<Option<Vec<String>>> {
        match foreign::shape_of(&self.bytes, 0, &options.msgpack()).map_err(|e| self.placed(e))? {
            Layout::Frame(_) => Ok(None),
            Layout::Bundle(frames) => Ok(Some(frames.into_iter().map(|(label, _)| label).collect())),
        }
    }

    /// How the frame is laid out.
    pub(super) fn orient(&self) -> Orient {
        match head(&self.bytes) {
            Ok(Some((Head::Array(_), _))) => Orient::Records,
            _ => Orient::Columns,
        }
    }

    /// An error of MessagePack at the node that it is about.
    #[cold]
    fn placed(&self, error: Error) -> Error {
        let offset = error.location().offset.and_then(|o| usize::try_from(o).ok()).unwrap_or(0);
        let i = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let at = self.document.nodes.get(i).map_or(0, |node| node.at);
        let member = error.location().member.clone();
        let message = error.message().to_owned();
        self.document.error(error.into_kind(), at, member.as_deref(), message)
    }
}

/// A finite float, or a word for another.
pub(super) fn float(text: &str) -> Option<f64> {
    let (negative, word) = match text.strip_prefix('-') {
        Some(word) => (true, word),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    match word.to_ascii_lowercase().as_str() {
        ".inf" => Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY }),
        ".nan" => Some(f64::NAN),
        _ => text.parse::<f64>().ok().filter(|value| value.is_finite()),
    }
}

pub(super) fn too_large(text: &str) -> String {
    format!("expected a float of 64 bits, found {text}, which is beyond them. Quote it to read it as text.")
}

/// The bytes of a value of the root in its source: from the start of its line where nothing but white space stands before it.
pub(super) fn extent(document: &Document<'_>, (start, end): (usize, usize)) -> Range<usize> {
    let text = document.text;
    let (start, end) = (byte_of(text, start), byte_of(text, end));
    let before = text.as_str().get(..start).unwrap_or("");
    let line = before.rfind(['\n', '\r']).map_or(0, |i| i + 1);
    let indented = before.get(line..).is_some_and(|front| front.chars().all(|c| c == ' '));
    let start = if indented { line } else { start };
    let byte = |at: usize| usize::try_from(text.place(at).byte).unwrap_or(usize::MAX);
    byte(start)..byte(end)
}
