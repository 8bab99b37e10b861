//! Page headers. The parser checks what a header claims before memory is allocated for the page.

use crate::error::{Error, Result};

use super::thrift::{Thrift, ThriftType};

/// An encoding of values or levels; the numbers are the specification's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PageEncoding {
    /// PLAIN: values without an encoding.
    Plain = 0,
    /// PLAIN_DICTIONARY, the old name of dictionary keys.
    PlainDictionary = 2,
    /// RLE: the hybrid of runs and bit-packed groups.
    Rle = 3,
    /// BIT_PACKED: packed bits, most significant first, for levels of very old files.
    BitPacked = 4,
    /// DELTA_BINARY_PACKED: bit-packed differences.
    DeltaBinaryPacked = 5,
    /// DELTA_LENGTH_BYTE_ARRAY: lengths as differences, then the bytes.
    DeltaLengthByteArray = 6,
    /// DELTA_BYTE_ARRAY: text without the prefix that it shares with the text before it.
    DeltaByteArray = 7,
    /// RLE_DICTIONARY: dictionary keys.
    RleDictionary = 8,
    /// BYTE_STREAM_SPLIT: one stream per byte of the value.
    ByteStreamSplit = 9,
}

impl PageEncoding {
    /// Returns the encoding of a number in the specification.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Some(match number {
            0 => Self::Plain,
            2 => Self::PlainDictionary,
            3 => Self::Rle,
            4 => Self::BitPacked,
            5 => Self::DeltaBinaryPacked,
            6 => Self::DeltaLengthByteArray,
            7 => Self::DeltaByteArray,
            8 => Self::RleDictionary,
            9 => Self::ByteStreamSplit,
            _ => return None,
        })
    }
}

/// A page type with its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageType {
    /// A data page of version 1: levels and values are compressed together.
    Data {
        /// Encoding of the values.
        encoding: PageEncoding,
        /// Encoding of the definition levels.
        definition: PageEncoding,
        /// Encoding of the repetition levels.
        repetition: PageEncoding,
    },
    /// A data page of version 2: the levels come first and are never compressed.
    DataV2 {
        /// Encoding of the values.
        encoding: PageEncoding,
        /// Number of nulls.
        nulls: u32,
        /// Number of rows that start in the page.
        rows: u32,
        /// Bytes of the definition levels.
        definition_nbytes: u32,
        /// Bytes of the repetition levels.
        repetition_nbytes: u32,
        /// Whether the values are compressed.
        compressed: bool,
    },
    /// A dictionary page.
    Dictionary {
        /// Encoding of the values.
        encoding: PageEncoding,
    },
    /// An index page, or a page type that this version does not know. The reader skips it.
    Other,
}

/// A page header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageHeader {
    /// Page type.
    pub kind: PageType,
    /// Number of values, nulls included.
    pub nvalues: u32,
    /// Bytes of the page body as stored in the file.
    pub compressed_nbytes: usize,
    /// Bytes of the page body after decompression.
    pub nbytes: usize,
    /// CRC-32 of the page body as stored in the file.
    pub crc: Option<u32>,
    /// Bytes of the header.
    pub header_nbytes: usize,
}

impl PageHeader {
    /// Reads the header at the start of `bytes`, which are at byte `base` of the file.
    ///
    /// # Errors
    /// Malformed or truncated headers; negative counts; a page that is longer than `bytes`; unsupported encodings.
    pub fn read(bytes: &[u8], base: u64) -> Result<Self> {
        let mut thrift = Thrift::new(bytes, base, "a page header");
        let t = &mut thrift;
        let (mut page_type, mut sizes, mut crc, mut inner) = (None, [None; 2], None, None);
        let mut last = 0;
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (1, ThriftType::I32) => page_type = Some(t.i32()?),
                (2, ThriftType::I32) => sizes[0] = Some(size(t)?),
                (3, ThriftType::I32) => sizes[1] = Some(size(t)?),
                (4, ThriftType::I32) => crc = Some(t.i32()?.cast_unsigned()),
                (5, ThriftType::Struct) => inner = Some(data(t)?),
                (7, ThriftType::Struct) => inner = Some(dictionary(t)?),
                (8, ThriftType::Struct) => inner = Some(data_v2(t)?),
                _ => t.skip(field.wire)?,
            }
        }
        let (Some(page_type), [Some(nbytes), Some(compressed_nbytes)]) = (page_type, sizes) else {
            return Err(t.fault("its type or one of its sizes is missing"));
        };
        let (kind, nvalues) = match (page_type, inner) {
            (0, Some(found @ (PageType::Data { .. }, _)))
            | (2, Some(found @ (PageType::Dictionary { .. }, _)))
            | (3, Some(found @ (PageType::DataV2 { .. }, _))) => found,
            (0 | 2 | 3, _) => {
                return Err(t.fault(&format!("a page of type {page_type} has no header of that type")));
            }
            _ => (PageType::Other, 0),
        };
        let header_nbytes = t.position();
        let had = bytes.len() - header_nbytes;
        if compressed_nbytes > had {
            let what = "a page, by what its header says of its column chunk";
            return Err(Error::truncated("parquet", what, compressed_nbytes as u64, had as u64).at(base));
        }
        Ok(Self { kind, nvalues, compressed_nbytes, nbytes, crc, header_nbytes })
    }

    /// The page body within `bytes`, the slice that the header was read from.
    #[must_use]
    pub fn body<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.header_nbytes..self.end()).unwrap_or_default()
    }

    /// Where the next page header starts.
    #[must_use]
    pub fn end(&self) -> usize {
        self.header_nbytes + self.compressed_nbytes
    }
}

fn size(t: &mut Thrift<'_>) -> Result<usize> {
    usize::try_from(t.i32()?).map_err(|_| t.fault("a size is negative"))
}

fn count(t: &mut Thrift<'_>) -> Result<u32> {
    u32::try_from(t.i32()?).map_err(|_| t.fault("a count is negative"))
}

fn encoding(t: &mut Thrift<'_>) -> Result<PageEncoding> {
    let number = t.i32()?;
    PageEncoding::from_number(number).ok_or_else(|| {
        let advice = "Write the file with PLAIN, dictionary, DELTA_* or BYTE_STREAM_SPLIT.";
        Error::unsupported(
            "parquet",
            format!("a page's encoding is number {number}, which is not known here. {advice}"),
        )
    })
}

fn data(t: &mut Thrift<'_>) -> Result<(PageType, u32)> {
    let (mut n, mut found, mut last) = (None, [None; 3], 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, ThriftType::I32) => n = Some(count(t)?),
            (2, ThriftType::I32) => found[0] = Some(encoding(t)?),
            (3, ThriftType::I32) => found[1] = Some(encoding(t)?),
            (4, ThriftType::I32) => found[2] = Some(encoding(t)?),
            _ => t.skip(field.wire)?,
        }
    }
    match (n, found) {
        (Some(n), [Some(encoding), Some(definition), Some(repetition)]) => {
            Ok((PageType::Data { encoding, definition, repetition }, n))
        }
        _ => Err(t.fault("a data page says no count or no encoding")),
    }
}

fn dictionary(t: &mut Thrift<'_>) -> Result<(PageType, u32)> {
    let (mut n, mut found, mut last) = (None, None, 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, ThriftType::I32) => n = Some(count(t)?),
            (2, ThriftType::I32) => found = Some(encoding(t)?),
            _ => t.skip(field.wire)?,
        }
    }
    match (n, found) {
        (Some(n), Some(encoding)) => Ok((PageType::Dictionary { encoding }, n)),
        _ => Err(t.fault("a dictionary page says no count or no encoding")),
    }
}

fn data_v2(t: &mut Thrift<'_>) -> Result<(PageType, u32)> {
    let (mut counts, mut found, mut compressed, mut last) = ([None; 5], None, true, 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, ThriftType::I32) => counts[0] = Some(count(t)?),
            (2, ThriftType::I32) => counts[1] = Some(count(t)?),
            (3, ThriftType::I32) => counts[2] = Some(count(t)?),
            (4, ThriftType::I32) => found = Some(encoding(t)?),
            (5, ThriftType::I32) => counts[3] = Some(count(t)?),
            (6, ThriftType::I32) => counts[4] = Some(count(t)?),
            (7, ThriftType::True) => compressed = true,
            (7, ThriftType::False) => compressed = false,
            _ => t.skip(field.wire)?,
        }
    }
    let (
        [Some(n), Some(nulls), Some(rows), Some(definition_nbytes), Some(repetition_nbytes)],
        Some(encoding),
    ) = (counts, found)
    else {
        return Err(t.fault("a data page of version 2 says no count, no size or no encoding"));
    };
    if nulls > n || rows > n {
        return Err(t.fault(&format!("a data page of {n} values says {nulls} nulls and {rows} rows")));
    }
    Ok((PageType::DataV2 { encoding, nulls, rows, definition_nbytes, repetition_nbytes, compressed }, n))
}
