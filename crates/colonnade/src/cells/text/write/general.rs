//! Writes the types that have no special writer.

use super::super::decode::{self, MsgpackValues};
use super::super::mixed;
use super::*;
use crate::cells::msgpack::column::CellWriter;

/// A writer of any type, through its MessagePack cells.
struct GeneralWriter {
    cells: Box<dyn CellWriter>,
    data_type: DataType,
    is_mixed: bool,
    nulls: NullText,
}

pub(super) fn general(
    field: &Field,
    numpy_dtype: Option<DType>,
    data: &ArrayData,
    style: TextStyle,
    is_mixed: bool,
) -> Result<Box<dyn TextWriter>> {
    // Compatible cells have counts for times, and text or bytes in one family; the types tell them apart.
    let cells = typed::MsgpackStyle { header: style.header, compatible: true };
    let cells = typed::writer(field, numpy_dtype, data, cells).map_err(|e| e.in_format(style.format))?;
    let nulls = match data.data_type() {
        DataType::Null => Some(NullBuffer::new_null(data.len())),
        _ => data.nulls().cloned(),
    };
    Ok(Box::new(GeneralWriter {
        cells,
        data_type: data.data_type().clone(),
        is_mixed,
        nulls: NullText { nulls, style },
    }))
}

impl GeneralWriter {
    fn cell(&self, row: usize) -> Result<Vec<u8>> {
        let mut cell = vec![0; self.cells.measure(row..row + 1)?];
        self.cells.write(row..row + 1, &mut cell)?;
        Ok(cell)
    }
}

impl TextWriter for GeneralWriter {
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        let style = self.nulls.style;
        if self.nulls.has(row) {
            self.nulls.put(out);
            return Ok(());
        }
        let cell = self.cell(row).map_err(|e| e.in_format(style.format))?;
        if self.is_mixed {
            return mixed::decode(&cell, style, out).map_err(|e| e.in_format(style.format));
        }
        if cell == [0xc0] {
            self.nulls.put(out);
            return Ok(());
        }
        decode::value(&mut MsgpackValues::new(&cell), &self.data_type, style, out)
            .map_err(|e| e.in_format(style.format))
    }

    fn is_null(&self, row: usize) -> bool {
        // Runs and unions have no validity bitmap.
        self.nulls.has(row)
            || matches!(self.data_type, DataType::RunEndEncoded(..))
                && self.cell(row).is_ok_and(|cell| cell == [0xc0])
    }
}
