//! The sink of a file that appears when it is complete, and its sidecar.

use std::io;
use std::path::Path;

use colonnade::formats::{FrameEncoding, Sidecar};
use colonnade::frame::Frame;
use colonnade::sink::Sink;
use colonnade_transport::AtomicFile;

/// A file that appears when it is complete.
pub struct FileSink(pub AtomicFile);

impl Sink for FileSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write(bytes)
    }

    fn can_patch(&self) -> bool {
        true
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.patch(offset, bytes)
    }

    fn reserve(&mut self, total: u64) -> io::Result<()> {
        self.0.reserve(total)
    }
}

impl FileSink {
    /// Writes the sidecar, then renames the file to `path`, so that a reader of the new file finds its sidecar.
    ///
    /// # Errors
    /// Errors of the operating system; the file at `path` is then unchanged.
    pub fn commit(
        self,
        encoding: &FrameEncoding,
        frame: Option<&Frame>,
        path: &Path,
        fsync: bool,
    ) -> colonnade::Result<()> {
        if let Some(Sidecar { suffix, content, is_sidecar }) = encoding.sidecar(frame)? {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            match content {
                Some(content) => {
                    let mut file = AtomicFile::create(Path::new(&name))?;
                    file.write(&content)?;
                    file.commit(fsync)?;
                }
                // Only a sidecar of an earlier write is removed.
                None if std::fs::read(&name).is_ok_and(|bytes| is_sidecar(&bytes)) => {
                    std::fs::remove_file(&name)?
                }
                None => {}
            }
        }
        Ok(self.0.commit(fsync)?)
    }
}
