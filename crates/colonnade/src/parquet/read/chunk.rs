//! The pages of a column chunk, one after the other: what their headers claim is checked before anything is made of them.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::parquet::codec::Codec;
use crate::parquet::page::{Encoding, Header, Kind};

/// Levels of a width more than this are no levels of ours.
const MAX_LEVEL_BITS: u8 = 16;

/// Walks the pages of one column chunk.
#[derive(Debug, Clone)]
pub(crate) struct Pages<'a> {
    /// The chunk's bytes, and those behind it that a size told too small may leave out.
    bytes: &'a [u8],
    /// Where they stand in the file.
    base: u64,
    at: usize,
    /// Values that no page has given yet.
    left: u64,
    codec: Codec,
    levels: Levels,
    verify: bool,
    max_nbytes: u64,
    /// Pages that were walked before; none of the bytes is looked at then.
    listed: Option<std::slice::Iter<'a, Page<'a>>>,
}

/// The highest levels of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Levels {
    /// Definition.
    pub(crate) definition: u16,
    /// Repetition.
    pub(crate) repetition: u16,
}

/// What is known of a chunk before its pages are walked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkAt<'a> {
    /// From its first page on.
    pub(crate) bytes: &'a [u8],
    /// Where they stand in the file.
    pub(crate) base: u64,
    /// Its codec.
    pub(crate) codec: Codec,
    /// Values, nulls included.
    pub(crate) nvalues: u64,
    /// Its highest levels.
    pub(crate) levels: Levels,
}

/// A page as it lies in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page<'a> {
    /// What its header says.
    pub(crate) header: Header,
    /// Its bytes.
    pub(crate) body: &'a [u8],
    /// Where its header stands in the file.
    pub(crate) at: u64,
    codec: Codec,
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
    pub(crate) front_nbytes: usize,
}

/// The levels in front of a page.
#[derive(Debug)]
pub(crate) struct Front<'p> {
    /// Repetition levels: runs and packed groups.
    pub(crate) repetition: Cow<'p, [u8]>,
    /// Definition levels.
    pub(crate) definition: Cow<'p, [u8]>,
    /// Bytes of both, as they stand in the page.
    pub(crate) nbytes: usize,
}

/// The parts of a data page.
#[derive(Debug)]
pub(crate) struct Parts<'p> {
    /// Definition levels: runs and packed groups. Empty where the column has none.
    pub(crate) definition: Cow<'p, [u8]>,
    /// The values.
    pub(crate) values: &'p [u8],
    /// How they are encoded.
    pub(crate) encoding: Encoding,
    /// Values, nulls included.
    pub(crate) n: usize,
}

impl<'a> Pages<'a> {
    /// The pages of `chunk`. `verify`: their checksums are compared.
    pub(crate) fn new(chunk: &ChunkAt<'a>, verify: bool, max_nbytes: u64) -> Self {
        let ChunkAt { bytes, base, codec, nvalues, levels } = *chunk;
        Self { bytes, base, at: 0, left: nvalues, codec, levels, verify, max_nbytes, listed: None }
    }

    /// Pages that were walked and checked before.
    pub(crate) fn listed(pages: &'a [Page<'a>]) -> Self {
        let (bytes, base, at, left) = (&[][..], 0, 0, 0);
        let levels = Levels { definition: 0, repetition: 0 };
        let listed = Some(pages.iter());
        Self { bytes, base, at, left, codec: Codec::None, levels, verify: false, max_nbytes: 0, listed }
    }

    /// The same from a place on, with as many values left: what [`Pages::place`] said.
    pub(crate) fn from(&self, at: usize, left: u64) -> Self {
        Self { at, left, ..self.clone() }
    }

    /// The same, checksums not looked at.
    pub(crate) fn unverified(self) -> Self {
        Self { verify: false, ..self }
    }

    /// Where the next header begins (in the chunk), and the values that are left.
    pub(crate) fn place(&self) -> (usize, u64) {
        (self.at, self.left)
    }

    /// The next dictionary or data page; `None` once all values were given.
    ///
    /// # Errors
    /// Malformed and truncated headers; more values than the chunk says, or than its codec can make of the bytes; a wrong
    /// checksum; a limit.
    #[inline]
    pub(crate) fn next_page(&mut self) -> Result<Option<Page<'a>>> {
        if let Some(listed) = &mut self.listed {
            return Ok(listed.next().copied());
        }
        while self.left > 0 {
            let at = self.base + self.at as u64;
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let header = Header::read(rest, at)?;
            let body = header.body(rest);
            self.at += header.end();
            if header.kind == Kind::Other {
                continue;
            }
            let page = Page { header, body, at, codec: self.codec, levels: self.levels, slots: None };
            self.check(&page).map_err(|e| e.at(at))?;
            if !matches!(header.kind, Kind::Dictionary { .. }) {
                self.left -= u64::from(header.nvalues);
            }
            return Ok(Some(page));
        }
        Ok(None)
    }

    fn check(&self, page: &Page<'_>) -> Result<()> {
        let Header { nbytes, nvalues, compressed_nbytes, crc, kind, .. } = page.header;
        let most = self.codec.most(compressed_nbytes as u64);
        let whole = self.codec == Codec::None && !matches!(kind, Kind::DataV2 { .. });
        if nbytes as u64 > most || (whole && nbytes != compressed_nbytes) {
            let message = format!(
                "a page of {compressed_nbytes} bytes says it becomes {nbytes} with {}, {most} at most are possible. \
                 The file is damaged; write it again.",
                self.codec.name()
            );
            return Err(Error::malformed("parquet", message));
        }
        if nbytes as u64 > self.max_nbytes {
            let limit = self.max_nbytes;
            let message = format!(
                "a page becomes {nbytes} bytes, over the limit of {limit}. Raise max_member_nbytes to read it."
            );
            return Err(Error::limit("parquet", message));
        }
        if !matches!(kind, Kind::Dictionary { .. }) && u64::from(nvalues) > self.left {
            let message = format!(
                "a page has {nvalues} values where its column chunk has {} left. The file is damaged; write it again.",
                self.left
            );
            return Err(Error::malformed("parquet", message));
        }
        if let Some(told) = crc.filter(|_| self.verify) {
            let found = crc32fast::hash(page.body);
            if found != told {
                let message = format!(
                    "a page's checksum is {told:08x}, its bytes have {found:08x}. The file is damaged; fetch or write it again."
                );
                return Err(Error::malformed("parquet", message));
            }
        }
        Ok(())
    }
}

impl<'a> Page<'a> {
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
    pub(crate) fn front<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<Front<'s>>
    where
        'a: 's,
    {
        self.take_front(scratch).map_err(|e| e.at(self.at))
    }

    fn take_front<'s>(&self, scratch: &'s mut Vec<u8>) -> Result<Front<'s>>
    where
        'a: 's,
    {
        let n = self.header.nvalues as usize;
        let Levels { definition: most, repetition: times } = self.levels;
        match self.header.kind {
            Kind::Data { definition, repetition, .. } => {
                let bytes = if self.codec == Codec::None {
                    decompress(Codec::None, self.body, self.header.nbytes, scratch)?
                } else {
                    // Packed levels, and the heads of their runs.
                    let bits = usize::from(level_bits(times) + level_bits(most));
                    let about = (n / 8 + 1).saturating_mul(bits).saturating_add(n / 32 + 64);
                    self.beginning(about, scratch)?
                };
                let parse = |bytes: &'s [u8]| -> Result<Front<'s>> {
                    let (repeats, rest) = levels(bytes, times, repetition, n)?;
                    let (defines, rest) = levels(rest, most, definition, n)?;
                    let nbytes = bytes.len() - rest.len();
                    Ok(Front { repetition: repeats, definition: defines, nbytes })
                };
                parse(bytes)
            }
            Kind::DataV2 { definition_nbytes, repetition_nbytes, .. } => {
                let (repeats, rest) =
                    self.body.split_at_checked(repetition_nbytes as usize).ok_or_else(short)?;
                let (defines, _) = rest.split_at_checked(definition_nbytes as usize).ok_or_else(short)?;
                let nbytes = repeats.len() + defines.len();
                Ok(Front { repetition: Cow::Borrowed(repeats), definition: Cow::Borrowed(defines), nbytes })
            }
            _ => Err(short()),
        }
    }

    /// The first `about` bytes of a compressed page, or more where its levels go on behind them.
    fn beginning<'s>(&self, about: usize, scratch: &'s mut Vec<u8>) -> Result<&'s [u8]>
    where
        'a: 's,
    {
        let whole = self.header.nbytes;
        let Kind::Data { definition, repetition, .. } = self.header.kind else { return Err(short()) };
        let mut about = about.min(whole);
        while about < whole {
            if scratch.len() < about {
                scratch.resize(about, 0);
            }
            let room = scratch.get_mut(..about).unwrap_or_default();
            if self.codec.first(self.body, room) != Some(about) {
                break;
            }
            // Lengths stand in front of both.
            let n = self.header.nvalues as usize;
            let Levels { definition: most, repetition: times } = self.levels;
            let done =
                levels(room, times, repetition, n).and_then(|(_, rest)| levels(rest, most, definition, n));
            if done.is_ok() {
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
        self.codec.into(self.body, room).map_err(|e| e.at(self.at))
    }

    fn check_dictionary(&self) -> Result<()> {
        if let Kind::Dictionary { encoding } = self.header.kind
            && !matches!(encoding, Encoding::Plain | Encoding::PlainDictionary)
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
            Kind::Data { encoding, definition, repetition } => {
                let bytes = decompress(self.codec, self.body, self.header.nbytes, scratch)?;
                if let Some(slots) = self.slots {
                    let values = bytes.get(slots.front_nbytes..).ok_or_else(short)?;
                    return Ok(Parts { definition: Cow::Borrowed(&slots.definition), values, encoding, n });
                }
                let (_, bytes) = levels(bytes, self.levels.repetition, repetition, n)?;
                let (definition, values) = levels(bytes, self.levels.definition, definition, n)?;
                Ok(Parts { definition, values, encoding, n })
            }
            Kind::DataV2 { encoding, definition_nbytes, repetition_nbytes, compressed, .. } => {
                let (repeats, rest) =
                    self.body.split_at_checked(repetition_nbytes as usize).ok_or_else(short)?;
                let (defines, values) =
                    rest.split_at_checked(definition_nbytes as usize).ok_or_else(short)?;
                let front = repeats.len() + defines.len();
                let nbytes = self.header.nbytes.checked_sub(front).ok_or_else(short)?;
                let codec = if compressed { self.codec } else { Codec::None };
                let values = decompress(codec, values, nbytes, scratch)?;
                let definition = Cow::Borrowed(match self.slots {
                    Some(slots) => slots.definition.as_slice(),
                    None if self.levels.definition > 0 => defines,
                    None => &[],
                });
                Ok(Parts { definition, values, encoding, n })
            }
            _ => Err(short()),
        }
    }

    /// The codec of its values.
    pub(crate) fn codec(&self) -> Codec {
        match self.header.kind {
            Kind::DataV2 { compressed: false, .. } => Codec::None,
            _ => self.codec,
        }
    }
}

#[cold]
fn short() -> Error {
    Error::malformed("parquet", "a page is shorter than its levels. The file is damaged; write it again.")
}

/// Bytes of a page, in `scratch` where they must be decompressed.
fn decompress<'s>(codec: Codec, body: &'s [u8], nbytes: usize, scratch: &'s mut Vec<u8>) -> Result<&'s [u8]> {
    if codec == Codec::None {
        // A page of version 2 may say that its values are not compressed, and be longer than it says.
        return body.get(..nbytes).ok_or_else(short);
    }
    if scratch.len() < nbytes {
        // Memory that the system gives as zeros is taken when it is written to: of a page that lies only as much as it gives.
        *scratch = Vec::new();
        *scratch = vec![0; nbytes.saturating_add(nbytes / 4)];
    }
    let room = scratch.get_mut(..nbytes).unwrap_or_default();
    codec.into(body, room)?;
    Ok(room)
}

/// The levels in front of `bytes`, and what follows them.
fn levels(bytes: &[u8], max: u16, encoding: Encoding, n: usize) -> Result<(Cow<'_, [u8]>, &[u8])> {
    if max == 0 {
        return Ok((Cow::Borrowed(&[]), bytes));
    }
    if encoding == Encoding::BitPacked {
        return packed_levels(bytes, max, n);
    }
    let (head, rest) = bytes.split_first_chunk::<4>().ok_or_else(short)?;
    let nbytes = u32::from_le_bytes(*head) as usize;
    let (levels, values) = rest.split_at_checked(nbytes).ok_or_else(short)?;
    Ok((Cow::Borrowed(levels), values))
}

/// Levels of very old files, most significant bit first and without a length: said as the runs that all others have.
fn packed_levels(bytes: &[u8], max: u16, n: usize) -> Result<(Cow<'_, [u8]>, &[u8])> {
    let width = usize::from(level_bits(max));
    let nbytes = n.checked_mul(width).ok_or_else(short)?.div_ceil(8);
    let (packed, values) = bytes.split_at_checked(nbytes).ok_or_else(short)?;
    let groups = n.div_ceil(8);
    let mut out = Vec::with_capacity(10 + groups * width);
    let mut head = (groups as u64) << 1 | 1;
    while head >= 0x80 {
        out.push((head & 0x7f) as u8 | 0x80);
        head >>= 7;
    }
    out.push((head & 0x7f) as u8);
    let start = out.len();
    out.resize(start + groups * width, 0);
    let bit = |at: usize| packed.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1);
    for value in 0..n {
        for k in 0..width {
            let to = value * width + k;
            if bit(value * width + (width - 1 - k))
                && let Some(byte) = out.get_mut(start + to / 8)
            {
                *byte |= 1 << (to % 8);
            }
        }
    }
    Ok((Cow::Owned(out), values))
}

/// Bits of levels up to `max`.
pub(crate) fn level_bits(max: u16) -> u8 {
    u8::try_from(u16::BITS - max.leading_zeros()).unwrap_or(MAX_LEVEL_BITS)
}
