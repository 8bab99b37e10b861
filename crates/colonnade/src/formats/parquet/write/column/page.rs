//! Writes pages: header, CRC-32 and body.

use crate::error::{Error, Result};

use super::settings::PageEncoding;
use crate::formats::parquet::thrift_out::ThriftOut;

/// Bytes of a page's levels, without length prefixes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LevelSizes {
    /// Bytes of the repetition levels, which come first.
    pub(super) repetition_nbytes: usize,
    /// Bytes of the definition levels.
    pub(super) definition_nbytes: usize,
}

/// The fields of a page header.
pub(super) enum PageFields {
    /// A dictionary page.
    Dictionary {
        /// Number of values.
        n: usize,
    },
    /// A data page of version 1.
    Data {
        /// Number of values, nulls included.
        n: usize,
        /// Encoding of the values.
        encoding: PageEncoding,
    },
    /// A data page of version 2.
    DataV2 {
        /// Number of values, nulls included.
        n: usize,
        /// Number of nulls.
        nulls: usize,
        /// Number of rows.
        nrows: usize,
        /// Encoding of the values.
        encoding: PageEncoding,
        /// Bytes of the levels.
        levels: LevelSizes,
        /// Whether the values are compressed.
        compressed: bool,
    },
}

fn size(n: usize) -> Result<i32> {
    i32::try_from(n).map_err(|_| {
        let message =
            "a page passes 2 GiB: one value or one dictionary is that large. Write smaller row groups.";
        Error::unrepresentable("parquet", message)
    })
}

/// Appends a page header. `nbytes` is the page size before compression, `body` the page as written.
///
/// # Errors
/// Pages over 2 GiB.
pub(super) fn head(
    head: &PageFields,
    nbytes: usize,
    body: &[u8],
    crc: bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut t = ThriftOut::new(out);
    t.i32(
        1,
        match head {
            PageFields::Dictionary { .. } => 2,
            PageFields::Data { .. } => 0,
            PageFields::DataV2 { .. } => 3,
        },
    );
    t.i32(2, size(nbytes)?);
    t.i32(3, size(body.len())?);
    if crc {
        t.i32(4, crc32fast::hash(body).cast_signed());
    }
    match head {
        PageFields::Data { n, encoding } => {
            t.begin(5);
            t.i32(1, size(*n)?);
            t.i32(2, *encoding as i32);
            t.i32(3, PageEncoding::Rle as i32);
            t.i32(4, PageEncoding::Rle as i32);
        }
        PageFields::Dictionary { n } => {
            t.begin(7);
            t.i32(1, size(*n)?);
            t.i32(2, PageEncoding::Plain as i32);
        }
        PageFields::DataV2 { n, nulls, nrows, encoding, levels, compressed } => {
            t.begin(8);
            t.i32(1, size(*n)?);
            t.i32(2, size(*nulls)?);
            t.i32(3, size(*nrows)?);
            t.i32(4, *encoding as i32);
            t.i32(5, size(levels.definition_nbytes)?);
            t.i32(6, size(levels.repetition_nbytes)?);
            t.bool(7, *compressed);
        }
    }
    t.end();
    t.end();
    Ok(())
}
