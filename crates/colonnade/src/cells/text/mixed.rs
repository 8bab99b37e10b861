//! Cells of several kinds: whole MessagePack values, as JSON where that has them exactly.

use super::decode::{Values, between, colon, put_base64, put_int};
use super::encode::{Done, array, base64, object, put, put_int as put_int_cell, put_str};
use super::json::{Json, Token};
use super::{CellFault, Style, Syntax, floats, strings};
use crate::cells::msgpack::head::Head;

/// Appends a cell of several kinds: itself where JSON has it exactly, else its bytes as `{"__colonnade__": base64}`.
pub(super) fn decode(cell: &[u8], style: Style, out: &mut Vec<u8>) {
    let start = out.len();
    let plain = Style::json(style.format);
    // YAML's texts need more escapes, with which they are JSON's as well.
    if native(&mut Values::new(cell), plain, style.syntax, style.header, 0, out).is_some() {
        let same = out.get(start..).and_then(|text| std::str::from_utf8(text).ok()).is_some_and(|text| {
            let mut again = Vec::with_capacity(cell.len());
            any(&mut Json::new(text, u64::MAX), &mut again).is_ok() && again == cell
        });
        if same || !style.header {
            return;
        }
    }
    out.truncate(start);
    out.push(b'{');
    strings::json(crate::cells::header_key::KEY.as_bytes(), out);
    colon(style, out);
    put_base64(cell, plain, out);
    out.push(b'}');
}

/// Lists and maps in each other that are spelled out; what is deeper is bytes. Readers of YAML take 255 brackets.
const MOST_DEPTH: u32 = 200;

/// A value that JSON has; in YAML too it is spelled as JSON. `None` where there is none, or where its key is taken for ours.
fn native(
    values: &mut Values<'_>,
    style: Style,
    syntax: Syntax,
    exact: bool,
    depth: u32,
    out: &mut Vec<u8>,
) -> Option<()> {
    if depth > MOST_DEPTH {
        return None;
    }
    let list = |out: &mut Vec<u8>, i: usize| between(i, style, out);
    match values.head().ok()? {
        Head::Nil => out.extend_from_slice(b"null"),
        Head::Bool(found) => out.extend_from_slice(if found { b"true" } else { b"false" }),
        Head::Int(found) => put_int(found, out),
        Head::UInt(found) => out.extend_from_slice(itoa::Buffer::new().format(found).as_bytes()),
        Head::F64(bits) if f64::from_bits(bits).is_finite() => {
            floats::put(f64::from_bits(bits), style, out).ok()?
        }
        Head::F32(bits) if !exact && f32::from_bits(bits).is_finite() => {
            floats::put(f32::from_bits(bits), style, out).ok()?;
        }
        found @ Head::Str(_) => {
            let text = values.payload(found).ok()?;
            simdutf8::basic::from_utf8(text).ok()?;
            strings::key(text, syntax, out);
        }
        Head::Array(n) => {
            out.push(b'[');
            for i in 0..n as usize {
                list(out, i);
                native(values, style, syntax, exact, depth + 1, out)?;
            }
            out.push(b']');
        }
        Head::Map(n) => {
            out.push(b'{');
            for i in 0..n as usize {
                list(out, i);
                let key = values.head().ok()?;
                let Head::Str(_) = key else { return None };
                let text = values.payload(key).ok()?;
                if text.starts_with(crate::cells::header_key::KEY.trim_end_matches('_').as_bytes()) {
                    return None;
                }
                simdutf8::basic::from_utf8(text).ok()?;
                strings::key(text, syntax, out);
                colon(style, out);
                native(values, style, syntax, exact, depth + 1, out)?;
            }
            out.push(b'}');
        }
        found @ Head::Bin(_) if !exact => put_base64(values.payload(found).ok()?, style, out),
        _ => return None,
    }
    Some(())
}

/// Appends the next value of `json`, whatever it is, in smallest forms. Numbers with a point or an exponent are floats.
fn any(json: &mut Json<'_>, out: &mut Vec<u8>) -> Done {
    match json.token()? {
        Token::Null => out.push(0xc0),
        Token::Bool(value) => out.push(0xc2 | u8::from(value)),
        Token::Number(text) => {
            if let Ok(value) = text.parse() {
                put_int_cell(out, value)?;
            } else if let Ok(value) = text.parse() {
                put(out, |out| rmp::encode::write_uint(out, value).is_ok())?;
            } else if text.bytes().any(|b| matches!(b, b'.' | b'e' | b'E' | b'N' | b'I')) {
                out.push(0xcb);
                out.extend(floats::number::<f64>(text)?.to_bits().to_be_bytes());
            } else {
                return Err(CellFault::malformed(format!("expected an integer of 64 bits, found {text}.")));
            }
        }
        Token::Str(text) => put_str(out, &text)?,
        Token::Array => {
            let start = out.len();
            array(json, out, &mut any)?;
            shrink(out, start, 0x90, 0xdc);
        }
        Token::Object => {
            let start = out.len();
            object(json, out, &mut |_, json, out| any(json, out))?;
            shrink(out, start, 0x80, 0xde);
        }
    }
    Ok(())
}

/// Makes the head of five bytes at `start` the smallest one of its count.
fn shrink(out: &mut Vec<u8>, start: usize, small: u8, wide: u8) {
    let Some(raw) = out.get(start + 1..start + 5).and_then(|raw| raw.first_chunk::<4>()) else { return };
    let n = u32::from_be_bytes(*raw);
    match (u8::try_from(n), u16::try_from(n)) {
        (Ok(n), _) if n < 16 => drop(out.splice(start..start + 5, [small | n])),
        (_, Ok(n)) => {
            let [a, b] = n.to_be_bytes();
            drop(out.splice(start..start + 5, [wide, a, b]));
        }
        _ => {}
    }
}

/// The bytes of a cell of several kinds: `{"__colonnade__": base64}`, or the value itself.
pub(super) fn encode(json: &mut Json<'_>, source: Option<&str>, max_depth: u64, out: &mut Vec<u8>) -> Done {
    if let Some(source) = source {
        let mut own = Json::new(source, max_depth);
        if own.token()? == Token::Object
            && let Some(key) = own.key(true)?
            && key == crate::cells::header_key::KEY
            && let Token::Str(text) = own.token()?
            && own.key(false)?.is_none()
        {
            out.extend(base64(&text)?);
            return Ok(());
        }
    }
    any(json, out)
}
