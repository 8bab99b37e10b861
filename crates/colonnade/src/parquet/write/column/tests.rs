//! Chunks, wrapped into the smallest possible file and read by the parquet crate.

use std::io::Write;
use std::ops::Range;

use parquet::basic::Type;
use parquet::column::reader::ColumnReader;
use parquet::data_type::{
    ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::super::super::thrift::Wire;
use super::super::super::thrift_out::ThriftOut;
use super::*;

/// A file of one row group: name, leaf and settings of each column.
pub(super) fn file(columns: &[(&str, &Leaf<'_>, &Settings)], rows: &Range<usize>) -> Vec<u8> {
    let mut out = b"PAR1".to_vec();
    let chunks: Vec<(usize, Chunk)> = columns
        .iter()
        .map(|(_, leaf, settings)| (out.len(), encode(leaf, rows.clone(), settings, &mut out).unwrap()))
        .collect();
    let count = |n: usize| i64::try_from(n).unwrap();
    let mut footer = Vec::new();
    let mut t = ThriftOut::new(&mut footer);
    t.i32(1, 2);
    t.list(2, Wire::Struct, columns.len() + 1);
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
    t.list(4, Wire::Struct, 1);
    t.element_begin();
    t.list(1, Wire::Struct, columns.len());
    for ((name, leaf, _), (at, chunk)) in columns.iter().zip(&chunks) {
        t.element_begin();
        t.i64(2, 0);
        t.begin(3);
        t.i32(1, leaf.physical.number());
        t.list(2, Wire::I32, chunk.encodings.len());
        chunk.encodings.iter().for_each(|&e| t.element_i32(e as i32));
        t.list(3, Wire::Binary, 1);
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

/// What the crate reads of column `k`: the PLAIN bytes of each row, `None` for nulls.
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
        ($t:ty, $turn:expr) => {{
            let (values, levels) = read::<$t>(reader, n, optional);
            (values.into_iter().map($turn).collect::<Vec<Vec<u8>>>(), levels)
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

fn leaf(bytes: &[u8], physical: Physical) -> Leaf<'_> {
    let width = width(physical);
    let stride = isize::try_from(width).unwrap();
    let data = LeafData::Fixed { bytes, start: 0, width, stride, turn: Turn::AsIs };
    Leaf { physical, data, validity: None, optional: false, order: Order::Signed }
}

#[test]
fn fixed_values_come_back() {
    let bytes: Vec<u8> = (0..3000u64).flat_map(|k| (k * k).to_le_bytes()).collect();
    let settings = Settings { page_rows: 700, ..Settings::default() };
    for physical in [Physical::Int32, Physical::Int64, Physical::Double, Physical::Fixed(5)] {
        let leaf = leaf(&bytes, physical);
        let found = rows_of(&file(&[("a", &leaf, &settings)], &(100..2900)), 0);
        let width = width(physical);
        let expected: Vec<_> =
            bytes[100 * width..2900 * width].chunks(width).map(|v| Some(v.to_vec())).collect();
        assert_eq!(found, expected, "{physical:?}");
    }
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
        leaf.validity = Some(Bits { bytes: &bits, offset });
        for (rows, page_rows) in [(0..n, 1 << 20), (0..n, 333), (517..1444, 97), (500..505, 10), (5..5, 7)] {
            let settings = Settings { page_rows, ..Settings::default() };
            let found = rows_of(&file(&[("a", &leaf, &settings)], &rows), 0);
            let expected: Vec<_> =
                rows.clone().map(|k| there(k).then(|| (k as u64).to_le_bytes().to_vec())).collect();
            assert_eq!(found, expected, "{rows:?} {page_rows} {offset}");
        }
    }
}
