//! Verifies what reading does not check: checksums, bools and declared ranges of values.

use crate::arrow::ranges::check_ranges;
use crate::container::zip::{self, Method};
use crate::error::{Error, Result};
use crate::frame::DTypeKind;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

use super::opened::Holder;
use super::scan::{ScannedArray, StoredMember};
use super::{Request, Store, StoreKind};

impl Store {
    /// Checks every checksum, length and label.
    ///
    /// # Errors
    /// The first fault, with its member.
    pub fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()> {
        self.source.need_all(progress)?;
        if let Some(directory) = self.directory() {
            // Opening a frame checks only the names of its own members.
            zip::check_duplicate_names(directory)?;
        }
        let offsets = match self.directory().filter(|_| self.kind == StoreKind::Zip) {
            Some(directory) => zip::data_offsets(self.source.structure(), directory)?,
            None => Vec::new(),
        };
        let tasks = self.members.iter().enumerate().map(|(i, member)| {
            let mut member = member.clone();
            if let Some(offset) = offsets.get(i) {
                member.offset = usize::try_from(*offset).unwrap_or(usize::MAX);
            }
            Task::new(member.nbytes, move || {
                self.verify_member(&member).map_err(|e| e.in_member(self.name(member.entry)))
            })
        });
        parallel::run(tasks.collect(), threads, progress)?;
        if self.kind == StoreKind::Bundle {
            for label in self.labels()? {
                let in_label = |e: Error| e.in_member(label.clone());
                self.open_label(&label).and_then(|s| s.verify(threads, progress)).map_err(in_label)?;
            }
        }
        if self.frame.is_ok() {
            let request = Request::all(threads, progress);
            check_ranges("npz", &self.load(&self.axes(threads)?, &request)?, 0)?;
        }
        Ok(())
    }

    fn verify_member(&self, member: &StoredMember) -> Result<()> {
        if matches!(member.method, Method::Other(_)) {
            return Err(member.unknown_method());
        }
        member.check_size(&self.limits)?;
        let mut head = 0;
        let mut bools = false;
        if let ScannedArray::Plain { key, head: start } = self.array_of(member) {
            head = *start;
            bools = key.dtype.kind == DTypeKind::Bool;
        }
        let check = |bytes: &[u8], checked: bool| {
            if !checked && self.holder == Holder::Zip {
                member.check_crc(bytes)?;
            }
            let is_invalid = |b: &u8| *b > 1;
            match bytes.iter().skip(head).position(is_invalid).filter(|_| bools) {
                None => Ok(()),
                Some(at) => {
                    let found = bytes.get(head + at).copied().unwrap_or(0);
                    let message = format!("expected a bool of 0 or 1 at element {at}, found {found}.");
                    Err(Error::malformed("npz", message).at((member.offset + head + at) as u64))
                }
            }
        };
        if member.method == Method::Stored {
            let bytes = self.source.fetch(member.entry, member.offset, member.nbytes)?;
            return check(&bytes, false);
        }
        let mut bytes = vec![0; member.nbytes];
        member.unpack(&self.source, &mut bytes)?;
        check(&bytes, true)
    }
}
