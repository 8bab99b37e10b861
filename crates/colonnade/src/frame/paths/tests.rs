use arrow_array::{Array, make_array};
use arrow_array::{Int32Array, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};

use super::*;

fn field(name: &str, data_type: DataType) -> FieldRef {
    Arc::new(Field::new(name, data_type, true))
}

fn structs(fields: Vec<FieldRef>) -> DataType {
    DataType::Struct(fields.into())
}

fn pairs(value: DataType) -> DataType {
    let key = Arc::new(Field::new("k", DataType::Utf8, false));
    let pair = DataType::Struct(vec![key, field("v", value)].into());
    DataType::Map(Arc::new(Field::new("entries", pair, false)), false)
}

fn paths(data_type: &DataType) -> Vec<String> {
    field_paths(data_type, &LeafProjection::All).into_iter().map(|field| field.path).collect()
}

#[test]
fn every_node_has_a_path() {
    let jet = structs(vec![
        field("eta", DataType::Float32),
        field("tags", DataType::List(field("item", DataType::Utf8))),
    ]);
    assert_eq!(paths(&DataType::List(field("item", jet))), ["[]", "[].eta", "[].tags", "[].tags[]"]);
    assert_eq!(
        paths(&pairs(structs(vec![field("x", DataType::Int8)]))),
        ["[]", "[].key", "[].value", "[].value.x"]
    );
    let twice =
        structs(vec![field("a.b", DataType::Int8), field("a", structs(vec![field("b", DataType::Int8)]))]);
    assert_eq!(paths(&twice), [".a.b", ".a", ".a.b"]);
    assert!(paths(&DataType::Int64).is_empty());
    let runs = DataType::RunEndEncoded(
        Arc::new(Field::new("run_ends", DataType::Int32, false)),
        field("values", structs(vec![field("x", DataType::Int8)])),
    );
    assert_eq!(
        field_paths(&runs, &LeafProjection::All),
        [FieldPath { path: ".x".into(), steps: vec![1, 0], is_leaf: true }]
    );
    assert!(LeafProjection::of(&runs, &[[1, 0]]) == LeafProjection::All);
}

#[test]
fn a_map_needs_its_whole_keys() {
    let map = pairs(structs(vec![field("x", DataType::Int8), field("y", DataType::Int8)]));
    let kept = |steps: &[Vec<usize>]| LeafProjection::of(&map, steps).project_type(&map);
    assert!(matches!(kept(&[vec![0, 0], vec![0, 1, 0]]), DataType::Map(..)));
    assert!(matches!(kept(&[vec![0, 1, 0]]), DataType::List(_)));
    assert!(matches!(kept(&[vec![0, 0]]), DataType::List(_)));
    assert_eq!(kept(&[vec![0]]), map);
    assert_eq!(kept(&[vec![0, 1, 0], vec![0]]), map);
}

#[test]
fn projected_paths_are_listed() {
    let both = structs(vec![
        field("a", DataType::Int8),
        field("b", structs(vec![field("c", DataType::Int8), field("d", DataType::Int8)])),
    ]);
    let kept = LeafProjection::of(&both, &[[1, 1]]);
    let left: Vec<(String, Vec<usize>, bool)> =
        field_paths(&both, &kept).into_iter().map(|s| (s.path, s.steps, s.is_leaf)).collect();
    assert_eq!(left, [(".b".to_owned(), vec![1], false), (".b.d".to_owned(), vec![1, 1], true)]);
}

#[test]
fn arrays_are_pruned() {
    let numbers = |n: i32| Arc::new(Int32Array::from((0..n).collect::<Vec<_>>())) as Arc<dyn Array>;
    let fields = vec![field("eta", DataType::Int32), field("pt", DataType::Int32)];
    let nulls = NullBuffer::from(vec![true, false, true]);
    let items = StructArray::new(fields.into(), vec![numbers(3), numbers(3)], Some(nulls.clone()));
    let item = field("item", items.data_type().clone());
    let offsets = OffsetBuffer::new(vec![0, 2, 2, 3].into());
    let list = ListArray::new(item, offsets, Arc::new(items), None).slice(1, 2);
    let kept = LeafProjection::of(list.data_type(), &[[0, 1]]);
    let data = kept.prune(list.to_data());
    data.validate_full().unwrap();
    let list = ListArray::from(data);
    assert_eq!(list.len(), 2);
    let last = list.value(1);
    let last = last.as_any().downcast_ref::<StructArray>().unwrap();
    assert_eq!(last.column_names(), ["pt"]);
    assert_eq!(last.column(0).to_data(), make_array(Int32Array::from(vec![2]).into_data()).to_data());
    let all = list.values().as_any().downcast_ref::<StructArray>().unwrap().nulls().cloned();
    assert_eq!(all, Some(nulls));
}

#[test]
fn projected_columns_lose_extension_types_and_tags() {
    let whole = Field::new("f", structs(vec![field("a", DataType::Int8), field("b", DataType::Int8)]), false);
    let metadata = [("ARROW:extension:name".to_owned(), "x".to_owned()), ("k".to_owned(), "v".to_owned())];
    let whole = Arc::new(whole.with_metadata(metadata.into_iter().collect::<arrow_schema::Metadata>()));
    let kept = LeafProjection::of(whole.data_type(), &[[0]]);
    let left = kept.project_field(&whole);
    assert_eq!(left.metadata().len(), 1);
    assert!(!left.is_nullable());
    assert_eq!(kept.project_tag(Some(r#"{"kind":"arrow_dtype"}"#.into())), None);
    let tag = r#"{"kind":"field","metadata":[["ARROW:extension:name","x"],["k","v"]],"nullable":false}"#;
    let left = r#"{"kind":"field","metadata":[["k","v"]],"nullable":false}"#;
    assert_eq!(kept.project_tag(Some(tag.into())), Some(left.into()));
}
