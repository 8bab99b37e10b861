//! Dictionaries of several pieces as one: within other types, and where their order means something in the one order that suits
//! all.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::agreed::agreed;
use super::dictionary::{self, Merged, longest};
use crate::arrow::names;
use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::frame::{Axis, Column, Labels, Level, children};

/// What a reader can do.
pub(crate) const ONE_BY_ONE: &str = "Read the batches or row groups one by one, with open_reader.";

/// What is wrong with the order of these two.
pub(crate) fn message(first: &str, second: &str) -> String {
    format!("expected the category {second} before {first} as in the chunks before, found it behind.")
}

/// A dictionary that all pieces must share.
struct Found<'d> {
    values: &'d ArrayData,
    key: &'d DataType,
    is_ordered: bool,
    /// Nothing stands around it.
    is_whole: bool,
}

/// Arrays of one type with the same dictionary each, wherever one stands within another type or its order means something:
/// Arrow's kernel would put dictionaries that lie apart one behind the other, or keep the used values alone. `None` where they
/// fit as they are.
///
/// # Errors
/// Two categories stand the other way round in two of them.
pub(super) fn aligned(pieces: &[&ArrayData], is_ordered: bool) -> Result<Option<Vec<ArrayData>>> {
    let all: Vec<Vec<Found<'_>>> = pieces
        .iter()
        .map(|piece| {
            let mut own = Vec::new();
            dictionaries(piece, is_ordered, true, &mut own);
            own
        })
        .collect();
    let n = all.first().map_or(0, Vec::len);
    let same: Vec<Vec<&Found<'_>>> =
        (0..n).map(|k| all.iter().filter_map(|own| own.get(k)).collect()).collect();
    if same.iter().all(|found| fits(found)) {
        return Ok(None);
    }
    let merged: Vec<Option<Merged>> = same.iter().map(|found| one(found)).collect::<Result<_>>()?;
    let recoded = pieces.iter().enumerate().map(|(i, piece)| {
        let mut dictionaries = merged.iter().map(Option::as_ref);
        recoded(piece, is_ordered, i, &mut dictionaries, true)
    });
    recoded.collect::<Result<_>>().map(Some)
}

/// The dictionaries of an array that all pieces must share, always in the same order.
fn dictionaries<'d>(data: &'d ArrayData, is_ordered: bool, is_whole: bool, out: &mut Vec<Found<'d>>) {
    match data.data_type() {
        DataType::Dictionary(key, _) => {
            if is_ordered || !is_whole {
                let values = data.child_data().first();
                out.extend(values.map(|values| Found { values, key, is_ordered, is_whole }));
            }
        }
        other => {
            for (field, child) in children(other).into_iter().zip(data.child_data()) {
                dictionaries(child, field.dict_is_ordered().unwrap_or(false), false, out);
            }
        }
    }
}

/// Whether the same dictionary is joined as it is.
fn fits(found: &[&Found<'_>]) -> bool {
    let Some(first) = found.first() else { return true };
    if found.iter().all(|other| other.values.ptr_eq(first.values)) {
        return true;
    }
    first.is_whole && longest(&values_of(found)).is_some()
}

fn values_of<'d>(found: &[&Found<'d>]) -> Vec<&'d ArrayData> {
    found.iter().map(|one| one.values).collect()
}

/// The one dictionary for all of these; `None` where it has too many values for their codes, and no order.
fn one(found: &[&Found<'_>]) -> Result<Option<Merged>> {
    let values = values_of(found);
    let Some(first) = found.first() else { return Ok(None) };
    if let Some(longest) = longest(&values) {
        // Their codes are right already.
        return Ok(Some(Merged { values: longest.clone(), maps: Vec::new() }));
    }
    if first.is_ordered {
        let merged = in_order(&values, false)?;
        return merged.map(Some).map_err(|wrong| Error::malformed("frame", format!("{wrong} {ONE_BY_ONE}")));
    }
    let merged = Merged::new(&values, first.values.data_type())?;
    let is_enough = dictionary::wide_enough(first.key.clone(), merged.values.len()) == *first.key;
    Ok(is_enough.then_some(merged))
}

/// The array with the next of these dictionaries in place of each of its own. `is_whole`: nothing stands around it, so that its
/// codes may grow.
fn recoded<'m>(
    data: &ArrayData,
    is_ordered: bool,
    i: usize,
    merged: &mut impl Iterator<Item = Option<&'m Merged>>,
    is_whole: bool,
) -> Result<ArrayData> {
    match data.data_type() {
        DataType::Dictionary(key, _) => {
            if !is_ordered && is_whole {
                return Ok(data.clone());
            }
            let Some(merged) = merged.next().flatten() else { return Ok(data.clone()) };
            let enough = dictionary::wide_enough((**key).clone(), merged.values.len());
            if enough != **key && !is_whole {
                let message = format!(
                    "{} categories together, too many for their codes of {key}.",
                    merged.values.len()
                );
                return Err(Error::unsupported("frame", format!("{message} {ONE_BY_ONE}")));
            }
            let keys = dictionary::keys_of(data, key)?;
            let keys = match merged.maps.get(i) {
                Some(map) => dictionary::recoded(&keys, map, &enough)?,
                None => keys,
            };
            dictionary::dictionary(&enough, keys, merged.values.clone())
        }
        other => {
            let pairs = children(other).into_iter().zip(data.child_data());
            let own: Vec<ArrayData> = pairs
                .map(|(field, child)| {
                    recoded(child, field.dict_is_ordered().unwrap_or(false), i, merged, false)
                })
                .collect::<Result<_>>()?;
            if own.is_empty() {
                return Ok(data.clone());
            }
            // Trusted: the same array, each child of the same type and length: codes within others do not change their type, and
            // are keys of the dictionary that they have now.
            Ok(trusted_array(data.clone().into_builder().child_data(own)))
        }
    }
}

/// The values of all dictionaries, each once, in the order that suits all; the two that stand the other way round in one of
/// them. `grow`: new values can only stand at the end.
///
/// # Errors
/// Dictionaries that cannot be joined.
pub(in crate::arrow) fn joined(
    all: &[&ArrayData],
    grow: bool,
) -> Result<std::result::Result<ArrayData, String>> {
    match longest(all) {
        Some(longest) => Ok(Ok(longest.clone())),
        None => Ok(in_order(all, grow)?.map(|merged| merged.values)),
    }
}

/// The merged values, or what is wrong with their order.
type InOrder = std::result::Result<Merged, String>;

fn in_order(all: &[&ArrayData], grow: bool) -> Result<InOrder> {
    let value_type = all.first().map_or(&DataType::Null, |d| d.data_type());
    let mut merged = Merged::new(all, value_type)?;
    let maps: Vec<&[usize]> = merged.maps.iter().map(Vec::as_slice).collect();
    let turned = match agreed(&maps) {
        Ok(None) => None,
        Ok(Some(order)) if grow => order.windows(2).find_map(|pair| match *pair {
            [first, second] if first > second => Some((first, second)),
            _ => None,
        }),
        Ok(Some(order)) => {
            merged.arrange(&order)?;
            None
        }
        Err(turned) => Some(turned),
    };
    Ok(match turned {
        None => Ok(merged),
        Some((first, second)) => {
            Err(message(&spelled(&merged.values, first), &spelled(&merged.values, second)))
        }
    })
}

/// A value, for messages.
fn spelled(values: &ArrayData, at: usize) -> String {
    let level = Level::Column(Column::new(values.slice(at, 1)));
    let axis = Axis { labels: Labels::Levels(vec![level]), ..Axis::range(1) };
    let text = names::texts(&axis).ok().and_then(|mut texts| texts.pop().flatten());
    text.map_or_else(|| format!("number {at}"), |text| format!("{text:?}"))
}
