//! How large a buffer will become whose input is partly read.

/// How much of an input is read: `done` of `total` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    /// Bytes read.
    pub done: usize,
    /// Bytes of the input.
    pub total: usize,
}

impl Growth {
    /// Returns the likely size in the end, at most `most`, of a buffer that now has `used` bytes.
    ///
    /// There are few distinct sizes, so that the next read can reuse the memory.
    #[must_use]
    pub fn likely_nbytes(self, used: usize, most: usize) -> usize {
        let wide = |nbytes: usize| nbytes as u128;
        let likely = wide(used) * wide(self.total) * 17 / 16 / wide(self.done).max(1);
        let likely = usize::try_from(likely).unwrap_or(usize::MAX).min(most);
        likely.next_multiple_of((likely.next_power_of_two() / 8).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::Growth;

    #[test]
    fn the_rest_of_the_input_is_expected_to_be_like_what_was_read() {
        let at = |done| Growth { done, total: 1000 };
        assert_eq!(at(100).likely_nbytes(96, 100_000), 1024); // 1020, rounded up
        assert_eq!(at(500).likely_nbytes(96, 100_000), 224); // 204, rounded up
        assert_eq!(at(100).likely_nbytes(96, 500), 512); // no more than `most`, rounded up
        assert_eq!(at(0).likely_nbytes(0, 500), 0);
        assert_eq!(Growth { done: 1, total: 1 << 60 }.likely_nbytes(1 << 40, 64), 64);
    }
}
