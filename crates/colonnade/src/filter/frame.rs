//! Evaluates a filter on the columns and row labels of a frame.

use arrow_data::ArrayData;

use super::{CompiledTerms, RowFilter, mask};
use crate::arrow::export::Exporter;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Labels, Level, Part, Tags};
use crate::parallel;
use crate::progress::NoProgress;

/// Rows that one thread compares at least.
const MIN_PART_ROWS: usize = 1 << 17;

/// Returns the positions of the rows that pass the filter. `places` has, for each of the filter's columns, its position among
/// the columns and then the levels of the row labels.
///
/// # Errors
/// `NotFound`: a place outside the frame. `InvalidOption`: values that do not compare with a column's.
pub fn matching_rows(
    frame: &Frame,
    filter: &RowFilter,
    places: &[usize],
    threads: usize,
) -> Result<Vec<usize>> {
    let parts = places.iter().enumerate().map(|(i, place)| part_at(frame, *place, i));
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let judged =
        Frame::new(Axis::range(frame.nrows), Axis::range(places.len()), parts, Tags::unnamed().clone())?;
    // In Arrow's layout the values are those that Parquet would have: text without padding, NaT as null.
    let arrays: Vec<ArrayData> = Exporter::without_metadata(&judged)?.arrays(&judged)?;
    let types: Vec<_> = filter.columns().into_iter().zip(arrays.iter().map(ArrayData::data_type)).collect();
    let terms = CompiledTerms::new(filter, &types)?;
    let size = frame.nrows.div_ceil(threads.max(1)).max(MIN_PART_ROWS);
    let tasks = (0..frame.nrows).step_by(size).map(|start| {
        let (terms, arrays) = (&terms, &arrays);
        let nrows = size.min(frame.nrows - start);
        let work = move || {
            let part: Vec<ArrayData> = arrays.iter().map(|array| array.slice(start, nrows)).collect();
            let holds = mask(terms, &part, nrows).into_iter().enumerate();
            Ok((start, holds.filter_map(|(row, is)| is.then_some(start + row)).collect::<Vec<usize>>()))
        };
        (nrows * size_of::<usize>(), work)
    });
    let mut parts = parallel::map(tasks.collect(), threads, &NoProgress)?;
    parts.sort_unstable_by_key(|(start, _)| *start);
    Ok(parts.into_iter().flat_map(|(_, rows)| rows).collect())
}

/// The column or level at `place`, as the only column at position `to`.
fn part_at(frame: &Frame, place: usize, to: usize) -> Result<Part> {
    if place < frame.ncols {
        let one = frame.select(&[place], Axis::range(1))?;
        return Ok(match one.parts.into_iter().next() {
            Some(Part::Block(block, _)) => Part::Block(block, vec![to]),
            Some(Part::Column(column, _)) => Part::Column(column, to),
            None => return Err(missing(place)),
        });
    }
    let Labels::Levels(levels) = &frame.index.labels else { return Err(missing(place)) };
    Ok(match levels.get(place - frame.ncols).ok_or_else(|| missing(place))? {
        Level::Block(block) => Part::Block(block.clone(), vec![to]),
        Level::Column(column) => Part::Column(column.clone(), to),
    })
}

#[cold]
fn missing(place: usize) -> Error {
    Error::not_found("filters", format!("place {place} is out of range."))
}
