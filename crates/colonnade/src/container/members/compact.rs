//! Drops the bytes of view columns that no view refers to.

use arrow_buffer::{Buffer, NullBuffer};

/// Largest data buffer: a view's offset has 32 bits.
const MAX_DATA_NBYTES: usize = 1 << 30;

/// Length, data buffer and offset of a view; `None` where its bytes are inline.
fn pointer(view: u128) -> Option<(usize, usize, usize)> {
    let word = |shift: u32| usize::try_from((view >> shift) & 0xFFFF_FFFF).unwrap_or(usize::MAX);
    let length = word(0);
    (length > 12).then(|| (length, word(64), word(96)))
}

/// Returns equal views. Copies the data if it holds unused bytes; `None` if a view points outside it.
pub(super) fn compact_views(
    views: Buffer,
    data: &[Buffer],
    nulls: Option<&NullBuffer>,
) -> Option<(Buffer, Vec<Buffer>)> {
    let values = views.typed_data::<u128>();
    let valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    let mut needed = 0usize;
    let mut invalid_null_view = false;
    for (row, &view) in values.iter().enumerate() {
        let Some((length, buffer, offset)) = pointer(view) else { continue };
        let inside = data.get(buffer).is_some_and(|bytes| offset + length <= bytes.len());
        match (valid(row), inside) {
            (true, true) => needed = needed.saturating_add(length),
            (true, false) => return None,
            // Arrow's validation checks the views of nulls too.
            (false, inside) => invalid_null_view |= !inside,
        }
    }
    if !invalid_null_view && needed >= data.iter().map(|bytes| bytes.len()).sum() {
        return Some((views, data.to_vec()));
    }
    let mut rebased = Vec::with_capacity(values.len());
    let mut out: Vec<Vec<u8>> = Vec::new();
    for (row, &view) in values.iter().enumerate() {
        let Some((length, buffer, offset)) = pointer(view) else {
            rebased.push(if valid(row) { view } else { 0 });
            continue;
        };
        if !valid(row) {
            rebased.push(0);
            continue;
        }
        let bytes = data.get(buffer)?.get(offset..offset + length)?;
        if out.last().is_none_or(|last| last.len() + length > MAX_DATA_NBYTES) {
            out.push(Vec::new());
        }
        let index = out.len() - 1;
        let last = out.last_mut()?;
        let low = view & u128::from(u64::MAX);
        rebased.push(low | (u128::try_from(index).ok()? << 64) | (u128::try_from(last.len()).ok()? << 96));
        last.extend_from_slice(bytes);
    }
    Some((rebased.into(), out.into_iter().map(Buffer::from).collect()))
}
