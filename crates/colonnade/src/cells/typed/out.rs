//! Writes heads in their smallest form to a trait that counts or stores bytes, so that measuring and writing share the
//! code.

use crate::cells::msgpack::column::{FORMAT, changed};
use crate::error::{Error, Result};

/// A destination of bytes.
pub(super) trait ByteSink {
    /// Appends `bytes`.
    fn put(&mut self, bytes: &[u8]) -> Result<()>;

    /// Appends a marker and the bytes of its value.
    #[inline]
    fn put_marked<const N: usize>(&mut self, marker: u8, bytes: [u8; N]) -> Result<()> {
        self.put(&[marker])?;
        self.put(&bytes)
    }

    /// Appends 64-bit floats by their bits, one cell each.
    fn put_floats(&mut self, values: &[u64]) -> Result<()> {
        values.iter().try_for_each(|bits| f64(self, *bits))
    }
}

/// Counts the bytes.
pub(super) struct Count(pub(super) usize);

impl ByteSink for Count {
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.0 += bytes.len();
        Ok(())
    }

    fn put_floats(&mut self, values: &[u64]) -> Result<()> {
        self.0 += 9 * values.len();
        Ok(())
    }
}

/// Writes the bytes to the front of a slice.
pub(super) struct Slice<'o> {
    pub(super) out: &'o mut [u8],
    pub(super) at: usize,
}

impl ByteSink for Slice<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let free = self.out.get_mut(self.at..).and_then(|rest| rest.get_mut(..bytes.len()));
        free.ok_or_else(changed)?.copy_from_slice(bytes);
        self.at += bytes.len();
        Ok(())
    }

    #[inline]
    fn put_marked<const N: usize>(&mut self, marker: u8, bytes: [u8; N]) -> Result<()> {
        let free = self.out.get_mut(self.at..).and_then(|rest| rest.get_mut(..=N));
        let Some([first, rest @ ..]) = free else { return Err(changed()) };
        *first = marker;
        rest.copy_from_slice(&bytes);
        self.at += 1 + N;
        Ok(())
    }

    fn put_floats(&mut self, values: &[u64]) -> Result<()> {
        let free = self.out.get_mut(self.at..).and_then(|rest| rest.get_mut(..9 * values.len()));
        for ([marker, raw @ ..], bits) in
            free.ok_or_else(changed)?.as_chunks_mut::<9>().0.iter_mut().zip(values)
        {
            *marker = 0xcb;
            *raw = bits.to_be_bytes();
        }
        self.at += 9 * values.len();
        Ok(())
    }
}

impl ByteSink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// The family of a payload's marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PayloadFamily {
    /// `fixstr`, `str 8`, `str 16`, `str 32`.
    Str,
    /// `fixstr`, `str 16`, `str 32`: without `str 8`, which readers of the specification before 2013 do not know.
    OldStr,
    /// `bin 8`, `bin 16`, `bin 32`.
    Bin,
    /// Whole cells.
    Raw,
}

/// Nil.
pub(super) const NIL: u8 = 0xc0;

/// Writes a non-negative integer.
#[inline]
pub(super) fn uint(out: &mut impl ByteSink, value: u64) -> Result<()> {
    if let Ok(value) = u8::try_from(value) {
        return if value < 0x80 { out.put(&[value]) } else { out.put(&[0xcc, value]) };
    }
    if let Ok(value) = u16::try_from(value) {
        return out.put_marked(0xcd, value.to_be_bytes());
    }
    if let Ok(value) = u32::try_from(value) {
        return out.put_marked(0xce, value.to_be_bytes());
    }
    out.put_marked(0xcf, value.to_be_bytes())
}

/// Writes an integer.
#[inline]
pub(super) fn int(out: &mut impl ByteSink, value: i64) -> Result<()> {
    if let Ok(value) = u64::try_from(value) {
        return uint(out, value);
    }
    if let Ok(value) = i8::try_from(value) {
        let byte = value.cast_unsigned();
        return if value >= -32 { out.put(&[byte]) } else { out.put(&[0xd0, byte]) };
    }
    if let Ok(value) = i16::try_from(value) {
        return out.put_marked(0xd1, value.to_be_bytes());
    }
    if let Ok(value) = i32::try_from(value) {
        return out.put_marked(0xd2, value.to_be_bytes());
    }
    out.put_marked(0xd3, value.to_be_bytes())
}

/// Writes a 32-bit float by its bits.
#[inline]
pub(super) fn f32(out: &mut impl ByteSink, bits: u32) -> Result<()> {
    out.put_marked(0xca, bits.to_be_bytes())
}

/// Writes a 64-bit float by its bits.
#[inline]
pub(super) fn f64(out: &mut (impl ByteSink + ?Sized), bits: u64) -> Result<()> {
    out.put_marked(0xcb, bits.to_be_bytes())
}

/// Writes text or bytes with their head.
#[inline]
pub(super) fn bytes(out: &mut impl ByteSink, family: PayloadFamily, payload: &[u8]) -> Result<()> {
    let length = payload.len();
    match (family, u8::try_from(length), u16::try_from(length), u32::try_from(length)) {
        (PayloadFamily::Raw, ..) => {}
        (PayloadFamily::Str | PayloadFamily::OldStr, Ok(n), ..) if n < 32 => out.put(&[0xa0 | n])?,
        (PayloadFamily::Str, Ok(n), ..) => out.put(&[0xd9, n])?,
        (PayloadFamily::Str | PayloadFamily::OldStr, _, Ok(n), _) => out.put_marked(0xda, n.to_be_bytes())?,
        (PayloadFamily::Str | PayloadFamily::OldStr, _, _, Ok(n)) => out.put_marked(0xdb, n.to_be_bytes())?,
        (PayloadFamily::Bin, Ok(n), ..) => out.put(&[0xc4, n])?,
        (PayloadFamily::Bin, _, Ok(n), _) => out.put_marked(0xc5, n.to_be_bytes())?,
        (PayloadFamily::Bin, _, _, Ok(n)) => out.put_marked(0xc6, n.to_be_bytes())?,
        _ => return Err(too_long("a cell of at most 4294967295 bytes", length)),
    }
    out.put(payload)
}

/// Writes the head of an array.
pub(super) fn array(out: &mut impl ByteSink, entries: usize) -> Result<()> {
    put_head(out, entries, 0x90, 0xdc)
}

/// Writes the head of a map.
pub(super) fn map(out: &mut impl ByteSink, entries: usize) -> Result<()> {
    put_head(out, entries, 0x80, 0xde)
}

fn put_head(out: &mut impl ByteSink, entries: usize, small: u8, wide: u8) -> Result<()> {
    if let Ok(n) = u16::try_from(entries) {
        return match u8::try_from(n) {
            Ok(n) if n < 16 => out.put(&[small | n]),
            _ => out.put_marked(wide, n.to_be_bytes()),
        };
    }
    let n = u32::try_from(entries).map_err(|_| too_long("a cell of at most 4294967295 entries", entries))?;
    out.put_marked(wide + 1, n.to_be_bytes())
}

/// Writes a timestamp as the specification's extension -1: seconds since 1970 and nanoseconds of the second.
#[inline]
pub(super) fn instant(out: &mut impl ByteSink, seconds: i64, nanoseconds: u32) -> Result<()> {
    if let Ok(unsigned) = u64::try_from(seconds)
        && unsigned >> 34 == 0
    {
        let packed = u64::from(nanoseconds) << 34 | unsigned;
        return match u32::try_from(packed) {
            Ok(packed) => out.put_marked(0xd6, [0xff]).and_then(|()| out.put(&packed.to_be_bytes())),
            Err(_) => out.put_marked(0xd7, [0xff]).and_then(|()| out.put(&packed.to_be_bytes())),
        };
    }
    out.put(&[0xc7, 12, 0xff])?;
    out.put(&nanoseconds.to_be_bytes())?;
    out.put(&seconds.to_be_bytes())
}

#[cold]
fn too_long(expected: &str, found: usize) -> Error {
    let message =
        format!("expected {expected}, MessagePack's limit, found {found}. Split it, or write Arrow.");
    Error::unrepresentable(FORMAT, message)
}
