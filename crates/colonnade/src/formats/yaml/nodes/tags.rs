//! What a tag says.

use saphyr_parser::Tag;

use crate::excerpt::excerpt;

/// The core schema's name of a tag: `str`; `!` where no type is said.
pub(super) fn core(tag: &Tag) -> Option<&str> {
    const PREFIX: &str = "tag:yaml.org,2002:";
    match (tag.handle.as_str(), tag.suffix.as_str()) {
        ("" | "!", "" | "!") => Some("!"),
        (PREFIX, suffix) => Some(suffix),
        ("", suffix) | ("!", suffix) => suffix.strip_prefix(PREFIX),
        _ => None,
    }
}

/// A tag as errors show it.
pub(super) fn name(tag: &Tag) -> String {
    excerpt(&format!("{}{}", tag.handle, tag.suffix))
}
