//! Distinguishes versions of a file at one address.

/// The validators of a response: its ETag, and the time of the last change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) etag: Option<String>,
    pub(super) modified: Option<String>,
}

impl Version {
    /// Returns the validator for `If-Range`. Weak ETags do not guarantee identical bytes, as ranges need.
    pub(super) fn for_ranges(&self) -> Option<&str> {
        self.strong().or(self.modified.as_deref())
    }

    /// Whether `now`, from the response to a range request, is of the same version. Such a response must have the ETag that the
    /// whole file has. It may omit the date (RFC 9110, 15.3.7).
    pub(super) fn is_same_file(&self, now: &Self) -> bool {
        if let Some(was) = &self.etag {
            if now.etag.as_deref().map(opaque) != Some(opaque(was)) {
                return false;
            }
            if self.strong().is_some() {
                return true;
            }
        }
        !matches!((&self.modified, &now.modified), (Some(was), Some(now)) if was != now)
    }

    fn strong(&self) -> Option<&str> {
        self.etag.as_deref().filter(|tag| tag.starts_with('"'))
    }
}

/// Returns an ETag without its mark of weakness, which a proxy may add.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(etag: &str, modified: &str) -> Version {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Version { etag: some(etag), modified: some(modified) }
    }

    #[test]
    fn another_version_is_detected_by_its_etag_or_date() {
        for (was, now, same) in [
            (("", ""), ("", ""), true),
            (("", ""), ("\"1\"", "d"), true),
            (("\"1\"", ""), ("\"1\"", ""), true),
            (("\"1\"", ""), ("W/\"1\"", ""), true),
            (("\"1\"", "d"), ("\"1\"", "e"), true),
            (("\"1\"", "d"), ("\"2\"", "d"), false),
            (("\"1\"", "d"), ("", "d"), false),
            (("W/\"1\"", ""), ("W/\"1\"", ""), true),
            (("W/\"1\"", ""), ("W/\"2\"", ""), false),
            (("W/\"1\"", "d"), ("", "d"), false),
            (("W/\"1\"", "d"), ("W/\"1\"", "e"), false),
            (("", "d"), ("", ""), true),
            (("", "d"), ("", "e"), false),
        ] {
            assert_eq!(version(was.0, was.1).is_same_file(&version(now.0, now.1)), same, "{was:?} {now:?}");
        }
    }

    #[test]
    fn ranges_use_strong_validators() {
        assert_eq!(version("\"1\"", "d").for_ranges(), Some("\"1\""));
        assert_eq!(version("W/\"1\"", "d").for_ranges(), Some("d"));
        assert_eq!(version("W/\"1\"", "").for_ranges(), None);
    }
}
