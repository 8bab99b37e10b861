//! Reads documents without a header: converts the nodes to MessagePack and infers the frame as from schemaless MessagePack.

use std::ops::Range;

use crate::cells::msgpack::column::step;
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::error::{Error, ErrorKind, Result};
use crate::excerpt::number_excerpt;
use crate::frame::Frame;
use crate::infer::schemaless;
use crate::infer::schemaless::SchemalessLayout;

use super::nodes::Document;
use super::options::{ReadOptions, YamlOrient};
use super::resolve::YamlValue;

/// The document as MessagePack, with the offset of each node.
pub(in crate::formats::yaml) struct DocumentMsgpack<'d, 't> {
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

impl<'d, 't> DocumentMsgpack<'d, 't> {
    pub(in crate::formats::yaml) fn new(document: &'d Document<'t>) -> Result<Self> {
        let mut out = Self { document, bytes: Vec::new(), starts: Vec::with_capacity(document.nodes.len()) };
        for node in &document.nodes {
            out.starts.push(out.bytes.len());
            out.node(&node.value, node.at)?;
        }
        Ok(out)
    }

    fn node(&mut self, value: &YamlValue<'_>, at: usize) -> Result<()> {
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
            YamlValue::Null => write_nil(out).is_ok(),
            YamlValue::Bool(value) => write_bool(out, *value).is_ok(),
            YamlValue::Int(digits) => match (digits.parse::<i64>(), digits.parse::<u64>()) {
                (Ok(value), _) => write_sint(out, value).is_ok(),
                (_, Ok(value)) => write_uint(out, value).is_ok(),
                _ => return Err(wrong(too_wide(digits))),
            },
            YamlValue::Float(text) => {
                write_f64(out, float(text).ok_or_else(|| wrong(too_large(text)))?).is_ok()
            }
            YamlValue::Str(text) => {
                count(text.len())?;
                write_str(out, text).is_ok()
            }
            YamlValue::Sequence(n, _) => write_array_len(out, count(*n)?).is_ok(),
            YamlValue::Mapping(n, _) => write_map_len(out, count(*n)?).is_ok(),
        };
        put(written, self.document, at)
    }

    /// Decodes the frame.
    ///
    /// # Errors
    /// No frame, or several; over a limit.
    pub(in crate::formats::yaml) fn frame(&self, options: &ReadOptions) -> Result<Frame> {
        schemaless::decode(&self.bytes, 0, &options.msgpack()).map_err(|e| self.placed(e))
    }

    /// Returns the labels of a bundle, which are the keys of the root; `None` for one frame.
    ///
    /// # Errors
    /// As [`DocumentMsgpack::frame`].
    pub(in crate::formats::yaml) fn labels(&self, options: &ReadOptions) -> Result<Option<Vec<String>>> {
        match schemaless::shape_of(&self.bytes, 0, &options.msgpack()).map_err(|e| self.placed(e))? {
            SchemalessLayout::Frame(_) => Ok(None),
            SchemalessLayout::Bundle(frames) => {
                Ok(Some(frames.into_iter().map(|(label, _)| label).collect()))
            }
        }
    }

    /// Returns the layout of the frame.
    pub(in crate::formats::yaml) fn orient(&self) -> YamlOrient {
        match head(&self.bytes) {
            Ok(Some((MsgpackHead::Array(_), _))) => YamlOrient::Records,
            _ => YamlOrient::Columns,
        }
    }

    /// Converts an error of MessagePack to an error at the node that its path names.
    #[cold]
    fn placed(&self, error: Error) -> Error {
        let member = error.location().member.clone();
        let i = match (error.location().offset, &member) {
            (None, Some(path)) => self.key_of(path).unwrap_or(0),
            (offset, _) => {
                let offset = offset.and_then(|o| usize::try_from(o).ok()).unwrap_or(0);
                self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
            }
        };
        let at = self.document.nodes.get(i).map_or(0, |node| node.at);
        // Replaces terms of MessagePack in the message by those of YAML.
        let message =
            error.message().replace("found nil.", "found null.").replace("found str.", "found text.");
        self.document.error(error.into_kind(), at, member.as_deref(), message)
    }

    /// Returns the node of the first key in the root, or in a mapping of the root, that matches a path (`$.name`).
    #[cold]
    fn key_of(&self, path: &str) -> Option<usize> {
        let is_it = |i: usize| match self.document.nodes.get(i).map(|node| &node.value) {
            Some(YamlValue::Str(text)) => format!("${}", step(text)) == path,
            Some(YamlValue::Int(digits)) => format!("$[{digits}]") == path,
            _ => false,
        };
        let mut i = 0;
        while let Some(node) = self.document.nodes.get(i) {
            if let YamlValue::Mapping(n, _) = node.value {
                let mut key = i + 1;
                for _ in 0..n {
                    if is_it(key) {
                        return Some(key);
                    }
                    key = self.document.next_after(key + 1);
                }
            }
            i = if i == 0 { 1 } else { self.document.next_after(i) };
        }
        None
    }
}

/// Parses a float of YAML: finite, infinite or NaN. `None` if it overflows.
pub(in crate::formats::yaml) fn float(text: &str) -> Option<f64> {
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

pub(in crate::formats::yaml) fn too_large(text: &str) -> String {
    let text = number_excerpt(text);
    format!("expected a float of 64 bits, found {text}, which is beyond them. Quote it to read it as text.")
}

pub(in crate::formats::yaml) fn too_wide(digits: &str) -> String {
    let digits = number_excerpt(digits);
    format!("expected an integer of 64 bits, found {digits}. Quote it to read it as text.")
}

/// Returns the byte range of each value of the root, from the start of its line if only blanks precede it.
///
/// Values are in document order, so that all ranges take one pass over the text.
pub(in crate::formats::yaml) fn extents(document: &Document<'_>) -> Vec<Range<usize>> {
    let text = document.text.as_str();
    let (mut chars, mut byte) = (0, 0);
    let mut byte_at = |at: usize| {
        let rest = text.get(byte..).unwrap_or("");
        let more = at.saturating_sub(chars);
        byte += rest.char_indices().nth(more).map_or(rest.len(), |(i, _)| i);
        chars += more;
        byte
    };
    let mut place = (0, usize::try_from(document.text.source().place(0).byte).unwrap_or(usize::MAX));
    let mut source = |at: usize| {
        place = (at, place.1.saturating_add(document.text.source().source_nbytes(place.0..at)));
        place.1
    };
    let one = |&(start, end): &(usize, usize)| {
        let (start, end) = (byte_at(start), byte_at(end));
        let front = text.get(..start).unwrap_or("").trim_end_matches(' ');
        let indented = front.is_empty() || front.ends_with(['\n', '\r']);
        let start = source(if indented { front.len() } else { start });
        start..source(end)
    };
    document.values.iter().map(one).collect()
}
