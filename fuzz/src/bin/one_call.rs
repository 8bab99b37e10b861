//! One read or one write of a file, whose system calls something else makes fail or end early: `one_call read FILE`, `one_call
//! read-unmapped FILE`, `one_call write FILE SOURCE`.
//!
//! Prints the CRC-32 of the frame, as an Arrow stream. The exit status is 0, or 3 for a typed error. The calls between two uses of
//! the path `/colonnade-mark` are those of the read or write.

#![allow(clippy::print_stdout, reason = "a program")]

use std::process::ExitCode;

use colonnade::frame::Frame;
use colonnade::progress::NoProgress;
use colonnade::{ErrorKind, Result};
use colonnade_capi::file::CnFile;
use colonnade_capi::write::{encode, write_path};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["read", file] => read(file, true),
        ["read-unmapped", file] => read(file, false),
        ["write", file, source] => write(file, source),
        _ => {
            eprintln!("usage: one_call read FILE | one_call read-unmapped FILE | one_call write FILE SOURCE");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(crc) => {
            println!("{crc:08x}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(if matches!(error.kind(), ErrorKind::Internal) { 4 } else { 3 })
        }
    }
}

fn load(file: &str, mmap: bool) -> Result<Frame> {
    let options = format!(r#"{{"threads":2,"mmap":{mmap}}}"#);
    CnFile::open_path(file, None, Some(&options), None, &NoProgress)?.load(None, None, &NoProgress)
}

fn crc(frame: &Frame) -> Result<u32> {
    let mut bytes = Vec::new();
    encode(frame, "arrows", Some(r#"{"threads":1}"#), &mut bytes, &NoProgress)?;
    Ok(crc32fast::hash(&bytes))
}

fn mark() {
    let _ = std::fs::read_link("/colonnade-mark");
}

fn read(file: &str, mmap: bool) -> Result<u32> {
    mark();
    let frame = load(file, mmap);
    mark();
    crc(&frame?)
}

fn write(file: &str, source: &str) -> Result<u32> {
    let frame = load(source, true)?;
    let has_schema = [".csv", ".json", ".ndjson", ".yaml"].iter().any(|suffix| file.ends_with(suffix));
    let schema = if has_schema { r#","schema":"header""# } else { "" };
    let options = format!(r#"{{"threads":2,"fsync":true,"on_loss":"ignore"{schema}}}"#);
    mark();
    let written = write_path(&frame, file, None, Some(&options), &NoProgress);
    mark();
    written?;
    crc(&frame)
}
