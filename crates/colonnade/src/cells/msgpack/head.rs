//! Parses the head of a value: its type and length, in any legal width.

use crate::cells::msgpack::column::{CellError, malformed};

/// The type of a value. The payload of text, bytes and extensions follows the head, as do the entries of arrays and maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MsgpackHead {
    /// Nil.
    Nil,
    /// True or false.
    Bool(bool),
    /// An integer that fits `i64`.
    Int(i64),
    /// An integer above `i64::MAX`.
    UInt(u64),
    /// The bits of a 32-bit float.
    F32(u32),
    /// The bits of a 64-bit float.
    F64(u64),
    /// Text, with its number of bytes.
    Str(u32),
    /// Bytes, with their number.
    Bin(u32),
    /// An array, with its number of entries.
    Array(u32),
    /// A map, with its number of pairs.
    Map(u32),
    /// An extension: its type and number of bytes.
    Ext(i8, u32),
}

impl MsgpackHead {
    /// Returns the bytes that follow the head, without the entries of arrays and maps.
    #[must_use]
    pub fn payload(self) -> usize {
        match self {
            Self::Str(n) | Self::Bin(n) | Self::Ext(_, n) => n as usize,
            _ => 0,
        }
    }

    /// Returns the specification's name of the type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::UInt(_) => "an integer",
            Self::F32(_) | Self::F64(_) => "a float",
            Self::Str(_) => "str",
            Self::Bin(_) => "bin",
            Self::Array(_) => "an array",
            Self::Map(_) => "a map",
            Self::Ext(-1, _) => "a timestamp",
            Self::Ext(..) => "an extension",
        }
    }
}

/// Parses the head at the front of `bytes`. Returns the head and its length, or `None` if the head is incomplete.
///
/// # Errors
/// Malformed: the byte C1, which starts no value.
#[inline]
pub fn head(bytes: &[u8]) -> Result<Option<(MsgpackHead, usize)>, CellError> {
    let Some((&marker, rest)) = bytes.split_first() else { return Ok(None) };
    macro_rules! be {
        ($t:ty) => {
            match rest.first_chunk::<{ size_of::<$t>() }>() {
                Some(raw) => <$t>::from_be_bytes(*raw),
                None => return Ok(None),
            }
        };
    }
    macro_rules! ext {
        ($length:ty) => {{
            let length = be!($length);
            let Some(&code) = rest.get(size_of::<$length>()) else { return Ok(None) };
            (MsgpackHead::Ext(code.cast_signed(), u32::from(length)), 2 + size_of::<$length>())
        }};
    }
    let fixed = |length: u32| rest.first().map(|code| (MsgpackHead::Ext(code.cast_signed(), length), 2));
    Ok(Some(match marker {
        0x00..=0x7f => (MsgpackHead::Int(i64::from(marker)), 1),
        0x80..=0x8f => (MsgpackHead::Map(u32::from(marker & 0x0f)), 1),
        0x90..=0x9f => (MsgpackHead::Array(u32::from(marker & 0x0f)), 1),
        0xa0..=0xbf => (MsgpackHead::Str(u32::from(marker & 0x1f)), 1),
        0xc0 => (MsgpackHead::Nil, 1),
        0xc1 => {
            return Err(malformed(0, "expected a value, found the byte C1, which MessagePack never uses."));
        }
        0xc2 => (MsgpackHead::Bool(false), 1),
        0xc3 => (MsgpackHead::Bool(true), 1),
        0xc4 => (MsgpackHead::Bin(u32::from(be!(u8))), 2),
        0xc5 => (MsgpackHead::Bin(u32::from(be!(u16))), 3),
        0xc6 => (MsgpackHead::Bin(be!(u32)), 5),
        0xc7 => ext!(u8),
        0xc8 => ext!(u16),
        0xc9 => ext!(u32),
        0xca => (MsgpackHead::F32(be!(u32)), 5),
        0xcb => (MsgpackHead::F64(be!(u64)), 9),
        0xcc => (MsgpackHead::Int(i64::from(be!(u8))), 2),
        0xcd => (MsgpackHead::Int(i64::from(be!(u16))), 3),
        0xce => (MsgpackHead::Int(i64::from(be!(u32))), 5),
        0xcf => {
            let value = be!(u64);
            (i64::try_from(value).map_or(MsgpackHead::UInt(value), MsgpackHead::Int), 9)
        }
        0xd0 => (MsgpackHead::Int(i64::from(be!(i8))), 2),
        0xd1 => (MsgpackHead::Int(i64::from(be!(i16))), 3),
        0xd2 => (MsgpackHead::Int(i64::from(be!(i32))), 5),
        0xd3 => (MsgpackHead::Int(be!(i64)), 9),
        0xd4..=0xd8 => match fixed(1 << (marker - 0xd4)) {
            Some(found) => found,
            None => return Ok(None),
        },
        0xd9 => (MsgpackHead::Str(u32::from(be!(u8))), 2),
        0xda => (MsgpackHead::Str(u32::from(be!(u16))), 3),
        0xdb => (MsgpackHead::Str(be!(u32)), 5),
        0xdc => (MsgpackHead::Array(u32::from(be!(u16))), 3),
        0xdd => (MsgpackHead::Array(be!(u32)), 5),
        0xde => (MsgpackHead::Map(u32::from(be!(u16))), 3),
        0xdf => (MsgpackHead::Map(be!(u32)), 5),
        0xe0..=0xff => (MsgpackHead::Int(i64::from(marker.cast_signed())), 1),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_has_a_head_or_is_refused() {
        for marker in 0..=u8::MAX {
            let mut bytes = [0u8; 16];
            bytes[0] = marker;
            let whole = head(&bytes);
            assert_eq!(whole.is_err(), marker == 0xc1);
            if let Ok(found) = whole {
                let (_, length) = found.unwrap();
                assert!(head(&bytes[..length - 1]).unwrap().is_none());
                assert_eq!(head(&bytes[..length]).unwrap().unwrap().1, length);
            }
        }
    }
}
