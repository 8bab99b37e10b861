//! Sizes of records, for reserving space before they are written.

use super::record::{CENTRAL_LEN, END_LEN, END64_LEN, LOCATOR64_LEN, SENTINEL16};
use super::write::needs_zip64;

/// Bytes of the directory's entry of a stored member.
#[must_use]
pub fn central_len(name: &[u8], nbytes: u64, local_offset: u64) -> u64 {
    let large = u64::from(needs_zip64(nbytes)) * 2 + u64::from(needs_zip64(local_offset));
    let zip64 = if large > 0 { 4 + 8 * large } else { 0 };
    (CENTRAL_LEN + name.len()) as u64 + zip64
}

/// Bytes of the end records.
#[must_use]
pub fn end_len(count: u64, directory_offset: u64, directory_nbytes: u64) -> u64 {
    let zip64 =
        count >= u64::from(SENTINEL16) || needs_zip64(directory_offset) || needs_zip64(directory_nbytes);
    (END_LEN + if zip64 { END64_LEN + LOCATOR64_LEN } else { 0 }) as u64
}
