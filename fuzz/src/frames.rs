//! Frames of any types, labels and values.

use arbitrary::{Result, Unstructured};
use arrow_data::ArrayData;
use arrow_schema::{Field, Schema};
use colonnade::arrow::import::FramePlan;
use colonnade::frame::{Axis, Column, Frame, Labels, Level};

use crate::cells;

const MOST_ROWS: usize = 12;
const MOST_COLUMNS: usize = 5;
const DEPTH: usize = 2;

/// Names that formats treat in a special way.
const NAMES: [&str; 10] = ["a", "b", "", "0", "__meta__", "a.b", "null", "\u{0}", "é\n\"", "index"];

/// A frame. `Err` ends the run: the input makes no frame.
pub(crate) fn frame(source: &mut Unstructured<'_>) -> Result<Frame> {
    let nrows = source.int_in_range(0..=MOST_ROWS)?;
    let ncols = source.int_in_range(0..=MOST_COLUMNS)?;
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for _ in 0..ncols {
        let name = name(source)?;
        let array = column(source, nrows)?;
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let made = FramePlan::new(&Schema::new(fields)).and_then(|plan| plan.frame(&arrays, nrows, 0));
    let frame = made.map_err(|_| arbitrary::Error::IncorrectFormat)?;
    let index = index(source, nrows)?;
    Frame::new(index, frame.columns, frame.parts, frame.tags).map_err(|_| arbitrary::Error::IncorrectFormat)
}

fn name(source: &mut Unstructured<'_>) -> Result<String> {
    if source.ratio(1, 8)? {
        return source.arbitrary();
    }
    Ok((*source.choose(&NAMES)?).to_owned())
}

fn column(source: &mut Unstructured<'_>, nrows: usize) -> Result<ArrayData> {
    let data_type = cells::data_type(source, DEPTH)?;
    cells::array(source, &data_type, nrows)
}

fn index(source: &mut Unstructured<'_>, nrows: usize) -> Result<Axis> {
    let range = Axis::range(nrows);
    Ok(match source.int_in_range(0..=3)? {
        0 => {
            let (start, step) = (source.int_in_range(-9..=9)?, source.int_in_range(1..=3)?);
            let stop = start + step * i64::try_from(nrows).unwrap_or_default();
            Axis { labels: Labels::Auto { start, stop, step, count: nrows }, ..range }
        }
        depth @ (1 | 2) => {
            let mut levels = Vec::new();
            for _ in 0..depth {
                let data_type = cells::data_type(source, 0)?;
                levels.push(Level::Column(Column::new(cells::array(source, &data_type, nrows)?)));
            }
            let class = if depth == 1 { "Index" } else { "IndexHierarchy" };
            let classes = vec!["Index".to_owned(); depth];
            Axis {
                labels: Labels::Levels(levels),
                class: class.into(),
                classes,
                name: "null".into(),
                meta: None,
            }
        }
        _ => range,
    })
}
