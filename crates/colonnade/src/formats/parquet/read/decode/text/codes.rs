//! Pages of dictionary codes. Each page is decompressed and decoded once. Categorical columns keep the codes. Text columns
//! replace them in place by offsets, as soon as the bytes of the pages before are known.

use crate::error::{Error, Result};
use crate::formats::parquet::keys::DictionaryKeys;
use crate::formats::parquet::levels::{Validity, scatter_with};
use crate::formats::parquet::read::page::PageParts;
use crate::formats::parquet::rle_bit_packed::RleBitPacked;
use crate::formats::parquet::values::lookup_keys;

use super::dictionary::Dictionary;
use super::output::{Offset, SizeMismatch, TextOutput};
use super::page_texts::{WIDE, copy};
use super::rows::{RowRun, validity};

/// Decodes the codes of the rows `spans` of a page: writes `code` of each to `out`, and `null` for rows without a value.
/// `nvalues` is the size of the chunk's dictionary; `None`: it has no dictionary. Returns which rows of the page have a value,
/// if the column is nullable.
///
/// # Errors
/// Malformed pages; codes outside the dictionary.
pub(super) fn decode<const N: usize>(
    parts: &PageParts<'_>,
    spans: &[(usize, usize)],
    nvalues: Option<usize>,
    code: impl Fn(u32) -> [u8; N],
    null: [u8; N],
    optional: bool,
    out: &mut [[u8; N]],
) -> Result<Option<Validity>> {
    let levels = optional.then(|| validity(&parts.definition, parts.n)).transpose()?;
    let n = levels.as_ref().map_or(parts.n, |levels| levels.len() - levels.nulls);
    // If all rows are null, some writers leave out the dictionary and the bit width of the codes.
    if nvalues.is_none() && n > 0 {
        let message =
            "a page of keys without a dictionary page before it. The file is damaged; write it again.";
        return Err(Error::malformed("parquet", message));
    }
    let (&width, keys) = parts.values.split_first().unwrap_or((&0, &[]));
    let mut keys = DictionaryKeys::new(RleBitPacked::new(keys, width, n)?);
    let mut fill = |out: &mut [[u8; N]]| lookup_keys(&mut keys, nvalues.unwrap_or(0), out, &code);
    let mut unselected = [[0; N]; 64];
    let (mut row, mut rest) = (0, out);
    for &(start, stop) in spans {
        while row < start {
            let rows = RowRun::next(levels.as_ref(), row, start.min(row + unselected.len()));
            fill(unselected.get_mut(..rows.valid()).unwrap_or_default())?;
            row += rows.len();
        }
        while row < stop {
            let rows = RowRun::next(levels.as_ref(), row, stop);
            let (now, later) = rest.split_at_mut(rows.len().min(rest.len()));
            match rows {
                RowRun::Same(true, _) => fill(now)?,
                RowRun::Same(false, _) => now.fill(null),
                RowRun::Mixed(mask, _) => scatter_with(mask, now, null, &mut fill)?,
            }
            row += rows.len();
            rest = later;
        }
    }
    Ok(levels)
}

/// Returns the bytes of the texts of `codes`.
pub(super) fn measure<O: Offset>(codes: &[O], dictionary: &Dictionary) -> usize {
    let entries = dictionary.entries_and_null();
    codes.iter().map(|code| entries.get(code.place()).map_or(0, |entry| entry.nbytes as usize)).sum()
}

/// This many codes are compared with the one before: a run of one code is copied as a whole.
const RUN_ROWS: usize = 64;

/// Copies the texts of the codes in `out` to its bytes, and replaces each code by the end offset of its text.
///
/// # Errors
/// `SizeMismatch`: the bytes do not match the size of the texts.
pub(super) fn exchange<O: Offset>(
    out: &mut TextOutput<'_, O>,
    dictionary: &Dictionary,
) -> std::result::Result<(), SizeMismatch> {
    let (entries, values) = (dictionary.entries_and_null(), dictionary.bytes());
    loop {
        let (codes, bytes, base) = out.rest();
        let Some(&first) = codes.first() else {
            return if out.is_full() { Ok(()) } else { Err(SizeMismatch) };
        };
        let runs = codes.chunks_exact(RUN_ROWS).take_while(|run| run.iter().all(|code| *code == first));
        let n = runs.count() * RUN_ROWS;
        if n > 0 {
            out.push_repeated(dictionary.value(first.place()).unwrap_or_default(), n)?;
            continue;
        }
        let n = codes.len().min(RUN_ROWS);
        // Most texts are short: if there is room for the longest in every row, no row needs a check.
        let longest = dictionary.longest();
        let wide = longest <= WIDE && bytes.len() >= n * longest + WIDE;
        let mut at = 0;
        for code in codes.iter_mut().take(n) {
            let entry = entries.get(code.place()).ok_or(SizeMismatch)?;
            let nbytes = entry.nbytes as usize;
            if wide {
                // SAFETY: the dictionary has `WIDE` bytes from the beginning of each text on (`PAD`), and `bytes` has room for
                // the longest text of each of the `n` rows and `WIDE` bytes.
                unsafe {
                    let (from, to) = (values.as_ptr().add(entry.start as usize), bytes.as_mut_ptr().add(at));
                    std::ptr::copy_nonoverlapping(from, to, WIDE);
                }
            } else {
                let from = values.get(entry.start as usize..).unwrap_or_default();
                copy(from, bytes.get_mut(at..).ok_or(SizeMismatch)?, nbytes).ok_or(SizeMismatch)?;
            }
            at += nbytes;
            *code = O::of(base + at);
        }
        out.advance(n, at);
    }
}
