//! Fixed-length values of any width: decimals, fixed-size binary, intervals.

use crate::error::{Error, Result};
use crate::formats::parquet::keys::{DictionaryKeys, KeyBatch};
use crate::formats::parquet::page::PageEncoding;

use super::super::conversion::ByteConversion;
use super::super::page::{PageParts, StoredPage};
use super::page_decoder::{Decoder, NullMask, PageCursor, fill_rows};
use super::primitive::{check_dictionary, keys, truncated, unknown};

impl ByteConversion {
    pub(super) fn apply(self, from: &[u8], to: &mut [u8]) {
        match self {
            Self::Same => {
                if from.len() == to.len() {
                    to.copy_from_slice(from);
                }
            }
            Self::BigEndian => {
                let sign = if from.first().is_some_and(|b| b & 0x80 != 0) { 0xff } else { 0 };
                let mut bytes = from.iter().rev();
                to.iter_mut().for_each(|to| *to = bytes.next().copied().unwrap_or(sign));
            }
            Self::Longer => {
                let sign = if from.last().is_some_and(|b| b & 0x80 != 0) { 0xff } else { 0 };
                let mut bytes = from.iter();
                to.iter_mut().for_each(|to| *to = bytes.next().copied().unwrap_or(sign));
            }
            Self::From(at) => {
                if let Some(part) = from.get(at..at + to.len()) {
                    to.copy_from_slice(part);
                }
            }
        }
    }

    /// Refuses a value that does not fit the row.
    fn check(self, from: &[u8], item: usize) -> Result<()> {
        let Self::From(at) = self else { return Ok(()) };
        let lost = from.get(..at).unwrap_or_default().iter().chain(from.get(at + item..).unwrap_or_default());
        if lost.copied().all(|byte| byte == 0) {
            return Ok(());
        }
        let part = if at == 0 { "months" } else { "days and milliseconds" };
        let message = format!(
            "the metadata say an interval of {part} alone, it has other parts too. The metadata are wrong; write the file \
             without them."
        );
        Err(Error::malformed("parquet", message))
    }
}

/// A decoder of values of `width` bytes to rows of `item` bytes.
#[derive(Debug)]
pub(super) struct FixedLenDecoder {
    pub(super) width: usize,
    pub(super) item: usize,
    pub(super) change: ByteConversion,
    /// The dictionary's values, as rows.
    pub(super) dictionary: Vec<u8>,
}

/// The values of a page.
pub(super) enum FixedLenPage<'a> {
    Plain(&'a [u8]),
    /// One stream for each byte of a value (BYTE_STREAM_SPLIT); the number of values, and how many were read.
    Split(&'a [u8], usize, usize),
    Keys(Box<DictionaryKeys<'a>>),
    /// Integers, for decimals.
    Delta(Box<crate::formats::parquet::delta::DeltaDecoder<'a>>),
}

impl FixedLenDecoder {
    fn put(&self, values: &mut FixedLenPage<'_>, out: &mut [u8]) -> Result<()> {
        let (width, item) = (self.width, self.item);
        let n = out.len() / item;
        match values {
            FixedLenPage::Plain(bytes) => {
                let Some((now, rest)) = bytes.split_at_checked(n.saturating_mul(width)) else {
                    return Err(truncated(n.saturating_mul(width), bytes.len()));
                };
                if let ByteConversion::From(_) = self.change {
                    now.chunks_exact(width).try_for_each(|from| self.change.check(from, item))?;
                }
                for (to, from) in out.chunks_exact_mut(item).zip(now.chunks_exact(width)) {
                    self.change.apply(from, to);
                }
                *bytes = rest;
            }
            FixedLenPage::Split(bytes, total, position) => {
                if n > *total - *position {
                    return Err(truncated(n.saturating_mul(width), (*total - *position) * width));
                }
                let mut value = vec![0; width];
                for to in out.chunks_exact_mut(item) {
                    for (stream, byte) in value.iter_mut().enumerate() {
                        *byte = bytes.get(stream * *total + *position).copied().unwrap_or(0);
                    }
                    self.change.check(&value, item)?;
                    self.change.apply(&value, to);
                    *position += 1;
                }
            }
            FixedLenPage::Keys(keys) => {
                let mut rows = out.chunks_exact_mut(item);
                let (mut left, nvalues) = (n, self.dictionary.len() / item);
                let get = |key: u32| {
                    let start = key as usize * item;
                    self.dictionary
                        .get(start..start + item)
                        .ok_or_else(|| crate::formats::parquet::values::key_out_of_range(key, nvalues))
                };
                while left > 0 {
                    match keys.take(left)? {
                        None => return Err(truncated(left, 0)),
                        Some(KeyBatch::Same(key, times)) => {
                            let value = get(key)?;
                            rows.by_ref().take(times).for_each(|to| to.copy_from_slice(value));
                            left -= times;
                        }
                        Some(KeyBatch::Many(some)) => {
                            for (&key, to) in some.iter().zip(rows.by_ref()) {
                                to.copy_from_slice(get(key)?);
                            }
                            left -= some.len();
                        }
                    }
                }
            }
            FixedLenPage::Delta(delta) => {
                let mut one = [0i64];
                for to in out.chunks_exact_mut(item) {
                    delta.fill(&mut one)?;
                    let bytes = one.first().copied().unwrap_or(0).to_le_bytes();
                    self.change.apply(bytes.get(..width).unwrap_or(&bytes), to);
                }
            }
        }
        Ok(())
    }
}

impl Decoder for FixedLenDecoder {
    type State<'p> = PageCursor<'p, FixedLenPage<'p>>;

    fn item(&self) -> usize {
        self.item
    }

    fn plain_nbytes(&self) -> Option<usize> {
        (self.change == ByteConversion::Same && self.width == self.item).then_some(self.width)
    }

    fn dictionary(&mut self, page: &StoredPage<'_>, scratch: &mut Vec<u8>) -> Result<()> {
        let (bytes, n) = page.dictionary(scratch)?;
        check_dictionary(n, self.width, bytes.len())?;
        let mut rows = vec![0; n * self.item];
        self.put(&mut FixedLenPage::Plain(bytes), &mut rows)?;
        self.dictionary = rows;
        Ok(())
    }

    fn begin<'p>(&'p self, parts: &'p PageParts<'_>, optional: bool) -> Result<Self::State<'p>> {
        let values = match parts.encoding {
            PageEncoding::Plain => FixedLenPage::Plain(parts.values),
            PageEncoding::ByteStreamSplit => {
                FixedLenPage::Split(parts.values, parts.values.len() / self.width, 0)
            }
            PageEncoding::PlainDictionary | PageEncoding::RleDictionary => {
                FixedLenPage::Keys(Box::new(keys(parts.values, parts.n)?))
            }
            PageEncoding::DeltaBinaryPacked if self.change == ByteConversion::Longer => FixedLenPage::Delta(
                Box::new(crate::formats::parquet::delta::DeltaDecoder::new(parts.values)?),
            ),
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
        let values = &mut state.values;
        fill_rows(state.levels.as_mut(), self.item, out, nulls, |some| self.put(values, some))
    }

    fn width(&self) -> Option<usize> {
        (self.change != ByteConversion::Longer).then_some(self.width)
    }
}
