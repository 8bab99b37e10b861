//! What counts where a writer chooses: one word for the codecs, the filters and the encodings of every format.

/// How much work compression may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Written and read fastest.
    Fast,
    /// Small, and still fast.
    #[default]
    Balanced,
    /// Smallest.
    Small,
}

impl Profile {
    /// The profile of a name: `fast`, `balanced`, `small`.
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
