//! Decodes rows after a header: passes every cell to the decoder of its column.

use arrow_data::ArrayData;

use crate::arrow::import::{FieldPlan, FramePlan, to_block};
use crate::error::Result;
use crate::progress::Progress;

use super::super::rows::HeaderRows;
use super::OpenedFrame;
use crate::cells::msgpack::options::ReadOptions;
use crate::cells::typed;
use crate::cells::typed::TypedCells;
use crate::formats::msgpack::header::MsgpackHeader;

/// Decodes a frame whose entries after the header begin at `at`.
pub(super) fn decode(
    bytes: &[u8],
    header: &MsgpackHeader,
    mut plan: FramePlan,
    (entries, at): (u32, usize),
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<OpenedFrame> {
    let fields = header.schema.fields();
    let start = header.dictionaries.start;
    let encoded = bytes.get(header.dictionaries.clone()).unwrap_or(&[]);
    let mut dictionaries = match encoded {
        [] => typed::HeaderDictionaries::default(),
        _ => {
            let read = typed::read_dictionaries(fields, encoded, options);
            read.map_err(|e| e.placed("$.__colonnade__.dictionaries", start as u64))?.0
        }
    };
    let mut readers: Vec<Box<dyn TypedCells>> = Vec::with_capacity(fields.len());
    for (field, field_plan) in fields.iter().zip(&plan.fields) {
        readers.push(typed::reader(
            field,
            field_plan.dtype,
            field_plan.tag.as_deref(),
            options,
            &mut dictionaries,
        )?);
    }
    let keys = crate::cells::header_key::keys(&header.schema);
    let rows = HeaderRows { orient: header.orient, entries, nrows: header.nrows, keys: &keys };
    let end = rows.decode(bytes, at, &mut readers, progress)?;
    let arrays: Vec<ArrayData> = readers.into_iter().map(TypedCells::finish).collect::<Result<_>>()?;
    plan.set_nrows(header.nrows);
    let block = |i: usize, data: &ArrayData| {
        plan.fields.get(i).and_then(FieldPlan::decoded_dtype).map_or(Ok(None), |dtype| to_block(dtype, data))
    };
    let frame = plan.frame_with(&arrays, header.nrows, 0, &block)?;
    Ok(OpenedFrame::Rows { frame: Box::new(frame), orient: header.orient, end })
}
