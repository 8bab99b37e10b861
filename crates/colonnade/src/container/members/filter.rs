//! Filters: how a member encodes an array before compression, and how `__colonnade__` describes it.
//!
//! ```text
//! none           the array, in parts of whole rows
//! shuffle        (width * itemsize, rows) bytes: each column's first bytes, then its second bytes and so on
//! delta          the array's differences down the rows, as integers that wrap
//! delta-shuffle  the bytes of the differences, as for shuffle
//! dictionary     (rows,) codes of one byte, or (2, rows) bytes: low ones, high ones; values in `..._dictionary__.npy`
//! ```
//!
//! Every member stays a plain NPY. A long column is split into parts of `part_rows` rows, one member each, so that all cores
//! work on it. The first part has the array's name, the others `..._part_{k}__.npy`.

use serde_json::{Map, Value, json};

use crate::codec::filter::{DELTA_WIDTHS, SHUFFLE_WIDTHS};
use crate::error::{Error, Result};
use crate::frame::{DType, DTypeKind};

use crate::decode::GroupKey;

/// A reversible encoding of an array that makes it compress better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum MemberFilter {
    /// The array unchanged.
    #[default]
    None,
    /// Groups the bytes of equal significance.
    Shuffle,
    /// Differences from the row before.
    Delta,
    /// Differences, then shuffled.
    DeltaShuffle,
    /// Codes; the values are in another member.
    Dictionary,
}

/// The filters' names, as options and files spell them.
pub const FILTERS: [(&str, MemberFilter); 5] = [
    ("none", MemberFilter::None),
    ("shuffle", MemberFilter::Shuffle),
    ("delta", MemberFilter::Delta),
    ("delta-shuffle", MemberFilter::DeltaShuffle),
    ("dictionary", MemberFilter::Dictionary),
];

/// Most values of a dictionary: codes have one or two bytes.
pub const MAX_VALUES: usize = 1 << 16;

impl MemberFilter {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        FILTERS.iter().find(|(_, filter)| *filter == self).map_or("none", |(name, _)| name)
    }

    /// The filter of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        FILTERS.iter().find(|(other, _)| *other == name).map(|(_, filter)| *filter)
    }

    /// Whether the filter supports a dtype.
    #[must_use]
    pub fn supports(self, dtype: &DType) -> bool {
        let width = dtype.itemsize as usize;
        // Text is no number, and bools must stay 0 and 1.
        let number = !matches!(dtype.kind, DTypeKind::Bytes | DTypeKind::Unicode | DTypeKind::Bool);
        match self {
            Self::None => width > 0,
            Self::Shuffle => number && SHUFFLE_WIDTHS.contains(&width),
            Self::Delta => number && dtype.kind != DTypeKind::Void && DELTA_WIDTHS.contains(&width),
            Self::DeltaShuffle => Self::Shuffle.supports(dtype) && Self::Delta.supports(dtype),
            Self::Dictionary => number && dtype.kind != DTypeKind::Void && [4, 8].contains(&width),
        }
    }

    /// The header of a member with `rows` rows of `width` columns of `dtype`. A dictionary's member holds codes of one byte,
    /// or of two if `wide`.
    #[must_use]
    pub fn key(self, dtype: DType, rows: usize, width: usize, wide: bool) -> GroupKey {
        let plain = GroupKey { dtype, nrows: rows, width, two_dimensional: width != 1, fortran_order: true };
        let bytes = |count: usize| GroupKey {
            dtype: DType::BYTE,
            nrows: count,
            width: rows,
            two_dimensional: true,
            fortran_order: false,
        };
        match self {
            Self::None => plain,
            Self::Delta => GroupKey { dtype: difference(dtype), ..plain },
            Self::Shuffle | Self::DeltaShuffle => bytes(width.saturating_mul(dtype.itemsize as usize)),
            Self::Dictionary if wide => bytes(2),
            Self::Dictionary => GroupKey { dtype: DType::BYTE, ..plain },
        }
    }
}

/// The dtype of differences: integers keep theirs, other dtypes become signed integers of the same width.
fn difference(dtype: DType) -> DType {
    match dtype.kind {
        DTypeKind::Int | DTypeKind::UInt => dtype,
        _ => DType { kind: DTypeKind::Int, unit: None, ..dtype },
    }
}

/// One filtered array, as the meta member describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterSpec {
    /// The member of the array's first part.
    pub member: String,
    /// Its filter.
    pub filter: MemberFilter,
    /// The dtype of its decoded cells.
    pub dtype: DType,
    /// Its rows.
    pub nrows: usize,
    /// Its columns; 1 for a one-dimensional array.
    pub width: usize,
    /// Rows of each part but the last.
    pub part_rows: usize,
    /// Values of the dictionary; 0 for other filters.
    pub values: usize,
}

impl FilterSpec {
    /// Number of its parts.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.nrows.div_ceil(self.part_rows.max(1)).max(1)
    }

    /// The header of part `k`.
    #[must_use]
    pub fn key(&self, k: usize) -> GroupKey {
        self.filter.key(self.dtype, self.rows(k), self.width, self.is_wide())
    }

    /// Whether codes have two bytes.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.values > 256
    }

    /// Rows of part `k`.
    #[must_use]
    pub fn rows(&self, k: usize) -> usize {
        self.nrows.saturating_sub(k.saturating_mul(self.part_rows)).min(self.part_rows)
    }

    pub(super) fn to_json(&self) -> Value {
        let mut out = Map::new();
        out.insert("member".into(), json!(self.member));
        out.insert("filter".into(), json!(self.filter.name()));
        out.insert("type".into(), json!(self.dtype.descr()));
        let shape = if self.width == 1 { json!([self.nrows]) } else { json!([self.nrows, self.width]) };
        out.insert("shape".into(), shape);
        if self.parts() > 1 {
            out.insert("part_rows".into(), json!(self.part_rows));
        }
        if self.filter == MemberFilter::Dictionary {
            out.insert("values".into(), json!(self.values));
        }
        Value::Object(out)
    }

    pub(super) fn from_json(value: &Value) -> Result<Self> {
        let malformed = |what: &str| {
            Error::malformed(
                "npz",
                format!("expected {what} of a filtered member, found {value} in __colonnade__."),
            )
        };
        let text = |key: &str| value.get(key).and_then(Value::as_str).ok_or_else(|| malformed(key));
        let size = |v: &Value| usize::try_from(v.as_u64()?).ok();
        let name = text("filter")?;
        let filter = MemberFilter::parse(name).ok_or_else(|| {
            let names: Vec<&str> = FILTERS.iter().map(|(name, _)| *name).collect();
            let member = value.get("member").and_then(Value::as_str).unwrap_or("");
            let message = format!(
                "expected a filter of {}, found {name:?} for {member:?}. Upgrade colonnade.",
                names.join(", ")
            );
            Error::unsupported("npz", message)
        })?;
        let dtype = DType::parse(text("type")?).ok_or_else(|| malformed("type"))?;
        let shape = value.get("shape").and_then(Value::as_array).ok_or_else(|| malformed("shape"))?;
        let shape: Vec<usize> =
            shape.iter().map(size).collect::<Option<_>>().ok_or_else(|| malformed("shape"))?;
        let (nrows, width) = match shape.as_slice() {
            [nrows] => (*nrows, 1),
            [nrows, width] if *width > 1 => (*nrows, *width),
            _ => return Err(malformed("shape")),
        };
        let part_rows = match value.get("part_rows") {
            None => nrows,
            Some(rows) => size(rows).filter(|&rows| rows > 0).ok_or_else(|| malformed("part_rows"))?,
        };
        let values = match value.get("values") {
            Some(count) => {
                size(count).filter(|&count| count <= MAX_VALUES).ok_or_else(|| malformed("values"))?
            }
            None if filter == MemberFilter::Dictionary => return Err(malformed("values")),
            None => 0,
        };
        let out = Self { member: text("member")?.to_owned(), filter, dtype, nrows, width, part_rows, values };
        let is_one_column = width == 1;
        if !filter.supports(&dtype)
            || (!is_one_column && (filter == MemberFilter::Dictionary || out.parts() > 1))
        {
            let message = format!(
                "filter {name:?} does not apply to {} of {width} columns in {} parts, found for {:?}. The file is damaged or hostile.",
                dtype.descr(),
                out.parts(),
                out.member
            );
            return Err(Error::malformed("npz", message));
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_come_back_from_json() {
        let dtype = DType::parse("<f8").unwrap();
        let spec = |filter, width, part_rows| FilterSpec {
            member: "__blocks_3__.npy".into(),
            filter,
            dtype,
            nrows: 10,
            width,
            part_rows,
            values: if filter == MemberFilter::Dictionary { 300 } else { 0 },
        };
        for spec in [
            spec(MemberFilter::Shuffle, 1, 4),
            spec(MemberFilter::Delta, 3, 10),
            spec(MemberFilter::Dictionary, 1, 10),
        ] {
            assert_eq!(FilterSpec::from_json(&spec.to_json()).unwrap(), spec);
        }
        assert_eq!((spec(MemberFilter::None, 1, 4).parts(), spec(MemberFilter::None, 1, 4).rows(2)), (3, 2));
    }
}
