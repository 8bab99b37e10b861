//! The one order that suits several dictionaries whose order means something.
//!
//! Values are told by their codes, which number them by first appearance. That order is kept wherever it suits; `b` before
//! `a, b` is sorted so that both hold. Where one has two values the other way round than others, no order tells the truth.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::hash::Hash;

/// A number of a value by its first appearance.
pub(crate) trait Code: Copy + Eq + Ord + Hash {}
impl<T: Copy + Eq + Ord + Hash> Code for T {}

/// All codes in the order that suits every dictionary; `None` where it is that of their first appearance.
///
/// # Errors
/// Two codes that one dictionary has the other way round: that which it has first, and that which should stand before it.
pub(crate) fn agreed<C: Code>(dictionaries: &[&[C]]) -> Result<Option<Vec<C>>, (C, C)> {
    if suits(dictionaries) {
        return Ok(None);
    }
    if let Ok(order) = sorted(dictionaries) {
        return Ok(Some(order));
    }
    // The first dictionary that does not fit those before it. More of them never fit again, so that halving finds it.
    let fits = |n: usize| sorted(dictionaries.get(..n).unwrap_or_default()).is_ok();
    let (mut fit, mut not) = (0, dictionaries.len());
    while not - fit > 1 {
        let half = usize::midpoint(fit, not);
        if fits(half) { fit = half } else { not = half }
    }
    let (before, last) = dictionaries.split_at_checked(fit).unwrap_or_default();
    turned(before, last.first().copied().unwrap_or_default()).map_or(Ok(None), Err)
}

/// Whether the order of first appearance is that of each dictionary.
fn suits<C: Code>(dictionaries: &[&[C]]) -> bool {
    // Where each value stands, and which dictionary had it last.
    let mut ranks: HashMap<C, (usize, usize)> = HashMap::new();
    let mut previous: &[C] = &[];
    for (dictionary, &codes) in dictionaries.iter().enumerate() {
        if codes == previous {
            continue;
        }
        previous = codes;
        let mut most = 0;
        for &code in codes {
            let next = ranks.len();
            let (rank, seen) = ranks.entry(code).or_insert((next, usize::MAX));
            // What is repeated stands where it stood first.
            if std::mem::replace(seen, dictionary) == dictionary {
                continue;
            }
            if *rank < most {
                return false;
            }
            most = *rank;
        }
    }
    true
}

/// Each code with those that stand right behind it.
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
            if let Some(behind) = last.replace(code).and_then(|last| out.get_mut(&last)) {
                behind.push(code);
            }
        }
    }
    out
}

/// The codes so that each stands behind those it follows, the one that appeared first where several may come next.
///
/// # Errors
/// What is left when each of them waits for another.
fn sorted<C: Code>(dictionaries: &[&[C]]) -> Result<Vec<C>, Followers<C>> {
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

/// Two codes of `last` that those before have the other way round, if only by way of others.
fn turned<C: Code>(before: &[&[C]], last: &[C]) -> Option<(C, C)> {
    let (order, followers) = (sorted(before).ok()?, followers(before));
    let mut places: HashMap<C, usize> = HashMap::new();
    for (place, &code) in last.iter().enumerate() {
        places.entry(code).or_insert(place);
    }
    // Of all that should stand behind a code, that which the last one has first.
    let mut behind: HashMap<C, (usize, C)> = HashMap::new();
    for code in order.into_iter().rev() {
        let next = followers.get(&code).into_iter().flatten();
        let found =
            next.flat_map(|next| [places.get(next).map(|&at| (at, *next)), behind.get(next).copied()]);
        let Some((at, first)) = found.flatten().min() else { continue };
        if places.get(&code).is_some_and(|&here| at < here) {
            return Some((first, code));
        }
        behind.insert(code, (at, first));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::agreed;

    #[test]
    fn the_order_of_first_appearance_is_kept_where_it_suits() {
        for fits in [
            &[&[0u32, 1, 2][..], &[0, 1]][..],
            &[&[0, 1], &[1, 2]],
            &[&[0, 1], &[], &[3, 4], &[0, 4]],
            &[&[0, 1, 0], &[1]],
            &[&[0, 1, 2], &[0, 1, 2, 1, 1, 0]],
            &[&[0, 1, 1, 0], &[0, 2]],
        ] {
            assert_eq!(agreed(fits), Ok(None), "{fits:?}");
        }
    }

    #[test]
    fn an_order_that_suits_all_is_found_where_another_does() {
        assert_eq!(agreed(&[&[0], &[1, 0]]), Ok(Some(vec![1, 0])));
        assert_eq!(agreed(&[&[0, 1], &[0, 2, 1]]), Ok(Some(vec![0, 2, 1])));
        assert_eq!(agreed(&[&[0, 1, 2], &[2], &[0, 2, 2, 3], &[4, 1]]), Ok(Some(vec![0, 4, 1, 2, 3])));
    }

    #[test]
    fn two_values_that_stand_the_other_way_round_are_told() {
        assert_eq!(agreed(&[&[0, 1], &[1, 0]]), Err((1, 0)));
        assert_eq!(agreed(&[&[0, 1], &[1, 1, 0]]), Err((1, 0)));
        assert_eq!(agreed(&[&[0, 1, 2], &[2, 1, 2]]), Err((2, 1)));
        assert_eq!(agreed(&[&[0], &[1, 0], &[0, 1], &[2]]), Err((0, 1)));
        assert_eq!(agreed(&[&[0, 1], &[1, 2], &[2, 0]]), Err((2, 0)));
    }
}
