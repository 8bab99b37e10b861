//! Arrays of every type, for tests of writers and readers.

use std::sync::Arc;

use arrow_array::builder::*;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, Field, Fields, UnionFields};

/// Arrays of four cells of every flat type that Arrow compares by value.
pub(crate) fn leaves() -> Vec<ArrayRef> {
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
        Arc::new(Time32SecondArray::from(vec![Some(1), None, Some(86_399), Some(-1)])),
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

pub(crate) fn item(child: &ArrayRef) -> Arc<Field> {
    Arc::new(Field::new("item", child.data_type().clone(), true))
}

/// Arrays of four cells that contain `child`, which has four.
pub(crate) fn around(child: &ArrayRef) -> Vec<ArrayRef> {
    let nulls = || Some(vec![true, false, true, true].into());
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0, 2, 2, 2, 4]));
    let large = OffsetBuffer::new(ScalarBuffer::from(vec![0i64, 1, 1, 4, 4]));
    let twice = arrow_select::concat::concat(&[child.as_ref(), child.as_ref()]).unwrap();
    let members = |names: [&str; 2]| {
        Fields::from(names.map(|name| Field::new(name, child.data_type().clone(), true)).to_vec())
    };
    let union = UnionFields::try_new([3, 5], members(["p", "q"]).iter().cloned()).unwrap();
    let map = |keys: ArrayRef| {
        let pair = Fields::from(vec![
            Field::new("key", keys.data_type().clone(), false),
            Field::new("value", child.data_type().clone(), true),
        ]);
        let entries = StructArray::new(pair.clone(), vec![keys, child.clone()], None);
        Arc::new(MapArray::new(
            Arc::new(Field::new("entries", DataType::Struct(pair), false)),
            offsets.clone(),
            entries,
            nulls(),
            false,
        ))
    };
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
        map(Arc::new(StringArray::from(vec!["a", "b", "a", "c"]))),
        map(Arc::new(StringArray::from(vec!["a", "a", "a", "c"]))),
        map(Arc::new(Int16Array::from(vec![1, 2, 1, 1]))),
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
