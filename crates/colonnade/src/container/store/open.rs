//! Opens a store: lists its members and maps them to a frame.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::container::members::MemberName;
use crate::container::zip::{self, Directory, Method};
use crate::error::{Error, Result};

use super::StoreSource;
use super::image::place_all;
use super::opened::{Holder, MemberNames, ReadOptions, Store, StoreKind};
use super::place::Space;
use super::scan::{ArrayTable, StoredMember};
use super::{by_name, filtered, from_members, savez};
use crate::limits::Limits;
use crate::progress::Progress;
use crate::source;
use crate::source::directory::OpenDirectory;

impl Store {
    /// Opens any source; a path may be a directory.
    ///
    /// # Errors
    /// Errors of the operating system; malformed, truncated, unsupported or over a limit, with member and byte.
    pub fn open(source: source::Source<'_>, options: ReadOptions, progress: &dyn Progress) -> Result<Self> {
        let ReadOptions { limits, threads } = options;
        let store = match source {
            source::Source::Path { path, .. } if path.is_dir() => Self::open_directory(path, limits)?,
            source => Self::open_source(StoreSource::open(source, &limits, threads, progress)?, limits)?,
        };
        Ok(Self { threads, ..store })
    }

    /// Opens a ZIP archive or one NPY.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_source(source: StoreSource, limits: Limits) -> Result<Self> {
        source.need_header_at(0)?;
        if source.structure().starts_with(b"\x93NUMPY") {
            return Self::open_npy(source, limits);
        }
        if source.structure().is_empty() {
            return Err(Error::truncated("npz", "an archive", 22, 0));
        }
        let directory = source.directory(&limits)?;
        Self::open_zip(source, Arc::new(directory), None, limits)
    }

    /// Opens the members of `directory`, or those of one label in a bundle.
    pub(super) fn open_zip(
        source: StoreSource,
        directory: Arc<Directory>,
        label: Option<&str>,
        limits: Limits,
    ) -> Result<Self> {
        let skip = label.map_or(0, |l| l.len() + 1);
        let belongs = |i: usize| match label {
            None => true,
            Some(label) => {
                directory.name_str(i).strip_prefix(label).is_some_and(|rest| rest.starts_with('/'))
            }
        };
        let entries: Vec<usize> = (0..directory.entries.len()).filter(|&i| belongs(i)).collect();
        let names = MemberNames::Zip(Arc::clone(&directory), skip);
        let kind = classify(&entries, &names);
        if kind == StoreKind::Zip {
            let mut out = Self::empty(source, kind, Holder::Zip, names, limits, entries.len());
            out.members = all_members(&directory)?;
            return out.finish();
        }
        zip::check_no_nul(&directory)?;
        let mut out = Self::empty(source, kind, Holder::Zip, names, limits, entries.len());
        let mut offsets = Vec::with_capacity(directory.entries.len());
        let mut members_of_label = entries.iter().copied().peekable();
        let mut total = 0u64;
        // One pass, because a local header and the NPY header after it share cache lines.
        for (i, entry) in directory.entries.iter().enumerate() {
            let offset = zip::data_offset(out.source.structure(), &directory, i)?;
            offsets.push(offset);
            if members_of_label.next_if_eq(&i).is_none() {
                continue;
            }
            let mut member = member(i, entry)?;
            member.offset = to_usize(offset)?;
            if kind != StoreKind::Bundle {
                let checked = match member.method {
                    Method::Other(_) => Err(member.unknown_method()),
                    _ => member.check_size(&limits),
                };
                checked.map_err(|e| e.in_member(out.names.get(i)))?;
                total = total.saturating_add(entry.nbytes);
            }
            out.push(member)?;
        }
        check_total(total, &limits)?;
        zip::check_overlaps(&directory, &offsets)?;
        // `by_name` refuses duplicate names of a frame's members at less cost.
        if kind != StoreKind::Frame {
            zip::check_duplicate_names(&directory)?;
        }
        out.finish()
    }

    fn open_npy(source: StoreSource, limits: Limits) -> Result<Self> {
        let nbytes = source.structure().len();
        check_total(nbytes as u64, &limits)?;
        let names = MemberNames::List(vec!["arr_0.npy".into()]);
        let mut out = Self::empty(source, StoreKind::Npy, Holder::Npy, names, limits, 1);
        out.push(StoredMember { nbytes, compressed_nbytes: nbytes, ..stored_member(0) })?;
        out.finish()
    }

    fn open_directory(path: &Path, limits: Limits) -> Result<Self> {
        let is_member = |name: &str| name.ends_with(".npy") || name == "__meta__.json";
        let directory = OpenDirectory::list(path, "npy", &is_member)?;
        let files = directory.files();
        if files.is_empty() {
            let message = "expected .npy members, as a directory is read as a frame of NPY, found none. Name a file in it.";
            return Err(Error::malformed("npy", message).in_member(path.display().to_string()));
        }
        let mut members = Vec::with_capacity(files.len());
        let mut total = 0u64;
        for (i, file) in files.iter().enumerate() {
            let size = to_usize(file.nbytes)?;
            members.push(StoredMember { nbytes: size, compressed_nbytes: size, ..stored_member(i) });
            total = total.saturating_add(file.nbytes);
        }
        check_total(total, &limits)?;
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        let source = StoreSource::Directory(Arc::new(directory));
        let names = MemberNames::List(names);
        let kind = classify(&(0..members.len()).collect::<Vec<_>>(), &names);
        let mut out = Self::empty(source, kind, Holder::Directory, names, limits, members.len());
        for member in members {
            out.push(member)?;
        }
        out.finish()
    }

    fn empty(
        source: StoreSource,
        kind: StoreKind,
        holder: Holder,
        names: MemberNames,
        limits: Limits,
        count: usize,
    ) -> Self {
        let members = Vec::with_capacity(count);
        let frame = Err(String::new());
        Self {
            source,
            limits,
            threads: 1,
            axes: OnceLock::new(),
            kind,
            holder,
            names,
            members,
            arrays: ArrayTable::new(),
            filtered: Vec::new(),
            image_nbytes: 0,
            frame,
        }
    }

    /// Adds a member, and reads its header if it is an NPY.
    fn push(&mut self, mut member: StoredMember) -> Result<()> {
        let holds_arrays = matches!(self.kind, StoreKind::Frame | StoreKind::Savez | StoreKind::Npy);
        // The meta member may describe the arrays of a frame's compressed members, so their headers are read later.
        let is_deferred = self.kind == StoreKind::Frame && member.method != Method::Stored;
        if holds_arrays && !is_deferred && self.names.bytes(member.entry).ends_with(b".npy") {
            let read = member.read_header(&self.source, &mut self.arrays);
            // Errors in a single NPY file name no member.
            read.map_err(|e| {
                if self.kind == StoreKind::Npy { e } else { e.in_member(self.names.get(member.entry)) }
            })?;
        }
        self.members.push(member);
        Ok(())
    }

    /// Reads the NPY headers of compressed members without a filter.
    fn read_headers(&mut self) -> Result<()> {
        for i in 0..self.members.len() {
            let Some(member) = self.members.get(i) else { continue };
            if member.method == Method::Stored || member.filter != 0 {
                continue;
            }
            if !self.names.bytes(member.entry).ends_with(b".npy") {
                continue;
            }
            let mut member = member.clone();
            let read = member.read_header(&self.source, &mut self.arrays);
            read.map_err(|e| e.in_member(self.names.get(member.entry)))?;
            if let Some(slot) = self.members.get_mut(i) {
                *slot = member;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Self> {
        let described = match self.kind {
            StoreKind::Frame => Some(by_name::describe(&self)?),
            _ => None,
        };
        if let Some((by_name, meta)) = &described {
            filtered::locate_parts(&mut self, by_name, meta)?;
            self.read_headers()?;
        }
        let resident = self.source.is_resident();
        self.image_nbytes = place_all(&mut self.members, &self.arrays, &self.filtered, resident)?;
        self.frame = match self.kind {
            StoreKind::Frame => match described {
                Some((by_name, meta)) => Ok(from_members::from_members(&self, &by_name, &meta)?),
                None => Err(String::new()),
            },
            StoreKind::Savez | StoreKind::Npy => savez::from_arrays(&self)?,
            StoreKind::Bundle => {
                Err("expected one frame, found a bundle of frames. Open it with read_bundle.".into())
            }
            StoreKind::Zip => Err("expected .npy members, found none. Is it an .npz file?".into()),
        };
        Ok(self)
    }
}

fn classify(entries: &[usize], names: &MemberNames) -> StoreKind {
    let has = |test: &dyn Fn(&[u8]) -> bool| entries.iter().any(|&i| test(names.bytes(i)));
    let is_frame_member =
        |name: &[u8]| matches!(MemberName::parse(name), Some(MemberName::Meta | MemberName::Block(_)));
    if has(&is_frame_member) {
        return StoreKind::Frame;
    }
    if has(&|name| name.ends_with(b"/__meta__.json")) || has(&|name| name.ends_with(b".npz")) {
        return StoreKind::Bundle;
    }
    if has(&|name| name.ends_with(b".npy")) { StoreKind::Savez } else { StoreKind::Zip }
}

fn to_usize(value: u64) -> Result<usize> {
    usize::try_from(value).map_err(|_| Error::limit("npz", format!("{value} bytes pass the address space.")))
}

fn stored_member(i: usize) -> StoredMember {
    StoredMember {
        entry: i,
        method: Method::Stored,
        offset: 0,
        compressed_nbytes: 0,
        nbytes: 0,
        crc32: 0,
        array: 0,
        filter: 0,
        part: 0,
        space: Space::Source,
        start: 0,
    }
}

fn member(i: usize, entry: &zip::DirectoryEntry) -> Result<StoredMember> {
    Ok(StoredMember {
        method: entry.method,
        compressed_nbytes: to_usize(entry.compressed_nbytes)?,
        nbytes: to_usize(entry.nbytes)?,
        crc32: entry.crc32,
        ..stored_member(i)
    })
}

fn all_members(directory: &Directory) -> Result<Vec<StoredMember>> {
    directory.entries.iter().enumerate().map(|(i, entry)| member(i, entry)).collect()
}

fn check_total(total: u64, limits: &Limits) -> Result<()> {
    if total <= limits.max_nbytes {
        return Ok(());
    }
    let message = format!(
        "the members declare {total} bytes, the limit is {}. Raise Limits(max_nbytes=...) if you trust the file.",
        limits.max_nbytes
    );
    Err(Error::limit("npz", message))
}
