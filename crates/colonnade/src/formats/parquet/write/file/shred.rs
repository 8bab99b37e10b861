//! Shreds nested arrays into leaves: the values of each leaf, and a definition and a repetition level for each value (Dremel).
//!
//! Lists are resolved by their offsets. Their values are contiguous in the child array, so a leaf usually borrows a slice, and only
//! levels are allocated.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeListArray, StructArray, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_data::ArrayData;
use arrow_schema::DataType;
use arrow_select::take::take as select;

use crate::error::{Error, Result};
use crate::formats::parquet::types::LeafType;
use crate::formats::parquet::write::column::NestedLevels;

use super::dictionaries;
use super::entries::{LevelEntries, malformed_array};
use super::node::{NestedNode, NodeShape};

/// A leaf of a nested array.
pub(super) struct ShreddedLeaf<'s> {
    /// Number of the leaf in the tree.
    pub(super) leaf: usize,
    pub(super) stored: &'s LeafType,
    /// The values. Ranges between live values are masked by `nulls`.
    pub(super) data: ArrayData,
    /// Validity of the values.
    pub(super) nulls: Option<NullBuffer>,
    pub(super) levels: NestedLevels<'s>,
}

type TakeShredded<'t> = &'t mut dyn FnMut(ShreddedLeaf<'_>) -> Result<()>;

/// Decides which nodes of the array are visited.
type VisitsNode<'t> = &'t dyn Fn(&NestedNode, &ArrayRef) -> bool;

/// Passes each leaf of the range `leaf_range` to `take`, except those below a node that `wants` rejects.
///
/// # Errors
/// `Unrepresentable`: nulls in a required field. Malformed: arrays that break Arrow's layout. Errors of `take`.
pub(super) fn shred(
    node: &NestedNode,
    array: &ArrayRef,
    leaf_range: &Range<usize>,
    wants: VisitsNode<'_>,
    take: TakeShredded<'_>,
) -> Result<()> {
    walk(node, array, LevelEntries::rows(array.len()), leaf_range, wants, take)
}

fn walk(
    node: &NestedNode,
    array: &ArrayRef,
    mut entries: LevelEntries<'_>,
    leaf_range: &Range<usize>,
    wants: VisitsNode<'_>,
    take: TakeShredded<'_>,
) -> Result<()> {
    if node.leaves.start >= leaf_range.end || node.leaves.end <= leaf_range.start || !wants(node, array) {
        return Ok(());
    }
    let plain;
    let array = match array.data_type() {
        DataType::Dictionary(..) => {
            plain =
                arrow_array::make_array(dictionaries::without_null_values(&array.to_data())?.into_owned());
            &plain
        }
        _ => array,
    };
    let nulls = match array.data_type() {
        DataType::Null => Some(NullBuffer::new_null(array.len())),
        _ => array.nulls().filter(|nulls| nulls.null_count() > 0).cloned(),
    };
    let nulls = nulls.as_ref();
    if node.optional {
        entries.enter_optional(nulls);
    } else if entries.any_null(nulls) {
        let message =
            format!("expected no nulls in {:?}, as its field is not nullable. Fill them first.", node.name);
        return Err(Error::unrepresentable("parquet", message));
    }
    match &node.shape {
        NodeShape::Leaf(stored) => {
            let (stretch, nulls) = entries.live_extent(nulls);
            take(ShreddedLeaf {
                leaf: node.leaves.start,
                stored,
                data: array.to_data().slice(stretch.start, stretch.len()),
                nulls: nulls.filter(|nulls| nulls.null_count() > 0),
                levels: NestedLevels {
                    definition: &entries.definition,
                    max_definition: entries.depth,
                    repetition: &entries.repetition,
                    max_repetition: entries.lists,
                },
            })
        }
        NodeShape::Struct(below) => {
            entries.drop_nulls(nulls);
            let array = array.as_struct_opt().ok_or_else(|| malformed_array("a struct is none"))?;
            each_child(array, below, &entries, leaf_range, wants, take)
        }
        NodeShape::List(element) | NodeShape::Map(element) => {
            entries.drop_nulls(nulls);
            let (values, entries) = lists(array, &entries)?;
            walk(element, &values, entries, leaf_range, wants, take)
        }
    }
}

fn each_child(
    array: &StructArray,
    below: &[NestedNode],
    entries: &LevelEntries<'_>,
    leaf_range: &Range<usize>,
    wants: VisitsNode<'_>,
    take: TakeShredded<'_>,
) -> Result<()> {
    below
        .iter()
        .zip(array.columns())
        .try_for_each(|(node, column)| walk(node, column, entries.reborrow(), leaf_range, wants, &mut *take))
}

/// Returns the child of an array of lists, and the entries of its values.
fn lists(array: &ArrayRef, entries: &LevelEntries<'_>) -> Result<(ArrayRef, LevelEntries<'static>)> {
    match array.data_type() {
        DataType::List(_) => {
            let array = array.as_list::<i32>();
            Ok((array.values().clone(), list_entries(entries, array.values().len(), array.value_offsets())?))
        }
        DataType::LargeList(_) => {
            let array = array.as_list::<i64>();
            Ok((array.values().clone(), list_entries(entries, array.values().len(), array.value_offsets())?))
        }
        DataType::Map(..) => {
            let array = array.as_map();
            let entries = list_entries(entries, array.entries().len(), array.value_offsets())?;
            Ok((std::sync::Arc::new(array.entries().clone()), entries))
        }
        DataType::FixedSizeList(..) => {
            let array: &FixedSizeListArray = array.as_fixed_size_list();
            let size = usize::try_from(array.value_length()).unwrap_or(0);
            let extent =
                |list: usize| Some((list.checked_mul(size)?, list.checked_add(1)?.checked_mul(size)?));
            Ok((array.values().clone(), entries.list(array.values().len(), extent)?))
        }
        DataType::ListView(_) => {
            let array = array.as_list_view::<i32>();
            list_view_entries(array.values(), array.value_offsets(), array.value_sizes(), entries)
        }
        DataType::LargeListView(_) => {
            let array = array.as_list_view::<i64>();
            list_view_entries(array.values(), array.value_offsets(), array.value_sizes(), entries)
        }
        _ => Err(malformed_array("a list is none")),
    }
}

/// Returns the entries of lists whose values are contiguous.
fn list_entries<O: Copy + TryInto<usize>>(
    entries: &LevelEntries<'_>,
    most: usize,
    offsets: &[O],
) -> Result<LevelEntries<'static>> {
    if let Some(below) = entries.contiguous_lists(most, offsets) {
        return Ok(below);
    }
    entries.list(most, |list| {
        let (start, end) = (offsets.get(list)?, offsets.get(list + 1)?);
        Some(((*start).try_into().ok()?, (*end).try_into().ok()?))
    })
}

/// Gathers the values of list views, which may be in any order and may overlap, into one child array.
fn list_view_entries<O: Copy + TryInto<u64>>(
    values: &ArrayRef,
    offsets: &[O],
    sizes: &[O],
    entries: &LevelEntries<'_>,
) -> Result<(ArrayRef, LevelEntries<'static>)> {
    let (mut places, mut ends) = (Vec::new(), vec![0usize; offsets.len() + 1]);
    let mut behind = 0;
    for list in entries.live.iter().flat_map(Range::clone) {
        // Lists without an entry have no values.
        ends.get_mut(behind..=list).unwrap_or_default().fill(places.len());
        behind = list + 1;
        let (Some(start), Some(size)) = (
            offsets.get(list).and_then(|&o| o.try_into().ok()),
            sizes.get(list).and_then(|&o| o.try_into().ok()),
        ) else {
            return Err(malformed_array("an offset or a size is missing or negative"));
        };
        let end = start.checked_add(size).filter(|&end| end <= values.len() as u64);
        places.extend(start..end.ok_or_else(|| malformed_array("an offset passes the values of its lists"))?);
    }
    ends.get_mut(behind..).unwrap_or_default().fill(places.len());
    let n = places.len();
    let values = select(values, &UInt64Array::from(places), None);
    let values =
        values.map_err(|e| Error::unrepresentable("parquet", format!("lists in any order: {e}.")))?;
    let extent = |list: usize| Some((*ends.get(list)?, *ends.get(list + 1)?));
    Ok((values, entries.list(n, extent)?))
}
