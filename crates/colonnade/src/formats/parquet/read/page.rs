//! A page as it is stored, and its parts once decompressed: levels and values.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::page::{PageEncoding, PageHeader, PageType};

use super::level_streams::{LevelStreams, Levels, short};

/// A page as it lies in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page<'a> {
    /// What its header says.
    pub(crate) header: PageHeader,
    /// Its bytes.
    pub(crate) body: &'a [u8],
    /// Where its header stands in the file.
    pub(crate) at: u64,
    codec: PageCodec,
    levels: Levels,
    /// What its levels say, where they are those of a nested column and were looked at.
    slots: Option<&'a Slots>,
}

/// The levels of a nested column's page, as those of a flat one: its slots are the places of the innermost lists (rows where
/// there are none), each with a value or null.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    /// How many.
    pub(crate) n: usize,
    /// Those with a value.
    pub(crate) nvalid: usize,
    /// Their definition levels, 0 or 1: runs and packed groups.
    pub(crate) definition: Vec<u8>,
    /// Bytes of the levels in front of the page's values.
    pub(crate) levels_nbytes: usize,
}

/// The parts of a data page.
#[derive(Debug)]
pub(crate) struct Parts<'p> {
    /// Definition levels: runs and packed groups. Empty where the column has none.
    pub(crate) definition: Cow<'p, [u8]>,
    /// The values.
    pub(crate) values: &'p [u8],
    /// How they are encoded.
    pub(crate) encoding: PageEncoding,
    /// Values, nulls included.
    pub(crate) n: usize,
}

impl<'a> Page<'a> {
    /// A page whose header was read and checked.
    pub(super) fn new(header: PageHeader, body: &'a [u8], at: u64, codec: PageCodec, levels: Levels) -> Self {
        Self { header, body, at, codec, levels, slots: None }
    }

    /// The same with what its levels say.
    pub(crate) fn with_slots(self, slots: &'a Slots) -> Self {
        Self { slots: Some(slots), ..self }
    }

    /// What its levels say, where that was looked at.
    pub(crate) fn slots(&self) -> Option<&'a Slots> {
        self.slots
    }

    /// Rows, or slots, nulls included.
    #[inline]
    pub(crate) fn n(&self) -> usize {
        self.slots.map_or(self.header.nvalues as usize, |slots| slots.n)
    }

    /// The levels of a data page; of compressed bytes no more is decompressed than those have, where the codec can.
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
            PageType::Data { .. } => self.beginning(scratch)?,
            _ => self.body,
        };
        Ok(LevelStreams::split(&self.header, self.levels, bytes)?.0)
    }

    /// The beginning of a compressed page, as far as its levels go.
    fn beginning<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<&'s [u8]>
    where
        'a: 's,
    {
        let whole = self.header.nbytes;
        let mut about = self.levels.about(self.header.nvalues as usize).min(whole);
        while about < whole {
            if scratch.len() < about {
                scratch.resize(about, 0);
            }
            let room = scratch.get_mut(..about).unwrap_or_default();
            if self.codec.decompress_prefix(self.body, room) != Some(about) {
                break;
            }
            // Lengths stand in front of both.
            if LevelStreams::split(&self.header, self.levels, room).is_ok() {
                return Ok(scratch.get(..about).unwrap_or_default());
            }
            about = about.saturating_mul(4).min(whole);
        }
        decompress(self.codec, self.body, whole, scratch)
    }

    /// The values of a dictionary page, which are PLAIN, and how many they are.
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

    /// The parts of a data page.
    ///
    /// # Errors
    /// Malformed bytes.
    #[inline]
    pub(crate) fn parts<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<Parts<'s>>
    where
        'a: 's,
    {
        self.take_apart(scratch).map_err(|e| e.at(self.at))
    }

    fn take_apart<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<Parts<'s>>
    where
        'a: 's,
    {
        let n = self.n();
        match self.header.kind {
            PageType::Data { encoding, .. } => {
                let bytes = decompress(self.codec, self.body, self.header.nbytes, scratch)?;
                if let Some(slots) = self.slots {
                    let values = bytes.get(slots.levels_nbytes..).ok_or_else(short)?;
                    return Ok(Parts { definition: Cow::Borrowed(&slots.definition), values, encoding, n });
                }
                let (streams, values) = LevelStreams::split(&self.header, self.levels, bytes)?;
                Ok(Parts { definition: streams.definition, values, encoding, n })
            }
            PageType::DataV2 { encoding, .. } => {
                let (streams, values) = LevelStreams::split(&self.header, self.levels, self.body)?;
                let nbytes = self.header.nbytes.checked_sub(streams.nbytes).ok_or_else(short)?;
                let values = decompress(self.codec(), values, nbytes, scratch)?;
                let definition = match self.slots {
                    Some(slots) => Cow::Borrowed(slots.definition.as_slice()),
                    None if self.levels.definition > 0 => streams.definition,
                    None => Cow::Borrowed(&[][..]),
                };
                Ok(Parts { definition, values, encoding, n })
            }
            _ => Err(short()),
        }
    }

    /// The codec of its values.
    pub(crate) fn codec(&self) -> PageCodec {
        match self.header.kind {
            PageType::DataV2 { compressed: false, .. } => PageCodec::None,
            _ => self.codec,
        }
    }
}

/// Bytes of a page, in `scratch` where they must be decompressed.
fn decompress<'s>(
    codec: PageCodec,
    body: &'s [u8],
    nbytes: usize,
    scratch: &'s mut Vec<u8>,
) -> Result<&'s [u8]> {
    if codec == PageCodec::None {
        // A page of version 2 may say that its values are not compressed, and be longer than it says.
        return body.get(..nbytes).ok_or_else(short);
    }
    if scratch.len() < nbytes {
        // Memory that the system gives as zeros is taken when it is written to: of a page that lies only as much as it gives.
        *scratch = Vec::new();
        *scratch = vec![0; nbytes.saturating_add(nbytes / 4)];
    }
    let room = scratch.get_mut(..nbytes).unwrap_or_default();
    codec.decompress(body, room)?;
    Ok(room)
}
