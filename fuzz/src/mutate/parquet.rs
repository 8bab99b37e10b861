//! Changes of a Parquet file: of the footer, of a page header, and of a page behind its compression.

use super::bytes::{size_at, splice};
use super::page;
use super::random::Random;
use super::thrift::{self, Value};
use super::tree;

const MAGIC: &[u8] = b"PAR1";

/// A file whose footer is read.
pub(crate) struct Parquet<'a> {
    /// The bytes before the footer.
    pub(crate) start: &'a [u8],
    pub(crate) footer: Value,
}

impl<'a> Parquet<'a> {
    /// `None` for other files, also for those with an encrypted footer.
    pub(crate) fn open(file: &'a [u8]) -> Option<Self> {
        let file = file.strip_suffix(MAGIC)?;
        let end = file.len().checked_sub(4)?;
        let (start, footer) = file.get(..end)?.split_at_checked(end.checked_sub(size_at(file, end, 4)?)?)?;
        Some(Self { start, footer: thrift::read(footer)?.0 })
    }

    /// The file with the footer as it is now.
    pub(crate) fn file(&self, start: &[u8]) -> Vec<u8> {
        let mut out = start.to_vec();
        self.footer.write(&mut out);
        let nbytes = u32::try_from(out.len() - start.len()).unwrap_or_default();
        out.extend(nbytes.to_le_bytes());
        out.extend(MAGIC);
        out
    }

    /// The file with other bytes in place of those of a page. Offsets behind it and sizes are made right.
    pub(crate) fn replace(&mut self, page: &page::Page, new: &[u8]) -> Option<Vec<u8>> {
        let start = splice(self.start, &(page.start..page.body.end), new)?;
        let old = page.body.end - page.start;
        let step = i64::try_from(new.len()).ok()? - i64::try_from(old).ok()?;
        let limit = i64::try_from(page.start).ok()?;
        let add = |value: &mut Value, path: &[i16], least: i64| {
            if let Some(number) = value.int(path).filter(|number| *number > least) {
                value.set(path, number.wrapping_add(step));
            }
        };
        for (group_number, group) in self.footer.items_mut(&[4])?.iter_mut().enumerate() {
            add(group, &[5], limit);
            if group_number == page.group {
                add(group, &[6], i64::MIN);
            }
            let Some(columns) = group.items_mut(&[1]) else { continue };
            for (number, column) in columns.iter_mut().enumerate() {
                let offsets: [&[i16]; 7] = [&[2], &[4], &[6], &[3, 9], &[3, 10], &[3, 11], &[3, 14]];
                offsets.iter().for_each(|path| add(column, path, limit));
                if (group_number, number) == (page.group, page.column) {
                    add(column, &[3, 7], i64::MIN);
                }
            }
        }
        Some(self.file(&start))
    }
}

/// One change; `None` if the footer is damaged or encrypted.
pub(crate) fn change(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut parquet = Parquet::open(file)?;
    let choice = random.below(10);
    if choice >= 4
        && let Some(out) = page::change(&mut parquet, choice >= 7, random)
    {
        return Some(out);
    }
    tree::change(&mut parquet.footer, random);
    Some(parquet.file(parquet.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_files_are_read_and_written_again() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/parquet");
        let (mut files, mut pages) = (0, 0);
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let file = std::fs::read(entry.path()).unwrap();
            if file.starts_with(MAGIC) {
                let mut parquet = Parquet::open(&file).unwrap();
                assert!(parquet.file(parquet.start) == file, "{:?}", entry.path());
                for page in page::pages(&parquet) {
                    let same = parquet.start.get(page.start..page.body.end).unwrap();
                    assert!(parquet.replace(&page, same).unwrap() == file, "{:?}", entry.path());
                    pages += 1;
                }
                files += 1;
            }
        }
        assert!(files > 20 && pages > 100, "{files} files, {pages} pages");
    }
}
