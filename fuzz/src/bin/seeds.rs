//! Writes the inputs that fuzzing starts from: `seeds FOLDER FILES...`.
//!
//! FILES are folders of files, `conformance/` and public corpora. FOLDER gets a folder for each check, also for those without files.

use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

use colonnade::formats::{Format, registry};
use colonnade_fuzz::options::{ALL_SOURCES, WITH_AAD_PREFIX, WITH_FILTER};
use colonnade_fuzz::{Target, targets};

/// Larger files are left out: a mutation of one would rarely be at a place that counts.
const MOST_NBYTES: u64 = 64 << 10;

/// First bytes of the files that are read. The last two are for filtered and encrypted Parquet.
const CHOICES_OF_FILES: &[u8] = &[ALL_SOURCES, WITH_FILTER, WITH_AAD_PREFIX | 2];

/// Options on one thread and on two.
const CHOICES: &[u8] =
    &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137];

fn main() -> Result<()> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(folder) = paths.next() else {
        eprintln!("usage: seeds FOLDER FILES...");
        std::process::exit(2);
    };
    for target in targets() {
        fs::create_dir_all(folder.join(target.name()))?;
    }
    for from in paths {
        walk(&from, &mut |path, file| write_seeds(&folder, path, file))?;
    }
    Ok(())
}

/// Calls `each` with every file of a folder that is not too large.
fn walk(folder: &Path, each: &mut dyn FnMut(&Path, &[u8]) -> Result<()>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            walk(&path, each)?;
        } else if kind.is_file() && entry.metadata()?.len() <= MOST_NBYTES {
            each(&path, &fs::read(&path)?)?;
        }
    }
    Ok(())
}

fn write_seeds(folder: &Path, path: &Path, file: &[u8]) -> Result<()> {
    let Some(format) = format_of(path, file) else { return Ok(()) };
    for target in targets() {
        let Some(seed) = target.seed(format.spec().name, file) else { continue };
        // The path names the seed: files of one name are in several folders.
        let name = path.to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "_");
        let name: String = name.chars().rev().take(120).collect::<Vec<_>>().into_iter().rev().collect();
        let folder = folder.join(target.name());
        // The first byte of an input chooses the options. Our own seeds are there for each of them.
        let choices = if path.starts_with("fuzz/seeds") {
            CHOICES
        } else if matches!(target, Target::Read(_)) {
            CHOICES_OF_FILES
        } else {
            &[]
        };
        for choice in choices {
            let body = seed.get(1..).unwrap_or_default();
            fs::write(folder.join(format!("{choice}_{name}")), [&[*choice], body].concat())?;
        }
        fs::write(folder.join(name), seed)?;
    }
    Ok(())
}

/// Archives of any suffix are seeds of NPZ.
fn format_of(path: &Path, file: &[u8]) -> Option<&'static dyn Format> {
    registry().by_magic(file).or_else(|| registry().by_suffix(path.file_name()?.to_str()?))
}
