//! Levels and pages of nested columns, read by the parquet crate, and arrays that break Arrow's layout.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{
    Array, ArrayRef, Int64Array, ListArray, RecordBatch, StringArray, StructArray, make_array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};

use crate::formats::parquet::write::column::Settings;
use crate::formats::parquet::write::file::{WriteOptions, encode};
use crate::frame::{Axis, Column, Frame, Part, Tags};
use crate::progress::NoProgress;

fn written(array: &ArrayRef, settings: Settings) -> crate::Result<Vec<u8>> {
    let parts = vec![Part::Column(Column::new(array.to_data()), 0)];
    let frame = Frame::new(Axis::range(array.len()), Axis::range(1), parts, Tags::default())?;
    let mut out = Vec::new();
    encode(&frame, WriteOptions { settings, threads: 2, ..WriteOptions::default() }, &mut out, &NoProgress)?;
    Ok(out)
}

/// Lists of structs of lists, with nulls and empty lists at every level.
fn nested(n: i32) -> ArrayRef {
    let mut inner = ListBuilder::new(Int64Builder::new()).with_field(Arc::new(Field::new(
        "element",
        DataType::Int64,
        true,
    )));
    let (mut texts, mut there, mut ends, mut lists) = (Vec::new(), Vec::new(), vec![0i32], Vec::new());
    for k in 0..n {
        for v in 0..k % 5 {
            (0..(k + v) % 3).for_each(|w| inner.values().append_option((w != 1).then_some(i64::from(k * v))));
            inner.append(v != 2);
            texts.push((v != 1).then(|| format!("{k} {v}").repeat(1 + usize::try_from(v).unwrap())));
            there.push((k + v) % 4 != 0);
        }
        ends.push(i32::try_from(texts.len()).unwrap());
        lists.push(k % 7 != 3);
    }
    let inner: ArrayRef = Arc::new(inner.finish());
    let texts: ArrayRef = Arc::new(StringArray::from(texts));
    let fields =
        vec![Field::new("l", inner.data_type().clone(), true), Field::new("t", DataType::Utf8, true)];
    let structs = StructArray::new(fields.into(), vec![inner, texts], Some(NullBuffer::from(there)));
    let item = Arc::new(Field::new("element", structs.data_type().clone(), true));
    let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
    Arc::new(ListArray::new(item, ends, Arc::new(structs), Some(NullBuffer::from(lists))))
}

#[test]
fn rows_are_found_by_the_page_index() {
    let array = nested(3000);
    for version_2 in [false, true] {
        let settings = Settings { page_nbytes: 500, version_2, ..Settings::default() };
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&written(&array, settings).unwrap()).unwrap();
        let options = ArrowReaderOptions::new().with_page_index_policy(true.into());
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).unwrap();
        let index = builder.metadata().page_index_for_row_group(0);
        assert!((0..2).all(|leaf| index.offset_index(leaf).unwrap().page_locations().len() > 3));
        let picked = [(700, 3), (40, 100), (1000, 1), (900, 256)];
        let selection: Vec<RowSelector> =
            picked.iter().flat_map(|&(s, n)| [RowSelector::skip(s), RowSelector::select(n)]).collect();
        let reader = builder.with_row_selection(RowSelection::from(selection)).build().unwrap();
        let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        let found: Vec<&dyn Array> = batches.iter().map(|b| b.column(0).as_ref()).collect();
        let mut at = 0;
        let expected: Vec<ArrayRef> = picked
            .iter()
            .map(|&(skip, n)| {
                at += skip + n;
                array.slice(at - n, n)
            })
            .collect();
        let expected: Vec<&dyn Array> = expected.iter().map(|a| a.as_ref()).collect();
        let (found, expected) = (concat(&found).unwrap(), concat(&expected).unwrap());
        assert_eq!(found.data_type(), expected.data_type());
        assert!(found.as_ref() == expected.as_ref());
    }
}

#[test]
fn nulls_where_none_may_be_are_refused_and_those_under_a_null_are_not() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
    let structs = |there: Vec<bool>| -> ArrayRef {
        let fields = vec![Field::new("a", DataType::Int64, false)];
        // SAFETY: the array has nulls in a required field, which the test needs; its layout is valid.
        let made = unsafe {
            StructArray::new_unchecked(
                fields.into(),
                vec![Arc::clone(&numbers)],
                Some(NullBuffer::from(there)),
            )
        };
        Arc::new(made)
    };
    let error = written(&structs(vec![true, true, false]), Settings::default()).unwrap_err();
    assert!(error.to_string().contains("expected no nulls in \"a\""), "{error}");
    assert!(written(&structs(vec![true, false, true]), Settings::default()).is_ok());
}

#[test]
fn offsets_that_break_the_layout_are_refused() {
    let values = Int64Array::from(vec![1, 2, 3, 4, 5, 6]).to_data();
    let lists = |offsets: Vec<i32>| -> ArrayRef {
        let item = Arc::new(Field::new("item", DataType::Int64, true));
        let (n, offsets) = (offsets.len() - 1, Buffer::from_vec(offsets));
        let nulls = NullBuffer::from((0..n).map(|k| k != 1).collect::<Vec<_>>());
        let builder = ArrayData::builder(DataType::List(item)).len(n).nulls(Some(nulls)).add_buffer(offsets);
        // SAFETY: no code reads the values of lists with invalid offsets, which is what the test checks.
        make_array(unsafe { builder.add_child_data(values.clone()).build_unchecked() })
    };
    // One list starts within another; the list between them is null.
    let error = written(&lists(vec![0, 5, 3, 6]), Settings::default()).unwrap_err();
    assert!(error.to_string().contains("an offset passes the values"), "{error}");
    assert!(written(&lists(vec![0, 2, 2, 6]), Settings::default()).is_ok());
}
