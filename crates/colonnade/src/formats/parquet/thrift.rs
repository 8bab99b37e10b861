//! Thrift's compact protocol, read from a slice: as much of it as Parquet's footers and page headers use.
//!
//! Whoever reads asks for the fields that they know and skips the others; nothing is allocated on a count, and skipping is
//! bounded in depth.
//!
//! Specification: <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>

use crate::error::{Error, Result};

mod past;

/// Structures within structures that skipping follows; Parquet's own need six.
const MAX_DEPTH: usize = 32;

/// The type of a field or of the elements of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Wire {
    /// A bool that is true: fields alone, the value stands in the type.
    True = 1,
    /// A bool that is false, and the element type of lists of bools.
    False,
    /// A byte.
    Byte,
    /// 16 bits, zigzag.
    I16,
    /// 32 bits, zigzag.
    I32,
    /// 64 bits, zigzag.
    I64,
    /// Eight bytes.
    Double,
    /// Bytes or text, with their length.
    Binary,
    /// A list.
    List,
    /// A set: as a list.
    Set,
    /// A map.
    Map,
    /// A structure.
    Struct,
    /// A UUID: sixteen bytes.
    Uuid,
}

impl Wire {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::True,
            2 => Self::False,
            3 => Self::Byte,
            4 => Self::I16,
            5 => Self::I32,
            6 => Self::I64,
            7 => Self::Double,
            8 => Self::Binary,
            9 => Self::List,
            10 => Self::Set,
            11 => Self::Map,
            12 => Self::Struct,
            13 => Self::Uuid,
            _ => return None,
        })
    }
}

/// A field's header: its number and its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its number.
    pub id: i16,
    /// Its type.
    pub wire: Wire,
}

/// Where reading stands. `base` is the place of the first byte in the file: errors say places in the file.
#[derive(Debug, Clone)]
pub struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u64,
    what: &'static str,
}

impl<'a> Thrift<'a> {
    /// Reads `bytes`, which begin at byte `base` of the file and hold `what`.
    #[must_use]
    pub fn new(bytes: &'a [u8], base: u64, what: &'static str) -> Self {
        Self { bytes, at: 0, base, what }
    }

    /// Bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes to a place that [`Thrift::position`] said before.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// An error here.
    #[must_use]
    pub fn fault(&self, message: &str) -> Error {
        Error::malformed("parquet", format!("{}: {message}. The file is damaged; write it again.", self.what))
            .at(self.base + self.at as u64)
    }

    #[cold]
    fn ended(&self, needed: usize) -> Error {
        let had = (self.bytes.len() - self.at) as u64;
        Error::truncated("parquet", self.what, needed as u64, had).at(self.base + self.at as u64)
    }

    /// One byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8> {
        let Some(&byte) = self.bytes.get(self.at) else { return Err(self.ended(1)) };
        self.at += 1;
        Ok(byte)
    }

    /// An unsigned number of up to 64 bits.
    #[inline]
    pub fn varint(&mut self) -> Result<u64> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let mut value = u64::from(first & 0x7f);
        let mut shift = 7;
        loop {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 || shift > 63 {
                return Err(self.fault("a number has more than 64 bits"));
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
        }
    }

    /// A signed number of up to 64 bits.
    #[inline]
    pub fn i64(&mut self) -> Result<i64> {
        let raw = self.varint()?;
        Ok((raw >> 1).cast_signed() ^ -((raw & 1).cast_signed()))
    }

    /// A signed number of up to 32 bits.
    #[inline]
    pub fn i32(&mut self) -> Result<i32> {
        let wide = self.i64()?;
        i32::try_from(wide).map_err(|_| self.fault("a number has more than 32 bits"))
    }

    /// A number that counts bytes, rows or values: not negative.
    #[inline]
    pub fn count(&mut self) -> Result<u64> {
        let value = self.i64()?;
        u64::try_from(value).map_err(|_| self.fault("a count is negative"))
    }

    /// `n` bytes.
    #[inline]
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let left = self.bytes.get(self.at..).unwrap_or_default();
        let Some(bytes) = left.get(..n) else { return Err(self.ended(n)) };
        self.at += n;
        Ok(bytes)
    }

    /// Bytes with their length in front.
    #[inline]
    pub fn binary(&mut self) -> Result<&'a [u8]> {
        let n = self.varint()?;
        let Ok(n) = usize::try_from(n) else { return Err(self.ended(usize::MAX)) };
        self.take(n)
    }

    /// Text with its length in front.
    pub fn text(&mut self) -> Result<&'a str> {
        let at = self.at;
        let bytes = self.binary()?;
        std::str::from_utf8(bytes).map_err(|_| {
            self.at = at;
            self.fault("a text is not UTF-8")
        })
    }

    /// The next field of a structure, `None` at its end. `last` is the number of the field before, 0 at the beginning.
    #[inline]
    pub fn field(&mut self, last: &mut i16) -> Result<Option<Field>> {
        let head = self.byte()?;
        if head == 0 {
            return Ok(None);
        }
        let Some(wire) = Wire::of(head & 0x0f) else { return Err(self.fault("a field has no known type")) };
        let id = match i16::from(head >> 4) {
            0 => i16::try_from(self.i64()?)
                .map_err(|_| self.fault("a field's number has more than 16 bits"))?,
            step => {
                last.checked_add(step).ok_or_else(|| self.fault("a field's number has more than 16 bits"))?
            }
        };
        *last = id;
        Ok(Some(Field { id, wire }))
    }

    /// The header of a list: the type of its elements and how many there are. Every element has a byte at least, so a
    /// count beyond the bytes that are left is refused here.
    pub fn list(&mut self) -> Result<(Wire, usize)> {
        let head = self.byte()?;
        let n = match head >> 4 {
            15 => self.varint()?,
            n => u64::from(n),
        };
        let wire = match Wire::of(head & 0x0f) {
            Some(wire) => wire,
            // Some writers give lists without elements no type.
            None if n == 0 => Wire::False,
            None => return Err(self.fault("a list has no known type")),
        };
        let left = self.bytes.len() - self.at;
        match usize::try_from(n) {
            Ok(n) if n <= left => Ok((wire, n)),
            _ => Err(self.fault(&format!("a list says {n} elements, {left} bytes are left"))),
        }
    }

    /// The header of a list of structures.
    pub fn structs(&mut self) -> Result<usize> {
        match self.list()? {
            (Wire::Struct, n) => Ok(n),
            (_, 0) => Ok(0),
            (wire, _) => Err(self.fault(&format!("expected a list of structures, found {wire:?}"))),
        }
    }

    /// Passes a field of this type by.
    #[inline]
    pub fn skip(&mut self, wire: Wire) -> Result<()> {
        match past::value(self.bytes, self.at, wire as u8, MAX_DEPTH) {
            Some(at) => {
                self.at = at;
                Ok(())
            }
            // What is wrong, and where, is told by going once more, step by step.
            None => self.skip_within(wire, MAX_DEPTH),
        }
    }

    fn skip_within(&mut self, wire: Wire, depth: usize) -> Result<()> {
        let Some(below) = depth.checked_sub(1) else { return Err(self.fault("it is nested too deeply")) };
        match wire {
            Wire::True | Wire::False => {}
            Wire::Byte => drop(self.byte()?),
            Wire::I16 | Wire::I32 | Wire::I64 => drop(self.varint()?),
            Wire::Double => drop(self.take(8)?),
            Wire::Uuid => drop(self.take(16)?),
            Wire::Binary => drop(self.binary()?),
            Wire::List | Wire::Set => {
                let (wire, n) = self.list()?;
                for _ in 0..n {
                    self.skip_element(wire, below)?;
                }
            }
            Wire::Map => {
                let n = self.varint()?;
                if n > 0 {
                    let kinds = self.byte()?;
                    let (Some(key), Some(value)) = (Wire::of(kinds >> 4), Wire::of(kinds & 0x0f)) else {
                        return Err(self.fault("a map has no known types"));
                    };
                    for _ in 0..n {
                        self.skip_element(key, below)?;
                        self.skip_element(value, below)?;
                    }
                }
            }
            Wire::Struct => {
                let mut last = 0;
                while let Some(field) = self.field(&mut last)? {
                    self.skip_within(field.wire, below)?;
                }
            }
        }
        Ok(())
    }

    /// In a list a bool has a byte of its own.
    fn skip_element(&mut self, wire: Wire, depth: usize) -> Result<()> {
        match wire {
            Wire::True | Wire::False => self.byte().map(drop),
            other => self.skip_within(other, depth),
        }
    }
}
