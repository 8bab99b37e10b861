//! Members: their NPY headers read and checked, and their bytes decompressed.

use crate::codec::{deflate, zstd};
use crate::container::npy::{self, Descr, NpyHeader};
use crate::container::zip::Method;
use crate::decode::GroupKey;
use crate::error::{Error, Result};

use super::MAX_HEADER_NBYTES;
use super::StoreSource;
use super::place::Space;
use crate::limits::Limits;

/// Covers every header that NumPy or StaticFrame writes for a plain array.
const PREFIX_NBYTES: usize = 256;

/// A member, as the central directory or the file system describes it. Small, because an archive may have 100,000.
#[derive(Debug, Clone)]
pub(super) struct StoredMember {
    /// Offset of its bytes in the source.
    pub(super) offset: usize,
    pub(super) compressed_nbytes: usize,
    /// Bytes after decompression.
    pub(super) nbytes: usize,
    /// Offset of its first byte in its space; [`super::image::place_all`] sets it.
    pub(super) start: usize,
    /// Index of its name; in a directory, of its file.
    pub(super) entry: usize,
    pub(super) crc32: u32,
    /// Its array's number in [`ArrayTable`].
    pub(super) array: u32,
    /// Number of the filtered array that it is part of, from 1; 0 if it has no filter.
    pub(super) filter: u32,
    /// Number of its part of the filtered array.
    pub(super) part: u32,
    pub(super) method: Method,
    pub(super) space: Space,
}

/// The array that an NPY header describes.
#[derive(Debug, Clone)]
pub(super) enum ScannedArray {
    /// Not an NPY.
    None,
    /// A 1-D or 2-D array of scalars whose data starts `head` bytes in.
    Plain { key: GroupKey, head: usize },
    /// Any other array.
    Other(Box<NpyHeader>),
}

/// The distinct arrays of a store. Members with equal headers share a number; number 0 is [`ScannedArray::None`].
#[derive(Debug)]
pub(super) struct ArrayTable {
    all: Vec<ScannedArray>,
    /// Header bytes of the last distinct arrays, which are compared before a header is parsed.
    recent: Vec<(Vec<u8>, u32)>,
}

/// Number of headers that are compared before one is parsed.
const RECENT_HEADERS: usize = 8;

impl ArrayTable {
    pub(super) fn new() -> Self {
        Self { all: vec![ScannedArray::None], recent: Vec::new() }
    }

    pub(super) fn get(&self, number: u32) -> &ScannedArray {
        self.all.get(number as usize).unwrap_or(&ScannedArray::None)
    }

    /// The number of an array whose header is not read yet.
    pub(super) fn declare(&mut self, key: GroupKey, head: usize) -> Result<u32> {
        let found = self.all.iter().rev().take(RECENT_HEADERS).position(
            |array| matches!(array, ScannedArray::Plain { key: k, head: h } if *k == key && *h == head),
        );
        match found {
            Some(back) => u32::try_from(self.all.len() - 1 - back)
                .map_err(|_| Error::limit("npz", "too many distinct arrays.")),
            None => self.add(ScannedArray::Plain { key, head }),
        }
    }

    fn add(&mut self, array: ScannedArray) -> Result<u32> {
        let number =
            u32::try_from(self.all.len()).map_err(|_| Error::limit("npz", "too many distinct arrays."))?;
        self.all.push(array);
        Ok(number)
    }

    /// The number of the array whose header the bytes start with. A header equal to a recent one needs no parsing: the same
    /// checks would pass.
    fn read_header(&mut self, bytes: &[u8], total: usize) -> Result<u32> {
        for (head, number) in &self.recent {
            if bytes.starts_with(head) && self.get(*number).nbytes() == Some(total) {
                return Ok(*number);
            }
        }
        let header = npy::parse_header(bytes, Some(total as u64), MAX_HEADER_NBYTES)?;
        header.check_whole(total as u64)?;
        let head = bytes.get(..header.data_offset).unwrap_or(&[]).to_vec();
        let array = match array_key(&header) {
            Some(key) => ScannedArray::Plain { key, head: header.data_offset },
            None => ScannedArray::Other(Box::new(header)),
        };
        let number = self.add(array)?;
        self.recent.insert(0, (head, number));
        self.recent.truncate(RECENT_HEADERS);
        Ok(number)
    }
}

/// The key of a header; `None` unless it is a 1-D or 2-D array of scalars.
pub(super) fn array_key(header: &NpyHeader) -> Option<GroupKey> {
    let Descr::Scalar(dtype) = header.descr else { return None };
    let (nrows, width, two_dimensional) = match header.shape.as_slice() {
        [nrows] => (*nrows, 1, false),
        [nrows, width] => (*nrows, *width, true),
        _ => return None,
    };
    Some(GroupKey { dtype, nrows, width, two_dimensional, fortran_order: header.fortran_order })
}

impl StoredMember {
    /// Refuses sizes over the limits, or larger than the compressed bytes can hold.
    pub(super) fn check_size(&self, limits: &Limits) -> Result<()> {
        let nbytes = self.nbytes as u64;
        if nbytes > limits.max_member_nbytes {
            let cap = limits.max_member_nbytes;
            let message = format!(
                "declares {nbytes} bytes, the limit is {cap}. Raise Limits(max_member_nbytes=...) if you trust the file."
            );
            return Err(Error::limit("npz", message).at(self.offset as u64));
        }
        let max_nbytes = match self.method {
            Method::Stored | Method::Other(_) => return Ok(()),
            Method::Deflate => (self.compressed_nbytes as u64).saturating_mul(deflate::MAX_RATIO),
            Method::Zstd => zstd::max_decompressed(self.compressed_nbytes as u64),
        };
        if nbytes > max_nbytes {
            let had = self.compressed_nbytes;
            let message = format!(
                "declares {nbytes} bytes; {had} compressed bytes can hold at most {max_nbytes}. The file is damaged or hostile."
            );
            return Err(Error::limit("npz", message).at(self.offset as u64));
        }
        Ok(())
    }

    /// Reads the NPY header.
    pub(super) fn read_header(&mut self, source: &StoreSource, arrays: &mut ArrayTable) -> Result<()> {
        let at = |e: Error| e.shifted(self.offset as u64);
        if self.method == Method::Stored && source.is_resident() {
            source.need_header_at(self.offset)?;
            let end = (self.offset + self.nbytes).min(source.structure().len());
            let bytes = source.structure().get(self.offset..end).unwrap_or(&[]);
            self.array = arrays.read_header(bytes, self.nbytes).map_err(at)?;
            return Ok(());
        }
        let mut prefix = self.prefix(source, PREFIX_NBYTES)?;
        let needed = npy::header_len(&prefix).map_err(at)?;
        if needed > MAX_HEADER_NBYTES {
            return Err(
                Error::limit("npy", format!("the header declares {needed} bytes.")).at(self.offset as u64)
            );
        }
        if needed > prefix.len() {
            prefix = self.prefix(source, needed)?;
        }
        self.array = arrays.read_header(&prefix, self.nbytes).map_err(at)?;
        Ok(())
    }

    /// The first decompressed bytes, up to `nbytes`.
    fn prefix(&self, source: &StoreSource, nbytes: usize) -> Result<Vec<u8>> {
        let mut out = vec![0; nbytes.min(self.nbytes)];
        if self.method == Method::Stored {
            source.read_into(self.entry, self.offset, &mut out)?;
            return Ok(out);
        }
        // A decompressor may need a block of 128 KiB before it yields the first byte.
        let max_nbytes = self.compressed_nbytes.min(256 << 10);
        let fetched = source.fetched_from(self.offset).min(max_nbytes);
        // The bytes in memory usually suffice; more would have to be fetched from a remote file.
        if fetched < max_nbytes
            && self.unpack_prefix(source, fetched, &mut out).is_ok_and(|count| count == out.len())
        {
            return Ok(out);
        }
        let count = self.unpack_prefix(source, max_nbytes, &mut out).map_err(|e| e.at(self.offset as u64))?;
        out.truncate(count);
        Ok(out)
    }

    fn unpack_prefix(&self, source: &StoreSource, packed_nbytes: usize, target: &mut [u8]) -> Result<usize> {
        let packed = source.fetch(self.entry, self.offset, packed_nbytes)?;
        match self.method {
            Method::Zstd => zstd::decompress_prefix(&packed, target),
            Method::Deflate => deflate::decompress_prefix(&packed, target),
            Method::Stored | Method::Other(_) => Err(self.unknown_method()),
        }
    }

    /// Decompresses (or copies) the whole member into `target`, and checks its CRC where it was compressed.
    pub(super) fn unpack(&self, source: &StoreSource, target: &mut [u8]) -> Result<()> {
        if self.method == Method::Stored {
            return source.read_into(self.entry, self.offset, target);
        }
        let packed = source.fetch(self.entry, self.offset, self.compressed_nbytes)?;
        let unpacked = match self.method {
            Method::Zstd => zstd::decompress(&packed, target),
            Method::Deflate => deflate::decompress(&packed, target),
            Method::Stored | Method::Other(_) => Err(self.unknown_method()),
        };
        unpacked.map_err(|e| e.at(self.offset as u64))?;
        self.check_crc(target)
    }

    /// Refuses bytes whose CRC differs from the directory's.
    pub(super) fn check_crc(&self, bytes: &[u8]) -> Result<()> {
        let found = crc32fast::hash(bytes);
        if found == self.crc32 {
            return Ok(());
        }
        let message = format!(
            "expected CRC-32 {:08x}, found {found:08x}. The bytes were damaged: fetch or write the file again.",
            self.crc32
        );
        Err(Error::malformed("npz", message).at(self.offset as u64))
    }

    pub(super) fn unknown_method(&self) -> Error {
        let code = self.method.code();
        let message = format!(
            "expected compression method 0 (stored), 8 (deflate) or 93 (zstd), found {code}. Unpack it with another ZIP tool."
        );
        Error::unsupported("npz", message).at(self.offset as u64)
    }
}

impl ScannedArray {
    /// Bytes of the whole member.
    fn nbytes(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Plain { key, head } => Some(head + key.nbytes()),
            Self::Other(header) => Some(header.data_offset + header.data_nbytes()),
        }
    }
}
