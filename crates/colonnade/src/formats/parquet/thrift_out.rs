//! Writes the part of Thrift's compact protocol that Parquet's footers, indexes and page headers use.
//!
//! Fields must be written in the order of their ids. The writer allocates nothing but the output bytes.

use super::thrift::ThriftType;

/// Maximum depth of nested structures; Parquet's own metadata need six.
const MAX_DEPTH: usize = 16;

/// A writer that appends structures to `bytes`.
#[derive(Debug)]
pub struct ThriftOut<'a> {
    /// The output.
    pub bytes: &'a mut Vec<u8>,
    /// Id of the last field of each open structure.
    last: [i16; MAX_DEPTH],
    depth: usize,
}

/// Returns the code of a type in field headers and lists.
const fn code(wire: ThriftType) -> u8 {
    match wire {
        ThriftType::True => 1,
        ThriftType::False => 2,
        ThriftType::Byte => 3,
        ThriftType::I16 => 4,
        ThriftType::I32 => 5,
        ThriftType::I64 => 6,
        ThriftType::Double => 7,
        ThriftType::Binary => 8,
        ThriftType::List => 9,
        ThriftType::Set => 10,
        ThriftType::Map => 11,
        ThriftType::Struct => 12,
        ThriftType::Uuid => 13,
    }
}

/// Appends an unsigned integer of up to 64 bits.
#[inline]
pub fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

/// Zigzag: maps integers near zero to small unsigned integers.
#[inline]
#[must_use]
pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

impl<'a> ThriftOut<'a> {
    /// Opens a structure at the end of `bytes`, to be closed with [`ThriftOut::end`].
    pub fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self { bytes, last: [0; MAX_DEPTH], depth: 0 }
    }

    fn field(&mut self, id: i16, wire: ThriftType) {
        let last = self.last.get_mut(self.depth);
        let step = last.as_deref().map_or(0, |last| id - last);
        if let Some(last) = last {
            *last = id;
        }
        match u8::try_from(step) {
            Ok(step @ 1..=15) => self.bytes.push(step << 4 | code(wire)),
            _ => {
                self.bytes.push(code(wire));
                varint(self.bytes, zigzag(i64::from(id)));
            }
        }
    }

    /// Writes a bool.
    pub fn bool(&mut self, id: i16, value: bool) {
        self.field(id, if value { ThriftType::True } else { ThriftType::False });
    }

    /// Writes an 8-bit integer.
    pub fn byte(&mut self, id: i16, value: i8) {
        self.field(id, ThriftType::Byte);
        self.bytes.push(value.cast_unsigned());
    }

    /// Writes a 16-bit integer.
    pub fn i16(&mut self, id: i16, value: i16) {
        self.field(id, ThriftType::I16);
        varint(self.bytes, zigzag(i64::from(value)));
    }

    /// Writes a 32-bit integer.
    pub fn i32(&mut self, id: i16, value: i32) {
        self.field(id, ThriftType::I32);
        varint(self.bytes, zigzag(i64::from(value)));
    }

    /// Writes a 64-bit integer.
    pub fn i64(&mut self, id: i16, value: i64) {
        self.field(id, ThriftType::I64);
        varint(self.bytes, zigzag(value));
    }

    /// Writes bytes or text.
    pub fn binary(&mut self, id: i16, value: &[u8]) {
        self.field(id, ThriftType::Binary);
        self.element_binary(value);
    }

    /// Opens a structure, to be closed with [`ThriftOut::end`].
    pub fn begin(&mut self, id: i16) {
        self.field(id, ThriftType::Struct);
        self.element_begin();
    }

    /// Writes a structure without fields.
    pub fn empty(&mut self, id: i16) {
        self.field(id, ThriftType::Struct);
        self.bytes.push(0);
    }

    /// Closes the current structure.
    pub fn end(&mut self) {
        self.bytes.push(0);
        self.depth = self.depth.saturating_sub(1);
    }

    /// Writes the header of a list of `n` elements. The elements follow.
    pub fn list(&mut self, id: i16, wire: ThriftType, n: usize) {
        self.field(id, ThriftType::List);
        match u8::try_from(n) {
            Ok(n @ 0..=14) => self.bytes.push(n << 4 | code(wire)),
            _ => {
                self.bytes.push(0xf0 | code(wire));
                varint(self.bytes, n as u64);
            }
        }
    }

    /// Opens a structure in a list, to be closed with [`ThriftOut::end`].
    pub fn element_begin(&mut self) {
        debug_assert!(self.depth + 1 < MAX_DEPTH, "structures are nested too deeply");
        self.depth += 1;
        if let Some(last) = self.last.get_mut(self.depth) {
            *last = 0;
        }
    }

    /// Writes a bool in a list.
    pub fn element_bool(&mut self, value: bool) {
        self.bytes.push(if value { 1 } else { 2 });
    }

    /// Writes a 32-bit integer in a list.
    pub fn element_i32(&mut self, value: i32) {
        varint(self.bytes, zigzag(i64::from(value)));
    }

    /// Writes a 64-bit integer in a list.
    pub fn element_i64(&mut self, value: i64) {
        varint(self.bytes, zigzag(value));
    }

    /// Writes bytes or text in a list.
    pub fn element_binary(&mut self, value: &[u8]) {
        varint(self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(value);
    }
}

#[cfg(test)]
mod tests {
    use super::ThriftOut;
    use crate::formats::parquet::thrift::{Thrift, ThriftType};

    #[test]
    fn written_structures_are_read() {
        let mut bytes = Vec::new();
        let mut out = ThriftOut::new(&mut bytes);
        out.i32(1, -7);
        out.begin(2);
        out.bool(1, true);
        out.bool(40, false);
        out.end();
        out.list(3, ThriftType::I64, 20);
        (0..20).for_each(|k| out.element_i64(k << 40));
        out.i64(4, i64::MIN);
        out.binary(5, b"abc");
        out.end();
        let mut t = Thrift::new(&bytes, 0, "a test");
        let mut last = 0;
        assert_eq!(t.field(&mut last).unwrap().map(|f| (f.id, f.wire)), Some((1, ThriftType::I32)));
        assert_eq!(t.i32().unwrap(), -7);
        assert_eq!(t.field(&mut last).unwrap().map(|f| (f.id, f.wire)), Some((2, ThriftType::Struct)));
        let mut inner = 0;
        assert_eq!(t.field(&mut inner).unwrap().map(|f| (f.id, f.wire)), Some((1, ThriftType::True)));
        assert_eq!(t.field(&mut inner).unwrap().map(|f| (f.id, f.wire)), Some((40, ThriftType::False)));
        assert!(t.field(&mut inner).unwrap().is_none());
        assert_eq!(t.field(&mut last).unwrap().map(|f| (f.id, f.wire)), Some((3, ThriftType::List)));
        assert_eq!(t.list().unwrap(), (ThriftType::I64, 20));
        for k in 0..20 {
            assert_eq!(t.i64().unwrap(), k << 40);
        }
        assert_eq!(t.field(&mut last).unwrap().map(|f| (f.id, f.wire)), Some((4, ThriftType::I64)));
        assert_eq!(t.i64().unwrap(), i64::MIN);
        assert_eq!(t.field(&mut last).unwrap().map(|f| (f.id, f.wire)), Some((5, ThriftType::Binary)));
        assert_eq!(t.binary().unwrap(), b"abc");
        assert!(t.field(&mut last).unwrap().is_none());
        assert_eq!(t.position(), bytes.len());
    }
}
