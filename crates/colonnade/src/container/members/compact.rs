//! Views of text and bytes whose data is cut to what they point at.

use arrow_buffer::{Buffer, NullBuffer};

/// Data buffers stay below what a view can point into.
const DATA_NBYTES: usize = 1 << 30;

/// Length, data buffer and offset of a view that does not hold its own bytes.
fn pointer(view: u128) -> Option<(usize, usize, usize)> {
    let word = |shift: u32| usize::try_from((view >> shift) & 0xFFFF_FFFF).unwrap_or(usize::MAX);
    let length = word(0);
    (length > 12).then(|| (length, word(64), word(96)))
}

/// The same views, their data copied where it holds bytes that no view needs; `None` where one points outside.
pub(super) fn views(
    views: Buffer,
    data: &[Buffer],
    nulls: Option<&NullBuffer>,
) -> Option<(Buffer, Vec<Buffer>)> {
    let all = views.typed_data::<u128>();
    let valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    let mut needed = 0usize;
    let mut astray = false;
    for (row, &view) in all.iter().enumerate() {
        let Some((length, buffer, offset)) = pointer(view) else { continue };
        let inside = data.get(buffer).is_some_and(|bytes| offset + length <= bytes.len());
        match (valid(row), inside) {
            (true, true) => needed = needed.saturating_add(length),
            (true, false) => return None,
            // Nobody looks at a null's view but a validator.
            (false, inside) => astray |= !inside,
        }
    }
    if !astray && needed >= data.iter().map(|bytes| bytes.len()).sum() {
        return Some((views, data.to_vec()));
    }
    let mut moved = Vec::with_capacity(all.len());
    let mut out: Vec<Vec<u8>> = Vec::new();
    for (row, &view) in all.iter().enumerate() {
        let Some((length, buffer, offset)) = pointer(view) else {
            moved.push(if valid(row) { view } else { 0 });
            continue;
        };
        if !valid(row) {
            moved.push(0);
            continue;
        }
        let bytes = data.get(buffer)?.get(offset..offset + length)?;
        if out.last().is_none_or(|last| last.len() + length > DATA_NBYTES) {
            out.push(Vec::new());
        }
        let index = out.len() - 1;
        let last = out.last_mut()?;
        let low = view & u128::from(u64::MAX);
        moved.push(low | (u128::try_from(index).ok()? << 64) | (u128::try_from(last.len()).ok()? << 96));
        last.extend_from_slice(bytes);
    }
    Some((moved.into(), out.into_iter().map(Buffer::from).collect()))
}
