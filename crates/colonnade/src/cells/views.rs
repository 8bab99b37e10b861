//! Reads the values of text and byte views, each checked as it is read.
//!
//! Source: Arrow columnar format, "Variable-size Binary View Layout".

use std::ops::Range;

use arrow_buffer::Buffer;
use arrow_data::ArrayData;

/// The most bytes of a value that its view holds.
const INLINE: usize = 12;

/// The bytes of a view.
const NBYTES: usize = 16;

/// The values of a view array.
#[derive(Debug)]
pub struct ViewCells {
    /// The views of the array's rows.
    views: Buffer,
    buffers: Vec<Buffer>,
}

impl ViewCells {
    /// The values of `data`; `None` if it has fewer views than rows.
    #[must_use]
    pub fn new(data: &ArrayData) -> Option<Self> {
        let (views, buffers) = data.buffers().split_first()?;
        let (start, nbytes) = (data.offset().checked_mul(NBYTES)?, data.len().checked_mul(NBYTES)?);
        let inside = start.checked_add(nbytes)? <= views.len();
        inside.then(|| Self { views: views.slice_with_length(start, nbytes), buffers: buffers.to_vec() })
    }

    /// The memory that holds the value of a row, and the value's range there; `None` if the view passes its memory, or the
    /// row the array.
    #[inline]
    #[must_use]
    pub fn part(&self, row: usize) -> Option<(&[u8], Range<usize>)> {
        let view = self.views.as_chunks::<NBYTES>().0.get(row)?;
        let word = |i: usize| {
            let word = view.get(4 * i..).and_then(<[u8]>::first_chunk::<4>);
            word.map_or(0, |word| u32::from_le_bytes(*word) as usize)
        };
        let length = word(0);
        if length <= INLINE {
            let start = row * NBYTES + 4;
            return Some((&self.views, start..start + length));
        }
        let (buffer, start) = (self.buffers.get(word(2))?, word(3));
        let end = start.checked_add(length)?;
        (end <= buffer.len()).then_some((buffer, start..end))
    }

    /// The value of a row; `None` as for [`ViewCells::part`].
    #[inline]
    #[must_use]
    pub fn value(&self, row: usize) -> Option<&[u8]> {
        let (bytes, range) = self.part(row)?;
        bytes.get(range)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Array, StringViewArray};

    use super::*;

    #[test]
    fn values_of_any_length_are_found_in_any_slice() {
        let texts: Vec<String> = (0..40).map(|n| "é".repeat(n % 9) + &"x".repeat(n)).collect();
        let array = StringViewArray::from_iter_values(&texts);
        for start in 0..texts.len() {
            let cells = ViewCells::new(&array.slice(start, texts.len() - start).to_data()).unwrap();
            for (row, text) in texts[start..].iter().enumerate() {
                assert_eq!(cells.value(row), Some(text.as_bytes()));
            }
            assert!(cells.value(texts.len() - start).is_none());
        }
    }

    #[test]
    fn a_view_past_its_memory_is_no_value() {
        let data = StringViewArray::from(vec!["a text of more than twelve bytes"]).to_data();
        let short = data.buffers()[1].slice_with_length(0, 20);
        for buffers in [vec![data.buffers()[0].clone(), short], vec![data.buffers()[0].clone()]] {
            // SAFETY: only `ViewCells` reads the array, and it checks.
            let broken = unsafe { data.clone().into_builder().buffers(buffers).build_unchecked() };
            assert!(ViewCells::new(&broken).unwrap().value(0).is_none());
        }
    }
}
