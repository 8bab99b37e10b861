//! Checks the text before it is parsed, and looks at its first nodes.

use saphyr_parser::{Event, Parser};

use crate::error::{ErrorKind, Result};
use crate::excerpt::excerpt;
use crate::text::header::KEY;
use crate::text::input::OwnedText;

use super::FORMAT;

/// Refuses control characters, which YAML does not allow. The parser would take a NUL for the end of the text.
pub(in crate::formats::yaml) fn characters(text: &OwnedText) -> Result<()> {
    let printable = |c: char| !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    let plain = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    if text.as_bytes().iter().all(plain) {
        return Ok(());
    }
    match text.as_str().char_indices().find(|(_, c)| !printable(*c)) {
        None => Ok(()),
        Some((at, c)) => {
            let message = format!(
                "expected printable characters, found U+{:04X}. YAML holds it as an escape in double quotes.",
                u32::from(c)
            );
            Err(text.source().error(ErrorKind::Malformed, FORMAT, at, None, message))
        }
    }
}

/// Refuses a `%YAML` directive of another major version, because the document may have another meaning.
pub(in crate::formats::yaml) fn version(text: &OwnedText) -> Result<()> {
    let mut at = 0;
    for line in text.as_str().split_inclusive(['\n', '\r']) {
        let bare = line.trim_end_matches([' ', '\t', '\n', '\r']);
        if !(bare.is_empty() || bare.starts_with(['#', '%'])) {
            break;
        }
        let told = bare.strip_prefix("%YAML").filter(|rest| rest.starts_with([' ', '\t']));
        if let Some(rest) = told {
            let version = rest.split_whitespace().next().unwrap_or("");
            // The parser reports a malformed version.
            if version.split_once('.').is_some_and(|(major, _)| major != "1") {
                let message =
                    format!("expected YAML 1, found version {}. Convert the file.", excerpt(version));
                let at = at + line.find(version).unwrap_or(0);
                return Err(text.source().error(ErrorKind::Unsupported, FORMAT, at, None, message));
            }
        }
        at += line.len();
    }
    Ok(())
}

/// Checks that a document written by this package ends with a line end. Without it the last scalar may be truncated, and nothing
/// else would show that.
pub(in crate::formats::yaml) fn end(text: &OwnedText) -> Result<()> {
    let bytes = text.as_bytes();
    if bytes.ends_with(b"\n") || bytes.ends_with(b"\r") {
        return Ok(());
    }
    let had = text.source().place(bytes.len()).byte;
    let message = "expected a line end behind the last line, as every file with a header has, found the end of the input. The \
                   file was cut: fetch it again, or end its last line.";
    Err(text.source().error(
        ErrorKind::Truncated { needed: had + 1, had },
        FORMAT,
        bytes.len(),
        None,
        message,
    ))
}

/// Whether the document may be a bundle: a mapping that is not one frame with a header.
pub(in crate::formats::yaml) fn may_be_bundle(text: &OwnedText) -> bool {
    let mut parser = Parser::new_from_str(text.as_str());
    let mut inside = false;
    while let Some(Ok((event, _))) = parser.next_event() {
        match event {
            Event::StreamStart | Event::DocumentStart(_) => {}
            Event::MappingStart(..) if !inside => inside = true,
            Event::Scalar(key, ..) => return inside && key != KEY,
            _ => return inside,
        }
    }
    inside
}
