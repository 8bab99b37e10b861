//! Tests intervals in CSV, which are JSON text.

use super::*;

/// Four intervals with pandas' tag; one is null and one has null ends.
fn intervals(tag: &str, left: ArrayRef, right: ArrayRef) -> (Field, ArrayData) {
    let ends = Fields::from(vec![
        Field::new("left", left.data_type().clone(), true),
        Field::new("right", right.data_type().clone(), true),
    ]);
    let nulls = Some(vec![true, false, true, true].into());
    let data = StructArray::new(ends, vec![left, right], nulls).to_data();
    (tagged(&data, tag), data)
}

fn tagged(data: &ArrayData, tag: &str) -> Field {
    let meta = crate::arrow::meta::FieldMeta { dtype: None, tag: Some(tag.into()) };
    let metadata = [(crate::arrow::meta::KEY.to_owned(), meta.to_json().unwrap().unwrap())];
    field(data).with_metadata(metadata)
}

const INTERVAL: &str = r#"{"kind":"interval","closed":"left"}"#;
const OF_INTERVALS: &str = r#"{"kind":"categorical","categories":{"kind":"interval","closed":"left"}}"#;

#[test]
fn intervals_are_json_in_csv_behind_a_schema() {
    let odd = f64::from_bits(0xfff8_0000_0000_0007);
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.5, -0.0, f64::NEG_INFINITY, odd]));
    let upper: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 0.0, 5e-324, f64::NAN]));
    let times = || TimestampNanosecondArray::from(vec![Some(1), None, Some(i64::MIN), Some(i64::MAX)]);
    let zoned: ArrayRef = Arc::new(times().with_timezone("Europe/Berlin"));
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![i64::MIN, 0, (1 << 53) + 1, i64::MAX]));
    for (left, right) in [(&floats, &upper), (&zoned, &zoned), (&whole, &whole)] {
        let (field, data) = intervals(INTERVAL, left.clone(), right.clone());
        for data in [data.clone(), data.slice(1, 3)] {
            let texts = cells(&field, None, &data, CSV);
            let found = read(&field, None, Some(INTERVAL), &data, &texts, CSV);
            assert_eq!(packed(&found), packed(&data), "{texts:?}");
        }
        let values = data.slice(2, 2);
        let codes = Int8Array::from(vec![Some(1), None, Some(0), Some(1)]);
        let data = DictionaryArray::new(codes, make_array(values)).to_data();
        let field = tagged(&data, OF_INTERVALS);
        let texts = cells(&field, None, &data, CSV);
        assert!(texts[0].as_ref().unwrap().starts_with(r#"{"left":"#), "{texts:?}");
        let found = read(&field, None, Some(OF_INTERVALS), &data, &texts, CSV);
        assert_eq!(found.data_type(), data.data_type());
        assert_eq!(packed(&found), packed(&data), "{texts:?}");
        // Another spelling is the same category.
        let loose = texts.iter().map(|t| t.as_ref().map(|t| t.replacen(':', " : ", 1))).collect::<Vec<_>>();
        assert_eq!(packed(&read(&field, None, Some(OF_INTERVALS), &data, &loose, CSV)), packed(&data));
    }
    let (field, data) = intervals(INTERVAL, floats, upper);
    let shown = cells(&field, None, &data, CSV);
    assert_eq!(shown[0].as_deref(), Some(r#"{"left":0.5,"right":1.5}"#));
    assert_eq!(shown[1], None);
    assert_eq!(shown[3].as_deref(), Some(r#"{"left":"NaN(0xfff8000000000007)","right":"NaN"}"#));
}

#[test]
fn categories_that_are_spelled_alike_are_codes() {
    let same: ArrayRef = Arc::new(Int64Array::from(vec![1, 0, 1, 1]));
    let (_, values) = intervals(INTERVAL, same.clone(), same);
    let codes = Int8Array::from(vec![Some(2), None, Some(0), Some(3)]);
    let data = DictionaryArray::new(codes, make_array(values)).to_data();
    let field = tagged(&data, OF_INTERVALS);
    let texts = cells(&field, None, &data, CSV);
    assert_eq!(texts, [Some("2".into()), None, Some("0".into()), Some("3".into())]);
    let found = read(&field, None, Some(OF_INTERVALS), &data, &texts, CSV);
    assert_eq!(found.buffers()[0].as_slice(), data.buffers()[0].as_slice());
}

#[test]
fn cells_without_an_interval_are_refused() {
    let ends: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
    let (field, data) = intervals(INTERVAL, ends.clone(), ends);
    let categories = DictionaryArray::new(Int8Array::from(vec![0]), make_array(data.slice(2, 2))).to_data();
    let of_categories = tagged(&categories, OF_INTERVALS);
    for text in [
        "",
        "1",
        "null",
        "[1,2]",
        "(1, 2]",
        r#"{"left":1}"#,
        r#"{"left":1,"right":2,"closed":3}"#,
        r#"{"left":1,"right":2,"right":2}"#,
        r#"{"left":1,"right":NaN}"#,
        r#"{"left":1,"right":"2 "}"#,
        r#"{"left":1,"right":1.5}"#,
        r#"{"left":1,"right":2,}"#,
        r#"{"left":1,"right":2} x"#,
        r#"{"left":1,"right":2}{"left":1,"right":2}"#,
        r#"{"left":1,"right":{"left":1,"right":2}}"#,
        r#"{"left":1,"right":"\ud800"}"#,
    ] {
        for (field, tag, data) in [(&field, INTERVAL, &data), (&of_categories, OF_INTERVALS, &categories)] {
            let mut known = HeaderDictionaries::of(dictionaries_of(std::slice::from_ref(data)));
            let mut reader = reader(field, None, Some(tag), CSV, &mut known, &Limits::default()).unwrap();
            let fault = reader.push(TextCell::Str(text)).expect_err(text);
            assert!(matches!(fault.kind, ErrorKind::Malformed), "{text}: {fault:?}");
            assert_eq!(reader.len(), 0);
        }
    }
}

#[test]
fn without_a_schema_the_text_is_the_same() {
    let ends: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
    let (tagged_field, data) = intervals(INTERVAL, ends.clone(), ends.clone());
    assert_eq!(
        cells(&tagged_field, None, &data, TextStyle::csv(false)),
        cells(&tagged_field, None, &data, CSV)
    );
    // The tag requires two flat ends: this is a struct.
    let (_, deep) = intervals(INTERVAL, make_array(data.clone()), ends);
    for (field, tag, data) in [(field(&data), None, &data), (tagged(&deep, INTERVAL), Some(INTERVAL), &deep)]
    {
        let texts = cells(&field, None, data, CSV);
        assert_eq!(packed(&read(&field, None, tag, data, &texts, CSV)), packed(data), "{texts:?}");
    }
}
