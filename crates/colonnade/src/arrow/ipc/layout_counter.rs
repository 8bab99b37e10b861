//! Counts the nodes and buffers of a schema's fields, and checks their types.

use std::collections::HashMap;

use arrow_schema::{DataType, Field, UnionMode};

use crate::error::{Error, Result};
use crate::frame::{MAX_DEPTH, children};

use super::field_position::FieldPosition;

/// Counts the nodes, buffers and view columns of fields, and collects the types of dictionaries.
pub(super) struct LayoutCounter {
    /// The position after the counted fields.
    pub(super) at: FieldPosition,
    version: i16,
    /// The types of the dictionaries' values, by id.
    pub(super) dictionaries: HashMap<i64, DataType>,
}

impl LayoutCounter {
    /// A counter for a schema of this metadata version.
    pub(super) fn new(version: i16) -> Self {
        Self { at: FieldPosition::default(), version, dictionaries: HashMap::new() }
    }

    /// Counts a field, `depth` levels below the schema.
    ///
    /// # Errors
    /// Types that Arrow does not define; one dictionary id with two types; fields that nest too deep.
    pub(super) fn field(&mut self, field: &Field, depth: usize) -> Result<()> {
        let DataType::Dictionary(_, values) = field.data_type() else {
            return self.count(field.data_type(), depth);
        };
        self.at.node += 1;
        self.at.buffer += 2;
        #[allow(deprecated)] // arrow-rs stores a dictionary's id only in the field
        let id = field.dict_id().unwrap_or(0);
        match self.dictionaries.get(&id) {
            None => {
                self.dictionaries.insert(id, values.as_ref().clone());
            }
            Some(first) if first == values.as_ref() => {}
            Some(first) => {
                return Err(Error::malformed(
                    "arrow",
                    format!(
                        "dictionary {id} has values of type {first} in one field and of type {values} in another."
                    ),
                ));
            }
        }
        // The values are in separate messages, so they do not count here. They may contain more dictionaries.
        let mut values_counter = Self {
            at: FieldPosition::default(),
            version: self.version,
            dictionaries: std::mem::take(&mut self.dictionaries),
        };
        values_counter.count(values, depth + 1)?;
        self.dictionaries = values_counter.dictionaries;
        Ok(())
    }

    fn count(&mut self, data_type: &DataType, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(Error::limit("arrow", format!("types nest deeper than {MAX_DEPTH} levels.")));
        }
        check_type(data_type)?;
        self.at.node += 1;
        let buffers = match data_type {
            DataType::FixedSizeBinary(n) | DataType::FixedSizeList(_, n) if *n < 0 => {
                return Err(Error::malformed("arrow", format!("expected a width of 0 or more, found {n}.")));
            }
            DataType::Null | DataType::RunEndEncoded(..) => 0,
            DataType::Struct(_) | DataType::FixedSizeList(..) => 1,
            DataType::Utf8 | DataType::Binary | DataType::LargeUtf8 | DataType::LargeBinary => 3,
            DataType::ListView(_) | DataType::LargeListView(_) => 3,
            DataType::Utf8View | DataType::BinaryView => {
                self.at.view += 1;
                2
            }
            // Before V5, unions had a validity.
            DataType::Union(_, UnionMode::Sparse) => 1 + usize::from(self.version < 4),
            DataType::Union(_, UnionMode::Dense) => 2 + usize::from(self.version < 4),
            DataType::Dictionary(..) => {
                return Err(Error::malformed("arrow", "a dictionary of dictionaries without a field."));
            }
            _ => 2,
        };
        self.at.buffer += buffers;
        children(data_type).into_iter().try_for_each(|child| self.field(child, depth + 1))
    }
}

/// Refuses types that flatbuffers can express but Arrow does not define.
fn check_type(data_type: &DataType) -> Result<()> {
    let malformed = |expected: &str, found: String| {
        Err(Error::malformed("arrow", format!("expected {expected}, found {found}.")))
    };
    match data_type {
        DataType::RunEndEncoded(ends, _)
            if !matches!(ends.data_type(), DataType::Int16 | DataType::Int32 | DataType::Int64) =>
        {
            malformed("run ends of 16, 32 or 64 bits", ends.data_type().to_string())
        }
        DataType::Map(entries, _) if !matches!(entries.data_type(), DataType::Struct(pair) if pair.len() == 2) => {
            malformed("a map of pairs", entries.data_type().to_string())
        }
        DataType::Decimal32(precision, _) if !(1..=9).contains(precision) => {
            malformed("1 to 9 digits", precision.to_string())
        }
        DataType::Decimal64(precision, _) if !(1..=18).contains(precision) => {
            malformed("1 to 18 digits", precision.to_string())
        }
        DataType::Decimal128(precision, _) if !(1..=38).contains(precision) => {
            malformed("1 to 38 digits", precision.to_string())
        }
        DataType::Decimal256(precision, _) if !(1..=76).contains(precision) => {
            malformed("1 to 76 digits", precision.to_string())
        }
        _ => Ok(()),
    }
}
