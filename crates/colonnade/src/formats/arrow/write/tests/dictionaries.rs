//! Dictionaries that differ from chunk to chunk.

use super::*;
use crate::arrow::export::Exporter;
use crate::decode::Request;
use crate::formats::arrow::read::{Ipc, OpenOptions};
use crate::limits::Limits;
use crate::source::Source;

fn codes(values: &[&str], keys: &[Option<i8>]) -> ArrayRef {
    let keys = arrow_array::Int8Array::from(keys.to_vec());
    Arc::new(DictionaryArray::<Int8Type>::new(keys, Arc::new(StringArray::from(values.to_vec()))))
}

fn texts(array: &ArrayRef) -> Vec<Option<String>> {
    use arrow_array::cast::AsArray;
    let dictionary = array.as_dictionary::<Int8Type>();
    let typed = dictionary.downcast_dict::<StringArray>().unwrap();
    typed.into_iter().map(|v| v.map(str::to_owned)).collect()
}

#[test]
fn dictionaries_grow_are_replaced_or_mapped() {
    let chunks = [
        codes(&["a", "b"], &[Some(0), Some(1), None]),
        codes(&["a", "b"], &[Some(1)]),
        codes(&["a", "b", "c"], &[Some(2), Some(0)]),
        codes(&["a"], &[Some(0)]),
        codes(&["c", "x", "a"], &[Some(0), Some(1), Some(2), None]),
    ];
    let expected: Vec<Option<String>> = chunks.iter().flat_map(texts).collect();
    let nested = |c: &ArrayRef| {
        let field = Arc::new(arrow_schema::Field::new("d", c.data_type().clone(), true));
        Arc::new(StructArray::from(vec![(field, c.clone())])) as ArrayRef
    };
    for form in FORMS {
        for batch_nbytes in [Some(1), Some(1 << 20)] {
            let frames: Vec<Frame> = chunks.iter().map(|c| columns(&[c.clone(), nested(c)])).collect();
            let bytes = write(&frames, form, options(batch_nbytes));
            let batches = read(&bytes, form);
            let got: Vec<Option<String>> = batches.iter().flat_map(|b| texts(b.column(0))).collect();
            assert_eq!(got, expected, "{form:?}");
            let inner = |b: &RecordBatch| {
                b.column(1).as_any().downcast_ref::<StructArray>().unwrap().column(0).clone()
            };
            let got: Vec<Option<String>> = batches.iter().flat_map(|b| texts(&inner(b))).collect();
            assert_eq!(got, expected, "{form:?} nested");
        }
    }
}

/// The texts of the first column, as Colonnade reads all rows at once.
fn loaded(bytes: &[u8], form: Form) -> Vec<Option<String>> {
    use arrow_array::cast::AsArray;
    let source = Source::Memory(Buffer::from_vec(bytes.to_vec()));
    let options =
        OpenOptions { form: Some(form), limits: Limits::default(), allow_truncated: false, threads: 1 };
    let opened = Ipc::open_source(source, options, &NoProgress);
    let frame = opened.unwrap().load(&Request::all(1, &NoProgress)).unwrap();
    let data = Exporter::without_metadata(&frame).unwrap().arrays(&frame).unwrap().swap_remove(0);
    let array = make_array(data);
    let dictionary = array.as_any_dictionary_opt().expect("a dictionary stays one");
    let text = |code: usize| {
        let values = dictionary.values();
        let small = values.as_string_opt::<i32>().map(|values| values.value(code));
        small.or_else(|| values.as_string_opt::<i64>().map(|values| values.value(code))).unwrap().to_owned()
    };
    let codes = dictionary.normalized_keys();
    codes.iter().enumerate().map(|(row, &code)| array.is_valid(row).then(|| text(code))).collect()
}

#[test]
fn rows_keep_their_texts_when_a_dictionary_is_replaced() {
    let chunks = [
        codes(&["a", "b"], &[Some(0), Some(1), None]),
        codes(&["x", "a", "b"], &[Some(0), Some(1), Some(2)]),
        codes(&["b"], &[Some(0)]),
    ];
    let expected: Vec<Option<String>> = chunks.iter().flat_map(texts).collect();
    let mut out = Vec::new();
    let schema = RecordBatch::try_from_iter([("a", chunks[0].clone())]).unwrap().schema();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut out, &schema).unwrap();
    for chunk in &chunks {
        writer.write(&RecordBatch::try_from_iter([("a", chunk.clone())]).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    assert_eq!(loaded(&out, Form::Stream), expected, "written by arrow-rs");
    let frames: Vec<Frame> = chunks.iter().map(|chunk| columns(std::slice::from_ref(chunk))).collect();
    for form in FORMS {
        assert_eq!(loaded(&write(&frames, form, options(Some(1))), form), expected, "{form:?}");
    }
}

#[test]
fn a_dictionary_that_outgrows_its_codes_is_refused_in_files() {
    let values = |prefix: &str| (0..100).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>();
    let make = |prefix: &str| {
        let values = values(prefix);
        columns(&[codes(&values.iter().map(String::as_str).collect::<Vec<_>>(), &[Some(0), Some(99)])])
    };
    let mut writer = Writer::new(Form::File, options(None));
    let mut out = Vec::new();
    writer.write(&make("a"), &mut out, &NoProgress).unwrap();
    let error = writer.write(&make("b"), &mut out, &NoProgress).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Unrepresentable) && error.to_string().contains("200 values"),
        "{error}"
    );
    assert!(writer.finish(&mut out, &NoProgress).unwrap_err().to_string().contains("Abort"));
    write(&[make("a"), make("b")], Form::Stream, options(None));
}
