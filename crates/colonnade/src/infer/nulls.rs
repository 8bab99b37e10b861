//! Nulls of a table without a header, for libraries without nulls: NaN, as in those libraries' own readers.

use arrow_schema::DataType;

use crate::frame::{Frame, Part};

/// All integers up to this one are exact floats.
const EXACT: u64 = 1 << 53;

/// Marks `frame` as a table without an origin library, so that nulls in numbers become NaN in libraries without nulls.
/// Does nothing if a column with nulls has an integer that NaN's float type would round.
pub fn nulls_as_nan(frame: &mut Frame) {
    if frame.tags.origin.is_none() && !frame.parts.iter().any(is_rounded) {
        frame.tags.origin = Some(r#"{"schema_metadata":[]}"#.into());
    }
}

/// Whether a column has nulls and an integer that a float does not hold exactly.
pub(crate) fn is_rounded(part: &Part) -> bool {
    let Part::Column(column, _) = part else { return false };
    let data = &column.data;
    if data.null_count() == 0 {
        return false;
    }
    let Some(values) = data.buffers().first() else { return false };
    let rows = data.offset()..data.offset() + data.len();
    match data.data_type() {
        DataType::Int64 => {
            let values = values.typed_data::<i64>().get(rows).unwrap_or_default();
            values.iter().any(|value| value.unsigned_abs() > EXACT)
        }
        DataType::UInt64 => {
            let values = values.typed_data::<u64>().get(rows).unwrap_or_default();
            values.iter().any(|value| *value > EXACT)
        }
        _ => false,
    }
}
