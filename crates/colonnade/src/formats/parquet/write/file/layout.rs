//! The fields of a schema as Parquet's: which leaf or group each is, and how it is encoded.

use std::collections::BTreeMap;

use arrow_schema::{DataType, Field, FieldRef, Fields};

use crate::error::{Error, Result};
use crate::formats::parquet::schema::Element;
use crate::formats::parquet::types::{Beside, Stored, Way};
use crate::frame::DTypeKind;

use super::options::WriteOptions;
use super::root::{Kind, Root, RootLeaf};
use super::source::{Source, each_packed};
use super::tree::Tree;
use super::{dictionaries, elements, fits, leaves, nested};

/// All columns.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) roots: Vec<Root>,
    /// The schema's elements in the footer's form.
    pub(super) elements: Vec<u8>,
    pub(super) nelements: usize,
    pub(super) nleaves: usize,
    /// Dictionaries that stand in the file's metadata, by name of the field, in their form there.
    pub(super) kept: BTreeMap<String, String>,
    /// Those of a first chunk without rows, which only a file without rows needs.
    pub(super) unpaged: BTreeMap<String, String>,
    /// Dictionaries with nulls among their values, which no page holds, for the values to be given back among them.
    pub(super) nulled: BTreeMap<String, String>,
}

impl Layout {
    /// The layout of a file whose first chunk has the columns `sources`.
    ///
    /// # Errors
    /// `Unrepresentable` for what Parquet cannot hold, `InvalidOption` for encodings that a column cannot have; both say
    /// the column.
    pub(super) fn of(fields: &Fields, sources: &[Source<'_>], options: &WriteOptions) -> Result<Self> {
        let mut out = Self {
            roots: Vec::with_capacity(fields.len()),
            elements: Vec::new(),
            nelements: 1,
            nleaves: 0,
            kept: BTreeMap::new(),
            unpaged: BTreeMap::new(),
            nulled: BTreeMap::new(),
        };
        let root = Element { name: "schema", children: fields.len(), ..Element::default() };
        elements::push(&mut out.elements, &root);
        for (field, source) in fields.iter().zip(sources) {
            out.add(field, *source, options).map_err(|e| e.in_member(field.name().clone()))?;
        }
        options.check_names(&out.roots)?;
        Ok(out)
    }

    /// Refuses a later chunk that the layout cannot hold, before anything of it is written. Columns of another type are left to
    /// the exporter to refuse.
    ///
    /// # Errors
    /// `Unrepresentable`: nulls where none may be; another dictionary than the one that stands for all chunks; values that
    /// do not fit the leaf, as those of the first chunk did.
    pub(super) fn admit(&self, sources: &[Source<'_>]) -> Result<()> {
        for (root, source) in self.roots.iter().zip(sources) {
            root.admit(*source, &self.kept).map_err(|e| e.in_member(root.field.name().clone()))?;
        }
        Ok(())
    }

    fn add(&mut self, field: &FieldRef, source: Source<'_>, options: &WriteOptions) -> Result<()> {
        if let Source::Array(data) = source
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
            Kind::Leaf(stored) | Kind::NonNullValues(stored) | Kind::Codes(stored) => {
                elements::leaf(&mut self.elements, field.name(), field, stored, optional);
                self.nelements += 1;
                let categories =
                    matches!(kind, Kind::Leaf(_)) && matches!(field.data_type(), DataType::Dictionary(..));
                let settings = options.of_column(field.name(), stored.physical, categories)?.map(Box::new);
                let path = vec![field.name().clone()];
                vec![RootLeaf { physical: stored.physical.number(), path, settings }]
            }
            Kind::Nested(tree) => {
                self.nelements += tree.push(&mut self.elements, &nested::field(field));
                let all = options.of_leaves(&tree.leaves)?.into_iter();
                let leaves = tree.leaves.iter().zip(all).map(|((physical, path), settings)| RootLeaf {
                    physical: physical.number(),
                    path: path.clone(),
                    settings: settings.map(Box::new),
                });
                leaves.collect()
            }
        };
        if let Source::Array(data) = source
            && matches!(data.data_type(), DataType::Dictionary(..))
        {
            if matches!(kind, Kind::NonNullValues(_) | Kind::Codes(_)) {
                self.kept.insert(field.name().clone(), dictionaries::kept(dictionaries::values(data)?)?);
            } else if dictionaries::values(data)?.null_count() > 0 {
                self.nulled.insert(field.name().clone(), dictionaries::kept(dictionaries::values(data)?)?);
            } else if data.is_empty() {
                self.unpaged.insert(field.name().clone(), dictionaries::kept(dictionaries::values(data)?)?);
            }
        }
        self.nleaves += leaves.len();
        self.roots.push(Root { field: FieldRef::clone(field), kind, optional, leaves });
        Ok(())
    }
}

impl Root {
    fn admit(&self, source: Source<'_>, kept: &BTreeMap<String, String>) -> Result<()> {
        let refuse = |message: String| Err(Error::unrepresentable("parquet", message));
        match source {
            Source::Array(data) if data.data_type() != self.field.data_type() => return Ok(()),
            Source::Block(block, _) => {
                let times = matches!(block.grid.dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta);
                if !times || block.grid.dtype.itemsize != 8 {
                    return Ok(());
                }
            }
            Source::Array(data) => {
                if !self.optional && data.null_count() > 0 {
                    let found = data.null_count();
                    return refuse(format!(
                        "expected no nulls, as the field is not nullable, found {found}. Fill them first."
                    ));
                }
                if let Some(kept) = kept.get(self.field.name())
                    && dictionaries::kept(dictionaries::values(data)?)? != *kept
                {
                    let advice = "Give all chunks the same categories.";
                    return refuse(format!(
                        "expected the categories of the first chunk, found others. {advice}"
                    ));
                }
            }
        }
        let stored = match &self.kind {
            Kind::Leaf(stored) => stored,
            Kind::Nested(tree) => {
                return match source {
                    Source::Array(data) => tree.admit(&nested::array(data)?),
                    Source::Block(..) => Ok(()),
                };
            }
            Kind::NonNullValues(_) | Kind::Codes(_) => return Ok(()),
        };
        let turned = !matches!(stored.way, Way::Same | Way::Narrow(_) | Way::Nothing | Way::Empty);
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

/// Numbers, bools and cells of bytes are never null in NumPy; readers are spared the levels that would say so.
fn may_be_null(source: Source<'_>) -> bool {
    match source {
        Source::Block(block, _) => {
            matches!(block.grid.dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta)
        }
        Source::Array(_) => true,
    }
}

fn kind(field: &Field, source: Source<'_>) -> Result<Kind> {
    if let DataType::Dictionary(_, values) = field.data_type() {
        if matches!(values.as_ref(), DataType::Dictionary(..)) {
            let message =
                "a dictionary of dictionaries is nothing that Parquet has. Decode one of them first.";
            return Err(Error::unrepresentable("parquet", message));
        }
        let beside = Beside::of(field.data_type());
        let column = beside.as_ref().map_or(field.data_type(), Beside::data_type);
        let stored = Stored::of(&field.clone().with_data_type(column.clone()));
        let stored = stored.ok_or_else(|| Error::unrepresentable("parquet", "keys of no known type."))?;
        return match (beside, source) {
            (Some(Beside::Values(_)), _) => Ok(Kind::NonNullValues(stored)),
            (Some(Beside::Codes(_)), _) => Ok(Kind::Codes(stored)),
            (None, Source::Array(data)) => {
                let values = dictionaries::values(data)?;
                let fits = fits::fits(values, values.nulls(), &stored);
                Ok(Kind::Leaf(chosen(field, stored, fits)))
            }
            (None, Source::Block(..)) => Ok(Kind::Leaf(stored)),
        };
    }
    let runs = matches!(field.data_type(), DataType::RunEndEncoded(..));
    let Some(stored) = Stored::of(field).filter(|_| !runs) else { return tree(field, source) };
    let mut fits = true;
    if Stored::exact(field.data_type()).is_some() {
        each_packed(&[source], |_, column| {
            let data = leaves::array(&column, field.data_type())?;
            fits = fits::fits(&data, data.nulls(), &stored);
            Ok(())
        })?;
    }
    Ok(Kind::Leaf(chosen(field, stored, fits)))
}

fn tree(field: &Field, source: Source<'_>) -> Result<Kind> {
    let mut found = None;
    let field = nested::field(field);
    each_packed(&[source], |_, column| {
        let data = leaves::array(&column, field.data_type())?;
        found = Some(Tree::of(&field, &nested::array(&data)?)?);
        Ok(())
    })?;
    let found = found.ok_or_else(|| Error::unrepresentable("parquet", "a column without values."))?;
    Ok(Kind::Nested(Box::new(found)))
}

/// The leaf that others understand, or Arrow's own bytes where a value does not fit that one.
fn chosen(field: &Field, stored: Stored, fits: bool) -> Stored {
    if fits { stored } else { Stored::exact(field.data_type()).unwrap_or(stored) }
}
