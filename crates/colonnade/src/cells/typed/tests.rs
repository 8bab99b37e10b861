//! Round trips, and cells as literal bytes.

use std::sync::Arc;

use arrow_array::*;
use arrow_data::ArrayData;
use arrow_schema::Field;

use super::*;

const PLAIN: MsgpackStyle = MsgpackStyle { header: true, compatible: false };
const OLD: MsgpackStyle = MsgpackStyle { header: true, compatible: true };

fn field(data: &ArrayData) -> Field {
    Field::new("x", data.data_type().clone(), true)
}

fn written_by(writer: &dyn CellWriter, rows: usize) -> Vec<u8> {
    let mut out = vec![0; writer.measure(0..rows).unwrap()];
    assert_eq!(writer.write(0..rows, &mut out).unwrap(), out.len());
    if let Some(short) = out.len().checked_sub(1) {
        writer.write(0..rows, &mut vec![0; short]).unwrap_err();
    }
    out
}

fn written(data: &ArrayData, style: MsgpackStyle) -> Vec<u8> {
    written_by(&*writer(&field(data), None, data, style).unwrap(), data.len())
}

fn dictionaries(data: &ArrayData, style: MsgpackStyle) -> HeaderDictionaries {
    let bytes = write_dictionaries(std::slice::from_ref(data), style).unwrap();
    let (found, length) =
        read_dictionaries(&[Arc::new(field(data))], &bytes, &ReadOptions::default()).unwrap();
    assert_eq!(length, bytes.len());
    found
}

fn options() -> ReadOptions {
    ReadOptions::default()
}

/// Reads the cells as a whole, and as prefixes that grow by `step` bytes.
fn read(
    field: &Field,
    bytes: &[u8],
    rows: usize,
    step: Option<usize>,
    known: &mut HeaderDictionaries,
) -> ArrayData {
    let mut reader = reader(field, None, None, &options(), known).unwrap();
    let mut taken = CellExtent::default();
    let mut end = step.map_or(bytes.len(), |_| 0);
    loop {
        let more = reader.take(&bytes[taken.nbytes..end], rows - taken.cells).unwrap();
        taken = CellExtent { cells: taken.cells + more.cells, nbytes: taken.nbytes + more.nbytes };
        if end == bytes.len() {
            break;
        }
        end = bytes.len().min(end + step.unwrap());
    }
    assert_eq!(taken, CellExtent { cells: rows, nbytes: bytes.len() });
    let data = reader.finish().unwrap();
    data.validate_full().unwrap();
    data
}

fn comes_back(array: &dyn Array) {
    for data in [array.to_data(), array.to_data().slice(array.len() / 3, array.len() - array.len() / 3)] {
        for style in [PLAIN, OLD] {
            let bytes = written(&data, style);
            for step in [None, Some(1), Some(7)] {
                let found = read(&field(&data), &bytes, data.len(), step, &mut dictionaries(&data, style));
                assert_eq!(found, data, "{} {style:?} by {step:?}", data.data_type());
                assert_eq!(written(&found, style), bytes);
            }
        }
    }
}

#[test]
fn flat_types_come_back() {
    comes_back(&Int64Array::from(vec![
        Some(0),
        None,
        Some(-1),
        Some(i64::MIN),
        Some(i64::MAX),
        Some(70_000),
    ]));
    comes_back(&UInt64Array::from(vec![0, 127, 128, 255, 256, u64::MAX]));
    comes_back(&Int8Array::from(vec![Some(-128), None, Some(127)]));
    comes_back(&Float64Array::from(vec![0.5, -0.0, f64::INFINITY, 1e300]));
    comes_back(&BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]));
    comes_back(&StringArray::from(vec![Some(""), None, Some("a"), Some("ééé"), Some(&"x".repeat(300))]));
    comes_back(&LargeBinaryArray::from(vec![Some(&b"\xff"[..]), None, Some(b""), Some(&[7; 70_000])]));
    comes_back(&TimestampNanosecondArray::from(vec![Some(0), None, Some(i64::MIN), Some(i64::MAX), Some(1)]));
    comes_back(&Date32Array::from(vec![Some(0), None, Some(i32::MIN), Some(19_000)]));
    comes_back(&NullArray::new(5));
}

mod nested;
mod refused;
