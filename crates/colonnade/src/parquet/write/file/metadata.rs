//! The file's own metadata: Arrow's schema, pandas' and ours, dictionaries that no page holds.

use arrow_schema::Schema;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::Result;
use crate::frame::Frame;
use crate::ipc::write::schema_bytes;

use super::dictionaries;
use super::layout::Layout;
use super::source::{Source, sources};

/// Arrow's schema, as every Arrow library writes it.
const ARROW: &str = "ARROW:schema";

/// A dictionary that no page holds; the field's number follows.
pub const DICTIONARY: &str = "colonnade:dictionary:";

/// Keys and values, sorted. `empty`: the frame, where the file has no rows, and so no dictionary pages.
///
/// # Errors
/// Schemas of more than 2 GiB.
pub(super) fn pairs(
    schema: &Schema,
    layout: &Layout,
    empty: Option<&Frame>,
) -> Result<Vec<(String, String)>> {
    // With its metadata: where there is an Arrow schema, Arrow libraries do not look at the file's own.
    let mut out = vec![(ARROW.to_owned(), STANDARD.encode(schema_bytes(schema)?))];
    out.extend(schema.metadata().iter().map(|(key, value)| (key.clone(), value.clone())));
    for (field, values) in &layout.dictionaries {
        out.push((format!("{DICTIONARY}{field}"), dictionaries::kept(values)?));
    }
    if let Some(empty) = empty {
        for (field, source) in sources(empty)?.iter().enumerate() {
            if let Source::Array(data) = source
                && matches!(data.data_type(), arrow_schema::DataType::Dictionary(..))
                && !layout.dictionaries.contains_key(&field)
            {
                out.push((format!("{DICTIONARY}{field}"), dictionaries::kept(dictionaries::values(data)?)?));
            }
        }
    }
    out.sort_unstable();
    out.dedup_by(|a, b| a.0 == b.0);
    Ok(out)
}
