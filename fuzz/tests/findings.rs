//! Inputs that once broke a check. Each name says what they are.

use colonnade_fuzz::options::ALL_SOURCES;
use colonnade_fuzz::targets;

/// Runs the check of this name on a file.
fn run(name: &str, format: &str, file: &[u8]) {
    run_with(None, name, format, file);
}

/// The same with a byte that chooses the options of reading.
fn run_with(choice: Option<u8>, name: &str, format: &str, file: &[u8]) {
    let target = targets().find(|target| target.name() == name);
    let seed = target.and_then(|target| target.seed(format, file));
    assert!(seed.is_some(), "no check {name}");
    for (target, mut seed) in target.into_iter().zip(seed) {
        choice.into_iter().for_each(|choice| seed[0] = choice);
        target.run(&seed);
    }
}

/// The offset of a column that is selected in reverse order was less than zero.
#[test]
fn an_array_without_rows_and_with_three_columns() {
    let header = format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }");
    run("read-npy", "npy", &[b"\x93NUMPY\x01\x00v\x00", header.as_bytes()].concat());
}

/// Pieces show the quote, a whole input shows the byte that is no UTF-8.
#[test]
fn csv_with_two_errors() {
    let text = b"a\n\"b\"c\n\xffd\n";
    run("read-csv", "csv", text);
    run("split-csv", "csv", text);
}

/// The error listed the names whole. The twelfth options name columns that are not there.
#[test]
fn csv_with_a_name_of_63_000_bytes() {
    let text = format!("{},b\n1,2\n", "x".repeat(63_000));
    run_with(Some(12), "read-csv", "csv", text.as_bytes());
}

/// The error showed the whole name of the local header.
#[test]
fn an_archive_whose_local_header_has_a_name_of_30_000_bytes() {
    let name = [b'x'; 30_000];
    let sizes =
        |nbytes: usize| [&[0; 12][..], &u16::try_from(nbytes).unwrap_or_default().to_le_bytes()].concat();
    let fields = b"\x14\x00\x00\x00\x00\x00\x00\x00\x21\x00";
    let local = [b"PK\x03\x04", &fields[..], &sizes(name.len()), b"\x00\x00", &name].concat();
    let central = [b"PK\x01\x02\x14\x00", &fields[..], &sizes(5), &[0; 16], b"a.npy"].concat();
    let start = u32::try_from(local.len()).unwrap_or_default().to_le_bytes();
    let end =
        [b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00", &[51, 0, 0, 0][..], &start, b"\x00\x00"].concat();
    run("read-npz", "npz", &[local, central, end].concat());
}

/// Arrow's layout has the file's name for the parts of complex numbers, NumPy's layout has none.
#[test]
fn parquet_with_complex_numbers_and_damaged_metadata() {
    let mut file = include_bytes!("../../conformance/parquet/big_endian.parquet").to_vec();
    let at = file.windows(9).rposition(|bytes| bytes == b"{\"version").unwrap_or_default();
    file[at + 9] = 0xFF;
    run("read-parquet", "parquet", &file);
}

/// Each row had two cells for one column.
#[test]
fn ndjson_whose_header_has_a_field_twice() {
    let text = include_str!("../../conformance/ndjson/big_endian.ndjson");
    // In the schema, the name "9" becomes "6".
    let file = text.replacen("AAAEAAAA5AAAAAQAA", "AAAEAAAA2AAAAAQAA", 1);
    assert_ne!(file, text);
    run("read-ndjson", "ndjson", file.as_bytes());
    run("split-ndjson", "ndjson", file.as_bytes());
}

/// The rows of a part had a validity buffer outside the body, the whole ignored it.
#[test]
fn arrow_whose_empty_buffers_have_any_offset() {
    for file in [
        &include_bytes!("../../conformance/arrow/dictionaries.arrow")[..],
        include_bytes!("../../conformance/arrow/several_batches.arrow"),
        include_bytes!("../../conformance/arrow/lz4.arrow"),
    ] {
        for at in (0..file.len() - 16).step_by(8) {
            if file[at + 8..at + 16] == [0; 8] && file[at] != 0 {
                let mut changed = file.to_vec();
                changed[at..at + 8].copy_from_slice(&65_535u64.to_le_bytes());
                run("read-arrow", "arrow", &changed);
            }
        }
    }
}

/// A stream that is read at once was refused, whatever `allow_truncated` said.
#[test]
fn an_arrow_stream_that_may_end_early() {
    let file = include_bytes!("../../conformance/arrows/article.arrows");
    let without_end_mark = &file[..file.len() - 8];
    // The second options of streams, and all sources.
    run_with(Some(ALL_SOURCES | 1), "read-arrows", "arrows", without_end_mark);
}
