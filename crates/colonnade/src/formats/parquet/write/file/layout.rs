//! Maps the fields of a schema to Parquet's leaves and groups, and selects their encodings.

use std::collections::BTreeMap;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};

use crate::arrow::ipc;
use crate::error::{Error, Result};
use crate::formats::parquet::schema::Element;
use crate::formats::parquet::types::{DictionaryStorage, LeafConversion, LeafType};
use crate::frame::DTypeKind;

use super::file_column::{ColumnLeaf, FileColumn, RootStorage};
use super::options::WriteOptions;
use super::source::{ColumnSource, each_packed};
use super::tree::Tree;
use super::{dictionaries, elements, fits, leaves, nested};

/// The columns of the file, and its schema.
#[derive(Debug)]
pub(super) struct FileLayout {
    pub(super) roots: Vec<FileColumn>,
    /// The schema's elements in the footer's encoding.
    pub(super) elements: Vec<u8>,
    pub(super) nelements: usize,
    pub(super) nleaves: usize,
    /// Dictionaries that are stored in the file's metadata, encoded, by field name.
    pub(super) metadata_dictionaries: BTreeMap<String, String>,
    /// Dictionaries of a first chunk without rows. They are stored in the metadata only if the file has no rows.
    pub(super) rowless_dictionaries: BTreeMap<String, String>,
    /// Dictionaries with null values, which dictionary pages cannot hold. The metadata store them so that the reader can restore
    /// the null values.
    pub(super) null_value_dictionaries: BTreeMap<String, String>,
}

impl FileLayout {
    /// The layout of a file whose first chunk has the columns `sources`.
    ///
    /// # Errors
    /// `Unrepresentable` for data that Parquet cannot hold, and for types that nest too deep; `InvalidOption` for encodings that a column does not support. Both name
    /// the column.
    pub(super) fn of(fields: &Fields, sources: &[ColumnSource<'_>], options: &WriteOptions) -> Result<Self> {
        // Readers take no Arrow schema that nests deeper, and types would come back changed.
        ipc::check_depth(&Schema::new(fields.clone())).map_err(|e| e.in_format("parquet"))?;
        let mut out = Self {
            roots: Vec::with_capacity(fields.len()),
            elements: Vec::new(),
            nelements: 1,
            nleaves: 0,
            metadata_dictionaries: BTreeMap::new(),
            rowless_dictionaries: BTreeMap::new(),
            null_value_dictionaries: BTreeMap::new(),
        };
        let root = Element { name: "schema", children: fields.len(), ..Element::default() };
        elements::push(&mut out.elements, &root);
        for (field, source) in fields.iter().zip(sources) {
            out.add(field, *source, options).map_err(|e| e.in_member(field.name().clone()))?;
        }
        options.check_names(&out.roots)?;
        Ok(out)
    }

    /// Refuses a later chunk that the layout cannot hold, before anything of it is written. The exporter refuses columns of another
    /// type.
    ///
    /// # Errors
    /// `Unrepresentable`: nulls in a required column; a dictionary that differs from the stored one; values that do not fit the
    /// leaf chosen for the first chunk.
    pub(super) fn admit(&self, sources: &[ColumnSource<'_>]) -> Result<()> {
        for (root, source) in self.roots.iter().zip(sources) {
            root.admit(*source, &self.metadata_dictionaries)
                .map_err(|e| e.in_member(root.field.name().clone()))?;
        }
        Ok(())
    }

    fn add(&mut self, field: &FieldRef, source: ColumnSource<'_>, options: &WriteOptions) -> Result<()> {
        if let ColumnSource::Array(data) = source
            && !field.is_nullable()
            && data.null_count() > 0
        {
            let found = data.null_count();
            let message =
                format!("expected no nulls, as the field is not nullable, found {found}. Fill them first.");
            return Err(Error::unrepresentable("parquet", message));
        }
        let kind = kind(field, source)?;
        let optional = field.is_nullable() && may_be_null(source);
        let leaves = match &kind {
            RootStorage::Leaf(stored) | RootStorage::PlainValues(stored) | RootStorage::Codes(stored) => {
                elements::leaf(&mut self.elements, field.name(), field, stored, optional);
                self.nelements += 1;
                let categories = matches!(kind, RootStorage::Leaf(_))
                    && matches!(field.data_type(), DataType::Dictionary(..));
                let settings = options.for_column(field.name(), stored.physical, categories)?.map(Box::new);
                let path = vec![field.name().clone()];
                vec![ColumnLeaf { physical: stored.physical.number(), path, settings }]
            }
            RootStorage::Nested(tree) => {
                self.nelements += tree.push(&mut self.elements, &nested::field(field));
                let all = options.for_leaves(&tree.leaves)?.into_iter();
                let leaves = tree.leaves.iter().zip(all).map(|((physical, path), settings)| ColumnLeaf {
                    physical: physical.number(),
                    path: path.clone(),
                    settings: settings.map(Box::new),
                });
                leaves.collect()
            }
        };
        if let ColumnSource::Array(data) = source
            && matches!(data.data_type(), DataType::Dictionary(..))
        {
            if matches!(kind, RootStorage::PlainValues(_) | RootStorage::Codes(_)) {
                self.metadata_dictionaries
                    .insert(field.name().clone(), dictionaries::encode_text(dictionaries::values(data)?)?);
            } else if dictionaries::values(data)?.null_count() > 0 {
                self.null_value_dictionaries
                    .insert(field.name().clone(), dictionaries::encode_text(dictionaries::values(data)?)?);
            } else if data.is_empty() {
                self.rowless_dictionaries
                    .insert(field.name().clone(), dictionaries::encode_text(dictionaries::values(data)?)?);
            }
        }
        self.nleaves += leaves.len();
        self.roots.push(FileColumn { field: FieldRef::clone(field), kind, optional, leaves });
        Ok(())
    }
}

impl FileColumn {
    fn admit(&self, source: ColumnSource<'_>, kept: &BTreeMap<String, String>) -> Result<()> {
        let refuse = |message: String| Err(Error::unrepresentable("parquet", message));
        match source {
            ColumnSource::Array(data) if data.data_type() != self.field.data_type() => return Ok(()),
            ColumnSource::Block(block, _) => {
                let times = matches!(block.grid.dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta);
                if !times || block.grid.dtype.itemsize != 8 {
                    return Ok(());
                }
            }
            ColumnSource::Array(data) => {
                if !self.optional && data.null_count() > 0 {
                    let found = data.null_count();
                    return refuse(format!(
                        "expected no nulls, as the field is not nullable, found {found}. Fill them first."
                    ));
                }
                if let Some(kept) = kept.get(self.field.name())
                    && dictionaries::encode_text(dictionaries::values(data)?)? != *kept
                {
                    let advice = "Give all chunks the same categories.";
                    return refuse(format!(
                        "expected the categories of the first chunk, found others. {advice}"
                    ));
                }
            }
        }
        let stored = match &self.kind {
            RootStorage::Leaf(stored) => stored,
            RootStorage::Nested(tree) => {
                return match source {
                    ColumnSource::Array(data) => tree.admit(&nested::array(data)?),
                    ColumnSource::Block(..) => Ok(()),
                };
            }
            RootStorage::PlainValues(_) | RootStorage::Codes(_) => return Ok(()),
        };
        let turned = !matches!(
            stored.conversion,
            LeafConversion::Same
                | LeafConversion::Narrow(_)
                | LeafConversion::Nothing
                | LeafConversion::Empty
        );
        if !turned && *self.field.data_type() != DataType::Date32 {
            return Ok(());
        }
        each_packed(&[source], |_, column| {
            let data = leaves::array(&column, self.field.data_type())?;
            let data = if matches!(data.data_type(), DataType::Dictionary(..)) {
                dictionaries::values(&data)?.clone()
            } else {
                data
            };
            if fits::fits(&data, data.nulls(), stored) {
                return Ok(());
            }
            let advice = "Write it in the first chunk, or convert the column first.";
            refuse(format!(
                "expected values that fit what the first chunk's are stored as, found a {} that does not. {advice}",
                self.field.data_type()
            ))
        })
    }
}

/// Numbers, bools and cells of bytes are never null in NumPy, so they are required and have no levels.
fn may_be_null(source: ColumnSource<'_>) -> bool {
    match source {
        ColumnSource::Block(block, _) => {
            matches!(block.grid.dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta)
        }
        ColumnSource::Array(_) => true,
    }
}

fn kind(field: &Field, source: ColumnSource<'_>) -> Result<RootStorage> {
    if let DataType::Dictionary(_, values) = field.data_type() {
        if matches!(values.as_ref(), DataType::Dictionary(..)) {
            let message =
                "a dictionary of dictionaries is nothing that Parquet has. Decode one of them first.";
            return Err(Error::unrepresentable("parquet", message));
        }
        let beside = DictionaryStorage::of(field.data_type());
        let column = beside.as_ref().map_or(field.data_type(), DictionaryStorage::data_type);
        let stored = LeafType::of(&field.clone().with_data_type(column.clone()));
        let stored = stored.ok_or_else(|| Error::unrepresentable("parquet", "keys of no known type."))?;
        return match (beside, source) {
            (Some(DictionaryStorage::Values(_)), _) => Ok(RootStorage::PlainValues(stored)),
            (Some(DictionaryStorage::Codes(_)), _) => Ok(RootStorage::Codes(stored)),
            (None, ColumnSource::Array(data)) => {
                let values = dictionaries::values(data)?;
                let fits = fits::fits(values, values.nulls(), &stored);
                Ok(RootStorage::Leaf(leaf_or_exact(field, stored, fits)))
            }
            (None, ColumnSource::Block(..)) => Ok(RootStorage::Leaf(stored)),
        };
    }
    let runs = matches!(field.data_type(), DataType::RunEndEncoded(..));
    let Some(stored) = LeafType::of(field).filter(|_| !runs) else { return tree(field, source) };
    let mut fits = true;
    if LeafType::exact(field.data_type()).is_some() {
        each_packed(&[source], |_, column| {
            let data = leaves::array(&column, field.data_type())?;
            fits = fits::fits(&data, data.nulls(), &stored);
            Ok(())
        })?;
    }
    Ok(RootStorage::Leaf(leaf_or_exact(field, stored, fits)))
}

fn tree(field: &Field, source: ColumnSource<'_>) -> Result<RootStorage> {
    let mut found = None;
    let field = nested::field(field);
    each_packed(&[source], |_, column| {
        let data = leaves::array(&column, field.data_type())?;
        found = Some(Tree::of(&field, &nested::array(&data)?)?);
        Ok(())
    })?;
    let found = found.ok_or_else(|| Error::unrepresentable("parquet", "a column without values."))?;
    Ok(RootStorage::Nested(Box::new(found)))
}

/// Returns the leaf that other readers understand, or Arrow's own bytes if a value does not fit it.
fn leaf_or_exact(field: &Field, stored: LeafType, fits: bool) -> LeafType {
    if fits { stored } else { LeafType::exact(field.data_type()).unwrap_or(stored) }
}
