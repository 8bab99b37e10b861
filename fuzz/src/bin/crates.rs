//! Reads a file with a crate that is not Colonnade, for comparison: `crates csv FILE SEPARATOR` or `crates parquet FILE`.
//!
//! Prints the records of CSV as JSON, and the rows of Parquet as an Arrow stream. The exit status is 1 if the crate refuses the
//! input, and 101 if it panics. `scripts/oracles` calls it.

use std::error::Error;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use arrow_array::RecordBatchReader;
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let read = match arguments[..] {
        ["csv", path, separator] => csv_records(path, separator),
        ["parquet", path] => parquet_rows(path),
        _ => Err("usage: crates csv FILE SEPARATOR | crates parquet FILE".into()),
    };
    match read {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The cells of all records. Records may differ in length.
fn csv_records(path: &str, separator: &str) -> Outcome {
    let separator = separator.bytes().next().ok_or("expected a separator, found none")?;
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.has_headers(false).flexible(true).delimiter(separator).from_path(path)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for record in reader.records() {
        rows.push(record?.iter().map(str::to_owned).collect());
    }
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, &rows)?;
    Ok(out.flush()?)
}

/// All rows, with the types of the stored Arrow schema if there is one.
fn parquet_rows(path: &str) -> Outcome {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?.build()?;
    let mut writer = StreamWriter::try_new(io::stdout().lock(), &reader.schema())?;
    for batch in reader {
        writer.write(&batch?)?;
    }
    writer.finish()?;
    Ok(())
}
