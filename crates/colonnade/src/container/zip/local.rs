//! Checks the local header of a member against the central directory.

use super::directory::{Directory, DirectoryEntry, extra_error};
use super::record::{LOCAL, LOCAL_LEN, Record, SENTINEL32, Zip64Values, zip64_field};
use super::{FORMAT, Method, flag};
use crate::error::{Error, Result};
use crate::excerpt::shorten;

/// Flags that change how the data is read: both headers must have the same.
const SAME_FLAGS: u16 = flag::ENCRYPTED | flag::PATCH | flag::STRONG_ENCRYPTION | flag::MASKED;

/// Characters of a name in an error: a header may hold 64 KiB of it.
const SHOWN_CHARS: usize = 80;

/// Checks the local header of member `i`, and returns the absolute offset of its data.
///
/// Signature, name, method, flags, sizes and CRC must agree with the directory. With flag 0x08 in the local header, its
/// sizes and CRC may be 0 (they follow the data). The data must be inside the file, before the directory.
///
/// # Errors
/// Malformed: the headers disagree, or the data is outside the file. Unsupported: the member is encrypted or a patch.
pub fn data_offset(file: &[u8], directory: &Directory, i: usize) -> Result<u64> {
    let Some(entry) = directory.entries.get(i) else {
        return Err(Error::not_found(
            FORMAT,
            format!("expected a member number under {}, found {i}.", directory.entries.len()),
        ));
    };
    check(file, directory, entry)
        .map_err(|error| error.in_member(directory.name_str(i)).at(entry.local_offset))
}

/// Length of the local header at `at` from its fields; of the fixed part if the fields are missing.
#[must_use]
pub fn local_len(file: &[u8], at: usize) -> usize {
    let local = Record::<LOCAL_LEN>::at(file, at);
    local.map_or(LOCAL_LEN, |local| LOCAL_LEN + usize::from(local.u16(26)) + usize::from(local.u16(28)))
}

/// [`data_offset`] of every member, in the directory's order.
///
/// # Errors
/// The first member's error, as [`data_offset`].
pub fn data_offsets(file: &[u8], directory: &Directory) -> Result<Vec<u64>> {
    (0..directory.entries.len()).map(|i| data_offset(file, directory, i)).collect()
}

fn check(file: &[u8], directory: &Directory, entry: &DirectoryEntry) -> Result<u64> {
    if entry.is_encrypted() {
        return Err(Error::unsupported(FORMAT, "the member is encrypted. Decrypt the archive first."));
    }
    if entry.flags & flag::PATCH != 0 {
        return Err(Error::unsupported(FORMAT, "the member is a patch to another file, not a file."));
    }
    let at = usize::try_from(entry.local_offset).ok();
    let header = at.and_then(|at| Some((at, Record::<LOCAL_LEN>::at(file, at)?)));
    let Some((at, local)) = header else {
        return Err(Error::malformed(
            FORMAT,
            "the local header passes the end of the file. The archive is damaged.",
        ));
    };
    if local.signature() != LOCAL {
        let found = local.signature();
        let message =
            format!("expected a local header, found \"{}\". The archive is damaged.", found.escape_ascii());
        return Err(Error::malformed(FORMAT, message));
    }
    let name_start = at + LOCAL_LEN;
    let extra_start = name_start + usize::from(local.u16(26));
    let data_start = extra_start + usize::from(local.u16(28));
    let name = file.get(name_start..extra_start).unwrap_or_default();
    let listed = directory.names.get(entry.name()).unwrap_or_default();
    if name != listed || extra_start > file.len() {
        let shown = |name: &[u8]| shorten(&name.escape_ascii().to_string(), SHOWN_CHARS);
        return Err(mismatch("name", shown(name), shown(listed)));
    }
    if local.u16(8) != entry.method.code() {
        return Err(mismatch("method", local.u16(8), entry.method.code()));
    }
    if (local.u16(6) ^ entry.flags) & SAME_FLAGS != 0 {
        return Err(mismatch("flags", local.u16(6), entry.flags));
    }
    let extra = file.get(extra_start..data_start).unwrap_or_default();
    check_sizes(local, extra, entry)?;
    if entry.method == Method::Stored && entry.compressed_nbytes != entry.nbytes {
        let message = format!(
            "a stored member declares {} bytes in the archive and {} bytes outside. The archive is damaged.",
            entry.compressed_nbytes, entry.nbytes
        );
        return Err(Error::malformed(FORMAT, message));
    }
    let start = data_start as u64;
    match start.checked_add(entry.compressed_nbytes) {
        Some(end) if end <= directory.start => Ok(start),
        _ => {
            let message = format!(
                "the data of {} bytes at byte {start} passes the central directory at byte {}. The archive is damaged.",
                entry.compressed_nbytes, directory.start
            );
            Err(Error::malformed(FORMAT, message))
        }
    }
}

/// Checks that CRC and sizes are equal, or 0 if a descriptor follows the data.
fn check_sizes(local: Record<'_, LOCAL_LEN>, extra: &[u8], entry: &DirectoryEntry) -> Result<()> {
    let (crc32, compressed, plain) = (local.u32(14), local.u32(18), local.u32(22));
    let streamed = local.u16(6) & flag::DESCRIPTOR != 0;
    let (mut nbytes, mut compressed_nbytes) = (u64::from(plain), u64::from(compressed));
    if compressed == SENTINEL32 || plain == SENTINEL32 {
        let mut values = Zip64Values(zip64_field(extra).map_err(extra_error)?);
        nbytes = values.resolve(plain, "size").map_err(extra_error)?;
        compressed_nbytes = values.resolve(compressed, "compressed size").map_err(extra_error)?;
    }
    let is_equal = |local: u64, central: u64| local == central || (streamed && local == 0);
    if !is_equal(u64::from(crc32), u64::from(entry.crc32)) {
        return Err(mismatch("CRC-32", format_args!("{crc32:08x}"), format_args!("{:08x}", entry.crc32)));
    }
    if !is_equal(nbytes, entry.nbytes) {
        return Err(mismatch("size", nbytes, entry.nbytes));
    }
    if !is_equal(compressed_nbytes, entry.compressed_nbytes) {
        return Err(mismatch("compressed size", compressed_nbytes, entry.compressed_nbytes));
    }
    Ok(())
}

fn mismatch(what: &str, local: impl std::fmt::Display, central: impl std::fmt::Display) -> Error {
    let message = format!(
        "the local header's {what} is {local}, the central directory's is {central}. \
         The archive is damaged or hostile: write it again."
    );
    Error::malformed(FORMAT, message)
}
