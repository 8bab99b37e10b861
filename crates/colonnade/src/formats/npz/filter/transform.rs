//! Filters applied to the bytes of a member.

use crate::codec::filter::{delta, shuffle};
use crate::container::members::{MemberFilter, PlannedMember};
use crate::error::Result;
use crate::frame::ByteOrder;
use crate::parallel::{CANCEL_CHECK_NBYTES, Cancel};

/// Appends the NPY header and the filtered array.
pub(in super::super) fn encode_member(
    member: &PlannedMember,
    out: &mut Vec<u8>,
    cancel: Cancel<'_>,
) -> Result<()> {
    out.extend_from_slice(&member.head());
    let grid = member.data.grid;
    let (width, big) = (grid.dtype.itemsize as usize, grid.dtype.order == ByteOrder::Big);
    if member.filter == MemberFilter::None {
        out.reserve(member.nbytes());
        return member.data.chunks(&mut |bytes| {
            for piece in bytes.chunks(CANCEL_CHECK_NBYTES) {
                cancel()?;
                out.extend_from_slice(piece);
            }
            Ok(())
        });
    }
    let mut gathered = Vec::new();
    for column in 0..grid.width {
        let column = member.data.column(column);
        match column.packed() {
            Some(bytes) => encode_column(bytes, member.filter, width, big, out),
            None => {
                gathered.clear();
                column.chunks(&mut |bytes| {
                    gathered.extend_from_slice(bytes);
                    Ok(())
                })?;
                encode_column(&gathered, member.filter, width, big, out);
            }
        }
    }
    Ok(())
}

/// Appends one filtered column.
pub(super) fn encode_column(bytes: &[u8], filter: MemberFilter, width: usize, big: bool, out: &mut Vec<u8>) {
    let at = out.len();
    match filter {
        MemberFilter::None | MemberFilter::Dictionary => out.extend_from_slice(bytes),
        MemberFilter::Shuffle | MemberFilter::Delta => {
            out.resize(at + bytes.len(), 0);
            let place = out.get_mut(at..).unwrap_or_default();
            if filter == MemberFilter::Delta {
                delta(bytes, width, big, place);
            } else {
                shuffle(bytes, width, place);
            }
        }
        MemberFilter::DeltaShuffle => {
            let mut differences = vec![0; bytes.len()];
            delta(bytes, width, big, &mut differences);
            encode_column(&differences, MemberFilter::Shuffle, width, big, out);
        }
    }
}
