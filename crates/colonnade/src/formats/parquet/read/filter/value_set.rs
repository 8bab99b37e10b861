//! The set of values that a term matches, as a shape on an ordered line.

/// A set of values of one type. NaN is not on the line: only `NoneOf` and `Everything` contain it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValueSet<T> {
    /// Equal to one of these, which are sorted.
    OneOf(Vec<T>),
    /// Equal to none of these, which are sorted.
    NoneOf(Vec<T>),
    /// Below this value; with `true` this value too.
    Below(T, bool),
    /// Above this value; with `true` this value too.
    Above(T, bool),
}

impl<T: PartialOrd> ValueSet<T> {
    /// The empty set.
    pub(super) fn empty() -> Self {
        Self::OneOf(Vec::new())
    }

    /// The set of all values.
    pub(super) fn all() -> Self {
        Self::NoneOf(Vec::new())
    }

    /// Whether the set contains `value`.
    #[inline]
    pub(super) fn contains(&self, value: &T) -> bool {
        match self {
            Self::OneOf(those) => has(those, value),
            Self::NoneOf(those) => !has(those, value),
            Self::Below(end, closed) => value < end || *closed && value == end,
            Self::Above(end, closed) => value > end || *closed && value == end,
        }
    }

    /// Whether the set may contain a value between `min` and `max`, both included. No value needs to equal the bounds.
    pub(super) fn may_hold(&self, min: &T, max: &T) -> bool {
        match self {
            Self::OneOf(those) => those.iter().any(|v| v >= min && v <= max),
            Self::NoneOf(those) => !(min == max && has(those, min)),
            Self::Below(end, closed) => min < end || *closed && min == end,
            Self::Above(end, closed) => max > end || *closed && max == end,
        }
    }

    /// Returns the values of a `OneOf`.
    pub(super) fn one_of(&self) -> Option<&[T]> {
        match self {
            Self::OneOf(those) => Some(those),
            _ => None,
        }
    }
}

fn has<T: PartialOrd>(those: &[T], value: &T) -> bool {
    match those {
        [] => false,
        [one] => one == value,
        // NaN has no order and equals none of them.
        more => more
            .binary_search_by(|v| v.partial_cmp(value).unwrap_or(std::cmp::Ordering::Less))
            .is_ok_and(|at| more.get(at) == Some(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_prune_only_impossible_values() {
        let shapes = [
            ValueSet::OneOf(vec![3, 9]),
            ValueSet::NoneOf(vec![4]),
            ValueSet::Below(5, false),
            ValueSet::Below(5, true),
            ValueSet::Above(5, false),
            ValueSet::Above(5, true),
            ValueSet::empty(),
            ValueSet::all(),
        ];
        for shape in shapes {
            for min in 0..10 {
                for max in min..10 {
                    let any = (min..=max).any(|v| shape.contains(&v));
                    assert_eq!(shape.may_hold(&min, &max), any, "{shape:?} {min} {max}");
                }
            }
        }
    }

    #[test]
    fn nan_is_equal_to_nothing() {
        for shape in [ValueSet::OneOf(vec![1.0, 2.0]), ValueSet::Below(1.0, true), ValueSet::Above(1.0, true)]
        {
            assert!(!shape.contains(&f64::NAN));
        }
        assert!(ValueSet::NoneOf(vec![1.0, 2.0]).contains(&f64::NAN));
    }
}
