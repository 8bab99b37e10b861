//! Chooses the codec of a chunk: compresses parts of its pages and compares the saving with the profile's threshold.

use std::ops::Range;

use crate::codec::Profile;
use crate::error::Result;

use super::body::PageSource;
use super::non_null_values::NonNullValues;
use super::settings::{CodecChoice, PageCodec, Settings};

/// Smaller page bodies are not compressed.
const LEAST_NBYTES: usize = 512;

/// Smaller chunks are not compressed with zstd, whose decoder takes 10 microseconds to create in pyarrow, as long as it takes to
/// decode 8 KiB.
const ZSTD_FROM_NBYTES: usize = 16 << 10;

/// Values per page, and bytes of text per page, that a trial compresses.
const TRIAL: usize = 16 << 10;
const TRIAL_NBYTES: usize = 128 << 10;

/// A codec with its level, and whether dictionary keys are padded to whole bytes for it.
#[derive(Debug)]
pub(super) struct ChosenCodec {
    pub(super) codec: PageCodec,
    pub(super) level: Option<i32>,
    pub(super) aligned: bool,
    /// The uncompressed and compressed values of the only page, if the trial covered it, so that small chunks are compressed once.
    pub(super) done: Option<(Vec<u8>, Vec<u8>)>,
}

/// Returns the codec and level that a profile tries, and the highest compressed size in percent that is accepted.
fn candidate(profile: Profile) -> (PageCodec, Option<i32>, usize) {
    match profile {
        Profile::Fast => (PageCodec::Snappy, None, 60),
        Profile::Balanced => (PageCodec::Zstd, Some(1), 90),
        Profile::Small => (PageCodec::Zstd, Some(9), 99),
    }
}

/// Page bodies of a trial, and the compressed bodies.
#[derive(Default)]
struct CodecTrial {
    bodies: Vec<Vec<u8>>,
    packed: Vec<Vec<u8>>,
}

fn total(parts: &[Vec<u8>]) -> usize {
    parts.iter().map(Vec::len).sum()
}

impl CodecTrial {
    fn encode(source: &PageSource<'_, '_>, pages: &[Range<usize>]) -> Self {
        let body = |page: &Range<usize>| {
            let mut body = Vec::new();
            source.encoded(page.clone(), &mut body);
            body
        };
        Self { bodies: pages.iter().map(body).collect(), packed: Vec::new() }
    }

    /// Compresses the bodies and returns the compressed size.
    fn compress(&mut self, codec: PageCodec, level: Option<i32>) -> Result<usize> {
        for body in &self.bodies {
            let mut packed = Vec::new();
            codec.compress(body, level, &mut packed)?;
            self.packed.push(packed);
        }
        Ok(total(&self.packed))
    }
}

/// Chooses the codec from a trial on these ranges of the values, one per page.
pub(super) fn choose(
    source: &mut PageSource<'_, '_>,
    pages: &[Range<usize>],
    settings: &Settings,
) -> Result<ChosenCodec> {
    let (codec, level, percent) = match settings.codec {
        CodecChoice::One(codec) => {
            return Ok(ChosenCodec { codec, level: settings.level, aligned: false, done: None });
        }
        CodecChoice::Auto => candidate(settings.profile),
    };
    let mut level = settings.level.or(level);
    let mut codec = codec;
    let pages: Vec<Range<usize>> = pages.iter().map(|page| trial_range(source, page)).collect();
    source.aligned = false;
    let mut best = CodecTrial::encode(source, &pages);
    let plain = total(&best.bodies);
    if settings.profile == Profile::Balanced && plain < ZSTD_FROM_NBYTES {
        // A page this small was tried as a whole.
        (codec, level) = (PageCodec::Snappy, None);
    }
    if plain < LEAST_NBYTES {
        return Ok(ChosenCodec { codec: PageCodec::None, level: None, aligned: false, done: None });
    }
    let mut least = best.compress(codec, level)?;
    let mut aligned = false;
    if codec == PageCodec::Zstd && source.dictionary().is_some() {
        source.aligned = true;
        let mut whole = CodecTrial::encode(source, &pages);
        let nbytes = whole.compress(codec, level)?;
        if nbytes < least {
            (best, least, aligned) = (whole, nbytes, true);
        }
    }
    source.aligned = false;
    if least * 100 >= plain * percent {
        return Ok(ChosenCodec { codec: PageCodec::None, level: None, aligned: false, done: None });
    }
    let done = best.bodies.into_iter().zip(best.packed).next().filter(|_| pages.len() == 1);
    Ok(ChosenCodec { codec, level, aligned, done })
}

/// Returns the first part of a page, for the trial.
fn trial_range(source: &PageSource<'_, '_>, page: &Range<usize>) -> Range<usize> {
    let n = match source.values {
        NonNullValues::Text(texts) if source.dictionary().is_none() => {
            let mut nbytes = 0;
            let texts = texts.get(page.clone()).unwrap_or_default().iter();
            let fits = |text: &&&[u8]| {
                nbytes += text.len() + 4;
                nbytes <= TRIAL_NBYTES
            };
            texts.take_while(fits).count().max(1)
        }
        _ => TRIAL,
    };
    page.start..page.start.saturating_add(n).min(page.end)
}

#[cfg(test)]
mod tests {
    use super::super::{ElementConversion, LeafColumn, LeafData, Physical, SortOrder, encode};
    use super::*;

    #[test]
    fn small_chunks_need_no_decoder_of_zstd() {
        let bytes: Vec<u8> = (0..100_000u64)
            .flat_map(|k| (k % 97).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()[..4].to_vec())
            .collect();
        let data = LeafData::Fixed {
            bytes: &bytes,
            start: 0,
            width: 4,
            stride: 4,
            conversion: ElementConversion::Identity,
        };
        let leaf = LeafColumn {
            physical: Physical::Float,
            data,
            validity: None,
            optional: false,
            order: SortOrder::Float,
        };
        let codec = |nrows: usize, profile: Profile| {
            let settings = Settings { dictionary: false, profile, ..Settings::default() };
            encode(&leaf, 0..nrows, &settings, &mut Vec::new()).map(|chunk| chunk.codec).ok()
        };
        assert_eq!(codec(100, Profile::Balanced), Some(PageCodec::None));
        assert_eq!(codec(4_000, Profile::Balanced), Some(PageCodec::Snappy));
        assert_eq!(codec(4_200, Profile::Balanced), Some(PageCodec::Zstd));
        assert_eq!(codec(100_000, Profile::Balanced), Some(PageCodec::Zstd));
        assert_eq!(codec(4_000, Profile::Small), Some(PageCodec::Zstd));
    }
}
