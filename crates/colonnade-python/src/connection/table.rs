//! Decodes messages that are CSV or NDJSON tables.

use colonnade::Result;
use colonnade::formats::csv;
use colonnade::formats::json::lines;
use colonnade::frame::Frame;
use colonnade::memory::Buffer;
use colonnade::message::TableFormat;
use colonnade::progress::Progress;

use crate::connect_options::ConnectOptions;

/// Decodes a whole message: a header, and the number of rows that the header declares.
pub(super) fn open(
    format: TableFormat,
    bytes: &Buffer,
    options: &ConnectOptions,
    progress: &dyn Progress,
) -> Result<Frame> {
    let (limits, threads) = (options.limits.core(), options.threads);
    let decoded = match format {
        TableFormat::Csv => {
            let read = csv::ReadOptions {
                schema: csv::SchemaOption::Header,
                limits,
                threads,
                ..csv::ReadOptions::default()
            };
            csv::decode_with(bytes, &read, progress)?
        }
        TableFormat::Ndjson => {
            let read = lines::ReadOptions { limits, threads, ..lines::ReadOptions::default() };
            lines::decode_with(bytes, &read, progress)?
        }
    };
    Ok(decoded.frame)
}
