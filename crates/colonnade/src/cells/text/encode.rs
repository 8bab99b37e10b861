//! Converts a JSON cell to MessagePack, guided by the type of its column. [`crate::cells::typed`] reads cells of all types.

use arrow_schema::{DataType, Fields, IntervalUnit, TimeUnit};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::floats::{self, HalfBits};
use super::json::{CellToken, Json};
use super::{CellFault, Syntax, TextStyle, times};
use crate::calendar::per_second;
use crate::cells::typed::half;
use crate::frame::type_name;

pub(super) type ConvertResult = std::result::Result<(), CellFault>;

#[cold]
pub(super) fn expected(data_type: &DataType, found: &CellToken<'_>) -> CellFault {
    let name = type_name(data_type, false);
    let shown = found.name();
    if let (CellToken::Number(text), Some((least, most))) = (found, integer_range(data_type))
        && is_whole(text)
    {
        return CellFault::malformed(format!("expected {name}, from {least} to {most}, found {shown}."));
    }
    CellFault::malformed(format!("expected {name}, found {shown}."))
}

/// The least and the greatest value of a type of integers.
fn integer_range(data_type: &DataType) -> Option<(i64, u64)> {
    Some(match data_type {
        DataType::Int8 => (i8::MIN.into(), i8::MAX as u64),
        DataType::Int16 => (i16::MIN.into(), i16::MAX as u64),
        DataType::Int32 => (i32::MIN.into(), i32::MAX as u64),
        DataType::Int64 => (i64::MIN, i64::MAX as u64),
        DataType::UInt8 => (0, u8::MAX.into()),
        DataType::UInt16 => (0, u16::MAX.into()),
        DataType::UInt32 => (0, u32::MAX.into()),
        DataType::UInt64 => (0, u64::MAX),
        _ => return None,
    })
}

/// Whether a text is the digits of a whole number, with or without a minus sign.
pub(super) fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Writes MessagePack to a vector, which fails only for lack of memory.
pub(super) fn put(out: &mut Vec<u8>, result: impl FnOnce(&mut Vec<u8>) -> bool) -> ConvertResult {
    if result(out) { Ok(()) } else { Err(CellFault::malformed("no memory.")) }
}

pub(super) fn put_int(out: &mut Vec<u8>, value: i64) -> ConvertResult {
    put(out, |out| rmp::encode::write_sint(out, value).is_ok())
}

pub(super) fn put_str(out: &mut Vec<u8>, text: &str) -> ConvertResult {
    if u32::try_from(text.len()).is_err() {
        return Err(CellFault::malformed("expected text of at most 4294967295 bytes inside a cell."));
    }
    put(out, |out| rmp::encode::write_str(out, text).is_ok())
}

fn put_bin(out: &mut Vec<u8>, bytes: &[u8]) -> ConvertResult {
    if u32::try_from(bytes.len()).is_err() {
        return Err(CellFault::malformed("expected at most 4294967295 bytes inside a cell."));
    }
    put(out, |out| rmp::encode::write_bin(out, bytes).is_ok())
}

/// The head of an array or map whose entries are counted as they are written.
struct CountedHead {
    at: usize,
    entries: u32,
}

impl CountedHead {
    fn begin(marker: u8, out: &mut Vec<u8>) -> Self {
        out.push(marker);
        let at = out.len();
        out.extend([0; 4]);
        Self { at, entries: 0 }
    }

    fn end(&self, out: &mut [u8]) {
        if let Some(place) = out.get_mut(self.at..self.at + 4) {
            place.copy_from_slice(&self.entries.to_be_bytes());
        }
    }
}

const ARRAY: u8 = 0xdd;
const MAP: u8 = 0xdf;

pub(super) fn base64(text: &str) -> std::result::Result<Vec<u8>, CellFault> {
    STANDARD.decode(text).map_err(|e| CellFault::malformed(format!("expected bytes as base64: {e}.")))
}

/// Parses the text of a timestamp to a count, for a column with or without a time zone.
pub(super) fn instant(text: &str, unit: TimeUnit, zoned: bool) -> std::result::Result<i64, CellFault> {
    match times::instant(text, per_second(unit)) {
        Some((_, true)) if !zoned => {
            let message =
                format!("expected an instant without zone, found {}.", crate::excerpt::excerpt(text));
            Err(CellFault::malformed(message))
        }
        Some((count, _)) => Ok(count),
        None => {
            let unit = crate::frame::unit_name(&unit);
            let message = format!(
                "expected an instant of ISO 8601 in whole {unit}, found {}.",
                crate::excerpt::excerpt(text)
            );
            Err(CellFault::malformed(message))
        }
    }
}

/// Parses a number token as an integer; in CSV also a text token.
fn integer(token: &CellToken<'_>, style: TextStyle) -> Option<i64> {
    match token {
        CellToken::Number(text) => text.parse().ok(),
        CellToken::Str(text) if style.syntax == Syntax::Csv => text.parse().ok(),
        _ => None,
    }
}

/// Parses a token as a float.
fn float<F: floats::Float>(
    token: &CellToken<'_>,
    data_type: &DataType,
    style: TextStyle,
) -> std::result::Result<F, CellFault> {
    match token {
        CellToken::Number(text) if style.inferred => floats::exact_number(text),
        CellToken::Number(text) => floats::number(text),
        CellToken::Str(text) if style.syntax == Syntax::Csv => floats::number(text),
        CellToken::Str(text) => floats::nonfinite_number(text),
        other => Err(expected(data_type, other)),
    }
}

/// Converts and appends the next value of `json`.
pub(super) fn value(
    json: &mut Json<'_>,
    data_type: &DataType,
    style: TextStyle,
    out: &mut Vec<u8>,
) -> ConvertResult {
    use DataType as D;
    let token = json.token()?;
    if token == CellToken::Null {
        out.push(0xc0);
        return Ok(());
    }
    let wrong = |token: &CellToken<'_>| expected(data_type, token);
    let count = |iso: &dyn Fn(&str) -> Option<i64>| match &token {
        CellToken::Str(text) => iso(text).or_else(|| text.parse().ok()),
        other => integer(other, style),
    };
    match data_type {
        D::Boolean => match token {
            CellToken::Bool(value) => out.push(0xc2 | u8::from(value)),
            other => return Err(wrong(&other)),
        },
        D::UInt64 => {
            let text = match &token {
                CellToken::Number(text) => text,
                CellToken::Str(text) if style.syntax == Syntax::Csv => text.as_ref(),
                other => return Err(wrong(other)),
            };
            let value = text.parse().map_err(|_| wrong(&token))?;
            put(out, |out| rmp::encode::write_uint(out, value).is_ok())?;
        }
        D::Int8 | D::Int16 | D::Int32 | D::Int64 | D::UInt8 | D::UInt16 | D::UInt32 | D::Duration(_)
        // Codes: the header has the categories.
        | D::Dictionary(..) | D::Interval(IntervalUnit::YearMonth) => {
            put_int(out, integer(&token, style).ok_or_else(|| wrong(&token))?)?;
        }
        D::Float64 => {
            let bits = float::<f64>(&token, data_type, style)?.to_bits();
            out.push(0xcb);
            out.extend(bits.to_be_bytes());
        }
        D::Float32 => {
            let bits = float::<f32>(&token, data_type, style)?.to_bits();
            out.push(0xca);
            out.extend(bits.to_be_bytes());
        }
        D::Float16 => {
            let HalfBits(bits) = float(&token, data_type, style)?;
            out.push(0xca);
            out.extend(half::widen(bits).to_be_bytes());
        }
        D::Date32 => put_int(out, count(&times::date).ok_or_else(|| wrong(&token))?)?,
        D::Date64 => {
            let iso = |text: &str| times::instant(text, 1000).filter(|(_, zoned)| !zoned).map(|(count, _)| count);
            put_int(out, count(&iso).ok_or_else(|| wrong(&token))?)?;
        }
        D::Time32(unit) | D::Time64(unit) => {
            let per = per_second(*unit);
            put_int(out, count(&|text| times::clock(text, per)).ok_or_else(|| wrong(&token))?)?;
        }
        D::Timestamp(unit, zone) => {
            let count = match &token {
                CellToken::Str(text) => match text.parse() {
                    Ok(count) => count,
                    Err(_) => instant(text, *unit, zone.is_some())?,
                },
                other => integer(other, style).ok_or_else(|| wrong(other))?,
            };
            put_int(out, count)?;
        }
        D::Utf8 | D::LargeUtf8 | D::Utf8View => match &token {
            CellToken::Str(text) => put_str(out, text)?,
            other => return Err(wrong(other)),
        },
        D::Binary | D::LargeBinary | D::BinaryView | D::FixedSizeBinary(_) => match &token {
            CellToken::Str(text) => put_bin(out, &base64(text)?)?,
            other => return Err(wrong(other)),
        },
        D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..) | D::Decimal256(..) => match &token {
            CellToken::Str(text) => put_str(out, text)?,
            CellToken::Number(text) => put_str(out, text)?,
            other => return Err(wrong(other)),
        },
        D::Interval(_) => match token {
            CellToken::Array => array(json, out, &mut |json, out| value(json, &D::Int64, style, out))?,
            // In CSV the array is the text of the cell.
            CellToken::Str(text) if style.syntax == Syntax::Csv => {
                let mut own = Json::new(&text, 1);
                if own.token()? != CellToken::Array {
                    return Err(wrong(&CellToken::Str(text)));
                }
                array(&mut own, out, &mut |json, out| value(json, &D::Int64, style, out))?;
                own.end()?;
            }
            other => return Err(wrong(&other)),
        },
        D::List(item) | D::LargeList(item) | D::ListView(item) | D::LargeListView(item) | D::FixedSizeList(item, _) => {
            match token {
                CellToken::Array => array(json, out, &mut |json, out| value(json, item.data_type(), style, out))?,
                other => return Err(wrong(&other)),
            }
        }
        D::Struct(fields) => structure(json, &token, fields, data_type, style, out)?,
        D::Map(entries, _) => match (token, entries.data_type()) {
            (CellToken::Object, D::Struct(pair)) => {
                let member = pair.get(1).ok_or_else(|| CellFault::malformed("a map without values."))?;
                object(json, out, &mut |_, json, out| value(json, member.data_type(), style, out))?;
            }
            (CellToken::Array, D::Struct(pair)) => pairs(json, pair, style, out)?,
            (other, _) => return Err(wrong(&other)),
        },
        D::Union(fields, _) => {
            if token != CellToken::Array {
                return Err(wrong(&token));
            }
            out.push(0x92);
            let id = if json.entry(true)? { integer(&json.token()?, style) } else { None };
            let known = id.and_then(|id| fields.iter().find(|(known, _)| i64::from(*known) == id));
            let Some((id, field)) = known else {
                return Err(CellFault::malformed("expected an array of the type's id, which the union has, and a value."));
            };
            put_int(out, id.into())?;
            let ended = CellFault::malformed("expected an array of two, found another number.");
            if !json.entry(false)? {
                return Err(ended);
            }
            value(json, field.data_type(), style, out)?;
            if json.entry(false)? {
                return Err(ended);
            }
        }
        D::RunEndEncoded(_, values) => {
            json.put_back(token);
            value(json, values.data_type(), style, out)?;
        }
        D::Null => return Err(wrong(&token)),
    }
    Ok(())
}

pub(super) fn array(
    json: &mut Json<'_>,
    out: &mut Vec<u8>,
    each: &mut dyn FnMut(&mut Json<'_>, &mut Vec<u8>) -> ConvertResult,
) -> ConvertResult {
    let mut counted = CountedHead::begin(ARRAY, out);
    while json.entry(counted.entries == 0)? {
        let i = counted.entries;
        each(json, out).map_err(|e| e.inside(&format!("[{i}]")))?;
        counted.entries += 1;
    }
    counted.end(out);
    Ok(())
}

pub(super) fn object(
    json: &mut Json<'_>,
    out: &mut Vec<u8>,
    each: &mut dyn FnMut(&str, &mut Json<'_>, &mut Vec<u8>) -> ConvertResult,
) -> ConvertResult {
    let mut counted = CountedHead::begin(MAP, out);
    let mut seen = std::collections::HashSet::new();
    while let Some(key) = json.key(counted.entries == 0)? {
        put_str(out, &key)?;
        let step = crate::cells::msgpack::column::step(&key);
        each(&key, json, out).map_err(|e| e.inside(&step))?;
        if !seen.insert(key) {
            return Err(CellFault::malformed("the key comes twice in one object.").inside(&step));
        }
        counted.entries += 1;
    }
    counted.end(out);
    Ok(())
}

fn structure(
    json: &mut Json<'_>,
    token: &CellToken<'_>,
    fields: &Fields,
    data_type: &DataType,
    style: TextStyle,
    out: &mut Vec<u8>,
) -> ConvertResult {
    match token {
        CellToken::Object => object(json, out, &mut |key, json, out| {
            let field = fields.iter().find(|field| field.name() == key);
            let none = || {
                CellFault::malformed(format!(
                    "expected {}, found another member.",
                    type_name(data_type, false)
                ))
            };
            value(json, field.ok_or_else(none)?.data_type(), style, out)
        }),
        // A struct with repeated names.
        CellToken::Array => {
            let mut rest = fields.iter();
            array(json, out, &mut |json, out| {
                let none = || CellFault::malformed(format!("expected {} members, found more.", fields.len()));
                value(json, rest.next().ok_or_else(none)?.data_type(), style, out)
            })
        }
        other => Err(expected(data_type, other)),
    }
}

/// Converts a map that is an array of pairs.
fn pairs(json: &mut Json<'_>, pair: &Fields, style: TextStyle, out: &mut Vec<u8>) -> ConvertResult {
    let mut counted = CountedHead::begin(MAP, out);
    while json.entry(counted.entries == 0)? {
        let wrong = || CellFault::malformed("expected an array of key and value.");
        if json.token()? != CellToken::Array {
            return Err(wrong());
        }
        for (i, field) in pair.iter().enumerate() {
            if !json.entry(i == 0)? {
                return Err(wrong());
            }
            value(json, field.data_type(), style, out)?;
        }
        if json.entry(false)? {
            return Err(wrong());
        }
        counted.entries += 1;
    }
    counted.end(out);
    Ok(())
}
