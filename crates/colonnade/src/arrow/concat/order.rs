//! Dictionaries whose order means something, brought to the one order that suits all.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::agreed::agreed;
use super::dictionary::{self, Merged, longest};
use crate::arrow::names;
use crate::arrow::orders::ordered;
use crate::error::{Error, Result};
use crate::frame::{Axis, Column, Labels, Level, children};

/// What a reader can do.
pub(crate) const ONE_BY_ONE: &str = "Read the batches or row groups one by one, with open_reader.";

/// What is wrong with the order of these two.
pub(crate) fn message(first: &str, second: &str) -> String {
    format!("expected the category {second} before {first} as in the chunks before, found it behind.")
}

/// Arrays of one type with the same dictionary each wherever its order means something; `None` where they fit as they are.
///
/// # Errors
/// Two categories stand the other way round in two of them.
pub(super) fn aligned(pieces: &[&ArrayData], is_ordered: bool) -> Result<Option<Vec<ArrayData>>> {
    let all: Vec<Vec<&ArrayData>> = pieces
        .iter()
        .map(|piece| {
            let mut own = Vec::new();
            ordered(piece, is_ordered, &mut own);
            own
        })
        .collect();
    let n = all.first().map_or(0, Vec::len);
    let same: Vec<Vec<&ArrayData>> =
        (0..n).map(|k| all.iter().filter_map(|own| own.get(k).copied()).collect()).collect();
    if same.iter().all(|values| longest(values).is_some()) {
        return Ok(None);
    }
    let merged = same.iter().map(|values| match longest(values) {
        // Their codes are right already.
        Some(longest) => Ok(Merged { values: longest.clone(), maps: Vec::new() }),
        None => in_order(values, false)?
            .map_err(|wrong| Error::malformed("frame", format!("{wrong} {ONE_BY_ONE}"))),
    });
    let merged: Vec<Merged> = merged.collect::<Result<_>>()?;
    let recoded = pieces.iter().enumerate().map(|(i, piece)| {
        let mut dictionaries = merged.iter();
        recoded(piece, is_ordered, i, &mut dictionaries, true)
    });
    recoded.collect::<Result<_>>().map(Some)
}

/// The array with the next of these dictionaries wherever it has one whose order means something. `is_whole`: nothing stands
/// around it, so that its codes may grow.
fn recoded<'m>(
    data: &ArrayData,
    is_ordered: bool,
    i: usize,
    dictionaries: &mut impl Iterator<Item = &'m Merged>,
    is_whole: bool,
) -> Result<ArrayData> {
    match data.data_type() {
        DataType::Dictionary(key, _) if is_ordered => {
            let Some(merged) = dictionaries.next() else { return Ok(data.clone()) };
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
        DataType::Union(..) | DataType::RunEndEncoded(..) => Ok(data.clone()),
        other => {
            let pairs = children(other).into_iter().zip(data.child_data());
            let own: Vec<ArrayData> = pairs
                .map(|(field, child)| {
                    recoded(child, field.dict_is_ordered().unwrap_or(false), i, dictionaries, false)
                })
                .collect::<Result<_>>()?;
            if own.is_empty() {
                return Ok(data.clone());
            }
            let built = data.clone().into_builder().child_data(own).build();
            built.map_err(|e| Error::malformed("frame", format!("{e}.")))
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
