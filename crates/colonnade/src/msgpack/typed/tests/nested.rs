//! Every type, alone and in each nested one, three deep.

use arrow_array::builder::*;
use arrow_array::types::*;
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, Fields, TimeUnit, UnionFields};

use super::*;

fn leaves() -> Vec<ArrayRef> {
    let mut views = StringViewBuilder::new();
    views.append_option(Some("short"));
    views.append_null();
    views.append_value("longer than twelve bytes");
    views.append_value("");
    let mut binary_views = BinaryViewBuilder::new();
    for _ in 0..4 {
        binary_views.append_value([0xff; 40]);
    }
    let decimals = Decimal128Array::from(vec![Some(-5), None, Some(i128::pow(10, 37)), Some(0)]);
    let wide = Decimal256Array::from(vec![
        Some(i256::MINUS_ONE),
        None,
        Some(i256::from_i128(i128::MAX)),
        Some(i256::ZERO),
    ]);
    vec![
        Arc::new(NullArray::new(4)),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)])),
        Arc::new(Int8Array::from(vec![Some(-128), None, Some(127), Some(0)])),
        Arc::new(Int16Array::from(vec![Some(i16::MIN), None, Some(i16::MAX), Some(-33)])),
        Arc::new(Int32Array::from(vec![Some(i32::MIN), None, Some(i32::MAX), Some(-32)])),
        Arc::new(UInt8Array::from(vec![Some(200), None, Some(255), Some(0)])),
        Arc::new(UInt16Array::from(vec![Some(256), None, Some(u16::MAX), Some(0)])),
        Arc::new(UInt32Array::from(vec![Some(65_536), None, Some(u32::MAX), Some(0)])),
        Arc::new(UInt64Array::from(vec![Some(1 << 33), None, Some(u64::MAX), Some(0)])),
        Arc::new(Float32Array::from(vec![Some(0.1), None, Some(-0.0), Some(f32::MIN_POSITIVE)])),
        Arc::new(Time32SecondArray::from(vec![Some(1), None, Some(86_399), Some(0)])),
        Arc::new(Time64NanosecondArray::from(vec![Some(1), None, Some(86_399_999_999_999), Some(0)])),
        Arc::new(DurationMicrosecondArray::from(vec![Some(i64::MIN), None, Some(-1), Some(0)])),
        Arc::new(TimestampSecondArray::from(vec![Some(i64::MIN), None, Some(i64::MAX), Some(1 << 34)])),
        Arc::new(
            TimestampMillisecondArray::from(vec![Some(-1), None, Some(i64::MAX), Some(1)])
                .with_timezone("UTC"),
        ),
        Arc::new(TimestampMicrosecondArray::from(vec![Some(i64::MIN), None, Some(1 << 50), Some(1)])),
        Arc::new(Date64Array::from(vec![Some(i64::MIN), None, Some(86_400_000), Some(1)])),
        Arc::new(IntervalYearMonthArray::from(vec![Some(i32::MIN), None, Some(13), Some(0)])),
        Arc::new(IntervalDayTimeArray::from(vec![Some(IntervalDayTime::new(-1, 2)), None, None, None])),
        Arc::new(IntervalMonthDayNanoArray::from(vec![
            None,
            Some(IntervalMonthDayNano::new(1, -2, i64::MIN)),
            None,
            None,
        ])),
        Arc::new(decimals.with_precision_and_scale(38, 10).unwrap()),
        Arc::new(wide.with_precision_and_scale(76, -2).unwrap()),
        Arc::new(
            Decimal32Array::from(vec![Some(-999), None, Some(1), Some(0)])
                .with_precision_and_scale(9, 9)
                .unwrap(),
        ),
        Arc::new(
            Decimal64Array::from(vec![Some(-999), None, Some(1), Some(0)])
                .with_precision_and_scale(18, 0)
                .unwrap(),
        ),
        Arc::new(LargeStringArray::from(vec![
            Some("é"),
            None,
            Some(""),
            Some("0123456789012345678901234567890123456789"),
        ])),
        Arc::new(BinaryArray::from(vec![Some(&b"\xc1"[..]), None, Some(b""), Some(b"abc")])),
        Arc::new(
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                [Some([1u8, 2]), None, Some([3, 4]), None].into_iter(),
                2,
            )
            .unwrap(),
        ),
        Arc::new(views.finish()),
        Arc::new(binary_views.finish()),
        Arc::new([Some("b"), None, Some("a"), Some("b")].into_iter().collect::<DictionaryArray<Int8Type>>()),
        Arc::new(
            [Some("b"), None, Some("a"), Some("b")].into_iter().collect::<DictionaryArray<UInt16Type>>(),
        ),
    ]
}

fn item(child: &ArrayRef) -> Arc<Field> {
    Arc::new(Field::new("item", child.data_type().clone(), true))
}

/// Arrays of four cells that hold `child`, which has four.
fn around(child: &ArrayRef) -> Vec<ArrayRef> {
    let nulls = || Some(vec![true, false, true, true].into());
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0, 2, 2, 2, 4]));
    let large = OffsetBuffer::new(ScalarBuffer::from(vec![0i64, 1, 1, 4, 4]));
    let twice = arrow_select::concat::concat(&[child.as_ref(), child.as_ref()]).unwrap();
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "a", "c"]));
    let pair = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", child.data_type().clone(), true),
    ]);
    let entries = StructArray::new(pair.clone(), vec![keys, child.clone()], None);
    let members = |names: [&str; 2]| {
        Fields::from(names.map(|name| Field::new(name, child.data_type().clone(), true)).to_vec())
    };
    let union = UnionFields::try_new([3, 5], members(["p", "q"]).iter().cloned()).unwrap();
    vec![
        Arc::new(ListArray::new(item(child), offsets.clone(), child.clone(), nulls())),
        Arc::new(LargeListArray::new(item(child), large, child.clone(), None)),
        Arc::new(ListViewArray::new(
            item(child),
            vec![2, 2, 2, 0].into(),
            vec![2, 0, 0, 2].into(),
            child.clone(),
            nulls(),
        )),
        Arc::new(LargeListViewArray::new(
            item(child),
            vec![0, 3, 3, 3].into(),
            vec![3, 0, 1, 1].into(),
            child.clone(),
            None,
        )),
        Arc::new(FixedSizeListArray::new(item(&twice), 2, twice.clone(), nulls())),
        Arc::new(StructArray::new(members(["a", "b c"]), vec![child.clone(), child.clone()], nulls())),
        Arc::new(StructArray::new(members(["a", "a"]), vec![child.clone(), child.clone()], nulls())),
        Arc::new(MapArray::new(
            Arc::new(Field::new("entries", DataType::Struct(pair), false)),
            offsets,
            entries,
            nulls(),
            false,
        )),
        Arc::new(
            UnionArray::try_new(
                union.clone(),
                vec![3, 5, 5, 3].into(),
                None,
                vec![child.clone(), child.clone()],
            )
            .unwrap(),
        ),
        Arc::new(
            UnionArray::try_new(
                union,
                vec![3, 5, 5, 3].into(),
                Some(vec![0, 0, 1, 1].into()),
                vec![child.slice(0, 2), child.slice(2, 2)],
            )
            .unwrap(),
        ),
    ]
}

/// Reads whole and byte by byte; equal in every value, and valid.
fn comes_back_equal(array: &ArrayRef) {
    for data in [array.to_data(), array.slice(1, 2).to_data()] {
        for style in [PLAIN, OLD] {
            let bytes = written(&data, style);
            let step = if bytes.len() < 4000 { Some(1) } else { Some(97) };
            for step in [None, step] {
                let found = read(&field(&data), &bytes, data.len(), step, &mut dictionaries(&data, style));
                assert_eq!(found.data_type(), data.data_type());
                assert_eq!(written(&found, style), bytes, "{}", data.data_type());
                if !has_views(data.data_type()) {
                    assert_eq!(found, data, "{}", data.data_type());
                }
            }
        }
    }
}

/// Arrow compares unions by their children, which a sparse one fills as it likes, and knows no equality of list views.
fn has_views(data_type: &DataType) -> bool {
    matches!(data_type, DataType::ListView(_) | DataType::LargeListView(_) | DataType::Union(..))
        || crate::frame::children(data_type).iter().any(|child| has_views(child.data_type()))
}

#[test]
fn every_type_comes_back_alone_and_one_deep() {
    for leaf in leaves() {
        comes_back(&leaf);
        for nested in around(&leaf) {
            comes_back_equal(&nested);
        }
    }
}

#[test]
fn nested_three_deep() {
    let leaves = leaves();
    for leaf in [&leaves[2], &leaves[24], &leaves[27], &leaves[29]] {
        for one in around(leaf) {
            for two in around(&one) {
                for three in around(&two) {
                    let data = three.to_data();
                    let bytes = written(&data, PLAIN);
                    let found =
                        read(&field(&data), &bytes, data.len(), None, &mut dictionaries(&data, PLAIN));
                    assert_eq!(written(&found, PLAIN), bytes, "{}", data.data_type());
                    let step = Some(1 + bytes.len() / 50);
                    let pieces =
                        read(&field(&data), &bytes, data.len(), step, &mut dictionaries(&data, PLAIN));
                    assert_eq!(written(&pieces, PLAIN), bytes);
                }
            }
        }
    }
}

#[test]
fn runs_are_made_again() {
    let values = StringArray::from(vec![Some("a"), None, Some("b")]);
    let runs = RunArray::<Int16Type>::try_new(&Int16Array::from(vec![3, 5, 9]), &values).unwrap();
    for data in [runs.to_data(), runs.slice(2, 4).to_data()] {
        let bytes = written(&data, PLAIN);
        let found = read(&field(&data), &bytes, data.len(), Some(1), &mut Dictionaries::default());
        assert_eq!(written(&found, PLAIN), bytes);
        assert_eq!(found.child_data()[0].len(), 3);
    }
    let ends = DataType::RunEndEncoded(
        Arc::new(Field::new("run_ends", DataType::Int16, false)),
        Arc::new(Field::new("values", DataType::Null, true)),
    );
    let known = &mut Dictionaries::default();
    let mut reader = reader(&Field::new("x", ends, true), None, None, &options(), known).unwrap();
    let e = reader.take(&vec![0xc0; 40_000], 40_000).unwrap_err();
    assert_eq!(e.cell, 32_767);
}

#[test]
fn dictionaries_inside_of_dictionaries() {
    let codes = [Some("x"), None, Some("y")].into_iter().collect::<DictionaryArray<Int8Type>>();
    let member = Field::new("m", codes.data_type().clone(), true);
    let values = StructArray::new(vec![member].into(), vec![Arc::new(codes)], None);
    let outer = DictionaryArray::<Int32Type>::new(Int32Array::from(vec![2, 2, 0, 1]), Arc::new(values));
    comes_back_equal(&(Arc::new(outer.clone()) as ArrayRef));
    let data = outer.to_data();
    assert_eq!(written(&data, PLAIN), [2, 2, 0, 1]);
    let bare = Style { header: false, compatible: false };
    assert_eq!(written(&data, bare), b"\x81\xa1m\xa1y\x81\xa1m\xa1y\x81\xa1m\xa1x\x81\xa1m\xc0");
}

#[test]
fn halves_come_back_with_their_payload() {
    let bits: Vec<u16> = (0..=u16::MAX).collect();
    let data = ArrayData::builder(DataType::Float16).len(bits.len()).add_buffer(bits.into()).build().unwrap();
    let found = read(&field(&data), &written(&data, PLAIN), data.len(), None, &mut Dictionaries::default());
    assert_eq!(found.buffers()[0].as_slice(), data.buffers()[0].as_slice());
}

#[test]
fn instants_of_every_unit_at_the_forms_boundaries() {
    for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
        let near = [0i64, 1 << 32, 1 << 34].map(|seconds| [seconds - 1, seconds, seconds + 1]).concat();
        let mut values: Vec<i64> = near.clone();
        values.extend(near.iter().filter_map(|v| v.checked_mul(1000)));
        values.extend(near.iter().filter_map(|v| v.checked_mul(1_000_000_000)));
        values.extend([i64::MIN, i64::MAX]);
        let data =
            Int64Array::from(values).to_data().into_builder().data_type(DataType::Timestamp(unit, None));
        comes_back(&make_array(data.build().unwrap()));
    }
}
