//! A stored page, and its decompressed parts: levels and values.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::page::{PageEncoding, PageHeader, PageType};

use super::level_streams::{LevelStreams, MaxLevels, short};

/// A page as it is stored in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredPage<'a> {
    /// Its header.
    pub(crate) header: PageHeader,
    /// Its bytes, without the header.
    pub(crate) body: &'a [u8],
    /// Offset of its header in the file.
    pub(crate) at: u64,
    codec: PageCodec,
    levels: MaxLevels,
    /// The slots of its levels, if it belongs to a nested column whose levels were decoded.
    slots: Option<&'a Slots>,
}

/// The levels of a nested column's page, expressed as those of a flat column. A slot is a place of the innermost list (a row if
/// there is none) and holds a value or null.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    /// Number of slots.
    pub(crate) n: usize,
    /// Slots that have a value.
    pub(crate) nvalid: usize,
    /// Their definition levels, 0 or 1: RLE runs and bit-packed groups.
    pub(crate) definition: Vec<u8>,
    /// Bytes of the levels before the page's values.
    pub(crate) levels_nbytes: usize,
}

/// The parts of a data page.
#[derive(Debug)]
pub(crate) struct PageParts<'p> {
    /// Definition levels: RLE runs and bit-packed groups. Empty if the column has none.
    pub(crate) definition: Cow<'p, [u8]>,
    /// The values.
    pub(crate) values: &'p [u8],
    /// The encoding of the values.
    pub(crate) encoding: PageEncoding,
    /// Values, including nulls.
    pub(crate) n: usize,
}

impl<'a> StoredPage<'a> {
    /// A page whose header has been read and checked.
    pub(super) fn new(
        header: PageHeader,
        body: &'a [u8],
        at: u64,
        codec: PageCodec,
        levels: MaxLevels,
    ) -> Self {
        Self { header, body, at, codec, levels, slots: None }
    }

    /// The same page with the slots of its levels.
    pub(crate) fn with_slots(self, slots: &'a Slots) -> Self {
        Self { slots: Some(slots), ..self }
    }

    /// The slots of its levels, if the levels were decoded.
    pub(crate) fn slots(&self) -> Option<&'a Slots> {
        self.slots
    }

    /// Rows or slots, including nulls.
    #[inline]
    pub(crate) fn n(&self) -> usize {
        self.slots.map_or(self.header.nvalues as usize, |slots| slots.n)
    }

    /// Returns the levels of a data page. Only the beginning of compressed bytes is decompressed, if the codec can do so.
    ///
    /// # Errors
    /// Malformed bytes.
    pub(crate) fn level_streams<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<LevelStreams<'s>>
    where
        'a: 's,
    {
        self.take_level_streams(scratch).map_err(|e| e.at(self.at))
    }

    fn take_level_streams<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<LevelStreams<'s>>
    where
        'a: 's,
    {
        let bytes = match self.header.kind {
            PageType::Data { .. } if self.codec == PageCodec::None => {
                decompress(PageCodec::None, self.body, self.header.nbytes, scratch)?
            }
            PageType::Data { .. } => self.decompress_levels(scratch)?,
            _ => self.body,
        };
        Ok(LevelStreams::split(&self.header, self.levels, bytes)?.0)
    }

    /// Decompresses the beginning of a page, as far as its levels reach.
    fn decompress_levels<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<&'s [u8]>
    where
        'a: 's,
    {
        let whole = self.header.nbytes;
        let mut about = self.levels.estimate_nbytes(self.header.nvalues as usize).min(whole);
        while about < whole {
            if scratch.len() < about {
                scratch.resize(about, 0);
            }
            let room = scratch.get_mut(..about).unwrap_or_default();
            if self.codec.decompress_prefix(self.body, room) != Some(about) {
                break;
            }
            // A length precedes each of the two streams.
            if LevelStreams::split(&self.header, self.levels, room).is_ok() {
                return Ok(scratch.get(..about).unwrap_or_default());
            }
            about = about.saturating_mul(4).min(whole);
        }
        decompress(self.codec, self.body, whole, scratch)
    }

    /// Returns the values of a dictionary page, which are PLAIN, and their number.
    ///
    /// # Errors
    /// Malformed or unsupported bytes.
    pub(crate) fn dictionary<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<(&'s [u8], usize)>
    where
        'a: 's,
    {
        self.check_dictionary()?;
        let bytes =
            decompress(self.codec, self.body, self.header.nbytes, scratch).map_err(|e| e.at(self.at))?;
        Ok((bytes, self.header.nvalues as usize))
    }

    /// Decompresses a dictionary page into all of `room`.
    ///
    /// # Errors
    /// Malformed or unsupported bytes.
    pub(crate) fn dictionary_into(&self, room: &mut [u8]) -> Result<()> {
        self.check_dictionary()?;
        self.codec.decompress(self.body, room).map_err(|e| e.at(self.at))
    }

    fn check_dictionary(&self) -> Result<()> {
        if let PageType::Dictionary { encoding } = self.header.kind
            && !matches!(encoding, PageEncoding::Plain | PageEncoding::PlainDictionary)
        {
            let message = format!("a dictionary is encoded as {encoding:?}, only PLAIN is known.");
            return Err(Error::unsupported("parquet", message).at(self.at));
        }
        Ok(())
    }

    /// Returns the parts of a data page.
    ///
    /// # Errors
    /// Malformed bytes.
    #[inline]
    pub(crate) fn parts<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<PageParts<'s>>
    where
        'a: 's,
    {
        self.split_parts(|codec, body, nbytes| decompress(codec, body, nbytes, scratch))
            .map_err(|e| e.at(self.at))
    }

    /// As [`StoredPage::parts`], from the scratch memory of an earlier call.
    ///
    /// # Errors
    /// Malformed bytes.
    pub(crate) fn parts_of<'s>(&self, scratch: &'s [u8]) -> Result<PageParts<'s>>
    where
        'a: 's,
    {
        self.split_parts(|_, _, nbytes| scratch.get(..nbytes).ok_or_else(short)).map_err(|e| e.at(self.at))
    }

    fn split_parts<'s>(
        &self,
        decompressed: impl FnOnce(PageCodec, &'s [u8], usize) -> Result<&'s [u8]>,
    ) -> Result<PageParts<'s>>
    where
        'a: 's,
    {
        let n = self.n();
        match self.header.kind {
            PageType::Data { encoding, .. } => {
                let bytes = decompressed(self.codec, self.body, self.header.nbytes)?;
                if let Some(slots) = self.slots {
                    let values = bytes.get(slots.levels_nbytes..).ok_or_else(short)?;
                    return Ok(PageParts {
                        definition: Cow::Borrowed(&slots.definition),
                        values,
                        encoding,
                        n,
                    });
                }
                let (streams, values) = LevelStreams::split(&self.header, self.levels, bytes)?;
                Ok(PageParts { definition: streams.definition, values, encoding, n })
            }
            PageType::DataV2 { encoding, .. } => {
                let (streams, values) = LevelStreams::split(&self.header, self.levels, self.body)?;
                let nbytes = self.header.nbytes.checked_sub(streams.nbytes).ok_or_else(short)?;
                let values = decompressed(self.codec(), values, nbytes)?;
                let definition = match self.slots {
                    Some(slots) => Cow::Borrowed(slots.definition.as_slice()),
                    None if self.levels.definition > 0 => streams.definition,
                    None => Cow::Borrowed(&[][..]),
                };
                Ok(PageParts { definition, values, encoding, n })
            }
            _ => Err(short()),
        }
    }

    /// The codec of the values.
    pub(crate) fn codec(&self) -> PageCodec {
        match self.header.kind {
            PageType::DataV2 { compressed: false, .. } => PageCodec::None,
            _ => self.codec,
        }
    }
}

/// Returns the bytes of a page, in `scratch` if they must be decompressed.
fn decompress<'s>(
    codec: PageCodec,
    body: &'s [u8],
    nbytes: usize,
    scratch: &'s mut Vec<u8>,
) -> Result<&'s [u8]> {
    if codec == PageCodec::None {
        // A page of version 2 may declare its values uncompressed, and be longer than it declares.
        return body.get(..nbytes).ok_or_else(short);
    }
    if scratch.len() < nbytes {
        // The system commits zeroed memory on the first write: a page that lies about its size takes only what it really
        // decompresses to.
        *scratch = Vec::new();
        *scratch = vec![0; nbytes.saturating_add(nbytes / 4)];
    }
    let room = scratch.get_mut(..nbytes).unwrap_or_default();
    codec.decompress(body, room)?;
    Ok(room)
}
