//! Validates arrays once, before any code relies on their layout.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::error::{Error, Result};

use super::body::BatchBody;
use super::content;
use super::field_position::FieldPosition;
use super::shape::{BatchLayout, width};

/// Validates buffers, offsets, text, dictionary codes and children, recursively. Large text is read by up to `threads` threads.
///
/// # Errors
/// Malformed, with the row.
pub(crate) fn values(data: &ArrayData, threads: usize) -> Result<()> {
    let offsets = match data.data_type() {
        DataType::Utf8 | DataType::Binary => Some(offsets_of::<4>(data)?.as_flattened()),
        DataType::LargeUtf8 | DataType::LargeBinary => Some(offsets_of::<8>(data)?.as_flattened()),
        _ => None,
    };
    if let Some(offsets) = offsets {
        let values = data.buffers().get(1).map_or(&[][..], |b| b.as_slice());
        return text(data.data_type(), offsets, values, threads);
    }
    let failed = |e: arrow_schema::ArrowError| Error::malformed("arrow", format!("{e}."));
    data.validate().map_err(failed)?;
    data.validate_nulls().map_err(failed)?;
    data.validate_values().map_err(failed)?;
    if matches!(data.data_type(), DataType::Dictionary(..)) {
        // The values were validated when their dictionary batch was decoded.
        return Ok(());
    }
    data.child_data().iter().try_for_each(|child| values(child, threads))
}

/// Bytes of a field of an uncompressed batch that [`values`] reads: of numbers only the validity. One more,
/// so that progress ends with the last field.
pub(crate) fn nbytes(body: &BatchBody<'_>, shape: &BatchLayout, field: usize) -> usize {
    let is_number = shape.schema.fields().get(field).is_some_and(|field| width(field.data_type()).is_some());
    let Some(place) = shape.places.get(field) else { return 1 };
    let next = shape.places.get(field + 1).unwrap_or(&shape.total);
    let at = |place: &FieldPosition| body.variadic_before(place.view).map_or(0, |n| place.buffer + n);
    let end = if is_number { at(place) + 1 } else { at(next) };
    (at(place)..end).map(|i| body.bytes(i).map_or(0, <[u8]>::len)).fold(1, usize::saturating_add)
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
pub(crate) fn text(data_type: &DataType, offsets: &[u8], values: &[u8], threads: usize) -> Result<()> {
    let is_text = matches!(data_type, DataType::Utf8 | DataType::LargeUtf8);
    let bytes = TextBytes::whole(values);
    let checked = match data_type {
        DataType::Utf8 | DataType::Binary => {
            let read = |b| i64::from(i32::from_le_bytes(b));
            strings(offsets.as_chunks::<4>().0, read, bytes, is_text, threads)
        }
        _ => strings(offsets.as_chunks::<8>().0, i64::from_le_bytes, bytes, is_text, threads),
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
    read: impl Fn([u8; N]) -> i64 + Copy + Sync,
    bytes: TextBytes<'_>,
    is_text: bool,
    threads: usize,
) -> Result<(usize, usize)> {
    let ends = items.first().zip(items.last()).map(|(first, last)| (read(*first), read(*last)));
    let (first, last) = ends.unwrap_or((0, 0));
    let range = usize::try_from(first)
        .ok()
        .zip(usize::try_from(last).ok())
        .filter(|&(a, b)| a <= b && b <= bytes.nbytes);
    let Some((start, end)) = range else {
        return Err(bad_offset(items, read, bytes.nbytes));
    };
    let covered = bytes.range(start, end);
    let scanned = content::scan(items, covered.filter(|_| is_text).unwrap_or(&[]), threads)?;
    if !scanned.grows {
        return Err(bad_offset(items, read, bytes.nbytes));
    }
    let covered = covered.ok_or_else(|| Error::malformed("arrow", "offsets of bytes that are not held."))?;
    if is_text && !scanned.is_ascii {
        utf8(items, read, covered, start, threads)?;
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
    read: impl Fn([u8; N]) -> i64 + Copy + Sync,
    bytes: &[u8],
    start: usize,
    threads: usize,
) -> Result<()> {
    let begins = |at: usize| bytes.get(at).is_none_or(|b| (*b).cast_signed() >= -0x40);
    let begins_at =
        |item: &[u8; N]| begins(usize::try_from(read(*item)).unwrap_or(start).wrapping_sub(start));
    let threads = content::pieces(items, bytes, threads);
    if threads > 1 && content::is_utf8(items, bytes, begins_at, threads)? {
        return Ok(());
    }
    // On one thread, or to find the first wrong row.
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
    match items.iter().position(|item| !begins_at(item)) {
        Some(row) => Err(inside(row)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets and bytes of rows of eight bytes, with a character of two bytes or without.
    fn table(nrows: usize, row: &str) -> (Vec<i64>, Vec<u8>) {
        ((0..=i64::try_from(nrows).unwrap()).map(|i| i * 8).collect(), row.repeat(nrows).into_bytes())
    }

    fn messages(offsets: &[i64], bytes: &[u8], threads: usize) -> [String; 2] {
        let narrow = |offset: i64| i32::try_from(offset.clamp(i32::MIN.into(), i32::MAX.into())).unwrap();
        let wide: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
        let small: Vec<u8> = offsets.iter().flat_map(|&offset| narrow(offset).to_le_bytes()).collect();
        [(DataType::Utf8, small), (DataType::LargeUtf8, wide)].map(|(data_type, offsets)| {
            text(&data_type, &offsets, bytes, threads).err().map_or_else(String::new, |e| e.message().into())
        })
    }

    #[test]
    fn the_same_row_is_named_on_any_number_of_threads() {
        type Fault = fn(&mut [i64], &mut [u8], usize);
        let faults: [Fault; 7] = [
            |_, bytes, row| bytes[row * 8 + 5] = 0xff,
            |_, bytes, row| bytes[row * 8 + 7] = 0xc3,
            |offsets, _, row| offsets[row + 1] = offsets[row] - 1,
            |offsets, _, row| offsets[row + 1] = i64::from(i32::MIN),
            |offsets, _, row| offsets[row + 1] = i64::MIN + 1,
            |offsets, _, row| offsets[row + 1] = i64::MAX,
            |offsets, bytes, row| {
                offsets[row] += 2;
                bytes[row * 8..row * 8 + 8].copy_from_slice("Zürich.".as_bytes());
            },
        ];
        let (few, many) = (6, 131_073);
        for (nrows, text) in [(few, "letters."), (few, "Zürich."), (many, "letters."), (many, "Zürich.")] {
            let (offsets, bytes) = table(nrows, text);
            for threads in 1..4 {
                assert_eq!(messages(&offsets, &bytes, threads), ["", ""]);
            }
            for (number, fault) in faults.iter().enumerate() {
                for row in [0, nrows / 3 - 1, nrows / 2, nrows - 1] {
                    let (mut offsets, mut bytes) = (offsets.clone(), bytes.clone());
                    fault(&mut offsets, &mut bytes, row);
                    for threads in 1..4 {
                        for message in messages(&offsets, &bytes, threads) {
                            let begin = format!("row {row}: expected ");
                            assert!(message.starts_with(&begin), "{number}, {row} of {nrows}: {message}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_character_may_stand_where_threads_divide_the_text() {
        for length in (1 << 20) + 4..(1 << 20) + 8 {
            for row in ["ü", "€", "😀"] {
                let bytes = row.repeat(length / row.len()).into_bytes();
                let nbytes = i64::try_from(bytes.len()).unwrap();
                assert_eq!(messages(&[0, 0, nbytes], &bytes, 2), ["", ""]);
                let mut wrong = bytes.clone();
                wrong[bytes.len() / 2] = 0xff;
                let expected = messages(&[0, 0, nbytes], &wrong, 1);
                assert!(expected[0].starts_with("row 1: expected UTF-8"));
                assert_eq!(messages(&[0, 0, nbytes], &wrong, 2), expected);
            }
        }
    }
}
