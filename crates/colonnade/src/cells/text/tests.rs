//! Tests every type in both directions and every style. An independent reader (`serde_json`) splits cells into tokens.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_schema::{DataType, Fields};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::arrow::samples::{self, around, item};
use crate::cells::typed::{CELLS_TAG, dictionaries_of};

mod intervals;

const JSON: TextStyle = TextStyle::json("json");
const CSV: TextStyle = TextStyle::csv(true);
const YAML: TextStyle = TextStyle::yaml(true);

fn field(data: &ArrayData) -> Field {
    Field::new("x", data.data_type().clone(), true)
}

fn cells(
    field: &Field,
    numpy_dtype: Option<DType>,
    data: &ArrayData,
    style: TextStyle,
) -> Vec<Option<String>> {
    let writer = writer(field, numpy_dtype, data, style).unwrap();
    let one = |row| {
        let mut out = Vec::new();
        writer.write(row, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let null = writer.is_null(row);
        assert_eq!(
            null,
            if style.syntax == Syntax::Csv { null && text.is_empty() } else { text == "null" },
            "{text}"
        );
        if writer.is_plain() && style.syntax == Syntax::Csv {
            assert!(!text.contains([',', '"', '\n', '\r', ';', '\t']) && text.trim() == text, "{text}");
        }
        (!null).then_some(text)
    };
    (0..data.len()).map(one).collect()
}

/// Reads a written cell: JSON with the other reader, YAML as JSON except for words and numbers.
fn push(
    reader: &mut dyn TextReader,
    text: Option<&str>,
    style: TextStyle,
) -> std::result::Result<(), CellFault> {
    let Some(text) = text else { return reader.push(TextCell::Null) };
    if style.syntax == Syntax::Csv {
        return reader.push(TextCell::Str(text));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Null) => reader.push(TextCell::Null),
        Ok(Value::Bool(value)) => reader.push(TextCell::Bool(value)),
        Ok(Value::Number(_)) => reader.push(TextCell::Number(text)),
        Ok(Value::String(text)) => reader.push(TextCell::Str(&text)),
        Ok(_) => reader.push(TextCell::Raw(text)),
        Err(_)
            if style.syntax == Syntax::Yaml
                && text.trim_start_matches(['-', '.']).starts_with(['n', 'i'])
                && text.contains('.') =>
        {
            reader.push(TextCell::Number(text))
        }
        Err(_) if style.syntax == Syntax::Yaml => reader.push(TextCell::Str(text)),
        Err(e) => panic!("{text}: {e}"),
    }
}

fn read(
    field: &Field,
    numpy_dtype: Option<DType>,
    tag: Option<&str>,
    data: &ArrayData,
    texts: &[Option<String>],
    style: TextStyle,
) -> ArrayData {
    let mut known = HeaderDictionaries::of(dictionaries_of(std::slice::from_ref(data)));
    let mut reader = reader(field, numpy_dtype, tag, style, &mut known, &Limits::default()).unwrap();
    for text in texts {
        push(&mut *reader, text.as_deref(), style).unwrap_or_else(|e| panic!("{text:?}: {e:?}"));
    }
    assert_eq!(reader.len(), texts.len());
    let found = reader.finish().unwrap();
    found.validate_full().unwrap();
    found
}

/// The bytes of the cells, for comparison: Arrow has no equality of unions and list views, and no NaN equals itself.
fn packed(data: &ArrayData) -> Vec<u8> {
    let style = typed_style();
    let writer = crate::cells::typed::writer(&field(data), None, data, style).unwrap();
    let mut out = vec![0; writer.measure(0..data.len()).unwrap()];
    writer.write(0..data.len(), &mut out).unwrap();
    out
}

fn typed_style() -> crate::cells::typed::MsgpackStyle {
    crate::cells::typed::MsgpackStyle { header: true, compatible: false }
}

fn comes_back(data: &ArrayData, style: TextStyle) {
    let field = field(data);
    let texts = cells(&field, None, data, style);
    let found = read(&field, None, None, data, &texts, style);
    assert_eq!(found.data_type(), data.data_type());
    assert_eq!(packed(&found), packed(data), "{} {texts:?}", data.data_type());
}

/// Arrays of flat types, including types without equality in Arrow and special texts.
fn leaves() -> Vec<ArrayRef> {
    let numbers = DictionaryArray::<UInt8Type>::new(
        UInt8Array::from(vec![Some(1), None, Some(0), Some(1)]),
        Arc::new(Float64Array::from(vec![1.5, f64::NAN])),
    );
    let days = DictionaryArray::<Int64Type>::new(
        Int64Array::from(vec![1, 0, 0, 1]),
        Arc::new(Date32Array::from(vec![0, 19_000, i32::MAX])),
    );
    let twice = DictionaryArray::<Int8Type>::new(
        Int8Array::from(vec![Some(1), None, Some(0), Some(2)]),
        Arc::new(StringArray::from(vec![Some("a"), Some("a"), None])),
    );
    let special: [ArrayRef; 17] = [
        Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MAX), Some((1 << 53) + 1)])),
        Arc::new(Float32Array::from(vec![Some(0.1), None, Some(-0.0), Some(f32::from_bits(0x7fc0_0001))])),
        Arc::new(Float64Array::from(vec![
            Some(0.1),
            None,
            Some(-0.0),
            Some(f64::from_bits(0xfff8_0000_0000_0001)),
        ])),
        Arc::new(Float64Array::from(vec![
            Some(f64::INFINITY),
            Some(f64::NEG_INFINITY),
            Some(f64::NAN),
            Some(5e-324),
        ])),
        Arc::new(Time32MillisecondArray::from(vec![Some(1), None, Some(86_399_999), Some(0)])),
        Arc::new(Time64MicrosecondArray::from(vec![Some(1), None, Some(i64::MAX), Some(0)])),
        Arc::new(
            TimestampNanosecondArray::from(vec![Some(i64::MIN), None, Some(i64::MAX), Some(1)])
                .with_timezone("America/New_York"),
        ),
        Arc::new(Date32Array::from(vec![Some(i32::MIN), None, Some(19_000), Some(-1)])),
        Arc::new(IntervalYearMonthArray::from(vec![Some(i32::MIN), None, Some(13), Some(0)])),
        Arc::new(StringArray::from(vec![Some("é\0\u{1f389}"), None, Some(""), Some("null")])),
        Arc::new(LargeStringArray::from(vec![Some("a,\"b\"\n"), None, Some("NaN"), Some("1.5")])),
        Arc::new(LargeBinaryArray::from(vec![Some(&b"\xc1"[..]), None, Some(b""), Some(b"abc")])),
        Arc::new(
            [Some("1"), None, Some("true"), Some("1")].into_iter().collect::<DictionaryArray<UInt16Type>>(),
        ),
        Arc::new(numbers),
        Arc::new(days),
        Arc::new(twice),
        Arc::new(
            RunArray::<Int32Type>::try_new(
                &Int32Array::from(vec![2, 3, 4]),
                &StringArray::from(vec![Some("a"), None, Some("b")]),
            )
            .unwrap(),
        ),
    ];
    samples::leaves().into_iter().chain(special).collect()
}

#[test]
fn every_type_comes_back() {
    for leaf in leaves() {
        for data in [leaf.to_data(), leaf.slice(1, 2).to_data()] {
            for style in [JSON, CSV, YAML] {
                comes_back(&data, style);
            }
        }
    }
}

#[test]
fn every_type_comes_back_inside_every_other() {
    for leaf in leaves() {
        for one in around(&leaf) {
            comes_back(&one.to_data(), JSON);
            comes_back(&one.slice(1, 2).to_data(), JSON);
        }
    }
}

#[test]
fn nested_three_deep() {
    let wanted = |t: &DataType| {
        matches!(
            t,
            DataType::Float64
                | DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, _)
                | DataType::Utf8
                | DataType::Binary
        ) || *t == DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
    };
    for leaf in leaves().iter().filter(|leaf| wanted(leaf.data_type())) {
        for one in around(leaf) {
            for two in around(&one) {
                comes_back(&two.to_data(), JSON);
            }
        }
    }
}

#[test]
fn nested_types_come_back_in_csv() {
    for leaf in &leaves() {
        for one in around(leaf) {
            comes_back(&one.to_data(), CSV);
        }
    }
}

#[test]
fn half_floats_and_complex_numbers_come_back() {
    let bits: Vec<u16> = (0..=u16::MAX).collect();
    let data = ArrayData::builder(DataType::Float16).len(bits.len()).add_buffer(bits.into()).build().unwrap();
    for style in [JSON, CSV, YAML] {
        let texts = cells(&field(&data), None, &data, style);
        let found = read(&field(&data), None, None, &data, &texts, style);
        assert_eq!(found.buffers()[0].as_slice(), data.buffers()[0].as_slice());
    }
    let parts =
        [1.0, 2.0, -0.0, -1e-300, f64::NAN, f64::NEG_INFINITY, f64::from_bits(0xfff8_0000_0000_0007), 1e300];
    let parts: ArrayRef = Arc::new(Float64Array::from(parts.to_vec()));
    let data = FixedSizeListArray::new(item(&parts), 2, parts, None).to_data();
    let numpy_dtype = DType::parse("<c16");
    let texts = cells(&field(&data), numpy_dtype, &data, CSV);
    assert_eq!(texts[0].as_deref(), Some("(1.0+2.0j)"));
    let found = read(&field(&data), numpy_dtype, None, &data, &texts, CSV);
    assert_eq!(found.child_data()[0].buffers()[0].as_slice(), data.child_data()[0].buffers()[0].as_slice());
}

#[test]
fn spellings() {
    let shown = |array: &dyn Array, style| {
        let data = array.to_data();
        cells(&field(&data), None, &data, style)
            .into_iter()
            .map(|t| t.unwrap_or("null".into()))
            .collect::<Vec<_>>()
    };
    let instants = TimestampMillisecondArray::from(vec![0, 1500]).with_timezone("UTC");
    assert_eq!(shown(&instants, JSON), ["\"1970-01-01T00:00:00Z\"", "\"1970-01-01T00:00:01.500Z\""]);
    assert_eq!(shown(&instants, CSV), ["1970-01-01 00:00:00+00:00", "1970-01-01 00:00:01.500+00:00"]);
    assert_eq!(shown(&instants, YAML), ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01.500Z"]);
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), Some(vec![])]);
    assert_eq!(shown(&lists, JSON), ["[1,null]", "[]"]);
    assert_eq!(shown(&lists, YAML), ["[1, null]", "[]"]);
    assert_eq!(shown(&BinaryArray::from(vec![&b"abc"[..]]), JSON), ["\"YWJj\""]);
    let member = Field::new("m", DataType::Utf8, true);
    let structs = StructArray::new(vec![member].into(), vec![Arc::new(StringArray::from(vec!["x\n"]))], None);
    assert_eq!(shown(&structs, JSON), [r#"{"m":"x\n"}"#]);
    let dictionary = [Some("b"), None, Some("a")].into_iter().collect::<DictionaryArray<Int8Type>>();
    assert_eq!(shown(&dictionary, JSON), ["\"b\"", "null", "\"a\""]);
}

fn mixed(cells_in: &[&[u8]]) -> (Field, ArrayData) {
    let data = LargeBinaryArray::from(cells_in.to_vec()).to_data();
    let meta = crate::arrow::meta::FieldMeta { dtype: None, tag: Some(CELLS_TAG.into()) };
    let metadata = [(crate::arrow::meta::KEY.to_owned(), meta.to_json().unwrap().unwrap())];
    (field(&data).with_metadata(metadata), data)
}

#[test]
fn mixed_cells_come_back() {
    let (field, data) = mixed(&[
        b"\x01",
        b"\xa1x",
        b"\xcb\x3f\xf8\0\0\0\0\0\0",
        b"\x92\x01\xc0",
        b"\x81\xa1k\xc3",
        b"\xca\x3f\xc0\0\0",
        b"\xc4\x01\xff",
        b"\xd6\xff\0\0\0\0",
        b"\x81\x01\x02",
        b"\xcb\x7f\xf8\0\0\0\0\0\0",
        b"\x81\xad__colonnade__\xa1x",
        b"\x82\xa1a\x01\xa1a\x02",
        b"\xcd\0\x05",
        b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
    ]);
    let texts = cells(&field, None, &data, JSON);
    let shown: Vec<&str> = texts.iter().take(5).map(|t| t.as_deref().unwrap()).collect();
    assert_eq!(shown, ["1", "\"x\"", "1.5", "[1,null]", "{\"k\":true}"]);
    for text in &texts[5..13] {
        assert!(text.as_ref().unwrap().starts_with("{\"__colonnade__\":\""), "{text:?}");
    }
    let found = read(&field, None, Some(CELLS_TAG), &data, &texts, JSON);
    assert_eq!(found, data);
    // In CSV the JSON is the text of the cell.
    let texts = cells(&field, None, &data, CSV);
    assert_eq!(texts[4].as_deref(), Some("{\"k\":true}"));
    assert_eq!(read(&field, None, Some(CELLS_TAG), &data, &texts, CSV), data);
}

#[test]
fn numpys_times_have_nat_for_null() {
    let data = TimestampNanosecondArray::from(vec![Some(i64::MIN), Some(0)]).to_data();
    let texts = cells(&field(&data), DType::parse("<M8[ns]"), &data, JSON);
    assert_eq!(texts, [None, Some("\"1970-01-01T00:00:00\"".into())]);
}

fn refused(data_type: DataType, cell: TextCell<'_>, style: TextStyle) -> String {
    let field = Field::new("x", data_type, false);
    let mut reader =
        reader(&field, None, None, style, &mut HeaderDictionaries::default(), &Limits::default()).unwrap();
    let fault = reader.push(cell).unwrap_err();
    assert_eq!(reader.len(), 0);
    format!("{}{}", fault.path, fault.message)
}

#[test]
fn cells_of_another_type_are_refused() {
    let list = DataType::List(Arc::new(Field::new("item", DataType::Int8, true)));
    for (data_type, cell, expected) in [
        (DataType::Int64, TextCell::Number("1.0"), "expected int64, found 1.0."),
        (DataType::Int8, TextCell::Number("128"), "expected int8, from -128 to 127, found 128."),
        (DataType::Int64, TextCell::Str("1"), "expected int64, found the text \"1\"."),
        (DataType::Int64, TextCell::Null, "expected a value, as the field holds no nulls, found null."),
        (DataType::Float64, TextCell::Str("1.5"), "expected a float64, found \"1.5\""),
        (DataType::Float64, TextCell::Number("1e999"), "expected a float64, found \"1e999\""),
        (DataType::Utf8, TextCell::Number("1"), "expected utf8, found 1."),
        (DataType::Boolean, TextCell::Number("1"), "expected bool, found 1."),
        (DataType::Binary, TextCell::Str("?"), "expected bytes as base64"),
        (list.clone(), TextCell::Raw("[1,[2]]"), "[1]expected int8, found an array."),
        (list.clone(), TextCell::Raw("[1,2"), "expected JSON"),
        (list.clone(), TextCell::Raw("[300]"), "expected int8"),
        (list, TextCell::Raw("[1]x"), "expected JSON, found \"x\"."),
    ] {
        let message = refused(data_type, cell, JSON);
        assert!(message.contains(expected.trim_start_matches("[1]")), "{message}");
    }
    let unit = arrow_schema::TimeUnit::Second;
    let message = refused(DataType::Timestamp(unit, None), TextCell::Str("2013-01-01T00:00:00Z"), JSON);
    assert!(message.contains("without zone"), "{message}");
    let message = refused(DataType::Timestamp(unit, None), TextCell::Str("2013-01-01T00:00:00.5"), JSON);
    assert!(message.contains("in whole s"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_comes_back(values in proptest::collection::vec(proptest::option::of(".*"), 0..20)) {
        let data = StringArray::from(values).to_data();
        for style in [JSON, CSV] {
            comes_back(&data, style);
        }
        let (json, yaml) = (cells(&field(&data), None, &data, JSON), cells(&field(&data), None, &data, YAML));
        prop_assert_eq!(json.len(), yaml.len());
    }

    #[test]
    fn any_float_comes_back(bits in proptest::collection::vec(any::<u64>(), 1..50), small in proptest::collection::vec(any::<u32>(), 1..50)) {
        for style in [JSON, CSV, YAML] {
            comes_back(&Float64Array::from(bits.iter().map(|b| f64::from_bits(*b)).collect::<Vec<_>>()).to_data(), style);
            comes_back(&Float32Array::from(small.iter().map(|b| f32::from_bits(*b)).collect::<Vec<_>>()).to_data(), style);
        }
    }

    #[test]
    fn any_instant_comes_back(counts in proptest::collection::vec(any::<i64>(), 1..50)) {
        for style in [JSON, CSV, YAML] {
            comes_back(&TimestampNanosecondArray::from(counts.clone()).to_data(), style);
            comes_back(&TimestampSecondArray::from(counts.iter().map(|c| c >> 28).collect::<Vec<_>>()).to_data(), style);
            comes_back(&Time64NanosecondArray::from(counts.iter().map(|c| c >> 16).collect::<Vec<_>>()).to_data(), style);
        }
    }
}
