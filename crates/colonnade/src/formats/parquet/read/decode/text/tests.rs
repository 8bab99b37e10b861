//! Decodes texts that the `parquet` crate wrote, whole and in pieces, in every encoding.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, LargeStringArray, RecordBatch, StringArray, StringViewArray, make_array,
};
use arrow_schema::DataType;
use arrow_select::concat::concat;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::arrow::decoded_columns::DecodedColumns;
use crate::decode::MemoryLayout;
use crate::formats::parquet::read::decode::{ChunkDecoder, ColumnPlan, RowPiece};
use crate::formats::parquet::read::{Parquet, ReadOptions};
use crate::memory::Buffer;
use crate::progress::NoProgress;

fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap()
}

/// Words of `kinds` kinds, short and long ones, not only ASCII; `nulls` of eight are null, or long runs are.
fn words(n: usize, kinds: usize, nulls: usize, seed: u64) -> Vec<Option<String>> {
    let (mut seed, mut run) = (seed, 0);
    (0..n)
        .map(|row| {
            if nulls == 9 {
                run = if row % 700 < 300 { 1 } else { 0 };
            } else {
                run = usize::from(next(&mut seed) % 8 < nulls);
            }
            let k = next(&mut seed) % kinds;
            let word = match k % 5 {
                0 => format!("w{k}"),
                1 => String::new(),
                2 => format!("a longer word, number {k} of these"),
                3 => format!("z\u{f6}lf \u{1f600} {k}"),
                _ => "x".repeat(k % 90),
            };
            (run == 0).then_some(word)
        })
        .collect()
}

fn written(array: &ArrayRef, properties: WriterProperties) -> Parquet {
    let batch =
        RecordBatch::try_from_iter_with_nullable([("s", Arc::clone(array), array.null_count() > 0)]).unwrap();
    let mut out = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut out, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    Parquet::open_buffer(Buffer::from_vec(out), ReadOptions::default(), &NoProgress).unwrap()
}

fn decoded(file: &Parquet, pieces: &[RowPiece], threads: usize) -> ArrayRef {
    let nrows = pieces.iter().map(|p| p.nrows).sum();
    let [offsets, views] = [MemoryLayout::Arrow, MemoryLayout::ArrowViews].map(|layout| {
        let decoder = ChunkDecoder::new(file, nrows, threads, layout);
        let mut output = DecodedColumns::default();
        decoder.text(&[0], &[0], pieces, &mut output, &NoProgress).unwrap();
        let data = output.columns.pop().unwrap().1;
        data.validate_full().unwrap();
        make_array(data)
    });
    assert_eq!(cells(&views), cells(&offsets));
    offsets
}

/// The values of an array of text or bytes.
fn cells(array: &ArrayRef) -> Vec<Option<Vec<u8>>> {
    let text = |cell: Option<&str>| cell.map(|t| t.as_bytes().to_vec());
    let bytes = |cell: Option<&[u8]>| cell.map(<[u8]>::to_vec);
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(text).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(text).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(text).collect(),
        DataType::Binary => array.as_binary::<i32>().iter().map(bytes).collect(),
        DataType::LargeBinary => array.as_binary::<i64>().iter().map(bytes).collect(),
        DataType::BinaryView => array.as_binary_view().iter().map(bytes).collect(),
        other => panic!("{other} is no text"),
    }
}

fn compare(array: &ArrayRef, file: &Parquet, what: &str) {
    let whole = decoded(file, &file.pieces(0, file.nrows), 2);
    assert!(whole.as_ref() == array.as_ref(), "{what}");
    // Every third run of rows, of all lengths; adjacent runs too.
    let (mut pieces, mut expected, mut at) = (Vec::new(), Vec::new(), 0);
    for group in 0..file.ngroups() {
        let (first, nrows) = file.rows_of(group);
        let (mut row, mut step) = (group % 2, 1);
        while row < nrows {
            let n = step.min(nrows - row);
            pieces.push(RowPiece { group, skip: row, nrows: n, at });
            expected.push(array.slice(first + row, n));
            at += n;
            row += n + step % 3 * step;
            step = step % 97 + 13;
        }
    }
    let expected: Vec<&dyn Array> = expected.iter().map(|a| a.as_ref()).collect();
    assert!(decoded(file, &pieces, 1).as_ref() == concat(&expected).unwrap().as_ref(), "{what}, in pieces");
}

#[test]
fn every_encoding_comes_back() {
    let encodings = [
        None,
        Some(Encoding::PLAIN),
        Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
        Some(Encoding::DELTA_BYTE_ARRAY),
    ];
    for (kinds, nulls) in [(7, 0), (7, 4), (3000, 4), (3000, 0), (100, 9), (1, 1), (50, 8)] {
        let array: ArrayRef = Arc::new(StringArray::from(words(6000, kinds, nulls, 3)));
        for (k, encoding) in encodings.iter().enumerate() {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let codec = [Compression::SNAPPY, Compression::UNCOMPRESSED, Compression::LZ4_RAW][k % 3];
                let properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_compression(codec)
                    .set_max_row_group_row_count(Some(2500))
                    .set_data_page_row_count_limit(700)
                    .set_write_batch_size(100)
                    .set_dictionary_page_size_limit(20_000);
                let properties = match encoding {
                    None => properties,
                    Some(encoding) => properties.set_dictionary_enabled(false).set_encoding(*encoding),
                };
                let file = written(&array, properties.build());
                compare(&array, &file, &format!("{kinds} kinds, {nulls} nulls, {encoding:?}, {version:?}"));
            }
        }
    }
}

#[test]
fn every_codec_and_type_comes_back() {
    use parquet::basic::{BrotliLevel, GzipLevel, ZstdLevel};
    let words = words(3000, 400, 4, 9);
    let arrays: [ArrayRef; 4] = [
        Arc::new(StringArray::from(words.clone())),
        Arc::new(LargeStringArray::from(words.clone())),
        Arc::new(StringViewArray::from_iter(words.iter())),
        Arc::new(BinaryArray::from_iter(
            words.iter().map(|w| w.as_ref().map(|w| w.as_bytes().get(1..).unwrap_or(b"\xff"))),
        )),
    ];
    let codecs = [
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ];
    for array in arrays {
        for codec in codecs {
            for dictionary in [false, true] {
                let properties = WriterProperties::builder()
                    .set_compression(codec)
                    .set_dictionary_enabled(dictionary)
                    .set_data_page_row_count_limit(1000)
                    .set_write_batch_size(500);
                compare(
                    &array,
                    &written(&array, properties.build()),
                    &format!("{codec:?} {}", array.data_type()),
                );
            }
        }
    }
}

#[test]
fn damaged_files_give_errors_or_texts() {
    let array: ArrayRef = Arc::new(StringArray::from(words(300, 40, 4, 5)));
    for dictionary in [true, false] {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(dictionary)
            .set_compression(if dictionary { Compression::UNCOMPRESSED } else { Compression::SNAPPY });
        let file = written(&array, properties.build());
        let bytes = file.source.bytes.as_slice().to_vec();
        for at in 4..bytes.len() {
            for bit in [0, 3, 7] {
                let mut bad = bytes.clone();
                bad[at] ^= 1 << bit;
                let bad = Buffer::from_vec(bad);
                let Ok(file) = Parquet::open_buffer(bad, ReadOptions::default(), &NoProgress) else {
                    continue;
                };
                let pieces = file.pieces(0, file.nrows);
                for layout in [MemoryLayout::Arrow, MemoryLayout::ArrowViews] {
                    let decoder = ChunkDecoder::new(&file, file.nrows, 1, layout);
                    // The writer's schema may change the type of the column.
                    if decoder.column_plan(0).ok() != Some(ColumnPlan::Text) {
                        continue;
                    }
                    let mut output = DecodedColumns::default();
                    if decoder.text(&[0], &[0], &pieces, &mut output, &NoProgress).is_ok() {
                        for (_, data) in output.columns {
                            data.validate_full().unwrap();
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_dictionary_of_values_without_bytes_is_refused() {
    let error = super::Dictionary::fixed(&[], 1 << 31, 0).unwrap_err();
    assert!(error.to_string().contains("without a byte"), "{error}");
    assert!(super::Dictionary::fixed(&[], 0, 0).is_ok());
}
