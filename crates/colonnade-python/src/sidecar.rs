//! A file that belongs next to the data, written or removed with it.

use std::path::Path;

use colonnade::formats::Sidecar;
use colonnade_transport::AtomicFile;

/// Puts the sidecar of the data file `path` in its place, or removes one that an earlier write left.
///
/// The caller gives the data file its name afterwards: whoever sees the new file sees what belongs to it.
pub(crate) fn settle(sidecar: Option<Sidecar>, path: &Path, fsync: bool) -> colonnade::Result<()> {
    let Some(Sidecar { suffix, content, is_sidecar }) = sidecar else { return Ok(()) };
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    let Some(content) = content else {
        return match std::fs::read(&name) {
            Ok(bytes) if is_sidecar(&bytes) => Ok(std::fs::remove_file(&name)?),
            _ => Ok(()),
        };
    };
    let mut file = AtomicFile::create(Path::new(&name))?;
    file.write(&content)?;
    Ok(file.commit(fsync)?)
}
