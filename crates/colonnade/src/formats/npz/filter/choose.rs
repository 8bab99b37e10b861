//! Chooses the filter that makes a sample of a column smallest. Estimate rows and compression level are fixed, so the same
//! column always gets the same filter.

use crate::codec::{Profile, filter, zstd};
use crate::container::members::MemberFilter;
use crate::error::Result;
use crate::frame::{Block, ByteOrder};
use crate::parallel::Cancel;

use super::super::options::FilterChoice;
use super::dictionary::{self, DictionaryEstimate};
use super::{ColumnFilter, transform};

/// Blocks of adjacent rows in a sample.
const SAMPLE_BLOCKS: usize = 8;

/// The compression level for comparing filters, whatever the file's level.
const LEVEL: i32 = 1;

/// A column is compressed only if its sample shrinks to at most this share.
const MAX_COMPRESSED_PERCENT: f64 = 95.0;

/// How much larger the result of a faster filter may be.
const TIE_PERCENT: f64 = 2.0;

/// Chooses the filter of a column, or of small columns that share a choice.
pub(super) fn choose(
    block: &Block,
    choice: FilterChoice,
    profile: Profile,
    cancel: Cancel<'_>,
) -> Result<ColumnFilter> {
    let dtype = block.grid.dtype;
    let plain = |filter: MemberFilter| ColumnFilter { filter, ..ColumnFilter::default() };
    match choice {
        FilterChoice::One(MemberFilter::Dictionary)
            if block.grid.width == 1 && MemberFilter::Dictionary.supports(&dtype) =>
        {
            let codes = dictionary::build(block, cancel)?;
            let filter = if codes.is_some() { MemberFilter::Dictionary } else { MemberFilter::None };
            Ok(ColumnFilter { codes, ..plain(filter) })
        }
        FilterChoice::One(MemberFilter::Dictionary) => Ok(plain(MemberFilter::None)),
        FilterChoice::One(filter) => {
            Ok(plain(if filter.supports(&dtype) { filter } else { MemberFilter::None }))
        }
        FilterChoice::Auto => auto(block, profile, cancel),
    }
}

fn auto(block: &Block, profile: Profile, cancel: Cancel<'_>) -> Result<ColumnFilter> {
    let grid = block.grid;
    let (width, big) = (grid.dtype.itemsize as usize, grid.dtype.order == ByteOrder::Big);
    let sample = sample(block, profile.sample_nbytes())?;
    let share = grid.nbytes() as f64 / (sample.len() as f64).max(1.0);
    let mut sizes: Vec<(MemberFilter, f64)> = Vec::new();
    let mut scratch = Vec::new();
    let words = matches!(width, 4 | 8) && grid.width == 1;
    for &filter in profile.filters() {
        if !filter.supports(&grid.dtype) {
            continue;
        }
        let size = match filter {
            MemberFilter::Dictionary if !words => continue,
            MemberFilter::Dictionary => {
                match dictionary::estimate(&sample, width, sample.len() == grid.nbytes()) {
                    Some(DictionaryEstimate { codes, wide, values }) => {
                        let mut rows = vec![0; codes.len()];
                        if wide {
                            filter::shuffle(&codes, 2, &mut rows);
                        } else {
                            rows = codes;
                        }
                        compressed_nbytes(&rows, &mut scratch)? * share + values * width as f64
                    }
                    None => continue,
                }
            }
            _ => {
                let mut filtered = Vec::new();
                transform::encode_column(&sample, filter, width, big, &mut filtered);
                compressed_nbytes(&filtered, &mut scratch)? * share
            }
        };
        sizes.push((filter, size));
    }
    let least = sizes.iter().map(|(_, size)| *size).fold(f64::INFINITY, f64::min);
    let limit = least * (1.0 + TIE_PERCENT / 100.0);
    let chosen =
        sizes.iter().find(|(_, size)| *size <= limit).map_or(MemberFilter::None, |(filter, _)| *filter);
    if chosen == MemberFilter::Dictionary {
        if let Some(codes) = dictionary::build(block, cancel)? {
            return Ok(ColumnFilter { filter: chosen, stored: false, codes: Some(codes) });
        }
        // The column has more values than the sample suggested: take the next best filter.
        sizes.retain(|(filter, _)| *filter != MemberFilter::Dictionary);
        let next =
            sizes.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(MemberFilter::None, |(filter, _)| *filter);
        return Ok(ColumnFilter { filter: next, ..ColumnFilter::default() });
    }
    let stored = least > grid.nbytes() as f64 * MAX_COMPRESSED_PERCENT / 100.0;
    Ok(ColumnFilter { filter: if stored { MemberFilter::None } else { chosen }, stored, codes: None })
}

/// The compressed size of `bytes`.
fn compressed_nbytes(bytes: &[u8], scratch: &mut Vec<u8>) -> Result<f64> {
    scratch.resize(zstd::bound(bytes.len()), 0);
    Ok(zstd::compress_into(bytes, LEVEL, scratch)? as f64)
}

/// Samples evenly spread blocks of rows; of small columns, some whole columns.
fn sample(block: &Block, nbytes: usize) -> Result<Vec<u8>> {
    let grid = block.grid;
    let width = (grid.dtype.itemsize as usize).max(1);
    let mut out = Vec::with_capacity(nbytes.min(grid.nbytes()) + width);
    let mut take = |grid| {
        Block { grid, ..block.clone() }.chunks(&mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        })
    };
    if grid.width > 1 {
        let column = (grid.nrows * width).max(1);
        let count = (nbytes / column).clamp(1, grid.width);
        for k in 0..count {
            take(grid.columns(k * grid.width / count, 1, 1))?;
        }
        return Ok(out);
    }
    let rows = (nbytes / SAMPLE_BLOCKS / width).max(1);
    if grid.nrows <= rows * SAMPLE_BLOCKS {
        take(grid)?;
        return Ok(out);
    }
    for k in 0..SAMPLE_BLOCKS {
        let start = (grid.nrows - rows) * k / (SAMPLE_BLOCKS - 1);
        take(grid.rows(start, start + rows))?;
    }
    Ok(out)
}
