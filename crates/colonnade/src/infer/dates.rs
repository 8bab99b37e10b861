//! Turns columns of text whose cells are all dates or instants of ISO 8601 into timestamps.
//!
//! The rules are those of CSV: the unit is nanoseconds if a cell needs them, otherwise microseconds; instants with a zone
//! become UTC; a column that mixes cells with and without a zone stays text.

use arrow_array::{GenericStringArray, OffsetSizeTrait, StringViewArray};
use arrow_buffer::Buffer;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, TimeUnit};

use crate::cells::iso8601::{self, IsoSpelling};
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
    match data.data_type() {
        DataType::Utf8 => first(GenericStringArray::<i32>::from(data.clone()).iter()),
        DataType::LargeUtf8 => first(GenericStringArray::<i64>::from(data.clone()).iter()),
        DataType::Utf8View => first(StringViewArray::from(data.clone()).iter()),
        _ => false,
    }
}

fn first<'a>(cells: impl Iterator<Item = Option<&'a str>>) -> bool {
    cells
        .flatten()
        .next()
        .is_some_and(|cell| iso8601::instant(cell.as_bytes(), IsoSpelling::Lenient).is_some())
}

fn timestamps(data: &ArrayData) -> Result<Option<ArrayData>> {
    fn of<O: OffsetSizeTrait>(data: &ArrayData) -> Result<Option<ArrayData>> {
        let array = GenericStringArray::<O>::from(data.clone());
        converted(data, || array.iter())
    }
    match data.data_type() {
        DataType::Utf8 => of::<i32>(data),
        DataType::LargeUtf8 => of::<i64>(data),
        _ => {
            let array = StringViewArray::from(data.clone());
            converted(data, || array.iter())
        }
    }
}

/// Returns the timestamps of the cells; `None` if any cell is no instant, or if no unit and zone fit all.
fn converted<'a, I: Iterator<Item = Option<&'a str>>>(
    data: &ArrayData,
    cells: impl Fn() -> I,
) -> Result<Option<ArrayData>> {
    let instant = |cell: &str| iso8601::instant(cell.as_bytes(), IsoSpelling::Lenient);
    let (mut zoned, mut nanos) = (None, false);
    for cell in cells().flatten() {
        let Some(found) = instant(cell) else { return Ok(None) };
        if *zoned.get_or_insert(found.zoned) != found.zoned {
            return Ok(None);
        }
        nanos |= !found.nanoseconds.is_multiple_of(1000);
    }
    let mut values = Vec::with_capacity(data.len());
    for cell in cells() {
        match cell.map(|cell| instant(cell).and_then(|found| found.ticks(nanos))) {
            Some(Some(ticks)) => values.push(ticks),
            Some(None) => return Ok(None),
            None => values.push(0),
        }
    }
    let unit = if nanos { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
    let zone = (zoned == Some(true)).then(|| "UTC".into());
    let nulls = data.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
    let builder = ArrayDataBuilder::new(DataType::Timestamp(unit, zone)).len(data.len()).nulls(nulls);
    let built = builder.add_buffer(Buffer::from_vec(values)).build();
    built.map(Some).map_err(|e| Error::malformed("text", format!("the times make no valid array: {e}.")))
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
