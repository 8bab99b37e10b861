//! Reads a remote file in steps: the central directory, the headers, then the requested data.

use std::sync::Arc;

use crate::codec::zstd;
use crate::container::members::MemberName;
use crate::container::npy;
use crate::container::zip::{self, Directory, Method};
use crate::error::Result;
use crate::memory::Remote;
use crate::progress::{NoProgress, Progress};

use super::MAX_HEADER_NBYTES;
use super::StoreSource;
use super::scan::StoredMember;
use crate::limits::Limits;

/// Bytes that hold the end record, its comment and the ZIP64 records before it.
const TAIL_NBYTES: usize = (64 << 10) + 256;

/// Bytes fetched for the local header and NPY header of a stored member.
const STORED_NBYTES: usize = 1 << 10;

/// Bytes fetched for the local header of a compressed member and enough data to decompress its NPY header.
const COMPRESSED_NBYTES: usize = 4 << 10;

/// Most fetches until the directory is complete: the end record leads to the ZIP64 record, then to the directory.
const MAX_FETCHES: usize = 4;

impl StoreSource {
    /// The remote file, if the source is one.
    pub(super) fn remote(&self) -> Option<&Arc<Remote>> {
        match self {
            Self::Remote(remote) => Some(remote),
            _ => None,
        }
    }

    /// Fetches these ranges if they are missing.
    pub(super) fn need(&self, ranges: &[(usize, usize)], progress: &dyn Progress) -> Result<()> {
        self.remote().map_or(Ok(()), |remote| remote.need(ranges, progress))
    }

    /// Fetches the whole file.
    pub(super) fn need_all(&self, progress: &dyn Progress) -> Result<()> {
        self.need(&[(0, usize::MAX)], progress)
    }

    /// Reads the central directory, and fetches every header.
    pub(super) fn directory(&self, limits: &Limits) -> Result<Directory> {
        let Some(remote) = self.remote() else {
            return Directory::parse(self.structure(), limits.max_members);
        };
        let nbytes = remote.bytes().nbytes();
        remote.need(&[(0, STORED_NBYTES), (nbytes.saturating_sub(TAIL_NBYTES), nbytes)], &NoProgress)?;
        for _ in 0..MAX_FETCHES {
            remote.need(&zip::directory_ranges(self.structure()), &NoProgress)?;
        }
        let directory = Directory::parse(self.structure(), limits.max_members)?;
        self.need_headers(remote, &directory)?;
        Ok(directory)
    }

    fn need_headers(&self, remote: &Remote, directory: &Directory) -> Result<()> {
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let first: Vec<(usize, usize)> = directory
            .entries
            .iter()
            .map(|entry| {
                let head = if entry.method == Method::Stored { STORED_NBYTES } else { COMPRESSED_NBYTES };
                let start = place(entry.local_offset);
                (start, start.saturating_add(head + entry.name().len()))
            })
            .collect();
        remote.need(&first, &NoProgress)?;
        let locals = directory.entries.iter().map(|entry| {
            let start = place(entry.local_offset);
            (start, start.saturating_add(zip::local_len(self.structure(), start)))
        });
        remote.need(&locals.collect::<Vec<_>>(), &NoProgress)?;
        // Fetches the rest of long headers and of first compressed blocks, whose lengths are known now.
        let mut rest = Vec::new();
        for (i, entry) in directory.entries.iter().enumerate() {
            // Opening the member reports the error.
            let Ok(start) = zip::data_offset(self.structure(), directory, i).map(place) else { continue };
            let end = start.saturating_add(place(entry.compressed_nbytes));
            let bytes = self.structure().get(start..end).unwrap_or(&[]);
            let nbytes = match entry.method {
                // The meta member describes the header of a filtered array's part.
                Method::Zstd if is_part(directory.name(i)) => 0,
                Method::Stored if directory.name(i).ends_with(b".npy") => npy::header_len(bytes).unwrap_or(0),
                Method::Zstd => zstd::first_block(bytes).unwrap_or(0),
                _ => 0,
            };
            let nbytes = nbytes.min(MAX_HEADER_NBYTES).min(bytes.len());
            if nbytes > remote.fetched_from(start) {
                rest.push((start, start + nbytes));
            }
        }
        remote.need(&rest, &NoProgress)
    }

    /// Fetches the NPY header at `offset`.
    pub(super) fn need_header_at(&self, offset: usize) -> Result<()> {
        let Some(remote) = self.remote() else { return Ok(()) };
        remote.need(&[(offset, offset.saturating_add(12))], &NoProgress)?;
        let nbytes = npy::header_len(self.structure().get(offset..).unwrap_or(&[])).unwrap_or(0);
        remote.need(&[(offset, offset.saturating_add(nbytes.min(MAX_HEADER_NBYTES)))], &NoProgress)
    }

    /// Bytes from `offset` on that are in memory.
    pub(super) fn fetched_from(&self, offset: usize) -> usize {
        self.remote().map_or(usize::MAX, |remote| remote.fetched_from(offset))
    }
}

/// Whether a name is that of a later part of a filtered array, or of its dictionary.
fn is_part(name: &[u8]) -> bool {
    let inner = name.rsplit(|b| *b == b'/').next().unwrap_or(name);
    matches!(MemberName::parse(inner), Some(MemberName::Part(..) | MemberName::Dictionary(_)))
}

/// The range of the file that a range of the image is decoded from.
pub(super) fn source_range(member: &StoredMember, start: usize, end: usize) -> (usize, usize) {
    if member.method == Method::Stored && member.filter == 0 {
        let at = |place: usize| member.offset.saturating_add(place.saturating_sub(member.start));
        return (at(start), at(end));
    }
    (member.offset, member.offset.saturating_add(member.compressed_nbytes))
}
