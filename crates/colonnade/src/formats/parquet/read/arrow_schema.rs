//! The Arrow schema in the file's metadata, a schema message in base64, reduced to the fields to read.
//!
//! A file of 18,000 columns has megabytes of Arrow schema. The list of fields is cut down before anything is checked or
//! converted, and only the fields to read are decoded.

mod sparse;

use arrow_schema::Schema;

use crate::limits::Limits;

use sparse::SparseFlatbuffer;

/// The key of the schema in the file's metadata.
pub(crate) const KEY: &str = "ARROW:schema";

/// Returns the fields at the ascending numbers `projection` of the schema in `text`, or `None` if `text` is no schema or lacks one
/// of them. The schema is a hint: damage in it is not an error.
pub(crate) fn fields(text: &str, projection: &[usize], limits: &Limits) -> Option<Schema> {
    let mut bytes = SparseFlatbuffer::new(text)?;
    cut(&mut bytes, projection)?;
    let schema = crate::arrow::ipc::schema_of_aligned(bytes.finish().as_slice(), limits).ok()?;
    let schema = std::sync::Arc::unwrap_or_clone(schema);
    (schema.fields().len() == projection.len()).then_some(schema)
}

/// Cuts the list of fields in the schema message down to those at `projection`, and decodes everything that these refer to.
fn cut(bytes: &mut SparseFlatbuffer<'_>, projection: &[usize]) -> Option<()> {
    let message = bytes.forward(0)?;
    let message = bytes.table(message)?;
    // Message: version, type of the header, header, length of the body, metadata.
    empty(bytes, &message, 4)?;
    let header = bytes.field(&message, 2)?;
    let schema = bytes.forward(header)?;
    let schema = bytes.table(schema)?;
    // Schema: endianness, fields, metadata (which the file's own metadata repeat), features.
    empty(bytes, &schema, 2)?;
    empty(bytes, &schema, 3)?;
    let Some(fields) = bytes.field(&schema, 1) else { return projection.is_empty().then_some(()) };
    let list = bytes.forward(fields)?;
    let count = usize::try_from(bytes.word(list)?).ok()?;
    let mut last = None;
    for (k, &number) in projection.iter().enumerate() {
        if number >= count || last.is_some_and(|last| last >= number) {
            return None;
        }
        last = Some(number);
        // An offset counts from its own position: an entry that moves to the front needs a larger one.
        let (from, to) = (list + 4 + 4 * number, list + 4 + 4 * k);
        let reach = bytes.word(from)?.checked_add(u32::try_from(from - to).ok()?)?;
        bytes.put(to, reach)?;
    }
    bytes.put(list, u32::try_from(projection.len()).ok()?)?;
    if projection.len() > count / 8 {
        return bytes.need(0, bytes.flatbuffer().len());
    }
    for k in 0..projection.len() {
        let field = bytes.forward(list + 4 + 4 * k)?;
        bytes.whole_field(field, 0)?;
    }
    Some(())
}

/// Sets the length of the list in field `number` of a table to 0.
fn empty(bytes: &mut SparseFlatbuffer<'_>, table: &sparse::SparseTable, number: usize) -> Option<()> {
    let Some(at) = bytes.field(table, number) else { return Some(()) };
    let list = bytes.forward(at)?;
    bytes.put(list, 0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{DataType, Field, Fields, Metadata, Schema, TimeUnit, UnionFields, UnionMode};

    use super::fields;
    use crate::limits::Limits;

    /// A schema of `count` fields, of each type in turn.
    fn schema(count: usize) -> Schema {
        let child = |kind| Arc::new(Field::new("deep below", kind, true));
        let zone = |k: usize| DataType::Timestamp(TimeUnit::Microsecond, Some(format!("zone/{k}").into()));
        let field = |k: usize| {
            let kind = match k % 8 {
                0 => DataType::Int64,
                1 => zone(k),
                2 => DataType::List(child(zone(k))),
                3 => DataType::Struct(Fields::from(vec![
                    Field::new("x", DataType::Utf8, false),
                    Field::new("y", DataType::FixedSizeList(child(DataType::Decimal128(20, 3)), 3), true),
                ])),
                4 => DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8)),
                5 => {
                    let parts = [(7, child(DataType::Int8)), (9, child(DataType::Float64))];
                    let parts: UnionFields = parts.into_iter().collect();
                    DataType::Union(parts, UnionMode::Dense)
                }
                6 => DataType::Duration(TimeUnit::Second),
                _ => DataType::Utf8View,
            };
            let field = Field::new(format!("column {k}"), kind, k.is_multiple_of(3));
            let metadata = Metadata::new().with(format!("key {k}"), format!("value {k}"));
            if k.is_multiple_of(5) { field.with_metadata(metadata) } else { field }
        };
        let all = Metadata::new().with("of", "all");
        Schema::new((0..count).map(field).collect::<Vec<_>>()).with_metadata(all)
    }

    #[test]
    fn projected_fields_equal_those_of_the_full_schema() {
        let (all, limits) = (schema(400), Limits::default());
        let text = parquet::arrow::encode_arrow_schema(&all);
        for projection in [vec![0], vec![399], (0..400).step_by(9).collect::<Vec<_>>(), (0..400).collect()] {
            let Some(found) = fields(&text, &projection, &limits) else { unreachable!("{projection:?}") };
            let expected: Vec<_> = projection.iter().map(|&k| Arc::clone(&all.fields()[k])).collect();
            assert_eq!(found.fields().to_vec(), expected);
            assert!(found.metadata().is_empty());
        }
        assert!(fields(&text, &[400], &limits).is_none());
        assert!(fields(&text, &[3, 3], &limits).is_none());
    }

    #[test]
    fn damaged_schemas_do_not_panic() {
        let text = parquet::arrow::encode_arrow_schema(&schema(40));
        let limits = Limits::default();
        for at in 0..text.len() {
            for other in ["A", "/", "=", "\u{7f}"] {
                let mut damaged = text.clone();
                damaged.replace_range(at..=at, other);
                let _ = fields(&damaged, &[2, 3], &limits);
            }
            let _ = fields(&text[..at], &[1], &limits);
        }
    }
}
