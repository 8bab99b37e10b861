//! What a frame holds, for comparison: its columns and row labels as Arrow arrays.

use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use colonnade::arrow::export::Exporter;
use colonnade::frame::{Axis, Frame, Labels, Level};

/// Labels of larger ranges are compared as ranges: they would take memory that the file does not.
const MOST_LABELS: usize = 1 << 20;

/// The arrays of a frame.
pub(crate) struct Content {
    names: Vec<String>,
    arrays: Vec<ArrayData>,
}

impl Content {
    /// Name and type of a column, if no other column has its name.
    pub(crate) fn field(&self, position: usize) -> Option<(&str, DataType)> {
        let name = self.names.get(position)?;
        let is_unique = self.names.iter().filter(|other| *other == name).count() == 1;
        is_unique.then_some((name.as_str(), self.arrays.get(position)?.data_type().clone()))
    }
}

/// The content of `frame`; `None` if Arrow cannot hold it.
pub(crate) fn content(frame: &Frame) -> Option<Content> {
    let frame = with_stored_labels(frame.clone())?;
    let exporter = Exporter::new(&frame, None).ok()?;
    let arrays = exporter.admitted(&frame).ok()?.into_iter().map(with_usual_name).collect();
    let names = exporter.schema().fields().iter().map(|field| field.name().clone()).collect();
    Some(Content { names, arrays })
}

/// Complex numbers are lists of two floats. NumPy has no name for the floats, so a file's own name is in Arrow's layout only.
fn with_usual_name(array: ArrayData) -> ArrayData {
    match array.data_type().clone() {
        DataType::FixedSizeList(part, 2) if part.data_type().is_floating() => {
            let part = Field::new("item", part.data_type().clone(), part.is_nullable());
            let data_type = DataType::FixedSizeList(Arc::new(part), 2);
            array.into_builder().data_type(data_type).build().expect("only a name is another one")
        }
        _ => array,
    }
}

/// The frame with its row labels as a level, also if they are a range that is not stored.
fn with_stored_labels(frame: Frame) -> Option<Frame> {
    if matches!(frame.index.labels, Labels::Levels(_)) || frame.nrows > MOST_LABELS {
        return Some(frame);
    }
    let labels = Labels::Levels(vec![Level::Block(frame.index.range_labels().ok()?)]);
    let index = Axis { labels, classes: vec!["Index".into()], ..frame.index };
    Some(Frame { index, ..frame })
}

/// Checks that two frames hold the same.
pub(crate) fn check_same(found: &Frame, expected: &Frame, what: &str) {
    assert_eq!((found.nrows, found.ncols), (expected.nrows, expected.ncols), "{what}: shapes differ");
    let (found, expected) = (content(found), content(expected));
    let (Some(found), Some(expected)) = (&found, &expected) else {
        assert!(found.is_none() == expected.is_none(), "{what}: Arrow cannot hold one of them");
        return;
    };
    assert_eq!(found.names, expected.names, "{what}: names differ");
    for (i, (found, expected)) in found.arrays.iter().zip(&expected.arrays).enumerate() {
        if found != expected {
            let [found, expected] =
                [found, expected].map(|array| format!("{array:?}").chars().take(2_000).collect::<String>());
            panic!("{what}, column {i}: {found} is not {expected}");
        }
    }
}
