//! Nested arrays taken apart and assembled again, and buffers that contradict each other.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeListBuilder, Int32Builder, Int64Builder, LargeListBuilder, ListBuilder, ListViewBuilder,
    MapBuilder, StringBuilder, StringViewBuilder, UnionBuilder,
};
use arrow_array::types::{Float64Type, Int32Type, IntervalMonthDayNano};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int8Array, Int32Array, Int64Array, IntervalMonthDayNanoArray,
    ListArray, NullArray, RunArray, StringArray, StructArray, make_array,
};
use arrow_buffer::{Buffer as ArrowBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};

use crate::container::members::{BufferMember, ColumnSpec, assemble, disassemble};
use crate::error::{Error, Result};
use crate::frame::arrow_type;
use crate::frame::paths::{LeafProjection, field_paths};
use crate::frame::{Column, DType};
use crate::memory::Buffer;

fn assemble_all(spec: &ColumnSpec, parts: &[BufferMember], rows: (usize, usize)) -> Result<Column> {
    assemble_leaves(spec, parts, rows, &LeafProjection::All)
}

fn assemble_leaves(
    spec: &ColumnSpec,
    parts: &[BufferMember],
    rows: (usize, usize),
    leaves: &LeafProjection,
) -> Result<Column> {
    let by_path: HashMap<&str, &BufferMember> = parts.iter().map(|p| (p.path.as_str(), p)).collect();
    let fetch = &mut |path: &str| Ok(by_path.get(path).map(|p| (p.dtype, p.bytes.clone())));
    assemble(spec, leaves, rows, fetch, 2)
}

/// Assembles each projected leaf from its own buffers only.
fn each_leaf_comes_back(array: &ArrayRef, spec: &ColumnSpec, parts: &[BufferMember]) {
    for spot in field_paths(array.data_type(), &LeafProjection::All) {
        let leaves = LeafProjection::of(array.data_type(), &[&spot.steps]);
        let path: Vec<String> = spot.steps.iter().map(usize::to_string).collect();
        // The buffers of the leaf, of its ancestors, and run ends with their values.
        let belongs = |piece: &&BufferMember| {
            let child_path = piece.path.split('_').take_while(|word| word.parse::<usize>().is_ok());
            child_path.zip(&path).all(|(one, other)| one == other) || piece.path.ends_with("0_values")
        };
        let buffers: Vec<BufferMember> = parts.iter().filter(belongs).cloned().collect();
        let found = assemble_leaves(spec, &buffers, (0, array.len()), &leaves).unwrap();
        found.data.validate_full().unwrap();
        let expected = leaves.prune(array.to_data());
        assert_eq!(found.data.data_type(), expected.data_type());
        assert_eq!(found.data, expected, "{}", spot.path);
    }
}

/// Every slice comes back, and so does every range of rows of the whole.
fn comes_back(array: &ArrayRef) {
    let json = arrow_type::to_json(array.data_type()).unwrap();
    assert_eq!(&arrow_type::from_json(&json).unwrap(), array.data_type());
    let whole = disassemble(&Column::new(array.to_data())).unwrap();
    for start in 0..=array.len() {
        for stop in start..=array.len() {
            let expected = array.slice(start, stop - start);
            let (spec, parts) = disassemble(&Column::new(expected.to_data())).unwrap();
            each_leaf_comes_back(&expected, &spec, &parts);
            for found in [
                assemble_all(&spec, &parts, (0, stop - start)).unwrap(),
                assemble_all(&whole.0, &whole.1, (start, stop)).unwrap(),
            ] {
                found.data.validate_full().unwrap();
                assert_eq!(found.data.data_type(), array.data_type());
                assert_eq!(found.data, expected.to_data(), "{start}..{stop} of {}", array.data_type());
                let found = make_array(found.data);
                assert_eq!(found.logical_null_count(), expected.logical_null_count());
            }
        }
    }
}

fn list() -> ArrayRef {
    let mut builder = ListBuilder::new(StringBuilder::new());
    builder.append_value([Some("a"), None, Some("ccc")]);
    builder.append_null();
    builder.append_value([] as [Option<&str>; 0]);
    builder.append_value([Some("")]);
    Arc::new(builder.finish())
}

fn view_list() -> ArrayRef {
    let mut builder = ListViewBuilder::new(StringViewBuilder::new());
    builder.append_value([Some("long enough to lie outside"), None]);
    builder.append_null();
    builder.append_value([Some("short"), Some("another one that lies outside")]);
    Arc::new(builder.finish())
}

fn fixed() -> ArrayRef {
    let mut builder = FixedSizeListBuilder::new(LargeListBuilder::new(Int64Builder::new()), 2);
    for row in 0..3 {
        builder.values().append_value([Some(row), None]);
        builder.values().append_null();
        builder.append(row != 1);
    }
    Arc::new(builder.finish())
}

fn map() -> ArrayRef {
    let mut builder = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    builder.keys().append_value("a");
    builder.values().append_null();
    builder.append(true).unwrap();
    builder.append(false).unwrap();
    builder.keys().append_value("b");
    builder.values().append_value(2);
    builder.append(true).unwrap();
    Arc::new(builder.finish())
}

fn union(dense: bool) -> ArrayRef {
    let mut builder = if dense { UnionBuilder::new_dense() } else { UnionBuilder::new_sparse() };
    builder.append::<Int32Type>("i", 1).unwrap();
    builder.append::<Float64Type>("f", 0.5).unwrap();
    builder.append_null::<Int32Type>("i").unwrap();
    builder.append::<Float64Type>("f", 1.5).unwrap();
    Arc::new(builder.build().unwrap())
}

fn runs() -> ArrayRef {
    let values = StringArray::from(vec![Some("a"), None, Some("c")]);
    Arc::new(RunArray::<Int32Type>::try_new(&Int32Array::from(vec![2, 3, 7]), &values).unwrap())
}

fn structs() -> ArrayRef {
    let metadata = HashMap::from([("k".to_owned(), "v".to_owned())]);
    let fields = Fields::from(vec![
        Field::new("l", list().data_type().clone(), true).with_metadata(metadata),
        Field::new("n", DataType::Null, true),
        Field::new(
            "d",
            DataType::Dictionary(Box::new(DataType::Int8), Box::new(runs().data_type().clone())),
            true,
        ),
    ]);
    let codes = Int8Array::from(vec![Some(6), None, Some(0), Some(2)]);
    let words: ArrayRef = Arc::new(DictionaryArray::try_new(codes, runs()).unwrap());
    let nulls = Some(vec![true, false, true, true].into());
    Arc::new(StructArray::new(fields, vec![list(), Arc::new(NullArray::new(4)), words], nulls))
}

#[test]
fn every_nested_type_round_trips_with_nulls_and_slices() {
    for array in [list(), view_list(), fixed(), map(), union(true), union(false), runs(), structs()] {
        comes_back(&array);
        comes_back(&array.slice(1, array.len() - 1));
        comes_back(&array.slice(array.len(), 0));
    }
    let interval = IntervalMonthDayNanoArray::from(vec![Some(IntervalMonthDayNano::new(1, -2, 3)), None]);
    comes_back(&(Arc::new(interval) as ArrayRef));
}

#[test]
fn every_nested_type_round_trips_inside_a_list() {
    for inner in [view_list(), fixed(), map(), union(true), union(false), runs(), structs()] {
        let item = Arc::new(Field::new("item", inner.data_type().clone(), true));
        let offsets = OffsetBuffer::new(vec![0i32, 1, 1, i32::try_from(inner.len()).unwrap()].into());
        comes_back(
            &(Arc::new(ListArray::new(item, offsets, inner, Some(vec![true, false, true].into())))
                as ArrayRef),
        );
    }
}

/// A list of int64: `[[1, 2], [], [3]]`.
fn numbers() -> (ColumnSpec, Vec<BufferMember>) {
    let offsets = OffsetBuffer::new(vec![0i32, 2, 2, 3].into());
    let item = Arc::new(Field::new("item", DataType::Int64, true));
    let array = ListArray::new(item, offsets, Arc::new(Int64Array::from(vec![1, 2, 3])), None);
    disassemble(&Column::new(array.to_data())).unwrap()
}

fn with_offsets(offsets: &[i32]) -> Error {
    let (spec, mut parts) = numbers();
    let offset_piece = parts.iter_mut().find(|p| p.path == "offsets").unwrap();
    offset_piece.bytes = Buffer::from_arrow(ArrowBuffer::from_slice_ref(offsets));
    assemble_all(&spec, &parts, (0, 3)).unwrap_err()
}

#[test]
fn offsets_are_checked_at_their_byte() {
    for (offsets, byte, words) in [
        (&[0, 2, 1, 3][..], 8, "in order"),
        (&[-1, 2, 2, 3], 0, "negative"),
        (&[0, 2, 2, 4], 12, "within 0..3"),
        (&[3, 2, 2, 1], 4, "in order"),
        (&[0, 2], 8, "expected 16 bytes"),
    ] {
        let error = with_offsets(offsets);
        assert_eq!(error.location().member.as_deref(), Some("offsets"), "{error}");
        assert_eq!(error.location().offset, Some(byte), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn only_requested_rows_are_checked() {
    let (spec, mut parts) = numbers();
    let offset_piece = parts.iter_mut().find(|p| p.path == "offsets").unwrap();
    offset_piece.bytes = Buffer::from_arrow(ArrowBuffer::from_slice_ref([-7i32, 2, 2, 3]));
    let found = assemble_all(&spec, &parts, (1, 3)).unwrap();
    assert_eq!(found.data.child_data()[0].len(), 1);
    assert!(assemble_all(&spec, &parts, (0, 3)).is_err());
    assert!(assemble_all(&spec, &parts, (2, 1)).is_err());
    assert!(assemble_all(&spec, &parts, (2, 4)).is_err());
}

#[test]
fn run_ends_are_checked_at_their_byte() {
    let (spec, parts) = disassemble(&Column::new(runs().to_data())).unwrap();
    for (ends, byte, words) in [
        (&[2, 2, 7][..], 4, "rising"),
        (&[0, 3, 7], 0, "above 0"),
        (&[-5, 3, 7], 0, "negative"),
        (&[2, 3, 6], 12, "over 7 rows"),
        (&[3, 2, 7], 4, "rising"),
    ] {
        let mut parts = parts.clone();
        let piece = parts.iter_mut().find(|p| p.path == "0_values").unwrap();
        piece.bytes = Buffer::from_arrow(ArrowBuffer::from_slice_ref(ends));
        let error = assemble_all(&spec, &parts, (0, 7)).unwrap_err();
        assert_eq!(error.location().offset, Some(byte), "{ends:?} {error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn lengths_of_children_must_fit_the_type() {
    let (mut spec, parts) = numbers();
    for children in [vec![], vec![3, 3], vec![2], vec![usize::MAX]] {
        spec.children = children;
        assert!(assemble_all(&spec, &parts, (0, 3)).is_err());
    }
    let deep = |inner: DataType| DataType::FixedSizeList(Arc::new(Field::new("x", inner, true)), i32::MAX);
    spec.children = vec![];
    spec.data_type = deep(deep(deep(DataType::Null)));
    assert!(spec.largest_length().is_err());
}

#[test]
fn a_buffer_of_another_dtype_is_refused() {
    let (spec, mut parts) = numbers();
    parts.iter_mut().for_each(|p| p.dtype = DType::parse("<f4").unwrap());
    assert!(assemble_all(&spec, &parts, (0, 3)).unwrap_err().to_string().contains("expected dtype <i4"));
}
