//! Values of 1 to 16 bytes with an integer type of their width.

use crate::error::{Error, Result};
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::delta::DeltaDecoder;
use crate::formats::parquet::keys::DictionaryKeys;
use crate::formats::parquet::levels::scatter_page;
use crate::formats::parquet::page::PageEncoding;
use crate::formats::parquet::rle_bit_packed::RleBitPacked;
use crate::formats::parquet::values::{FixedWidth, PageValues};
use crate::memory;

use super::super::page::{PageParts, StoredPage};
use super::page_decoder::{Decoder, NullMask, PageCursor, bytes_of};

/// Unsigned integers.
///
/// # Safety
/// All bytes are initialised, and any bytes are a value.
pub(super) unsafe trait UnsignedWord: Copy {}
// SAFETY: integers.
unsafe impl UnsignedWord for u8 {}
// SAFETY: as above.
unsafe impl UnsignedWord for u16 {}
// SAFETY: as above.
unsafe impl UnsignedWord for u32 {}
// SAFETY: as above.
unsafe impl UnsignedWord for u64 {}
// SAFETY: as above.
unsafe impl UnsignedWord for u128 {}

/// Returns bytes as words. Only aligned bytes are returned; all callers pass aligned memory.
fn words<T: UnsignedWord>(bytes: &mut [u8]) -> &mut [T] {
    // SAFETY: `UnsignedWord`'s contract.
    let (_, words, _) = unsafe { bytes.align_to_mut::<T>() };
    words
}

/// Returns the bytes of words.
fn bytes_within<T: UnsignedWord>(words: &mut [T]) -> &mut [u8] {
    // SAFETY: `UnsignedWord`'s contract: all bytes of a word are initialised, and any bytes are a word.
    let (_, bytes, _) = unsafe { words.align_to_mut::<u8>() };
    bytes
}

/// Returns words as narrower words.
fn words_of<T: UnsignedWord>(words: &[u128]) -> &[T] {
    // SAFETY: `UnsignedWord`'s contract.
    let (_, words, _) = unsafe { words.align_to::<T>() };
    words
}

/// A decoder of stored values `R` to rows of `T`.
pub(super) struct PrimitiveDecoder<'s, R, T, F> {
    /// Memory for the dictionary.
    pub(super) room: &'s mut Vec<u128>,
    /// Number of dictionary values.
    n: usize,
    null: T,
    cast: F,
    /// Whether `cast` keeps the bytes.
    same: bool,
    /// Whether uncompressed values are copied past the cache.
    streaming: bool,
    raw: std::marker::PhantomData<R>,
}

impl<'s, R: FixedWidth, T: UnsignedWord, F: Fn(R) -> T + Copy> PrimitiveDecoder<'s, R, T, F> {
    pub(super) fn new(room: &'s mut Vec<u128>, null: T, cast: F, same: bool, streaming: bool) -> Self {
        Self { room, n: 0, null, cast, same, streaming, raw: std::marker::PhantomData }
    }
}

impl<R: FixedWidth, T: UnsignedWord, F: Fn(R) -> T + Copy> PrimitiveDecoder<'_, R, T, F> {
    /// Decodes the next values of a page.
    #[inline]
    fn next(&self, values: &mut PageValues<'_, T>, out: &mut [T], streaming: bool) -> Result<()> {
        let PageValues::Plain(bytes) = values else { return values.fill(out, self.cast) };
        if !self.same {
            return values.fill(out, self.cast);
        }
        let out = bytes_within(out);
        let Some((now, rest)) = bytes.split_at_checked(out.len()) else {
            return Err(truncated(out.len(), bytes.len()));
        };
        memory::copy(out, now, streaming);
        *bytes = rest;
        Ok(())
    }
}

impl<R: FixedWidth, T: UnsignedWord, F: Fn(R) -> T + Copy> Decoder for PrimitiveDecoder<'_, R, T, F> {
    type State<'p>
        = PageCursor<'p, PageValues<'p, T>>
    where
        Self: 'p;

    fn item(&self) -> usize {
        size_of::<T>()
    }

    fn plain_nbytes(&self) -> Option<usize> {
        self.same.then_some(R::NBYTES)
    }

    fn dictionary(&mut self, page: &StoredPage<'_>, scratch: &mut Vec<u8>) -> Result<()> {
        if self.same && page.codec() != PageCodec::None {
            // Decompressed straight into the memory for lookups.
            let n = page.header.nvalues as usize;
            check_dictionary(n, R::NBYTES, page.header.nbytes)?;
            let nbytes = page.header.nbytes;
            self.room.resize(nbytes.div_ceil(16).max(self.room.len()), 0);
            page.dictionary_into(bytes_of(self.room).get_mut(..nbytes).unwrap_or_default())?;
            self.n = n;
            return Ok(());
        }
        let (bytes, n) = page.dictionary(scratch)?;
        check_dictionary(n, R::NBYTES, bytes.len())?;
        self.room.clear();
        self.room.resize((n * size_of::<T>()).div_ceil(16), 0);
        let room = words::<T>(bytes_of(self.room)).get_mut(..n).unwrap_or_default();
        self.n = room.len();
        PageValues::Plain(bytes).fill(room, self.cast)
    }

    fn begin<'p>(&'p self, parts: &'p PageParts<'_>, optional: bool) -> Result<Self::State<'p>> {
        let values = match parts.encoding {
            PageEncoding::Plain => PageValues::Plain(parts.values),
            PageEncoding::ByteStreamSplit => {
                PageValues::Split(parts.values, parts.values.len() / R::NBYTES, 0)
            }
            PageEncoding::DeltaBinaryPacked => PageValues::Delta(Box::new(DeltaDecoder::new(parts.values)?)),
            PageEncoding::PlainDictionary | PageEncoding::RleDictionary => {
                let dictionary = words_of::<T>(self.room).get(..self.n).unwrap_or_default();
                PageValues::Keys(Box::new(keys(parts.values, parts.n)?), dictionary)
            }
            other => return Err(unknown(other)),
        };
        PageCursor::new(values, parts, optional)
    }

    fn fill<'p>(
        &'p self,
        state: &mut Self::State<'p>,
        out: &mut [u8],
        nulls: Option<&mut NullMask>,
    ) -> Result<()> {
        let (values, out) = (&mut state.values, words::<T>(out));
        if let Some(levels) = &mut state.levels {
            let next = |some: &mut [T]| self.next(values, some, false);
            return scatter_page(levels, out, self.null, nulls.map(NullMask::begin), next);
        }
        if let Some(nulls) = nulls {
            nulls.push_valid(out.len());
        }
        self.next(values, out, self.streaming)
    }

    fn width(&self) -> Option<usize> {
        (R::NBYTES == 2).then_some(2)
    }
}

/// Returns the dictionary keys of a page; their bit width precedes them.
pub(super) fn keys(values: &[u8], n: usize) -> Result<DictionaryKeys<'_>> {
    let (width, keys) = match values.split_first() {
        Some((&width, keys)) => (width, keys),
        // A page of only nulls may leave the width out.
        None => (0, &[][..]),
    };
    Ok(DictionaryKeys::new(RleBitPacked::new(keys, width, n)?))
}

#[cold]
pub(super) fn truncated(needed: usize, found: usize) -> Error {
    Error::truncated("parquet", "the values of a page", needed as u64, found as u64)
}

#[cold]
pub(super) fn unknown(encoding: PageEncoding) -> Error {
    let message =
        format!("values of its type are never encoded as {encoding:?}. The file is damaged; write it again.");
    Error::malformed("parquet", message)
}

/// Checks that a dictionary page has the bytes of `n` values.
pub(super) fn check_dictionary(n: usize, width: usize, nbytes: usize) -> Result<()> {
    match n.checked_mul(width) {
        Some(needed) if needed <= nbytes => Ok(()),
        needed => Err(Error::truncated(
            "parquet",
            "a dictionary",
            needed.unwrap_or(usize::MAX) as u64,
            nbytes as u64,
        )),
    }
}
