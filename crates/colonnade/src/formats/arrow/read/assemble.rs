//! Builds the frame of all decoded columns.

use crate::arrow::decoded_columns::{DecodedColumns, is_number};
use crate::arrow::import::{FieldRole, FramePlan};
use crate::error::Result;
use crate::frame::{Column, Frame, Level, Part};

/// Builds the frame of all fields. The indices in `decoded` are those of the schema's fields.
///
/// # Errors
/// Malformed: fields that are missing or have another length.
pub(super) fn assemble_frame(plan: &FramePlan, decoded: DecodedColumns, nrows: usize) -> Result<Frame> {
    let mut parts = Vec::with_capacity(decoded.blocks.len() + decoded.columns.len());
    let mut levels: Vec<Option<Level>> = vec![None; plan.fields.len() - plan.ncols];
    let mut put = |level: usize, decoded: Level| {
        if let Some(slot) = levels.get_mut(level) {
            *slot = Some(decoded);
        }
    };
    let role_of = |field: usize| plan.fields.get(field).map(|f| f.place);
    for (block, fields) in decoded.blocks {
        let mut positions = Vec::with_capacity(fields.len());
        for (column, &field) in fields.iter().enumerate() {
            match role_of(field) {
                Some(FieldRole::Column(position)) => positions.push(position),
                Some(FieldRole::Level(level)) => {
                    put(level, Level::Block(block.column(column)));
                }
                None => {}
            }
        }
        // Columns and row labels have separate blocks.
        if positions.len() == fields.len() && !positions.is_empty() {
            parts.push(Part::Block(block, positions));
        }
    }
    for (field, data) in decoded.columns {
        let Some(field_plan) = plan.fields.get(field) else { continue };
        match field_plan.place {
            FieldRole::Column(position) => {
                let exclusive = decoded.exclusive && is_number(&field_plan.data_type);
                parts.push(Part::Column(Column { exclusive, ..field_plan.column(data) }, position));
            }
            FieldRole::Level(level) => put(level, Level::Column(field_plan.column(data))),
        }
    }
    let index = plan.index_axis(levels.into_iter().flatten().collect(), nrows, 0)?;
    Frame::new(index, plan.columns.clone(), parts, plan.tags.clone())
}
