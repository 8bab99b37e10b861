//! Validates arrays once, before any code relies on their layout.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::error::{Error, Result};

/// Validates buffers, offsets, text, dictionary codes and children, recursively.
///
/// # Errors
/// Malformed, with the row.
pub(crate) fn values(data: &ArrayData) -> Result<()> {
    let offsets = match data.data_type() {
        DataType::Utf8 | DataType::Binary => Some(offsets_of::<4>(data)?.as_flattened()),
        DataType::LargeUtf8 | DataType::LargeBinary => Some(offsets_of::<8>(data)?.as_flattened()),
        _ => None,
    };
    if let Some(offsets) = offsets {
        return text(data.data_type(), offsets, data.buffers().get(1).map_or(&[][..], |b| b.as_slice()));
    }
    let failed = |e: arrow_schema::ArrowError| Error::malformed("arrow", format!("{e}."));
    data.validate().map_err(failed)?;
    data.validate_nulls().map_err(failed)?;
    data.validate_values().map_err(failed)?;
    if matches!(data.data_type(), DataType::Dictionary(..)) {
        // The values were validated when their dictionary batch was decoded.
        return Ok(());
    }
    data.child_data().iter().try_for_each(values)
}

/// The offsets of an array, at any alignment.
fn offsets_of<const N: usize>(data: &ArrayData) -> Result<&[[u8; N]]> {
    let bytes = data.buffers().first().map_or(&[][..], |b| b.as_slice());
    let (items, _) = bytes.as_chunks::<N>();
    let items = items.get(data.offset()..=data.offset() + data.len());
    items.ok_or_else(|| Error::malformed("arrow", "fewer offsets than rows."))
}

/// Checks the offsets of a text or binary type, and that text is UTF-8.
///
/// # Errors
/// As [`strings`].
pub(crate) fn text(data_type: &DataType, offsets: &[u8], values: &[u8]) -> Result<()> {
    let is_text = matches!(data_type, DataType::Utf8 | DataType::LargeUtf8);
    let bytes = TextBytes::whole(values);
    let checked = match data_type {
        DataType::Utf8 | DataType::Binary => {
            strings(offsets.as_chunks::<4>().0, |b| i64::from(i32::from_le_bytes(b)), bytes, is_text)
        }
        _ => strings(offsets.as_chunks::<8>().0, i64::from_le_bytes, bytes, is_text),
    };
    checked.map(|_| ())
}

/// The bytes that offsets refer to, of which a part may be held.
#[derive(Clone, Copy)]
pub(crate) struct TextBytes<'b> {
    /// The held bytes, which begin at `from`.
    pub(crate) held: &'b [u8],
    pub(crate) from: usize,
    /// The number of all bytes.
    pub(crate) nbytes: usize,
}

impl<'b> TextBytes<'b> {
    pub(crate) fn whole(held: &'b [u8]) -> Self {
        Self { held, from: 0, nbytes: held.len() }
    }

    /// The bytes `start..end`, which must be held.
    pub(crate) fn range(&self, start: usize, end: usize) -> Option<&'b [u8]> {
        self.held.get(start.checked_sub(self.from)?..end.checked_sub(self.from)?)
    }
}

/// Checks that offsets grow and stay inside `bytes`, and that each string is UTF-8 if `is_text`. Returns the range of
/// `bytes` that they cover.
///
/// # Errors
/// Malformed, with the row.
pub(crate) fn strings<const N: usize>(
    items: &[[u8; N]],
    read: impl Fn([u8; N]) -> i64 + Copy,
    bytes: TextBytes<'_>,
    is_text: bool,
) -> Result<(usize, usize)> {
    let ends = items.first().zip(items.last()).map(|(first, last)| (read(*first), read(*last)));
    let (first, last) = ends.unwrap_or((0, 0));
    // Without an early exit the compiler vectorizes the fold.
    let later = items.get(1..).unwrap_or(&[]);
    let ordered = items.iter().zip(later).fold(true, |ok, (a, b)| ok & (read(*a) <= read(*b)));
    let range = usize::try_from(first)
        .ok()
        .zip(usize::try_from(last).ok())
        .filter(|&(a, b)| a <= b && b <= bytes.nbytes);
    let (Some((start, end)), true) = (range, ordered) else {
        return Err(bad_offset(items, read, bytes.nbytes));
    };
    let covered = bytes.range(start, end);
    let covered = covered.ok_or_else(|| Error::malformed("arrow", "offsets of bytes that are not held."))?;
    if is_text {
        utf8(items, read, covered, start)?;
    }
    Ok((start, end))
}

fn bad_offset<const N: usize>(items: &[[u8; N]], read: impl Fn([u8; N]) -> i64, nbytes: usize) -> Error {
    let mut before = 0;
    for (row, item) in items.iter().enumerate() {
        let offset = read(*item);
        if offset < before || offset > i64::try_from(nbytes).unwrap_or(i64::MAX) {
            return Error::malformed(
                "arrow",
                format!(
                    "row {}: expected an offset from {before} to {nbytes}, found {offset}. The bytes are damaged.",
                    row.saturating_sub(1)
                ),
            );
        }
        before = offset;
    }
    Error::malformed("arrow", "offsets out of order. The bytes are damaged.")
}

/// Validates all bytes at once, then checks that no string begins inside a character.
fn utf8<const N: usize>(
    items: &[[u8; N]],
    read: impl Fn([u8; N]) -> i64 + Copy,
    bytes: &[u8],
    start: usize,
) -> Result<()> {
    if bytes.is_ascii() {
        return Ok(());
    }
    let inside = |row: usize| {
        Error::malformed(
            "arrow",
            format!("row {row}: expected UTF-8, found other bytes. The bytes are damaged."),
        )
    };
    let row_of = |at: usize| {
        items
            .partition_point(|item| usize::try_from(read(*item)).unwrap_or(0) <= at + start)
            .saturating_sub(1)
    };
    simdutf8::compat::from_utf8(bytes).map_err(|e| inside(row_of(e.valid_up_to())))?;
    let begins = |at: usize| bytes.get(at).is_none_or(|b| (*b).cast_signed() >= -0x40);
    for (row, item) in items.iter().enumerate() {
        if !begins(usize::try_from(read(*item)).unwrap_or(start).wrapping_sub(start)) {
            return Err(inside(row));
        }
    }
    Ok(())
}
