//! The central directory: one linear scan, no allocation per entry.

use std::borrow::Cow;
use std::ops::Range;

use super::end::{self, EndRecord};
use super::record::{
    CENTRAL, CENTRAL_LEN, ExtraError, Record, SENTINEL16, SENTINEL32, Zip64Values, zip64_field,
};
use super::{FORMAT, Method, flag, name};
use crate::error::{Error, Result};

/// One member in the central directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DirectoryEntry {
    name_start: u32,
    name_len: u16,
    /// General purpose flags, see [`super::flag`].
    pub flags: u16,
    /// Compression method.
    pub method: Method,
    /// CRC-32 of the uncompressed bytes.
    pub crc32: u32,
    /// Bytes in the archive.
    pub compressed_nbytes: u64,
    /// Bytes after decompression, as declared.
    pub nbytes: u64,
    /// Absolute offset of the local header in the file, including prepended data.
    pub local_offset: u64,
}

impl DirectoryEntry {
    /// The name's bytes in [`Directory::names`].
    #[must_use]
    pub fn name(&self) -> Range<usize> {
        let start = self.name_start as usize;
        start..start + usize::from(self.name_len)
    }

    /// Encrypted in any way, or with masked values.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.flags & (flag::ENCRYPTED | flag::STRONG_ENCRYPTION | flag::MASKED) != 0
    }

    /// The name is declared UTF-8 (else code page 437, of which ASCII is a part).
    #[must_use]
    pub fn name_is_utf8(&self) -> bool {
        self.flags & flag::UTF8 != 0
    }
}

/// A parsed central directory.
#[derive(Clone, Debug)]
pub struct Directory {
    /// Members in the directory's order.
    pub entries: Vec<DirectoryEntry>,
    /// All names, one after the other.
    pub names: Vec<u8>,
    /// Absolute offset of the central directory.
    pub start: u64,
    /// Its end, where the (ZIP64) end record starts.
    pub end: u64,
    /// Bytes prepended to the archive.
    pub prefix: u64,
    /// The archive comment's bytes in the file.
    pub comment: Range<usize>,
}

impl Directory {
    /// Parses the directory of a whole archive, mapped or in memory.
    ///
    /// Reads no member: [`super::data_offset`] checks local headers, and callers refuse duplicate names and overlaps with
    /// [`super::check_duplicate_names`] and [`super::check_overlaps`].
    ///
    /// # Errors
    /// Malformed, unsupported (split archives), or a limit (more than `max_members`), before anything is allocated.
    pub fn parse(file: &[u8], max_members: u64) -> Result<Self> {
        let end = end::find(file)?;
        let start = end.directory.start;
        let bytes = file.get(end.directory.clone()).unwrap_or_default();
        let capacity = bytes.len() / CENTRAL_LEN;
        let count = usize::try_from(end.count).unwrap_or(usize::MAX);
        let max_entries = u64::try_from(count.min(capacity)).unwrap_or(u64::MAX);
        if max_entries > max_members {
            return Err(too_many(max_entries, max_members));
        }
        // Names and extras share the bytes that the fixed parts leave.
        let mut directory = Self {
            entries: Vec::with_capacity(count.min(capacity)),
            names: Vec::with_capacity(bytes.len().saturating_sub(CENTRAL_LEN * count.min(capacity))),
            start: start as u64,
            end: end.directory.end as u64,
            prefix: end.prefix,
            comment: end.comment.clone(),
        };
        let mut at = 0;
        while at < bytes.len() {
            if directory.entries.len() as u64 >= max_members {
                return Err(too_many(max_members.saturating_add(1), max_members));
            }
            at = directory.push(bytes, at, &end)?;
        }
        directory.check_count(&end)?;
        Ok(directory)
    }

    /// The name of member `i` in the file's bytes; empty if there is no such member.
    #[must_use]
    pub fn name(&self, i: usize) -> &[u8] {
        self.entries.get(i).and_then(|entry| self.names.get(entry.name())).unwrap_or_default()
    }

    /// The name of member `i` as text: UTF-8 where declared and valid, else code page 437.
    #[must_use]
    pub fn name_str(&self, i: usize) -> Cow<'_, str> {
        let utf8 = self.entries.get(i).is_some_and(DirectoryEntry::name_is_utf8);
        name::decode(self.name(i), utf8)
    }

    /// Whether member `i` is a folder: its name ends in a slash, and it is empty.
    #[must_use]
    pub fn is_folder(&self, i: usize) -> bool {
        self.name(i).ends_with(b"/") && self.entries.get(i).is_some_and(|entry| entry.nbytes == 0)
    }

    /// Index of the member of this name, by linear search.
    #[must_use]
    pub fn position(&self, name: &[u8]) -> Option<usize> {
        self.entries.iter().position(|entry| self.names.get(entry.name()) == Some(name))
    }

    /// Reads the entry at `at` of the directory's `bytes`, and returns the offset of the next entry.
    fn push(&mut self, bytes: &[u8], at: usize, end: &EndRecord) -> Result<usize> {
        let place = self.start + at as u64;
        let Some(record) = Record::<CENTRAL_LEN>::at(bytes, at) else {
            return Err(self.truncated(at + CENTRAL_LEN, bytes.len()));
        };
        if record.signature() != CENTRAL {
            let message = format!(
                "expected a central directory header, found \"{}\". The archive is damaged: fetch or write it again.",
                record.signature().escape_ascii()
            );
            return Err(Error::malformed(FORMAT, message).at(place));
        }
        let name_len = record.u16(28);
        let name_start = at + CENTRAL_LEN;
        let extra_start = name_start + usize::from(name_len);
        let extra_end = extra_start + usize::from(record.u16(30));
        let next = extra_end + usize::from(record.u16(32));
        let (name, extra) = match (bytes.get(name_start..extra_start), bytes.get(extra_start..extra_end)) {
            (Some(name), Some(extra)) if next <= bytes.len() => (name, extra),
            _ => return Err(self.truncated(next, bytes.len())),
        };
        if !matches!(record.u16(34), 0 | SENTINEL16) && record.u16(34) != end.disk {
            let utf8 = record.u16(8) & flag::UTF8 != 0;
            return Err(end::multi_disk(place).in_member(name::decode(name, utf8)));
        }
        let (compressed, plain, offset) = (record.u32(20), record.u32(24), record.u32(42));
        let (nbytes, compressed_nbytes, offset) =
            sizes(compressed, plain, offset, extra).map_err(|error| {
                extra_error(error).in_member(name::decode(name, record.u16(8) & flag::UTF8 != 0)).at(place)
            })?;
        let local_offset = offset.checked_add(end.prefix).ok_or_else(|| {
            Error::malformed(FORMAT, format!("the local header's offset {offset} passes the file.")).at(place)
        })?;
        let names = u32::try_from(self.names.len()).map_err(|_| {
            Error::limit(FORMAT, "the members' names pass 4 GiB together. The archive is damaged or hostile.")
        })?;
        self.names.extend_from_slice(name);
        self.entries.push(DirectoryEntry {
            name_start: names,
            name_len,
            flags: record.u16(8),
            method: Method::from_code(record.u16(10)),
            crc32: record.u32(16),
            compressed_nbytes,
            nbytes,
            local_offset,
        });
        Ok(next)
    }

    fn truncated(&self, needed: usize, had: usize) -> Error {
        Error::truncated(FORMAT, "the central directory", needed as u64, had as u64).at(self.start)
    }

    /// Requires the end record's count to equal the number of headers. Without ZIP64 it has only the low 16 bits.
    fn check_count(&self, end: &EndRecord) -> Result<()> {
        let found = self.entries.len() as u64;
        let is_equal = if end.count_is_low16 { found & 0xFFFF == end.count } else { found == end.count };
        if is_equal {
            return Ok(());
        }
        let message = format!(
            "the end record declares {} members, found {found}. The archive is damaged: fetch or write it again.",
            end.count
        );
        Err(Error::malformed(FORMAT, message).at(self.end))
    }
}

fn too_many(found: u64, max_members: u64) -> Error {
    let message = format!(
        "expected at most {max_members} members, found {found} or more. Raise the limit if you trust it."
    );
    Error::limit(FORMAT, message)
}

/// Size, compressed size and offset, from the ZIP64 field where the 32-bit ones are sentinels.
fn sizes(
    compressed: u32,
    plain: u32,
    offset: u32,
    extra: &[u8],
) -> std::result::Result<(u64, u64, u64), ExtraError> {
    let field = if extra.is_empty() { None } else { zip64_field(extra)? };
    if compressed != SENTINEL32 && plain != SENTINEL32 && offset != SENTINEL32 {
        return Ok((u64::from(plain), u64::from(compressed), u64::from(offset)));
    }
    let mut values = Zip64Values(field);
    let nbytes = values.resolve(plain, "size")?;
    let compressed = values.resolve(compressed, "compressed size")?;
    Ok((nbytes, compressed, values.resolve(offset, "offset")?))
}

/// The error for an invalid extra area, without a position.
pub(super) fn extra_error(error: ExtraError) -> Error {
    let message = match error {
        ExtraError::Overrun { id, length } => {
            format!(
                "extra field {id:#06x} of {length} bytes passes its area. The archive is damaged: write it again."
            )
        }
        ExtraError::Missing(what) => {
            format!("the ZIP64 field lacks the {what} that the header leaves to it.")
        }
    };
    Error::malformed(FORMAT, message)
}
