//! Writes the schema's elements in the footer's encoding.

use arrow_schema::Field;

use crate::arrow::nullability::FIELD_ID;
use crate::formats::parquet::logical_type::{Logical, LogicalTimeUnit};
use crate::formats::parquet::schema::{Element, Repetition};
use crate::formats::parquet::thrift_out::ThriftOut;
use crate::formats::parquet::types::{LeafType, Physical};

/// Returns the field id from the field's metadata.
pub(super) fn id(field: &Field) -> Option<i32> {
    field.metadata().get(FIELD_ID).and_then(|text| text.parse().ok())
}

/// Appends the element of a leaf.
pub(super) fn leaf(bytes: &mut Vec<u8>, name: &str, field: &Field, stored: &LeafType, optional: bool) {
    let length = match stored.physical {
        Physical::Fixed(n) => i32::try_from(n).ok(),
        _ => None,
    };
    let element = Element {
        name,
        physical: Some(stored.physical.number()),
        length,
        repetition: if optional { Repetition::Optional } else { Repetition::Required },
        converted: stored.converted,
        logical: stored.logical,
        id: id(field),
        ..Element::default()
    };
    push(bytes, &element);
}

/// Appends an element.
pub(super) fn push(bytes: &mut Vec<u8>, element: &Element<'_>) {
    let mut out = ThriftOut::new(bytes);
    if let Some(physical) = element.physical {
        out.i32(1, physical);
    }
    if let Some(length) = element.length {
        out.i32(2, length);
    }
    out.i32(
        3,
        match element.repetition {
            Repetition::Required => 0,
            Repetition::Optional => 1,
            Repetition::Repeated => 2,
        },
    );
    out.binary(4, element.name.as_bytes());
    if element.physical.is_none() {
        out.i32(5, i32::try_from(element.children).unwrap_or(i32::MAX));
    }
    if let Some(converted) = element.converted {
        out.i32(6, converted);
    }
    if let Some(Logical::Decimal(scale, precision)) = element.logical {
        out.i32(7, scale);
        out.i32(8, precision);
    }
    if let Some(id) = element.id {
        out.i32(9, id);
    }
    if let Some(logical) = element.logical {
        out.begin(10);
        meaning(&mut out, logical);
        out.end();
    }
    out.end();
}

/// Writes a logical type as the only field of the union.
fn meaning(out: &mut ThriftOut<'_>, logical: Logical) {
    match logical {
        Logical::String => out.empty(1),
        Logical::Map => out.empty(2),
        Logical::List => out.empty(3),
        Logical::Enum => out.empty(4),
        Logical::Decimal(scale, precision) => {
            out.begin(5);
            out.i32(1, scale);
            out.i32(2, precision);
            out.end();
        }
        Logical::Date => out.empty(6),
        Logical::Time(unit, utc) => time(out, 7, unit, utc),
        Logical::Timestamp(unit, utc) => time(out, 8, unit, utc),
        Logical::Integer(bits, signed) => {
            out.begin(10);
            out.byte(1, bits);
            out.bool(2, signed);
            out.end();
        }
        Logical::Unknown => out.empty(11),
        Logical::Json => out.empty(12),
        Logical::Bson => out.empty(13),
        Logical::Uuid => out.empty(14),
        Logical::Float16 => out.empty(15),
        Logical::Other(id) => out.empty(id),
    }
}

fn time(out: &mut ThriftOut<'_>, id: i16, unit: LogicalTimeUnit, utc: bool) {
    out.begin(id);
    out.bool(1, utc);
    out.begin(2);
    out.empty(match unit {
        LogicalTimeUnit::Milli => 1,
        LogicalTimeUnit::Micro => 2,
        LogicalTimeUnit::Nano => 3,
    });
    out.end();
    out.end();
}
