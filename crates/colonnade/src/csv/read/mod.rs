//! Reading CSV.

mod chunks;
mod column;
mod decimals;
mod dtypes;
mod errors;
mod fields;
mod infer;
mod kinds;
mod marks;
mod number;
mod opening;
mod options;
mod pass;
mod rules;
mod split;
mod stream;
mod survey;
mod table;
mod tidy;
mod time;
mod typed;
mod walk;
mod whole;
mod words;

pub use chunks::Chunks;
pub use whole::{decode, decode_with};
pub use options::{BigInts, Dates, IndexColumns, OnError, ReadOptions, Schema};

const FORMAT: &str = "csv";
const COMMENT: &str = "# colonnade: ";
