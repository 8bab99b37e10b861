//! The schema: the elements as the footer lists them, and the leaves with their levels.

use crate::error::{Error, Result};

use super::logical_type::{INTERVAL, Logical, LogicalTimeUnit, MAP_KEY_VALUE, converted, logical_of};
use super::thrift::{Thrift, ThriftType};

/// Maximum nesting depth of a schema, in groups. A list has two groups, and Arrow's C interface carries 64 levels of types, so a
/// deeper schema has no reader. Code that recurses over types needs less than 512 KiB of stack for them.
const MAX_DEPTH: usize = 128;

/// Number of the physical type INT96, used for timestamps in old files.
const INT96: i32 = 3;

/// The ConvertedType DECIMAL.
const DECIMAL: i32 = 5;
/// The ConvertedType of columns of nulls, written by the first versions of parquet-cpp.
const NA: i32 = 25;

/// Repetition of a schema element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repetition {
    /// Exactly once.
    #[default]
    Required,
    /// Once, or null.
    Optional,
    /// Any number of times.
    Repeated,
}

/// A schema element.
#[derive(Debug, Clone, Copy, Default)]
pub struct Element<'a> {
    /// Name.
    pub name: &'a str,
    /// Physical type; `None` for groups.
    pub physical: Option<i32>,
    /// Bytes per value of FIXED_LEN_BYTE_ARRAY.
    pub length: Option<i32>,
    /// Repetition.
    pub repetition: Repetition,
    /// Number of child elements.
    pub children: usize,
    /// ConvertedType.
    pub converted: Option<i32>,
    /// Logical type.
    pub logical: Option<Logical>,
    /// Scale, in the fields that old files use.
    pub scale: i32,
    /// Precision, in the field that old files use.
    pub precision: i32,
    /// Field id that the writer assigned.
    pub id: Option<i32>,
    /// Unit in which timestamps of INT96 are read. No field of the file: the read options set it.
    pub int96_unit: LogicalTimeUnit,
}

/// A leaf of the schema: an element without children, stored as a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaLeaf {
    /// Index among the elements.
    pub element: usize,
    /// Index of the root's child that contains the leaf, or is the leaf.
    pub root: usize,
    /// Maximum definition level.
    pub definition: u16,
    /// Maximum repetition level.
    pub repetition: u16,
    /// Whether the leaf is a child of the root.
    pub flat: bool,
}

impl<'a> Element<'a> {
    /// Whether the type has an order. INT96, INTERVAL and unknown logical types have none.
    #[must_use]
    pub fn has_order(&self) -> bool {
        self.physical != Some(INT96)
            && self.converted != Some(INTERVAL)
            && !matches!(self.logical, Some(Logical::Other(_)))
    }

    /// Reads one element.
    ///
    /// # Errors
    /// Malformed or truncated.
    pub fn read(t: &mut Thrift<'a>) -> Result<Self> {
        let (mut out, mut named, mut last) = (Self::default(), false, 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (1, ThriftType::I32) => out.physical = Some(t.i32()?),
                (2, ThriftType::I32) => out.length = Some(t.i32()?),
                (3, ThriftType::I32) => {
                    out.repetition = match t.i32()? {
                        0 => Repetition::Required,
                        1 => Repetition::Optional,
                        2 => Repetition::Repeated,
                        _ => return Err(t.fault("a repetition that is not known")),
                    }
                }
                (4, ThriftType::Binary) => {
                    out.name = t.text()?;
                    named = true;
                }
                (5, ThriftType::I32) => {
                    out.children =
                        usize::try_from(t.i32()?).map_err(|_| t.fault("a negative number of children"))?;
                }
                (6, ThriftType::I32) => out.converted = Some(t.i32()?),
                (7, ThriftType::I32) => out.scale = t.i32()?,
                (8, ThriftType::I32) => out.precision = t.i32()?,
                (9, ThriftType::I32) => out.id = Some(t.i32()?),
                (10, ThriftType::Struct) => out.logical = logical(t)?,
                _ => t.skip(field.wire)?,
            }
        }
        if !named {
            return Err(t.fault("an element of the schema has no name"));
        }
        reconcile_annotations(&mut out);
        Ok(out)
    }
}

/// Makes the LogicalType and the ConvertedType agree. A LogicalType takes precedence and determines the ConvertedType; without one,
/// the LogicalType is derived from the ConvertedType.
fn reconcile_annotations(element: &mut Element<'_>) {
    match (element.logical, element.converted) {
        // An unknown logical type leaves the ConvertedType unchanged.
        (Some(Logical::Other(_)), _) | (None, None | Some(MAP_KEY_VALUE)) => {}
        (Some(logical), _) => element.converted = converted(logical),
        (None, Some(NA)) => (element.logical, element.converted) = (Some(Logical::Unknown), None),
        (None, Some(DECIMAL)) => element.logical = Some(Logical::Decimal(element.scale, element.precision)),
        (None, Some(word)) => element.logical = logical_of(word),
    }
}

fn logical(t: &mut Thrift<'_>) -> Result<Option<Logical>> {
    let (mut out, mut last) = (None, 0);
    while let Some(field) = t.field(&mut last)? {
        if field.wire != ThriftType::Struct {
            t.skip(field.wire)?;
            continue;
        }
        out = Some(match field.id {
            5 => numbers(t, Logical::Decimal)?,
            7 => time(t, Logical::Time)?,
            8 => time(t, Logical::Timestamp)?,
            10 => integer(t)?,
            id => {
                t.skip(ThriftType::Struct)?;
                match id {
                    1 => Logical::String,
                    2 => Logical::Map,
                    3 => Logical::List,
                    4 => Logical::Enum,
                    6 => Logical::Date,
                    11 => Logical::Unknown,
                    12 => Logical::Json,
                    13 => Logical::Bson,
                    14 => Logical::Uuid,
                    15 => Logical::Float16,
                    other => Logical::Other(other),
                }
            }
        });
    }
    Ok(out)
}

fn numbers(t: &mut Thrift<'_>, make: impl FnOnce(i32, i32) -> Logical) -> Result<Logical> {
    let (mut a, mut b, mut last) = (0, 0, 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, ThriftType::I32) => a = t.i32()?,
            (2, ThriftType::I32) => b = t.i32()?,
            _ => t.skip(field.wire)?,
        }
    }
    Ok(make(a, b))
}

fn time(t: &mut Thrift<'_>, make: impl FnOnce(LogicalTimeUnit, bool) -> Logical) -> Result<Logical> {
    let (mut unit, mut utc, mut last) = (None, false, 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, ThriftType::True) => utc = true,
            (1, ThriftType::False) => utc = false,
            (2, ThriftType::Struct) => {
                let mut inner = 0;
                while let Some(field) = t.field(&mut inner)? {
                    unit = match field.id {
                        1 => Some(LogicalTimeUnit::Milli),
                        2 => Some(LogicalTimeUnit::Micro),
                        3 => Some(LogicalTimeUnit::Nano),
                        _ => unit,
                    };
                    t.skip(field.wire)?;
                }
            }
            _ => t.skip(field.wire)?,
        }
    }
    let unit = unit.ok_or_else(|| t.fault("a time has no unit that is known"))?;
    Ok(make(unit, utc))
}

fn integer(t: &mut Thrift<'_>) -> Result<Logical> {
    let (mut bits, mut signed, mut last) = (0, true, 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, ThriftType::Byte) => bits = t.byte()?.cast_signed(),
            (2, ThriftType::True) => signed = true,
            (2, ThriftType::False) => signed = false,
            _ => t.skip(field.wire)?,
        }
    }
    Ok(Logical::Integer(bits, signed))
}

/// Returns the leaves, depth first, and checks that the elements form one tree: the counts of children must match.
///
/// # Errors
/// Malformed schemas; groups nested too deeply.
pub fn leaves(elements: &[Element<'_>]) -> Result<Vec<SchemaLeaf>> {
    let fault = |message: &str| {
        Error::malformed("parquet", format!("the schema {message}. The file is damaged; write it again."))
    };
    let mut out = Vec::with_capacity(elements.len());
    // A stack of groups: the number of children left, and the levels.
    let Some(root) = elements.first() else { return Err(fault("is empty")) };
    let mut open: Vec<(usize, u16, u16)> = vec![(root.children, 0, 0)];
    let mut top = 0;
    for (k, element) in elements.iter().enumerate().skip(1) {
        while open.last().is_some_and(|(left, ..)| *left == 0) {
            open.pop();
        }
        let depth = open.len();
        let Some((left, definition, repetition)) = open.last_mut() else {
            return Err(fault("has elements outside its root"));
        };
        *left -= 1;
        let (mut d, mut r) = (*definition, *repetition);
        match element.repetition {
            Repetition::Required => {}
            Repetition::Optional => d += 1,
            Repetition::Repeated => {
                d += 1;
                r += 1;
            }
        }
        if depth == 1 {
            top = k;
        }
        if element.physical.is_some() {
            out.push(SchemaLeaf { element: k, root: top, definition: d, repetition: r, flat: depth == 1 });
        } else if element.children == 0 {
            let message = "a group without fields: Arrow and Parquet's other readers have no column for it. Write it \
                           without that group.";
            return Err(Error::malformed("parquet", message).in_member(format!("column {}", element.name)));
        } else if depth > MAX_DEPTH {
            let message =
                format!("the schema nests groups deeper than {MAX_DEPTH}. Flatten the column first.");
            return Err(Error::limit("parquet", message));
        } else {
            open.push((element.children, d, r));
        }
    }
    if open.iter().any(|(left, ..)| *left > 0) {
        return Err(fault("ends before all children of its groups"));
    }
    Ok(out)
}
