//! Reads MessagePack item by item. Every length is checked against the bytes that are left before it is returned.
//!
//! Specification: <https://github.com/msgpack/msgpack/blob/master/spec.md>

use colonnade::{Error, Result};
use colonnade_capi::error::{CnCode, CnError, report};

use crate::r_memory::{defect, values_of};

/// The kind of an item.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CnrItem {
    /// Nil.
    Nil = 0,
    /// A bool, in `integer`.
    Bool = 1,
    /// An integer of 64 bits, in `integer`.
    Int = 2,
    /// An unsigned integer over the signed range, in `number`.
    Uint = 3,
    /// A float, in `number`.
    Float = 4,
    /// Text: `data` and `count`.
    Text = 5,
    /// Bytes: `data` and `count`.
    Bytes = 6,
    /// An array of `count` values, which follow.
    Array = 7,
    /// A map of `count` pairs, which follow.
    Map = 8,
    /// An extension of type `integer`: `data` and `count`.
    Extension = 9,
}

/// One item.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CnrEvent {
    /// The kind.
    pub item: CnrItem,
    /// The integer, bool or extension type.
    pub integer: i64,
    /// The float.
    pub number: f64,
    /// The bytes.
    pub data: *const u8,
    /// Bytes, values or pairs.
    pub count: usize,
}

/// Reads items from bytes.
pub struct Cursor<'b> {
    bytes: &'b [u8],
    /// Offset of the next item.
    pub at: usize,
    /// Whether containers may declare more items than there are bytes: the others have not arrived.
    declared_only: bool,
}

impl<'b> Cursor<'b> {
    /// A cursor from `at` on.
    #[must_use]
    pub fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at, declared_only: false }
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..count).ok_or_else(|| {
            let (needed, had) = (count as u64, rest.len() as u64);
            Error::truncated("msgpack", "a value", needed, had).at(self.at as u64)
        })?;
        self.at += count;
        Ok(taken)
    }

    fn unsigned(&mut self, nbytes: usize) -> Result<u64> {
        Ok(self.take(nbytes)?.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn length(&mut self, nbytes: usize) -> Result<usize> {
        usize::try_from(self.unsigned(nbytes)?).map_err(|_| Error::too_large("msgpack"))
    }

    /// The values that an array or map declares need a byte each.
    fn checked(&self, count: usize, each: usize) -> Result<usize> {
        let left = self.bytes.len().saturating_sub(self.at);
        let needed = count.saturating_mul(each);
        if needed > left && !self.declared_only {
            let error = Error::truncated("msgpack", "a container", needed as u64, left as u64);
            return Err(error.at(self.at as u64));
        }
        Ok(count)
    }

    /// The next item.
    ///
    /// # Errors
    /// `Truncated`: the input ends inside it; `Malformed`: the byte 0xc1.
    pub fn next_item(&mut self) -> Result<CnrEvent> {
        let start = self.at;
        let none = CnrEvent { item: CnrItem::Nil, integer: 0, number: 0.0, data: std::ptr::null(), count: 0 };
        let int = |integer: i64| CnrEvent { item: CnrItem::Int, integer, ..none };
        let code = self.take(1)?.first().copied().unwrap_or(0xc1);
        let bytes = |item: CnrItem, integer: i64, data: &[u8]| CnrEvent {
            item,
            integer,
            data: data.as_ptr(),
            count: data.len(),
            ..none
        };
        Ok(match code {
            0..=0x7f => int(i64::from(code)),
            0x80..=0x8f => {
                CnrEvent { item: CnrItem::Map, count: self.checked(usize::from(code & 15), 2)?, ..none }
            }
            0x90..=0x9f => {
                CnrEvent { item: CnrItem::Array, count: self.checked(usize::from(code & 15), 1)?, ..none }
            }
            0xa0..=0xbf => bytes(CnrItem::Text, 0, self.take(usize::from(code & 31))?),
            0xc0 => none,
            0xc1 => {
                let message = "expected a value, found the byte 0xc1, which no value begins with.";
                return Err(Error::malformed("msgpack", message).at(start as u64));
            }
            0xc2 | 0xc3 => CnrEvent { item: CnrItem::Bool, integer: i64::from(code & 1), ..none },
            0xc4..=0xc6 => {
                let count = self.length(1 << (code - 0xc4))?;
                bytes(CnrItem::Bytes, 0, self.take(count)?)
            }
            0xc7..=0xc9 => {
                let count = self.length(1 << (code - 0xc7))?;
                let kind = self.signed(1)?;
                bytes(CnrItem::Extension, kind, self.take(count)?)
            }
            0xca => {
                let bits = u32::try_from(self.unsigned(4)?).unwrap_or_default();
                CnrEvent { item: CnrItem::Float, number: f64::from(f32::from_bits(bits)), ..none }
            }
            0xcb => CnrEvent { item: CnrItem::Float, number: f64::from_bits(self.unsigned(8)?), ..none },
            0xcc..=0xcf => {
                let value = self.unsigned(1 << (code - 0xcc))?;
                #[allow(clippy::cast_precision_loss)] // R has no wider number
                match i64::try_from(value) {
                    Ok(value) => int(value),
                    Err(_) => CnrEvent { item: CnrItem::Uint, number: value as f64, ..none },
                }
            }
            0xd0..=0xd3 => int(self.signed(1 << (code - 0xd0))?),
            0xd4..=0xd8 => {
                let kind = self.signed(1)?;
                bytes(CnrItem::Extension, kind, self.take(1 << (code - 0xd4))?)
            }
            0xd9..=0xdb => {
                let count = self.length(1 << (code - 0xd9))?;
                bytes(CnrItem::Text, 0, self.take(count)?)
            }
            0xdc | 0xdd => {
                let count = self.length(if code == 0xdc { 2 } else { 4 })?;
                CnrEvent { item: CnrItem::Array, count: self.checked(count, 1)?, ..none }
            }
            0xde | 0xdf => {
                let count = self.length(if code == 0xde { 2 } else { 4 })?;
                CnrEvent { item: CnrItem::Map, count: self.checked(count, 2)?, ..none }
            }
            0xe0..=0xff => int(i64::from(code.cast_signed())),
        })
    }

    fn signed(&mut self, nbytes: usize) -> Result<i64> {
        let value = self.unsigned(nbytes)?;
        let shift = 64 - 8 * nbytes;
        Ok((value << shift).cast_signed() >> shift)
    }

    /// Skips one value with everything in it.
    ///
    /// # Errors
    /// As [`Cursor::next`].
    pub fn skip(&mut self) -> Result<()> {
        let mut left = 1_usize;
        while left > 0 {
            let event = self.next_item()?;
            left -= 1;
            left = left.saturating_add(match event.item {
                CnrItem::Array => event.count,
                CnrItem::Map => event.count.saturating_mul(2),
                _ => 0,
            });
        }
        Ok(())
    }
}

/// Reads the item at `*at`, and moves `*at` behind it.
///
/// # Safety
/// `data` is valid for reads of `nbytes`, `at` and `event` are valid, `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_msgpack_next(
    data: *const u8,
    nbytes: usize,
    at: *mut usize,
    event: *mut CnrEvent,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let (Some(at), false) = (at.as_mut(), event.is_null()) else { return Err(defect("no cursor")) };
            let mut cursor = Cursor::new(values_of(data, nbytes), *at);
            event.write(cursor.next_item()?);
            *at = cursor.at;
            Ok(())
        })
    }
}

/// Searches the end of a value whose bytes arrive in pieces. `*at` and `*left` are the offset and the number of items after which
/// an earlier call stopped; at first the offset of the value and 1. `*left` is 0 at the end of the value. Else `*needed` is a number
/// of bytes that the value certainly still has, so that a reader that asks for them never reads beyond it.
///
/// # Safety
/// As `cnr_msgpack_next`; `left` and `needed` are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_msgpack_scan(
    data: *const u8,
    nbytes: usize,
    at: *mut usize,
    left: *mut usize,
    needed: *mut usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let (Some(at), Some(left), Some(needed)) = (at.as_mut(), left.as_mut(), needed.as_mut()) else {
                return Err(defect("no cursor"));
            };
            *needed = scan(values_of(data, nbytes), at, left)?;
            Ok(())
        })
    }
}

/// See [`cnr_msgpack_scan`].
fn scan(bytes: &[u8], at: &mut usize, left: &mut usize) -> Result<usize> {
    while *left > 0 {
        let mut cursor = Cursor { declared_only: true, ..Cursor::new(bytes, *at) };
        let event = match cursor.next_item() {
            Ok(event) => event,
            Err(error) => {
                let colonnade::ErrorKind::Truncated { needed, had } = error.kind() else { return Err(error) };
                let missing =
                    usize::try_from(needed.saturating_sub(*had)).map_err(|_| Error::too_large("msgpack"))?;
                // Every other item has a byte at least.
                return Ok(missing.saturating_add(*left - 1));
            }
        };
        *at = cursor.at;
        *left -= 1;
        *left = left.saturating_add(match event.item {
            CnrItem::Array => event.count,
            CnrItem::Map => event.count.saturating_mul(2),
            _ => 0,
        });
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_the_specification() {
        let mut cursor = Cursor::new(b"\x01\xe0\xd1\xff\x00\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xc0\xc3", 0);
        assert_eq!(cursor.next_item().unwrap().integer, 1);
        assert_eq!(cursor.next_item().unwrap().integer, -32);
        assert_eq!(cursor.next_item().unwrap().integer, -256);
        assert_eq!(cursor.next_item().unwrap().item, CnrItem::Uint);
        assert_eq!(cursor.next_item().unwrap().item, CnrItem::Nil);
        assert_eq!(cursor.next_item().unwrap().integer, 1);
        assert!(cursor.next_item().is_err());
    }

    #[test]
    fn declared_lengths_are_checked() {
        for bytes in [
            &b"\xdd\xff\xff\xff\xff"[..],
            b"\xdb\xff\xff\xff\xff",
            b"\x81\x01",
            b"\xc1",
            b"\xc9\x7f\xff\xff\xff\x01",
        ] {
            assert!(Cursor::new(bytes, 0).skip().is_err(), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_value_in_pieces_is_scanned_once() {
        let bytes = b"\x82\xa1a\x92\x01\x02\xa1b\xc4\x02xy\x07";
        let (mut at, mut left) = (0, 1);
        let mut read = 0;
        for _ in 0..20 {
            let needed = scan(bytes.get(..read).unwrap(), &mut at, &mut left).unwrap();
            if left == 0 {
                break;
            }
            assert!(needed > 0 && read + needed <= 12, "{read} {needed}");
            read += needed;
        }
        assert_eq!((at, left, read), (12, 0, 12));
    }

    #[test]
    fn a_value_is_skipped_with_its_content() {
        let mut cursor = Cursor::new(b"\x82\xa1a\x92\x01\x02\xa1b\x80\x07", 0);
        cursor.skip().unwrap();
        assert_eq!(cursor.at, 9);
    }
}
