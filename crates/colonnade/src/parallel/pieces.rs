//! Where pieces of work begin.

/// Where piece `k` of `n` items begins, if all pieces have as many, but for one.
pub(crate) fn piece_start(n: usize, k: usize, pieces: usize) -> usize {
    n / pieces * k + (n % pieces).min(k)
}

/// Where the character begins that has the byte `at`, so that pieces of text can be checked apart. A character has at most
/// four bytes; a longer run of continuation bytes is cut, and fails the check.
pub(crate) fn character_start(bytes: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| bytes.get(at).is_some_and(|b| b & 0xc0 == 0x80);
    (0..3).fold(at, |at, _| at.saturating_sub(usize::from(is_inside(at))))
}
