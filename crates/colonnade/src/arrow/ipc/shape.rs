//! The schema, and the positions of each field's nodes and buffers in the flat lists of a batch.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_ipc::{Endianness, Schema as FbSchema};
use arrow_schema::{DataType, Field, IntervalUnit, SchemaRef};
use flatbuffers::{Verifiable, Verifier};

use crate::error::{Error, Result};
use crate::frame::MAX_DEPTH;

use super::field_position::FieldPosition;
use super::layout_counter::LayoutCounter;
use super::message::{check_version, first_line, verifier, with_aligned_copy};

/// Metadata key of the schema message: the number of rows of the stream, in decimal. A receiver allocates the columns by it
/// before the first batch. It is not metadata of the schema, which other tools would copy into other streams.
pub const NROWS_KEY: &str = "colonnade.nrows";

/// The schema, and the layout of its batches.
#[derive(Debug)]
pub struct BatchLayout {
    /// Fields and metadata.
    pub schema: SchemaRef,
    /// Whether numbers in bodies are big-endian.
    pub big_endian: bool,
    /// The flatbuffer's enumeration: 3 is V4, 4 is V5.
    pub(crate) version: i16,
    pub(crate) places: Vec<FieldPosition>,
    /// Number of nodes, buffers and view columns of a batch.
    pub(crate) total: FieldPosition,
    /// Types of the dictionaries' values, by id.
    pub(crate) dictionaries: HashMap<i64, DataType>,
    /// Minimum bits of a row, over all columns.
    pub(crate) row_bits: u64,
    /// Rows of all batches, if the writer declared them as [`NROWS_KEY`].
    pub(crate) announced: Option<u64>,
}

impl BatchLayout {
    /// Decodes a schema message.
    ///
    /// # Errors
    /// Malformed or unsupported types.
    pub(crate) fn of_message(bytes: &[u8]) -> Result<Self> {
        with_aligned_copy(bytes, Self::of_aligned)
    }

    /// Decodes a schema message whose bytes are aligned to eight and cannot change.
    ///
    /// # Errors
    /// Malformed or unsupported types.
    pub(crate) fn of_aligned(bytes: &[u8]) -> Result<Self> {
        let message = arrow_ipc::root_as_message_with_opts(&verifier(bytes.len()), bytes).map_err(|e| {
            Error::malformed("arrow", format!("the schema is no flatbuffer ({}).", first_line(&e)))
        })?;
        let version = check_version(message.version())?;
        let schema = message.header_as_schema().ok_or_else(|| {
            Error::malformed("arrow", "expected a schema as the first message, found another.")
        })?;
        let announced = message.custom_metadata().and_then(|all| {
            let pair = all.iter().find(|pair| pair.key() == Some(NROWS_KEY))?;
            pair.value()?.parse::<u64>().ok()
        });
        Ok(Self { announced, ..Self::of_schema(bytes, schema, version)? })
    }

    /// Decodes the schema of a flatbuffer. `bytes` is the whole flatbuffer.
    ///
    /// # Errors
    /// Malformed or unsupported types.
    pub(crate) fn of_schema(bytes: &[u8], schema: FbSchema<'_>, version: i16) -> Result<Self> {
        let big_endian = match schema.endianness() {
            Endianness::Little => false,
            Endianness::Big => true,
            other => {
                return Err(Error::malformed(
                    "arrow",
                    format!("expected an endianness of 0 or 1, found {}.", other.0),
                ));
            }
        };
        check_depth(schema)?;
        let converted = if big_endian {
            // The conversion refuses big-endian decimals, which `endianness` swaps like all numbers. It treats a schema that
            // is marked little-endian the same in all else.
            let mut copy = bytes.to_vec();
            let at = schema._tab.loc() + usize::from(schema._tab.vtable().get(FbSchema::VT_ENDIANNESS));
            if let Some(place) = copy.get_mut(at..at + 2) {
                place.fill(0);
            }
            let copy = arrow_buffer::Buffer::from_slice_ref(&copy);
            let place = schema._tab.loc();
            // The verifier accepts a flatbuffer whose endianness overlaps an offset, so the changed copy is verified again.
            let options = verifier(copy.len());
            FbSchema::run_verifier(&mut Verifier::new(&options, copy.as_slice()), place).map_err(|e| {
                Error::malformed("arrow", format!("the schema is no flatbuffer ({}).", first_line(&e)))
            })?;
            // SAFETY: there is a valid schema at `place`: the verifier has just proven it.
            let little_endian =
                unsafe { FbSchema::init_from_table(flatbuffers::Table::new(copy.as_slice(), place)) };
            check_depth(little_endian)?;
            arrow_ipc::convert::try_fb_to_schema(little_endian)
        } else {
            arrow_ipc::convert::try_fb_to_schema(schema)
        };
        let schema = converted.map_err(|e| Error::malformed("arrow", format!("schema: {e}.")))?;
        Self::new(Arc::new(schema), big_endian, version)
    }

    fn new(schema: SchemaRef, big_endian: bool, version: i16) -> Result<Self> {
        let mut counter = LayoutCounter::new(version);
        let mut places = Vec::with_capacity(schema.fields().len());
        let mut row_bits = 0u64;
        for field in schema.fields() {
            places.push(counter.at);
            counter.field(field, 0).map_err(|e| e.in_member(field.name()))?;
            row_bits = row_bits.saturating_add(min_bits(field.data_type()));
        }
        let LayoutCounter { at: total, dictionaries, .. } = counter;
        Ok(Self { schema, big_endian, version, places, total, dictionaries, row_bits, announced: None })
    }

    /// Number of nodes, buffers and view columns of a field of the schema, or of one within such a field.
    ///
    /// # Errors
    /// The errors of decoding the schema.
    pub(crate) fn extent(&self, field: &Field) -> Result<FieldPosition> {
        let mut counter = LayoutCounter::new(self.version);
        counter.field(field, 0)?;
        Ok(counter.at)
    }

    /// The metadata version: 4 or 5.
    #[must_use]
    pub fn metadata_version(&self) -> i16 {
        self.version + 1
    }
}

/// Whether two schemas give batches the same layout.
pub(crate) fn same_schema(a: FbSchema<'_>, b: FbSchema<'_>) -> bool {
    let lists = (a.fields(), b.fields());
    let fields = match lists {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_field(a, b, 0)),
        (None, None) => true,
        _ => false,
    };
    fields && a.endianness() == b.endianness()
}

fn same_field(a: arrow_ipc::Field<'_>, b: arrow_ipc::Field<'_>, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return true; // `check_depth` refuses it
    }
    let dictionaries = match (a.dictionary(), b.dictionary()) {
        (Some(a), Some(b)) => a.id() == b.id() && int_type(a.indexType()) == int_type(b.indexType()),
        (None, None) => true,
        _ => false,
    };
    let children = match (a.children(), b.children()) {
        (Some(a), Some(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_field(a, b, depth + 1))
        }
        (a, b) => a.is_none_or(|a| a.is_empty()) && b.is_none_or(|b| b.is_empty()),
    };
    a.name() == b.name()
        && a.type_type() == b.type_type()
        && dictionaries
        && children
        && same_parameters(a, b)
}

fn int_type(int: Option<arrow_ipc::Int<'_>>) -> Option<(i32, bool)> {
    int.map(|int| (int.bitWidth(), int.is_signed()))
}

/// Compares the parameters that change the width of values. Other parameters cannot cause a read past a buffer.
fn same_parameters(a: arrow_ipc::Field<'_>, b: arrow_ipc::Field<'_>) -> bool {
    int_type(a.type_as_int()) == int_type(b.type_as_int())
        && a.type_as_floating_point().map(|t| t.precision())
            == b.type_as_floating_point().map(|t| t.precision())
        && a.type_as_timestamp().map(|t| (t.unit(), t.timezone()))
            == b.type_as_timestamp().map(|t| (t.unit(), t.timezone()))
        && a.type_as_fixed_size_binary().map(|t| t.byteWidth())
            == b.type_as_fixed_size_binary().map(|t| t.byteWidth())
        && a.type_as_fixed_size_list().map(|t| t.listSize())
            == b.type_as_fixed_size_list().map(|t| t.listSize())
        && a.type_as_decimal().map(|t| (t.bitWidth(), t.scale()))
            == b.type_as_decimal().map(|t| (t.bitWidth(), t.scale()))
}

/// Refuses schemas whose fields nest too deep for the recursive conversion.
fn check_depth(schema: FbSchema<'_>) -> Result<()> {
    fn check_field(field: arrow_ipc::Field<'_>, level: usize) -> Result<()> {
        if level > MAX_DEPTH {
            return Err(Error::limit("arrow", format!("types nest deeper than {MAX_DEPTH} levels.")));
        }
        let Some(children) = field.children() else { return Ok(()) };
        if let Some(union) = field.type_as_union() {
            // The conversion truncates codes to a byte.
            let beyond = union.typeIds().and_then(|ids| ids.iter().find(|id| !(0..128).contains(id)));
            if let Some(code) = beyond.or_else(|| (children.len() > 128).then_some(128)) {
                return Err(Error::malformed(
                    "arrow",
                    format!("expected codes of a union from 0 to 127, found {code}."),
                ));
            }
        }
        children.iter().try_for_each(|child| check_field(child, level + 1))
    }
    schema.fields().map_or(Ok(()), |fields| fields.iter().try_for_each(|field| check_field(field, 0)))
}

/// Bytes of a value of a fixed-width type.
pub(crate) fn width(data_type: &DataType) -> Option<usize> {
    Some(match data_type {
        DataType::Int8 | DataType::UInt8 => 1,
        DataType::Int16 | DataType::UInt16 | DataType::Float16 => 2,
        DataType::Int32
        | DataType::UInt32
        | DataType::Float32
        | DataType::Date32
        | DataType::Time32(_)
        | DataType::Decimal32(..)
        | DataType::Interval(IntervalUnit::YearMonth) => 4,
        DataType::Int64
        | DataType::UInt64
        | DataType::Float64
        | DataType::Date64
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Decimal64(..)
        | DataType::Interval(IntervalUnit::DayTime) => 8,
        DataType::Decimal128(..) | DataType::Interval(IntervalUnit::MonthDayNano) => 16,
        DataType::Decimal256(..) => 32,
        DataType::FixedSizeBinary(n) => usize::try_from(*n).ok()?,
        _ => return None,
    })
}

/// Minimum bits of a value.
pub(super) fn min_bits(data_type: &DataType) -> u64 {
    match data_type {
        DataType::Boolean => 1,
        DataType::Utf8 | DataType::Binary | DataType::List(_) | DataType::Map(..) => 32,
        DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_) | DataType::ListView(_) => 64,
        DataType::LargeListView(_) | DataType::Utf8View | DataType::BinaryView => 128,
        DataType::Dictionary(key, _) => min_bits(key),
        DataType::Struct(fields) => {
            fields.iter().map(|f| min_bits(f.data_type())).fold(0, u64::saturating_add)
        }
        DataType::FixedSizeList(item, n) => {
            min_bits(item.data_type()).saturating_mul(u64::try_from(*n).unwrap_or(0))
        }
        DataType::Union(..) => 8,
        other => width(other).map_or(0, |w| w as u64 * 8),
    }
}
