//! Pages: their headers, their CRC-32, and the bytes behind.

use crate::error::{Error, Result};

use super::super::super::thrift_out::ThriftOut;
use super::settings::Encoding;

/// What stands in front of a page.
pub(super) enum Head {
    /// A dictionary.
    Dictionary {
        /// Values.
        n: usize,
    },
    /// Data of version 1.
    Data {
        /// Rows.
        n: usize,
        /// Of the values.
        encoding: Encoding,
    },
    /// Data of version 2.
    DataV2 {
        /// Rows.
        n: usize,
        /// Rows that are null.
        nulls: usize,
        /// Of the values.
        encoding: Encoding,
        /// Bytes of the levels.
        levels_nbytes: usize,
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

/// Appends a page's header. `nbytes`: the page before compression; `body`: as it is written.
///
/// # Errors
/// Pages over 2 GiB.
pub(super) fn head(head: &Head, nbytes: usize, body: &[u8], crc: bool, out: &mut Vec<u8>) -> Result<()> {
    let mut t = ThriftOut::new(out);
    t.i32(
        1,
        match head {
            Head::Dictionary { .. } => 2,
            Head::Data { .. } => 0,
            Head::DataV2 { .. } => 3,
        },
    );
    t.i32(2, size(nbytes)?);
    t.i32(3, size(body.len())?);
    if crc {
        t.i32(4, crc32fast::hash(body).cast_signed());
    }
    match head {
        Head::Data { n, encoding } => {
            t.begin(5);
            t.i32(1, size(*n)?);
            t.i32(2, *encoding as i32);
            t.i32(3, Encoding::Rle as i32);
            t.i32(4, Encoding::Rle as i32);
        }
        Head::Dictionary { n } => {
            t.begin(7);
            t.i32(1, size(*n)?);
            t.i32(2, Encoding::Plain as i32);
        }
        Head::DataV2 { n, nulls, encoding, levels_nbytes, compressed } => {
            t.begin(8);
            t.i32(1, size(*n)?);
            t.i32(2, size(*nulls)?);
            t.i32(3, size(*n)?);
            t.i32(4, *encoding as i32);
            t.i32(5, size(*levels_nbytes)?);
            t.i32(6, 0);
            t.bool(7, *compressed);
        }
    }
    t.end();
    t.end();
    Ok(())
}
