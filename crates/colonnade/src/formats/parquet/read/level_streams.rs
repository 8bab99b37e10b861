//! The definition and repetition levels at the beginning of a data page: which rows are null, and where lists begin.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::formats::parquet::page::{PageEncoding, PageHeader, PageType};

/// The maximum bit width of a level.
const MAX_LEVEL_BITS: u8 = 16;

/// The maximum levels of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MaxLevels {
    /// Definition.
    pub(crate) definition: u16,
    /// Repetition.
    pub(crate) repetition: u16,
}

/// The levels at the beginning of a page.
#[derive(Debug)]
pub(crate) struct LevelStreams<'p> {
    /// Repetition levels: RLE runs and bit-packed groups.
    pub(crate) repetition: Cow<'p, [u8]>,
    /// Definition levels.
    pub(crate) definition: Cow<'p, [u8]>,
    /// Bytes of both streams in the page, including their length fields.
    pub(crate) nbytes: usize,
}

impl<'p> LevelStreams<'p> {
    /// Splits a data page into its levels and its values. `bytes` is the decompressed page in version 1, and the page as it is
    /// stored in version 2.
    ///
    /// # Errors
    /// Malformed: fewer bytes than the levels have.
    #[inline]
    pub(super) fn split(header: &PageHeader, most: MaxLevels, bytes: &'p [u8]) -> Result<(Self, &'p [u8])> {
        let n = header.nvalues as usize;
        let (repetition, definition, rest) = match header.kind {
            PageType::Data { definition, repetition, .. } => {
                let (repeats, rest) = levels(bytes, most.repetition, repetition, n)?;
                let (defines, rest) = levels(rest, most.definition, definition, n)?;
                (repeats, defines, rest)
            }
            PageType::DataV2 { definition_nbytes, repetition_nbytes, .. } => {
                let (repeats, rest) = bytes.split_at_checked(repetition_nbytes as usize).ok_or_else(short)?;
                let (defines, rest) = rest.split_at_checked(definition_nbytes as usize).ok_or_else(short)?;
                (Cow::Borrowed(repeats), Cow::Borrowed(defines), rest)
            }
            _ => return Err(short()),
        };
        Ok((Self { repetition, definition, nbytes: bytes.len() - rest.len() }, rest))
    }
}

impl MaxLevels {
    /// The number of bytes that the levels of `n` values rarely exceed: bit-packed, plus the headers of many runs. Zstandard
    /// decompresses a whole block for the first byte, so a second attempt costs more than some bytes too many.
    pub(super) fn estimate_nbytes(self, n: usize) -> usize {
        let bits = usize::from(level_bits(self.repetition) + level_bits(self.definition));
        (n / 8 + 1).saturating_mul(bits).saturating_add(n / 8 + 64)
    }
}

#[cold]
pub(super) fn short() -> Error {
    Error::malformed("parquet", "a page is shorter than its levels. The file is damaged; write it again.")
}

/// Splits `bytes` into the levels at its beginning and the rest.
fn levels(bytes: &[u8], max: u16, encoding: PageEncoding, n: usize) -> Result<(Cow<'_, [u8]>, &[u8])> {
    if max == 0 {
        return Ok((Cow::Borrowed(&[]), bytes));
    }
    if encoding == PageEncoding::BitPacked {
        return packed_levels(bytes, max, n);
    }
    let (head, rest) = bytes.split_first_chunk::<4>().ok_or_else(short)?;
    let nbytes = u32::from_le_bytes(*head) as usize;
    let (levels, values) = rest.split_at_checked(nbytes).ok_or_else(short)?;
    Ok((Cow::Borrowed(levels), values))
}

/// Converts the deprecated BIT_PACKED levels, most significant bit first and without a length, to an RLE/bit-packed stream.
fn packed_levels(bytes: &[u8], max: u16, n: usize) -> Result<(Cow<'_, [u8]>, &[u8])> {
    let width = usize::from(level_bits(max));
    let nbytes = n.checked_mul(width).ok_or_else(short)?.div_ceil(8);
    let (packed, values) = bytes.split_at_checked(nbytes).ok_or_else(short)?;
    let groups = n.div_ceil(8);
    let mut out = Vec::with_capacity(10 + groups * width);
    let mut head = (groups as u64) << 1 | 1;
    while head >= 0x80 {
        out.push((head & 0x7f) as u8 | 0x80);
        head >>= 7;
    }
    out.push((head & 0x7f) as u8);
    let start = out.len();
    out.resize(start + groups * width, 0);
    let bit = |at: usize| packed.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1);
    for value in 0..n {
        for k in 0..width {
            let to = value * width + k;
            if bit(value * width + (width - 1 - k))
                && let Some(byte) = out.get_mut(start + to / 8)
            {
                *byte |= 1 << (to % 8);
            }
        }
    }
    Ok((Cow::Owned(out), values))
}

/// The bit width of levels up to `max`.
pub(crate) fn level_bits(max: u16) -> u8 {
    u8::try_from(u16::BITS - max.leading_zeros()).unwrap_or(MAX_LEVEL_BITS)
}
