//! Converts a MessagePack cell to text, guided by the type of its column. [`crate::cells::typed`] writes cells of all
//! types; times are counts.

use std::collections::HashSet;

use arrow_schema::{DataType, Fields, IntervalUnit};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::floats::{self, HalfBits};
use super::{Syntax, TextStyle, strings, times};
use crate::calendar::per_second;
use crate::cells::msgpack::column::changed;
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::typed::half;
use crate::error::{Error, Result};

/// A reader of consecutive MessagePack values.
pub(super) struct MsgpackValues<'b> {
    bytes: &'b [u8],
}

impl<'b> MsgpackValues<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn head(&mut self) -> Result<MsgpackHead> {
        let (found, length) = head(self.bytes).map_err(|e| e.error)?.ok_or_else(changed)?;
        self.bytes = self.bytes.get(length..).ok_or_else(changed)?;
        Ok(found)
    }

    pub(super) fn payload(&mut self, found: MsgpackHead) -> Result<&'b [u8]> {
        let (payload, rest) = self.bytes.split_at_checked(found.payload()).ok_or_else(changed)?;
        self.bytes = rest;
        Ok(payload)
    }

    /// Skips the next value and returns its bytes.
    fn skip(&mut self) -> Result<&'b [u8]> {
        let size = crate::cells::msgpack::skip::skip(self.bytes, u64::MAX)
            .map_err(|e| e.error)?
            .ok_or_else(changed)?;
        let (value, rest) = self.bytes.split_at_checked(size).ok_or_else(changed)?;
        self.bytes = rest;
        Ok(value)
    }
}

pub(super) fn between(i: usize, style: TextStyle, out: &mut Vec<u8>) {
    if i > 0 {
        out.extend_from_slice(if style.syntax == Syntax::Yaml { b", " } else { b"," });
    }
}

pub(super) fn colon(style: TextStyle, out: &mut Vec<u8>) {
    out.extend_from_slice(if style.syntax == Syntax::Yaml { b": " } else { b":" });
}

pub(super) fn put_int(value: i64, out: &mut Vec<u8>) {
    crate::cells::digits::signed(value, out);
}

/// Appends the ISO 8601 text that `iso` writes, or the count if ISO 8601 cannot express it.
pub(super) fn put_iso(
    count: i64,
    style: TextStyle,
    out: &mut Vec<u8>,
    iso: impl FnOnce(&mut Vec<u8>) -> bool,
) {
    let start = out.len();
    let quoted = style.syntax == Syntax::Json;
    if quoted {
        out.push(b'"');
    }
    if !iso(out) {
        out.truncate(start);
        return put_int(count, out);
    }
    if quoted {
        out.push(b'"');
    }
}

/// Appends a timestamp, a date or a time of day of `data_type`; returns false for other types.
pub(super) fn put_time(count: i64, data_type: &DataType, style: TextStyle, out: &mut Vec<u8>) -> bool {
    let between = if style.syntax == Syntax::Csv { b' ' } else { b'T' };
    match data_type {
        DataType::Timestamp(unit, zone) => {
            let utc = if style.syntax == Syntax::Csv { &b"+00:00"[..] } else { b"Z" };
            let zone = if zone.is_some() { utc } else { b"" };
            put_iso(count, style, out, |out| {
                times::put_instant(count, per_second(*unit), between, zone, out)
            });
        }
        DataType::Date32 => put_iso(count, style, out, |out| times::put_date(count, out)),
        DataType::Date64 if count % 86_400_000 == 0 => {
            put_iso(count, style, out, |out| times::put_date(count / 86_400_000, out));
        }
        DataType::Date64 => {
            put_iso(count, style, out, |out| times::put_instant(count, 1000, between, b"", out))
        }
        DataType::Time32(unit) | DataType::Time64(unit) => {
            // YAML 1.1 reads an unquoted time of day as a base-60 number.
            let style = TextStyle {
                syntax: if style.syntax == Syntax::Csv { Syntax::Csv } else { Syntax::Json },
                ..style
            };
            put_iso(count, style, out, |out| times::put_clock(count, per_second(*unit), out));
        }
        _ => return false,
    }
    true
}

/// Appends base64.
pub(super) fn put_base64(bytes: &[u8], style: TextStyle, out: &mut Vec<u8>) {
    strings::put(STANDARD.encode(bytes).as_bytes(), style.syntax, out);
}

/// Converts and appends the next value.
pub(super) fn value(
    values: &mut MsgpackValues<'_>,
    data_type: &DataType,
    style: TextStyle,
    out: &mut Vec<u8>,
) -> Result<()> {
    use DataType as D;
    match data_type {
        D::RunEndEncoded(_, inner) => return value(values, inner.data_type(), style, out),
        // With a header the cell is a code.
        D::Dictionary(_, inner) if !style.header => return value(values, inner, style, out),
        _ => {}
    }
    match (values.head()?, data_type) {
        (MsgpackHead::Nil, _) => out.extend_from_slice(b"null"),
        (MsgpackHead::Bool(found), _) => out.extend_from_slice(if found { b"true" } else { b"false" }),
        (MsgpackHead::Int(found), D::Interval(IntervalUnit::YearMonth)) => put_int(found, out),
        (MsgpackHead::Int(found), _) => {
            if !put_time(found, data_type, style, out) {
                put_int(found, out);
            }
        }
        (MsgpackHead::UInt(found), _) => out.extend_from_slice(itoa::Buffer::new().format(found).as_bytes()),
        (MsgpackHead::F32(bits), D::Float16) => {
            floats::put(HalfBits(half::narrow(bits).ok_or_else(changed)?), style, out)?;
        }
        (MsgpackHead::F32(bits), _) => floats::put(f32::from_bits(bits), style, out)?,
        (MsgpackHead::F64(bits), _) => floats::put(f64::from_bits(bits), style, out)?,
        (found @ MsgpackHead::Str(_), D::Binary | D::LargeBinary | D::BinaryView | D::FixedSizeBinary(_)) => {
            put_base64(values.payload(found)?, style, out);
        }
        (
            found @ MsgpackHead::Str(_),
            D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..) | D::Decimal256(..),
        ) => {
            // Digits are quoted in every syntax that has numbers, because readers would round them.
            strings::put(values.payload(found)?, style.syntax, out);
        }
        (found @ MsgpackHead::Str(_), _) => {
            let text = values.payload(found)?;
            if simdutf8::basic::from_utf8(text).is_err() {
                return Err(no_text(style));
            }
            strings::put(text, style.syntax, out);
        }
        (MsgpackHead::Array(2), D::Union(fields, _)) => {
            out.push(b'[');
            let MsgpackHead::Int(id) = values.head()? else { return Err(changed()) };
            put_int(id, out);
            between(1, style, out);
            let (_, field) = fields.iter().find(|(known, _)| i64::from(*known) == id).ok_or_else(changed)?;
            value(values, field.data_type(), style, out)?;
            out.push(b']');
        }
        (MsgpackHead::Array(n), D::Struct(fields)) if n as usize == fields.len() => {
            out.push(b'[');
            for (i, field) in fields.iter().enumerate() {
                between(i, style, out);
                value(values, field.data_type(), style, out)?;
            }
            out.push(b']');
        }
        (MsgpackHead::Array(n), _) => {
            let item = match data_type {
                D::List(item)
                | D::LargeList(item)
                | D::ListView(item)
                | D::LargeListView(item)
                | D::FixedSizeList(item, _) => item.data_type(),
                _ => &D::Int64, // the parts of an interval
            };
            out.push(b'[');
            for i in 0..n as usize {
                between(i, style, out);
                value(values, item, style, out)?;
            }
            out.push(b']');
        }
        (MsgpackHead::Map(_), D::Struct(fields)) => {
            out.push(b'{');
            for (i, field) in fields.iter().enumerate() {
                between(i, style, out);
                let name = values.head()?;
                strings::key(values.payload(name)?, style.syntax, out);
                colon(style, out);
                value(values, field.data_type(), style, out)?;
            }
            out.push(b'}');
        }
        (MsgpackHead::Map(n), D::Map(entries, _)) => match entries.data_type() {
            D::Struct(pair) => map(values, n, pair, style, out)?,
            _ => return Err(changed()),
        },
        _ => return Err(changed()),
    }
    Ok(())
}

fn no_text(style: TextStyle) -> Error {
    Error::malformed(style.format, "the array holds text that is no UTF-8. Make it again.")
}

/// Appends a map: an object if its keys are text and unique, else an array of pairs.
fn map(
    values: &mut MsgpackValues<'_>,
    n: u32,
    pair: &Fields,
    style: TextStyle,
    out: &mut Vec<u8>,
) -> Result<()> {
    let [key, member] = pair.iter().as_slice() else { return Err(changed()) };
    let (key, member) = (key.data_type(), member.data_type());
    let mut seen = HashSet::new();
    let mut ahead = MsgpackValues::new(values.bytes);
    let mut is_object = matches!(key, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    for _ in 0..n {
        is_object &= seen.insert(ahead.skip()?);
        ahead.skip()?;
    }
    out.push(if is_object { b'{' } else { b'[' });
    for i in 0..n as usize {
        between(i, style, out);
        if is_object {
            let name = values.head()?;
            let name = values.payload(name)?;
            if simdutf8::basic::from_utf8(name).is_err() {
                return Err(no_text(style));
            }
            strings::key(name, style.syntax, out);
            colon(style, out);
            value(values, member, style, out)?;
        } else {
            out.push(b'[');
            value(values, key, style, out)?;
            between(1, style, out);
            value(values, member, style, out)?;
            out.push(b']');
        }
    }
    out.push(if is_object { b'}' } else { b']' });
    Ok(())
}
