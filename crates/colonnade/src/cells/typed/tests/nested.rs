//! Every type, flat and in each nested type, three levels deep.

use arrow_array::types::*;
use arrow_schema::{DataType, TimeUnit};

use super::*;
use crate::arrow::samples::{around, leaves};

/// Reads the cells as a whole and byte by byte; the array is valid and equal in every value.
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

/// Whether the type has list views or unions. Arrow has no equality of list views, and compares unions by their children,
/// whose unused slots in a sparse union are arbitrary.
fn has_views(data_type: &DataType) -> bool {
    matches!(data_type, DataType::ListView(_) | DataType::LargeListView(_) | DataType::Union(..))
        || crate::frame::children(data_type).iter().any(|child| has_views(child.data_type()))
}

#[test]
fn every_type_comes_back_flat_and_one_level_deep() {
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
fn run_end_encoding_is_rebuilt() {
    let values = StringArray::from(vec![Some("a"), None, Some("b")]);
    let runs = RunArray::<Int16Type>::try_new(&Int16Array::from(vec![3, 5, 9]), &values).unwrap();
    for data in [runs.to_data(), runs.slice(2, 4).to_data()] {
        let bytes = written(&data, PLAIN);
        let found = read(&field(&data), &bytes, data.len(), Some(1), &mut HeaderDictionaries::default());
        assert_eq!(written(&found, PLAIN), bytes);
        assert_eq!(found.child_data()[0].len(), 3);
    }
    let ends = DataType::RunEndEncoded(
        Arc::new(Field::new("run_ends", DataType::Int16, false)),
        Arc::new(Field::new("values", DataType::Null, true)),
    );
    let known = &mut HeaderDictionaries::default();
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
    let bare = MsgpackStyle { header: false, compatible: false };
    assert_eq!(written(&data, bare), b"\x81\xa1m\xa1y\x81\xa1m\xa1y\x81\xa1m\xa1x\x81\xa1m\xc0");
}

#[test]
fn halves_come_back_with_their_payload() {
    let bits: Vec<u16> = (0..=u16::MAX).collect();
    let data = ArrayData::builder(DataType::Float16).len(bits.len()).add_buffer(bits.into()).build().unwrap();
    let found =
        read(&field(&data), &written(&data, PLAIN), data.len(), None, &mut HeaderDictionaries::default());
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
