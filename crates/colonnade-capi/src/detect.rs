//! Finds the format of a source by its name, its suffix and its first bytes, by the rules of the Python package.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use colonnade::codec::file::FileCodec;
use colonnade::formats::{Format, registry};
use colonnade::{Error, Result};

/// First bytes that detection reads.
const HEAD_NBYTES: usize = 24;

/// The suffixes of files that are compressed as a whole.
const COMPRESSED: [(&str, FileCodec); 2] = [(".gz", FileCodec::Gzip), (".zst", FileCodec::Zstd)];

/// The names of all formats, for messages.
#[must_use]
pub fn known() -> String {
    registry().iter().map(|format| format.spec().name).collect::<Vec<_>>().join(", ")
}

/// The format of this name.
///
/// # Errors
/// `InvalidOption` with the known names.
pub fn by_name(name: &str) -> Result<&'static dyn Format> {
    registry().by_name(name).ok_or_else(|| {
        Error::invalid_option("format", format!("expected one of {}, found {name:?}.", known()))
    })
}

/// The format and the codec of a file's suffix, such as `.csv.gz`.
fn by_suffix(path: &str) -> Option<(&'static dyn Format, Option<FileCodec>)> {
    let lower = path.to_lowercase();
    for (suffix, codec) in COMPRESSED {
        let inner = lower.strip_suffix(suffix).and_then(|inner| registry().by_suffix(inner));
        if let Some(format) = inner.filter(|format| format.spec().capabilities.compressed) {
            return Some((format, Some(codec)));
        }
    }
    registry().by_suffix(&lower).map(|format| (format, None))
}

/// The format to write, and the codec of the whole file.
///
/// # Errors
/// `InvalidOption`: neither `format` nor the suffix is known.
pub fn for_target(
    format: Option<&str>,
    path: Option<&str>,
) -> Result<(&'static dyn Format, Option<FileCodec>)> {
    let suffix = path.and_then(by_suffix);
    match (format, suffix) {
        (Some(name), suffix) => {
            let format = by_name(name)?;
            let codec = suffix.and_then(|(_, codec)| codec).filter(|_| format.spec().capabilities.compressed);
            Ok((format, codec))
        }
        (None, Some(found)) => Ok(found),
        (None, None) => {
            let found = path.map_or_else(|| "no name".to_owned(), |path| format!("{path:?}"));
            let message = format!(
                "expected a name with a known suffix, found {found}. Pass the format, one of {}.",
                known()
            );
            Err(Error::invalid_option("format", message))
        }
    }
}

/// The format of an existing file.
///
/// # Errors
/// Errors of the operating system; as [`of_bytes`].
pub fn of_file(format: Option<&str>, path: &str) -> Result<&'static dyn Format> {
    if let Some(name) = format {
        return by_name(name);
    }
    if Path::new(path).is_dir() {
        return for_target(None, Some(path.trim_end_matches('/'))).map(|(format, _)| format);
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_NBYTES as u64).read_to_end(&mut head)?;
    of_bytes(None, &head, Some(path))
}

/// The format of a file without a magic number that begins with Colonnade's header, or with an Arrow message.
fn with_header(head: &[u8]) -> Option<&'static str> {
    const KEY: &[u8] = b"\xad__colonnade__";
    let map = match head {
        [0x81..=0x8f, rest @ ..] | [0xde, _, _, rest @ ..] | [0xdf, _, _, _, _, rest @ ..] => rest,
        _ => &[],
    };
    if map.starts_with(KEY) {
        return Some("msgpack");
    }
    // The continuation marker of a message, which begins a stream.
    if head.starts_with(b"\xff\xff\xff\xff") {
        return Some("arrows");
    }
    head.starts_with(b"# colonnade: {").then_some("csv")
}

/// The format of bytes, of which `head` are the first.
///
/// # Errors
/// `InvalidOption`: an unknown name; `Malformed`: neither bytes nor name determine a format.
pub fn of_bytes(format: Option<&str>, head: &[u8], path: Option<&str>) -> Result<&'static dyn Format> {
    if let Some(name) = format {
        return by_name(name);
    }
    let suffix = path.and_then(by_suffix).map(|(format, _)| format);
    let head = head.get(..HEAD_NBYTES.min(head.len())).unwrap_or(head);
    let printed = |byte: &u8| (b' '..0x7f).contains(byte) || b"\t\r\n".contains(byte);
    let is_text = |format: &&'static dyn Format| {
        // A column of a text file may have the name of a magic number.
        format.spec().capabilities.compressed && head.iter().all(printed)
    };
    let found = suffix.filter(is_text).or_else(|| registry().by_magic(head)).or(suffix);
    let found = found.or_else(|| registry().by_name(with_header(head)?));
    found.ok_or_else(|| {
        let shown = head.escape_ascii();
        let message = format!(
            "expected a known format, found the first bytes \"{shown}\" and no known suffix. Pass the format, one of {}.",
            known()
        );
        Error::malformed("format", message)
    })
}
