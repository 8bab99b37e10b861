//! Finds one order of values for several ordered dictionaries.
//!
//! A code numbers a value by its first appearance, and that order is kept if it is compatible with each dictionary.
//! Dictionaries `b` and `a, b` need another one: `a, b`. If two dictionaries have two values in opposite orders, there is
//! none.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::hash::Hash;

/// The number of a value by first appearance.
pub(crate) trait Code: Copy + Eq + Ord + Hash {}
impl<T: Copy + Eq + Ord + Hash> Code for T {}

/// All codes in an order compatible with every dictionary; `None` if the order of first appearance is compatible.
///
/// # Errors
/// Two codes that one dictionary has in the opposite order: the one it has first, and the one that must precede it.
pub(crate) fn common_order<C: Code>(dictionaries: &[&[C]]) -> Result<Option<Vec<C>>, (C, C)> {
    if is_compatible(dictionaries) {
        return Ok(None);
    }
    if let Ok(order) = topological_order(dictionaries) {
        return Ok(Some(order));
    }
    // A binary search finds the first dictionary that conflicts with those before it: with more dictionaries the conflict
    // stays.
    let fits = |n: usize| topological_order(dictionaries.get(..n).unwrap_or_default()).is_ok();
    let (mut low, mut high) = (0, dictionaries.len());
    while high - low > 1 {
        let half = usize::midpoint(low, high);
        if fits(half) { low = half } else { high = half }
    }
    let (before, last) = dictionaries.split_at_checked(low).unwrap_or_default();
    conflict(before, last.first().copied().unwrap_or_default()).map_or(Ok(None), Err)
}

/// Whether each dictionary has its values in the order of first appearance.
fn is_compatible<C: Code>(dictionaries: &[&[C]]) -> bool {
    // The rank of each value, and the last dictionary that had it.
    let mut ranks: HashMap<C, (usize, usize)> = HashMap::new();
    let mut previous: &[C] = &[];
    for (dictionary, &codes) in dictionaries.iter().enumerate() {
        if codes == previous {
            continue;
        }
        previous = codes;
        let mut last_rank = 0;
        for &code in codes {
            let next = ranks.len();
            let (rank, last) = ranks.entry(code).or_insert((next, usize::MAX));
            // A repeated value counts at its first position.
            if std::mem::replace(last, dictionary) == dictionary {
                continue;
            }
            if *rank < last_rank {
                return false;
            }
            last_rank = *rank;
        }
    }
    true
}

/// The direct successors of each code.
type Followers<C> = BTreeMap<C, Vec<C>>;

fn followers<C: Code>(dictionaries: &[&[C]]) -> Followers<C> {
    let mut out = Followers::new();
    let mut previous: &[C] = &[];
    for &codes in dictionaries {
        if std::mem::replace(&mut previous, codes) == codes {
            continue;
        }
        let mut seen = HashSet::new();
        let mut last = None;
        for &code in codes.iter().filter(|&&code| seen.insert(code)) {
            out.entry(code).or_default();
            if let Some(successors) = last.replace(code).and_then(|last| out.get_mut(&last)) {
                successors.push(code);
            }
        }
    }
    out
}

/// The codes in topological order. Among codes that may come next, the first to appear comes first.
///
/// # Errors
/// The codes of a cycle, with all that follow them.
fn topological_order<C: Code>(dictionaries: &[&[C]]) -> Result<Vec<C>, Followers<C>> {
    let mut left = followers(dictionaries);
    let mut waits: HashMap<C, usize> = left.keys().map(|&code| (code, 0)).collect();
    for code in left.values().flatten() {
        *waits.entry(*code).or_default() += 1;
    }
    let mut ready: BinaryHeap<Reverse<C>> =
        waits.iter().filter(|(_, n)| **n == 0).map(|(&code, _)| Reverse(code)).collect();
    let mut out = Vec::with_capacity(left.len());
    while let Some(Reverse(code)) = ready.pop() {
        out.push(code);
        for next in left.remove(&code).unwrap_or_default() {
            let n = waits.entry(next).or_default();
            *n = n.saturating_sub(1);
            if *n == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    if left.is_empty() { Ok(out) } else { Err(left) }
}

/// Two codes of `last` that `before` orders the other way, directly or through other codes.
fn conflict<C: Code>(before: &[&[C]], last: &[C]) -> Option<(C, C)> {
    let (order, followers) = (topological_order(before).ok()?, followers(before));
    let mut places: HashMap<C, usize> = HashMap::new();
    for (place, &code) in last.iter().enumerate() {
        places.entry(code).or_insert(place);
    }
    // Of all codes that must follow a code, the one that `last` has first.
    let mut earliest: HashMap<C, (usize, C)> = HashMap::new();
    for code in order.into_iter().rev() {
        let next = followers.get(&code).into_iter().flatten();
        let found =
            next.flat_map(|next| [places.get(next).map(|&at| (at, *next)), earliest.get(next).copied()]);
        let Some((at, first)) = found.flatten().min() else { continue };
        if places.get(&code).is_some_and(|&here| at < here) {
            return Some((first, code));
        }
        earliest.insert(code, (at, first));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::common_order;

    #[test]
    fn a_compatible_order_of_first_appearance_is_kept() {
        for fits in [
            &[&[0u32, 1, 2][..], &[0, 1]][..],
            &[&[0, 1], &[1, 2]],
            &[&[0, 1], &[], &[3, 4], &[0, 4]],
            &[&[0, 1, 0], &[1]],
            &[&[0, 1, 2], &[0, 1, 2, 1, 1, 0]],
            &[&[0, 1, 1, 0], &[0, 2]],
        ] {
            assert_eq!(common_order(fits), Ok(None), "{fits:?}");
        }
    }

    #[test]
    fn a_compatible_order_is_found() {
        assert_eq!(common_order(&[&[0], &[1, 0]]), Ok(Some(vec![1, 0])));
        assert_eq!(common_order(&[&[0, 1], &[0, 2, 1]]), Ok(Some(vec![0, 2, 1])));
        assert_eq!(common_order(&[&[0, 1, 2], &[2], &[0, 2, 2, 3], &[4, 1]]), Ok(Some(vec![0, 4, 1, 2, 3])));
    }

    #[test]
    fn two_values_in_opposite_orders_are_reported() {
        assert_eq!(common_order(&[&[0, 1], &[1, 0]]), Err((1, 0)));
        assert_eq!(common_order(&[&[0, 1], &[1, 1, 0]]), Err((1, 0)));
        assert_eq!(common_order(&[&[0, 1, 2], &[2, 1, 2]]), Err((2, 1)));
        assert_eq!(common_order(&[&[0], &[1, 0], &[0, 1], &[2]]), Err((0, 1)));
        assert_eq!(common_order(&[&[0, 1], &[1, 2], &[2, 0]]), Err((2, 0)));
    }
}
