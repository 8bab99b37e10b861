//! Metadata of a source as names and values, for `info`.

use std::borrow::Cow;

use crate::container::npy::Descr;

/// Names and values, in the order of display.
pub type Facts = Vec<(&'static str, Fact)>;

/// A metadata value. JSON would not do, since it has no bytes, no tuples and no integers of more than 64 bits.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// No value.
    None,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Text(Cow<'static, str>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Lengths of dimensions.
    Shape(Vec<usize>),
    /// The dtype of an NPY header, displayed as in NumPy.
    Dtype(Descr),
    /// Several values.
    List(Vec<Fact>),
    /// Several named values.
    Facts(Facts),
}

macro_rules! from_integers {
    ($($type:ty),*) => {$(
        impl From<$type> for Fact {
            fn from(value: $type) -> Self {
                Self::Int(i128::from(value))
            }
        }
    )*};
}

from_integers!(i16, i32, i64, i128, u16, u32, u64);

impl From<usize> for Fact {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl From<bool> for Fact {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Fact {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&'static str> for Fact {
    fn from(value: &'static str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl From<String> for Fact {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl<T: Into<Self>> From<Option<T>> for Fact {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Fact {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}
