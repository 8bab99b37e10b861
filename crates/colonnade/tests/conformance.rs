//! The golden files of `conformance/`: opened, verified, and compared with what `cases.json` says of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test: what is not there is a failure")]

use std::path::{Path, PathBuf};

use arrow_data::ArrayData;
use colonnade::container::store::{Request, Store, StoreSource};
use colonnade::formats::npz;
use colonnade::formats::parquet::read::{Parquet, ReadOptions};
use colonnade::frame::{Axis, Block, ByteOrder, DType, DTypeKind, Frame, Labels, Level, Part, type_name};
use colonnade::limits::Limits;
use colonnade::memory::Buffer;
use colonnade::progress::NoProgress;
use colonnade::source::Source as At;
use serde_json::Value;

fn folder(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(format)
}

fn entries(format: &str) -> Vec<Value> {
    let listing = std::fs::read(folder(format).join("cases.json")).unwrap();
    let listing: Value = serde_json::from_slice(&listing).unwrap();
    assert_eq!(listing["format"], format);
    listing["cases"].as_array().unwrap().clone()
}

fn load(store: &Store) -> Frame {
    let request = Request::all(2, &NoProgress);
    store.load(&store.axes(1).unwrap(), &request).unwrap()
}

/// The store holds what the entry says.
fn check(store: &Store, held: &Value, case: &str) {
    store.verify(2, &NoProgress).unwrap_or_else(|e| panic!("{case}: {e}"));
    check_frame(store.shape().unwrap(), &store.dtypes().unwrap(), &load(store), held, case);
}

/// What was opened, and the frame of it, are what the entry says.
fn check_frame((nrows, ncols): (usize, usize), found: &[String], frame: &Frame, held: &Value, case: &str) {
    assert_eq!(held["shape"], serde_json::json!([nrows, ncols]), "{case}");
    let data = held["data"].as_array().unwrap();
    let dtypes: Vec<&str> = data.iter().map(|c| c["dtype"].as_str().unwrap()).collect();
    // A column of Arrow's without nulls may lie in a block.
    let same =
        |(found, wanted): (&String, &&str)| found == wanted || Some(found.as_str()) == block_of(wanted);
    assert!(
        found.len() == dtypes.len() && found.iter().zip(&dtypes).all(same),
        "{case}: {found:?}, {dtypes:?}"
    );
    assert_eq!(json(&frame.tags.name), held["name"], "{case}");
    if let Some(attrs) = held.get("attrs") {
        assert_eq!(&json(frame.tags.attrs.as_ref().unwrap()), attrs, "{case}");
    }
    check_axis(&frame.index, &held["index"], &format!("{case}, index"));
    check_axis(&frame.columns, &held["columns"], &format!("{case}, columns"));
    for (position, slot) in frame.slots().unwrap().into_iter().enumerate() {
        let wanted = &data[position]["values"];
        let place = format!("{case}, column {position}");
        match &frame.parts[slot.part] {
            Part::Block(block, _) => {
                let grid = block.grid.columns(slot.column, 1, 1);
                let one = Block { grid, buffer: block.buffer.clone() };
                assert_eq!(&cells(&one), wanted, "{place}");
            }
            Part::Column(column, _) => {
                assert_eq!(column.len(), wanted.as_array().unwrap().len(), "{place}");
                let code_of_null = dtypes[position].starts_with("dictionary").then_some(-1);
                let is_null = |v: &&Value| v.is_null() || code_of_null.is_some_and(|code| **v == code);
                let nulls = wanted.as_array().unwrap().iter().filter(is_null).count();
                // A column of type null has no bitmap that counts them.
                let found = if dtypes[position] == "null" { column.len() } else { column.data.null_count() };
                assert_eq!(found, nulls, "{place}");
                if dtypes[position] == "large_utf8" {
                    let texts = (0..column.len()).map(|row| match column.data.is_null(row) {
                        true => Value::Null,
                        false => column.string(row).unwrap().into(),
                    });
                    assert_eq!(&Value::Array(texts.collect()), wanted, "{place}");
                }
                if dtypes[position] == "large_binary" {
                    let bytes = (0..column.len()).map(|row| match column.data.is_null(row) {
                        true => Value::Null,
                        false => hexadecimal(binary(&column.data, row)),
                    });
                    assert_eq!(&Value::Array(bytes.collect()), wanted, "{place}");
                }
            }
        }
    }
}

/// NumPy's word for an Arrow type whose values lie alike.
fn block_of(arrow: &str) -> Option<&'static str> {
    Some(match arrow {
        "bool" => "|b1",
        "int8" => "|i1",
        "int16" => "<i2",
        "int32" => "<i4",
        "int64" => "<i8",
        "uint8" => "|u1",
        "uint16" => "<u2",
        "uint32" => "<u4",
        "uint64" => "<u8",
        "halffloat" => "<f2",
        "float" => "<f4",
        "double" => "<f8",
        _ => return None,
    })
}

fn hexadecimal(raw: &[u8]) -> Value {
    raw.iter().map(|b| format!("{b:02x}")).collect::<String>().into()
}

fn binary(data: &ArrayData, row: usize) -> &[u8] {
    let offsets = data.buffers()[0].typed_data::<i64>();
    let [start, end] = [row, row + 1].map(|i| usize::try_from(offsets[data.offset() + i]).unwrap());
    &data.buffers()[1].as_slice()[start..end]
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn check_axis(axis: &Axis, held: &Value, place: &str) {
    assert_eq!(axis.class, held["class"].as_str().unwrap(), "{place}");
    assert_eq!(json(&axis.name), held["name"], "{place}");
    match &axis.labels {
        Labels::Auto { start, stop, step, .. } => {
            assert_eq!(serde_json::json!([start, stop, step]), held["auto"], "{place}");
        }
        Labels::Levels(levels) => {
            let wanted = held["levels"].as_array().unwrap();
            assert_eq!(levels.len(), wanted.len(), "{place}");
            for (i, (level, wanted)) in levels.iter().zip(wanted).enumerate() {
                assert_eq!(axis.classes[i], wanted["class"].as_str().unwrap(), "{place}");
                match level {
                    // Text labels of an Arrow library are stored as NumPy's, so that StaticFrame reads them.
                    Level::Block(block) if wanted["dtype"] == "large_utf8" => {
                        assert_eq!(block.grid.dtype.kind, DTypeKind::Unicode, "{place}");
                        assert_eq!(cells(block), wanted["values"], "{place}");
                    }
                    Level::Block(block) => {
                        assert_eq!(block.grid.dtype.descr(), wanted["dtype"].as_str().unwrap(), "{place}");
                        assert_eq!(cells(block), wanted["values"], "{place}");
                    }
                    Level::Column(column) => {
                        let name = type_name(column.data.data_type(), column.ordered);
                        assert_eq!(name, wanted["dtype"].as_str().unwrap(), "{place}");
                    }
                }
            }
        }
    }
}

/// The cells of a block's first column, spelled as `conformance/README.md` says.
fn cells(block: &Block) -> Value {
    let item = block.grid.dtype.itemsize as usize;
    let cell = |row| {
        let offset = block.grid.rows(row, row + 1).offset;
        spell(&block.grid.dtype, &block.buffer.as_slice()[offset..offset + item])
    };
    Value::Array((0..block.grid.nrows).map(cell).collect())
}

fn spell(dtype: &DType, raw: &[u8]) -> Value {
    // One number of up to 16 bytes, whichever way it lies.
    let number = |bytes: &[u8]| {
        let mut little = [0; 16];
        little[..bytes.len()].copy_from_slice(bytes);
        if dtype.order == ByteOrder::Big {
            little[..bytes.len()].reverse();
        }
        u128::from_le_bytes(little)
    };
    match dtype.kind {
        DTypeKind::Bool => Value::Bool(raw == [1]),
        DTypeKind::UInt => u64::try_from(number(raw)).unwrap().into(),
        DTypeKind::Int | DTypeKind::DateTime | DTypeKind::TimeDelta => {
            let shift = 128 - 8 * raw.len();
            i64::try_from((number(raw) << shift).cast_signed() >> shift).unwrap().into()
        }
        DTypeKind::Float => float(number(raw), raw.len()).into(),
        DTypeKind::Complex => {
            let (re, im) = raw.split_at(raw.len() / 2);
            vec![float(number(re), re.len()), float(number(im), im.len())].into()
        }
        DTypeKind::Bytes | DTypeKind::Void => hexadecimal(raw),
        DTypeKind::Unicode => {
            let points = raw.chunks(4).map(|p| u32::try_from(number(p)).unwrap());
            let text: String = points.map(|p| char::from_u32(p).unwrap()).collect();
            text.trim_end_matches('\0').into()
        }
    }
}

/// C99's hexadecimal floats, from the bits of 2, 4, 8 or 16 (long double) bytes.
fn float(bits: u128, width: usize) -> String {
    // Bits of the fraction, bits of the exponent.
    let (fraction_bits, exponent_bits) = match width {
        2 => (10, 5),
        4 => (23, 8),
        8 => (52, 11),
        _ => (64, 15),
    };
    let mask = |count: i32| (1u128 << count) - 1;
    let (fraction, top) = (bits & mask(fraction_bits), bits >> fraction_bits);
    let exponent = i32::try_from(top & mask(exponent_bits)).unwrap();
    let sign = if (top >> exponent_bits) & 1 == 1 { "-" } else { "" };
    let bias = (1 << (exponent_bits - 1)) - 1;
    let special = exponent == (1 << exponent_bits) - 1;
    if width == 16 {
        let power = exponent.max(1) - bias - 63;
        let infinite = special && fraction & mask(63) == 0;
        return if infinite {
            format!("{sign}inf")
        } else if special {
            format!("nan:{:020x}", bits & mask(80))
        } else {
            format!("{sign}0x{fraction:x}p{power:+}")
        };
    }
    match (special, fraction) {
        (true, 0) => format!("{sign}inf"),
        (true, _) => format!("nan:{bits:0digits$x}", digits = 2 * width),
        (false, 0) if exponent == 0 => format!("{sign}0x0.0p+0"),
        // Spelled as the double of the same value: below, only doubles are subnormal there too.
        (false, _) if exponent == 0 && width == 8 => format!("{sign}0x0.{fraction:013x}p-1022"),
        (false, _) if exponent == 0 => {
            let lead = 127 - i32::try_from(fraction.leading_zeros()).unwrap();
            let rest = (fraction << (52 - lead)) & mask(52);
            format!("{sign}0x1.{rest:013x}p{:+}", 1 - bias - fraction_bits + lead)
        }
        _ => format!("{sign}0x1.{:013x}p{:+}", fraction << (52 - fraction_bits), exponent - bias),
    }
}

fn open_store(path: &Path, mmap: bool) -> colonnade::Result<Store> {
    let options = npz::ReadOptions { limits: Limits::default(), threads: 1 };
    Store::open(At::Path { path, mmap }, options, &NoProgress)
}

#[test]
fn npz_files_hold_what_is_recorded() {
    for entry in entries("npz") {
        let case = entry["case"].as_str().unwrap();
        let path = folder("npz").join(entry["file"].as_str().unwrap());
        let from_memory = StoreSource::Memory(Buffer::from_vec(std::fs::read(&path).unwrap()));
        let stores = [
            open_store(&path, true),
            open_store(&path, false),
            Store::open_source(from_memory, Limits::default()),
        ];
        for store in stores {
            let store = store.unwrap_or_else(|e| panic!("{case}: {e}"));
            let Some(frames) = entry.get("frames") else {
                check(&store, &entry, case);
                continue;
            };
            let frames = frames.as_object().unwrap();
            store.verify(2, &NoProgress).unwrap();
            assert_eq!(store.labels().unwrap(), frames.keys().cloned().collect::<Vec<_>>(), "{case}");
            for (label, held) in frames {
                check(&store.open_label(label).unwrap(), held, &format!("{case}, {label}"));
            }
        }
    }
}

#[test]
fn parquet_files_hold_what_is_recorded() {
    for entry in entries("parquet") {
        let case = entry["case"].as_str().unwrap();
        let path = folder("parquet").join(entry["file"].as_str().unwrap());
        let options = || ReadOptions { threads: 2, verify: true, ..ReadOptions::default() };
        let from_memory = Buffer::from_vec(std::fs::read(&path).unwrap());
        let files = [
            Parquet::open_source(At::Path { path: &path, mmap: true }, options(), &NoProgress),
            Parquet::open_buffer(from_memory, options(), &NoProgress),
        ];
        for file in files {
            let file = file.unwrap_or_else(|e| panic!("{case}: {e}"));
            file.verify(2, &NoProgress).unwrap_or_else(|e| panic!("{case}: {e}"));
            let request = Request::all(2, &NoProgress);
            let frame = file.load(&request).unwrap_or_else(|e| panic!("{case}: {e}"));
            check_frame(file.shape(), &file.dtypes(), &frame, &entry, case);
        }
    }
}

#[test]
fn npy_files_and_directories_hold_what_is_recorded() {
    for entry in entries("npy") {
        let case = entry["case"].as_str().unwrap();
        let path = folder("npy").join(entry["file"].as_str().unwrap());
        let store = open_store(&path, true);
        let store = store.unwrap_or_else(|e| panic!("{case}: {e}"));
        if let Some(array) = entry.get("array") {
            let (_, fortran_order, shape) = store.single_array().unwrap().array.unwrap();
            assert_eq!(serde_json::json!(shape), array["shape"], "{case}");
            assert_eq!(serde_json::json!(fortran_order), array["fortran_order"], "{case}");
        }
        check(&store, &entry, case);
    }
}

#[test]
fn floats_are_spelled_as_c_does() {
    let of = |value: f64| float(value.to_bits().into(), 8);
    assert_eq!(of(1.5), "0x1.8000000000000p+0");
    assert_eq!(of(-0.0), "-0x0.0p+0");
    assert_eq!(of(f64::from_bits(1)), "0x0.0000000000001p-1022");
    assert_eq!(of(f64::NEG_INFINITY), "-inf");
    assert_eq!(float(f32::MIN_POSITIVE.to_bits().into(), 4), of(f32::MIN_POSITIVE.into()));
    assert_eq!(float(3, 4), of(f32::from_bits(3).into()));
    assert_eq!(float(0x7E01, 2), "nan:7e01");
}
