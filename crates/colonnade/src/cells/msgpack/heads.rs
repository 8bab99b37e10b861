//! Writes heads of text, arrays and maps in the specification's smallest form.

use crate::cells::msgpack::column::FORMAT;
use crate::error::{Error, Result};

/// Appends the head and the bytes of text. `compatible`: without `str 8`, which the specification added in 2013.
///
/// # Errors
/// `Unrepresentable`: a length beyond 32 bits.
pub fn text(out: &mut Vec<u8>, text: &str, compatible: bool) -> Result<()> {
    let length = text.len();
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short), _) if short < 32 => out.push(0xa0 | short),
        (Ok(short), _) if !compatible => out.extend([0xd9, short]),
        (_, Ok(short)) => put_sized_head(out, 0xda, &short.to_be_bytes()),
        _ => put_sized_head(out, 0xdb, &length_32(length, "bytes of text")?.to_be_bytes()),
    }
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// Appends the head of an array of `count` entries.
///
/// # Errors
/// As [`text`].
pub fn array(out: &mut Vec<u8>, count: usize) -> Result<()> {
    put_counted_head(out, count, 0x90, 0xdc, "entries of an array")
}

/// Appends the head of a map of `count` pairs.
///
/// # Errors
/// As [`text`].
pub fn map(out: &mut Vec<u8>, count: usize) -> Result<()> {
    put_counted_head(out, count, 0x80, 0xde, "pairs of a map")
}

fn put_counted_head(out: &mut Vec<u8>, count: usize, fixed: u8, wide: u8, what: &str) -> Result<()> {
    match (u8::try_from(count), u16::try_from(count)) {
        (Ok(few), _) if few < 16 => out.push(fixed | few),
        (_, Ok(some)) => put_sized_head(out, wide, &some.to_be_bytes()),
        _ => put_sized_head(out, wide + 1, &length_32(count, what)?.to_be_bytes()),
    }
    Ok(())
}

fn put_sized_head(out: &mut Vec<u8>, marker: u8, length: &[u8]) {
    out.push(marker);
    out.extend_from_slice(length);
}

fn length_32(length: usize, what: &str) -> Result<u32> {
    u32::try_from(length).map_err(|_| {
        let message = format!(
            "expected at most {} {what}, as MessagePack counts them in 32 bits, found {length}. Write it in parts.",
            u32::MAX
        );
        Error::unrepresentable(FORMAT, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::msgpack::head::{MsgpackHead, head};

    #[test]
    fn heads_are_the_smallest_and_read_back() {
        for (count, length) in [(0, 1), (15, 1), (16, 3), (65_535, 3), (65_536, 5), (u32::MAX as usize, 5)] {
            let mut out = Vec::new();
            array(&mut out, count).unwrap();
            assert_eq!(
                head(&out).unwrap(),
                Some((MsgpackHead::Array(u32::try_from(count).unwrap()), length))
            );
            out.clear();
            map(&mut out, count).unwrap();
            assert_eq!(head(&out).unwrap(), Some((MsgpackHead::Map(u32::try_from(count).unwrap()), length)));
        }
        assert!(array(&mut Vec::new(), u32::MAX as usize + 1).is_err());
        for (count, new, old) in
            [(31, 1, 1), (32, 2, 3), (255, 2, 3), (256, 3, 3), (65_535, 3, 3), (65_536, 5, 5)]
        {
            for (compatible, length) in [(false, new), (true, old)] {
                let mut out = Vec::new();
                text(&mut out, &"a".repeat(count), compatible).unwrap();
                assert_eq!(
                    head(&out).unwrap(),
                    Some((MsgpackHead::Str(u32::try_from(count).unwrap()), length))
                );
                assert_eq!(out.len(), length + count);
            }
        }
    }
}
