//! A set of rows (nulls, integers among floats), allocated when the first row is added.

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};

/// One bit per row, set if the row is marked. Rows after the last marked one have no bit.
#[derive(Debug, Default)]
pub(crate) struct RowMarks {
    bits: Vec<u8>,
    count: usize,
}

impl RowMarks {
    /// Marks rows `start..start + n`, none of which is marked.
    #[inline]
    pub(crate) fn mark(&mut self, start: usize, n: usize) {
        if n == 0 {
            return;
        }
        let end = start + n;
        if self.bits.len() < end.div_ceil(8) {
            self.bits.resize(end.div_ceil(8), 0);
        }
        self.count += n;
        let (first, last) = (start / 8, (end - 1) / 8);
        let (low, high) = (0xFFu8 << (start % 8), 0xFFu8 >> (7 - (end - 1) % 8));
        match self.bits.get_mut(first..=last) {
            Some([one]) => *one |= low & high,
            Some([one, middle @ .., other]) => {
                *one |= low;
                middle.fill(0xFF);
                *other |= high;
            }
            _ => {}
        }
    }

    /// Returns the number of marked rows.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Marks the rows that `other` has marked among its `rows` rows, which begin at row `start` here; none of them is
    /// marked.
    pub(crate) fn append(&mut self, start: usize, other: &Self, rows: usize) {
        if other.count == 0 {
            return;
        }
        let (first, shift) = (start / 8, start % 8);
        self.bits.resize((start + rows).div_ceil(8).max(self.bits.len()), 0);
        for (i, &byte) in other.bits.iter().enumerate().filter(|(_, byte)| **byte != 0) {
            let both = u16::from(byte) << shift;
            let [low, high] = both.to_le_bytes();
            for (slot, more) in self.bits.iter_mut().skip(first + i).zip([low, high]) {
                *slot |= more;
            }
        }
        self.count += other.count;
    }

    /// Whether `row` is marked.
    pub(crate) fn has(&self, row: usize) -> bool {
        self.bits.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
    }

    /// Returns Arrow's validity of `rows` rows, in which marked rows are null; `None` if none is marked.
    pub(crate) fn validity(mut self, rows: usize) -> Option<NullBuffer> {
        if self.count == 0 {
            return None;
        }
        self.bits.resize(rows.div_ceil(8), 0);
        for byte in &mut self.bits {
            *byte = !*byte;
        }
        Some(NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(self.bits), 0, rows)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_joined_at_any_start() {
        for start in 0..20 {
            let (mut marks, mut more) = (RowMarks::default(), RowMarks::default());
            marks.mark(start / 2, usize::from(start > 0));
            more.mark(1, 3);
            more.mark(9, 10);
            marks.append(start, &more, 21);
            let expected: Vec<bool> = (0..60)
                .map(|row| {
                    (start > 0 && row == start / 2)
                        || (start + 1..start + 4).contains(&row)
                        || (start + 9..start + 19).contains(&row)
                })
                .collect();
            assert_eq!((0..60).map(|row| marks.has(row)).collect::<Vec<_>>(), expected);
            assert_eq!(marks.count(), 13 + usize::from(start > 0));
        }
    }

    #[test]
    fn ranges_are_marked_from_any_start() {
        for start in 0..20 {
            for n in 0..30 {
                let mut marks = RowMarks::default();
                marks.mark(start, n);
                marks.mark(start + n + 3, 1);
                let expected: Vec<bool> =
                    (0..70).map(|row| (start..start + n).contains(&row) || row == start + n + 3).collect();
                assert_eq!((0..70).map(|row| marks.has(row)).collect::<Vec<_>>(), expected);
                assert_eq!(marks.validity(70).unwrap().null_count(), n + 1);
            }
        }
    }
}
