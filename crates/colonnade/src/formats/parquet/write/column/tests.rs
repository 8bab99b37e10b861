//! Encodes chunks, wraps them into a minimal file, and reads it with the parquet crate.

use std::io::Write;
use std::ops::Range;

use parquet::basic::Type;
use parquet::column::reader::ColumnReader;
use parquet::data_type::{
    ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::encoded_chunk::BoundBytes;
use super::*;
use crate::codec::Profile;
use crate::formats::parquet::thrift::ThriftType;
use crate::formats::parquet::thrift_out::ThriftOut;

/// Writes a file of one row group. `columns` are the name, leaf and settings of each column.
pub(super) fn file(columns: &[(&str, &LeafColumn<'_>, &Settings)], rows: &Range<usize>) -> Vec<u8> {
    let mut out = b"PAR1".to_vec();
    let chunks: Vec<(usize, EncodedChunk)> = columns
        .iter()
        .map(|(_, leaf, settings)| (out.len(), encode(leaf, rows.clone(), settings, &mut out).unwrap()))
        .collect();
    let count = |n: usize| i64::try_from(n).unwrap();
    let mut footer = Vec::new();
    let mut t = ThriftOut::new(&mut footer);
    t.i32(1, 2);
    t.list(2, ThriftType::Struct, columns.len() + 1);
    t.element_begin();
    t.binary(4, b"schema");
    t.i32(5, i32::try_from(columns.len()).unwrap());
    t.end();
    for (name, leaf, _) in columns {
        t.element_begin();
        t.i32(1, leaf.physical.number());
        if let Physical::Fixed(n) = leaf.physical {
            t.i32(2, i32::try_from(n).unwrap());
        }
        t.i32(3, i32::from(leaf.optional));
        t.binary(4, name.as_bytes());
        if leaf.physical == Physical::Bytes {
            t.i32(6, 0);
        }
        t.end();
    }
    t.i64(3, count(rows.len()));
    t.list(4, ThriftType::Struct, 1);
    t.element_begin();
    t.list(1, ThriftType::Struct, columns.len());
    for ((name, leaf, _), (at, chunk)) in columns.iter().zip(&chunks) {
        t.element_begin();
        t.i64(2, 0);
        t.begin(3);
        t.i32(1, leaf.physical.number());
        t.list(2, ThriftType::I32, chunk.encodings.len());
        chunk.encodings.iter().for_each(|&e| t.element_i32(e as i32));
        t.list(3, ThriftType::Binary, 1);
        t.element_binary(name.as_bytes());
        t.i32(4, chunk.codec as i32);
        t.i64(5, count(chunk.nvalues));
        t.i64(6, count(chunk.nbytes));
        t.i64(7, count(chunk.compressed_nbytes));
        t.i64(9, count(at + chunk.data_at));
        if let Some(dictionary) = chunk.dictionary_at {
            t.i64(11, count(at + dictionary));
        }
        t.end();
        t.end();
    }
    t.i64(2, chunks.iter().map(|(_, c)| count(c.nbytes)).sum());
    t.i64(3, count(rows.len()));
    t.end();
    t.end();
    let n = u32::try_from(footer.len()).unwrap();
    out.extend(footer);
    out.extend(n.to_le_bytes());
    out.extend(b"PAR1");
    out
}

fn read<T: DataType>(reader: ColumnReader, n: usize, optional: bool) -> (Vec<T::T>, Vec<i16>) {
    let mut reader = parquet::column::reader::get_typed_column_reader::<T>(reader);
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut rows = 0;
    while rows < n {
        let (now, ..) =
            reader.read_records(n - rows, optional.then_some(&mut levels), None, &mut values).unwrap();
        assert!(now > 0, "the pages end at row {rows} of {n}");
        rows += now;
    }
    (values, levels)
}

/// Reads column `k` with the parquet crate: the PLAIN bytes of each row, `None` for nulls.
pub(super) fn rows_of(bytes: &[u8], k: usize) -> Vec<Option<Vec<u8>>> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let column = reader.metadata().file_metadata().schema_descr().column(k);
    let group = reader.get_row_group(0).unwrap();
    let n = usize::try_from(group.metadata().num_rows()).unwrap();
    let optional = column.max_def_level() > 0;
    let reader = group.get_column_reader(k).unwrap();
    macro_rules! plain {
        ($t:ty, $conversion:expr) => {{
            let (values, levels) = read::<$t>(reader, n, optional);
            (values.into_iter().map($conversion).collect::<Vec<Vec<u8>>>(), levels)
        }};
    }
    let (values, levels) = match column.physical_type() {
        Type::BOOLEAN => plain!(parquet::data_type::BoolType, |v| vec![u8::from(v)]),
        Type::INT32 => plain!(Int32Type, |v| v.to_le_bytes().to_vec()),
        Type::INT64 => plain!(Int64Type, |v| v.to_le_bytes().to_vec()),
        Type::FLOAT => plain!(FloatType, |v| v.to_le_bytes().to_vec()),
        Type::DOUBLE => plain!(DoubleType, |v| v.to_le_bytes().to_vec()),
        Type::BYTE_ARRAY => plain!(ByteArrayType, |v| v.data().to_vec()),
        Type::FIXED_LEN_BYTE_ARRAY => plain!(FixedLenByteArrayType, |v| v.data().to_vec()),
        Type::INT96 => unreachable!("not written here"),
    };
    if !optional {
        return values.into_iter().map(Some).collect();
    }
    let mut values = values.into_iter();
    levels.into_iter().map(|level| (level == 1).then(|| values.next().unwrap())).collect()
}

fn leaf(bytes: &[u8], physical: Physical) -> LeafColumn<'_> {
    let width = width(physical);
    let stride = isize::try_from(width).unwrap();
    let data = LeafData::Fixed { bytes, start: 0, width, stride, conversion: ElementConversion::Identity };
    let order = match physical {
        Physical::Double | Physical::Float => SortOrder::Float,
        Physical::Fixed(_) => SortOrder::Decimal,
        _ => SortOrder::Signed,
    };
    LeafColumn { physical, data, validity: None, optional: false, order }
}

const ENCODINGS: [EncodingChoice; 8] = [
    EncodingChoice::Auto,
    EncodingChoice::One(PageEncoding::Plain),
    EncodingChoice::One(PageEncoding::RleDictionary),
    EncodingChoice::One(PageEncoding::DeltaBinaryPacked),
    EncodingChoice::One(PageEncoding::DeltaLengthByteArray),
    EncodingChoice::One(PageEncoding::DeltaByteArray),
    EncodingChoice::One(PageEncoding::ByteStreamSplit),
    EncodingChoice::One(PageEncoding::Rle),
];

/// Writes these rows with every encoding, codec, page version and profile, and compares what the parquet crate reads.
fn check_all_settings(
    leaf: &LeafColumn<'_>,
    rows: &Range<usize>,
    page_rows: usize,
    expected: &[Option<Vec<u8>>],
    what: &str,
) {
    let profiles = [Profile::Fast, Profile::Balanced, Profile::Small];
    let mut all = Vec::new();
    for (k, encoding) in ENCODINGS.into_iter().enumerate() {
        for (version_2, codec) in [
            (false, CodecChoice::One(PageCodec::None)),
            (true, CodecChoice::One(PageCodec::Zstd)),
            (k % 2 == 0, CodecChoice::One(PageCodec::Snappy)),
            (k % 2 == 1, CodecChoice::Auto),
        ] {
            let profile = profiles[k % 3];
            all.push(Settings { encoding, codec, version_2, page_rows, profile, ..Settings::default() });
        }
    }
    all.extend(profiles.map(|profile| Settings { profile, page_rows, ..Settings::default() }));
    for settings in &all {
        let bytes = file(&[("a", leaf, settings)], rows);
        assert_eq!(rows_of(&bytes, 0), expected, "{what} {settings:?}");
        assert!(bytes == file(&[("a", leaf, settings)], rows), "other bytes the second time");
    }
}

/// A name, and the value of each row.
type NamedRows<T> = (&'static str, fn(u64) -> T);

fn noise(k: u64) -> u64 {
    let mixed = (k ^ k >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

#[test]
fn numbers_come_back() {
    let kinds: [NamedRows<u64>; 9] = [
        ("squares", |k| k * k),
        ("arithmetic", |k| 7 * k + 1_000_000_007),
        ("constant", |_| 42),
        ("few", |k| noise(k) % 5),
        ("runs", |k| noise(k / 700) % 900),
        ("noise", noise),
        ("extremes", |k| [u64::MAX, 0, 1 << 63, (1 << 63) - 1, 1 << 31, 1 << 32][(noise(k) % 6) as usize]),
        ("negative zero and NaN", |k| {
            [1 << 63, 0, 0x7ff8_0000_0000_0001, 0xfff8 << 48][(noise(k) % 4) as usize]
        }),
        ("decreasing", |k| 1_000_000 - 3 * k),
    ];
    for (what, kind) in kinds {
        let bytes: Vec<u8> = (0..3000u64).flat_map(|k| kind(k).to_le_bytes()).collect();
        for physical in
            [Physical::Int32, Physical::Int64, Physical::Float, Physical::Double, Physical::Fixed(5)]
        {
            let leaf = leaf(&bytes, physical);
            let width = width(physical);
            let expected: Vec<_> =
                bytes[100 * width..2900 * width].chunks(width).map(|v| Some(v.to_vec())).collect();
            check_all_settings(&leaf, &(100..2900), 700, &expected, what);
        }
    }
}

#[test]
fn text_comes_back() {
    let kinds: [NamedRows<String>; 5] = [
        ("few", |k| ["", "a", "gamma delta epsilon zeta", "é", "NYC"][(noise(k) % 5) as usize].to_owned()),
        ("many", |k| format!("user-{}", noise(k))),
        ("sorted", |k| format!("2024-01-01T{k:08}")),
        ("long now and then", |k| "x".repeat(if k % 500 == 3 { 40_000 } else { 3 })),
        ("short", |k| format!("{}", noise(k) % 1500)),
    ];
    for (what, kind) in kinds {
        let texts: Vec<String> = (0..2000).map(kind).collect();
        let data = texts.concat().into_bytes();
        let mut offsets = vec![0i32];
        for text in &texts {
            offsets.push(offsets[offsets.len() - 1] + i32::try_from(text.len()).unwrap());
        }
        let data = LeafData::Bytes { offsets: LeafOffsets::Small(&offsets), data: &data };
        let leaf = LeafColumn {
            physical: Physical::Bytes,
            data,
            validity: None,
            optional: true,
            order: SortOrder::Bytes,
        };
        let expected: Vec<_> = texts[10..1990].iter().map(|t| Some(t.clone().into_bytes())).collect();
        check_all_settings(&leaf, &(10..1990), 600, &expected, what);
    }
}

#[test]
fn bools_come_back() {
    for step in [1, 3, 50] {
        let bytes: Vec<u8> = (0..1000u64).map(|k| u8::from(noise(k / step).is_multiple_of(2))).collect();
        let data = LeafData::Fixed {
            bytes: &bytes,
            start: 0,
            width: 1,
            stride: 1,
            conversion: ElementConversion::Bools,
        };
        let leaf = LeafColumn {
            physical: Physical::Boolean,
            data,
            validity: None,
            optional: false,
            order: SortOrder::Unsigned,
        };
        let expected: Vec<_> = bytes[3..].iter().map(|&b| Some(vec![b])).collect();
        check_all_settings(&leaf, &(3..1000), 100, &expected, "bools");
    }
}

#[test]
fn dictionaries_are_kept_whole() {
    let codes: Vec<u8> = (0..500u64).map(|k| (noise(k) % 3).to_le_bytes()[0] * 2).collect();
    let texts = ["zero", "one", "two", "three", "four"];
    let (offsets, data) = (vec![0i32, 4, 7, 10, 15, 19], texts.concat().into_bytes());
    let values = Box::new(LeafData::Bytes { offsets: LeafOffsets::Small(&offsets), data: &data });
    let data = LeafData::Dictionary { codes: &codes, width: 1, values, nvalues: 5 };
    let leaf = LeafColumn {
        physical: Physical::Bytes,
        data,
        validity: None,
        optional: true,
        order: SortOrder::Bytes,
    };
    let expected: Vec<_> =
        codes.iter().map(|&code| Some(texts[usize::from(code)].as_bytes().to_vec())).collect();
    check_all_settings(&leaf, &(0..500), 128, &expected, "a dictionary");
    let chunk = encode(&leaf, 0..500, &Settings::default(), &mut Vec::new()).unwrap();
    assert_eq!(chunk.encoding_stats, [(2, PageEncoding::Plain, 1), (0, PageEncoding::RleDictionary, 1)]);
    let bounds = chunk.statistics.unwrap().bounds;
    assert_eq!(bounds.min.unwrap().bytes, b"four");
    assert_eq!(bounds.max.unwrap().bytes, b"zero");
}

#[test]
fn encodings_follow_the_values() {
    let chosen_encoding = |kind: fn(u64) -> u64, physical: Physical| {
        let bytes: Vec<u8> = (0..20_000u64).flat_map(|k| kind(k).to_le_bytes()).collect();
        let mut out = Vec::new();
        encode(&leaf(&bytes, physical), 0..20_000, &Settings::default(), &mut out).unwrap().encodings[0]
    };
    assert_eq!(chosen_encoding(|k| 5 * k, Physical::Int64), PageEncoding::DeltaBinaryPacked);
    assert_eq!(chosen_encoding(|k| noise(k) % 100_000, Physical::Int64), PageEncoding::DeltaBinaryPacked);
    assert_eq!(chosen_encoding(|k| noise(k) % 200, Physical::Int64), PageEncoding::RleDictionary);
    assert_eq!(chosen_encoding(|k| noise(k) % 200, Physical::Double), PageEncoding::RleDictionary);
    assert_eq!(chosen_encoding(noise, Physical::Double), PageEncoding::Plain);
    assert_eq!(chosen_encoding(|k| noise(noise(k)), Physical::Int64), PageEncoding::Plain);
}

#[test]
fn wide_differences_are_not_chosen() {
    // Narrow differences in every sampled stretch, and one of 30 bits elsewhere.
    let numbers = |jump: u64| -> Vec<u8> {
        (0..100_000u64).flat_map(|k| (3 * k + jump * u64::from(k > 5_000)).to_le_bytes()).collect()
    };
    for (jump, expected) in [
        (1 << 26, PageEncoding::DeltaBinaryPacked),
        (1 << 27, PageEncoding::Plain),
        (1 << 40, PageEncoding::Plain),
    ] {
        let bytes = numbers(jump);
        let leaf = leaf(&bytes, Physical::Int64);
        let chunk = encode(&leaf, 0..100_000, &Settings::default(), &mut Vec::new()).unwrap();
        assert_eq!(chunk.encodings[0], expected, "{jump}");
        let asked = Settings {
            encoding: EncodingChoice::One(PageEncoding::DeltaBinaryPacked),
            ..Settings::default()
        };
        let chunk = encode(&leaf, 0..100_000, &asked, &mut Vec::new()).unwrap();
        assert_eq!(chunk.encodings[0], PageEncoding::DeltaBinaryPacked);
    }
}

#[test]
fn bytes_of_fixed_length_are_not_split_by_choice() {
    let bytes: Vec<u8> = (0..4000u64).flat_map(|k| noise(noise(k)).to_le_bytes()).collect();
    let small = Settings { profile: Profile::Small, ..Settings::default() };
    for (physical, expected) in
        [(Physical::Fixed(16), PageEncoding::Plain), (Physical::Double, PageEncoding::ByteStreamSplit)]
    {
        let chunk = encode(&leaf(&bytes, physical), 0..2000, &small, &mut Vec::new()).unwrap();
        assert_eq!(chunk.encodings[0], expected);
    }
}

#[test]
fn duplicate_dictionary_values_are_written_once() {
    let (offsets, data) = (vec![0i32, 1, 2, 3], b"aab".to_vec());
    let values = Box::new(LeafData::Bytes { offsets: LeafOffsets::Small(&offsets), data: &data });
    let data = LeafData::Dictionary { codes: &[0, 1, 2, 1], width: 1, values, nvalues: 3 };
    let leaf = LeafColumn {
        physical: Physical::Bytes,
        data,
        validity: None,
        optional: false,
        order: SortOrder::Bytes,
    };
    let bytes = file(&[("a", &leaf, &Settings::default())], &(0..4));
    let expected: Vec<_> = [b"a", b"a", b"b", b"a"].iter().map(|text| Some(text.to_vec())).collect();
    assert_eq!(rows_of(&bytes, 0), expected);
    // The page holds two one-letter texts with their lengths.
    let page = crate::formats::parquet::page::PageHeader::read(&bytes[4..], 4).unwrap();
    assert_eq!((page.nvalues, page.nbytes), (2, 10));
}

#[test]
fn bounds_follow_the_specification() {
    let bounds = |leaf: &LeafColumn<'_>, n: usize| {
        let chunk = encode(leaf, 0..n, &Settings::default(), &mut Vec::new()).unwrap();
        let pages = chunk.pages[0].bounds.clone();
        let found = chunk.statistics.unwrap().bounds;
        assert_eq!(found, pages);
        (found.min, found.max)
    };
    let exact = |bytes: &[u8]| Some(BoundBytes { bytes: bytes.to_vec(), exact: true });
    let floats = |values: &[f64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let bytes = floats(&[0.0, -0.0]);
    let found = bounds(&leaf(&bytes, Physical::Double), 2);
    assert_eq!(found, (exact(&(-0.0f64).to_le_bytes()), exact(&0.0f64.to_le_bytes())));
    // Equal bounds would claim that all values are equal.
    for same in [[1.5, f64::NAN, 1.5], [0.0, -0.0, f64::NAN], [f64::NAN, -0.0, -0.0]] {
        assert_eq!(bounds(&leaf(&floats(&same), Physical::Double), 3), (None, None), "{same:?}");
    }
    let bytes = floats(&[f64::NAN, 2.0, 1.0]);
    let found = bounds(&leaf(&bytes, Physical::Double), 3);
    assert_eq!(found, (exact(&1.0f64.to_le_bytes()), exact(&2.0f64.to_le_bytes())));
    let bytes = floats(&[f64::NAN, f64::NAN]);
    assert_eq!(bounds(&leaf(&bytes, Physical::Double), 2), (None, None));
    let bytes = floats(&[f64::INFINITY, f64::INFINITY]);
    let infinity = exact(&f64::INFINITY.to_le_bytes());
    assert_eq!(bounds(&leaf(&bytes, Physical::Double), 2), (infinity.clone(), infinity));
    let bytes: Vec<u8> = [1i32, -1].iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut numbers = leaf(&bytes, Physical::Int32);
    assert_eq!(bounds(&numbers, 2), (exact(&(-1i32).to_le_bytes()), exact(&1i32.to_le_bytes())));
    numbers.order = SortOrder::Unsigned;
    assert_eq!(bounds(&numbers, 2), (exact(&1i32.to_le_bytes()), exact(&(-1i32).to_le_bytes())));
    let bytes = [0x00, 0x05, 0xff, 0x01];
    assert_eq!(bounds(&leaf(&bytes, Physical::Fixed(2)), 2), (exact(&[0xff, 1]), exact(&[0, 5])));
    // 1.0, NaN and -2.0 as FLOAT16.
    let bytes = [0x00, 0x3c, 0x00, 0x7e, 0x00, 0xc0];
    let mut halves = leaf(&bytes, Physical::Fixed(2));
    halves.order = SortOrder::Float;
    assert_eq!(bounds(&halves, 3), (exact(&[0x00, 0xc0]), exact(&[0x00, 0x3c])));

    let cut = |text: &str| {
        let offsets = [0, i32::try_from(text.len()).unwrap()];
        let data = LeafData::Bytes { offsets: LeafOffsets::Small(&offsets), data: text.as_bytes() };
        let leaf = LeafColumn {
            physical: Physical::Bytes,
            data,
            validity: None,
            optional: false,
            order: SortOrder::Bytes,
        };
        bounds(&leaf, 1)
    };
    let (min, max) = cut(&"é".repeat(40));
    let (min, max) = (min.unwrap(), max.unwrap());
    assert!(!min.exact && !max.exact && min.bytes == "é".repeat(32).as_bytes());
    assert_eq!(max.bytes, format!("{}ê", "é".repeat(31)).as_bytes());
    let (min, max) = cut(&"\u{10ffff}".repeat(40));
    assert!(min.is_some() && max.is_none());
}

#[test]
fn strided_and_converted_columns_come_back() {
    let block: Vec<u8> = (0..600u64).flat_map(|k| noise(k).to_le_bytes()).collect();
    let at = |k: usize| Some(block[8 * k..8 * k + 8].to_vec());
    for (start, stride, place) in [(16usize, 24isize, 1isize), (8 * 597, -24, -1)] {
        let data = LeafData::Fixed {
            bytes: &block,
            start,
            width: 8,
            stride,
            conversion: ElementConversion::Identity,
        };
        let leaf = LeafColumn {
            physical: Physical::Int64,
            data,
            validity: None,
            optional: false,
            order: SortOrder::Signed,
        };
        let expected: Vec<_> = (0..200isize)
            .map(|k| at(usize::try_from(isize::try_from(start).unwrap() / 8 + 3 * k * place).unwrap()))
            .collect();
        let settings = Settings::default();
        assert_eq!(rows_of(&file(&[("a", &leaf, &settings)], &(0..200)), 0), expected);
        let data = LeafData::Fixed {
            bytes: &block,
            start,
            width: 8,
            stride: stride * 2,
            conversion: ElementConversion::Identity,
        };
        let outside = LeafColumn { data, ..leaf };
        assert!(encode(&outside, 0..200, &settings, &mut Vec::new()).is_err());
    }
    let turned = |bytes: &[u8], width: usize, physical: Physical, conversion: ElementConversion| {
        let n = bytes.len() / width;
        let stride = isize::try_from(width).unwrap();
        let data = LeafData::Fixed { bytes, start: 0, width, stride, conversion };
        let leaf = LeafColumn { physical, data, validity: None, optional: false, order: SortOrder::Signed };
        let mut out = Vec::new();
        encode(&leaf, 0..n, &Settings::default(), &mut out)?;
        Ok::<_, crate::error::Error>(rows_of(&file(&[("a", &leaf, &Settings::default())], &(0..n)), 0))
    };
    let four = |v: i32| Some(v.to_le_bytes().to_vec());
    let eight = |v: i64| Some(v.to_le_bytes().to_vec());
    assert_eq!(
        turned(&[0xff, 1], 1, Physical::Int32, ElementConversion::Signed).unwrap(),
        [four(-1), four(1)]
    );
    assert_eq!(
        turned(&[0xff, 1], 1, Physical::Int32, ElementConversion::Unsigned).unwrap(),
        [four(255), four(1)]
    );
    let seconds = (-5i64).to_le_bytes();
    assert_eq!(
        turned(&seconds, 8, Physical::Int64, ElementConversion::Multiply(1000)).unwrap(),
        [eight(-5000)]
    );
    assert!(turned(&i64::MAX.to_le_bytes(), 8, Physical::Int64, ElementConversion::Multiply(1000)).is_err());
    let day = 86_400_000i64.to_le_bytes();
    assert_eq!(turned(&day, 8, Physical::Int32, ElementConversion::Divide(86_400_000)).unwrap(), [four(1)]);
    assert!(turned(&day, 8, Physical::Int32, ElementConversion::Divide(7)).is_err());
    let number = (-2i128).to_le_bytes();
    assert_eq!(turned(&number, 16, Physical::Int64, ElementConversion::Signed).unwrap(), [eight(-2)]);
    let reversed = turned(&number, 16, Physical::Fixed(3), ElementConversion::BigEndian).unwrap();
    assert_eq!(reversed, [Some(vec![0xff, 0xff, 0xfe])]);
}

#[test]
fn nulls_come_back_whatever_their_runs() {
    let n = 5000usize;
    let bytes: Vec<u8> = (0..n as u64).flat_map(|k| k.to_le_bytes()).collect();
    let there = |k: usize| match k / 500 % 5 {
        0 => true,
        1 => false,
        2 => k.is_multiple_of(3),
        3 => (k / 40).is_multiple_of(2),
        _ => !k.is_multiple_of(97),
    };
    for offset in [0, 3, 8, 13] {
        let mut bits = vec![0u8; (n + offset).div_ceil(8)];
        (0..n).filter(|&k| there(k)).for_each(|k| bits[(k + offset) / 8] |= 1 << ((k + offset) % 8));
        let mut leaf = leaf(&bytes, Physical::Int64);
        leaf.optional = true;
        leaf.validity = Some(Bitmap { bytes: &bits, offset });
        for (rows, page_rows) in [(0..n, 1 << 20), (0..n, 333), (517..1444, 97), (500..505, 10), (5..5, 7)] {
            let settings = Settings { page_rows, ..Settings::default() };
            let found = rows_of(&file(&[("a", &leaf, &settings)], &rows), 0);
            let expected: Vec<_> =
                rows.clone().map(|k| there(k).then(|| (k as u64).to_le_bytes().to_vec())).collect();
            assert_eq!(found, expected, "{rows:?} {page_rows} {offset}");
        }
    }
}
