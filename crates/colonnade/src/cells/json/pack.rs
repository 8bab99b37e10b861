//! Converts a JSON value to MessagePack, the form that stores mixed cells.

use crate::cells::json::fault::Scanned;
use crate::cells::json::number::JsonNumber;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{JsonRules, JsonToken};

/// Appends the value at the current position. The caller has checked it with [`Scan::value`].
pub(crate) fn pack(scan: &mut Scan<'_>, rules: &JsonRules, out: &mut Vec<u8>) -> Scanned<()> {
    // Open arrays and objects: the offset of the head, the entries so far, and whether it is an object.
    let mut open: Vec<(usize, u32, bool)> = Vec::new();
    loop {
        let start = scan.at;
        let token = scan.token(rules)?;
        if let JsonToken::Open(byte) = token {
            scan.deepen(open.len() as u64, &JsonRules { max_depth: u64::from(u32::MAX), ..*rules })?;
            scan.at += 1;
            scan.space();
            open.push((out.len(), 0, byte == b'{'));
            out.push(0);
            if !matches!(scan.peek(), b']' | b'}') {
                entry(scan, &mut open, out)?;
                continue;
            }
        } else {
            scalar(scan, start, token, out)?;
        }
        loop {
            if open.is_empty() {
                return Ok(());
            }
            scan.space();
            let next = scan.peek();
            scan.at += 1;
            match next {
                b',' => {
                    scan.space();
                    entry(scan, &mut open, out)?;
                    break;
                }
                b']' | b'}' => close(open.pop().unwrap_or_default(), out),
                _ => {
                    scan.at -= 1;
                    return Err(scan.unexpected("a comma or the end"));
                }
            }
        }
    }
}

/// Counts an entry of the innermost array or object, and scans its key.
fn entry(scan: &mut Scan<'_>, open: &mut [(usize, u32, bool)], out: &mut Vec<u8>) -> Scanned<()> {
    let Some((_, count, is_object)) = open.last_mut() else { return Ok(()) };
    *count += 1;
    if *is_object {
        if scan.peek() != b'"' {
            return Err(scan.unexpected("a key in quotes"));
        }
        let quoted = scan.quoted()?;
        text(&scan.unquoted(quoted), out);
        scan.colon()?;
    }
    Ok(())
}

/// Writes the head of an array or object in the smallest form, once its entries are counted.
fn close((at, count, is_object): (usize, u32, bool), out: &mut Vec<u8>) {
    let (small, two, four) = if is_object { (0x80, 0xde, 0xdf) } else { (0x90, 0xdc, 0xdd) };
    let mut head = Vec::with_capacity(5);
    match (u8::try_from(count), u16::try_from(count)) {
        (Ok(n @ 0..16), _) => head.push(small | n),
        (_, Ok(n)) => {
            head.push(two);
            head.extend(n.to_be_bytes());
        }
        _ => {
            head.push(four);
            head.extend(count.to_be_bytes());
        }
    }
    out.splice(at..=at, head);
}

fn scalar(scan: &Scan<'_>, start: usize, token: JsonToken, out: &mut Vec<u8>) -> Scanned<()> {
    // Writing to a vector never fails.
    match token {
        JsonToken::Null => out.push(0xc0),
        JsonToken::Bool(value) => out.push(0xc2 | u8::from(value)),
        JsonToken::Number(JsonNumber::Int(value)) => {
            let _ = rmp::encode::write_sint(out, value);
        }
        JsonToken::Number(JsonNumber::UInt(value)) => {
            let _ = rmp::encode::write_uint(out, value);
        }
        JsonToken::Number(JsonNumber::Float(bits)) => {
            out.push(0xcb);
            out.extend(bits.to_be_bytes());
        }
        JsonToken::Number(JsonNumber::Big) => return Err(scan.big_integer_fault(start)),
        JsonToken::Str(quoted) => text(&scan.unquoted(quoted), out),
        JsonToken::Open(_) => {}
    }
    Ok(())
}

fn text(text: &str, out: &mut Vec<u8>) {
    let _ = rmp::encode::write_str(out, text);
}
