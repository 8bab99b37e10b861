//! Turns columns of text whose cells are all dates or instants of ISO 8601 into timestamps.
//!
//! The rules are those of CSV: the unit is nanoseconds if a cell needs them, otherwise microseconds; instants with a zone
//! become UTC; a column that mixes cells with and without a zone stays text.

use arrow_buffer::Buffer;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, TimeUnit};

use crate::cells::iso8601::{self, IsoInstant, IsoSpelling};
use crate::cells::strings::with_strings;
use crate::error::{Error, Result};
use crate::frame::{Column, Frame, Part};
use crate::parallel;
use crate::progress::Progress;

/// Returns the frame with timestamps in place of such text.
///
/// # Errors
/// `Cancelled` from `progress`.
pub(crate) fn in_frame(mut frame: Frame, threads: usize, progress: &dyn Progress) -> Result<Frame> {
    let tasks = frame.parts.iter().enumerate().filter_map(|(i, part)| match part {
        Part::Column(column, _) if column.tag.is_none() && begins_with_instant(&column.data) => {
            Some((column.nbytes(), move || Ok((i, timestamps(&column.data)?))))
        }
        _ => None,
    });
    for (i, found) in parallel::map(tasks.collect(), threads, progress)? {
        if let (Some(data), Some(Part::Column(column, _))) = (found, frame.parts.get_mut(i)) {
            *column = Column::new(data);
        }
    }
    Ok(frame)
}

/// Whether the first cell of a column of text is an instant. Most columns end here.
fn begins_with_instant(data: &ArrayData) -> bool {
    with_strings(data, |cells| cells.flatten().next().is_some_and(|cell| instant(cell).is_some()))
        == Some(true)
}

fn instant(cell: &str) -> Option<IsoInstant> {
    iso8601::instant(cell.as_bytes(), IsoSpelling::Lenient)
}

/// Returns the timestamps of the cells; `None` if any cell is no instant, or if no unit and zone fit all.
fn timestamps(data: &ArrayData) -> Result<Option<ArrayData>> {
    // Few columns need nanoseconds, and those are parsed again.
    let found = match with_strings(data, |cells| ticks(cells, data.len(), false)).flatten() {
        Some(found) if found.needs_nanos => {
            with_strings(data, |cells| ticks(cells, data.len(), true)).flatten()
        }
        found => found,
    };
    let Some(Ticks { values, zoned, needs_nanos }) = found else { return Ok(None) };
    let unit = if needs_nanos { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
    let nulls = data.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
    let data_type = DataType::Timestamp(unit, zoned.then(|| "UTC".into()));
    let builder = ArrayDataBuilder::new(data_type).len(data.len()).nulls(nulls);
    let built = builder.add_buffer(Buffer::from_vec(values)).build();
    built.map(Some).map_err(|e| Error::malformed("text", format!("the times make no valid array: {e}.")))
}

/// The cells as counts of a unit.
struct Ticks {
    /// Null is 0.
    values: Vec<i64>,
    zoned: bool,
    /// Whether a cell has nanoseconds. If the unit is microseconds, the values end before that cell.
    needs_nanos: bool,
}

/// Parses the cells; `None` if any is no instant or outside the range of the unit, or if only some have a zone.
fn ticks(cells: &mut dyn Iterator<Item = Option<&str>>, len: usize, nanos: bool) -> Option<Ticks> {
    let (mut zoned, mut needs_nanos) = (None, false);
    let mut values = Vec::with_capacity(len);
    for cell in cells {
        let Some(cell) = cell else {
            values.push(0);
            continue;
        };
        let found = instant(cell)?;
        if *zoned.get_or_insert(found.zoned) != found.zoned {
            return None;
        }
        needs_nanos |= !found.nanoseconds.is_multiple_of(1000);
        if needs_nanos && !nanos {
            break;
        }
        values.push(found.ticks(nanos)?);
    }
    Some(Ticks { values, zoned: zoned == Some(true), needs_nanos })
}

#[cfg(test)]
mod tests {
    use arrow_array::{Array, StringArray, TimestampMicrosecondArray};

    use super::*;

    fn read(cells: &[Option<&str>]) -> Option<ArrayData> {
        timestamps(&StringArray::from(cells.to_vec()).into_data()).unwrap()
    }

    #[test]
    fn text_of_instants_becomes_timestamps() {
        let data = read(&[Some("1970-01-01"), None, Some("1970-01-01 00:00:01.5")]).unwrap();
        let expected = TimestampMicrosecondArray::from(vec![Some(0), None, Some(1_500_000)]);
        assert_eq!(TimestampMicrosecondArray::from(data), expected);
        let data = read(&[Some("1970-01-01T00:00:00.000000001+01:00")]).unwrap();
        assert_eq!(*data.data_type(), DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())));
        assert_eq!(data.buffer::<i64>(0), [1 - 3_600_000_000_000]);
    }

    #[test]
    fn other_text_stays() {
        assert!(read(&[Some("1970-01-01"), Some("soon")]).is_none());
        assert!(read(&[Some("1970-01-01T00:00Z"), Some("1970-01-01")]).is_none());
        // Nanoseconds, and a year outside their range.
        assert!(read(&[Some("1970-01-01T00:00:00.000000001"), Some("0001-01-01")]).is_none());
        assert!(!begins_with_instant(&StringArray::from(vec!["x", "1970-01-01"]).into_data()));
    }
}
