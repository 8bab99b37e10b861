//! Texts of PLAIN pages: a length precedes each.

use crate::error::Result;

use super::super::output::{Offset, TextOutput};
use super::{FillError, WIDE, copy, truncated};

pub(super) fn measure(page: &mut &[u8], n: usize) -> Result<usize> {
    let (mut rest, mut total) = (*page, 0);
    for _ in 0..n {
        let Some((head, after)) = rest.split_first_chunk::<4>() else { return Err(truncated(4, rest.len())) };
        let nbytes = u32::from_le_bytes(*head) as usize;
        let Some(after) = after.get(nbytes..) else { return Err(truncated(nbytes, after.len())) };
        total += nbytes;
        rest = after;
    }
    *page = rest;
    Ok(total)
}

#[inline]
pub(super) fn put<O: Offset>(
    page: &mut &[u8],
    n: usize,
    out: &mut TextOutput<'_, O>,
) -> std::result::Result<(), FillError> {
    let (ends, bytes, base) = out.next(n)?;
    let (mut rest, mut at) = (*page, 0);
    for end in ends {
        let Some((head, after)) = rest.split_first_chunk::<4>() else {
            return Err(truncated(4, rest.len()).into());
        };
        let nbytes = u32::from_le_bytes(*head) as usize;
        let Some(later) = after.get(nbytes..) else { return Err(truncated(nbytes, after.len()).into()) };
        let Some(to) = bytes.get_mut(at..) else { return Err(FillError::SizeMismatch) };
        copy(after, to, nbytes).ok_or(FillError::SizeMismatch)?;
        rest = later;
        at += nbytes;
        *end = O::of(base + at);
    }
    *page = rest;
    out.advance(n, at);
    Ok(())
}

#[inline]
pub(super) fn mixed<O: Offset>(
    page: &mut &[u8],
    mask: u64,
    n: usize,
    out: &mut TextOutput<'_, O>,
) -> std::result::Result<(), FillError> {
    let (ends, bytes, base) = out.next(n)?;
    let (mut rest, mut at, mut mask) = (*page, 0, mask);
    for end in ends {
        let valid = (mask & 1) as usize;
        mask >>= 1;
        // If both sides have room, no branch depends on whether the row is null: half-null columns have no pattern that a
        // processor could predict.
        let wide = rest
            .first_chunk::<{ 4 + WIDE }>()
            .zip(bytes.get_mut(at..).and_then(|b| b.first_chunk_mut::<WIDE>()));
        let nbytes = if let Some((from, to)) = wide {
            let [a, b, c, d, value @ ..] = from;
            let nbytes = u32::from_le_bytes([*a, *b, *c, *d]) as usize * valid;
            if nbytes <= WIDE {
                *to = *value;
                rest = rest.get(4 * valid + nbytes..).unwrap_or_default();
            } else {
                one(&mut rest, bytes, at)?;
            }
            nbytes
        } else if valid == 1 {
            one(&mut rest, bytes, at)?
        } else {
            0
        };
        at += nbytes;
        *end = O::of(base + at);
    }
    *page = rest;
    out.advance(n, at);
    Ok(())
}

/// Copies one text of a PLAIN page to byte `at`.
fn one(page: &mut &[u8], bytes: &mut [u8], at: usize) -> std::result::Result<usize, FillError> {
    let Some((head, after)) = page.split_first_chunk::<4>() else {
        return Err(truncated(4, page.len()).into());
    };
    let nbytes = u32::from_le_bytes(*head) as usize;
    let Some((value, later)) = after.split_at_checked(nbytes) else {
        return Err(truncated(nbytes, after.len()).into());
    };
    let to = at.checked_add(nbytes).and_then(|end| bytes.get_mut(at..end)).ok_or(FillError::SizeMismatch)?;
    to.copy_from_slice(value);
    *page = later;
    Ok(nbytes)
}
