//! What is to be written: the values of one leaf where they lie, and what they are in the file.

pub use crate::formats::parquet::types::Physical;

/// How values compare: for the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Integers with a sign.
    Signed,
    /// Integers without.
    Unsigned,
    /// Floats of the physical type's width (two bytes: FLOAT16).
    Float,
    /// Bytes as they are, and text: unsigned, the first difference decides.
    Bytes,
    /// Big-endian numbers with a sign.
    Decimal,
    /// Nobody says: no statistics.
    None,
}

/// Bits, least significant first.
#[derive(Debug, Clone, Copy)]
pub struct Bits<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// The bit of row 0.
    pub offset: usize,
}

impl Bits<'_> {
    /// Bit of a row.
    #[must_use]
    #[inline]
    pub fn get(&self, row: usize) -> bool {
        let bit = self.offset + row;
        self.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    /// Bits of 64 rows from this one on; those behind the end are 0.
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

    /// How many bits of these rows are set.
    #[must_use]
    pub fn count(&self, rows: std::ops::Range<usize>) -> usize {
        let mut n = 0;
        let mut row = rows.start;
        while row < rows.end {
            n += (self.word(row) & low(rows.end - row)).count_ones() as usize;
            row += 64;
        }
        n
    }
}

/// A mask of the lowest `n` bits.
#[inline]
pub(super) fn low(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// How the elements of a buffer become values of the physical type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// They have its width: as they are.
    AsIs,
    /// Integers with a sign of 1, 2, 4, 8 or 16 bytes, widened, or narrowed where the caller knows that they fit.
    Signed,
    /// Integers without a sign, widened.
    Unsigned,
    /// Integers with a sign, multiplied: seconds to milliseconds. Those that overflow are an error.
    Times(i64),
    /// Integers with a sign, divided: those that leave a rest are an error.
    Over(i64),
    /// Little-endian numbers with a sign as big-endian ones, cut to the width where the caller knows that they fit.
    Reversed,
    /// A byte a bool.
    Truth,
}

/// Ends and starts of bytes.
#[derive(Debug, Clone, Copy)]
pub enum Offsets<'a> {
    /// 32 bits: row k is `o[k]..o[k + 1]`.
    Small(&'a [i32]),
    /// 64 bits.
    Large(&'a [i64]),
}

/// The values of all rows, null ones included (whatever stands there).
#[derive(Debug, Clone)]
pub enum LeafData<'a> {
    /// Elements of fixed width in a buffer, each `stride` bytes behind the one before.
    Fixed {
        /// The buffer.
        bytes: &'a [u8],
        /// Where row 0 begins.
        start: usize,
        /// Bytes of an element as it lies.
        width: usize,
        /// From one row to the next; may be negative.
        stride: isize,
        /// What becomes of them.
        turn: Turn,
    },
    /// Bools.
    Bits(Bits<'a>),
    /// Bytes of any length.
    Bytes {
        /// A row more than there are rows.
        offsets: Offsets<'a>,
        /// The bytes.
        data: &'a [u8],
    },
    /// Bytes of any length in Arrow's view layout.
    Views {
        /// One a row.
        views: &'a [u128],
        /// Where the long ones lie.
        buffers: Vec<&'a [u8]>,
    },
    /// Keys of values. The whole dictionary is written, as it stands: its order and what is unused come back.
    Dictionary {
        /// The keys' buffer.
        codes: &'a [u8],
        /// Bytes of a key: 1, 2, 4 or 8; as unsigned numbers (the caller refuses negative ones that are not null).
        width: usize,
        /// The values, of the leaf's physical type; none of them null, none twice.
        values: Box<LeafData<'a>>,
        /// How many.
        nvalues: usize,
    },
}

/// One leaf: a column, or the part of a column that has no parts.
#[derive(Debug, Clone)]
pub struct Leaf<'a> {
    /// What it is in the file.
    pub physical: Physical,
    /// Its values.
    pub data: LeafData<'a>,
    /// Which rows are there; `None`: all.
    pub validity: Option<Bits<'a>>,
    /// Whether the schema calls it optional: definition levels are written then, though nothing be null.
    pub optional: bool,
    /// How its values compare.
    pub order: Order,
}

/// Where the values of a leaf stand within lists and structs: two levels for each value, and for each list or struct that is
/// empty or missing and so has none.
#[derive(Debug, Clone, Copy)]
pub struct Levels<'a> {
    /// How many of the optional and repeated places above it are there.
    pub definition: &'a [u8],
    /// All of them: the value itself.
    pub most_definition: u8,
    /// In which list the value follows the one before, 0 where a row begins. Empty where there are no lists.
    pub repetition: &'a [u8],
    /// Lists above it.
    pub most_repetition: u8,
}

impl Levels<'_> {
    /// The first place from `at` on where a row begins; the end where there is none.
    #[must_use]
    pub fn next_row(&self, at: usize) -> usize {
        let n = self.definition.len();
        if self.most_repetition == 0 {
            return at.min(n);
        }
        let rest = self.repetition.get(at..).unwrap_or_default();
        rest.iter().position(|&level| level == 0).map_or(n, |k| at + k)
    }

    /// Values that are there among these.
    #[must_use]
    pub fn there(&self, range: std::ops::Range<usize>) -> usize {
        count(self.definition.get(range).unwrap_or_default(), self.most_definition)
    }

    /// Rows that begin among these.
    #[must_use]
    pub fn rows(&self, range: std::ops::Range<usize>) -> usize {
        if self.most_repetition == 0 {
            return range.len();
        }
        count(self.repetition.get(range).unwrap_or_default(), 0)
    }
}

/// How often a level stands there.
fn count(levels: &[u8], level: u8) -> usize {
    // In bytes while they last, which is what vectors are good at.
    levels.chunks(255).map(|some| usize::from(some.iter().map(|&l| u8::from(l == level)).sum::<u8>())).sum()
}
