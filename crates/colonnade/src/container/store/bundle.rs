//! Bundles: several frames in one archive. Each is opened when it is requested.

use std::collections::HashSet;

use crate::container::zip::{Directory, Method};
use crate::error::{Error, Result};
use crate::memory::{Buffer, Region};
use crate::progress::NoProgress;

use super::{Store, StoreKind, StoreSource};

/// Suffix of inner archives.
const SUFFIX: &str = ".npz";

impl Store {
    /// The labels of a bundle, in the directory's order.
    ///
    /// # Errors
    /// Unsupported: not a bundle. Malformed: a label that would leave its directory.
    pub fn labels(&self) -> Result<Vec<String>> {
        if self.kind != StoreKind::Bundle {
            return Err(Error::unsupported(
                "npz",
                "expected a bundle of frames, found one frame. Open it with read.",
            ));
        }
        let (mut out, mut unique): (Vec<String>, HashSet<String>) = Default::default();
        for member in &self.members {
            let name = self.name(member.entry);
            let label = match (name.strip_suffix(SUFFIX), name.rsplit_once('/')) {
                (Some(label), _) => label,
                (None, Some((label, inner))) if !inner.is_empty() => label,
                _ => continue,
            };
            check_label(label).map_err(|e| e.in_member(name.clone()).at(member.offset as u64))?;
            if out.last().is_none_or(|last| last != label) && unique.insert(label.to_owned()) {
                out.push(label.to_owned());
            }
        }
        Ok(out)
    }

    /// Opens the frame of a label. A stored inner archive is opened in place, a compressed one is decompressed first.
    ///
    /// # Errors
    /// `NotFound`; malformed inner archives; errors of the operating system.
    pub fn open_label(&self, label: &str) -> Result<Self> {
        let outer = format!("{label}{SUFFIX}");
        let Some(member) = self.members.iter().find(|m| self.name(m.entry) == outer) else {
            let prefix = format!("{label}/");
            let is_below = |name: &str| {
                let inner = name.strip_prefix(&prefix).filter(|_| !name.ends_with(SUFFIX));
                inner.is_some_and(|inner| !inner.is_empty() && !inner.contains('/'))
            };
            let has_label = self.kind == StoreKind::Bundle
                && check_label(label).is_ok()
                && self.members.iter().any(|member| is_below(&self.name(member.entry)));
            let directory = self.directory().filter(|_| has_label);
            let Some(directory) = directory else {
                return Err(Error::not_found("npz", format!("no frame labelled {label:?} in the bundle.")));
            };
            let mut opened =
                Self::open_zip(self.source.clone(), directory.clone(), Some(label), self.limits)?;
            opened.threads = self.threads;
            return Ok(opened);
        };
        member.check_size(&self.limits)?;
        let inner = match (&self.source, member.method) {
            (StoreSource::Memory(_) | StoreSource::Mapped(..) | StoreSource::Remote(_), Method::Stored) => {
                let range = (member.offset, member.offset.saturating_add(member.nbytes));
                self.source.need(&[range], &NoProgress)?;
                let inner = self.source.bytes().and_then(|b| b.slice(member.offset, member.nbytes));
                inner.ok_or_else(|| Error::truncated("npz", "the inner archive", member.nbytes as u64, 0))?
            }
            _ => {
                let mut region = Region::allocate(member.nbytes)?;
                member.unpack(&self.source, region.as_mut_slice())?;
                Buffer::from_region(region.finish(), false)
            }
        };
        let directory = Directory::parse(inner.as_slice(), self.limits.max_members)?;
        let mut opened = Self::open_zip(StoreSource::Memory(inner), directory.into(), None, self.limits)?;
        opened.threads = self.threads;
        Ok(opened)
    }
}

/// Refuses labels that would leave the directory when the bundle is unpacked.
pub fn check_label(label: &str) -> Result<()> {
    let leaves = label.is_empty()
        || label.starts_with('/')
        || label.contains(['\\', '\0'])
        || label.split('/').any(|part| part == ".." || part == "." || part.is_empty());
    if !leaves {
        return Ok(());
    }
    let message = format!("expected a label that stays inside its directory, found {label:?}.");
    Err(Error::malformed("npz", message))
}
