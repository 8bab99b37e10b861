//! The state of an opened set of members.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::container::zip::Directory;
use crate::error::{Error, Result};
use crate::frame::Axis;
use crate::limits::Limits;

use super::StoreSource;
use super::filtered_array::FilteredArray;
use super::frame_places::FramePlaces;
use super::scan::{ArrayTable, ScannedArray, StoredMember};

/// The content of a set of members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    /// A frame under StaticFrame's names.
    Frame,
    /// Arrays under any names, as `np.savez` writes them.
    Savez,
    /// One NPY array.
    Npy,
    /// Several frames: `<label>.npz`, or `<label>/<member>`.
    Bundle,
    /// An archive without arrays or frames.
    Zip,
}

/// The container of the members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// One ZIP file.
    Zip,
    /// A directory of files.
    Directory,
    /// One NPY file.
    Npy,
}

/// Options for reading.
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions {
    /// Limits.
    pub limits: Limits,
    /// Number of threads.
    pub threads: usize,
}

/// An opened set of members.
#[derive(Debug)]
pub struct Store {
    pub(super) source: StoreSource,
    pub(super) limits: Limits,
    pub(super) threads: usize,
    /// Both axes, after the first use.
    pub(super) axes: OnceLock<(Axis, Axis)>,
    pub(super) kind: StoreKind,
    pub(super) holder: Holder,
    pub(super) names: MemberNames,
    pub(super) members: Vec<StoredMember>,
    pub(super) arrays: ArrayTable,
    pub(super) filtered: Vec<FilteredArray>,
    pub(super) image_nbytes: usize,
    /// The frame, or the reason why the members are no frame.
    pub(super) frame: std::result::Result<FramePlaces, String>,
}

#[derive(Debug)]
pub(super) enum MemberNames {
    Zip(Arc<Directory>, usize),
    List(Vec<String>),
}

impl MemberNames {
    /// The name of an entry, without the label of a bundle.
    pub(super) fn get(&self, entry: usize) -> Cow<'_, str> {
        match self {
            Self::Zip(directory, 0) => directory.name_str(entry),
            Self::Zip(directory, skip) => {
                directory.name_str(entry).get(*skip..).map_or(Cow::Borrowed(""), |n| Cow::Owned(n.to_owned()))
            }
            Self::List(names) => Cow::Borrowed(names.get(entry).map_or("", String::as_str)),
        }
    }

    pub(super) fn bytes(&self, entry: usize) -> &[u8] {
        match self {
            Self::Zip(directory, skip) => directory.name(entry).get(*skip..).unwrap_or_default(),
            Self::List(names) => names.get(entry).map_or(&[], |n| n.as_bytes()),
        }
    }
}

impl Store {
    /// The array of a member's NPY header.
    pub(super) fn array_of(&self, member: &StoredMember) -> &ScannedArray {
        self.arrays.get(member.array)
    }

    /// The content of the members.
    #[must_use]
    pub fn kind(&self) -> StoreKind {
        self.kind
    }

    /// The container of the members.
    #[must_use]
    pub fn holder(&self) -> Holder {
        self.holder
    }

    /// Size of the file or files.
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
            MemberNames::Zip(directory, _) => Some(directory),
            MemberNames::List(_) => None,
        }
    }

    /// The frame's places.
    ///
    /// # Errors
    /// Unsupported: the members are no frame.
    pub(super) fn places(&self) -> Result<&FramePlaces> {
        self.frame.as_ref().map_err(|message| Error::unsupported("npz", message.clone()))
    }
}
