//! Which of several ways to read an input are tried.
//!
//! A fuzzer tries one way for an input, so that it tries many more inputs; tests, `replay` and reports of coverage try all.

/// All ways, or those that a number chooses.
#[derive(Clone, Copy)]
pub(crate) enum Ways {
    All,
    One(u32),
}

impl Ways {
    /// The ways that the bytes of an input choose: equal inputs take equal ways.
    pub(crate) fn of_input(input: &[u8]) -> Self {
        Self::One(crc32fast::hash(input))
    }

    /// The ways that are tried.
    pub(crate) fn of<T>(self, all: &[T]) -> &[T] {
        match self {
            Self::One(number) if !all.is_empty() => {
                let at = number as usize % all.len();
                &all[at..=at]
            }
            _ => all,
        }
    }

    /// A further choice, which does not depend on the first one.
    pub(crate) fn further(self) -> Self {
        match self {
            Self::All => Self::All,
            Self::One(number) => Self::One(number.rotate_left(16)),
        }
    }
}
