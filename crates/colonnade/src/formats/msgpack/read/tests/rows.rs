//! Reads written rows back, cell by cell, with known types.

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, BooleanArray, DictionaryArray, Float64Array, Int64Array, LargeStringArray, ListArray, RecordBatch,
    StringArray, TimestampNanosecondArray,
};
use arrow_data::ArrayData;
use arrow_schema::{Field, Schema};

use super::super::rows::HeaderRows;
use crate::arrow::export::Exporter;
use crate::cells::msgpack::column::CellWriter;
use crate::cells::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::cells::typed;
use crate::cells::typed::MsgpackStyle;
use crate::error::Result;
use crate::formats::msgpack::options::WriteOptions;
use crate::formats::msgpack::write::rows::{ExportedArrays, encode};
use crate::frame::{Axis, Column, Frame, Part, Tags};
use crate::progress::NoProgress;

fn columns() -> Vec<ArrayData> {
    let nested = vec![Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(70_000)])];
    vec![
        Int64Array::from(vec![Some(1), None, Some(i64::MIN), Some(i64::MAX)]).into_data(),
        Float64Array::from(vec![Some(-0.0), Some(f64::NAN), None, Some(0.1)]).into_data(),
        BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]).into_data(),
        StringArray::from(vec![Some("x"), None, Some(""), Some(&*"long ".repeat(60))]).into_data(),
        LargeStringArray::from(vec!["a", "b", "ü", "d"]).into_data(),
        ["u", "v", "u", "u"].into_iter().collect::<DictionaryArray<Int8Type>>().into_data(),
        TimestampNanosecondArray::from(vec![Some(0), Some(-1), None, Some(1_356_998_400_000_000_000)])
            .into_data(),
        ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(nested).into_data(),
    ]
}

/// Gives a closure the lifetimes that let its writers borrow.
fn lending<F: for<'a> Fn(&'a Field, &'a ArrayData) -> Result<Box<dyn CellWriter + 'a>>>(writer_of: F) -> F {
    writer_of
}

fn round_trip(orient: MsgpackOrient, compatible: bool) {
    let data = columns();
    let parts = data.iter().enumerate().map(|(i, data)| Part::Column(Column::new(data.clone()), i)).collect();
    let frame = Frame::new(Axis::range(4), Axis::range(data.len()), parts, Tags::default()).unwrap();
    let exporter = Exporter::new(&frame, Some(4)).unwrap();
    let (schema, arrays) = (exporter.schema(), exporter.arrays(&frame).unwrap());
    let keys: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
    let style = MsgpackStyle { header: true, compatible };
    let writer_of = lending(move |field, data| {
        let writer: Box<dyn CellWriter> = typed::writer(field, None, data, style)?;
        Ok(writer)
    });
    let options = WriteOptions { orient, compatible, ..WriteOptions::default() };
    let exported = ExportedArrays { schema: &schema, arrays: &arrays, header: Some((b"\xa1h\xc0", &keys)) };
    let mut bytes = Vec::new();
    encode(&frame, exported, &options, &writer_of, &mut bytes, &NoProgress).unwrap();

    let options = ReadOptions::default();
    let values = typed::write_dictionaries(&arrays, style).unwrap();
    let (mut dictionaries, _) = typed::read_dictionaries(schema.fields(), &values, &options).unwrap();
    let reader = |field: &Field| typed::reader(field, None, None, &options, &mut dictionaries).unwrap();
    let mut readers: Vec<_> = schema.fields().iter().map(|field| field.as_ref()).map(reader).collect();
    let entries = if orient == MsgpackOrient::Records { 2 } else { 3 };
    let rows = HeaderRows { orient, entries, nrows: 4, keys: &keys };
    assert_eq!(rows.decode(&bytes, 4, &mut readers, &NoProgress).unwrap(), bytes.len());
    let batch = |arrays: Vec<ArrayData>| {
        let columns = arrays.into_iter().map(arrow_array::make_array).collect();
        RecordBatch::try_new(Schema::clone(&schema).into(), columns).unwrap()
    };
    let back = readers.into_iter().map(|reader| reader.finish().unwrap()).collect();
    // Compared as text, in which NaN equals itself.
    assert_eq!(format!("{:?}", batch(back).columns()), format!("{:?}", batch(data).columns()));
}

#[test]
fn rows_of_many_types_come_back() {
    for orient in [MsgpackOrient::Records, MsgpackOrient::Split] {
        round_trip(orient, false);
        round_trip(orient, true);
    }
}
