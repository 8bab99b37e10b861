//! Decides which fields are received into blocks, and which are decoded at the end.

use std::collections::HashMap;

use arrow_schema::DataType;

use crate::arrow::import::{FieldRole as Seat, FramePlan};
use crate::arrow::ipc::shape::BatchLayout;
use crate::formats::arrow::read::decode::{ColumnConversion, direct_conversion};
use crate::frame::DType;

/// The layout of a schema's blocks, which streams of one schema share.
#[derive(Debug)]
pub(super) struct BlockLayout {
    /// The groups of fields, as (dtype, item size, fields): one for each dtype, with separate groups for data columns and
    /// row labels; then those without a dtype.
    pub(super) groups: Vec<(Option<DType>, usize, Vec<usize>)>,
    /// The fields that are decoded at the end: data columns, and row labels.
    pub(super) rest: [Vec<usize>; 2],
    /// Whether fields have text or nested values, which Arrow libraries use from the bytes of the stream.
    pub(super) has_text: bool,
    pub(super) row_nbytes: u64,
}

impl BlockLayout {
    pub(super) fn new(shape: &BatchLayout, plan: &FramePlan) -> Self {
        let mut groups: Vec<(Option<DType>, usize, Vec<usize>)> = Vec::new();
        let mut known: HashMap<(DType, bool), usize> = HashMap::new();
        let (mut columns, mut levels, mut has_text) = (Vec::new(), Vec::new(), false);
        for (i, field) in plan.fields.iter().enumerate() {
            let level = matches!(field.place, Seat::Level(_));
            let conversion = if shape.big_endian { ColumnConversion::Text } else { direct_conversion(field) };
            match conversion {
                ColumnConversion::Copy(dtype) => {
                    let group = *known.entry((dtype, level)).or_insert_with(|| {
                        groups.push((Some(dtype), dtype.itemsize as usize, Vec::new()));
                        groups.len() - 1
                    });
                    if let Some((_, _, members)) = groups.get_mut(group) {
                        members.push(i);
                    }
                }
                ColumnConversion::Values(item) => groups.push((None, item, vec![i])),
                _ => {
                    has_text |= !matches!(field.data_type, DataType::Boolean | DataType::Dictionary(..));
                    if level { levels.push(i) } else { columns.push(i) }
                }
            }
        }
        let row_nbytes = groups.iter().map(|(_, item, members)| (item * members.len()) as u64).sum();
        Self { groups, rest: [columns, levels], has_text, row_nbytes }
    }
}
