//! Messages that are tables of text.

use colonnade::Result;
use colonnade::format::{csv, ndjson};
use colonnade::frame::Frame;
use colonnade::memory::Buffer;
use colonnade::message::TableFormat;

use crate::connect_options::ConnectOptions;

/// What the bytes of a whole message hold: a header, and the rows that it says.
pub(super) fn open(format: TableFormat, bytes: &Buffer, options: &ConnectOptions) -> Result<Frame> {
    let (limits, threads) = (options.limits.core(), options.threads);
    let decoded = match format {
        TableFormat::Csv => {
            let read = csv::ReadOptions {
                schema: csv::Schema::Header,
                limits,
                threads,
                ..csv::ReadOptions::default()
            };
            csv::decode(bytes, &read)?
        }
        TableFormat::Ndjson => {
            ndjson::decode(bytes, &ndjson::ReadOptions { limits, threads, ..ndjson::ReadOptions::default() })?
        }
    };
    Ok(decoded.frame)
}
