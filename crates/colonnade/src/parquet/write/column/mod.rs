//! One leaf of one row group, as the bytes of its column chunk.
//!
//! ```text
//! leaf, rows -> dense (values that are there) -> choose (by a sample) -> pages: levels | values, compressed, header, CRC
//! ```
//!
//! The same leaf and the same settings give the same bytes: nothing here looks at the clock, at threads or at addresses.

mod dense;
pub mod leaf;
mod levels;
pub mod outcome;
mod page;
mod plain;
pub mod settings;

use std::ops::Range;

use crate::error::Result;

#[allow(unused_imports)] // the file's writer takes what it needs
pub use leaf::{Bits, Leaf, LeafData, Offsets, Order, Physical, Turn};
#[allow(unused_imports)]
pub use outcome::{Bound, Bounds, Chunk, Page, Statistics};
#[allow(unused_imports)]
pub use settings::{Codec, Encoding, Packing, Profile, Settings, Wanted};

use dense::Dense;
use page::Head;

/// Appends the column chunk of these rows of a leaf to `out`.
///
/// # Errors
/// Buffers that are shorter than the rows; values that the leaf's type cannot hold; pages over 2 GiB.
pub fn encode(leaf: &Leaf<'_>, rows: Range<usize>, settings: &Settings, out: &mut Vec<u8>) -> Result<Chunk> {
    let values = dense::gather(leaf, &rows)?;
    let start = out.len();
    let codec = match settings.codec {
        Packing::One(codec) => codec,
        Packing::Auto => Codec::None,
    };
    let mut chunk = Chunk {
        encodings: vec![Encoding::Plain, Encoding::Rle],
        encoding_stats: Vec::new(),
        codec,
        nvalues: rows.len(),
        nbytes: 0,
        compressed_nbytes: 0,
        dictionary_at: None,
        data_at: 0,
        statistics: None,
        pages: Vec::new(),
    };
    let step = page_rows(leaf, &values, settings);
    let (mut row, mut given) = (rows.start, 0);
    let (mut body, mut packed) = (Vec::new(), Vec::new());
    let mut nulls_of_all = 0;
    while row < rows.end {
        let now = row..(row + step).min(rows.end);
        let n = leaf.validity.map_or(now.len(), |bits| bits.count(now.clone()));
        body.clear();
        if leaf.optional {
            body.extend_from_slice(&[0; 4]);
            levels::encode(leaf.validity, &now, &mut body);
            let nbytes = u32::try_from(body.len() - 4).unwrap_or(u32::MAX);
            body.get_mut(..4).unwrap_or_default().copy_from_slice(&nbytes.to_le_bytes());
        }
        plain::encode(&values, given..given + n, &mut body);
        let at = out.len();
        let bytes = if codec == Codec::None {
            body.as_slice()
        } else {
            packed.clear();
            codec.compress(&body, settings.level, &mut packed)?;
            packed.as_slice()
        };
        let head = Head::Data { n: now.len(), encoding: Encoding::Plain };
        page::head(&head, body.len(), bytes, settings.crc, out)?;
        chunk.nbytes += out.len() - at + body.len();
        out.extend_from_slice(bytes);
        nulls_of_all += now.len() - n;
        chunk.pages.push(Page {
            at: at - start,
            nbytes: out.len() - at,
            first_row: row - rows.start,
            nrows: now.len(),
            nulls: now.len() - n,
            bounds: Bounds::default(),
        });
        given += n;
        row = now.end;
    }
    chunk.encoding_stats.push((0, Encoding::Plain, chunk.pages.len()));
    chunk.compressed_nbytes = out.len() - start;
    if settings.statistics {
        chunk.statistics = Some(Statistics { bounds: Bounds::default(), null_count: nulls_of_all });
    }
    Ok(chunk)
}

/// Bytes of a value; 0 where they differ, and for bools.
pub fn width(physical: Physical) -> usize {
    match physical {
        Physical::Boolean | Physical::Bytes => 0,
        Physical::Int32 | Physical::Float => 4,
        Physical::Int64 | Physical::Double => 8,
        Physical::Int96 => 12,
        Physical::Fixed(n) => n as usize,
    }
}

/// Rows of a page.
fn page_rows(leaf: &Leaf<'_>, values: &Dense<'_>, settings: &Settings) -> usize {
    let width = match (leaf.physical, values) {
        (Physical::Bytes, Dense::Text(texts)) => {
            texts.iter().map(|t| t.len() + 4).sum::<usize>() / texts.len().max(1)
        }
        (Physical::Bytes, _) => 16,
        (other, _) => width(other),
    };
    (settings.page_nbytes / width.max(1)).clamp(1, settings.page_rows.max(1))
}

#[cfg(test)]
mod tests;
