//! Thrift's compact protocol: any struct as a tree, and the tree as bytes.
//!
//! The types of the fields are not known. What is read and written again is the same, unless a number was written in more bytes
//! than it needs.

const MOST_DEPTH: usize = 24;
const MOST_VALUES: usize = 50_000;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Bool(bool),
    Byte(u8),
    /// Its type (4, 5 and 6 are 16, 32 and 64 bits), and the number as it is written, which is in zigzag form.
    Int(u8, u64),
    Double([u8; 8]),
    Binary(Vec<u8>),
    /// A list (9) or a set (10), the type of the items, and the items.
    List(u8, u8, Vec<Value>),
    /// The types of keys and values.
    Map([u8; 2], Vec<(Value, Value)>),
    Struct(Vec<(i16, Value)>),
}

pub(crate) fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63).cast_unsigned()
}

pub(crate) fn unzigzag(raw: u64) -> i64 {
    (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg()
}

impl Value {
    /// The value behind fields of nested structs.
    pub(crate) fn at(&self, path: &[i16]) -> Option<&Self> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        let Self::Struct(fields) = self else { return None };
        fields.iter().find(|(id, _)| id == first)?.1.at(rest)
    }

    pub(crate) fn at_mut(&mut self, path: &[i16]) -> Option<&mut Self> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        let Self::Struct(fields) = self else { return None };
        fields.iter_mut().find(|(id, _)| id == first)?.1.at_mut(rest)
    }

    pub(crate) fn int(&self, path: &[i16]) -> Option<i64> {
        match self.at(path)? {
            Self::Int(_, raw) => Some(unzigzag(*raw)),
            _ => None,
        }
    }

    /// Sets a number that is there.
    pub(crate) fn set(&mut self, path: &[i16], number: i64) -> Option<()> {
        match self.at_mut(path)? {
            Self::Int(_, raw) => *raw = zigzag(number),
            _ => return None,
        }
        Some(())
    }

    pub(crate) fn items(&self, path: &[i16]) -> Option<&[Self]> {
        match self.at(path)? {
            Self::List(_, _, items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn items_mut(&mut self, path: &[i16]) -> Option<&mut Vec<Self>> {
        match self.at_mut(path)? {
            Self::List(_, _, items) => Some(items),
            _ => None,
        }
    }

    /// Appends the bytes of the value.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            // In a list or a map. In a struct the type is the value.
            Self::Bool(value) => out.push(if *value { 1 } else { 2 }),
            Self::Byte(byte) => out.push(*byte),
            Self::Int(_, raw) => varint(*raw, out),
            Self::Double(bytes) => out.extend(bytes),
            Self::Binary(bytes) => {
                varint(bytes.len() as u64, out);
                out.extend(bytes);
            }
            Self::List(_, of, items) => {
                match u8::try_from(items.len()) {
                    Ok(count @ 0..15) => out.push(count << 4 | of),
                    _ => {
                        out.push(0xF0 | of);
                        varint(items.len() as u64, out);
                    }
                }
                items.iter().for_each(|item| item.write(out));
            }
            Self::Map(of, items) => {
                varint(items.len() as u64, out);
                if !items.is_empty() {
                    out.push(of[0] << 4 | of[1]);
                }
                for (key, value) in items {
                    key.write(out);
                    value.write(out);
                }
            }
            Self::Struct(fields) => {
                let mut last = 0_i16;
                for (id, value) in fields {
                    match u8::try_from(i32::from(*id) - i32::from(last)) {
                        Ok(step @ 1..=15) => out.push(step << 4 | value.kind()),
                        _ => {
                            out.push(value.kind());
                            varint(zigzag(i64::from(*id)), out);
                        }
                    }
                    if !matches!(value, Self::Bool(_)) {
                        value.write(out);
                    }
                    last = *id;
                }
                out.push(0);
            }
        }
    }

    /// Its type, as the field of a struct has it.
    fn kind(&self) -> u8 {
        match self {
            Self::Bool(true) => 1,
            Self::Bool(false) => 2,
            Self::Byte(_) => 3,
            Self::Int(kind, _) | Self::List(kind, ..) => *kind,
            Self::Double(_) => 7,
            Self::Binary(_) => 8,
            Self::Map(..) => 11,
            Self::Struct(_) => 12,
        }
    }
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number.to_le_bytes()[0] | 128);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// The struct at the start of `bytes`, and its length.
pub(crate) fn read(bytes: &[u8]) -> Option<(Value, usize)> {
    let mut reader = Reader { bytes, at: 0, left: MOST_VALUES };
    let value = reader.value(12, 0)?;
    Some((value, reader.at))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    left: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut out = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            out |= u64::from(byte & 127).checked_shl(shift).unwrap_or_default();
            if byte < 128 {
                return Some(out);
            }
        }
        None
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok().filter(|size| *size <= self.bytes.len())
    }

    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(bytes)
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > MOST_DEPTH {
            return None;
        }
        Some(match kind {
            1 | 2 => Value::Bool(self.byte()? == 1),
            3 => Value::Byte(self.byte()?),
            4..=6 => Value::Int(kind, self.varint()?),
            7 => Value::Double(self.take(8)?.try_into().ok()?),
            8 => {
                let count = self.size()?;
                Value::Binary(self.take(count)?.to_vec())
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.size()? } else { usize::from(head >> 4) };
                let items = (0..count).map(|_| self.value(head & 15, depth + 1)).collect::<Option<_>>()?;
                Value::List(kind, head & 15, items)
            }
            11 => {
                let count = self.size()?;
                let of = if count == 0 { 0 } else { self.byte()? };
                let of = [of >> 4, of & 15];
                let mut pair = || Some((self.value(of[0], depth + 1)?, self.value(of[1], depth + 1)?));
                Value::Map(of, (0..count).map(|_| pair()).collect::<Option<_>>()?)
            }
            12 => Value::Struct(self.fields(depth)?),
            _ => return None,
        })
    }

    fn fields(&mut self, depth: usize) -> Option<Vec<(i16, Value)>> {
        let (mut out, mut last) = (Vec::new(), 0_i16);
        loop {
            let head = self.byte()?;
            let kind = head & 15;
            if kind == 0 {
                return Some(out);
            }
            last = match head >> 4 {
                0 => i16::try_from(unzigzag(self.varint()?)).ok()?,
                step => last.checked_add(i16::from(step))?,
            };
            let value = match kind {
                1 | 2 => Value::Bool(kind == 1),
                _ => self.value(kind, depth + 1)?,
            };
            out.push((last, value));
        }
    }
}
