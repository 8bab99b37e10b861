//! The encoding that a leaf deserves, by a sample of its values and a fixed table of what each encoding costs to read.

use std::ops::Range;

use crate::codec::Profile;

use super::delta::{self, Number};
use super::dictionary::{self, DictionaryWord};
use super::leaf::{Leaf, Order, Physical};
use super::non_null_values::NonNullValues;
use super::settings::{Encoding, Settings, Wanted};
use super::statistics;

/// How the values of a chunk are encoded.
#[derive(Debug)]
pub(super) enum How<'a> {
    /// As they are, or by an encoding that needs nothing prepared.
    Straight(Encoding),
    /// Keys of a dictionary.
    Keys(Vec<u32>, NonNullValues<'a>),
    /// Keys that the column came with.
    Given,
}

/// What reading costs beside size, in bits of file a value, about: from measurements with pyarrow (docs/design/parquet-writing.md).
struct Costs {
    dictionary: f64,
    delta: f64,
}

impl Costs {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Fast => Self { dictionary: 4.0, delta: 12.0 },
            Profile::Balanced => Self { dictionary: 1.0, delta: 3.0 },
            Profile::Small => Self { dictionary: 0.0, delta: 0.0 },
        }
    }
}

/// The widest difference that is chosen without being asked for: fastparquet reads wider ones wrongly, without a word.
const WIDEST: u8 = 27;

/// Values looked at for repetition, and neighbours looked at for differences.
const SAMPLE: usize = 2048;
const PIECES: usize = 8;
const PIECE: usize = 257;

/// Bytes of a dictionary, at most: what a reader's cache holds.
const DICTIONARY_NBYTES: usize = 1 << 20;

/// What a sample says.
struct Sampled {
    /// Different values in all, about.
    distinct: f64,
    /// Share of values that are as the one before.
    same: f64,
}

/// Place `k` of a sample of `n` values: spread, and not in step with anything.
fn place(k: usize, n: usize) -> usize {
    if n <= SAMPLE {
        return k;
    }
    let spread = (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let stratum = n / SAMPLE;
    k * stratum + usize::try_from(spread).unwrap_or(0) % stratum
}

fn sample(n: usize, hash: impl Fn(usize) -> u64, same: impl Fn(usize) -> bool) -> Sampled {
    let looked = n.min(SAMPLE);
    let mut seen = vec![u64::MAX; (2 * looked).next_power_of_two().max(2)];
    let mask = seen.len() - 1;
    let (mut found, mut equal) = (0usize, 0usize);
    for k in 0..looked {
        let at = place(k, n);
        let hash = hash(at) | 1;
        let mut slot = usize::try_from(hash >> 40).unwrap_or(0) & mask;
        while seen[slot] != u64::MAX && seen[slot] != hash {
            slot = (slot + 1) & mask;
        }
        if seen[slot] == u64::MAX {
            seen[slot] = hash;
            found += 1;
        }
        equal += usize::from(at > 0 && same(at));
    }
    #[allow(clippy::cast_precision_loss)] // estimates
    let (n, looked, found) = (n as f64, looked as f64, found as f64);
    // As many birthdays as were met twice say how many days there are.
    let twice = looked - found;
    let distinct = if looked >= n || twice * 4.0 > looked {
        // Most of what there is was seen.
        if looked >= n { found } else { found * (1.0 + (found / looked) * 2.0) }
    } else {
        (looked * looked / (2.0 * twice.max(0.5))).min(n)
    };
    #[allow(clippy::cast_precision_loss)]
    let same = equal as f64 / looked.max(1.0);
    Sampled { distinct, same }
}

/// Bits of a key for so many values, and of a value's part of the dictionary.
fn dictionary_bits(distinct: f64, n: f64, value_bits: f64, same: f64) -> f64 {
    let key = distinct.max(1.0).log2().ceil().max(0.0);
    // Runs: a header and a key each.
    let runs = if same > 0.9 { (1.0 - same) * (16.0 + key) } else { key };
    runs.min(key) + distinct * value_bits / n
}

/// Whether differences were chosen of which some are too wide for every reader; `pages` are ranges of the values.
pub(super) fn too_wide(
    how: &How<'_>,
    values: &NonNullValues<'_>,
    settings: &Settings,
    mut pages: impl Iterator<Item = Range<usize>>,
) -> bool {
    if settings.encoding != Wanted::Auto || !matches!(how, How::Straight(Encoding::DeltaBinaryPacked)) {
        return false;
    }
    pages.any(|page| match values {
        NonNullValues::Four(words) => delta::widest(words.get(page).unwrap_or_default()) > WIDEST,
        NonNullValues::Eight(words) => delta::widest(words.get(page).unwrap_or_default()) > WIDEST,
        _ => false,
    })
}

/// A dictionary that the column came with, each value once: readers refuse one that has a value twice.
pub(super) fn distinct<'a>(leaf: &Leaf<'_>, values: NonNullValues<'a>) -> NonNullValues<'a> {
    let NonNullValues::Keys(mut keys, inner) = values else { return values };
    match by_hand(leaf, &inner, Encoding::RleDictionary) {
        How::Keys(places, found) if found.len() < inner.len() => {
            for key in &mut keys {
                *key = places.get(*key as usize).copied().unwrap_or(0);
            }
            NonNullValues::Keys(keys, Box::new(found))
        }
        _ => NonNullValues::Keys(keys, inner),
    }
}

/// Decides. `deltas`: whether differences may be chosen.
pub(super) fn choose<'a>(
    leaf: &Leaf<'_>,
    values: &NonNullValues<'a>,
    settings: &Settings,
    deltas: bool,
) -> How<'a> {
    if let NonNullValues::Keys(..) = values {
        return How::Given;
    }
    if let Wanted::One(encoding) = settings.encoding {
        return by_hand(leaf, values, encoding);
    }
    if values.len() == 0 {
        return How::Straight(Encoding::Plain);
    }
    let costs = Costs::of(settings.profile);
    match values {
        NonNullValues::Four(words) => {
            let integers = deltas && leaf.physical == Physical::Int32;
            let range = if integers { statistics::range4(words, leaf.order) } else { None };
            let how = numbers(words, range, integers, leaf.order == Order::Float, settings, &costs);
            how.map_or_else(How::Straight, |(keys, values)| {
                How::Keys(keys, NonNullValues::Four(values.into()))
            })
        }
        NonNullValues::Eight(words) => {
            let integers = deltas && leaf.physical == Physical::Int64;
            let range = if integers { statistics::range8(words, leaf.order) } else { None };
            let how = numbers(words, range, integers, leaf.order == Order::Float, settings, &costs);
            how.map_or_else(How::Straight, |(keys, values)| {
                How::Keys(keys, NonNullValues::Eight(values.into()))
            })
        }
        NonNullValues::Text(texts) => text(texts, settings, &costs),
        NonNullValues::Wide(bytes, width) => wide(bytes, *width, settings, &costs),
        NonNullValues::Bools(_) | NonNullValues::Keys(..) => How::Straight(Encoding::Plain),
    }
}

type Keyed<T> = (Vec<u32>, Vec<T>);

fn numbers<T: DictionaryWord + Number>(
    words: &[T],
    range: Option<(T, T)>,
    integers: bool,
    floats: bool,
    settings: &Settings,
    costs: &Costs,
) -> Result<Keyed<T>, Encoding> {
    let value_bits = 8.0 * size_of::<T>() as f64;
    #[allow(clippy::cast_precision_loss)] // estimates
    let n = words.len() as f64;
    let (mut best, mut cost) = (Encoding::Plain, value_bits);
    if integers {
        let delta = differences(words) + costs.delta;
        if delta < cost * 0.95 {
            (best, cost) = (Encoding::DeltaBinaryPacked, delta);
        }
    } else if settings.profile == Profile::Small && floats {
        best = Encoding::ByteStreamSplit;
    }
    if !settings.dictionary {
        return Err(best);
    }
    let found = sample(
        words.len(),
        |at| words.get(at).map_or(0, |word| word.hash()),
        |at| words.get(at) == words.get(at - 1),
    );
    let room = DICTIONARY_NBYTES / size_of::<T>();
    #[allow(clippy::cast_precision_loss)]
    let key = |distinct: f64| dictionary_bits(distinct, n, value_bits, found.same) + costs.dictionary;
    if key(found.distinct) >= cost * 0.95 {
        return Err(best);
    }
    // As many values as still pay.
    let mut most = room.min(words.len());
    #[allow(clippy::cast_precision_loss)]
    while most > 1 && key(most as f64) >= cost {
        most -= most.div_ceil(8);
    }
    dictionary::words(words, range, most).ok_or(best)
}

/// Bits of a value as a difference.
fn differences<T: Number>(words: &[T]) -> f64 {
    let n = words.len();
    #[allow(clippy::cast_precision_loss)] // estimates
    let mean = |bits: usize, n: usize| bits as f64 / n.max(1) as f64;
    if n <= PIECES * PIECE {
        return mean(delta::estimate(words), n);
    }
    let bits: usize = (0..PIECES)
        .map(|k| {
            let at = (n - PIECE) / (PIECES - 1) * k;
            delta::estimate(words.get(at..at + PIECE).unwrap_or_default())
        })
        .sum();
    mean(bits, PIECES * PIECE)
}

fn text<'a>(texts: &[&'a [u8]], settings: &Settings, costs: &Costs) -> How<'a> {
    let plain =
        if settings.profile == Profile::Small { Encoding::DeltaLengthByteArray } else { Encoding::Plain };
    if !settings.dictionary {
        return How::Straight(plain);
    }
    let found = sample(
        texts.len(),
        |at| texts.get(at).map_or(0, |text| dictionary::hash(text)),
        |at| texts.get(at) == texts.get(at - 1),
    );
    let looked = texts.len().min(SAMPLE);
    let nbytes: usize =
        (0..looked).filter_map(|k| texts.get(place(k, texts.len()))).map(|text| text.len() + 4).sum();
    #[allow(clippy::cast_precision_loss)] // estimates
    let (n, value_bits) = (texts.len() as f64, 8.0 * nbytes as f64 / looked.max(1) as f64);
    // Codecs make less of text than of keys: plain text is taken for half its size.
    let key = |distinct: f64| dictionary_bits(distinct, n, value_bits, found.same) + costs.dictionary;
    if key(found.distinct) >= value_bits * 0.6 {
        return How::Straight(plain);
    }
    let most = texts.len() / 2 + 1;
    match dictionary::texts(texts, most, 2 * DICTIONARY_NBYTES) {
        Some((keys, values)) => How::Keys(keys, NonNullValues::Text(values)),
        None => How::Straight(plain),
    }
}

fn wide<'a>(bytes: &[u8], width: usize, settings: &Settings, costs: &Costs) -> How<'a> {
    // Not split into streams: polars reads those of numbers alone.
    let plain = Encoding::Plain;
    let n = bytes.len().checked_div(width).unwrap_or(0);
    if !settings.dictionary || n == 0 {
        return How::Straight(plain);
    }
    let value = |at: usize| bytes.get(at * width..(at + 1) * width).unwrap_or_default();
    let found = sample(n, |at| dictionary::hash(value(at)), |at| value(at) == value(at - 1));
    #[allow(clippy::cast_precision_loss)] // estimates
    let (rows, value_bits) = (n as f64, 8.0 * width as f64);
    let key = dictionary_bits(found.distinct, rows, value_bits, found.same) + costs.dictionary;
    if key >= value_bits * 0.8 {
        return How::Straight(plain);
    }
    keyed_wide(bytes, width, n / 2 + 1, DICTIONARY_NBYTES).unwrap_or(How::Straight(plain))
}

fn keyed_wide<'a>(bytes: &[u8], width: usize, most: usize, most_nbytes: usize) -> Option<How<'a>> {
    let values: Vec<&[u8]> = bytes.chunks_exact(width.max(1)).collect();
    let (keys, found) = dictionary::texts(&values, most, most_nbytes.saturating_mul(2))?;
    Some(How::Keys(keys, NonNullValues::Wide(found.concat().into(), width)))
}

/// The encoding that was asked for; PLAIN where the type does not have it.
fn by_hand<'a>(leaf: &Leaf<'_>, values: &NonNullValues<'a>, encoding: Encoding) -> How<'a> {
    let none = usize::MAX / 2;
    match (encoding, values) {
        (Encoding::RleDictionary | Encoding::PlainDictionary, values) => match values {
            NonNullValues::Four(words) => {
                dictionary::words(words, None, none).map(|(k, v)| How::Keys(k, NonNullValues::Four(v.into())))
            }
            NonNullValues::Eight(words) => dictionary::words(words, None, none)
                .map(|(k, v)| How::Keys(k, NonNullValues::Eight(v.into()))),
            NonNullValues::Text(texts) => {
                dictionary::texts(texts, none, none).map(|(k, v)| How::Keys(k, NonNullValues::Text(v)))
            }
            NonNullValues::Wide(bytes, width) => keyed_wide(bytes, *width, none, none / 2),
            NonNullValues::Bools(_) | NonNullValues::Keys(..) => None,
        }
        .unwrap_or(How::Straight(Encoding::Plain)),
        (Encoding::DeltaBinaryPacked, NonNullValues::Four(_) | NonNullValues::Eight(_))
            if matches!(leaf.physical, Physical::Int32 | Physical::Int64) =>
        {
            How::Straight(encoding)
        }
        (Encoding::DeltaLengthByteArray | Encoding::DeltaByteArray, NonNullValues::Text(_))
        | (
            Encoding::ByteStreamSplit,
            NonNullValues::Four(_) | NonNullValues::Eight(_) | NonNullValues::Wide(..),
        )
        | (Encoding::Rle, NonNullValues::Bools(_)) => How::Straight(encoding),
        _ => How::Straight(Encoding::Plain),
    }
}
