//! Decimals of any length: big-endian numbers, each behind its length.

use crate::error::Result;
use crate::formats::parquet::keys::{DictionaryKeys, KeyBatch};
use crate::formats::parquet::page::PageEncoding;

use super::super::conversion::Change;
use super::super::page::{Page, Parts};
use super::page_decoder::{Decoder, Nulls, Rows, by_rows};
use super::text::Cells;
use super::words::{ended, keys, unknown};

/// Rows of `item` bytes, little-endian.
#[derive(Debug)]
pub(super) struct Lengths {
    pub(super) item: usize,
    /// The dictionary's values, as rows.
    pub(super) dictionary: Vec<u8>,
}

/// The values of a page.
pub(super) enum Values<'a> {
    Plain(&'a [u8]),
    Keys(Box<DictionaryKeys<'a>>),
    /// As differences of lengths, or of what they share: encodings of all that has a length.
    Deltas(Box<Cells<'a>>),
}

impl Lengths {
    fn one(&self, values: &mut Values<'_>, to: &mut [u8]) -> Result<()> {
        match values {
            Values::Plain(bytes) => {
                let (head, rest) = bytes.split_first_chunk::<4>().ok_or_else(|| ended(4, bytes.len()))?;
                let n = u32::from_le_bytes(*head) as usize;
                let (value, rest) = rest.split_at_checked(n).ok_or_else(|| ended(n, rest.len()))?;
                self.number(value, to)?;
                *bytes = rest;
            }
            Values::Deltas(cells) => cells.each(1, &mut |value| self.number(value, to))?,
            Values::Keys(keys) => {
                let key = match keys.take(1)? {
                    Some(KeyBatch::Same(key, _)) => key,
                    Some(KeyBatch::Many([key, ..])) => *key,
                    _ => return Err(ended(1, 0)),
                };
                let start = (key as usize).saturating_mul(self.item);
                let value = self.dictionary.get(start..start.saturating_add(self.item));
                let known = self.dictionary.len() / self.item;
                to.copy_from_slice(
                    value.ok_or_else(|| crate::formats::parquet::values::key_out_of_range(key, known))?,
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
        Change::BigEndian.apply(value, to);
        Ok(())
    }

    fn put(&self, values: &mut Values<'_>, out: &mut [u8]) -> Result<()> {
        out.chunks_exact_mut(self.item).try_for_each(|to| self.one(values, to))
    }
}

impl Decoder for Lengths {
    type State<'p> = Rows<'p, Values<'p>>;

    fn item(&self) -> usize {
        self.item
    }

    fn same(&self) -> Option<usize> {
        None
    }

    fn dictionary(&mut self, page: &Page<'_>, scratch: &mut Vec<u8>) -> Result<()> {
        let (bytes, n) = page.dictionary(scratch)?;
        // Each has a length at least.
        super::words::check_dictionary(n, 4, bytes.len())?;
        let mut rows = vec![0; n * self.item];
        self.put(&mut Values::Plain(bytes), &mut rows)?;
        self.dictionary = rows;
        Ok(())
    }

    fn begin<'p>(&'p self, parts: &'p Parts<'_>, optional: bool) -> Result<Self::State<'p>> {
        let values = match parts.encoding {
            PageEncoding::Plain => Values::Plain(parts.values),
            PageEncoding::PlainDictionary | PageEncoding::RleDictionary => {
                Values::Keys(Box::new(keys(parts.values, parts.n)?))
            }
            PageEncoding::DeltaLengthByteArray | PageEncoding::DeltaByteArray => {
                Values::Deltas(Box::new(Cells::new(parts.encoding, parts.values, parts.n)?))
            }
            other => return Err(unknown(other)),
        };
        Rows::new(values, parts, optional)
    }

    fn fill<'p>(
        &'p self,
        state: &mut Self::State<'p>,
        out: &mut [u8],
        nulls: Option<&mut Nulls>,
    ) -> Result<()> {
        let values = &mut state.values;
        by_rows(state.levels.as_mut(), self.item, out, nulls, |some| self.put(values, some))
    }

    fn width(&self) -> Option<usize> {
        None
    }
}
