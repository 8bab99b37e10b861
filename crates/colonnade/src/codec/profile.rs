//! Compression profiles: one option for the codecs, filters and encodings of all formats.

/// The trade-off between speed and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Fastest to write and read.
    Fast,
    /// Small, and still fast.
    #[default]
    Balanced,
    /// Smallest.
    Small,
}

impl Profile {
    /// Parses `fast`, `balanced` or `small`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "fast" => Some(Self::Fast),
            "balanced" => Some(Self::Balanced),
            "small" => Some(Self::Small),
            _ => None,
        }
    }
}
