//! Axes of text labels.

use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;

use crate::frame::{Axis, Column, Labels, Level};

/// An axis of strings.
pub(super) fn text_axis(labels: &[String]) -> Axis {
    let mut offsets: Vec<i64> = Vec::with_capacity(labels.len() + 1);
    let mut values = Vec::new();
    offsets.push(0);
    for label in labels {
        values.extend_from_slice(label.as_bytes());
        offsets.push(i64::try_from(values.len()).unwrap_or(i64::MAX));
    }
    let builder = ArrayDataBuilder::new(DataType::LargeUtf8)
        .len(labels.len())
        .add_buffer(offsets.into())
        .add_buffer(values.into());
    let Ok(data) = builder.build() else { return Axis::range(labels.len()) };
    Axis {
        labels: Labels::Levels(vec![Level::Column(Column::new(data))]),
        classes: vec!["Index".into()],
        ..Axis::range(labels.len())
    }
}
