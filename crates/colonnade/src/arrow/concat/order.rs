//! Whether dictionaries whose order means something agree about it.
//!
//! The values of several are joined in the order of their first appearance: what is written can only grow at its end.
//! Where one of them has two values the other way round, that order would be told wrongly, and it is refused instead; so are
//! the few that another order would suit, such as `b` before `a, b`.

use std::collections::HashMap;
use std::hash::Hash;

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::dictionary::{Merged, longest};
use crate::arrow::names;
use crate::arrow::orders::ordered;
use crate::error::{Error, Result};
use crate::frame::{Axis, Column, Labels, Level};

/// The codes, in the order of all before, of the values that stand the other way round: that which is told first, and then
/// that which should stand before it. Each list has the codes of one dictionary's values.
pub(crate) fn turned<'c, C: Copy + Eq + Hash + 'c>(
    dictionaries: impl Iterator<Item = &'c [C]>,
) -> Option<(C, C)> {
    // Where each value stands, and which dictionary had it last.
    let mut ranks: HashMap<C, (usize, usize)> = HashMap::new();
    let mut previous: &[C] = &[];
    for (dictionary, codes) in dictionaries.enumerate() {
        if codes == previous {
            continue;
        }
        previous = codes;
        let mut last: Option<(usize, C)> = None;
        for &code in codes {
            let next = ranks.len();
            let (rank, seen) = ranks.entry(code).or_insert((next, usize::MAX));
            let is_repeated = std::mem::replace(seen, dictionary) == dictionary;
            match last {
                // What is repeated stands where it stood first.
                Some((most, _)) if *rank < most && is_repeated => {}
                Some((most, before)) if *rank < most => return Some((before, code)),
                _ => last = Some((*rank, code)),
            }
        }
    }
    None
}

/// What a reader can do.
pub(crate) const ONE_BY_ONE: &str = "Read the batches or row groups one by one, with open_reader.";

/// What is wrong with the order of these two.
pub(crate) fn message(first: &str, second: &str) -> String {
    format!("expected the category {second} before {first} as in the chunks before, found it behind.")
}

/// Refuses arrays of one type that have two categories the other way round.
pub(super) fn check(pieces: &[&ArrayData], is_ordered: bool) -> Result<()> {
    let all: Vec<Vec<&ArrayData>> = pieces
        .iter()
        .map(|piece| {
            let mut own = Vec::new();
            ordered(piece, is_ordered, &mut own);
            own
        })
        .collect();
    for k in 0..all.first().map_or(0, Vec::len) {
        let same: Vec<&ArrayData> = all.iter().filter_map(|own| own.get(k).copied()).collect();
        joined(&same)?.map_err(|wrong| Error::malformed("frame", format!("{wrong} {ONE_BY_ONE}")))?;
    }
    Ok(())
}

/// The values of all dictionaries, each once; the two that stand the other way round in one of them.
///
/// # Errors
/// Dictionaries that cannot be joined.
pub(in crate::arrow) fn joined(all: &[&ArrayData]) -> Result<std::result::Result<ArrayData, String>> {
    if let Some(longest) = longest(all) {
        return Ok(Ok(longest.clone()));
    }
    let value_type = all.first().map_or(&DataType::Null, |d| d.data_type());
    let merged = Merged::new(all, value_type)?;
    Ok(match turned(merged.maps.iter().map(Vec::as_slice)) {
        None => Ok(merged.values),
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

#[cfg(test)]
mod tests {
    use super::turned;

    #[test]
    fn orders_agree_or_two_values_stand_the_other_way_round() {
        let look = |all: &[&[u32]]| turned(all.iter().copied());
        for fits in [
            &[&[0u32, 1, 2][..], &[0, 1]][..],
            &[&[0, 1], &[1, 2]],
            &[&[0, 1], &[], &[3, 4], &[0, 4]],
            &[&[0, 1, 0], &[1]],
        ] {
            assert_eq!(look(fits), None, "{fits:?}");
        }
        assert_eq!(look(&[&[0, 1], &[1, 0]]), Some((1, 0)));
        assert_eq!(look(&[&[0, 1], &[0, 2, 1]]), Some((2, 1)));
        assert_eq!(look(&[&[0, 1, 2], &[2], &[0, 2, 2, 1]]), Some((2, 1)));
    }
}
