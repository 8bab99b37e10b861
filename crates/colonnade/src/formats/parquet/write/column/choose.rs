//! Chooses the encoding of a leaf from a sample of its values and a table of decoding costs.

use std::ops::Range;

use crate::codec::Profile;

use super::delta::{self, DeltaInteger};
use super::dictionary::{self, DictionaryWord};
use super::leaf::{LeafColumn, Physical, SortOrder};
use super::non_null_values::NonNullValues;
use super::settings::{EncodingChoice, PageEncoding, Settings};
use super::statistics;

/// The encoding of a chunk.
#[derive(Debug)]
pub(super) enum ChunkEncoding<'a> {
    /// An encoding of the values that needs no preparation.
    Direct(PageEncoding),
    /// Dictionary encoding: keys and values.
    Dictionary(Vec<u32>, NonNullValues<'a>),
    /// Dictionary encoding with the keys of a dictionary column.
    ColumnDictionary,
}

/// The decoding costs of an encoding, converted to bits of file size per value, from measurements with pyarrow
/// (docs/design/parquet-writing.md).
struct EncodingCosts {
    dictionary: f64,
    delta: f64,
}

impl EncodingCosts {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Fast => Self { dictionary: 4.0, delta: 12.0 },
            Profile::Balanced => Self { dictionary: 1.0, delta: 3.0 },
            Profile::Small => Self { dictionary: 0.0, delta: 0.0 },
        }
    }
}

/// Widest difference in bits that is chosen automatically: fastparquet silently decodes wider ones to wrong values.
const WIDEST: u8 = 27;

/// Number of sampled values to estimate repetition, and of neighbours to estimate differences.
const SAMPLE: usize = 2048;
const PIECES: usize = 8;
const PIECE: usize = 257;

/// Maximum bytes of a dictionary; larger ones exceed a reader's cache.
const DICTIONARY_NBYTES: usize = 1 << 20;

/// Estimates from a sample.
struct SampleEstimate {
    /// Estimated number of distinct values.
    distinct: f64,
    /// Share of values that equal the value before them.
    same: f64,
}

/// Returns position `k` of a sample of `n` values. Positions are spread irregularly, so that they do not follow a period of the
/// data.
fn sample_position(k: usize, n: usize) -> usize {
    if n <= SAMPLE {
        return k;
    }
    let spread = (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let stratum = n / SAMPLE;
    k * stratum + usize::try_from(spread).unwrap_or(0) % stratum
}

fn sample(n: usize, hash: impl Fn(usize) -> u64, same: impl Fn(usize) -> bool) -> SampleEstimate {
    let looked = n.min(SAMPLE);
    let mut seen = vec![u64::MAX; (2 * looked).next_power_of_two().max(2)];
    let mask = seen.len() - 1;
    let (mut found, mut equal) = (0usize, 0usize);
    for k in 0..looked {
        let at = sample_position(k, n);
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
    // Birthday estimate: the number of repeated values in the sample gives the number of distinct values.
    let twice = looked - found;
    let distinct = if looked >= n || twice * 4.0 > looked {
        // The sample has seen most values.
        if looked >= n { found } else { found * (1.0 + (found / looked) * 2.0) }
    } else {
        (looked * looked / (2.0 * twice.max(0.5))).min(n)
    };
    #[allow(clippy::cast_precision_loss)]
    let same = equal as f64 / looked.max(1.0);
    SampleEstimate { distinct, same }
}

/// Estimates the bits per value of dictionary encoding: the key, and the value's share of the dictionary.
fn dictionary_bits(distinct: f64, n: f64, value_bits: f64, same: f64) -> f64 {
    let key = distinct.max(1.0).log2().ceil().max(0.0);
    // A run has a header and a key.
    let runs = if same > 0.9 { (1.0 - same) * (16.0 + key) } else { key };
    runs.min(key) + distinct * value_bits / n
}

/// Whether DELTA_BINARY_PACKED was chosen automatically and a difference is wider than all readers support. `pages` are ranges of
/// the values.
pub(super) fn too_wide(
    chunk_encoding: &ChunkEncoding<'_>,
    values: &NonNullValues<'_>,
    settings: &Settings,
    mut pages: impl Iterator<Item = Range<usize>>,
) -> bool {
    if settings.encoding != EncodingChoice::Auto
        || !matches!(chunk_encoding, ChunkEncoding::Direct(PageEncoding::DeltaBinaryPacked))
    {
        return false;
    }
    pages.any(|page| match values {
        NonNullValues::Four(words) => delta::widest(words.get(page).unwrap_or_default()) > WIDEST,
        NonNullValues::Eight(words) => delta::widest(words.get(page).unwrap_or_default()) > WIDEST,
        _ => false,
    })
}

/// Removes duplicates from the dictionary of a dictionary column, because readers refuse a dictionary with a duplicate.
pub(super) fn distinct<'a>(leaf: &LeafColumn<'_>, values: NonNullValues<'a>) -> NonNullValues<'a> {
    let NonNullValues::Keys(mut keys, inner) = values else { return values };
    match fixed_encoding(leaf, &inner, PageEncoding::RleDictionary) {
        ChunkEncoding::Dictionary(places, found) if found.len() < inner.len() => {
            for key in &mut keys {
                *key = places.get(*key as usize).copied().unwrap_or(0);
            }
            NonNullValues::Keys(keys, Box::new(found))
        }
        _ => NonNullValues::Keys(keys, inner),
    }
}

/// Chooses the encoding. `deltas`: whether DELTA_BINARY_PACKED is allowed.
pub(super) fn choose<'a>(
    leaf: &LeafColumn<'_>,
    values: &NonNullValues<'a>,
    settings: &Settings,
    deltas: bool,
) -> ChunkEncoding<'a> {
    if let NonNullValues::Keys(..) = values {
        return ChunkEncoding::ColumnDictionary;
    }
    if let EncodingChoice::One(encoding) = settings.encoding {
        return fixed_encoding(leaf, values, encoding);
    }
    if values.len() == 0 {
        return ChunkEncoding::Direct(PageEncoding::Plain);
    }
    let costs = EncodingCosts::of(settings.profile);
    match values {
        NonNullValues::Four(words) => {
            let integers = deltas && leaf.physical == Physical::Int32;
            let range = if integers { statistics::range4(words, leaf.order) } else { None };
            let chunk_encoding =
                numbers(words, range, integers, leaf.order == SortOrder::Float, settings, &costs);
            chunk_encoding.map_or_else(ChunkEncoding::Direct, |(keys, values)| {
                ChunkEncoding::Dictionary(keys, NonNullValues::Four(values.into()))
            })
        }
        NonNullValues::Eight(words) => {
            let integers = deltas && leaf.physical == Physical::Int64;
            let range = if integers { statistics::range8(words, leaf.order) } else { None };
            let chunk_encoding =
                numbers(words, range, integers, leaf.order == SortOrder::Float, settings, &costs);
            chunk_encoding.map_or_else(ChunkEncoding::Direct, |(keys, values)| {
                ChunkEncoding::Dictionary(keys, NonNullValues::Eight(values.into()))
            })
        }
        NonNullValues::Text(texts) => choose_text(texts, settings, &costs),
        NonNullValues::Wide(bytes, width) => choose_bytes(bytes, *width, settings, &costs),
        NonNullValues::Bools(_) | NonNullValues::Keys(..) => ChunkEncoding::Direct(PageEncoding::Plain),
    }
}

type Keyed<T> = (Vec<u32>, Vec<T>);

fn numbers<T: DictionaryWord + DeltaInteger>(
    words: &[T],
    range: Option<(T, T)>,
    integers: bool,
    floats: bool,
    settings: &Settings,
    costs: &EncodingCosts,
) -> Result<Keyed<T>, PageEncoding> {
    let value_bits = 8.0 * size_of::<T>() as f64;
    #[allow(clippy::cast_precision_loss)] // estimates
    let n = words.len() as f64;
    let (mut best, mut cost) = (PageEncoding::Plain, value_bits);
    if integers {
        let delta = differences(words) + costs.delta;
        if delta < cost * 0.95 {
            (best, cost) = (PageEncoding::DeltaBinaryPacked, delta);
        }
    } else if settings.profile == Profile::Small && floats {
        best = PageEncoding::ByteStreamSplit;
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
    // The largest dictionary that still costs less than the best encoding so far.
    let mut most = room.min(words.len());
    #[allow(clippy::cast_precision_loss)]
    while most > 1 && key(most as f64) >= cost {
        most -= most.div_ceil(8);
    }
    dictionary::words(words, range, most).ok_or(best)
}

/// Estimates the bits of a value in DELTA_BINARY_PACKED.
fn differences<T: DeltaInteger>(words: &[T]) -> f64 {
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

fn choose_text<'a>(texts: &[&'a [u8]], settings: &Settings, costs: &EncodingCosts) -> ChunkEncoding<'a> {
    let plain = if settings.profile == Profile::Small {
        PageEncoding::DeltaLengthByteArray
    } else {
        PageEncoding::Plain
    };
    if !settings.dictionary {
        return ChunkEncoding::Direct(plain);
    }
    let found = sample(
        texts.len(),
        |at| texts.get(at).map_or(0, |text| dictionary::hash(text)),
        |at| texts.get(at) == texts.get(at - 1),
    );
    let looked = texts.len().min(SAMPLE);
    let nbytes: usize = (0..looked)
        .filter_map(|k| texts.get(sample_position(k, texts.len())))
        .map(|text| text.len() + 4)
        .sum();
    #[allow(clippy::cast_precision_loss)] // estimates
    let (n, value_bits) = (texts.len() as f64, 8.0 * nbytes as f64 / looked.max(1) as f64);
    // Codecs compress text better than keys, so plain text counts half its size.
    let key = |distinct: f64| dictionary_bits(distinct, n, value_bits, found.same) + costs.dictionary;
    if key(found.distinct) >= value_bits * 0.6 {
        return ChunkEncoding::Direct(plain);
    }
    let most = texts.len() / 2 + 1;
    match dictionary::texts(texts, most, 2 * DICTIONARY_NBYTES) {
        Some((keys, values)) => ChunkEncoding::Dictionary(keys, NonNullValues::Text(values)),
        None => ChunkEncoding::Direct(plain),
    }
}

fn choose_bytes<'a>(
    bytes: &[u8],
    width: usize,
    settings: &Settings,
    costs: &EncodingCosts,
) -> ChunkEncoding<'a> {
    // BYTE_STREAM_SPLIT is not chosen: polars reads it only for numbers.
    let plain = PageEncoding::Plain;
    let n = bytes.len().checked_div(width).unwrap_or(0);
    if !settings.dictionary || n == 0 {
        return ChunkEncoding::Direct(plain);
    }
    let value = |at: usize| bytes.get(at * width..(at + 1) * width).unwrap_or_default();
    let found = sample(n, |at| dictionary::hash(value(at)), |at| value(at) == value(at - 1));
    #[allow(clippy::cast_precision_loss)] // estimates
    let (rows, value_bits) = (n as f64, 8.0 * width as f64);
    let key = dictionary_bits(found.distinct, rows, value_bits, found.same) + costs.dictionary;
    if key >= value_bits * 0.8 {
        return ChunkEncoding::Direct(plain);
    }
    keyed_wide(bytes, width, n / 2 + 1, DICTIONARY_NBYTES).unwrap_or(ChunkEncoding::Direct(plain))
}

fn keyed_wide<'a>(bytes: &[u8], width: usize, most: usize, most_nbytes: usize) -> Option<ChunkEncoding<'a>> {
    let values: Vec<&[u8]> = bytes.chunks_exact(width.max(1)).collect();
    let (keys, found) = dictionary::texts(&values, most, most_nbytes.saturating_mul(2))?;
    Some(ChunkEncoding::Dictionary(keys, NonNullValues::Wide(found.concat().into(), width)))
}

/// Returns the encoding that the options set, or PLAIN if the type does not support it.
fn fixed_encoding<'a>(
    leaf: &LeafColumn<'_>,
    values: &NonNullValues<'a>,
    encoding: PageEncoding,
) -> ChunkEncoding<'a> {
    let none = usize::MAX / 2;
    match (encoding, values) {
        (PageEncoding::RleDictionary | PageEncoding::PlainDictionary, values) => match values {
            NonNullValues::Four(words) => dictionary::words(words, None, none)
                .map(|(k, v)| ChunkEncoding::Dictionary(k, NonNullValues::Four(v.into()))),
            NonNullValues::Eight(words) => dictionary::words(words, None, none)
                .map(|(k, v)| ChunkEncoding::Dictionary(k, NonNullValues::Eight(v.into()))),
            NonNullValues::Text(texts) => dictionary::texts(texts, none, none)
                .map(|(k, v)| ChunkEncoding::Dictionary(k, NonNullValues::Text(v))),
            NonNullValues::Wide(bytes, width) => keyed_wide(bytes, *width, none, none / 2),
            NonNullValues::Bools(_) | NonNullValues::Keys(..) => None,
        }
        .unwrap_or(ChunkEncoding::Direct(PageEncoding::Plain)),
        (PageEncoding::DeltaBinaryPacked, NonNullValues::Four(_) | NonNullValues::Eight(_))
            if matches!(leaf.physical, Physical::Int32 | Physical::Int64) =>
        {
            ChunkEncoding::Direct(encoding)
        }
        (PageEncoding::DeltaLengthByteArray | PageEncoding::DeltaByteArray, NonNullValues::Text(_))
        | (
            PageEncoding::ByteStreamSplit,
            NonNullValues::Four(_) | NonNullValues::Eight(_) | NonNullValues::Wide(..),
        )
        | (PageEncoding::Rle, NonNullValues::Bools(_)) => ChunkEncoding::Direct(encoding),
        _ => ChunkEncoding::Direct(PageEncoding::Plain),
    }
}
