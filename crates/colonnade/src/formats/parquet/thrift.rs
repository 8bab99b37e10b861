//! Reads the part of Thrift's compact protocol that Parquet's footers and page headers use.
//!
//! The caller reads the fields that it knows and skips the others. Counts in the input cause no allocation, and the depth of
//! skipped structures is limited.
//!
//! Specification: <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>

use crate::error::{Error, Result};

mod skip;

/// Maximum depth of skipped structures; Parquet's own metadata need six.
const MAX_DEPTH: usize = 32;

/// The type of a field or of the elements of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ThriftType {
    /// The bool `true`. In fields, the type is the value.
    True = 1,
    /// The bool `false`, and the element type of lists of bools.
    False,
    /// An 8-bit integer.
    Byte,
    /// A 16-bit integer, zigzag.
    I16,
    /// A 32-bit integer, zigzag.
    I32,
    /// A 64-bit integer, zigzag.
    I64,
    /// A 64-bit float.
    Double,
    /// Bytes or text, with a length prefix.
    Binary,
    /// A list.
    List,
    /// A set, encoded as a list.
    Set,
    /// A map.
    Map,
    /// A structure.
    Struct,
    /// A UUID of 16 bytes.
    Uuid,
}

impl ThriftType {
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

/// A field header: the field id and the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldHeader {
    /// Field id.
    pub id: i16,
    /// Type.
    pub wire: ThriftType,
}

/// A cursor. `base` is the file offset of the first byte; error messages contain file offsets.
#[derive(Debug, Clone)]
pub struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u64,
    what: &'static str,
}

impl<'a> Thrift<'a> {
    /// Creates a cursor over `bytes`, which start at byte `base` of the file. `what` names them in error messages.
    #[must_use]
    pub fn new(bytes: &'a [u8], base: u64, what: &'static str) -> Self {
        Self { bytes, at: 0, base, what }
    }

    /// Number of bytes read.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Moves to a position that [`Thrift::position`] returned.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// Creates an error at the current position.
    #[must_use]
    pub fn fault(&self, message: &str) -> Error {
        Error::malformed("parquet", format!("{}: {message}. The file is damaged; write it again.", self.what))
            .at(self.base + self.at as u64)
    }

    #[cold]
    fn truncated(&self, needed: usize) -> Error {
        let had = (self.bytes.len() - self.at) as u64;
        Error::truncated("parquet", self.what, needed as u64, had).at(self.base + self.at as u64)
    }

    /// Reads one byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8> {
        let Some(&byte) = self.bytes.get(self.at) else { return Err(self.truncated(1)) };
        self.at += 1;
        Ok(byte)
    }

    /// Reads an unsigned integer of up to 64 bits.
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

    /// Reads a signed integer of up to 64 bits.
    #[inline]
    pub fn i64(&mut self) -> Result<i64> {
        let raw = self.varint()?;
        Ok((raw >> 1).cast_signed() ^ -((raw & 1).cast_signed()))
    }

    /// Reads a signed integer of up to 32 bits.
    #[inline]
    pub fn i32(&mut self) -> Result<i32> {
        let wide = self.i64()?;
        i32::try_from(wide).map_err(|_| self.fault("a number has more than 32 bits"))
    }

    /// Reads a non-negative integer, such as a number of bytes, rows or values.
    #[inline]
    pub fn count(&mut self) -> Result<u64> {
        let value = self.i64()?;
        u64::try_from(value).map_err(|_| self.fault("a count is negative"))
    }

    /// Reads `n` bytes.
    #[inline]
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let left = self.bytes.get(self.at..).unwrap_or_default();
        let Some(bytes) = left.get(..n) else { return Err(self.truncated(n)) };
        self.at += n;
        Ok(bytes)
    }

    /// Reads bytes with a length prefix.
    #[inline]
    pub fn binary(&mut self) -> Result<&'a [u8]> {
        let n = self.varint()?;
        let Ok(n) = usize::try_from(n) else { return Err(self.truncated(usize::MAX)) };
        self.take(n)
    }

    /// Reads text with a length prefix.
    pub fn text(&mut self) -> Result<&'a str> {
        let at = self.at;
        let bytes = self.binary()?;
        std::str::from_utf8(bytes).map_err(|_| {
            self.at = at;
            self.fault("a text is not UTF-8")
        })
    }

    /// Reads the next field header of a structure, `None` at its end. `last` is the id of the previous field, 0 at the start.
    #[inline]
    pub fn field(&mut self, last: &mut i16) -> Result<Option<FieldHeader>> {
        let head = self.byte()?;
        if head == 0 {
            return Ok(None);
        }
        let Some(wire) = ThriftType::of(head & 0x0f) else {
            return Err(self.fault("a field has no known type"));
        };
        let id = match i16::from(head >> 4) {
            0 => i16::try_from(self.i64()?)
                .map_err(|_| self.fault("a field's number has more than 16 bits"))?,
            step => {
                last.checked_add(step).ok_or_else(|| self.fault("a field's number has more than 16 bits"))?
            }
        };
        *last = id;
        Ok(Some(FieldHeader { id, wire }))
    }

    /// Reads a list header: the type and number of the elements. An element has at least one byte, so a number of elements that
    /// exceeds the remaining bytes is refused here.
    pub fn list(&mut self) -> Result<(ThriftType, usize)> {
        let head = self.byte()?;
        let n = match head >> 4 {
            15 => self.varint()?,
            n => u64::from(n),
        };
        let wire = match ThriftType::of(head & 0x0f) {
            Some(wire) => wire,
            // Some writers use type 0 for empty lists.
            None if n == 0 => ThriftType::False,
            None => return Err(self.fault("a list has no known type")),
        };
        let left = self.bytes.len() - self.at;
        match usize::try_from(n) {
            Ok(n) if n <= left => Ok((wire, n)),
            _ => Err(self.fault(&format!("a list says {n} elements, {left} bytes are left"))),
        }
    }

    /// Reads the header of a list of structures.
    pub fn structs(&mut self) -> Result<usize> {
        match self.list()? {
            (ThriftType::Struct, n) => Ok(n),
            (_, 0) => Ok(0),
            (wire, _) => Err(self.fault(&format!("expected a list of structures, found {wire:?}"))),
        }
    }

    /// Skips a value of this type.
    #[inline]
    pub fn skip(&mut self, wire: ThriftType) -> Result<()> {
        match skip::value(self.bytes, self.at, wire as u8, MAX_DEPTH) {
            Some(at) => {
                self.at = at;
                Ok(())
            }
            // On failure, the value is skipped again step by step, which finds the error and its offset.
            None => self.skip_within(wire, MAX_DEPTH),
        }
    }

    fn skip_within(&mut self, wire: ThriftType, depth: usize) -> Result<()> {
        let Some(below) = depth.checked_sub(1) else { return Err(self.fault("it is nested too deeply")) };
        match wire {
            ThriftType::True | ThriftType::False => {}
            ThriftType::Byte => drop(self.byte()?),
            ThriftType::I16 | ThriftType::I32 | ThriftType::I64 => drop(self.varint()?),
            ThriftType::Double => drop(self.take(8)?),
            ThriftType::Uuid => drop(self.take(16)?),
            ThriftType::Binary => drop(self.binary()?),
            ThriftType::List | ThriftType::Set => {
                let (wire, n) = self.list()?;
                for _ in 0..n {
                    self.skip_element(wire, below)?;
                }
            }
            ThriftType::Map => {
                let n = self.varint()?;
                if n > 0 {
                    let kinds = self.byte()?;
                    let (Some(key), Some(value)) = (ThriftType::of(kinds >> 4), ThriftType::of(kinds & 0x0f))
                    else {
                        return Err(self.fault("a map has no known types"));
                    };
                    for _ in 0..n {
                        self.skip_element(key, below)?;
                        self.skip_element(value, below)?;
                    }
                }
            }
            ThriftType::Struct => {
                let mut last = 0;
                while let Some(field) = self.field(&mut last)? {
                    self.skip_within(field.wire, below)?;
                }
            }
        }
        Ok(())
    }

    /// Skips an element of a list. A bool in a list has a byte, unlike a bool in a field.
    fn skip_element(&mut self, wire: ThriftType, depth: usize) -> Result<()> {
        match wire {
            ThriftType::True | ThriftType::False => self.byte().map(drop),
            other => self.skip_within(other, depth),
        }
    }
}
