//! Decodes nested columns that the `parquet` crate wrote, whole and in pieces.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, StructArray, make_array};
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::arrow::decoded_columns::DecodedColumns;
use crate::decode::MemoryLayout;
use crate::formats::parquet::read::decode::{ChunkDecoder, RowPiece};
use crate::formats::parquet::read::{Parquet, ReadOptions};
use crate::memory::Buffer;
use crate::progress::NoProgress;

fn columns(n: i32) -> Vec<(&'static str, ArrayRef)> {
    let mut list = ListBuilder::new(Int32Builder::new());
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for k in 0..n {
        for v in 0..k % 4 {
            list.values().append_option((v != 2).then_some(k + v));
            map.keys().append_value(format!("key {v}"));
            map.values().append_option((k % 3 != 0).then_some(v));
        }
        list.append(k % 7 != 0);
        assert!(map.append(k % 5 != 0).is_ok());
    }
    let a: ArrayRef = Arc::new(Int64Array::from_iter((0..n).map(|k| (k % 3 > 0).then_some(i64::from(k)))));
    let b: ArrayRef =
        Arc::new(StringArray::from_iter((0..n).map(|k| (k % 4 > 0).then(|| format!("text {}", k % 9)))));
    let list: ArrayRef = Arc::new(list.finish());
    let fields = vec![
        (Arc::new(Field::new("a", DataType::Int64, true)), a),
        (Arc::new(Field::new("b", DataType::Utf8, true)), b),
        (Arc::new(Field::new("c", list.data_type().clone(), true)), Arc::clone(&list)),
    ];
    let record: ArrayRef = Arc::new(StructArray::from(fields));
    vec![("list", list), ("map", Arc::new(map.finish())), ("struct", record)]
}

fn written(columns: &[(&str, ArrayRef)], version: WriterVersion, codec: Compression) -> Vec<u8> {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.iter().map(|(n, a)| (*n, Arc::clone(a), true)))
            .unwrap();
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_compression(codec)
        .set_max_row_group_row_count(Some(400))
        .set_data_page_row_count_limit(90)
        .set_write_batch_size(30);
    let mut out = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut out, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    out
}

fn opened(bytes: Vec<u8>, columns: Option<Vec<String>>) -> crate::Result<Parquet> {
    let options = ReadOptions { columns, ..ReadOptions::default() };
    Parquet::open_buffer(Buffer::from_vec(bytes), options, &NoProgress)
}

fn decoded(file: &Parquet, field: usize, pieces: &[RowPiece]) -> crate::Result<ArrayRef> {
    decoded_by(file, field, pieces, false)
}

/// Decodes with the fallback or with the decoder of this crate.
fn decoded_by(file: &Parquet, field: usize, pieces: &[RowPiece], fallback: bool) -> crate::Result<ArrayRef> {
    let nrows = pieces.iter().map(|p| p.nrows).sum();
    let decoder = ChunkDecoder::new(file, nrows, 2, MemoryLayout::Arrow);
    let mut output = DecodedColumns::default();
    match fallback {
        false => decoder.nested(&[field], &[0], pieces, &mut output, &NoProgress)?,
        true => decoder.fallback(&[field], &[0], pieces, &mut output, &NoProgress)?,
    }
    let data = output.columns.pop().unwrap().1;
    // The fallback adds nulls to required values below null parents.
    if !fallback {
        data.validate_full().unwrap();
    }
    Ok(make_array(data))
}

#[test]
fn lists_maps_and_structs_come_back() {
    let columns = columns(1000);
    for (version, codec) in [
        (WriterVersion::PARQUET_1_0, Compression::SNAPPY),
        (WriterVersion::PARQUET_2_0, Compression::LZ4_RAW),
    ] {
        let file = opened(written(&columns, version, codec), None).unwrap();
        let (mut pieces, mut at) = (Vec::new(), 0);
        for (group, skip, nrows) in [(0, 3, 5), (0, 200, 150), (1, 0, 400), (2, 100, 1), (2, 150, 50)] {
            pieces.push(RowPiece { group, skip, nrows, at });
            at += nrows;
        }
        for (k, (name, array)) in columns.iter().enumerate() {
            assert!(
                decoded(&file, k, &file.pieces(0, file.nrows)).unwrap().as_ref() == array.as_ref(),
                "{name}"
            );
            let parts: Vec<ArrayRef> =
                pieces.iter().map(|p| array.slice(p.group * 400 + p.skip, p.nrows)).collect();
            let parts: Vec<&dyn Array> = parts.iter().map(|a| a.as_ref()).collect();
            assert!(
                decoded(&file, k, &pieces).unwrap().as_ref() == concat(&parts).unwrap().as_ref(),
                "{name}"
            );
            assert_eq!(decoded(&file, k, &[]).unwrap().len(), 0);
        }
    }
}

#[test]
fn a_path_takes_a_part_of_a_struct() {
    let columns = columns(500);
    let bytes = written(&columns, WriterVersion::PARQUET_1_0, Compression::UNCOMPRESSED);
    let file = opened(bytes, Some(vec!["struct.b".to_owned()])).unwrap();
    assert_eq!(file.schema.fields().len(), 1);
    let found = decoded(&file, 0, &file.pieces(0, file.nrows)).unwrap();
    let DataType::Struct(fields) = found.data_type() else { unreachable!() };
    assert_eq!(fields.iter().map(|f| f.name().as_str()).collect::<Vec<_>>(), ["b"]);
    let whole = columns[2].1.as_any().downcast_ref::<StructArray>().unwrap();
    let part = found.as_any().downcast_ref::<StructArray>().unwrap();
    assert!(part.column(0).as_ref() == whole.column(1).as_ref());
}

#[test]
fn flipped_bytes_give_errors_or_arrays() {
    let bytes = written(&columns(60), WriterVersion::PARQUET_1_0, Compression::UNCOMPRESSED);
    for at in 4..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1 << (at % 8);
        let Ok(file) = opened(bad, None) else { continue };
        for field in 0..file.roots.len() {
            let _ = decoded(&file, field, &file.pieces(0, file.nrows));
        }
    }
}

#[test]
fn a_delta_count_above_the_value_count_is_refused() {
    let mut list = ListBuilder::new(StringBuilder::new());
    for k in 0..30 {
        list.values().append_value(format!("text {k}"));
        list.values().append_value("x");
        list.append(true);
    }
    let array: ArrayRef = Arc::new(list.finish());
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        let batch = RecordBatch::try_from_iter([("s", Arc::clone(&array))]).unwrap();
        let properties =
            WriterProperties::builder().set_dictionary_enabled(false).set_encoding(encoding).build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        // 60 values in one block of 128 values in four miniblocks.
        let heads: Vec<usize> =
            (0..bytes.len() - 4).filter(|&at| bytes[at..].starts_with(&[0x80, 1, 4, 60])).collect();
        assert!(!heads.is_empty());
        for at in heads {
            let mut bad = bytes.clone();
            bad[at + 3] = 127;
            let file = opened(bad, None).unwrap();
            let error = decoded(&file, 0, &file.pieces(0, file.nrows)).unwrap_err();
            assert!(error.to_string().contains("says 127"), "{error}");
        }
    }
}

fn next(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap() % below
}

/// A random type of at most this depth.
fn kind(seed: &mut u64, depth: usize) -> DataType {
    let field = |name: &str, seed: &mut u64| {
        let optional = next(seed, 3) > 0;
        Arc::new(Field::new(name, kind(seed, depth.saturating_sub(1)), optional))
    };
    match if depth == 0 { next(seed, 7) } else { 7 + next(seed, 7) } {
        0 => DataType::Int32,
        1 => DataType::Float64,
        2 => DataType::Utf8,
        3 => DataType::Boolean,
        4 => DataType::LargeBinary,
        5 => DataType::Decimal128(20, 3),
        6 => DataType::Int8,
        7 | 8 => DataType::List(field("item", seed)),
        9 => DataType::LargeList(field("item", seed)),
        10 => DataType::FixedSizeList(field("item", seed), i32::try_from(1 + next(seed, 3)).unwrap()),
        11 => {
            let pair = vec![Arc::new(Field::new("key", DataType::Utf8, false)), field("value", seed)];
            DataType::Map(Arc::new(Field::new("entries", DataType::Struct(pair.into()), false)), false)
        }
        _ => {
            let names = ["a", "b", "c"].into_iter().take(1 + next(seed, 3));
            DataType::Struct(names.map(|name| field(name, seed)).collect())
        }
    }
}

/// `n` random values of a type, some of them null if `optional`.
fn random(seed: &mut u64, data_type: &DataType, optional: bool, n: usize) -> ArrayRef {
    use arrow_array::{
        BooleanArray, Decimal128Array, Float64Array, Int8Array, Int32Array, LargeBinaryArray, LargeListArray,
        ListArray, MapArray,
    };
    use arrow_buffer::{NullBuffer, OffsetBuffer};
    let dense = next(seed, 3);
    let valid: Vec<bool> = (0..n).map(|_| !optional || dense == 0 || next(seed, 5) > 0).collect();
    let nulls = valid.contains(&false).then(|| NullBuffer::from(valid.clone()));
    macro_rules! of {
        ($array:ty, $make:expr) => {{
            let make = $make;
            Arc::new(valid.iter().map(|valid| valid.then(|| make(next(seed, 1000)))).collect::<$array>())
                as ArrayRef
        }};
    }
    let text = |k: usize| format!("{}{}", "t".repeat(k % 17), k % 40);
    match data_type {
        DataType::Int32 => of!(Int32Array, |k| i32::try_from(k).unwrap()),
        DataType::Int8 => of!(Int8Array, |k| i8::try_from(k % 100).unwrap()),
        DataType::Float64 => of!(Float64Array, |k| f64::from(u32::try_from(k).unwrap())),
        DataType::Boolean => of!(BooleanArray, |k| k % 2 == 0),
        DataType::Utf8 => of!(StringArray, text),
        DataType::LargeBinary => of!(LargeBinaryArray, |k| text(k).into_bytes()),
        DataType::Decimal128(..) => {
            let found =
                valid.iter().map(|valid| valid.then(|| i128::try_from(next(seed, 1000)).unwrap() << 40));
            let found = found.collect::<Decimal128Array>();
            Arc::new(found.with_data_type(data_type.clone()))
        }
        DataType::Struct(fields) => {
            let children = fields.iter().map(|f| random(seed, f.data_type(), f.is_nullable(), n)).collect();
            Arc::new(StructArray::new(fields.clone(), children, nulls))
        }
        DataType::FixedSizeList(field, size) => {
            let items = usize::try_from(*size).unwrap() * n;
            let items = random(seed, field.data_type(), field.is_nullable(), items);
            Arc::new(arrow_array::FixedSizeListArray::new(Arc::clone(field), *size, items, nulls))
        }
        DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
            let lengths = valid.iter().map(|valid| if *valid { next(seed, 4) * next(seed, 2) } else { 0 });
            let lengths: Vec<usize> = lengths.collect();
            let items = random(seed, field.data_type(), field.is_nullable(), lengths.iter().sum());
            match data_type {
                DataType::LargeList(_) => {
                    let offsets = OffsetBuffer::from_lengths(lengths);
                    Arc::new(LargeListArray::new(Arc::clone(field), offsets, items, nulls))
                }
                DataType::Map(..) => {
                    let entries = items.as_any().downcast_ref::<StructArray>().unwrap().clone();
                    let offsets = OffsetBuffer::from_lengths(lengths);
                    Arc::new(MapArray::new(Arc::clone(field), offsets, entries, nulls, false))
                }
                _ => {
                    let offsets = OffsetBuffer::from_lengths(lengths);
                    Arc::new(ListArray::new(Arc::clone(field), offsets, items, nulls))
                }
            }
        }
        other => unreachable!("{other}"),
    }
}

#[test]
fn random_types_match_the_writer_and_the_fallback() {
    for round in 0..60u64 {
        let mut seed = round;
        let depth = 1 + next(&mut seed, 4);
        let data_type = kind(&mut seed, depth);
        let array = random(&mut seed, &data_type, true, 1000);
        let (version, codec) = match round % 3 {
            0 => (WriterVersion::PARQUET_1_0, Compression::SNAPPY),
            1 => (WriterVersion::PARQUET_2_0, Compression::UNCOMPRESSED),
            _ => (WriterVersion::PARQUET_1_0, Compression::UNCOMPRESSED),
        };
        let file = opened(written(&[("x", Arc::clone(&array))], version, codec), None).unwrap();
        let all = file.pieces(0, file.nrows);
        let found = decoded(&file, 0, &all).unwrap();
        assert!(found.as_ref() == array.as_ref(), "{round}: {data_type}");
        assert!(found.as_ref() == decoded_by(&file, 0, &all, true).unwrap().as_ref(), "{round}: {data_type}");
        let (mut pieces, mut expected, mut at) = (Vec::new(), Vec::new(), 0);
        for group in 0..file.ngroups() {
            let (first, nrows) = file.rows_of(group);
            let mut row = next(&mut seed, 40);
            while row < nrows {
                let n = (1 + next(&mut seed, 90)).min(nrows - row);
                pieces.push(RowPiece { group, skip: row, nrows: n, at });
                expected.push(array.slice(first + row, n));
                at += n;
                row += n + next(&mut seed, 50);
            }
        }
        let expected: Vec<&dyn Array> = expected.iter().map(|a| a.as_ref()).collect();
        let found = decoded(&file, 0, &pieces).unwrap();
        assert!(found.as_ref() == concat(&expected).unwrap().as_ref(), "{round}: {data_type}, in pieces");
    }
}
