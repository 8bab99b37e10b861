//! The file's key-value metadata: Arrow's schema, pandas metadata, Colonnade's header, and dictionaries that no page holds.

use arrow_schema::Schema;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::arrow::ipc::schema_bytes;
use crate::error::Result;

use super::layout::FileLayout;
use crate::formats::parquet::types::DICTIONARY;

/// Key of Arrow's schema, the same in every Arrow library.
const ARROW: &str = "ARROW:schema";

/// Returns keys and values, sorted. `rows`: whether the file has rows, and so dictionary pages.
///
/// # Errors
/// Schemas over 2 GiB.
pub(super) fn pairs(schema: &Schema, layout: &FileLayout, rows: bool) -> Result<Vec<(String, String)>> {
    // The schema contains its metadata: Arrow libraries ignore the file's metadata if there is an Arrow schema.
    let mut out = vec![(ARROW.to_owned(), STANDARD.encode(schema_bytes(schema)?))];
    // The metadata may come from a foreign file and contain its schema, which is dropped.
    let others = schema.metadata().iter().filter(|(key, _)| *key != ARROW && !key.starts_with(DICTIONARY));
    out.extend(others.map(|(key, value)| (key.clone(), value.clone())));
    let rowless_dictionaries = (!rows).then_some(&layout.rowless_dictionaries).into_iter().flatten();
    let kept = layout
        .metadata_dictionaries
        .iter()
        .chain(&layout.null_value_dictionaries)
        .chain(rowless_dictionaries);
    out.extend(kept.map(|(name, text)| (format!("{DICTIONARY}{name}"), text.clone())));
    out.sort_unstable();
    out.dedup_by(|a, b| a.0 == b.0);
    Ok(out)
}
