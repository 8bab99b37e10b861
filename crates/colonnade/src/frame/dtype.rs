//! NumPy's scalar dtypes on the allow-list: parsed from `dtype.str` and formatted back.

use super::time_unit::{TimeBase, TimeUnit, decimal};

/// Kind of a scalar, as NumPy's `dtype.kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DTypeKind {
    /// `b`: one byte, 0 or 1.
    Bool,
    /// `i`: signed integer.
    Int,
    /// `u`: unsigned integer.
    UInt,
    /// `f`: binary16, binary32, binary64, or x86-64 long double in 16 bytes.
    Float,
    /// `c`: two floats.
    Complex,
    /// `M`: instants, 64-bit, with a unit.
    DateTime,
    /// `m`: durations, 64-bit, with a unit.
    TimeDelta,
    /// `S`: bytes of fixed width, padded with NUL.
    Bytes,
    /// `U`: UCS-4 of fixed width, padded with NUL.
    Unicode,
    /// `V`: opaque bytes of fixed width.
    Void,
}

/// Byte order of one scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ByteOrder {
    /// `<`
    Little,
    /// `>`
    Big,
    /// `|`: single bytes, order has no meaning.
    None,
}

/// A scalar dtype of NumPy on x86-64, without object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DType {
    /// Its kind.
    pub kind: DTypeKind,
    /// Bytes of one element. At most 2³¹ - 1, NumPy's limit.
    pub itemsize: u32,
    /// Byte order; `None` for single bytes, `S` and `V`.
    pub order: ByteOrder,
    /// Unit of `M8` and `m8`, [`TimeBase::Generic`] if they have none; `None` for other dtypes.
    pub unit: Option<TimeUnit>,
}

impl DType {
    /// `|u1`: arbitrary bytes.
    pub const BYTE: Self = Self { kind: DTypeKind::UInt, itemsize: 1, order: ByteOrder::None, unit: None };

    /// `|b1`.
    pub const BOOL: Self = Self { kind: DTypeKind::Bool, itemsize: 1, order: ByteOrder::None, unit: None };

    /// Parses NumPy's `dtype.str`: `<f8`, `|b1`, `<M8[25s]`, `>U3`. No order, or `=`, means little-endian.
    ///
    /// `None` for dtypes that are not on the allow-list: object, aliases such as `d`, widths NumPy does not have,
    /// white space, signs, leading zeros, multiples of 0, elements over 2³¹ - 1 bytes.
    #[must_use]
    pub fn parse(descr: &str) -> Option<Self> {
        let bytes = descr.as_bytes();
        let (order, rest) = match bytes {
            [b'<' | b'=' | b'|', rest @ ..] => (ByteOrder::Little, rest),
            [b'>', rest @ ..] => (ByteOrder::Big, rest),
            rest => (ByteOrder::Little, rest),
        };
        let (&code, size) = rest.split_first()?;
        let (kind, itemsize) = match (code, size) {
            (b'b', b"1") => (DTypeKind::Bool, 1),
            (b'i', size) => (DTypeKind::Int, integer_size(size)?),
            (b'u', size) => (DTypeKind::UInt, integer_size(size)?),
            (b'f', b"2") => (DTypeKind::Float, 2),
            (b'f', b"4") => (DTypeKind::Float, 4),
            (b'f', b"8") => (DTypeKind::Float, 8),
            (b'f', b"16") => (DTypeKind::Float, 16),
            (b'c', b"8") => (DTypeKind::Complex, 8),
            (b'c', b"16") => (DTypeKind::Complex, 16),
            (b'c', b"32") => (DTypeKind::Complex, 32),
            (b'M', [b'8', unit @ ..]) => return Self::time(DTypeKind::DateTime, order, unit),
            (b'm', [b'8', unit @ ..]) => return Self::time(DTypeKind::TimeDelta, order, unit),
            (b'S', size) => (DTypeKind::Bytes, decimal(size)?),
            (b'V', size) => (DTypeKind::Void, decimal(size)?),
            (b'U', size) => (DTypeKind::Unicode, decimal(size)?.checked_mul(4)?),
            _ => return None,
        };
        if i32::try_from(itemsize).is_err() {
            return None;
        }
        let orderless = itemsize == 1 || matches!(kind, DTypeKind::Bytes | DTypeKind::Void);
        let order = if orderless { ByteOrder::None } else { order };
        Some(Self { kind, itemsize, order, unit: None })
    }

    fn time(kind: DTypeKind, order: ByteOrder, unit: &[u8]) -> Option<Self> {
        let unit = match unit {
            [] => TimeUnit { base: TimeBase::Generic, multiple: 1 },
            [b'[', inner @ .., b']'] => TimeUnit::parse(std::str::from_utf8(inner).ok()?)?,
            _ => return None,
        };
        Some(Self { kind, itemsize: 8, order, unit: Some(unit) })
    }

    /// NumPy's `dtype.str`.
    #[must_use]
    pub fn descr(&self) -> String {
        let order = match self.order {
            ByteOrder::Little => '<',
            ByteOrder::Big => '>',
            ByteOrder::None => '|',
        };
        let (code, size) = match self.kind {
            DTypeKind::Bool => ('b', self.itemsize),
            DTypeKind::Int => ('i', self.itemsize),
            DTypeKind::UInt => ('u', self.itemsize),
            DTypeKind::Float => ('f', self.itemsize),
            DTypeKind::Complex => ('c', self.itemsize),
            DTypeKind::DateTime => ('M', self.itemsize),
            DTypeKind::TimeDelta => ('m', self.itemsize),
            DTypeKind::Bytes => ('S', self.itemsize),
            DTypeKind::Unicode => ('U', self.itemsize / 4),
            DTypeKind::Void => ('V', self.itemsize),
        };
        match self.unit {
            Some(TimeUnit { base, multiple: 1 }) if base != TimeBase::Generic => {
                format!("{order}{code}{size}[{}]", base.symbol())
            }
            Some(TimeUnit { base, multiple }) if base != TimeBase::Generic => {
                format!("{order}{code}{size}[{multiple}{}]", base.symbol())
            }
            _ => format!("{order}{code}{size}"),
        }
    }

    /// Natural alignment in bytes, as NumPy's `dtype.alignment` on x86-64 (long double complex: 16).
    #[must_use]
    pub fn alignment(&self) -> usize {
        match self.kind {
            DTypeKind::Bytes | DTypeKind::Void | DTypeKind::Bool => 1,
            DTypeKind::Unicode => 4,
            DTypeKind::Complex => self.itemsize as usize / 2,
            DTypeKind::Int
            | DTypeKind::UInt
            | DTypeKind::Float
            | DTypeKind::DateTime
            | DTypeKind::TimeDelta => self.itemsize as usize,
        }
    }
}

fn integer_size(size: &[u8]) -> Option<u32> {
    match size {
        b"1" => Some(1),
        b"2" => Some(2),
        b"4" => Some(4),
        b"8" => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `np.dtype(descr).str` of NumPy 2.4 on x86-64.
    const NUMPY: &[(&str, &str)] = &[
        ("b1", "|b1"),
        ("<b1", "|b1"),
        (">i1", "|i1"),
        ("u1", "|u1"),
        ("i8", "<i8"),
        ("=i4", "<i4"),
        ("|i8", "<i8"),
        (">i2", ">i2"),
        (">u8", ">u8"),
        ("<f2", "<f2"),
        ("<f16", "<f16"),
        (">c8", ">c8"),
        ("c32", "<c32"),
        ("<S3", "|S3"),
        ("S0", "|S0"),
        ("<V16", "|V16"),
        (">U3", ">U3"),
        ("U0", "<U0"),
        ("U536870911", "<U536870911"),
        ("S2147483647", "|S2147483647"),
        ("M8", "<M8"),
        (">M8[generic]", ">M8"),
        ("M8[1s]", "<M8[s]"),
        ("<M8[25s]", "<M8[25s]"),
        ("m8[2147483647as]", "<m8[2147483647as]"),
        ("M8[M]", "<M8[M]"),
        ("M8[m]", "<M8[m]"),
    ];

    #[test]
    fn names_are_those_of_numpy() {
        for (given, expected) in NUMPY {
            let dtype = DType::parse(given).unwrap_or_else(|| panic!("{given} was refused"));
            assert_eq!(&dtype.descr(), expected);
            assert_eq!(DType::parse(expected), Some(dtype));
        }
    }

    #[test]
    fn unknown_dtypes_are_refused() {
        for descr in [
            "",
            "<",
            "O",
            "|O",
            "|O8",
            "object",
            "d",
            "?",
            "i",
            "i0",
            "i3",
            "i16",
            "i08",
            "i-8",
            "i+8",
            "b2",
            "f3",
            "f10",
            "f12",
            "f32",
            "c2",
            "c64",
            " <i8 ",
            "<i8 ",
            "<<i8",
            "U",
            "S",
            "V",
            "U-1",
            "U01",
            "U536870912",
            "U1000000000",
            "U4294967297",
            "S2147483648",
            "S99999999999",
            "a3",
            "B1",
            "M4",
            "M8[",
            "M8[]",
            "M8]",
            "M8[-1s]",
            "M8[0s]",
            "M8[025s]",
            "M8[ s]",
            "M8[2generic]",
            "M8[s/10]",
            "M8[parsec]",
            "M8[2147483648s]",
            "M8[s]x",
            "zz",
            "<i4,<f4",
            "é8",
            "M8[é]",
        ] {
            assert_eq!(DType::parse(descr), None, "{descr:?}");
        }
    }

    #[test]
    fn byte_types_have_numpy_names() {
        assert_eq!(DType::parse("|u1"), Some(DType::BYTE));
    }

    #[test]
    fn alignment_is_natural() {
        for (descr, alignment) in [
            ("|b1", 1),
            ("<i8", 8),
            ("<f16", 16),
            ("<c8", 4),
            ("<c16", 8),
            ("<c32", 16),
            ("|S3", 1),
            ("<U3", 4),
            ("|V16", 1),
            ("<M8[s]", 8),
        ] {
            assert_eq!(DType::parse(descr).map(|dtype| dtype.alignment()), Some(alignment), "{descr}");
        }
    }
}
