//! Appends records to a buffer. Times are fixed, so that equal frames give equal bytes.

use super::record::{
    CENTRAL, DESCRIPTOR, END, END64, END64_LEN, EXTRA_ALIGNMENT, EXTRA_ZIP64, LOCAL, LOCAL_LEN, LOCATOR64,
    SENTINEL16, SENTINEL32,
};
use super::{Method, flag};

/// 1980-01-01 00:00, the first moment of DOS time: time, then date.
const DOS_TIME: [u8; 4] = [0, 0, 0x21, 0];

/// Made on Unix, so that external attributes are a mode.
const MADE_ON_UNIX: u16 = 3 << 8;

/// A regular file, rw-r--r--. Without a mode, unzip on Unix creates unreadable files.
const MODE: u32 = 0o100_644 << 16;

/// Identifier and size of the alignment field, and its two bytes of alignment.
const PADDING_MIN: usize = 6;

/// A ZIP64 field of two sizes, with its identifier and size.
const ZIP64_SIZES_LEN: usize = 20;

/// A local header to be written.
#[derive(Clone, Copy, Debug)]
pub struct LocalHeader<'a> {
    /// The name; ASCII, or UTF-8 with [`flag::UTF8`] set by the writer.
    pub name: &'a [u8],
    /// Code of the compression method.
    pub method: u16,
    /// General purpose flags. The UTF-8 flag is added where the name needs it.
    pub flags: u16,
    /// CRC-32 of the uncompressed bytes; written as 0 with [`flag::DESCRIPTOR`].
    pub crc32: u32,
    /// Bytes in the archive. With [`flag::DESCRIPTOR`] written as 0: an upper bound that decides about ZIP64.
    pub compressed_nbytes: u64,
    /// Bytes after decompression, likewise.
    pub nbytes: u64,
    /// Length of the record with its padding: [`Self::min_len`], or a result of [`padded_len`] or [`aligned_len`].
    pub total_len: usize,
}

impl<'a> LocalHeader<'a> {
    /// The header of a stored member of `nbytes` whose CRC is not known yet.
    #[must_use]
    pub fn stored(name: &'a [u8], nbytes: u64, total_len: usize) -> Self {
        let method = Method::Stored.code();
        Self { name, method, flags: 0, crc32: 0, compressed_nbytes: nbytes, nbytes, total_len }
    }

    /// Whether sizes are in a ZIP64 field. A data descriptor then has 64-bit sizes.
    #[must_use]
    pub fn is_zip64(&self) -> bool {
        needs_zip64(self.compressed_nbytes) || needs_zip64(self.nbytes)
    }

    /// Length without padding.
    #[must_use]
    pub fn min_len(&self) -> usize {
        LOCAL_LEN + self.name.len() + if self.is_zip64() { ZIP64_SIZES_LEN } else { 0 }
    }

    /// Appends the record, padded to `total_len` by an extra field 0xD935. Callers must not leave a gap that no field can fill
    /// (1 to 5 bytes, or past the 65,535 bytes of the extra area): the record would be written unpadded.
    pub fn write(&self, out: &mut Vec<u8>) {
        let zip64 = self.is_zip64();
        let streamed = self.flags & flag::DESCRIPTOR != 0;
        let padding = padding(self.min_len(), self.total_len, zip64);
        debug_assert!(
            padding.is_some(),
            "no extra field pads {} bytes to {}",
            self.min_len(),
            self.total_len
        );
        let padding = padding.unwrap_or(0);
        let (crc32, compressed, plain) =
            if streamed { (0, 0, 0) } else { (self.crc32, self.compressed_nbytes, self.nbytes) };
        out.extend_from_slice(&LOCAL);
        put16(out, version_needed(self.method, zip64));
        put16(out, self.flags | utf8_flag(self.name));
        put16(out, self.method);
        out.extend_from_slice(&DOS_TIME);
        put32(out, crc32);
        put32(out, if zip64 { SENTINEL32 } else { low32(compressed) });
        put32(out, if zip64 { SENTINEL32 } else { low32(plain) });
        put16(out, low16(self.name.len()));
        put16(out, low16(padding + if zip64 { ZIP64_SIZES_LEN } else { 0 }));
        out.extend_from_slice(self.name);
        if zip64 {
            put16(out, EXTRA_ZIP64);
            put16(out, 16);
            put64(out, plain);
            put64(out, compressed);
        }
        if padding >= PADDING_MIN {
            put16(out, EXTRA_ALIGNMENT);
            put16(out, low16(padding - 4));
            put16(out, 64);
            out.resize(out.len() + padding - PADDING_MIN, 0);
        }
    }
}

/// `total_len`, if a local header of `min_len` bytes can be padded to it: by 0 or by 6 to 65,535 bytes less a ZIP64 field.
#[must_use]
pub fn padded_len(min_len: usize, total_len: usize) -> Option<usize> {
    padding(min_len, total_len, true).map(|_| total_len)
}

/// Smallest length of a local header at `record_offset` that puts byte `lead` of the member's data on a multiple of
/// `alignment`. `lead` is 0 for the member, or the length of its NPY header for the array.
#[must_use]
pub fn aligned_len(min_len: usize, record_offset: u64, lead: usize, alignment: u32) -> usize {
    let alignment = u64::from(alignment.max(1));
    let unpadded = record_offset.wrapping_add(min_len as u64).wrapping_add(lead as u64);
    let mut gap = unpadded.next_multiple_of(alignment) - unpadded;
    while gap != 0 && gap < PADDING_MIN as u64 {
        gap += alignment;
    }
    min_len + usize::try_from(gap).unwrap_or(0)
}

/// Bytes between `min_len` and `total_len`, if one extra field can fill them.
fn padding(min_len: usize, total_len: usize, zip64: bool) -> Option<usize> {
    let max = usize::from(u16::MAX) - if zip64 { ZIP64_SIZES_LEN } else { 0 };
    match total_len.checked_sub(min_len)? {
        gap @ 0 => Some(gap),
        gap => (PADDING_MIN..=max).contains(&gap).then_some(gap),
    }
}

/// Appends a member's header in the central directory, with ZIP64 only for values that need it.
#[expect(clippy::too_many_arguments, reason = "the fields of the record")]
pub fn central_header(
    out: &mut Vec<u8>,
    name: &[u8],
    method: u16,
    flags: u16,
    crc32: u32,
    compressed_nbytes: u64,
    nbytes: u64,
    local_offset: u64,
) {
    let large: Vec<u64> =
        [nbytes, compressed_nbytes, local_offset].into_iter().filter(|&value| needs_zip64(value)).collect();
    let zip64 = !large.is_empty();
    let version = version_needed(method, zip64);
    out.extend_from_slice(&CENTRAL);
    put16(out, MADE_ON_UNIX | version);
    put16(out, version);
    put16(out, flags | utf8_flag(name));
    put16(out, method);
    out.extend_from_slice(&DOS_TIME);
    put32(out, crc32);
    put32(out, low32(compressed_nbytes));
    put32(out, low32(nbytes));
    put16(out, low16(name.len()));
    put16(out, if zip64 { low16(4 + 8 * large.len()) } else { 0 });
    // No comment, disk 0, no internal attributes.
    out.extend_from_slice(&[0; 6]);
    put32(out, MODE);
    put32(out, low32(local_offset));
    out.extend_from_slice(name);
    if zip64 {
        put16(out, EXTRA_ZIP64);
        put16(out, low16(8 * large.len()));
        large.iter().for_each(|&value| put64(out, value));
    }
}

/// Appends the end record, with ZIP64's record and locator if a value needs them.
pub fn end_of_central_directory(out: &mut Vec<u8>, count: u64, directory_offset: u64, directory_nbytes: u64) {
    if count >= u64::from(SENTINEL16) || needs_zip64(directory_offset) || needs_zip64(directory_nbytes) {
        out.extend_from_slice(&END64);
        put64(out, END64_LEN as u64 - 12);
        put16(out, MADE_ON_UNIX | 45);
        put16(out, 45);
        out.extend_from_slice(&[0; 8]);
        put64(out, count);
        put64(out, count);
        put64(out, directory_nbytes);
        put64(out, directory_offset);
        out.extend_from_slice(&LOCATOR64);
        put32(out, 0);
        put64(out, directory_offset.saturating_add(directory_nbytes));
        put32(out, 1);
    }
    let count = u16::try_from(count).unwrap_or(SENTINEL16);
    out.extend_from_slice(&END);
    out.extend_from_slice(&[0; 4]);
    put16(out, count);
    put16(out, count);
    put32(out, low32(directory_nbytes));
    put32(out, low32(directory_offset));
    put16(out, 0);
}

/// Appends the descriptor that follows a member's data with [`flag::DESCRIPTOR`]; `zip64` as its local header was.
pub fn data_descriptor(out: &mut Vec<u8>, crc32: u32, compressed_nbytes: u64, nbytes: u64, zip64: bool) {
    out.extend_from_slice(&DESCRIPTOR);
    put32(out, crc32);
    if zip64 {
        put64(out, compressed_nbytes);
        put64(out, nbytes);
    } else {
        put32(out, low32(compressed_nbytes));
        put32(out, low32(nbytes));
    }
}

/// Whether a value needs ZIP64; the sentinel itself does.
pub(super) fn needs_zip64(value: u64) -> bool {
    value >= u64::from(SENTINEL32)
}

/// Version 6.3 for zstd, 4.5 for ZIP64, else 2.0.
fn version_needed(method: u16, zip64: bool) -> u16 {
    match method {
        93 => 63,
        _ if zip64 => 45,
        _ => 20,
    }
}

fn utf8_flag(name: &[u8]) -> u16 {
    if name.is_ascii() { 0 } else { flag::UTF8 }
}

fn low32(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(SENTINEL32)
}

fn low16(value: usize) -> u16 {
    u16::try_from(value).unwrap_or(SENTINEL16)
}

fn put16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}
