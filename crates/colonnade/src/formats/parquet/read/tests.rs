//! Files in the form of other writers, written leaf by leaf with the `parquet` crate.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Decimal128Array, make_array};
use arrow_schema::DataType;
use parquet::basic::Encoding;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::{Parquet, ReadOptions};
use crate::decode::Request;
use crate::frame::paths::Projection;
use crate::frame::{Frame, Part};
use crate::memory::Buffer;
use crate::progress::NoProgress;

fn only_column(frame: &Frame) -> ArrayRef {
    match frame.parts.as_slice() {
        [Part::Column(column, _)] => make_array(column.data.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_part_of_a_list_without_a_wrapper_is_a_list_of_structs() {
    let schema = "message m { optional group my_list (LIST) {
        repeated group element { required binary str (STRING); required int32 num; } } }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut bytes = Vec::new();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    // [("a", 1), ("b", 2)], null, [], [("c", 3)]
    let (definition, repetition) = ([2, 2, 0, 1, 2], [0, 1, 0, 0, 0]);
    let mut column = group.next_column().unwrap().unwrap();
    let texts = ["a", "b", "c"].map(ByteArray::from);
    column.typed::<ByteArrayType>().write_batch(&texts, Some(&definition), Some(&repetition)).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&[1, 2, 3], Some(&definition), Some(&repetition)).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();

    let file = Parquet::open_buffer(Buffer::from_vec(bytes), ReadOptions::default(), &NoProgress).unwrap();
    let request = Request::all(1, &NoProgress);
    let whole = only_column(&file.load(&request).unwrap());
    let part_of = |list: &DataType| match list {
        DataType::List(item) => match item.data_type() {
            DataType::Struct(fields) => fields.iter().map(|f| f.name().clone()).collect::<Vec<_>>(),
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    };
    assert_eq!(part_of(whole.data_type()), ["str", "num"]);
    let types = whole.data_type().clone();
    for (number, name) in ["str", "num"].into_iter().enumerate() {
        let asked = BTreeMap::from([(0, vec![vec![0, number]])]);
        let kept = Projection::new(&asked, &|_| Some(types.clone())).unwrap();
        let part = only_column(&file.load_part(&Request { projection: Some(&kept), ..request }).unwrap());
        assert_eq!(part_of(part.data_type()), [name]);
        assert_eq!((part.len(), part.null_count()), (4, 1));
    }
}

#[test]
fn decimals_of_any_length_decode_from_every_encoding() {
    let schema = "message m { optional binary d (DECIMAL(20,2)); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let numbers: Vec<i128> =
        vec![0, -1, 127, 128, -129, 12_345_678_901_234_567_890, -98_765_432_109_876_543_210];
    let shortest = |number: &i128| {
        let bytes = number.to_be_bytes();
        let sign = if *number < 0 { 0xff } else { 0 };
        let spare = bytes.windows(2).take_while(|w| w[0] == sign && (w[1] ^ sign) & 0x80 == 0).count();
        ByteArray::from(bytes[spare..].to_vec())
    };
    let values: Vec<ByteArray> = numbers.iter().map(shortest).collect();
    let definition: Vec<i16> = [1, 1, 0, 1, 1, 1, 0, 1, 1].to_vec();
    let mut rest = numbers.iter();
    let expected: Vec<Option<i128>> =
        definition.iter().map(|d| (*d == 1).then(|| *rest.next().unwrap())).collect();
    let expected = Decimal128Array::from(expected).with_precision_and_scale(20, 2).unwrap();
    for encoding in [Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        let properties = WriterProperties::builder().set_dictionary_enabled(false).set_encoding(encoding);
        let mut bytes = Vec::new();
        let properties = Arc::new(properties.build());
        let mut writer = SerializedFileWriter::new(&mut bytes, Arc::clone(&schema), properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&values, Some(&definition), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        let file =
            Parquet::open_buffer(Buffer::from_vec(bytes), ReadOptions::default(), &NoProgress).unwrap();
        let found = only_column(&file.load(&Request::all(1, &NoProgress)).unwrap());
        assert!(found.as_ref() == &expected as &dyn Array, "{encoding}: {found:?}");
        let some = Request { rows: Some((3, 8)), ..Request::all(1, &NoProgress) };
        let found = only_column(&file.load(&some).unwrap());
        let part = expected.slice(3, 5);
        assert!(found.as_ref() == &part as &dyn Array, "{encoding}: {found:?}");
    }
}

#[test]
fn verify_includes_columns_outside_the_projection() {
    let schema = "message m { required int32 a; required int32 b; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut bytes = Vec::new();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for _ in 0..2 {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[1, 2, 3], None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();

    let opened = |bytes: &[u8]| {
        let options = ReadOptions { columns: Some(vec!["a".to_owned()]), ..ReadOptions::default() };
        Parquet::open_buffer(Buffer::from_vec(bytes.to_vec()), options, &NoProgress).unwrap()
    };
    opened(&bytes).verify(1, &NoProgress).unwrap();
    // The header of the first page of b.
    let whole = Buffer::from_vec(bytes.clone());
    let whole = Parquet::open_buffer(whole, ReadOptions::default(), &NoProgress).unwrap();
    let at = usize::try_from(whole.groups[0].chunks[1].start()).unwrap();
    bytes[at] = 0xff;
    let file = opened(&bytes);
    assert!(file.load(&Request::all(1, &NoProgress)).is_ok());
    assert!(file.verify(1, &NoProgress).is_err());
}
