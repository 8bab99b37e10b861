//! Stores column labels in a schema: as the names of its fields, if they are suitable text, else as a small stream in the
//! metadata. `column_labels` reads them.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, make_array};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::{Error, Result};
use crate::frame::{Axis, DTypeKind, Labels, Level};

use super::meta::{self, FieldMeta, LabelsMeta};
use super::native::NativeType;

/// Returns how the column labels are stored. `are_names`: their texts are unique names that fields can have unchanged
/// (Arrow's C interface ends names at a NUL, and a field without a name cannot be found).
///
/// # Errors
/// Labels that Arrow cannot hold.
pub(super) fn labels_meta(columns: &Axis, are_names: bool) -> Result<LabelsMeta> {
    let levels = match &columns.labels {
        Labels::Auto { start, stop, step, .. } => {
            return Ok(LabelsMeta::Auto { start: *start, stop: Some(*stop), step: *step });
        }
        Labels::Levels(levels) => levels,
    };
    let text = match levels.as_slice() {
        [Level::Block(block)] if are_names && block.grid.dtype.kind == DTypeKind::Unicode => {
            Some(LabelsMeta::Fixed(block.grid.dtype))
        }
        // The text of labels in tagged JSON differs from the labels.
        [Level::Column(c)]
            if are_names
                && matches!(c.data.data_type(), DataType::Utf8 | DataType::LargeUtf8)
                && !super::names::is_tagged(c) =>
        {
            let data_type = c.data.data_type().clone();
            Some(LabelsMeta::Text { data_type, tag: c.tag.clone() })
        }
        _ => None,
    };
    match text {
        Some(text) => Ok(text),
        None => Ok(LabelsMeta::Stream(to_stream(levels)?)),
    }
}

/// Writes levels as an `arrows` stream in base64, one column for each level.
fn to_stream(levels: &[Level]) -> Result<String> {
    let broken = |e: ArrowError| Error::unrepresentable("arrow", format!("labels of the columns: {e}."));
    let nrows = levels.first().map_or(0, Level::len);
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (i, level) in levels.iter().enumerate() {
        let (data, meta, ordered) = match level {
            Level::Block(block) => {
                let native = NativeType::of(block)?;
                let data = native.array(block, 0, &block.buffer.to_arrow())?;
                (data, FieldMeta { dtype: Some(native.dtype), tag: None }, false)
            }
            Level::Column(c) => (c.data.clone(), FieldMeta { dtype: None, tag: c.tag.clone() }, c.ordered),
        };
        let mut field = Field::new(i.to_string(), data.data_type().clone(), true);
        if let Some(text) = meta.to_json()? {
            field.metadata_mut().insert(meta::KEY, text);
        }
        fields.push(field.with_dict_is_ordered(ordered));
        arrays.push(make_array(data));
    }
    let schema = Arc::new(Schema::new(fields));
    let options = RecordBatchOptions::new().with_row_count(Some(nrows));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options).map_err(broken)?;
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).map_err(broken)?;
    writer.write(&batch).map_err(broken)?;
    Ok(STANDARD.encode(writer.into_inner().map_err(broken)?))
}

#[cfg(test)]
mod tests {
    use arrow_array::{Array, StringArray};

    use super::*;
    use crate::arrow::column_labels::from_meta;
    use crate::arrow::meta::SchemaAxisMeta;
    use crate::arrow::names;
    use crate::frame::{Block, Column, DType, Grid};
    use crate::memory::Buffer;

    fn kept(axis: &Axis) -> Result<LabelsMeta> {
        let (_, are_names) = names::unique(&names::texts(axis).unwrap());
        super::labels_meta(axis, are_names)
    }

    fn axis(levels: Vec<Level>) -> Axis {
        Axis { labels: Labels::Levels(levels), classes: vec!["Index".into()], ..Axis::range(0) }
    }

    fn block(descr: &str, bytes: Vec<u8>) -> Level {
        let dtype = DType::parse(descr).unwrap();
        let nrows = bytes.len() / dtype.itemsize as usize;
        Level::Block(Block::new(Grid::column_major(dtype, nrows, 1, 0), Buffer::from_vec(bytes)).unwrap())
    }

    fn back(axis: &Axis, names: &[&str]) -> Axis {
        let Axis { class, classes, name, meta, .. } = axis.clone();
        from_meta(names, &SchemaAxisMeta { class, classes, name, meta, labels: kept(axis).unwrap() }).unwrap()
    }

    fn bytes(axis: &Axis) -> Vec<u8> {
        match &axis.labels {
            Labels::Levels(levels) => match &levels[0] {
                Level::Block(b) => b.packed().unwrap().to_vec(),
                Level::Column(_) => panic!("a column"),
            },
            Labels::Auto { .. } => panic!("a range"),
        }
    }

    #[test]
    fn labels_of_every_dtype_round_trip() {
        for descr in [
            "|b1", ">i4", "<u8", "<f2", ">f8", "<f16", "<c16", "<c32", "|S5", "|V3", ">M8[ns]", "<M8[D]",
            "<M8[25s]", "<m8[s]", "<m8",
        ] {
            let dtype = DType::parse(descr).unwrap();
            let byte = |i: u8| if dtype.kind == DTypeKind::Bool { i % 2 } else { i % 100 };
            let mut cells: Vec<u8> = (0..=255).take(dtype.itemsize as usize * 3).map(byte).collect();
            if dtype.unit.is_some() {
                let small = |v: i64| if descr.starts_with('>') { v.to_be_bytes() } else { v.to_le_bytes() };
                cells = [-5, i64::MIN, 7].into_iter().flat_map(small).collect();
            }
            let axis = axis(vec![block(descr, cells.clone())]);
            assert!(matches!(kept(&axis).unwrap(), LabelsMeta::Stream(_)));
            assert_eq!(bytes(&back(&axis, &["", "", ""])), cells, "{descr}");
        }
    }

    #[test]
    fn text_labels_are_field_names_if_possible() {
        for (descr, little) in [("<U2", true), (">U2", false)] {
            let cell = |c: char| if little { u32::from(c).to_le_bytes() } else { u32::from(c).to_be_bytes() };
            let cells: Vec<u8> = "abc\0".chars().flat_map(cell).collect();
            let labels = axis(vec![block(descr, cells.clone())]);
            assert!(matches!(kept(&labels).unwrap(), LabelsMeta::Fixed(_)));
            assert_eq!(bytes(&back(&labels, &["ab", "c"])), cells);
        }
        let text = |names: Vec<&str>| {
            let data = StringArray::from(names).into_data();
            axis(vec![Level::Column(Column {
                tag: Some(r#"{"kind":"object"}"#.into()),
                ..Column::new(data)
            })])
        };
        assert_eq!(back(&text(vec!["a", "b"]), &["a", "b"]).strings().unwrap(), ["a", "b"]);
        for doubled in [vec!["a", "a"], vec!["", "a"], vec!["a\0", "a"]] {
            assert!(matches!(kept(&text(doubled.clone())).unwrap(), LabelsMeta::Stream(_)));
            assert_eq!(back(&text(doubled.clone()), &["0", "1"]).strings().unwrap(), doubled);
        }
    }
}
