//! Encodes the body of a data page: levels and values, before compression.

use std::ops::Range;

use arrow_buffer::ToByteSlice;

use super::choose::ChunkEncoding;
use super::leaf::{LeafColumn, NestedLevels};
use super::non_null_values::NonNullValues;
use super::page::LevelSizes;
use super::settings::PageEncoding;
use super::{byte_stream_split, delta, levels, pack, plain};

/// The data that the pages of a chunk are encoded from.
pub(super) struct PageSource<'s, 'a> {
    pub(super) leaf: &'s LeafColumn<'a>,
    /// Levels of a leaf within lists or structs.
    pub(super) levels: Option<&'s NestedLevels<'s>>,
    pub(super) values: &'s NonNullValues<'a>,
    pub(super) chunk_encoding: &'s ChunkEncoding<'a>,
    /// Whether dictionary keys are padded to whole bytes. Codecs with an entropy coder compress those better than packed bits.
    pub(super) aligned: bool,
}

impl<'s> PageSource<'s, '_> {
    /// The encoding of the values.
    pub(super) fn encoding(&self) -> PageEncoding {
        match self.chunk_encoding {
            ChunkEncoding::Direct(encoding) => *encoding,
            ChunkEncoding::Dictionary(..) | ChunkEncoding::ColumnDictionary => PageEncoding::RleDictionary,
        }
    }

    /// The keys and the dictionary of a dictionary-encoded chunk.
    pub(super) fn dictionary(&self) -> Option<(&[u32], &NonNullValues<'_>)> {
        match (self.chunk_encoding, self.values) {
            (ChunkEncoding::Dictionary(keys, dictionary), _) => Some((keys, dictionary)),
            (ChunkEncoding::ColumnDictionary, NonNullValues::Keys(keys, dictionary)) => {
                Some((keys, dictionary))
            }
            _ => None,
        }
    }

    /// Appends the levels of these entries.
    pub(super) fn levels(&self, entries: &Range<usize>, version_2: bool, out: &mut Vec<u8>) -> LevelSizes {
        let mut done = LevelSizes::default();
        match self.levels {
            Some(within) => {
                let part = |levels: &'s [u8]| levels.get(entries.clone()).unwrap_or_default();
                if within.max_repetition > 0 {
                    done.repetition_nbytes = append_with_length(version_2, out, |out| {
                        levels::encode_nested(part(within.repetition), within.max_repetition, out);
                    });
                }
                if within.max_definition > 0 {
                    done.definition_nbytes = append_with_length(version_2, out, |out| {
                        levels::encode_nested(part(within.definition), within.max_definition, out);
                    });
                }
            }
            None if self.leaf.optional => {
                done.definition_nbytes = append_with_length(version_2, out, |out| {
                    levels::encode(self.leaf.validity, entries, out)
                });
            }
            None => {}
        }
        done
    }

    /// Appends the encoded values of this range.
    pub(super) fn encoded(&self, range: Range<usize>, out: &mut Vec<u8>) {
        if let Some((keys, _)) = self.dictionary() {
            let keys = keys.get(range).unwrap_or_default();
            let most = keys.iter().fold(0, |all, key| all | key);
            let width = pack::bits_of(most);
            // A width of 0 is legal, but some readers refuse it.
            let width = if self.aligned { width.div_ceil(8).max(1) * 8 } else { width.max(1) };
            out.push(width);
            pack::rle_bit_packed(width, keys, out);
            return;
        }
        match (self.encoding(), self.values) {
            (PageEncoding::DeltaBinaryPacked, NonNullValues::Four(words)) => {
                delta::encode(words.get(range).unwrap_or_default(), out);
            }
            (PageEncoding::DeltaBinaryPacked, NonNullValues::Eight(words)) => {
                delta::encode(words.get(range).unwrap_or_default(), out);
            }
            (PageEncoding::DeltaLengthByteArray, NonNullValues::Text(texts)) => {
                delta::lengths(texts.get(range).unwrap_or_default(), out);
            }
            (PageEncoding::DeltaByteArray, NonNullValues::Text(texts)) => {
                delta::prefixes(texts.get(range).unwrap_or_default(), out);
            }
            (PageEncoding::ByteStreamSplit, NonNullValues::Four(words)) => {
                byte_stream_split::encode(words.get(range).unwrap_or_default().to_byte_slice(), 4, out);
            }
            (PageEncoding::ByteStreamSplit, NonNullValues::Eight(words)) => {
                byte_stream_split::encode(words.get(range).unwrap_or_default().to_byte_slice(), 8, out);
            }
            (PageEncoding::ByteStreamSplit, NonNullValues::Wide(bytes, width)) => {
                byte_stream_split::encode(
                    bytes.get(range.start * width..range.end * width).unwrap_or_default(),
                    *width,
                    out,
                );
            }
            (PageEncoding::Rle, NonNullValues::Bools(bools)) => {
                let values: Vec<u32> =
                    bools.get(range).unwrap_or_default().iter().map(|&bool| u32::from(bool)).collect();
                let at = out.len();
                out.extend_from_slice(&[0; 4]);
                pack::rle_bit_packed(1, &values, out);
                let length = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX).to_le_bytes();
                out.get_mut(at..at + 4).unwrap_or_default().copy_from_slice(&length);
            }
            (_, values) => plain::encode(values, range, out),
        }
    }
}

/// Appends levels; in version 1, with a length prefix. Returns their bytes without the prefix.
fn append_with_length(version_2: bool, out: &mut Vec<u8>, append: impl FnOnce(&mut Vec<u8>)) -> usize {
    let at = out.len() + if version_2 { 0 } else { 4 };
    out.resize(at, 0);
    append(out);
    let nbytes = out.len() - at;
    if !version_2 {
        let length = u32::try_from(nbytes).unwrap_or(u32::MAX).to_le_bytes();
        out.get_mut(at - 4..at).unwrap_or_default().copy_from_slice(&length);
    }
    nbytes
}
