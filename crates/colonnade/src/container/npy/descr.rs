//! The `descr` key: a scalar dtype, or the fields of a structured one.

use super::literal::{LiteralNode, LiteralValue, shortened};
use super::shape::shape_from_literal;
use super::{FORMAT, to_u64};
use crate::error::{Error, Result};
use crate::frame::dtype::{DType, DTypeKind};

/// Type of the elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Descr {
    /// A scalar dtype of the allow-list.
    Scalar(DType),
    /// A structured dtype: the fields one after the other, padding as unnamed `V` fields.
    Struct(Vec<DescrField>),
}

/// A field of a structured dtype.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DescrField {
    /// Its name; empty for padding.
    pub name: String,
    /// Its title, NumPy's second name.
    pub title: Option<String>,
    /// Its type.
    pub descr: Descr,
    /// Shape of the sub-array; empty for one value.
    pub shape: Vec<usize>,
}

impl DescrField {
    /// Whether the field is padding of an aligned struct, which NumPy writes as an unnamed `V`.
    #[must_use]
    pub fn is_padding(&self) -> bool {
        self.name.is_empty() && matches!(&self.descr, Descr::Scalar(dtype) if dtype.kind == DTypeKind::Void)
    }

    /// Bytes of the field; `None` past the address space.
    #[must_use]
    pub fn nbytes(&self) -> Option<usize> {
        self.shape.iter().try_fold(self.descr.itemsize()?, |nbytes, &length| nbytes.checked_mul(length))
    }
}

impl Descr {
    /// Bytes of one element; `None` past the address space.
    #[must_use]
    pub fn itemsize(&self) -> Option<usize> {
        match self {
            Self::Scalar(dtype) => Some(dtype.itemsize as usize),
            Self::Struct(fields) => {
                fields.iter().try_fold(0_usize, |nbytes, field| nbytes.checked_add(field.nbytes()?))
            }
        }
    }
}

/// Parses a dtype string or a list of fields.
pub(super) fn descr_from_literal(node: &LiteralNode) -> Result<Descr> {
    match &node.value {
        LiteralValue::Str(text) => match DType::parse(text) {
            Some(dtype) => Ok(Descr::Scalar(dtype)),
            None if is_object(text) => {
                let message = format!(
                    "expected a scalar dtype, found '{}'. Pickled objects are never read: \
                     convert the array to a fixed dtype and save it again.",
                    shortened(text)
                );
                Err(Error::unsupported(FORMAT, message).at(to_u64(node.at)))
            }
            None => Err(node.unexpected("a scalar dtype such as '<f8'")),
        },
        LiteralValue::List(items) => {
            let fields: Vec<DescrField> = items.iter().map(field).collect::<Result<_>>()?;
            check_names(&fields, node)?;
            Ok(Descr::Struct(fields))
        }
        _ => Err(node.unexpected("a dtype string or a list of fields as descr")),
    }
}

fn is_object(descr: &str) -> bool {
    let code = descr.trim_start_matches(['<', '>', '=', '|']);
    code.strip_prefix('O').is_some_and(|size| size.bytes().all(|digit| digit.is_ascii_digit()))
}

/// `(name, descr)` or `(name, descr, shape)`, where the name may be `(title, name)`.
fn field(node: &LiteralNode) -> Result<DescrField> {
    let expected = "a field (name, dtype) or (name, dtype, shape)";
    let (name, descr, shape) = match &node.value {
        LiteralValue::Tuple(parts) => match parts.as_slice() {
            [name, descr] => (name, descr, None),
            [name, descr, shape] => (name, descr, Some(shape)),
            _ => return Err(node.unexpected(expected)),
        },
        _ => return Err(node.unexpected(expected)),
    };
    let (title, name) = match &name.value {
        LiteralValue::Str(name) => (None, name.clone()),
        LiteralValue::Tuple(names) => match names.as_slice() {
            [
                LiteralNode { value: LiteralValue::Str(title), .. },
                LiteralNode { value: LiteralValue::Str(name), .. },
            ] => (Some(title.clone()), name.clone()),
            _ => return Err(name.unexpected("a (title, name) of two strings")),
        },
        _ => return Err(name.unexpected("a field's name")),
    };
    let descr = descr_from_literal(descr)?;
    let shape = shape.map(shape_from_literal).transpose()?.unwrap_or_default();
    let field = DescrField { name, title, descr, shape };
    if field.name.is_empty() && !field.is_padding() {
        return Err(node.unexpected("a name for a field that is not padding"));
    }
    Ok(field)
}

/// Refuses duplicate names, which would hide a field.
fn check_names(fields: &[DescrField], node: &LiteralNode) -> Result<()> {
    let mut names: Vec<&str> =
        fields.iter().filter(|field| !field.is_padding()).map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair.first() == pair.last()) {
        Some([name, ..]) => {
            let message = format!("expected each field once, found {:?} twice.", shortened(name));
            Err(Error::malformed(FORMAT, message).at(to_u64(node.at)))
        }
        _ => Ok(()),
    }
}
