//! YAML tags.

use saphyr_parser::Tag;

use crate::excerpt::excerpt;

/// Returns the core schema's name of a tag, such as `str`; `!` for a non-specific tag.
pub(super) fn core(tag: &Tag) -> Option<&str> {
    const PREFIX: &str = "tag:yaml.org,2002:";
    match (tag.handle.as_str(), tag.suffix.as_str()) {
        ("" | "!", "" | "!") => Some("!"),
        (PREFIX, suffix) => Some(suffix),
        ("", suffix) | ("!", suffix) => suffix.strip_prefix(PREFIX),
        _ => None,
    }
}

/// The tag for error messages.
pub(super) fn name(tag: &Tag) -> String {
    excerpt(&format!("{}{}", tag.handle, tag.suffix))
}
