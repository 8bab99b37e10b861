//! Bounds the decoded size of a chunk's texts: keys repeat texts of the dictionary, and DELTA_BYTE_ARRAY repeats prefixes.

use crate::error::{Error, Result};
use crate::formats::parquet::delta::DeltaDecoder;
use crate::formats::parquet::page::{PageEncoding, PageType};
use crate::formats::parquet::read::page::StoredPage;
use crate::formats::parquet::types::Physical;

use super::pages::OwnedChunk;

/// Walks and verifies all page headers of a chunk. Returns the maximum bytes that its texts may take beyond the bytes of its
/// pages; 0 if a rough bound is within `most`, so that no closer look is necessary.
pub(super) fn check(chunk: &OwnedChunk, most: u64) -> Result<u64> {
    let (mut pages, mut dictionary, mut nkeys, mut total) = (chunk.pages(), None, 0u64, 0u64);
    while let Some(page) = pages.next_page()? {
        if chunk.physical != Physical::Bytes {
            continue;
        }
        let n = u64::from(page.header.nvalues);
        match page.header.kind {
            PageType::Dictionary { .. } => dictionary = Some(page),
            PageType::Data { encoding, .. } | PageType::DataV2 { encoding, .. } => match encoding {
                PageEncoding::PlainDictionary | PageEncoding::RleDictionary => {
                    nkeys = nkeys.saturating_add(n)
                }
                PageEncoding::DeltaByteArray if n.saturating_mul(page.header.nbytes as u64) > most => {
                    total = total.saturating_add(delta_byte_array_nbytes(&page).map_err(|e| e.at(page.at))?);
                }
                _ => {}
            },
            PageType::Other => {}
        }
    }
    let Some(page) = dictionary else { return Ok(total) };
    let bound = nkeys.saturating_mul(page.header.nbytes as u64);
    if total.saturating_add(bound) <= most {
        return Ok(total);
    }
    let longest = longest(&page).map_err(|e| e.at(page.at))?;
    Ok(total.saturating_add(nkeys.saturating_mul(longest)))
}

/// Returns the length of the longest text of a dictionary page.
fn longest(page: &StoredPage<'_>) -> Result<u64> {
    let mut scratch = Vec::new();
    let (mut rest, n) = page.dictionary(&mut scratch)?;
    let mut longest = 0;
    for _ in 0..n {
        let head = rest.split_first_chunk::<4>();
        let text = head.and_then(|(head, rest)| rest.split_at_checked(u32::from_le_bytes(*head) as usize));
        let Some((text, after)) = text else {
            let message =
                format!("a dictionary of {n} texts ends early. The file is damaged; write it again.");
            return Err(Error::malformed("parquet", message));
        };
        longest = longest.max(text.len() as u64);
        rest = after;
    }
    Ok(longest)
}

/// Returns the bytes of the texts of a DELTA_BYTE_ARRAY page.
fn delta_byte_array_nbytes(page: &StoredPage<'_>) -> Result<u64> {
    let mut scratch = Vec::new();
    let mut rest = page.parts(&mut scratch)?.values;
    let mut total = 0u64;
    for _ in 0..2 {
        if rest.is_empty() {
            break;
        }
        let mut lengths = DeltaDecoder::new(rest)?;
        let (mut left, mut some) = (lengths.total.min(page.header.nvalues as usize), [0i64; 128]);
        while left > 0 {
            let now = some.get_mut(..left.min(128)).unwrap_or_default();
            lengths.fill(now)?;
            left -= now.len();
            for length in now.iter() {
                total = total.saturating_add(u64::try_from(*length).unwrap_or(0));
            }
        }
        rest = rest.get(lengths.end()..).unwrap_or_default();
    }
    Ok(total)
}
