//! The input of the column encoder: a leaf's values in borrowed memory, and their types in the file.

pub use crate::formats::parquet::types::Physical;

/// The order of the values, for statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortOrder {
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Floats of the physical type's width (two bytes: FLOAT16).
    Float,
    /// Bytes and text, compared as unsigned bytes in lexicographic order.
    Bytes,
    /// Big-endian signed integers.
    Decimal,
    /// Undefined order, so no statistics are written.
    None,
}

/// A bitmap, least significant bit first.
#[derive(Debug, Clone, Copy)]
pub struct Bitmap<'a> {
    /// The bytes of the bitmap.
    pub bytes: &'a [u8],
    /// Offset of row 0 in bits.
    pub offset: usize,
}

impl Bitmap<'_> {
    /// Returns the bit of a row.
    #[must_use]
    #[inline]
    pub fn get(&self, row: usize) -> bool {
        let bit = self.offset + row;
        self.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    /// Returns the bits of 64 rows from `row` on. Bits after the end are 0.
    #[must_use]
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the bits above are of later rows
    pub fn word(&self, row: usize) -> u64 {
        let bit = self.offset + row;
        let mut word = [0u8; 16];
        let from = self.bytes.get(bit / 8..).unwrap_or_default();
        match from.first_chunk::<9>() {
            Some(bytes) => word[..9].copy_from_slice(bytes),
            None => word.iter_mut().zip(from).for_each(|(to, from)| *to = *from),
        }
        (u128::from_le_bytes(word) >> (bit % 8)) as u64
    }

    /// Counts the set bits of these rows.
    #[must_use]
    pub fn count(&self, rows: std::ops::Range<usize>) -> usize {
        let mut n = 0;
        let mut row = rows.start;
        while row < rows.end {
            n += (self.word(row) & low_mask(rows.end - row)).count_ones() as usize;
            row += 64;
        }
        n
    }
}

/// Returns a mask of the lowest `n` bits.
#[inline]
pub(super) fn low_mask(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// The conversion of a buffer's elements to the physical type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementConversion {
    /// No conversion; the width is the same.
    Identity,
    /// Signed integers of 1, 2, 4, 8 or 16 bytes, widened, or narrowed if the caller has checked that they fit.
    Signed,
    /// Unsigned integers, widened.
    Unsigned,
    /// Signed integers, multiplied: seconds to milliseconds. An overflow is an error.
    Multiply(i64),
    /// Signed integers, divided. A remainder is an error.
    Divide(i64),
    /// Little-endian signed integers to big-endian ones, truncated to the width if the caller has checked that they fit.
    BigEndian,
    /// Bools of one byte each.
    Bools,
}

/// The offsets of variable-length values.
#[derive(Debug, Clone, Copy)]
pub enum LeafOffsets<'a> {
    /// 32-bit offsets: row k is `o[k]..o[k + 1]`.
    Small(&'a [i32]),
    /// 64-bit offsets.
    Large(&'a [i64]),
}

/// The values of all rows. Rows that are null have arbitrary values.
#[derive(Debug, Clone)]
pub enum LeafData<'a> {
    /// Fixed-width elements in a buffer, `stride` bytes apart.
    Fixed {
        /// The buffer.
        bytes: &'a [u8],
        /// Offset of row 0.
        start: usize,
        /// Bytes of an element in memory.
        width: usize,
        /// Distance between rows in bytes; may be negative.
        stride: isize,
        /// Conversion to the physical type.
        conversion: ElementConversion,
    },
    /// Bools as a bitmap.
    Bits(Bitmap<'a>),
    /// Variable-length values in one buffer.
    Bytes {
        /// Offsets: one more than there are rows.
        offsets: LeafOffsets<'a>,
        /// The bytes of the values.
        data: &'a [u8],
    },
    /// Variable-length values in Arrow's view layout.
    Views {
        /// One view per row.
        views: &'a [u128],
        /// The buffers of values that a view cannot hold inline.
        buffers: Vec<&'a [u8]>,
    },
    /// A dictionary column. The whole dictionary is written, so that its order and its unused values are preserved.
    Dictionary {
        /// The buffer of keys.
        codes: &'a [u8],
        /// Bytes of a key: 1, 2, 4 or 8. Keys are read as unsigned (the caller refuses negative keys of valid rows).
        width: usize,
        /// The values, of the leaf's physical type, without nulls and duplicates.
        values: Box<LeafData<'a>>,
        /// Number of values.
        nvalues: usize,
    },
}

/// One leaf: a flat column, or a primitive part of a nested column.
#[derive(Debug, Clone)]
pub struct LeafColumn<'a> {
    /// Physical type in the file.
    pub physical: Physical,
    /// The values.
    pub data: LeafData<'a>,
    /// Validity of the rows; `None` if all are valid.
    pub validity: Option<Bitmap<'a>>,
    /// Whether the schema marks it optional. Definition levels are then written, even without nulls.
    pub optional: bool,
    /// Order of the values.
    pub order: SortOrder,
}

/// Levels of a leaf within lists and structs. Every value has two levels, and so has every list or struct that is empty or null and
/// therefore has no value.
#[derive(Debug, Clone, Copy)]
pub struct NestedLevels<'a> {
    /// Definition levels.
    pub definition: &'a [u8],
    /// Maximum definition level, which marks a value.
    pub max_definition: u8,
    /// Repetition levels, 0 at the start of a row. Empty if the leaf is not within lists.
    pub repetition: &'a [u8],
    /// Maximum repetition level: the number of enclosing lists.
    pub max_repetition: u8,
}

impl NestedLevels<'_> {
    /// Returns the first position from `at` on at which a row starts, or the end.
    #[must_use]
    pub fn next_row(&self, at: usize) -> usize {
        let n = self.definition.len();
        if self.max_repetition == 0 {
            return at.min(n);
        }
        let rest = self.repetition.get(at..).unwrap_or_default();
        rest.iter().position(|&level| level == 0).map_or(n, |k| at + k)
    }

    /// Counts the non-null values in this range.
    #[must_use]
    pub fn count_values(&self, range: std::ops::Range<usize>) -> usize {
        count(self.definition.get(range).unwrap_or_default(), self.max_definition)
    }

    /// Counts the rows that start in this range.
    #[must_use]
    pub fn rows(&self, range: std::ops::Range<usize>) -> usize {
        if self.max_repetition == 0 {
            return range.len();
        }
        count(self.repetition.get(range).unwrap_or_default(), 0)
    }
}

/// Counts the occurrences of a level.
fn count(levels: &[u8], level: u8) -> usize {
    // Counting in bytes, 255 at most, lets the compiler use vector instructions.
    levels.chunks(255).map(|some| usize::from(some.iter().map(|&l| u8::from(l == level)).sum::<u8>())).sum()
}
