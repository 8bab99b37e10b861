//! The filter that makes a sample of a column smallest. The sample's places and the codec's level are fixed: the same
//! column is always filtered alike.

use crate::codec::{Profile, filter, zstd};
use crate::container::members::Filter;
use crate::error::Result;
use crate::frame::{Block, ByteOrder};
use crate::parallel::Look;

use super::super::options::Wanted;
use super::dictionary::{self, Sampled};
use super::{Choice, transform};

/// Stretches of neighbouring rows that make a sample.
const STRETCHES: usize = 8;

/// The level at which filters are compared, whatever the file's own.
const LEVEL: i32 = 1;

/// A sample that does not shrink to this share of itself is not worth compressing.
const WORTH_PERCENT: f64 = 95.0;

/// What a filter that is undone faster may cost more.
const TIE_PERCENT: f64 = 2.0;

/// What is done to a column, or to small ones that share a choice.
pub(super) fn choose(block: &Block, wanted: Wanted, profile: Profile, look: Look<'_>) -> Result<Choice> {
    let dtype = block.grid.dtype;
    let of = |filter: Filter| Choice { filter, ..Choice::default() };
    match wanted {
        Wanted::One(Filter::Dictionary) if block.grid.width == 1 && Filter::Dictionary.takes(&dtype) => {
            let codes = dictionary::build(block, look)?;
            let filter = if codes.is_some() { Filter::Dictionary } else { Filter::None };
            Ok(Choice { codes, ..of(filter) })
        }
        Wanted::One(Filter::Dictionary) => Ok(of(Filter::None)),
        Wanted::One(filter) => Ok(of(if filter.takes(&dtype) { filter } else { Filter::None })),
        Wanted::Auto => auto(block, profile, look),
    }
}

fn auto(block: &Block, profile: Profile, look: Look<'_>) -> Result<Choice> {
    let grid = block.grid;
    let (width, big) = (grid.dtype.itemsize as usize, grid.dtype.order == ByteOrder::Big);
    let sample = sample(block, profile.sample_nbytes())?;
    let share = grid.nbytes() as f64 / (sample.len() as f64).max(1.0);
    let mut sizes: Vec<(Filter, f64)> = Vec::new();
    let mut room = Vec::new();
    let words = matches!(width, 4 | 8) && grid.width == 1;
    for &filter in profile.filters() {
        if !filter.takes(&grid.dtype) {
            continue;
        }
        let size = match filter {
            Filter::Dictionary if !words => continue,
            Filter::Dictionary => match dictionary::sampled(&sample, width, sample.len() == grid.nbytes()) {
                Some(Sampled { codes, wide, values }) => {
                    let mut rows = vec![0; codes.len()];
                    if wide {
                        filter::shuffle(&codes, 2, &mut rows);
                    } else {
                        rows = codes;
                    }
                    measured(&rows, &mut room)? * share + values * width as f64
                }
                None => continue,
            },
            _ => {
                let mut turned = Vec::new();
                transform::turn(&sample, filter, width, big, &mut turned);
                measured(&turned, &mut room)? * share
            }
        };
        sizes.push((filter, size));
    }
    let least = sizes.iter().map(|(_, size)| *size).fold(f64::INFINITY, f64::min);
    let most = least * (1.0 + TIE_PERCENT / 100.0);
    let chosen = sizes.iter().find(|(_, size)| *size <= most).map_or(Filter::None, |(filter, _)| *filter);
    if chosen == Filter::Dictionary {
        if let Some(codes) = dictionary::build(block, look)? {
            return Ok(Choice { filter: chosen, stored: false, codes: Some(codes) });
        }
        // More values than the sample let guess: the next best.
        sizes.retain(|(filter, _)| *filter != Filter::Dictionary);
        let next =
            sizes.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(Filter::None, |(filter, _)| *filter);
        return Ok(Choice { filter: next, ..Choice::default() });
    }
    let stored = least > grid.nbytes() as f64 * WORTH_PERCENT / 100.0;
    Ok(Choice { filter: if stored { Filter::None } else { chosen }, stored, codes: None })
}

/// The size of `bytes` once compressed.
fn measured(bytes: &[u8], room: &mut Vec<u8>) -> Result<f64> {
    room.resize(zstd::bound(bytes.len()), 0);
    Ok(zstd::compress_into(bytes, LEVEL, room)? as f64)
}

/// Stretches of rows, evenly spread; of small columns some, whole.
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
    let rows = (nbytes / STRETCHES / width).max(1);
    if grid.nrows <= rows * STRETCHES {
        take(grid)?;
        return Ok(out);
    }
    for k in 0..STRETCHES {
        let start = (grid.nrows - rows) * k / (STRETCHES - 1);
        take(grid.rows(start, start + rows))?;
    }
    Ok(out)
}
