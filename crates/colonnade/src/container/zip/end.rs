//! Finds the central directory from the end record, with comments, junk after it, ZIP64 and prepended data.

use std::ops::Range;

use super::FORMAT;
use super::record::{
    CENTRAL, CENTRAL_LEN, END, END_LEN, END64, END64_LEN, LOCAL, LOCATOR64, LOCATOR64_LEN, Record, SENTINEL16,
};
use crate::error::{Error, Result};

/// Longest comment: its length is 16 bits.
const COMMENT_MAX: usize = u16::MAX as usize;

/// The end record, resolved to absolute offsets.
#[derive(Debug)]
pub(super) struct EndRecord {
    /// The central directory's bytes in the file.
    pub(super) directory: Range<usize>,
    /// Bytes prepended to the archive: added to every local offset.
    pub(super) prefix: u64,
    /// Declared number of entries, and whether it has only the low 16 bits.
    pub(super) count: u64,
    pub(super) count_is_low16: bool,
    /// The comment's bytes in the file.
    pub(super) comment: Range<usize>,
    /// Number of this disk in a split archive.
    pub(super) disk: u16,
}

/// Finds the end record.
///
/// It is the last one whose comment ends at the end of the file and whose directory has its signature. Otherwise it is the
/// last signature, as in CPython: junk may follow the archive, or its comment may be truncated. A signature inside a comment
/// does not count, and neither does an archive that starts inside another one.
pub(super) fn find(file: &[u8]) -> Result<EndRecord> {
    let len = file.len();
    let window = file.get(len.saturating_sub(COMMENT_MAX + END_LEN)..).unwrap_or_default();
    let mut last = None;
    for (at, _) in window.windows(END.len()).enumerate().rev().filter(|(_, bytes)| **bytes == END) {
        let at = len - window.len() + at;
        let Some(record) = Record::<END_LEN>::at(file, at) else {
            last.get_or_insert_with(|| Err(truncated(at, len)));
            continue;
        };
        let exact = usize::from(record.u16(20)) == len - at - END_LEN;
        if !exact && last.is_some() {
            continue;
        }
        let end = resolve(file, at, record);
        if exact && end.is_ok() {
            return end;
        }
        last = last.or(Some(end));
    }
    last.unwrap_or_else(|| Err(missing_end(file)))
}

/// Ranges of the directory and its ZIP64 record according to the last end records: [`find`] needs these bytes. The last
/// 65,557 bytes of `file` must be present. Follows only a few end records, since a hostile comment may hold many.
pub(super) fn ranges(file: &[u8]) -> Vec<(usize, usize)> {
    const MOST: usize = 4;
    let len = file.len();
    let window = file.get(len.saturating_sub(COMMENT_MAX + END_LEN)..).unwrap_or_default();
    let found = window.windows(END.len()).enumerate().rev().filter(|(_, bytes)| **bytes == END);
    let mut out = Vec::new();
    for at in found.map(|(at, _)| len - window.len() + at).take(MOST) {
        let Some(end) = Record::<END_LEN>::at(file, at) else { continue };
        let mut claim = (at, u64::from(end.u32(12)));
        let locator = at.checked_sub(LOCATOR64_LEN).and_then(|at| Record::<LOCATOR64_LEN>::at(file, at));
        if let Some(locator) = locator.filter(|l| l.signature() == LOCATOR64) {
            let declared = usize::try_from(locator.u64(8)).unwrap_or(usize::MAX);
            let adjacent = at.saturating_sub(LOCATOR64_LEN + END64_LEN);
            for at in [declared, adjacent] {
                out.push((at, at.saturating_add(END64_LEN)));
                if let Some(record) = Record::<END64_LEN>::at(file, at).filter(|r| r.signature() == END64) {
                    claim = (at, record.u64(40));
                }
            }
        }
        out.push((claim.0.saturating_sub(usize::try_from(claim.1).unwrap_or(usize::MAX)), claim.0));
    }
    out
}

fn truncated(at: usize, len: usize) -> Error {
    Error::truncated(FORMAT, "the end of central directory record", END_LEN as u64, (len - at) as u64)
        .at(as_u64(at))
}

/// The error for an archive inside another one, as a member or comment: the end of the outer archive is missing.
fn nested_archive(at: u64) -> Error {
    let message = "expected one archive, found its end inside another one. \
                   The larger archive was cut short, or two were joined: fetch or write it again.";
    Error::malformed(FORMAT, message).at(at)
}

fn missing_end(file: &[u8]) -> Error {
    let len = file.len();
    if file.starts_with(&LOCAL) {
        let needed = as_u64(len.saturating_add(END_LEN));
        return Error::truncated(
            FORMAT,
            "an archive without its end of central directory record",
            needed,
            as_u64(len),
        );
    }
    let message = format!(
        "expected an end of central directory record in the last 65,557 of {len} bytes, found none. \
         It is not a ZIP archive, or it was cut short: fetch or write it again."
    );
    Error::malformed(FORMAT, message)
}

/// Converts the end record at `at` into offsets, and checks them against the file.
fn resolve(file: &[u8], at: usize, end: Record<'_, END_LEN>) -> Result<EndRecord> {
    let place = as_u64(at);
    let comment_start = at + END_LEN;
    let comment = comment_start..file.len().min(comment_start + usize::from(end.u16(20)));
    let disk_entries = end.u16(8);
    let plain = EndFields {
        disk_entries: u64::from(disk_entries),
        entries: u64::from(end.u16(10)),
        size: u64::from(end.u32(12)),
        offset: u64::from(end.u32(16)),
        boundary: at,
        is_zip64: false,
    };
    let fields = zip64(file, at)?.unwrap_or(plain);
    if end.u16(4) != end.u16(6) && end.u16(6) != SENTINEL16 {
        return Err(multi_disk(place));
    }
    let malformed = |message: String| Error::malformed(FORMAT, message).at(place);
    if fields.disk_entries != fields.entries {
        return Err(malformed(format!(
            "expected as many members on this disk as in all, found {} and {}. The end record is damaged.",
            fields.disk_entries, fields.entries
        )));
    }
    let boundary = as_u64(fields.boundary);
    let prefix = boundary.checked_sub(fields.size).and_then(|start| start.checked_sub(fields.offset));
    let Some(prefix) = prefix else {
        return Err(malformed(format!(
            "the central directory of {} bytes at offset {} passes its end record at byte {boundary}. \
             The file was cut short or damaged: fetch or write it again.",
            fields.size, fields.offset
        )));
    };
    if prefix > 0 && file.starts_with(&LOCAL) {
        return Err(nested_archive(place));
    }
    let size = usize::try_from(fields.size).unwrap_or(usize::MAX);
    let directory = fields.boundary.saturating_sub(size)..fields.boundary;
    let head = file.get(directory.start..).and_then(|bytes| bytes.first_chunk());
    if size > 0 && (size < CENTRAL_LEN || head != Some(&CENTRAL)) {
        return Err(malformed(format!(
            "expected a central directory at byte {}, found other bytes.",
            directory.start
        )));
    }
    let disk = end.u16(4);
    Ok(EndRecord {
        directory,
        prefix,
        count: fields.entries,
        count_is_low16: !fields.is_zip64,
        comment,
        disk,
    })
}

pub(super) fn multi_disk(place: u64) -> Error {
    let message =
        "expected one file, found a part of an archive split over several disks. Join the parts first.";
    Error::unsupported(FORMAT, message).at(place)
}

struct EndFields {
    disk_entries: u64,
    entries: u64,
    size: u64,
    offset: u64,
    /// Where the central directory must end: at the first of the end records.
    boundary: usize,
    is_zip64: bool,
}

/// The ZIP64 end record, if a locator directly before the end record at `end_at` leads to one.
///
/// The record is either at the locator's offset or directly before the locator, since prepended data shifts it. A locator
/// that leads to no record is the tail of a name or a comment.
fn zip64(file: &[u8], end_at: usize) -> Result<Option<EndFields>> {
    let Some(locator_at) = end_at.checked_sub(LOCATOR64_LEN) else { return Ok(None) };
    let locator = match Record::<LOCATOR64_LEN>::at(file, locator_at) {
        Some(locator) if locator.signature() == LOCATOR64 => locator,
        _ => return Ok(None),
    };
    if locator.u32(4) != 0 || locator.u32(16) > 1 {
        return Err(multi_disk(as_u64(locator_at)));
    }
    let declared = usize::try_from(locator.u64(8)).ok();
    let adjacent = locator_at.checked_sub(END64_LEN);
    for at in [declared, adjacent].into_iter().flatten() {
        let Some(record) = Record::<END64_LEN>::at(file, at) else { continue };
        let end = usize::try_from(record.u64(4)).ok().and_then(|len| at.checked_add(12)?.checked_add(len));
        if record.signature() != END64 || end != Some(locator_at) {
            continue;
        }
        if record.u32(16) != record.u32(20) {
            return Err(multi_disk(as_u64(at)));
        }
        return Ok(Some(EndFields {
            disk_entries: record.u64(24),
            entries: record.u64(32),
            size: record.u64(40),
            offset: record.u64(48),
            boundary: at,
            is_zip64: true,
        }));
    }
    Ok(None)
}

fn as_u64(value: usize) -> u64 {
    value as u64
}
