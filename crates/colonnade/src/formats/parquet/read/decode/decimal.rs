//! Decimals of any length: big-endian numbers, each preceded by its length.

use crate::error::Result;
use crate::formats::parquet::keys::{DictionaryKeys, KeyBatch};
use crate::formats::parquet::page::PageEncoding;

use super::super::conversion::ByteConversion;
use super::super::page::{PageParts, StoredPage};
use super::page_decoder::{Decoder, NullMask, PageCursor, fill_rows};
use super::primitive::{keys, truncated, unknown};
use super::text::PageTexts;

/// A decoder to little-endian rows of `item` bytes.
#[derive(Debug)]
pub(super) struct DecimalDecoder {
    pub(super) item: usize,
    /// The dictionary's values, as rows.
    pub(super) dictionary: Vec<u8>,
}

/// The values of a page.
pub(super) enum DecimalPage<'a> {
    Plain(&'a [u8]),
    Keys(Box<DictionaryKeys<'a>>),
    /// One of the DELTA encodings of byte arrays.
    Deltas(Box<PageTexts<'a>>),
}

impl DecimalDecoder {
    fn decode_value(&self, values: &mut DecimalPage<'_>, to: &mut [u8]) -> Result<()> {
        match values {
            DecimalPage::Plain(bytes) => {
                let (head, rest) = bytes.split_first_chunk::<4>().ok_or_else(|| truncated(4, bytes.len()))?;
                let n = u32::from_le_bytes(*head) as usize;
                let (value, rest) = rest.split_at_checked(n).ok_or_else(|| truncated(n, rest.len()))?;
                self.number(value, to)?;
                *bytes = rest;
            }
            DecimalPage::Deltas(cells) => cells.each(1, &mut |value| self.number(value, to))?,
            DecimalPage::Keys(keys) => {
                let key = match keys.take(1)? {
                    Some(KeyBatch::Same(key, _)) => key,
                    Some(KeyBatch::Many([key, ..])) => *key,
                    _ => return Err(truncated(1, 0)),
                };
                let start = (key as usize).saturating_mul(self.item);
                let value = self.dictionary.get(start..start.saturating_add(self.item));
                let nvalues = self.dictionary.len() / self.item;
                to.copy_from_slice(
                    value.ok_or_else(|| crate::formats::parquet::values::key_out_of_range(key, nvalues))?,
                );
            }
        }
        Ok(())
    }

    fn number(&self, value: &[u8], to: &mut [u8]) -> Result<()> {
        if value.len() > self.item {
            let (n, most) = (value.len(), self.item);
            let message = format!(
                "a decimal of {n} bytes, its digits take {most} at most. The file is damaged; write it again."
            );
            return Err(crate::error::Error::malformed("parquet", message));
        }
        ByteConversion::BigEndian.apply(value, to);
        Ok(())
    }

    fn put(&self, values: &mut DecimalPage<'_>, out: &mut [u8]) -> Result<()> {
        out.chunks_exact_mut(self.item).try_for_each(|to| self.decode_value(values, to))
    }
}

impl Decoder for DecimalDecoder {
    type State<'p> = PageCursor<'p, DecimalPage<'p>>;

    fn item(&self) -> usize {
        self.item
    }

    fn plain_nbytes(&self) -> Option<usize> {
        None
    }

    fn dictionary(&mut self, page: &StoredPage<'_>, scratch: &mut Vec<u8>) -> Result<()> {
        let (bytes, n) = page.dictionary(scratch)?;
        // Each value has at least a length.
        super::primitive::check_dictionary(n, 4, bytes.len())?;
        let mut rows = vec![0; n * self.item];
        self.put(&mut DecimalPage::Plain(bytes), &mut rows)?;
        self.dictionary = rows;
        Ok(())
    }

    fn begin<'p>(&'p self, parts: &'p PageParts<'_>, optional: bool) -> Result<Self::State<'p>> {
        let values = match parts.encoding {
            PageEncoding::Plain => DecimalPage::Plain(parts.values),
            PageEncoding::PlainDictionary | PageEncoding::RleDictionary => {
                DecimalPage::Keys(Box::new(keys(parts.values, parts.n)?))
            }
            PageEncoding::DeltaLengthByteArray | PageEncoding::DeltaByteArray => {
                DecimalPage::Deltas(Box::new(PageTexts::new(parts.encoding, parts.values, parts.n)?))
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
        let values = &mut state.values;
        fill_rows(state.levels.as_mut(), self.item, out, nulls, |some| self.put(values, some))
    }

    fn width(&self) -> Option<usize> {
        None
    }
}
