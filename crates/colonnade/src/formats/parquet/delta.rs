//! DELTA_BINARY_PACKED: differences, bit-packed in miniblocks.
//!
//! ```text
//! header: block size | miniblocks a block | values | first value (zigzag)          (varints)
//! block:  least difference (zigzag varint) | a width a miniblock (bytes) | miniblocks
//! ```

use crate::error::{Error, Result};

use super::thrift::Thrift;
use super::unpack::{GROUP, unpack_tail, unpack_wide, unpack32};

/// A decoder of DELTA_BINARY_PACKED that returns the values of a page in several calls.
#[derive(Debug)]
pub struct DeltaDecoder<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Values per miniblock, a multiple of 32.
    mini: usize,
    minis: usize,
    /// Number of values of the page, and of those not returned yet.
    pub total: usize,
    left: usize,
    value: i64,
    first: bool,
    least: i64,
    widths: &'a [u8],
    /// The current miniblock: its bytes, its bit width, and the number of its values that were returned.
    body: &'a [u8],
    width: u8,
    given: usize,
    /// The differences of the current group. A call may end within a group.
    group: [u32; GROUP],
}

impl<'a> DeltaDecoder<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// Malformed or truncated headers; block sizes that are no multiple of 128, or miniblock sizes that are no multiple of 32.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let mut t = Thrift::new(bytes, 0, "a page of differences");
        let (block, minis, total) = (t.varint()?, t.varint()?, t.varint()?);
        let value = t.i64()?;
        let sizes = (usize::try_from(block).ok(), usize::try_from(minis).ok(), usize::try_from(total).ok());
        let (Some(block), Some(minis), Some(total)) = sizes else {
            return Err(t.fault("a size has more than 64 bits"));
        };
        let mini = block.checked_div(minis).unwrap_or(0);
        if mini == 0 || mini % 32 != 0 || block % 128 != 0 || mini * minis != block || block > 1 << 20 {
            return Err(t.fault(&format!("blocks of {block} values in {minis} parts")));
        }
        Ok(Self {
            bytes,
            at: t.position(),
            mini,
            minis,
            total,
            left: total,
            value,
            first: true,
            least: 0,
            widths: &[],
            body: &[],
            width: 0,
            given: mini,
            group: [0; GROUP],
        })
    }

    /// Reads the header of the next miniblock.
    fn open(&mut self) -> Result<()> {
        if self.widths.is_empty() {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let mut t = Thrift::new(rest, 0, "a block of differences");
            self.least = t.i64()?;
            self.widths = t.take(self.minis)?;
            self.at += t.position();
        }
        let (&width, rest) = self.widths.split_first().unwrap_or((&0, &[]));
        if width > 64 {
            return Err(Error::malformed(
                "parquet",
                format!(
                    "a difference of {width} bits, at most 64 are possible. The file is damaged; write it again."
                ),
            ));
        }
        self.widths = rest;
        self.width = width;
        let whole = self.mini / 8 * usize::from(width);
        let had = self.bytes.len() - self.at;
        // The last miniblock may be truncated after its last value.
        let needed = (self.left.min(self.mini) * usize::from(width)).div_ceil(8);
        if needed > had {
            return Err(Error::truncated("parquet", "a page of differences", needed as u64, had as u64));
        }
        self.body = self.bytes.get(self.at..self.at + whole.min(had)).unwrap_or_default();
        self.at += whole.min(had);
        self.given = 0;
        Ok(())
    }

    /// Decodes the next `out.len()` values.
    ///
    /// # Errors
    /// Truncated or malformed pages; fewer values than `out` has elements.
    pub fn fill(&mut self, out: &mut [i64]) -> Result<()> {
        let mut out = out;
        if out.len() > self.left {
            return Err(Error::truncated(
                "parquet",
                "a page of differences",
                out.len() as u64,
                self.left as u64,
            ));
        }
        if self.first && !out.is_empty() {
            self.first = false;
            self.left -= 1;
            let Some((to, rest)) = out.split_first_mut() else { return Ok(()) };
            *to = self.value;
            out = rest;
        }
        while !out.is_empty() {
            if self.given == self.mini {
                self.open()?;
            }
            let n = out.len().min(self.mini - self.given);
            let (now, rest) = out.split_at_mut(n);
            self.fill_from_miniblock(now);
            self.left -= n;
            out = rest;
        }
        Ok(())
    }

    /// Decodes values of the current miniblock.
    fn fill_from_miniblock(&mut self, out: &mut [i64]) {
        let (mut value, least) = (self.value, self.least);
        if self.width == 0 {
            for to in out.iter_mut() {
                value = value.wrapping_add(least);
                *to = value;
            }
        } else if self.width <= 32 {
            let size = 4 * usize::from(self.width);
            let mut given = self.given;
            let mut rest = &mut *out;
            while !rest.is_empty() {
                let within = given % GROUP;
                if within == 0 {
                    let bytes = self.body.get(given / GROUP * size..).unwrap_or_default();
                    if bytes.len() >= size {
                        unpack32(self.width, bytes, &mut self.group);
                    } else {
                        unpack_tail(self.width, bytes, &mut self.group);
                    }
                }
                let (now, later) = rest.split_at_mut(rest.len().min(GROUP - within));
                for (to, difference) in now.iter_mut().zip(self.group.iter().skip(within)) {
                    value = value.wrapping_add(least).wrapping_add(i64::from(*difference));
                    *to = value;
                }
                given += now.len();
                rest = later;
            }
        } else {
            for (k, to) in out.iter_mut().enumerate() {
                let difference = unpack_wide(self.width, self.body, self.given + k);
                value = value.wrapping_add(least).wrapping_add(difference.cast_signed());
                *to = value;
            }
        }
        self.given += out.len();
        self.value = value;
    }

    /// Length of the encoded values, once all of them were returned. The next part of the page starts there.
    #[must_use]
    pub fn end(&self) -> usize {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specifications_examples() {
        // Values 1, 2, 3, 4, 5: block 128, 4 miniblocks, 5 values, first 1; least difference 1, all widths 0.
        let bytes = [0x80, 0x01, 4, 5, 2, 2, 0, 0, 0, 0];
        let mut out = [0i64; 5];
        assert!(DeltaDecoder::new(&bytes).and_then(|mut d| d.fill(&mut out)).is_ok());
        assert_eq!(out, [1, 2, 3, 4, 5]);
        // Values 7, 5, 3, 1, 2, 3, 4, 5: least difference -2, packed 0 0 0 3 3 3 3 in two bits.
        let bytes = [0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0];
        for cut in 1..8 {
            let mut out = [0i64; 8];
            let Ok(mut delta) = DeltaDecoder::new(&bytes) else { unreachable!() };
            let (a, b) = out.split_at_mut(cut);
            assert!(delta.fill(a).is_ok() && delta.fill(b).is_ok());
            assert_eq!(out, [7, 5, 3, 1, 2, 3, 4, 5]);
            assert!(delta.fill(&mut [0]).is_err());
        }
    }
}
