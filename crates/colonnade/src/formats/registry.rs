//! The formats of this build.

use crate::error::{Error, Result};

use super::{Format, FormatSpec};

/// Formats, found by name, suffix or first bytes.
#[derive(Default)]
pub struct Registry {
    formats: Vec<&'static dyn Format>,
}

impl Registry {
    /// A registry of these formats.
    ///
    /// # Errors
    /// `InvalidOption`: two formats claim one name, suffix or magic, or a suffix has no point or is not lower case.
    pub fn new(formats: Vec<&'static dyn Format>) -> Result<Self> {
        let mut claimed: Vec<(&str, &[u8], &'static str)> = Vec::new();
        for format in &formats {
            let spec = format.spec();
            for (kind, claim) in claims(spec) {
                if kind == "suffix" && !is_suffix(claim) {
                    return Err(claim_error(spec.name, kind, claim, "expected lower case after a point"));
                }
                if let Some((.., other)) = claimed.iter().find(|(k, c, _)| *k == kind && *c == claim) {
                    return Err(claim_error(spec.name, kind, claim, &format!("{other} has it already")));
                }
                claimed.push((kind, claim, spec.name));
            }
        }
        Ok(Self { formats })
    }

    /// All formats, in the order of registration.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Format> + '_ {
        self.formats.iter().copied()
    }

    /// The format of this name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&'static dyn Format> {
        self.iter().find(|format| format.spec().name == name)
    }

    /// The format whose suffix the file's `name` ends with.
    #[must_use]
    pub fn by_suffix(&self, name: &str) -> Option<&'static dyn Format> {
        let base = name.rsplit('/').next().unwrap_or(name).to_lowercase();
        let suffix = base.rfind('.').and_then(|at| base.get(at..))?;
        self.iter().find(|format| format.spec().suffixes.contains(&suffix))
    }

    /// The format whose magic number the source starts with.
    #[must_use]
    pub fn by_magic(&self, head: &[u8]) -> Option<&'static dyn Format> {
        self.iter().find(|format| format.spec().begins(head))
    }
}

/// The names, suffixes and magic numbers that no other format may claim.
fn claims(spec: &'static FormatSpec) -> impl Iterator<Item = (&'static str, &'static [u8])> {
    let name = std::iter::once(("name", spec.name.as_bytes()));
    let suffixes = spec.suffixes.iter().map(|suffix| ("suffix", suffix.as_bytes()));
    name.chain(suffixes).chain(spec.magic.iter().map(|magic| ("magic", *magic)))
}

fn is_suffix(claim: &[u8]) -> bool {
    claim.len() > 1 && claim.starts_with(b".") && !claim.iter().any(u8::is_ascii_uppercase)
}

fn claim_error(format: &'static str, kind: &str, claim: &[u8], why: &str) -> Error {
    let message = format!("{kind} \"{}\" cannot be registered: {why}.", claim.escape_ascii());
    Error::invalid_option(format, message)
}
