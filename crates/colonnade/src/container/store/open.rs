//! Opening: what the members are, and the frame that they describe.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::container::members::Name;
use crate::container::zip::{self, Directory, Method};
use crate::error::{Error, Result};

use super::frame_places::{self, FramePlaces};
use super::place::Space;
use super::scan::{Array, Member, place_all};
use super::{Limits, Source};

/// What a set of members is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A frame under StaticFrame's names.
    Frame,
    /// Arrays under any names, as `np.savez` writes them.
    Savez,
    /// One array.
    Npy,
    /// Several frames: `<label>.npz`, or `<label>/<member>`.
    Bundle,
    /// An archive that holds neither.
    Zip,
}

/// How the members are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// One ZIP file.
    Zip,
    /// A directory of files.
    Directory,
    /// One NPY file.
    Npy,
}

/// An opened set of members.
#[derive(Debug)]
pub struct Store {
    pub(super) source: Source,
    pub(super) limits: Limits,
    pub(super) kind: Kind,
    pub(super) holder: Holder,
    names: Names,
    pub(super) members: Vec<Member>,
    pub(super) image_nbytes: usize,
    /// The frame, or why the members are none.
    pub(super) frame: std::result::Result<FramePlaces, String>,
}

#[derive(Debug)]
enum Names {
    Zip(Arc<Directory>, usize),
    List(Vec<String>),
}

impl Names {
    /// The name of an entry, without the label of a bundle.
    fn get(&self, entry: usize) -> Cow<'_, str> {
        match self {
            Self::Zip(directory, 0) => directory.name_str(entry),
            Self::Zip(directory, skip) => {
                directory.name_str(entry).get(*skip..).map_or(Cow::Borrowed(""), |n| Cow::Owned(n.to_owned()))
            }
            Self::List(names) => Cow::Borrowed(names.get(entry).map_or("", String::as_str)),
        }
    }

    fn bytes(&self, entry: usize) -> &[u8] {
        match self {
            Self::Zip(directory, skip) => directory.name(entry).get(*skip..).unwrap_or_default(),
            Self::List(names) => names.get(entry).map_or(&[], |n| n.as_bytes()),
        }
    }
}

impl Store {
    /// Opens the file or directory at `path`.
    ///
    /// # Errors
    /// The system's own; malformed, truncated, unsupported or over a limit, with member and byte.
    pub fn open_path(path: &Path, mmap: bool, limits: Limits) -> Result<Self> {
        if path.is_dir() {
            return Self::open_directory(path, limits);
        }
        Self::open_source(Source::file(fs::File::open(path)?, mmap)?, limits)
    }

    /// Opens bytes of either kind: a ZIP archive, or one NPY.
    ///
    /// # Errors
    /// As [`Store::open_path`].
    pub fn open_source(source: Source, limits: Limits) -> Result<Self> {
        if source.structure().starts_with(b"\x93NUMPY") {
            return Self::open_npy(source, limits);
        }
        if source.structure().is_empty() {
            return Err(Error::truncated("npz", "an archive", 22, 0));
        }
        let directory = Directory::parse(source.structure(), limits.max_members)?;
        Self::open_zip(source, Arc::new(directory), None, limits)
    }

    /// The members of `directory` (of one label in a bundle).
    pub(super) fn open_zip(source: Source, directory: Arc<Directory>, label: Option<&str>, limits: Limits) -> Result<Self> {
        let skip = label.map_or(0, |l| l.len() + 1);
        let belongs = |i: usize| match label {
            None => true,
            Some(label) => directory.name_str(i).strip_prefix(label).is_some_and(|rest| rest.starts_with('/')),
        };
        let entries: Vec<usize> = (0..directory.entries.len()).filter(|&i| belongs(i)).collect();
        let names = Names::Zip(Arc::clone(&directory), skip);
        let kind = classify(&entries, &names);
        if kind == Kind::Zip {
            return Self::finish(source, kind, Holder::Zip, names, plain_members(&directory)?, limits);
        }
        zip::check_duplicate_names(&directory)?;
        zip::check_no_nul(&directory)?;
        let offsets = zip::data_offsets(source.structure(), &directory)?;
        zip::check_overlaps(&directory, &offsets)?;
        let mut members = Vec::with_capacity(entries.len());
        let mut total = 0u64;
        for i in entries {
            let (Some(entry), Some(&offset)) = (directory.entries.get(i), offsets.get(i)) else { continue };
            let mut member = member(i, entry)?;
            member.offset = to_usize(offset)?;
            let named = |e: Error| e.in_member(names.get(i));
            if kind != Kind::Bundle {
                if matches!(member.method, Method::Other(_)) {
                    return Err(named(member.unknown()));
                }
                member.check_size(&limits).map_err(named)?;
                total = total.saturating_add(entry.nbytes);
            }
            members.push(member);
        }
        check_total(total, &limits)?;
        Self::finish(source, kind, Holder::Zip, names, members, limits)
    }

    fn open_npy(source: Source, limits: Limits) -> Result<Self> {
        let nbytes = source.structure().len();
        let member = Member { nbytes, compressed_nbytes: nbytes, ..blank(0) };
        check_total(nbytes as u64, &limits)?;
        Self::finish(source, Kind::Npy, Holder::Npy, Names::List(vec!["arr_0.npy".into()]), vec![member], limits)
    }

    fn open_directory(path: &Path, limits: Limits) -> Result<Self> {
        let mut files: Vec<(String, PathBuf, u64)> = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let (Ok(name), meta) = (entry.file_name().into_string(), fs::metadata(entry.path())?) else { continue };
            if meta.is_file() && (name.ends_with(".npy") || name == "__meta__.json") {
                files.push((name, entry.path(), meta.len()));
            }
        }
        files.sort();
        if files.is_empty() {
            let message = "expected a directory of .npy members, found none. Is it the right directory?";
            return Err(Error::malformed("npy", message).in_member(path.display().to_string()));
        }
        let mut members = Vec::with_capacity(files.len());
        let mut total = 0u64;
        for (i, (_, _, nbytes)) in files.iter().enumerate() {
            let size = to_usize(*nbytes)?;
            members.push(Member { nbytes: size, compressed_nbytes: size, ..blank(i) });
            total = total.saturating_add(*nbytes);
        }
        check_total(total, &limits)?;
        let names: Vec<String> = files.iter().map(|(name, ..)| name.clone()).collect();
        let source = Source::Directory(Arc::new(files.into_iter().map(|(_, path, _)| path).collect()));
        let names = Names::List(names);
        let kind = classify(&(0..members.len()).collect::<Vec<_>>(), &names);
        Self::finish(source, kind, Holder::Directory, names, members, limits)
    }

    fn finish(
        source: Source,
        kind: Kind,
        holder: Holder,
        names: Names,
        mut members: Vec<Member>,
        limits: Limits,
    ) -> Result<Self> {
        let mut image_nbytes = 0;
        if matches!(kind, Kind::Frame | Kind::Savez | Kind::Npy) {
            let (mut same, mut last) = (Vec::new(), None);
            for member in &mut members {
                if names.bytes(member.entry).ends_with(b".npy") {
                    let entry = member.entry;
                    member.read_header(&source, &mut same, &mut last).map_err(|e| {
                        if kind == Kind::Npy { e } else { e.in_member(names.get(entry)) }
                    })?;
                }
            }
            image_nbytes = place_all(&mut members, source.is_resident())?;
        }
        let mut store =
            Self { source, limits, kind, holder, names, members, image_nbytes, frame: Err(String::new()) };
        store.frame = match kind {
            Kind::Frame => Ok(frame_places::from_members(&store)?),
            Kind::Savez | Kind::Npy => frame_places::from_arrays(&store),
            Kind::Bundle => Err("expected one frame, found a bundle of frames. Open it with read_bundle.".into()),
            Kind::Zip => Err("expected .npy members, found none. Is it an .npz file?".into()),
        };
        Ok(store)
    }

    /// What the members are.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How they are held.
    #[must_use]
    pub fn holder(&self) -> Holder {
        self.holder
    }

    /// Bytes of the file or files.
    #[must_use]
    pub fn file_nbytes(&self) -> u64 {
        self.source.nbytes()
    }

    /// The name of a member, by its entry.
    #[must_use]
    pub(super) fn name(&self, entry: usize) -> Cow<'_, str> {
        self.names.get(entry)
    }

    pub(super) fn name_bytes(&self, entry: usize) -> &[u8] {
        self.names.bytes(entry)
    }

    pub(super) fn directory(&self) -> Option<&Arc<Directory>> {
        match &self.names {
            Names::Zip(directory, _) => Some(directory),
            Names::List(_) => None,
        }
    }

    /// The frame's places.
    ///
    /// # Errors
    /// Unsupported, saying what the members are instead.
    pub(super) fn places(&self) -> Result<&FramePlaces> {
        self.frame.as_ref().map_err(|message| Error::unsupported("npz", message.clone()))
    }
}

fn classify(entries: &[usize], names: &Names) -> Kind {
    let has = |test: &dyn Fn(&[u8]) -> bool| entries.iter().any(|&i| test(names.bytes(i)));
    let known = |name: &[u8]| matches!(Name::parse(name), Some(Name::Meta | Name::Block(_)));
    if has(&known) {
        return Kind::Frame;
    }
    if has(&|name| name.ends_with(b"/__meta__.json")) || has(&|name| name.ends_with(b".npz")) {
        return Kind::Bundle;
    }
    if has(&|name| name.ends_with(b".npy")) { Kind::Savez } else { Kind::Zip }
}

fn to_usize(value: u64) -> Result<usize> {
    usize::try_from(value).map_err(|_| Error::limit("npz", format!("{value} bytes pass the address space.")))
}

fn blank(i: usize) -> Member {
    Member {
        entry: i,
        method: Method::Stored,
        file: i,
        offset: 0,
        compressed_nbytes: 0,
        nbytes: 0,
        crc32: 0,
        array: Array::None,
        space: Space::Source,
        start: 0,
    }
}

fn member(i: usize, entry: &zip::Entry) -> Result<Member> {
    Ok(Member {
        method: entry.method,
        compressed_nbytes: to_usize(entry.compressed_nbytes)?,
        nbytes: to_usize(entry.nbytes)?,
        crc32: entry.crc32,
        ..blank(i)
    })
}

fn plain_members(directory: &Directory) -> Result<Vec<Member>> {
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
