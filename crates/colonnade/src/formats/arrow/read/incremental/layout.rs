//! Decides which fields are received into blocks or text columns, and which are decoded at the end.

use std::collections::HashMap;

use arrow_schema::DataType;

use crate::arrow::import::{FieldRole, FramePlan};
use crate::arrow::ipc::shape::BatchLayout;
use crate::formats::arrow::read::decode::{ColumnConversion, direct_conversion};
use crate::frame::DType;

/// The layout of a schema's blocks, which streams of one schema share.
#[derive(Debug)]
pub(super) struct BlockLayout {
    /// The groups of fields, as (dtype, item size, fields): one for each dtype, with separate groups for data columns and
    /// row labels; then those without a dtype.
    pub(super) groups: Vec<(Option<DType>, usize, Vec<usize>)>,
    /// The fields of text whose bytes are received at the end of their column, and whether their offsets have 32 bits.
    pub(super) texts: Vec<(usize, bool)>,
    /// The fields that are decoded at the end: data columns, and row labels.
    pub(super) rest: [Vec<usize>; 2],
    /// The buffers of a batch that are received at their final position, in the order of the fields.
    pub(super) owned: Vec<OwnedBuffer>,
    /// Whether fields have views or nested values, which Arrow libraries use from the bytes of the stream.
    pub(super) is_kept: bool,
    pub(super) row_nbytes: u64,
}

/// What receives a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BufferOwner {
    /// The bytes that are kept until the end.
    StreamBytes,
    /// A target of the blocks.
    Block(usize),
    /// A text column.
    Text(usize),
}

/// A buffer that is received at its final position.
#[derive(Debug)]
pub(super) struct OwnedBuffer {
    /// Its index among the buffers of a batch, without the variadic buffers before it.
    pub(super) buffer: usize,
    /// View columns before it.
    pub(super) view: usize,
    pub(super) owner: BufferOwner,
}

impl BlockLayout {
    pub(super) fn new(shape: &BatchLayout, plan: &FramePlan) -> Self {
        let mut groups: Vec<(Option<DType>, usize, Vec<usize>)> = Vec::new();
        let mut groups_by_dtype: HashMap<(DType, bool), usize> = HashMap::new();
        let (mut columns, mut levels, mut is_kept) = (Vec::new(), Vec::new(), false);
        let (mut texts, mut owned, mut nblocks) = (Vec::new(), Vec::new(), 0);
        for (i, field) in plan.fields.iter().enumerate() {
            let level = matches!(field.place, FieldRole::Level(_));
            let place = shape.places.get(i).copied().unwrap_or_default();
            let mut add_owned = |owner: BufferOwner, buffer: usize| {
                owned.push(OwnedBuffer { buffer: place.buffer + buffer, view: place.view, owner });
            };
            // Big-endian values are converted at the end.
            let conversion =
                if shape.big_endian { ColumnConversion::General(None) } else { direct_conversion(field) };
            match conversion {
                ColumnConversion::Copy(dtype) => {
                    add_owned(BufferOwner::Block(nblocks), 1);
                    nblocks += 1;
                    let group = *groups_by_dtype.entry((dtype, level)).or_insert_with(|| {
                        groups.push((Some(dtype), dtype.itemsize as usize, Vec::new()));
                        groups.len() - 1
                    });
                    if let Some((_, _, members)) = groups.get_mut(group) {
                        members.push(i);
                    }
                }
                ColumnConversion::Values(item) => {
                    add_owned(BufferOwner::Block(nblocks), 1);
                    nblocks += 1;
                    groups.push((None, item, vec![i]));
                }
                ColumnConversion::Text => {
                    add_owned(BufferOwner::Text(texts.len()), 2);
                    texts.push((i, matches!(field.data_type, DataType::Utf8 | DataType::Binary)));
                }
                _ => {
                    is_kept |= !matches!(field.data_type, DataType::Boolean | DataType::Dictionary(..));
                    if level { levels.push(i) } else { columns.push(i) }
                }
            }
        }
        let row_nbytes = groups.iter().map(|(_, item, members)| (item * members.len()) as u64).sum();
        Self { groups, texts, rest: [columns, levels], owned, is_kept, row_nbytes }
    }
}
