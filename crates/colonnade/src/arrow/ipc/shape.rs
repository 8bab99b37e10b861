//! The schema, and where each field's nodes and buffers stand in the flat lists of a batch.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_ipc::{Endianness, Schema as FbSchema};
use arrow_schema::{DataType, Field, IntervalUnit, SchemaRef, UnionMode};
use flatbuffers::{Verifiable, Verifier};

use crate::error::{Error, Result};
use crate::frame::{MAX_DEPTH, children};

use super::message::{check_version, copied, first_line, verifier};

/// Metadata of the schema message itself (not of the schema, which other tools carry along): how many rows will come.
pub const NROWS_KEY: &str = "colonnade.nrows";

/// Where a field's parts begin among the nodes, buffers and view columns of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    pub(crate) node: usize,
    /// Not counting the variadic buffers of view columns before it.
    pub(crate) buffer: usize,
    /// View columns before it.
    pub(crate) view: usize,
}

impl Place {
    /// The place behind parts of this extent.
    pub(crate) fn past(self, extent: Self) -> Self {
        Self {
            node: self.node + extent.node,
            buffer: self.buffer + extent.buffer,
            view: self.view + extent.view,
        }
    }

    /// This extent less one that it holds.
    pub(crate) fn without(self, extent: Self) -> Self {
        Self {
            node: self.node - extent.node,
            buffer: self.buffer - extent.buffer,
            view: self.view - extent.view,
        }
    }
}

/// What the schema message says.
#[derive(Debug)]
pub struct Shape {
    /// Fields and metadata.
    pub schema: SchemaRef,
    /// Numbers in bodies are big-endian.
    pub big_endian: bool,
    /// 3 is V4, 4 is V5, as the flatbuffers count.
    pub(crate) version: i16,
    pub(crate) places: Vec<Place>,
    /// Nodes, buffers and view columns of a batch.
    pub(crate) total: Place,
    /// Types of the dictionaries' values.
    pub(crate) dictionaries: HashMap<i64, DataType>,
    /// Bits that a row takes at least, over all columns.
    pub(crate) row_bits: u64,
    /// Rows of all batches together, where the writer knew: `colonnade.nrows` of the schema message itself.
    pub(crate) announced: Option<u64>,
}

impl Shape {
    /// The schema of a schema message.
    ///
    /// # Errors
    /// Malformed or unsupported types.
    pub(crate) fn of_message(bytes: &[u8]) -> Result<Self> {
        copied(bytes, Self::of_own)
    }

    /// The same of bytes that are aligned to eight, and that nobody changes.
    ///
    /// # Errors
    /// Malformed or unsupported types.
    pub(crate) fn of_own(bytes: &[u8]) -> Result<Self> {
        let message = arrow_ipc::root_as_message_with_opts(&verifier(bytes.len()), bytes).map_err(|e| {
            Error::malformed("arrow", format!("the schema is no flatbuffer ({}).", first_line(&e)))
        })?;
        let version = check_version(message.version())?;
        let schema = message.header_as_schema().ok_or_else(|| {
            Error::malformed("arrow", "expected a schema as the first message, found another.")
        })?;
        let told = message.custom_metadata().and_then(|all| {
            let pair = all.iter().find(|pair| pair.key() == Some(NROWS_KEY))?;
            pair.value()?.parse::<u64>().ok()
        });
        Ok(Self { announced: told, ..Self::of_schema(bytes, schema, version)? })
    }

    /// The schema in `bytes`, which hold the whole flatbuffer.
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
        depth(schema)?;
        let converted = if big_endian {
            // The conversion refuses big-endian decimals, which are swapped like all numbers here: told that they are
            // little-endian, it says the same of everything else.
            let mut copy = bytes.to_vec();
            let at = schema._tab.loc() + usize::from(schema._tab.vtable().get(FbSchema::VT_ENDIANNESS));
            if let Some(place) = copy.get_mut(at..at + 2) {
                place.fill(0);
            }
            let copy = arrow_buffer::Buffer::from_slice_ref(&copy);
            let place = schema._tab.loc();
            // The number may lie where an offset lies too, for all that the verifier says: it is asked again.
            let options = verifier(copy.len());
            FbSchema::run_verifier(&mut Verifier::new(&options, copy.as_slice()), place).map_err(|e| {
                Error::malformed("arrow", format!("the schema is no flatbuffer ({}).", first_line(&e)))
            })?;
            // SAFETY: what stands at `place` was just proven to be a schema.
            let again = unsafe { FbSchema::init_from_table(flatbuffers::Table::new(copy.as_slice(), place)) };
            depth(again)?;
            arrow_ipc::convert::try_fb_to_schema(again)
        } else {
            arrow_ipc::convert::try_fb_to_schema(schema)
        };
        let schema = converted.map_err(|e| Error::malformed("arrow", format!("schema: {e}.")))?;
        Self::new(Arc::new(schema), big_endian, version)
    }

    fn new(schema: SchemaRef, big_endian: bool, version: i16) -> Result<Self> {
        let mut counter = Counter { at: Place::default(), version, dictionaries: HashMap::new() };
        let mut places = Vec::with_capacity(schema.fields().len());
        let mut row_bits = 0u64;
        for field in schema.fields() {
            places.push(counter.at);
            counter.field(field, 0).map_err(|e| e.in_member(field.name()))?;
            row_bits = row_bits.saturating_add(least_bits(field.data_type()));
        }
        let Counter { at: total, dictionaries, .. } = counter;
        Ok(Self { schema, big_endian, version, places, total, dictionaries, row_bits, announced: None })
    }

    /// How many nodes, buffers and view columns a field within the schema takes.
    ///
    /// # Errors
    /// As when the schema was read.
    pub(crate) fn extent(&self, field: &Field) -> Result<Place> {
        let mut counter =
            Counter { at: Place::default(), version: self.version, dictionaries: HashMap::new() };
        counter.field(field, 0)?;
        Ok(counter.at)
    }

    /// 4 or 5.
    #[must_use]
    pub fn metadata_version(&self) -> i16 {
        self.version + 1
    }
}

/// Whether two schemas have the same fields, as far as the layout of a batch depends on them.
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
        return true; // `depth` refuses it
    }
    let dictionaries = match (a.dictionary(), b.dictionary()) {
        (Some(a), Some(b)) => a.id() == b.id() && int(a.indexType()) == int(b.indexType()),
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

fn int(int: Option<arrow_ipc::Int<'_>>) -> Option<(i32, bool)> {
    int.map(|int| (int.bitWidth(), int.is_signed()))
}

/// Parameters that change how wide values are; those of the rest cannot lead past a buffer.
fn same_parameters(a: arrow_ipc::Field<'_>, b: arrow_ipc::Field<'_>) -> bool {
    int(a.type_as_int()) == int(b.type_as_int())
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

/// Refuses schemas whose fields nest deeper than the conversion should recurse.
fn depth(schema: FbSchema<'_>) -> Result<()> {
    fn deeper(field: arrow_ipc::Field<'_>, level: usize) -> Result<()> {
        if level > MAX_DEPTH {
            return Err(Error::limit("arrow", format!("types nest deeper than {MAX_DEPTH} levels.")));
        }
        let Some(children) = field.children() else { return Ok(()) };
        if let Some(union) = field.type_as_union() {
            // The conversion cuts codes to a byte.
            let beyond = union.typeIds().and_then(|ids| ids.iter().find(|id| !(0..128).contains(id)));
            if let Some(code) = beyond.or_else(|| (children.len() > 128).then_some(128)) {
                return Err(Error::malformed(
                    "arrow",
                    format!("expected codes of a union from 0 to 127, found {code}."),
                ));
            }
        }
        children.iter().try_for_each(|child| deeper(child, level + 1))
    }
    schema.fields().map_or(Ok(()), |fields| fields.iter().try_for_each(|field| deeper(field, 0)))
}

/// Bytes of one value, of types of one width.
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

/// Bits that a value takes at least.
pub(crate) fn least_bits(data_type: &DataType) -> u64 {
    match data_type {
        DataType::Boolean => 1,
        DataType::Utf8 | DataType::Binary | DataType::List(_) | DataType::Map(..) => 32,
        DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_) | DataType::ListView(_) => 64,
        DataType::LargeListView(_) | DataType::Utf8View | DataType::BinaryView => 128,
        DataType::Dictionary(key, _) => least_bits(key),
        DataType::Struct(fields) => {
            fields.iter().map(|f| least_bits(f.data_type())).fold(0, u64::saturating_add)
        }
        DataType::FixedSizeList(item, n) => {
            least_bits(item.data_type()).saturating_mul(u64::try_from(*n).unwrap_or(0))
        }
        DataType::Union(..) => 8,
        other => width(other).map_or(0, |w| w as u64 * 8),
    }
}

struct Counter {
    at: Place,
    version: i16,
    dictionaries: HashMap<i64, DataType>,
}

impl Counter {
    fn field(&mut self, field: &Field, depth: usize) -> Result<()> {
        let DataType::Dictionary(_, values) = field.data_type() else {
            return self.count(field.data_type(), depth);
        };
        self.at.node += 1;
        self.at.buffer += 2;
        #[allow(deprecated)] // the id of a dictionary lives in the field, and there alone
        let id = field.dict_id().unwrap_or(0);
        match self.dictionaries.get(&id) {
            None => {
                self.dictionaries.insert(id, values.as_ref().clone());
            }
            Some(known) if known == values.as_ref() => {}
            Some(known) => {
                return Err(Error::malformed(
                    "arrow",
                    format!(
                        "dictionary {id} has values of type {known} in one field and of type {values} in another."
                    ),
                ));
            }
        }
        // The values come in messages of their own; they may hold dictionaries in turn.
        let mut inner = Self {
            at: Place::default(),
            version: self.version,
            dictionaries: std::mem::take(&mut self.dictionaries),
        };
        inner.count(values, depth + 1)?;
        self.dictionaries = inner.dictionaries;
        Ok(())
    }

    fn count(&mut self, data_type: &DataType, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(Error::limit("arrow", format!("types nest deeper than {MAX_DEPTH} levels.")));
        }
        sensible(data_type)?;
        self.at.node += 1;
        let buffers = match data_type {
            DataType::FixedSizeBinary(n) | DataType::FixedSizeList(_, n) if *n < 0 => {
                return Err(Error::malformed("arrow", format!("expected a width of 0 or more, found {n}.")));
            }
            DataType::Null | DataType::RunEndEncoded(..) => 0,
            DataType::Struct(_) | DataType::FixedSizeList(..) => 1,
            DataType::Utf8 | DataType::Binary | DataType::LargeUtf8 | DataType::LargeBinary => 3,
            DataType::ListView(_) | DataType::LargeListView(_) => 3,
            DataType::Utf8View | DataType::BinaryView => {
                self.at.view += 1;
                2
            }
            // Before V5 unions had a validity.
            DataType::Union(_, UnionMode::Sparse) => 1 + usize::from(self.version < 4),
            DataType::Union(_, UnionMode::Dense) => 2 + usize::from(self.version < 4),
            DataType::Dictionary(..) => {
                return Err(Error::malformed("arrow", "a dictionary of dictionaries without a field."));
            }
            _ => 2,
        };
        self.at.buffer += buffers;
        children(data_type).into_iter().try_for_each(|child| self.field(child, depth + 1))
    }
}

/// Refuses types that the flatbuffers can spell and Arrow does not have.
fn sensible(data_type: &DataType) -> Result<()> {
    let wrong = |expected: &str, found: String| {
        Err(Error::malformed("arrow", format!("expected {expected}, found {found}.")))
    };
    match data_type {
        DataType::RunEndEncoded(ends, _)
            if !matches!(ends.data_type(), DataType::Int16 | DataType::Int32 | DataType::Int64) =>
        {
            wrong("run ends of 16, 32 or 64 bits", ends.data_type().to_string())
        }
        DataType::Map(entries, _) if !matches!(entries.data_type(), DataType::Struct(pair) if pair.len() == 2) => {
            wrong("a map of pairs", entries.data_type().to_string())
        }
        DataType::Decimal32(precision, _) if !(1..=9).contains(precision) => {
            wrong("1 to 9 digits", precision.to_string())
        }
        DataType::Decimal64(precision, _) if !(1..=18).contains(precision) => {
            wrong("1 to 18 digits", precision.to_string())
        }
        DataType::Decimal128(precision, _) if !(1..=38).contains(precision) => {
            wrong("1 to 38 digits", precision.to_string())
        }
        DataType::Decimal256(precision, _) if !(1..=76).contains(precision) => {
            wrong("1 to 76 digits", precision.to_string())
        }
        _ => Ok(()),
    }
}
