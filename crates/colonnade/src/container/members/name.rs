//! Names of members. Only this file writes and parses them.

use std::io::Write;

/// The column or level that a buffer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemberOwner {
    /// A data column, by position.
    Column(usize),
    /// A level of the row labels.
    Index(usize),
    /// A level of the column labels.
    Columns(usize),
}

/// The name of a member.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MemberName {
    /// `__meta__.json`
    Meta,
    /// `__values_index_{level}__.npy`
    Index(usize),
    /// `__values_columns_{level}__.npy`
    Columns(usize),
    /// `__blocks_{i}__.npy`
    Block(usize),
    /// One buffer of a column in Arrow's layout: `__column_{position}_{path}__.npy`; for labels `__index_...` and `__columns_...`.
    Arrow(MemberOwner, String),
    /// A following part of a filtered array: `..._part_{k}__.npy`, from 1.
    Part(Box<MemberName>, usize),
    /// The values of a filtered array's codes: `..._dictionary__.npy`.
    Dictionary(Box<MemberName>),
}

impl MemberName {
    /// Appends the name.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        const END: usize = "__.npy".len();
        if let Self::Part(array, _) | Self::Dictionary(array) = self {
            array.append_to(out);
            out.truncate(out.len().saturating_sub(END));
        }
        // Writing into a Vec cannot fail.
        let _ = match self {
            Self::Meta => out.write_all(b"__meta__.json"),
            Self::Index(level) => write!(out, "__values_index_{level}__.npy"),
            Self::Columns(level) => write!(out, "__values_columns_{level}__.npy"),
            Self::Block(i) => write!(out, "__blocks_{i}__.npy"),
            Self::Arrow(MemberOwner::Column(position), path) => {
                write!(out, "__column_{position}_{path}__.npy")
            }
            Self::Arrow(MemberOwner::Index(level), path) => write!(out, "__index_{level}_{path}__.npy"),
            Self::Arrow(MemberOwner::Columns(level), path) => write!(out, "__columns_{level}_{path}__.npy"),
            Self::Part(_, k) => write!(out, "_part_{k}__.npy"),
            Self::Dictionary(_) => out.write_all(b"_dictionary__.npy"),
        };
    }

    /// The name as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = Vec::new();
        self.append_to(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Parses a member's name; `None` if it does not belong to a frame.
    #[must_use]
    pub fn parse(name: &[u8]) -> Option<Self> {
        if name == b"__meta__.json" {
            return Some(Self::Meta);
        }
        let inner = name.strip_prefix(b"__")?.strip_suffix(b"__.npy")?;
        // No path of a buffer ends in `_dictionary`.
        if let Some(array) = inner.strip_suffix(b"_dictionary") {
            return Self::inner(array).map(|name| Self::Dictionary(Box::new(name)));
        }
        let digits = inner.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let (front, k) = inner.split_at(inner.len() - digits);
        if let Some(array) = front.strip_suffix(b"_part_") {
            return Some(Self::Part(Box::new(Self::inner(array)?), number(k).filter(|&k| k > 0)?));
        }
        Self::inner(inner)
    }

    /// Parses the part of an array's name between the double underscores.
    fn inner(inner: &[u8]) -> Option<Self> {
        if let Some(rest) = inner.strip_prefix(b"blocks_") {
            return number(rest).map(Self::Block);
        }
        if let Some(rest) = inner.strip_prefix(b"values_index_") {
            return number(rest).map(Self::Index);
        }
        if let Some(rest) = inner.strip_prefix(b"values_columns_") {
            return number(rest).map(Self::Columns);
        }
        let arrow = |rest: &[u8], owner: fn(usize) -> MemberOwner| {
            let split = rest.iter().position(|&b| b == b'_')?;
            let (count, path) = rest.split_at(split);
            Some(Self::Arrow(owner(number(count)?), String::from_utf8(path.get(1..)?.to_vec()).ok()?))
        };
        if let Some(rest) = inner.strip_prefix(b"column_") {
            return arrow(rest, MemberOwner::Column);
        }
        if let Some(rest) = inner.strip_prefix(b"index_") {
            return arrow(rest, MemberOwner::Index);
        }
        inner.strip_prefix(b"columns_").and_then(|rest| arrow(rest, MemberOwner::Columns))
    }
}

/// A decimal number without sign or leading zeros.
fn number(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 18 || (digits.len() > 1 && digits.first() == Some(&b'0')) {
        return None;
    }
    digits.iter().try_fold(0usize, |n, &d| d.is_ascii_digit().then(|| n * 10 + usize::from(d - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let names = [
            MemberName::Meta,
            MemberName::Index(0),
            MemberName::Columns(12),
            MemberName::Block(9999),
            MemberName::Arrow(MemberOwner::Column(3), "dictionary_offsets".into()),
            MemberName::Arrow(MemberOwner::Index(0), "values".into()),
            MemberName::Arrow(MemberOwner::Columns(1), "validity".into()),
            MemberName::Part(Box::new(MemberName::Block(4)), 12),
            MemberName::Part(Box::new(MemberName::Arrow(MemberOwner::Column(3), "0_values".into())), 1),
            MemberName::Dictionary(Box::new(MemberName::Index(0))),
            MemberName::Dictionary(Box::new(MemberName::Arrow(
                MemberOwner::Column(3),
                "dictionary_values".into(),
            ))),
        ];
        for name in names {
            assert_eq!(MemberName::parse(name.text().as_bytes()), Some(name));
        }
        for other in [
            "",
            "x.npy",
            "__blocks_01__.npy",
            "__blocks_-1__.npy",
            "__blocks___.npy",
            "__column_3__.npy",
            "__blocks_1_part_0__.npy",
        ] {
            assert_eq!(MemberName::parse(other.as_bytes()), None, "{other}");
        }
    }
}
