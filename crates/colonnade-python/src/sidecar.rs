//! Writes or removes the sidecar of a data file.

use std::path::Path;

use colonnade::formats::Sidecar;
use colonnade_transport::AtomicFile;

/// Writes the sidecar of the data file `path`, or removes the sidecar of an earlier write.
///
/// The caller renames the data file to `path` afterwards, so a reader that finds the new file finds its sidecar too.
pub(crate) fn update_sidecar(sidecar: Option<Sidecar>, path: &Path, fsync: bool) -> colonnade::Result<()> {
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
