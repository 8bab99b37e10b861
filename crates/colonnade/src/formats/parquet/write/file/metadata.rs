//! The file's own metadata: Arrow's schema, pandas' and ours, dictionaries that no page holds.

use arrow_schema::Schema;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::arrow::ipc::schema_bytes;
use crate::error::Result;

use super::layout::Layout;
use crate::formats::parquet::types::DICTIONARY;

/// Arrow's schema, as every Arrow library writes it.
const ARROW: &str = "ARROW:schema";

/// Keys and values, sorted. `rows`: whether the file has any, and so dictionary pages.
///
/// # Errors
/// Schemas of more than 2 GiB.
pub(super) fn pairs(schema: &Schema, layout: &Layout, rows: bool) -> Result<Vec<(String, String)>> {
    // With its metadata: where there is an Arrow schema, Arrow libraries do not look at the file's own.
    let mut out = vec![(ARROW.to_owned(), STANDARD.encode(schema_bytes(schema)?))];
    // A schema of somebody else's file may stand among what that file said.
    let others = schema.metadata().iter().filter(|(key, _)| *key != ARROW && !key.starts_with(DICTIONARY));
    out.extend(others.map(|(key, value)| (key.clone(), value.clone())));
    let unpaged = (!rows).then_some(&layout.unpaged).into_iter().flatten();
    let kept = layout.kept.iter().chain(&layout.nulled).chain(unpaged);
    out.extend(kept.map(|(name, text)| (format!("{DICTIONARY}{name}"), text.clone())));
    out.sort_unstable();
    out.dedup_by(|a, b| a.0 == b.0);
    Ok(out)
}
