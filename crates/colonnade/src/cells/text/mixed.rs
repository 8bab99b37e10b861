//! Mixed cells: whole MessagePack values, written as JSON if JSON holds them exactly.

use super::decode::{MsgpackValues, between, colon, put_base64, put_int};
use super::encode::{ConvertResult, base64, put, put_str};
use super::json::{CellToken, Json, MAX_CELL_DEPTH, RULES, too_deep};
use super::{CellFault, Nonfinite, TextCell, TextStyle, floats, numpy_cells, strings};
use crate::ErrorKind;
use crate::cells::json::fault::JsonFault;
use crate::cells::json::pack::pack;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{JsonRules, SeenKeys};
use crate::cells::msgpack::head::MsgpackHead;
use crate::error::Result;

/// Appends a mixed cell: as JSON if JSON holds it exactly, else its bytes as `{"__colonnade__": base64}`. Without a header
/// NumPy's numbers are numbers, and NaN and infinities are spelled as in columns of floats.
///
/// # Errors
/// `Unrepresentable`: NaN and infinities, if the style refuses them.
pub(super) fn decode(cell: &[u8], style: TextStyle, out: &mut Vec<u8>) -> Result<()> {
    if style.nonfinite == Nonfinite::Error {
        numpy_cells::refuse_nonfinite(cell, style)?;
    }
    let start = out.len();
    // YAML's strings need more escapes, but all of them are valid JSON too.
    if native(&mut MsgpackValues::new(cell), style, 0, out).is_some() {
        let same = out.get(start..).and_then(|text| std::str::from_utf8(text).ok()).is_some_and(|text| {
            let mut again = Vec::with_capacity(cell.len());
            pack(&mut Scan::new(text.as_bytes(), 0, false), &RULES, &mut again).is_ok() && again == cell
        });
        if same || !style.header {
            return Ok(());
        }
    }
    out.truncate(start);
    out.push(b'{');
    strings::json(crate::cells::header_key::KEY.as_bytes(), out);
    colon(style, out);
    put_base64(cell, TextStyle::json(style.format), out);
    out.push(b'}');
    Ok(())
}

/// The most nested lists and maps that are written as JSON; deeper values are bytes. Readers of YAML accept 255 brackets.
const MAX_JSON_DEPTH: u32 = 200;

/// Appends a value as JSON, also in YAML. Returns `None` if JSON cannot hold it, or if its key would be read as
/// `__colonnade__`.
fn native(values: &mut MsgpackValues<'_>, cell: TextStyle, depth: u32, out: &mut Vec<u8>) -> Option<()> {
    if depth > MAX_JSON_DEPTH {
        return None;
    }
    let (style, syntax, exact) = (TextStyle::json(cell.format), cell.syntax, cell.header);
    let list = |out: &mut Vec<u8>, i: usize| between(i, style, out);
    // NaN and infinities have the spelling of the cell's own format.
    let spelling = |is_finite: bool| if is_finite { style } else { cell };
    let mut found = values.head().ok()?;
    if let MsgpackHead::Ext(code, _) = found
        && !exact
    {
        found = numpy_cells::number(code, values.payload(found).ok()?)?;
    }
    match found {
        MsgpackHead::Nil => out.extend_from_slice(b"null"),
        MsgpackHead::Bool(found) => out.extend_from_slice(if found { b"true" } else { b"false" }),
        MsgpackHead::Int(found) => put_int(found, out),
        MsgpackHead::UInt(found) => out.extend_from_slice(itoa::Buffer::new().format(found).as_bytes()),
        MsgpackHead::F64(bits) if !exact || f64::from_bits(bits).is_finite() => {
            let value = f64::from_bits(bits);
            floats::put(value, spelling(value.is_finite()), out).ok()?;
        }
        MsgpackHead::F32(bits) if !exact => {
            let value = f32::from_bits(bits);
            floats::put(value, spelling(value.is_finite()), out).ok()?;
        }
        found @ MsgpackHead::Str(_) => {
            let text = values.payload(found).ok()?;
            simdutf8::basic::from_utf8(text).ok()?;
            strings::key(text, syntax, out);
        }
        MsgpackHead::Array(n) => {
            out.push(b'[');
            for i in 0..n as usize {
                list(out, i);
                native(values, cell, depth + 1, out)?;
            }
            out.push(b']');
        }
        MsgpackHead::Map(n) => {
            out.push(b'{');
            let mut seen = SeenKeys::default();
            for i in 0..n as usize {
                list(out, i);
                let key = values.head().ok()?;
                let MsgpackHead::Str(_) = key else { return None };
                let text = values.payload(key).ok()?;
                if text.starts_with(crate::cells::header_key::KEY.trim_end_matches('_').as_bytes()) {
                    return None;
                }
                // A repeated key would be refused by the reader.
                let is_new = seen.add(simdutf8::basic::from_utf8(text).ok()?);
                (is_new || !exact).then_some(())?;
                strings::key(text, syntax, out);
                colon(style, out);
                native(values, cell, depth + 1, out)?;
            }
            out.push(b'}');
        }
        found @ MsgpackHead::Bin(_) if !exact => put_base64(values.payload(found).ok()?, style, out),
        _ => return None,
    }
    Some(())
}

/// Appends the bytes of a mixed cell: those of `{"__colonnade__": base64}`, or the value itself in smallest forms. Numbers
/// with a point or an exponent become floats.
pub(super) fn encode(cell: TextCell<'_>, max_depth: u64, out: &mut Vec<u8>) -> ConvertResult {
    let text = match cell {
        TextCell::Raw(text) | TextCell::Number(text) => text,
        TextCell::Null => return put(out, |out| rmp::encode::write_nil(out).is_ok()),
        TextCell::Bool(value) => return put(out, |out| rmp::encode::write_bool(out, value).is_ok()),
        TextCell::Str(text) => return put_str(out, text),
    };
    let mut json = Json::new(text, max_depth);
    if json.token()? == CellToken::Object
        && let Some(key) = json.key(true)?
        && key == crate::cells::header_key::KEY
        && let CellToken::Str(text) = json.token()?
        && json.key(false)?.is_none()
    {
        out.extend(base64(&text)?);
        return Ok(());
    }
    let rules = JsonRules { max_depth: max_depth.min(MAX_CELL_DEPTH), decimals: false, ..RULES };
    let mut scan = Scan::new(text.as_bytes(), 0, false);
    scan.space();
    let start = scan.at;
    let fault = |found: Box<JsonFault>| match found.kind {
        ErrorKind::LimitExceeded => too_deep(max_depth),
        kind => CellFault { kind, ..CellFault::malformed(found.message) },
    };
    scan.value(0, &rules).map_err(fault)?;
    scan.at = start;
    pack(&mut scan, &rules, out).map_err(fault)
}
