//! The footer: the schema, the row groups, and the column chunks of the projected columns.
//!
//! ```text
//! "PAR1" | pages ... | FileMetaData (thrift) | its length (4 bytes) | "PAR1"
//! ```
//!
//! A file of 18,000 columns has a footer of megabytes. Chunks of columns outside of the projection are skipped without being
//! decoded. All structures borrow from the footer's bytes.

use crate::error::Result;

use super::chunk::{self, ColumnChunk};
use super::schema::{Element, SchemaLeaf, leaves};
use super::thrift::{Thrift, ThriftType};

/// A row group.
#[derive(Debug, Clone, Default)]
pub struct RowGroup<'a> {
    /// Number of rows.
    pub nrows: u64,
    /// Decompressed bytes of all columns.
    pub nbytes: u64,
    /// The chunks of the projected leaves, in the order of the projection.
    pub chunks: Vec<ColumnChunk<'a>>,
}

/// A decoded footer.
#[derive(Debug, Clone, Default)]
pub struct Footer<'a> {
    /// Format version: 1 or 2.
    pub version: i32,
    /// Number of rows of the file.
    pub nrows: u64,
    /// The schema's elements, depth first. The first one is the root.
    pub elements: Vec<Element<'a>>,
    /// The leaves of the schema, in the order of the columns.
    pub leaves: Vec<SchemaLeaf>,
    /// Indexes of the projected leaves.
    pub projection: Vec<usize>,
    /// Row groups.
    pub groups: Vec<RowGroup<'a>>,
    /// For each projected leaf, whether its statistics use the order of its type (`TypeDefinedOrder`).
    pub ordered: Vec<bool>,
    /// Key-value metadata of the file.
    pub metadata: Vec<(&'a str, Option<&'a str>)>,
    /// Name and version of the writer.
    pub created_by: Option<&'a str>,
    /// Whether columns may be encrypted.
    pub encrypted: bool,
}

impl<'a> Footer<'a> {
    /// Reads the footer `bytes`, which start at byte `base` of the file. `select` selects the leaves of the projection.
    ///
    /// # Errors
    /// Malformed or truncated footers; errors of `select`.
    pub fn read(
        bytes: &'a [u8],
        base: u64,
        select: impl FnOnce(&[Element<'a>], &[SchemaLeaf]) -> Result<Vec<usize>>,
    ) -> Result<Self> {
        let mut thrift = Thrift::new(bytes, base, "the footer");
        let t = &mut thrift;
        let mut out = Self::default();
        let mut select = Some(select);
        let mut choose = |out: &mut Self| -> Result<()> {
            if let Some(select) = select.take() {
                out.projection = select(&out.elements, &out.leaves)?;
            }
            Ok(())
        };
        let (mut schema, mut groups_at, mut orders_at, mut rows, mut last) = (false, None, None, None, 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (1, ThriftType::I32) => out.version = t.i32()?,
                (2, ThriftType::List) => {
                    out.elements = elements(t)?;
                    out.leaves = leaves(&out.elements).map_err(|e| e.at(base))?;
                    schema = true;
                }
                (3, ThriftType::I64) => rows = Some(t.count()?),
                // A few writers put the row groups before the schema. Their position is recorded, and they are read after the
                // schema.
                (4, ThriftType::List) if schema => {
                    choose(&mut out)?;
                    out.groups = groups(t, &out.projection, &out.leaves)?;
                }
                (4, ThriftType::List) => {
                    groups_at = Some(t.position());
                    t.skip(field.wire)?;
                }
                (5, ThriftType::List) => out.metadata = pairs(t)?,
                (6, ThriftType::Binary) => out.created_by = t.text().ok(),
                (7, ThriftType::List) => {
                    orders_at = Some(t.position());
                    t.skip(field.wire)?;
                }
                (8, ThriftType::Struct) => {
                    out.encrypted = true;
                    t.skip(field.wire)?;
                }
                _ => t.skip(field.wire)?,
            }
        }
        let (true, Some(nrows)) = (schema, rows) else {
            return Err(t.fault("it says no schema or no number of rows"));
        };
        out.nrows = nrows;
        choose(&mut out)?;
        if let Some(at) = groups_at {
            t.seek(at);
            out.groups = groups(t, &out.projection, &out.leaves)?;
        }
        if let Some(at) = orders_at {
            t.seek(at);
            let orders = type_defined_orders(t, out.leaves.len())?;
            let leaf = |n: usize| Some((*orders.get(n)?, out.elements.get(out.leaves.get(n)?.element)?));
            let ordered =
                out.projection.iter().map(|&n| leaf(n).is_some_and(|(of_type, e)| of_type && e.has_order()));
            out.ordered = ordered.collect();
        }
        // The sum over the row groups is used: some writers leave the file's number of rows at 0.
        let sum = out.groups.iter().try_fold(0u64, |sum, group| sum.checked_add(group.nrows));
        match sum {
            Some(sum) if sum == nrows || nrows == 0 => out.nrows = sum,
            _ => {
                let found = sum.unwrap_or(u64::MAX);
                return Err(t.fault(&format!("the file says {nrows} rows, its row groups {found}")));
            }
        }
        Ok(out)
    }

    /// Returns the value of a key of the file's metadata.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&'a str> {
        self.metadata.iter().find(|(k, _)| *k == key).and_then(|(_, v)| *v)
    }
}

/// Reads for each column whether its order is `TypeDefinedOrder`. Returns an empty list if its length is not that of the columns.
fn type_defined_orders(t: &mut Thrift<'_>, nleaves: usize) -> Result<Vec<bool>> {
    let (wire, n) = t.list()?;
    if wire != ThriftType::Struct || n != nleaves {
        return Ok(Vec::new());
    }
    let mut out = Vec::with_capacity(n);
    for _ in 0..n {
        // ColumnOrder is a union. Its first variant is `TypeDefinedOrder`.
        let (mut of_type, mut last) = (false, 0);
        while let Some(kind) = t.field(&mut last)? {
            of_type = kind.id == 1;
            t.skip(kind.wire)?;
        }
        out.push(of_type);
    }
    Ok(out)
}

fn elements<'a>(t: &mut Thrift<'a>) -> Result<Vec<Element<'a>>> {
    let n = t.structs()?;
    // An element has at least two bytes, and `structs` has refused more elements than bytes, so this allocation is bounded.
    let mut out = Vec::with_capacity(n);
    for _ in 0..n {
        out.push(Element::read(t)?);
    }
    Ok(out)
}

fn pairs<'a>(t: &mut Thrift<'a>) -> Result<Vec<(&'a str, Option<&'a str>)>> {
    let n = t.structs()?;
    let mut out = Vec::with_capacity(n.min(64));
    for _ in 0..n {
        let (mut key, mut value, mut last) = (None, None, 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                // A key that is not UTF-8 is none of the keys that the reader looks up.
                (1, ThriftType::Binary) => key = simdutf8::basic::from_utf8(t.binary()?).ok(),
                (2, ThriftType::Binary) => value = simdutf8::basic::from_utf8(t.binary()?).ok(),
                _ => t.skip(field.wire)?,
            }
        }
        out.extend(key.map(|key| (key, value)));
    }
    Ok(out)
}

fn groups<'a>(t: &mut Thrift<'a>, projection: &[usize], leaves: &[SchemaLeaf]) -> Result<Vec<RowGroup<'a>>> {
    let nleaves = leaves.len();
    let n = t.structs()?;
    let mut out = Vec::with_capacity(n.min(1024));
    for number in 0..n {
        let (mut group, mut found, mut rows, mut last) = (RowGroup::default(), false, None, 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (1, ThriftType::List) => {
                    let columns = t.structs()?;
                    if columns != nleaves {
                        return Err(t.fault(&format!(
                            "row group {number} has {columns} columns, the schema has {nleaves}"
                        )));
                    }
                    group.chunks = chunks(t, leaves, projection)?;
                    found = true;
                }
                (2, ThriftType::I64) => group.nbytes = t.i64()?.max(0).cast_unsigned(),
                (3, ThriftType::I64) => rows = Some(t.count()?),
                _ => t.skip(field.wire)?,
            }
        }
        let (true, Some(nrows)) = (found, rows) else {
            return Err(t.fault(&format!("row group {number} says no columns or no number of rows")));
        };
        group.nrows = nrows;
        out.push(group);
    }
    Ok(out)
}

/// Reads the chunks of the leaves in `projection`, which may be in any order.
fn chunks<'a>(
    t: &mut Thrift<'a>,
    leaves: &[SchemaLeaf],
    projection: &[usize],
) -> Result<Vec<ColumnChunk<'a>>> {
    let mut places: Vec<(usize, usize)> =
        projection.iter().copied().enumerate().map(|(k, leaf)| (leaf, k)).collect();
    places.sort_unstable();
    let mut out = vec![ColumnChunk::default(); projection.len()];
    let mut places = places.into_iter().peekable();
    for (leaf, levels) in leaves.iter().enumerate() {
        if places.peek().is_none_or(|(next, _)| *next != leaf) {
            t.skip(ThriftType::Struct)?;
            continue;
        }
        let chunk = chunk::read(t)?;
        for (count, most) in chunk.histograms.iter().zip([levels.repetition, levels.definition]) {
            if let Some(count) = count.filter(|count| *count != usize::from(most) + 1) {
                return Err(t.fault(&format!("a histogram of {count} levels, expected {}", most + 1)));
            }
        }
        while let Some((_, k)) = places.next_if(|(next, _)| *next == leaf) {
            if let Some(place) = out.get_mut(k) {
                *place = chunk;
            }
        }
    }
    Ok(out)
}
