//! Counts the levels of one page: which of them begin a position of each stream, which slots have a value, and which nodes are
//! not null.

use crate::error::{Error, Result};
use crate::formats::parquet::levels::Validity;
use crate::formats::parquet::read::level_streams::LevelStreams;
use crate::formats::parquet::read::page::Slots;
use crate::formats::parquet::read::shape::LeafShape;

use super::super::page_decoder::NullMask;
use super::blocks::{BLOCK, LevelDecoder, gather, has_bits};

/// The counted levels of one page.
#[derive(Debug, Default)]
pub(super) struct CountedLevels {
    /// Number of levels.
    pub(super) n: usize,
    /// Number of positions of each stream that begin in the page.
    pub(super) counts: Vec<usize>,
    /// For each stream a bitmap of the levels that begin a position; empty if there is one stream, of which each level begins
    /// one.
    planes: Vec<Vec<u64>>,
    /// Which slots have a value; `None`: all.
    pub(super) valid: Option<Validity>,
    /// For each nullable node whose first leaf this is: which positions are not null; `None`: all.
    pub(super) validities: Vec<Option<Validity>>,
    /// The slots that the values are decoded to.
    pub(super) slots: Slots,
    /// The first repetition level and the last definition level.
    first: u16,
    last: u16,
}

/// Counts the levels of a page of `n` values.
///
/// # Errors
/// Truncated levels; levels that are too high or contradict each other.
pub(super) fn count(streams: &LevelStreams<'_>, n: usize, leaf: &LeafShape) -> Result<CountedLevels> {
    #[cfg(target_arch = "x86_64")]
    if has_bits() {
        #[target_feature(enable = "bmi1,bmi2,popcnt")]
        fn with_bits(streams: &LevelStreams<'_>, n: usize, leaf: &LeafShape) -> Result<CountedLevels> {
            // SAFETY: this function is compiled for the instructions, so a processor that runs it has them.
            unsafe { count_levels::<true>(streams, n, leaf) }
        }
        // SAFETY: the processor has the instructions, as `has_bits` checks.
        return unsafe { with_bits(streams, n, leaf) };
    }
    // SAFETY: without `BITS` any processor will do.
    unsafe { count_levels::<false>(streams, n, leaf) }
}

/// # Safety
/// With `BITS` the processor has the instructions of [`has_bits`].
#[inline(always)]
unsafe fn count_levels<const BITS: bool>(
    streams: &LevelStreams<'_>,
    n: usize,
    leaf: &LeafShape,
) -> Result<CountedLevels> {
    let nlists = leaf.lists.len();
    let mut repeats = LevelDecoder::new(&streams.repetition, leaf.most.repetition, n, "repetition")?;
    let mut defines = LevelDecoder::new(&streams.definition, leaf.most.definition, n, "definition")?;
    let mut out = CountedLevels { n, counts: vec![0; nlists + 1], ..CountedLevels::default() };
    if nlists > 0 {
        out.planes = (0..=nlists).map(|_| Vec::with_capacity(n.div_ceil(BLOCK))).collect();
    }
    let mut valid = NullMask::default();
    let mut validities: Vec<NullMask> = leaf.nullables.iter().map(|_| NullMask::default()).collect();
    // For each list, a bit for whether the level before has an item. `follows` checks the boundaries between pages.
    let mut has_item = vec![1u64; nlists];
    let mut begins = vec![0u64; nlists + 1];
    let mut at = 0;
    while at < n {
        let now = (n - at).min(BLOCK);
        let all = if now < BLOCK { (1 << now) - 1 } else { u64::MAX };
        // SAFETY: this function's contract.
        let (repeat, define) = unsafe { (repeats.next::<BITS>(now)?, defines.next::<BITS>(now)?) };
        for (k, (list, has_item)) in leaf.lists.iter().zip(&mut has_item).enumerate() {
            // A level that repeats list `k` (or a list within it) has an item of it, and so has the level before.
            let again = repeat.reach(to_level(k + 1)) & all;
            let item = define.reach(list.item);
            let wrong = again & !(item & (item << 1 | *has_item));
            if wrong != 0 {
                return Err(contradiction(at + wrong.trailing_zeros() as usize));
            }
            *has_item = item >> (now - 1) & 1;
            if let Some(begin) = begins.get_mut(k) {
                *begin &= !again;
            }
            if let Some(begin) = begins.get_mut(k + 1) {
                *begin = item & all;
            }
            if k == 0
                && let Some(begin) = begins.first_mut()
            {
                *begin = all & !again;
            }
        }
        if nlists == 0 {
            begins.fill(all);
        }
        for (begin, count) in begins.iter().zip(&mut out.counts) {
            *count += begin.count_ones() as usize;
        }
        // A single stream needs no bitmap: all its levels begin a position.
        for (begin, plane) in begins.iter().zip(&mut out.planes) {
            plane.push(*begin);
        }
        let slots = begins.last().copied().unwrap_or(0);
        let values = define.reach(leaf.most.definition);
        // SAFETY: as above.
        out.slots.nvalid += unsafe { append_validity::<BITS>(&mut valid, values, slots) };
        for (nullable, nulls) in leaf.nullables.iter().zip(&mut validities) {
            let places = begins.get(nullable.stream).copied().unwrap_or(0);
            // SAFETY: as above.
            unsafe { append_validity::<BITS>(nulls, define.reach(nullable.valid_level), places) };
        }
        if at == 0 {
            // The first level of the page.
            out.first = to_level((1..=nlists).take_while(|k| repeat.reach(to_level(*k)) & 1 == 1).count());
        }
        at += now;
        if at == n {
            let most = leaf.most.definition;
            let reached = (1..=most).take_while(|least| define.reach(*least) >> (now - 1) & 1 == 1);
            out.last = to_level(reached.count());
        }
    }
    out.slots.n = out.counts.last().copied().unwrap_or(0);
    out.slots.levels_nbytes = streams.nbytes;
    out.valid = valid.finish();
    out.slots.definition = runs(out.valid.as_ref(), out.slots.n);
    out.validities = validities.into_iter().map(NullMask::finish).collect();
    Ok(out)
}

/// Appends to `nulls` which of `places` have a bit in `bits`, and returns their number.
///
/// # Safety
/// As [`count_levels`].
#[inline(always)]
unsafe fn append_validity<const BITS: bool>(nulls: &mut NullMask, bits: u64, places: u64) -> usize {
    let (n, nvalid) = (places.count_ones() as usize, (bits & places).count_ones() as usize);
    if nvalid == n {
        nulls.push_valid(n);
    } else {
        // SAFETY: this function's contract.
        nulls.begin().push(unsafe { gather::<BITS>(bits, places) }, n);
    }
    nvalid
}

#[allow(clippy::cast_possible_truncation)] // levels are at most 126
fn to_level(k: usize) -> u16 {
    k as u16
}

#[cold]
fn contradiction(at: usize) -> Error {
    let message = format!(
        "level {at} of a page goes on with a list that has no item. The file is damaged; write it again."
    );
    Error::malformed("parquet", message)
}

/// Encodes levels 0 and 1 as one bit-packed run, or as one RLE run if all are 1.
fn runs(valid: Option<&Validity>, n: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let head = |mut head: u64, out: &mut Vec<u8>| {
        while head >= 0x80 {
            out.push((head & 0x7f) as u8 | 0x80);
            head >>= 7;
        }
        out.push((head & 0x7f) as u8);
    };
    match valid {
        None => {
            head((n as u64) << 1, &mut out);
            out.push(1);
        }
        Some(valid) => {
            out.reserve(10 + 8 * valid.words().len());
            head((n.div_ceil(8) as u64) << 1 | 1, &mut out);
            valid.words().iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        }
    }
    out
}

impl CountedLevels {
    /// Whether the page may follow `before` (`None`: be the first): a continued list has an item in `before`.
    pub(super) fn follows(&self, before: Option<&Self>, leaf: &LeafShape) -> bool {
        let Some(list) = usize::from(self.first).checked_sub(1) else { return true };
        let item = leaf.lists.get(list).map_or(u16::MAX, |list| list.item);
        before.is_some_and(|before| before.last >= item)
    }

    /// Returns a bitmap of the levels that begin a position of `stream`. `None`: all.
    pub(super) fn plane(&self, stream: usize) -> Option<&[u64]> {
        self.planes.get(stream).map(Vec::as_slice)
    }

    /// Returns the number of positions of `stream` that begin before level `at`.
    pub(super) fn rank(&self, stream: usize, at: usize) -> usize {
        let Some(plane) = self.plane(stream) else { return at };
        if at >= self.n {
            return self.counts.get(stream).copied().unwrap_or(0);
        }
        let whole = plane.iter().take(at / BLOCK).map(|word| word.count_ones() as usize);
        let last = plane.get(at / BLOCK).map_or(0, |word| (word & ((1 << (at % BLOCK)) - 1)).count_ones());
        whole.sum::<usize>() + last as usize
    }

    /// Returns the level that begins row `row`, counted in the page; `n` if the page has fewer rows.
    pub(super) fn row(&self, row: usize) -> usize {
        let Some(plane) = self.plane(0) else { return row.min(self.n) };
        let mut left = row;
        for (k, word) in plane.iter().enumerate() {
            let here = word.count_ones() as usize;
            if left < here {
                let mut word = *word;
                for _ in 0..left {
                    word &= word - 1;
                }
                return k * BLOCK + word.trailing_zeros() as usize;
            }
            left -= here;
        }
        self.n
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::borrow::Cow;

    use arrow_schema::DataType;

    use super::*;
    use crate::formats::parquet::read::conversion::FlatLeaf;
    use crate::formats::parquet::read::level_streams::MaxLevels as Most;
    use crate::formats::parquet::read::shape::{ListLevel, NullableLevel};
    use crate::formats::parquet::types::{LeafConversion, Physical};

    /// A leaf in `depth` nullable lists with nullable items.
    pub(in super::super) fn leaf(depth: u16) -> LeafShape {
        let list = |k: u16| ListLevel { list: usize::from(k), item: 2 * k + 2, first: true };
        let nullable = |k: u16| NullableLevel {
            nullable: usize::from(k),
            stream: usize::from(k),
            valid_level: 2 * k + 1,
        };
        LeafShape {
            flat: FlatLeaf { physical: Physical::Int32, optional: true, way: LeafConversion::Same },
            data_type: DataType::Int32,
            ordered: false,
            is_nullable: true,
            most: Most { definition: 2 * depth + 1, repetition: depth },
            lists: (0..depth).map(list).collect(),
            nullables: (0..depth).map(nullable).collect(),
        }
    }

    /// Encodes each level as a run of one and counts them.
    pub(in super::super) fn counted(depth: u16, repeats: &[u8], defines: &[u8]) -> Result<CountedLevels> {
        let runs = |levels: &[u8]| -> Vec<u8> { levels.iter().flat_map(|level| [2, *level]).collect() };
        let streams = LevelStreams {
            repetition: Cow::Owned(runs(repeats)),
            definition: Cow::Owned(runs(defines)),
            nbytes: 7,
        };
        count(&streams, repeats.len(), &leaf(depth))
    }

    fn bits(valid: Option<&Validity>) -> Option<u64> {
        valid.and_then(|valid| valid.words().first().copied())
    }

    #[test]
    fn lists_of_lists() {
        // [[1, null], []], null, [], [null, [2]]
        let repeats = [0, 2, 1, 0, 0, 0, 1];
        let defines = [5, 4, 3, 0, 1, 2, 5];
        let found = counted(2, &repeats, &defines).unwrap();
        assert_eq!(found.counts, [4, 4, 3]);
        assert_eq!(found.plane(0), Some(&[0b0011_1001][..]));
        assert_eq!(found.plane(1), Some(&[0b0110_0101][..]));
        assert_eq!(found.plane(2), Some(&[0b0100_0011][..]));
        assert_eq!(bits(found.valid.as_ref()), Some(0b101));
        assert_eq!(bits(found.validities[0].as_ref()), Some(0b1101));
        assert_eq!(bits(found.validities[1].as_ref()), Some(0b1011));
        assert_eq!((found.slots.n, found.slots.nvalid, found.slots.levels_nbytes), (3, 2, 7));
        assert_eq!([0, 1, 2, 3, 4].map(|row| found.row(row)), [0, 3, 4, 5, 7]);
        assert_eq!([0, 1, 3, 5, 7].map(|at| found.rank(1, at)), [0, 1, 2, 2, 4]);
        assert!(found.follows(None, &leaf(2)));
    }

    #[test]
    fn structs_without_lists_have_a_position_for_each_level() {
        let mut structs = leaf(0);
        structs.most.definition = 2;
        structs.nullables.push(NullableLevel { nullable: 0, stream: 0, valid_level: 1 });
        let streams = LevelStreams {
            repetition: Cow::Borrowed(&[]),
            definition: Cow::Borrowed(&[2, 2, 2, 0, 0xc4, 1, 1]),
            nbytes: 7,
        };
        let found = count(&streams, 100, &structs).unwrap();
        assert_eq!((found.counts.as_slice(), found.slots.n, found.slots.nvalid), (&[100][..], 100, 1));
        assert_eq!(found.validities[0].as_ref().map(|validity| validity.nulls), Some(1));
        assert_eq!((found.row(7), found.row(100), found.rank(0, 9)), (7, 100, 9));
    }

    #[test]
    fn continued_lists_span_pages() {
        let (item, empty) = (counted(1, &[0], &[3]).unwrap(), counted(1, &[0], &[1]).unwrap());
        let more = counted(1, &[1, 0], &[2, 0]).unwrap();
        assert!(more.follows(Some(&item), &leaf(1)));
        assert!(!more.follows(Some(&empty), &leaf(1)));
        assert!(!more.follows(None, &leaf(1)));
        assert_eq!((more.counts.as_slice(), more.row(0)), (&[1, 1][..], 1));
    }

    #[test]
    fn levels_that_contradict_each_other() {
        // An item after a missing list, after an empty list, an item of the outer list after one without items; no item in a
        // continued list.
        for (depth, repeats, defines) in [
            (1, [0, 1], [0, 3]),
            (1, [0, 1], [1, 3]),
            (2, [0, 2], [3, 5]),
            (2, [0, 1], [1, 5]),
            (1, [0, 1], [3, 1]),
            (2, [0, 2], [5, 3]),
        ] {
            let error = counted(depth, &repeats, &defines).unwrap_err();
            assert!(error.to_string().contains("level 1 of a page goes on with a list"), "{error}");
        }
        let error = counted(1, &[0, 2], &[3, 3]).unwrap_err();
        assert!(error.to_string().contains("repetition level 2, at most 1"), "{error}");
        let error = counted(1, &[0, 1], &[3, 4]).unwrap_err();
        assert!(error.to_string().contains("definition level 4, at most 3"), "{error}");
        let streams = LevelStreams {
            repetition: Cow::Borrowed(&[2, 0]),
            definition: Cow::Borrowed(&[4, 3]),
            nbytes: 0,
        };
        assert!(count(&streams, 2, &leaf(1)).is_err());
    }

    #[test]
    fn the_null_mask_begins_at_the_first_null() {
        let (repeats, mut defines) = ([0; 150], [3; 150]);
        let found = counted(1, &repeats, &defines).unwrap();
        assert!(found.valid.is_none() && found.validities[0].is_none());
        assert_eq!(found.slots.definition, [0xac, 0x02, 1]);
        defines[70] = 2;
        defines[149] = 0;
        let found = counted(1, &repeats, &defines).unwrap();
        assert_eq!((found.slots.n, found.slots.nvalid), (149, 148));
        assert_eq!(found.valid.as_ref().map(|valid| valid.words()[1]), Some(!(1 << 6)));
        assert_eq!(
            found.validities[0].as_ref().map(|validity| (validity.len(), validity.nulls)),
            Some((150, 1))
        );
    }
}
