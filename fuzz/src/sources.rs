//! Reads a file from each kind of source, and compares with the file in memory.
//!
//! The sources are a file that may be mapped or not, a stream, a store that gives ranges of bytes, and for NPZ a directory that has the
//! members as files.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use colonnade::Result;
use colonnade::container::zip::{self, Directory, Method};
use colonnade::decode::{MemoryLayout, Request};
use colonnade::formats::{Format, Options};
use colonnade::frame::Frame;
use colonnade::memory::{Fetch, FetchCheck, PieceReceiver, Remote};
use colonnade::progress::NoProgress;
use colonnade::source::Source;

use crate::content::check_same;
use crate::ways::Ways;

/// A file, how it is read, and the frame that it has in memory.
pub(crate) struct FileInMemory<'f> {
    pub(crate) format: &'static dyn Format,
    pub(crate) file: &'f [u8],
    pub(crate) options: &'f Options,
    pub(crate) whole: &'f Frame,
    /// Whether the file is verified in memory.
    pub(crate) is_verified: bool,
}

/// Reads the file from the sources.
///
/// # Panics
/// If a source gives another frame than memory did, or fails where memory did not.
pub(crate) fn check(read: &FileInMemory<'_>, ways: Ways) {
    ways.of(&SOURCES).iter().for_each(|source| source(read));
}

const SOURCES: [fn(&FileInMemory<'_>); 9] = [
    |read| read.of_file(true),
    |read| read.of_file(false),
    |read| {
        let is_verified = read.compare(Source::Stream(&mut Pieces(read.file)), "a stream");
        // What a frame does not need, such as the validity of a column without nulls, is not kept of a stream.
        assert!(is_verified || !read.is_verified, "memory is verified, a stream is not");
    },
    |read| read.at_once(MemoryLayout::AsStored),
    |read| read.at_once(MemoryLayout::Arrow),
    |read| read.at_once(MemoryLayout::ArrowViews),
    |read| read.at_once(MemoryLayout::Pandas),
    |read| read.of_store(),
    |read| read.of_directory(),
];

impl FileInMemory<'_> {
    /// Opens the file and loads columns, then all; whether it is verified.
    fn compare(&self, source: Source<'_>, name: &str) -> bool {
        let opened = self.format.open(source, self.options, &NoProgress);
        let opened = opened.unwrap_or_else(|error| panic!("memory is read, {name} is not: {error}"));
        let positions: Vec<usize> = (0..self.whole.ncols).step_by(3).collect();
        let part = self.whole.clone().part("frame", Some(&positions), None).expect("positions of the frame");
        for (positions, expected) in [(Some(&positions[..]), &part), (None, self.whole)] {
            let request = Request { positions, ..Request::all(1, &NoProgress) };
            let found = opened.load(&request);
            let found = found.unwrap_or_else(|error| panic!("memory is read, {name} is not: {error}"));
            check_same(&found.frame, expected, name);
        }
        opened.verify(2, &NoProgress).is_ok()
    }

    fn of_file(&self, mmap: bool) {
        let folder = Folder::new();
        let path = folder.0.join("file");
        fs::write(&path, self.file).expect("the folder takes files");
        let is_verified = self.compare(Source::Path { path: &path, mmap }, "a file");
        assert_eq!(is_verified, self.is_verified, "whether it is verified, mapped: {mmap}");
    }

    /// A stream from which the frame is read in one pass.
    fn at_once(&self, layout: MemoryLayout) {
        let request = Request { layout, ..Request::all(2, &NoProgress) };
        match self.format.read_stream(&mut Pieces(self.file), self.options, &request) {
            Ok(loaded) if matches!(layout, MemoryLayout::AsStored | MemoryLayout::Arrow) => {
                check_same(&loaded.frame, self.whole, "a stream that is read at once");
            }
            Ok(loaded) => assert_eq!(loaded.frame.nrows, self.whole.nrows, "rows of a stream"),
            // It has no time to ignore what a frame does not need.
            Err(error) => assert!(!self.is_verified, "memory is verified, a stream is not read: {error}"),
        }
    }

    fn of_store(&self) {
        if self.format.spec().capabilities.ranged {
            let remote = Remote::new(self.file.len() as u64, u64::MAX, Box::new(Store(self.file.to_vec())));
            self.compare(Source::Ranges(Arc::new(remote.expect("a file that is not large"))), "a store");
        }
    }

    fn of_directory(&self) {
        if self.format.spec().name != "npz" {
            return;
        }
        let folder = Folder::new();
        let members = folder.0.join("members");
        if extract(self.file, &members).is_some() {
            self.compare(Source::Path { path: &members, mmap: true }, "a directory");
        }
    }
}

/// Writes the members as files, if they are those of one frame and are stored as they are.
fn extract(file: &[u8], folder: &Path) -> Option<()> {
    let directory = Directory::parse(file, 1000).ok()?;
    let count = directory.entries.len();
    let names: Vec<String> = (0..count).map(|i| directory.name_str(i).into_owned()).collect();
    let is_file_name =
        |name: &String| name.len() <= 100 && !name.contains(['/', '\0', '\u{fffd}']) && name != "..";
    if !names.iter().any(|name| name == "__meta__.json") || !names.iter().all(is_file_name) {
        return None;
    }
    fs::create_dir(folder).ok()?;
    for (i, entry) in directory.entries.iter().enumerate() {
        let start = usize::try_from(zip::data_offset(file, &directory, i).ok()?).ok()?;
        let data = file.get(start..)?.get(..usize::try_from(entry.nbytes).ok()?)?;
        if entry.method != Method::Stored || fs::write(folder.join(names.get(i)?), data).is_err() {
            return None;
        }
    }
    Some(())
}

/// A folder in memory, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("colonnade-fuzz-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left is in memory, and small.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A stream that gives at most 100 bytes at once.
struct Pieces<'f>(&'f [u8]);

impl Read for Pieces<'_> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let count = target.len().min(100);
        self.0.read(&mut target[..count])
    }
}

/// A store that has one file.
#[derive(Debug)]
struct Store(Vec<u8>);

impl Fetch for Store {
    fn fetch(
        &self,
        ranges: &[(usize, usize)],
        receive: &mut PieceReceiver<'_>,
        check: &mut FetchCheck<'_>,
    ) -> Result<()> {
        for &(start, end) in ranges {
            check()?;
            let bytes = self.0.get(start..end).expect("ranges are within the file");
            // In two pieces, of which the second comes first.
            let (left, right) = bytes.split_at(bytes.len() / 2);
            receive(start + left.len(), right)?;
            receive(start, left)?;
        }
        Ok(())
    }

    fn pause(&self) -> Result<()> {
        Ok(())
    }
}
