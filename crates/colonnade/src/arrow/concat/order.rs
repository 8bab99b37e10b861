//! Merges the dictionaries of several arrays: those within other types, and ordered ones in an order compatible with all.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::common_order::common_order;
use super::dictionary::{self, MergedDictionary, longest};
use crate::arrow::names;
use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::frame::{Axis, Column, Labels, Level, children};

/// The next step in error messages.
pub(crate) const ONE_BY_ONE: &str = "Read the batches or row groups one by one, with open_reader.";

/// The error of two categories in opposite orders.
pub(crate) fn message(first: &str, second: &str) -> String {
    format!("expected the category {second} before {first} as in earlier chunks, found it after.")
}

/// A dictionary that all pieces must share.
struct SharedDictionary<'d> {
    values: &'d ArrayData,
    key: &'d DataType,
    is_ordered: bool,
    /// The column itself is the dictionary array, not a child of another type.
    is_column: bool,
}

/// Gives all pieces the same dictionary, for each dictionary that is ordered or within another type. Arrow's kernel would
/// append such dictionaries to each other, or keep only used values. `None`: the pieces need no change.
///
/// # Errors
/// Two dictionaries have two categories in opposite orders.
pub(super) fn align(pieces: &[&ArrayData], is_ordered: bool) -> Result<Option<Vec<ArrayData>>> {
    let all: Vec<Vec<SharedDictionary<'_>>> = pieces
        .iter()
        .map(|piece| {
            let mut found = Vec::new();
            dictionaries(piece, is_ordered, true, &mut found);
            found
        })
        .collect();
    let n = all.first().map_or(0, Vec::len);
    let groups: Vec<Vec<&SharedDictionary<'_>>> =
        (0..n).map(|k| all.iter().filter_map(|found| found.get(k)).collect()).collect();
    if groups.iter().all(|group| is_shared(group)) {
        return Ok(None);
    }
    let merged: Vec<Option<MergedDictionary>> =
        groups.iter().map(|group| merge(group)).collect::<Result<_>>()?;
    let pieces = pieces.iter().enumerate().map(|(i, piece)| {
        let mut dictionaries = merged.iter().map(Option::as_ref);
        recode(piece, is_ordered, i, &mut dictionaries, true)
    });
    pieces.collect::<Result<_>>().map(Some)
}

/// Collects the dictionaries of an array that all pieces must share. The order is the same for all arrays of a type.
fn dictionaries<'d>(
    data: &'d ArrayData,
    is_ordered: bool,
    is_column: bool,
    out: &mut Vec<SharedDictionary<'d>>,
) {
    match data.data_type() {
        DataType::Dictionary(key, _) => {
            if is_ordered || !is_column {
                let values = data.child_data().first();
                out.extend(values.map(|values| SharedDictionary { values, key, is_ordered, is_column }));
            }
        }
        other => {
            for (field, child) in children(other).into_iter().zip(data.child_data()) {
                dictionaries(child, field.dict_is_ordered().unwrap_or(false), false, out);
            }
        }
    }
}

/// Whether Arrow's kernel joins these dictionaries without a change.
fn is_shared(group: &[&SharedDictionary<'_>]) -> bool {
    let Some(first) = group.first() else { return true };
    if group.iter().all(|other| other.values.ptr_eq(first.values)) {
        return true;
    }
    first.is_column && longest(&values_of(group)).is_some()
}

fn values_of<'d>(group: &[&SharedDictionary<'d>]) -> Vec<&'d ArrayData> {
    group.iter().map(|dictionary| dictionary.values).collect()
}

/// Merges dictionaries to one. `None`: an unordered one has too many values for the type of its codes.
fn merge(group: &[&SharedDictionary<'_>]) -> Result<Option<MergedDictionary>> {
    let values = values_of(group);
    let Some(first) = group.first() else { return Ok(None) };
    if let Some(longest) = longest(&values) {
        // All codes stay valid.
        return Ok(Some(MergedDictionary { values: longest.clone(), maps: Vec::new() }));
    }
    if first.is_ordered {
        let merged = merge_in_order(&values, false)?;
        return merged.map(Some).map_err(|wrong| Error::malformed("frame", format!("{wrong} {ONE_BY_ONE}")));
    }
    let merged = MergedDictionary::new(&values, first.values.data_type())?;
    let fits = dictionary::key_type_for(first.key.clone(), merged.values.len()) == *first.key;
    Ok(fits.then_some(merged))
}

/// Replaces each dictionary of piece `i` by the next of `merged`. `is_column`: the codes of a column may become wider.
fn recode<'m>(
    data: &ArrayData,
    is_ordered: bool,
    i: usize,
    merged: &mut impl Iterator<Item = Option<&'m MergedDictionary>>,
    is_column: bool,
) -> Result<ArrayData> {
    match data.data_type() {
        DataType::Dictionary(key, _) => {
            if !is_ordered && is_column {
                return Ok(data.clone());
            }
            let Some(merged) = merged.next().flatten() else { return Ok(data.clone()) };
            let key_type = dictionary::key_type_for((**key).clone(), merged.values.len());
            if key_type != **key && !is_column {
                let message = format!(
                    "{} categories together, too many for their codes of {key}.",
                    merged.values.len()
                );
                return Err(Error::unsupported("frame", format!("{message} {ONE_BY_ONE}")));
            }
            let keys = dictionary::keys_of(data, key)?;
            let keys = match merged.maps.get(i) {
                Some(map) => dictionary::recode(&keys, map, &key_type)?,
                None => keys,
            };
            dictionary::dictionary(&key_type, keys, merged.values.clone())
        }
        other => {
            let pairs = children(other).into_iter().zip(data.child_data());
            let recoded: Vec<ArrayData> = pairs
                .map(|(field, child)| {
                    recode(child, field.dict_is_ordered().unwrap_or(false), i, merged, false)
                })
                .collect::<Result<_>>()?;
            if recoded.is_empty() {
                return Ok(data.clone());
            }
            // Trusted: each child keeps its type and length. `recode` changes the type of codes only in a column, and maps
            // codes to keys of the new dictionary.
            Ok(trusted_array(data.clone().into_builder().child_data(recoded)))
        }
    }
}

/// The distinct values of all dictionaries, in an order compatible with all; or the message of a conflict. `grow`: new
/// values can only be appended.
///
/// # Errors
/// The dictionaries cannot be merged.
pub(in crate::arrow) fn merged_values(
    all: &[&ArrayData],
    grow: bool,
) -> Result<std::result::Result<ArrayData, String>> {
    match longest(all) {
        Some(longest) => Ok(Ok(longest.clone())),
        None => Ok(merge_in_order(all, grow)?.map(|merged| merged.values)),
    }
}

/// The merged values, or the message of a conflict.
fn merge_in_order(all: &[&ArrayData], grow: bool) -> Result<std::result::Result<MergedDictionary, String>> {
    let value_type = all.first().map_or(&DataType::Null, |d| d.data_type());
    let mut merged = MergedDictionary::new(all, value_type)?;
    let maps: Vec<&[usize]> = merged.maps.iter().map(Vec::as_slice).collect();
    let conflict = match common_order(&maps) {
        Ok(None) => None,
        Ok(Some(order)) if grow => order.windows(2).find_map(|pair| match *pair {
            [first, second] if first > second => Some((first, second)),
            _ => None,
        }),
        Ok(Some(order)) => {
            merged.reorder(&order)?;
            None
        }
        Err(conflict) => Some(conflict),
    };
    Ok(match conflict {
        None => Ok(merged),
        Some((first, second)) => {
            Err(message(&value_text(&merged.values, first), &value_text(&merged.values, second)))
        }
    })
}

/// A value in error messages.
fn value_text(values: &ArrayData, at: usize) -> String {
    let level = Level::Column(Column::new(values.slice(at, 1)));
    let axis = Axis { labels: Labels::Levels(vec![level]), ..Axis::range(1) };
    let text = names::texts(&axis).ok().and_then(|mut texts| texts.pop().flatten());
    text.map_or_else(|| format!("number {at}"), |text| format!("{text:?}"))
}
