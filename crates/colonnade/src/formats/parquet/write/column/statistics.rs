//! Computes bounds by the specification's rules: NaNs are skipped; a zero is written as -0.0 in the lower and as +0.0 in the upper
//! bound; long text is truncated, and the bound is marked inexact.

use std::cmp::Ordering;
use std::ops::Range;

use super::encoded_chunk::{BoundBytes, MinMax};
use super::leaf::{LeafColumn, Physical, SortOrder};
use super::non_null_values::NonNullValues;

/// Maximum bytes of a text bound.
const MOST_NBYTES: usize = 64;

/// Least and greatest value, in PLAIN encoding without length prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Extremes {
    least: Vec<u8>,
    greatest: Vec<u8>,
}

/// Ranks of a dictionary's values: the rank of each key, and the key of each rank.
pub(super) struct Ranks {
    rank: Vec<u32>,
    key: Vec<u32>,
}

impl Ranks {
    /// Ranks the values of a dictionary of text; `None` for other dictionaries.
    pub(super) fn of(values: &NonNullValues<'_>, order: SortOrder) -> Option<Self> {
        let n = u32::try_from(values.len()).ok()?;
        let mut key: Vec<u32> = (0..n).collect();
        match (values, order) {
            (NonNullValues::Text(texts), SortOrder::Bytes) => {
                key.sort_unstable_by_key(|&key| texts.get(key as usize));
            }
            _ => return None,
        }
        let mut rank = vec![0; key.len()];
        for (place, &key) in (0..).zip(&key) {
            if let Some(slot) = rank.get_mut(key as usize) {
                *slot = place;
            }
        }
        Some(Self { rank, key })
    }

    /// Returns the least and the greatest of the values of these keys.
    pub(super) fn extremes(&self, keys: &[u32], values: &NonNullValues<'_>) -> Option<Extremes> {
        let (mut least, mut greatest) = (u32::MAX, 0);
        for &key in keys {
            let rank = self.rank.get(key as usize).copied().unwrap_or(0);
            least = least.min(rank);
            greatest = greatest.max(rank);
        }
        let NonNullValues::Text(texts) = values else { return None };
        let text = |rank: u32| texts.get(*self.key.get(rank as usize)? as usize).map(|text| text.to_vec());
        Some(Extremes { least: text(least)?, greatest: text(greatest)? })
    }
}

macro_rules! integers {
    ($name:ident, $word:ty, $as:ty) => {
        fn $name(words: &[$word]) -> Option<($word, $word)> {
            #[allow(clippy::cast_possible_wrap)] // a cast to the signed type of the same width, or no cast
            let turned = |word: $word| word as $as;
            let first = turned(*words.first()?);
            let (mut least, mut greatest) = ([first; 8], [first; 8]);
            let (eights, rest) = words.as_chunks::<8>();
            for eight in eights {
                for k in 0..8 {
                    least[k] = least[k].min(turned(eight[k]));
                    greatest[k] = greatest[k].max(turned(eight[k]));
                }
            }
            let rest = rest.iter().map(|&word| turned(word));
            let least = least.into_iter().chain(rest.clone()).min()?;
            let greatest = greatest.into_iter().chain(rest).max()?;
            Some((least as $word, greatest as $word))
        }
    };
}

integers!(signed4, u32, i32);
integers!(unsigned4, u32, u32);
integers!(signed8, u64, i64);
integers!(unsigned8, u64, u64);

macro_rules! floats {
    ($name:ident, $word:ty, $float:ty) => {
        fn $name(words: &[$word]) -> Option<($word, $word)> {
            let (mut least, mut greatest) = ([<$float>::INFINITY; 8], [<$float>::NEG_INFINITY; 8]);
            let mut take = |k: usize, value: $float| {
                // Both comparisons are false for a NaN.
                if value < least[k] {
                    least[k] = value;
                }
                if value > greatest[k] {
                    greatest[k] = value;
                }
            };
            let (eights, rest) = words.as_chunks::<8>();
            for eight in eights {
                for k in 0..8 {
                    take(k, <$float>::from_bits(eight[k]));
                }
            }
            rest.iter().for_each(|&word| take(0, <$float>::from_bits(word)));
            let least = least.into_iter().fold(<$float>::INFINITY, <$float>::min);
            let greatest = greatest.into_iter().fold(<$float>::NEG_INFINITY, <$float>::max);
            if least > greatest {
                // All values are NaN.
                return None;
            }
            let least = if least == 0.0 { -0.0 } else { least };
            let greatest = if greatest == 0.0 { 0.0 } else { greatest };
            Some((least.to_bits(), greatest.to_bits()))
        }
    };
}

floats!(float4, u32, f32);
floats!(float8, u64, f64);

/// Returns the least and the greatest of 32-bit integers.
pub(super) fn range4(words: &[u32], order: SortOrder) -> Option<(u32, u32)> {
    match order {
        SortOrder::Signed | SortOrder::Decimal => signed4(words),
        SortOrder::Unsigned => unsigned4(words),
        SortOrder::Float => float4(words),
        _ => None,
    }
}

/// Returns the least and the greatest of 64-bit integers.
pub(super) fn range8(words: &[u64], order: SortOrder) -> Option<(u64, u64)> {
    match order {
        SortOrder::Signed | SortOrder::Decimal => signed8(words),
        SortOrder::Unsigned => unsigned8(words),
        SortOrder::Float => float8(words),
        _ => None,
    }
}

/// Maps a 16-bit float to an integer of the same order; `None` for a NaN.
fn ordered_half(bytes: &[u8]) -> Option<i32> {
    let bits = u16::from_le_bytes(*bytes.first_chunk::<2>()?);
    let size = i32::from(bits & 0x7fff);
    if size > 0x7c00 {
        return None;
    }
    Some(if bits >> 15 == 1 { -size } else { size })
}

fn compare(order: SortOrder, physical: Physical, a: &[u8], b: &[u8]) -> Ordering {
    macro_rules! by {
        ($t:ty, $n:literal) => {{
            let number = |b: &[u8]| b.first_chunk::<$n>().map(|b| <$t>::from_le_bytes(*b));
            number(a).partial_cmp(&number(b)).unwrap_or(Ordering::Equal)
        }};
    }
    match (order, physical) {
        (SortOrder::Signed | SortOrder::Decimal, Physical::Int32) => by!(i32, 4),
        (SortOrder::Signed | SortOrder::Decimal, Physical::Int64) => by!(i64, 8),
        (SortOrder::Unsigned, Physical::Int32) => by!(u32, 4),
        (SortOrder::Unsigned, Physical::Int64) => by!(u64, 8),
        (SortOrder::Float, Physical::Float) => by!(f32, 4),
        (SortOrder::Float, Physical::Double) => by!(f64, 8),
        (SortOrder::Float, _) => ordered_half(a).cmp(&ordered_half(b)),
        (SortOrder::Decimal, _) => {
            let sign = |b: &[u8]| b.first().map(|&byte| byte.cast_signed());
            sign(a).cmp(&sign(b)).then_with(|| a.cmp(b))
        }
        _ => a.cmp(b),
    }
}

/// Returns the least and the greatest text in the order of their bytes. Compares the first eight bytes as one number, and whole
/// texts only if that number may be a new extreme.
fn extremes_of_texts<'t>(texts: &[&'t [u8]]) -> Option<(&'t [u8], &'t [u8])> {
    let prefix = |text: &[u8]| match text.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => text.iter().rev().fold(0, |word, &byte| word >> 8 | u64::from(byte) << 56),
    };
    let (&first, rest) = texts.split_first()?;
    let ((mut least, mut greatest), mut low) = ((first, first), prefix(first));
    let mut high = low;
    for &text in rest {
        let word = prefix(text);
        // Equal prefixes do not order their texts: `a` has that of `a` and a zero.
        if word <= low && text < least {
            (least, low) = (text, word);
        }
        if word >= high && text > greatest {
            (greatest, high) = (text, word);
        }
    }
    Some((least, greatest))
}

/// Returns the least and the greatest of these values; `None` if there are none or the order is undefined.
pub(super) fn extremes(
    values: &NonNullValues<'_>,
    range: Range<usize>,
    physical: Physical,
    order: SortOrder,
) -> Option<Extremes> {
    let both =
        |least: &[u8], greatest: &[u8]| Extremes { least: least.to_vec(), greatest: greatest.to_vec() };
    if order == SortOrder::None {
        return None;
    }
    match values {
        NonNullValues::Bools(bools) => {
            let bools = bools.get(range)?;
            Some(both(&[*bools.iter().min()?], &[*bools.iter().max()?]))
        }
        NonNullValues::Four(words) => {
            let (least, greatest) = range4(words.get(range)?, order)?;
            Some(both(&least.to_le_bytes(), &greatest.to_le_bytes()))
        }
        NonNullValues::Eight(words) => {
            let (least, greatest) = range8(words.get(range)?, order)?;
            Some(both(&least.to_le_bytes(), &greatest.to_le_bytes()))
        }
        NonNullValues::Wide(bytes, width) => {
            let bytes = bytes.get(range.start * width..range.end * width)?;
            let there = |value: &&[u8]| order != SortOrder::Float || ordered_half(value).is_some();
            let mut values = bytes.chunks_exact(*width).filter(there);
            let first = values.next()?;
            let (mut least, mut greatest) = (first, first);
            for value in values {
                if compare(order, physical, value, least) == Ordering::Less {
                    least = value;
                } else if compare(order, physical, value, greatest) == Ordering::Greater {
                    greatest = value;
                }
            }
            let mut found = both(least, greatest);
            if order == SortOrder::Float {
                if ordered_half(&found.least) == Some(0) {
                    found.least = vec![0, 0x80];
                }
                if ordered_half(&found.greatest) == Some(0) {
                    found.greatest = vec![0, 0];
                }
            }
            Some(found)
        }
        NonNullValues::Text(texts) => {
            let (least, greatest) = extremes_of_texts(texts.get(range)?)?;
            Some(both(least, greatest))
        }
        NonNullValues::Keys(keys, inner) => {
            // Marks the keys that occur, so that each value is compared once.
            let mut used = vec![false; inner.len()];
            keys.get(range)?.iter().for_each(|&key| {
                if let Some(used) = used.get_mut(key as usize) {
                    *used = true;
                }
            });
            let mut all: Option<Extremes> = None;
            for (key, _) in used.iter().enumerate().filter(|(_, used)| **used) {
                merge(&mut all, extremes(inner, key..key + 1, physical, order), physical, order);
            }
            all
        }
    }
}

/// Merges a page's extremes into those of its chunk.
pub(super) fn merge(
    all: &mut Option<Extremes>,
    page: Option<Extremes>,
    physical: Physical,
    order: SortOrder,
) {
    let Some(page) = page else { return };
    match all {
        None => *all = Some(page),
        Some(all) => {
            if compare(order, physical, &page.least, &all.least) == Ordering::Less {
                all.least = page.least;
            }
            if compare(order, physical, &page.greatest, &all.greatest) == Ordering::Greater {
                all.greatest = page.greatest;
            }
        }
    }
}

/// Whether these floats contain a NaN.
fn any_nan(values: &NonNullValues<'_>, range: Range<usize>) -> bool {
    match values {
        NonNullValues::Four(words) => {
            words.get(range).unwrap_or_default().iter().any(|&word| f32::from_bits(word).is_nan())
        }
        NonNullValues::Eight(words) => {
            words.get(range).unwrap_or_default().iter().any(|&word| f64::from_bits(word).is_nan())
        }
        NonNullValues::Wide(bytes, width) => {
            let bytes = bytes.get(range.start * width..range.end * width).unwrap_or_default();
            bytes.chunks_exact((*width).max(1)).any(|value| ordered_half(value).is_none())
        }
        NonNullValues::Keys(keys, inner) => keys
            .get(range)
            .unwrap_or_default()
            .iter()
            .any(|&key| any_nan(inner, key as usize..key as usize + 1)),
        NonNullValues::Bools(_) | NonNullValues::Text(_) => false,
    }
}

/// Converts extremes to bounds of the file. Equal bounds would claim that all values are equal, so there are none if a NaN is among
/// the values.
pub(super) fn bounds(
    found: Option<&Extremes>,
    values: &NonNullValues<'_>,
    range: Range<usize>,
    leaf: &LeafColumn<'_>,
) -> MinMax {
    let physical = leaf.physical;
    let Some(found) = found else { return MinMax::default() };
    if leaf.order == SortOrder::Float {
        // Zeros differ only in the sign bit.
        let same = |bytes: &[u8]| bytes.split_last().map(|(last, rest)| (last & 0x7f, rest.to_vec()));
        let zero = found.least.iter().rev().skip(1).chain(&found.greatest).all(|byte| *byte == 0);
        let equal = found.least == found.greatest || zero && same(&found.least) == same(&found.greatest);
        if equal && any_nan(values, range) {
            return MinMax::default();
        }
    }
    if physical != Physical::Bytes {
        let bound = |bytes: &[u8]| Some(BoundBytes { bytes: bytes.to_vec(), exact: true });
        return MinMax { min: bound(&found.least), max: bound(&found.greatest) };
    }
    MinMax { min: Some(lower_bound(&found.least)), max: upper_bound(&found.greatest) }
}

/// Truncates text at a character boundary. The second result is whether the bytes are text.
fn cut(bytes: &[u8]) -> (&[u8], bool) {
    let head = bytes.get(..MOST_NBYTES).unwrap_or(bytes);
    match std::str::from_utf8(head) {
        Ok(_) => (head, true),
        Err(error) if error.error_len().is_none() => (head.get(..error.valid_up_to()).unwrap_or(head), true),
        Err(_) => (head, false),
    }
}

fn lower_bound(bytes: &[u8]) -> BoundBytes {
    if bytes.len() <= MOST_NBYTES {
        return BoundBytes { bytes: bytes.to_vec(), exact: true };
    }
    BoundBytes { bytes: cut(bytes).0.to_vec(), exact: false }
}

/// Truncates an upper bound and increments its last character or byte; `None` if none can be incremented.
fn upper_bound(bytes: &[u8]) -> Option<BoundBytes> {
    if bytes.len() <= MOST_NBYTES {
        return Some(BoundBytes { bytes: bytes.to_vec(), exact: true });
    }
    let (head, text) = cut(bytes);
    if let Some(mut head) = std::str::from_utf8(head).ok().filter(|_| text).map(str::to_owned) {
        while let Some(letter) = head.pop() {
            let raised = (u32::from(letter) + 1..).take(0x801).find_map(char::from_u32);
            if let Some(raised) = raised {
                head.push(raised);
                return Some(BoundBytes { bytes: head.into_bytes(), exact: false });
            }
        }
        return None;
    }
    let mut head = head.to_vec();
    while let Some(byte) = head.pop() {
        if byte < 0xff {
            head.push(byte + 1);
            return Some(BoundBytes { bytes: head, exact: false });
        }
    }
    None
}
