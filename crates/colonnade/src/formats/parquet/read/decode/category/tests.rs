//! Decodes dictionary codes that the `parquet` crate wrote, whole and in pieces.

use std::sync::Arc;

use arrow_array::types::{Int8Type, Int16Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int8Array, Int16Array, RecordBatch, StringArray, make_array,
};
use arrow_select::concat::concat;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::arrow::decoded_columns::DecodedColumns;
use crate::decode::MemoryLayout;
use crate::formats::parquet::read::decode::{ChunkDecoder, RowPiece};
use crate::formats::parquet::read::{Parquet, ReadOptions};
use crate::memory::Buffer;
use crate::progress::NoProgress;

fn written(batches: &[ArrayRef], properties: WriterProperties) -> Parquet {
    let batches: Vec<RecordBatch> = batches
        .iter()
        .map(|a| RecordBatch::try_from_iter_with_nullable([("s", Arc::clone(a), true)]).unwrap())
        .collect();
    let mut out = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut out, batches[0].schema(), Some(properties)).unwrap();
    for batch in &batches {
        writer.write(batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
    Parquet::open_buffer(Buffer::from_vec(out), ReadOptions::default(), &NoProgress).unwrap()
}

fn decoded(file: &Parquet, pieces: &[RowPiece]) -> ArrayRef {
    let nrows = pieces.iter().map(|p| p.nrows).sum();
    let decoder = ChunkDecoder::new(file, nrows, 2, MemoryLayout::Arrow);
    let mut output = DecodedColumns::default();
    decoder.category(&[0], &[0], pieces, &mut output, &NoProgress).unwrap();
    let data = output.columns.pop().unwrap().1;
    data.validate_full().unwrap();
    make_array(data)
}

fn texts(array: &dyn Array) -> Vec<Option<String>> {
    let plain = arrow_select::take::take(
        array,
        &arrow_array::UInt32Array::from_iter_values(0..u32::try_from(array.len()).unwrap()),
        None,
    )
    .unwrap();
    macro_rules! of {
        ($($t:ty)*) => {$(
            if let Some(d) = plain.as_any().downcast_ref::<DictionaryArray<$t>>() {
                let values = d.values().as_any().downcast_ref::<StringArray>().unwrap();
                return d.keys().iter().map(|k| k.map(|k| values.value(usize::try_from(k).unwrap()).to_owned())).collect();
            }
        )*};
    }
    of!(Int8Type Int16Type arrow_array::types::Int32Type);
    unreachable!()
}

#[test]
fn one_dictionary_keeps_its_order() {
    let values: ArrayRef = Arc::new(StringArray::from(vec!["c", "a", "b"]));
    let keys = Int8Array::from_iter((0..900).map(|k| (k % 5 != 3).then_some(i8::try_from(k % 2).unwrap())));
    let array: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(keys, values));
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_data_page_row_count_limit(200)
            .set_write_batch_size(50);
        let file = written(&[Arc::clone(&array)], properties.build());
        let found = decoded(&file, &file.pieces(0, file.nrows));
        assert_eq!(found.data_type(), array.data_type());
        assert_eq!(texts(&found), texts(&array));
        let pieces = [
            RowPiece { group: 0, skip: 7, nrows: 100, at: 0 },
            RowPiece { group: 0, skip: 190, nrows: 300, at: 100 },
        ];
        let expected = concat(&[&array.slice(7, 100), &array.slice(190, 300)]).unwrap();
        assert_eq!(texts(&decoded(&file, &pieces)), texts(&expected));
    }
}

#[test]
fn dictionaries_of_row_groups_and_plain_pages_merge() {
    // Each row group has different words, and so many that its writer gives up the dictionary.
    let group = |from: usize| -> ArrayRef {
        let words: Vec<String> = (0..700).map(|k| format!("word {}", (from + k * k) % 900)).collect();
        let words: Vec<Option<&str>> =
            words.iter().enumerate().map(|(k, w)| (k % 11 != 0).then_some(w.as_str())).collect();
        Arc::new(words.into_iter().collect::<DictionaryArray<Int16Type>>())
    };
    let groups = [group(0), group(17), group(450)];
    for (limit, dictionary) in [(1 << 20, true), (900, true), (1, false)] {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(dictionary)
            .set_dictionary_page_size_limit(limit)
            .set_data_page_row_count_limit(100)
            .set_write_batch_size(50);
        let file = written(&groups, properties.build());
        let found = decoded(&file, &file.pieces(0, file.nrows));
        let expected: Vec<Option<String>> = groups.iter().flat_map(|g| texts(g)).collect();
        assert_eq!(texts(&found), expected);
        let pieces = file.pieces(650, 1500);
        assert_eq!(texts(&decoded(&file, &pieces)), expected[650..1500]);
    }
}

#[test]
fn codes_widen_for_many_values() {
    let words: Vec<String> = (0..300).map(|k| format!("w{k}")).collect();
    let some = |range: std::ops::Range<usize>| -> ArrayRef {
        let values: ArrayRef = Arc::new(StringArray::from(words[range.clone()].to_vec()));
        let keys = Int8Array::from_iter_values((0..range.len()).map(|k| i8::try_from(k).unwrap()));
        Arc::new(DictionaryArray::<Int8Type>::new(keys, values))
    };
    let file = written(&[some(0..100), some(100..200), some(200..300)], WriterProperties::default());
    let found = decoded(&file, &file.pieces(0, file.nrows));
    assert!(
        found
            .as_any()
            .downcast_ref::<DictionaryArray<Int16Type>>()
            .is_some_and(|d| *d.keys() == Int16Array::from_iter_values(0..300))
    );
    assert_eq!(decoded(&file, &[]).len(), 0);
}

#[test]
fn requested_text_decodes_to_codes() {
    let words: ArrayRef =
        Arc::new(StringArray::from_iter((0..500).map(|k| (k % 7 > 0).then(|| format!("w{}", k % 5)))));
    let batch = RecordBatch::try_from_iter_with_nullable([("s", Arc::clone(&words), true)]).unwrap();
    for dictionary in [true, false] {
        let properties = WriterProperties::builder().set_dictionary_enabled(dictionary).build();
        let mut out = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut out, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let options = ReadOptions { categories: vec!["s".to_owned()], ..ReadOptions::default() };
        let file = Parquet::open_buffer(Buffer::from_vec(out), options, &NoProgress).unwrap();
        let found = decoded(&file, &file.pieces(0, file.nrows));
        // Every batch has the same width.
        assert!(found.as_any().is::<DictionaryArray<arrow_array::types::Int32Type>>());
        assert_eq!(
            texts(&found),
            words
                .as_any()
                .downcast_ref::<StringArray>()
                .unwrap()
                .iter()
                .map(|w| w.map(str::to_owned))
                .collect::<Vec<_>>()
        );
    }
}
