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
    pub(crate) fn empty() -> Self {
        Self::OneOf(Vec::new())
    }

    /// The set of all values.
    pub(crate) fn all() -> Self {
        Self::NoneOf(Vec::new())
    }

    /// Whether the set contains `value`.
    #[inline]
    pub(crate) fn contains(&self, value: &T) -> bool {
        match self {
            Self::OneOf(those) => has(those, value),
            Self::NoneOf(those) => !has(those, value),
            Self::Below(end, closed) => value < end || *closed && value == end,
            Self::Above(end, closed) => value > end || *closed && value == end,
        }
    }

    /// Whether the set contains each value: [`ValueSet::contains`], with the shape chosen outside the loop.
    pub(crate) fn contains_each(&self, values: impl Iterator<Item = T>) -> Vec<bool> {
        match self {
            Self::OneOf(those) => match those.as_slice() {
                [one] => values.map(|v| v == *one).collect(),
                those => values.map(|v| has(those, &v)).collect(),
            },
            Self::NoneOf(those) => match those.as_slice() {
                [one] => values.map(|v| v != *one).collect(),
                those => values.map(|v| !has(those, &v)).collect(),
            },
            Self::Below(end, true) => values.map(|v| v <= *end).collect(),
            Self::Below(end, false) => values.map(|v| v < *end).collect(),
            Self::Above(end, true) => values.map(|v| v >= *end).collect(),
            Self::Above(end, false) => values.map(|v| v > *end).collect(),
        }
    }

    /// The same set of a type with fewer values. `narrow` gives, for a value beyond them, whether it is below all.
    pub(crate) fn narrowed<W: PartialOrd>(
        self,
        narrow: impl Fn(T) -> std::result::Result<W, bool>,
    ) -> ValueSet<W> {
        let those = |those: Vec<T>| those.into_iter().filter_map(|v| narrow(v).ok()).collect();
        let edge = |all: bool| if all { ValueSet::all() } else { ValueSet::empty() };
        match self {
            Self::OneOf(list) => ValueSet::OneOf(those(list)),
            Self::NoneOf(list) => ValueSet::NoneOf(those(list)),
            Self::Below(end, closed) => {
                narrow(end).map_or_else(|low| edge(!low), |end| ValueSet::Below(end, closed))
            }
            Self::Above(end, closed) => narrow(end).map_or_else(edge, |end| ValueSet::Above(end, closed)),
        }
    }

    /// Whether the set may contain a value between `min` and `max`, both included. No value needs to equal the bounds.
    pub(crate) fn may_hold(&self, min: &T, max: &T) -> bool {
        match self {
            Self::OneOf(those) => those.iter().any(|v| v >= min && v <= max),
            Self::NoneOf(those) => !(min == max && has(those, min)),
            Self::Below(end, closed) => min < end || *closed && min == end,
            Self::Above(end, closed) => max > end || *closed && max == end,
        }
    }

    /// Returns the values of a `OneOf`.
    pub(crate) fn one_of(&self) -> Option<&[T]> {
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
