//! The distance from column to column. Columns a multiple of 4096 bytes apart share the sets of the cache, so the distance is an
//! odd number of cache lines.

/// The columns are padded from this size on.
const FROM_NBYTES: usize = 4096;

/// Bytes of a cache line.
const LINE_NBYTES: usize = 64;

/// Rounds `nbytes` up to an odd number of cache lines. The result is never less than `nbytes`, so that columns do not overlap: at the
/// end of the address space it is `usize::MAX`.
#[must_use]
pub fn odd_lines(nbytes: usize) -> usize {
    (nbytes.div_ceil(LINE_NBYTES) | 1).saturating_mul(LINE_NBYTES)
}

/// Returns the distance between columns of `nbytes`.
#[must_use]
pub fn column_stride(nbytes: usize) -> usize {
    if nbytes < FROM_NBYTES { nbytes } else { odd_lines(nbytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_columns_are_an_odd_number_of_lines_apart() {
        for nbytes in [4096, 4097, 4159, 4160, 4161, 8192, 1 << 20, (1 << 20) + 64] {
            let stride = column_stride(nbytes);
            assert!(stride >= nbytes && stride < nbytes + 128);
            assert_eq!(stride % 128, 64);
        }
    }

    #[test]
    fn distances_are_odd_lines() {
        for nbytes in [1, 63, 64, 65, 4096, 8000, 1 << 20] {
            let distance = odd_lines(nbytes);
            assert!(distance >= nbytes && distance % 128 == 64, "{nbytes}");
        }
        assert_eq!(odd_lines(usize::MAX - 8), usize::MAX);
    }

    #[test]
    fn small_columns_have_no_gap() {
        assert_eq!((column_stride(0), column_stride(8), column_stride(4095)), (0, 8, 4095));
        assert_eq!((odd_lines(0), odd_lines(8), odd_lines(65)), (64, 64, 192));
    }
}
