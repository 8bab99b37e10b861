//! The codec that a chunk deserves: some of its pages are compressed, and what that saves is weighed.

use std::ops::Range;

use crate::error::Result;

use super::body::Source;
use super::dense::Dense;
use super::settings::{Codec, Packing, Profile, Settings};

/// Bodies below this are not worth a codec's time.
const LEAST_NBYTES: usize = 512;

/// Values of a page that are tried, and bytes of text.
const TRIED: usize = 32 << 10;
const TRIED_NBYTES: usize = 128 << 10;

/// A codec with its level, and whether keys are to have whole bytes for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) codec: Codec,
    pub(super) level: Option<i32>,
    pub(super) aligned: bool,
}

/// The candidate of a profile, and the share of a page's bytes that it may leave.
fn candidate(profile: Profile) -> (Codec, Option<i32>, usize) {
    match profile {
        Profile::Fast => (Codec::Snappy, None, 60),
        Profile::Balanced => (Codec::Zstd, Some(1), 90),
        Profile::Small => (Codec::Zstd, Some(9), 99),
    }
}

/// Decides by these ranges of the values, a page each.
pub(super) fn choose(
    source: &mut Source<'_, '_>,
    pages: &[Range<usize>],
    settings: &Settings,
) -> Result<Packed> {
    let (codec, level, percent) = match settings.codec {
        Packing::One(codec) => return Ok(Packed { codec, level: settings.level, aligned: false }),
        Packing::Auto => candidate(settings.profile),
    };
    let level = settings.level.or(level);
    let (mut body, mut packed) = (Vec::new(), Vec::new());
    let pages: Vec<Range<usize>> = pages.iter().map(|page| tried_part(source, page)).collect();
    let mut tried = |source: &Source<'_, '_>, compress: bool| -> Result<usize> {
        let mut nbytes = 0;
        for page in &pages {
            body.clear();
            source.encoded(page.clone(), &mut body);
            if compress {
                packed.clear();
                codec.compress(&body, level, &mut packed)?;
                nbytes += packed.len();
            } else {
                nbytes += body.len();
            }
        }
        Ok(nbytes)
    };
    source.aligned = false;
    let plain = tried(source, false)?;
    let none = Packed { codec: Codec::None, level: None, aligned: false };
    if plain < LEAST_NBYTES {
        return Ok(none);
    }
    let mut best = tried(source, true)?;
    let mut aligned = false;
    if codec == Codec::Zstd && source.keyed().is_some() {
        source.aligned = true;
        let whole = tried(source, true)?;
        if whole < best {
            (best, aligned) = (whole, true);
        }
        source.aligned = aligned;
    }
    if best * 100 < plain * percent {
        return Ok(Packed { codec, level, aligned });
    }
    source.aligned = false;
    Ok(none)
}

/// The beginning of a page.
fn tried_part(source: &Source<'_, '_>, page: &Range<usize>) -> Range<usize> {
    let n = match source.values {
        Dense::Text(texts) if source.keyed().is_none() => {
            let mut nbytes = 0;
            let texts = texts.get(page.clone()).unwrap_or_default().iter();
            let fits = |text: &&&[u8]| {
                nbytes += text.len() + 4;
                nbytes <= TRIED_NBYTES
            };
            texts.take_while(fits).count().max(1)
        }
        _ => TRIED,
    };
    page.start..page.start.saturating_add(n).min(page.end)
}
