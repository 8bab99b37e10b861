//! A column in Arrow's layout as 1-D NPY members, one a buffer, and back.
//!
//! Paths: `validity` (bits, absent where nothing is null), `offsets`, `values`, `views` and `data_{k}` (view types),
//! `dictionary_...` (a dictionary's categories; its codes are its `values`), `{i}_...` (a struct's children).

use arrow_buffer::{BooleanBuffer, NullBuffer, bit_util};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, TimeUnit};

use crate::error::{Error, Result};
use crate::frame::{Column, DType};
use crate::memory::Buffer;

/// One buffer as a member: a 1-D array.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its path inside the column.
    pub path: String,
    /// Its NumPy dtype.
    pub dtype: DType,
    /// Its bytes, packed.
    pub bytes: Buffer,
}

/// What the header says of a column: all but the buffers.
#[derive(Debug, Clone)]
pub struct ColumnSpec {
    /// Arrow's type.
    pub data_type: DataType,
    /// Whether a dictionary's order means anything.
    pub ordered: bool,
    /// The adapter's tag.
    pub tag: Option<String>,
    /// Rows.
    pub length: usize,
    /// Rows of each child: a dictionary's categories.
    pub children: Vec<usize>,
}

/// What kind of buffers a type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// No buffer at all.
    Null,
    /// Bits.
    Bits,
    /// Values of one width.
    Fixed(DType),
    /// 32-bit offsets and bytes.
    Small,
    /// 64-bit offsets and bytes.
    Large,
    /// 16-byte views and data buffers.
    Views,
    /// Children only.
    Children,
}

fn dtype(descr: &str) -> Result<DType> {
    DType::parse(descr).ok_or_else(|| Error::unsupported("npz", format!("no NumPy dtype {descr}.")))
}

fn unit_dtype(kind: &str, unit: TimeUnit) -> Result<DType> {
    dtype(&format!("<{kind}8[{}]", crate::frame::unit_name(&unit)))
}

impl PieceKind {
    /// The kind of `data_type`.
    ///
    /// # Errors
    /// `Unsupported` for types that have no members yet.
    pub fn of(data_type: &DataType) -> Result<Self> {
        Ok(match data_type {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Bits,
            DataType::Utf8 | DataType::Binary => Self::Small,
            DataType::LargeUtf8 | DataType::LargeBinary => Self::Large,
            DataType::Utf8View | DataType::BinaryView => Self::Views,
            DataType::Struct(_) => Self::Children,
            DataType::Dictionary(codes, _) => Self::of(codes)?,
            DataType::Date32 => Self::Fixed(dtype("<i4")?),
            DataType::Date64 => Self::Fixed(dtype("<M8[ms]")?),
            DataType::Timestamp(unit, _) => Self::Fixed(unit_dtype("M", *unit)?),
            DataType::Duration(unit) => Self::Fixed(unit_dtype("m", *unit)?),
            DataType::Int8 => Self::Fixed(dtype("|i1")?),
            DataType::UInt8 => Self::Fixed(dtype("|u1")?),
            DataType::Int16 => Self::Fixed(dtype("<i2")?),
            DataType::UInt16 => Self::Fixed(dtype("<u2")?),
            DataType::Int32 | DataType::Time32(_) | DataType::Decimal32(..) => Self::Fixed(dtype("<i4")?),
            DataType::UInt32 => Self::Fixed(dtype("<u4")?),
            DataType::Int64 | DataType::Time64(_) | DataType::Decimal64(..) => Self::Fixed(dtype("<i8")?),
            DataType::UInt64 => Self::Fixed(dtype("<u8")?),
            DataType::Float16 => Self::Fixed(dtype("<f2")?),
            DataType::Float32 => Self::Fixed(dtype("<f4")?),
            DataType::Float64 => Self::Fixed(dtype("<f8")?),
            DataType::Decimal128(..) => Self::Fixed(dtype("|V16")?),
            DataType::Decimal256(..) => Self::Fixed(dtype("|V32")?),
            DataType::FixedSizeBinary(n) => Self::Fixed(dtype(&format!("|V{n}"))?),
            other => {
                let name = crate::frame::type_name(other, false);
                return Err(Error::unsupported("npz", format!("Arrow type {name} is not supported yet.")));
            }
        })
    }
}

/// The buffers of `column`, cut to its rows. Copies only what a slice left off a byte boundary or off zero.
///
/// # Errors
/// `Unsupported` for types that have no members yet.
pub fn pieces(column: &Column) -> Result<(ColumnSpec, Vec<Piece>)> {
    let mut out = Vec::new();
    collect(&column.data, "", &mut out)?;
    let spec = ColumnSpec {
        data_type: column.data.data_type().clone(),
        ordered: column.ordered,
        tag: column.tag.clone(),
        length: column.len(),
        children: child_lengths(&column.data),
    };
    Ok((spec, out))
}

/// Lengths that no parent implies: those of dictionaries' categories, depth first.
fn child_lengths(data: &ArrayData) -> Vec<usize> {
    let own = matches!(data.data_type(), DataType::Dictionary(..));
    data.child_data()
        .iter()
        .flat_map(|child| own.then_some(child.len()).into_iter().chain(child_lengths(child)))
        .collect()
}

fn collect(data: &ArrayData, prefix: &str, out: &mut Vec<Piece>) -> Result<()> {
    let bytes_type = dtype("|u1")?;
    let mut push = |name: &str, dtype: DType, bytes: arrow_buffer::Buffer| {
        out.push(Piece { path: format!("{prefix}{name}"), dtype, bytes: Buffer::from_arrow(bytes) });
    };
    if let Some(nulls) = data.nulls().filter(|n| n.null_count() > 0) {
        push("validity", bytes_type, nulls.inner().sliced());
    }
    let (offset, length) = (data.offset(), data.len());
    let buffer = |i: usize| data.buffers().get(i).cloned().unwrap_or_default();
    match PieceKind::of(data.data_type())? {
        PieceKind::Null | PieceKind::Children => {}
        PieceKind::Bits => push("values", bytes_type, BooleanBuffer::new(buffer(0), offset, length).sliced()),
        PieceKind::Fixed(dtype) => {
            let width = dtype.itemsize as usize;
            push("values", dtype, buffer(0).slice_with_length(offset * width, length * width));
        }
        PieceKind::Views => {
            push("views", dtype("|V16")?, buffer(0).slice_with_length(offset * 16, length * 16));
            for k in 1..data.buffers().len() {
                push(&format!("data_{}", k - 1), bytes_type, buffer(k));
            }
        }
        PieceKind::Small => {
            let (offsets, range) = rebased::<i32>(&buffer(0), offset, length);
            push("offsets", dtype("<i4")?, offsets);
            push("values", bytes_type, buffer(1).slice_with_length(range.0, range.1));
        }
        PieceKind::Large => {
            let (offsets, range) = rebased::<i64>(&buffer(0), offset, length);
            push("offsets", dtype("<i8")?, offsets);
            push("values", bytes_type, buffer(1).slice_with_length(range.0, range.1));
        }
    }
    for (i, child) in data.child_data().iter().enumerate() {
        if matches!(data.data_type(), DataType::Dictionary(..)) {
            collect(child, &format!("{prefix}dictionary_"), out)?;
        } else {
            collect(&child.slice(offset, length), &format!("{prefix}{i}_"), out)?;
        }
    }
    Ok(())
}

/// Offsets of rows `offset..offset + length` that start at 0, and the (start, count) of the bytes they cover.
fn rebased<T>(
    buffer: &arrow_buffer::Buffer,
    offset: usize,
    length: usize,
) -> (arrow_buffer::Buffer, (usize, usize))
where
    T: arrow_buffer::ArrowNativeType + std::ops::Sub<Output = T>,
{
    let all = buffer.typed_data::<T>();
    let Some(wanted) = all.get(offset..=offset + length) else {
        // An empty array may come without offsets.
        return (arrow_buffer::Buffer::from_slice_ref([T::default()]), (0, 0));
    };
    let first = wanted.first().copied().unwrap_or_default();
    let last = wanted.last().copied().unwrap_or_default();
    let range = (first.as_usize(), (last - first).as_usize());
    if first == T::default() {
        let width = size_of::<T>();
        return (buffer.slice_with_length(offset * width, (length + 1) * width), range);
    }
    (wanted.iter().map(|&o| o - first).collect::<Vec<T>>().into(), range)
}

/// Rebuilds a column. `fetch` answers the member at a path: its dtype and its bytes.
///
/// # Errors
/// Malformed: a buffer that is missing, of another dtype or length, or that Arrow's own validation refuses.
pub fn assemble(spec: &ColumnSpec, fetch: &mut Fetch<'_>) -> Result<Column> {
    let mut children = spec.children.iter().copied();
    let data = build(&spec.data_type, spec.length, "", &mut children, fetch)?;
    Ok(Column { data, ordered: spec.ordered, tag: spec.tag.clone() })
}

/// Answers the member at a path: its dtype and its bytes.
pub type Fetch<'a> = dyn FnMut(&str) -> Result<Option<(DType, Buffer)>> + 'a;

fn build(
    data_type: &DataType,
    length: usize,
    prefix: &str,
    children: &mut dyn Iterator<Item = usize>,
    fetch: &mut Fetch<'_>,
) -> Result<ArrayData> {
    let bytes_type = dtype("|u1")?;
    let mut builder = ArrayDataBuilder::new(data_type.clone()).len(length);
    if let Some(bits) = optional(fetch, prefix, "validity", bytes_type)? {
        at_least(prefix, "validity", &bits, bit_util::ceil(length, 8))?;
        builder = builder.nulls(Some(NullBuffer::new(BooleanBuffer::new(bits, 0, length))));
    }
    match PieceKind::of(data_type)? {
        PieceKind::Null | PieceKind::Children => {}
        PieceKind::Bits => {
            let bits = required(fetch, prefix, "values", bytes_type)?;
            at_least(prefix, "values", &bits, bit_util::ceil(length, 8))?;
            builder = builder.add_buffer(bits);
        }
        PieceKind::Fixed(dtype) => {
            let values = required(fetch, prefix, "values", dtype)?;
            let wanted = length.checked_mul(dtype.itemsize as usize);
            at_least(prefix, "values", &values, wanted.unwrap_or(usize::MAX))?;
            builder = builder.add_buffer(values);
        }
        PieceKind::Views => {
            let views = required(fetch, prefix, "views", dtype("|V16")?)?;
            at_least(prefix, "views", &views, length.saturating_mul(16))?;
            builder = builder.add_buffer(views);
            for k in 0.. {
                match optional(fetch, prefix, &format!("data_{k}"), bytes_type)? {
                    Some(data) => builder = builder.add_buffer(data),
                    None => break,
                }
            }
        }
        kind @ (PieceKind::Small | PieceKind::Large) => {
            let (descr, width) = if kind == PieceKind::Small { ("<i4", 4) } else { ("<i8", 8) };
            let offsets = required(fetch, prefix, "offsets", dtype(descr)?)?;
            let wanted = length.checked_add(1).and_then(|n| n.checked_mul(width));
            at_least(prefix, "offsets", &offsets, wanted.unwrap_or(usize::MAX))?;
            let values = required(fetch, prefix, "values", bytes_type)?;
            builder = builder.add_buffer(offsets).add_buffer(values);
        }
    }
    match data_type {
        DataType::Dictionary(_, values) => {
            let count = children.next().ok_or_else(|| {
                Error::malformed("npz", format!("{prefix}dictionary has no length in __colonnade__."))
            })?;
            builder = builder.add_child_data(build(
                values,
                count,
                &format!("{prefix}dictionary_"),
                children,
                fetch,
            )?);
        }
        DataType::Struct(fields) => {
            for (i, field) in fields.iter().enumerate() {
                let child = build(field.data_type(), length, &format!("{prefix}{i}_"), children, fetch)?;
                builder = builder.add_child_data(child);
            }
        }
        _ => {}
    }
    // Arrow's own full validation: offsets in order and in bounds, UTF-8, codes within the categories.
    builder.align_buffers(true).build().map_err(|e| {
        Error::malformed(
            "npz",
            format!("{e}. The column's buffers contradict each other; the file is damaged."),
        )
    })
}

fn optional(
    fetch: &mut Fetch<'_>,
    prefix: &str,
    name: &str,
    wanted: DType,
) -> Result<Option<arrow_buffer::Buffer>> {
    let path = format!("{prefix}{name}");
    match fetch(&path)? {
        None => Ok(None),
        Some((found, bytes)) if found == wanted => Ok(Some(bytes.to_arrow())),
        Some((found, _)) => {
            let message = format!("{path}: expected dtype {}, found {}.", wanted.descr(), found.descr());
            Err(Error::malformed("npz", message))
        }
    }
}

fn required(fetch: &mut Fetch<'_>, prefix: &str, name: &str, wanted: DType) -> Result<arrow_buffer::Buffer> {
    optional(fetch, prefix, name, wanted)?
        .ok_or_else(|| Error::malformed("npz", format!("the member of buffer {prefix}{name} is missing.")))
}

fn at_least(prefix: &str, name: &str, buffer: &arrow_buffer::Buffer, wanted: usize) -> Result<()> {
    if buffer.len() >= wanted {
        return Ok(());
    }
    let message = format!("{prefix}{name}: expected at least {wanted} bytes, found {}.", buffer.len());
    Err(Error::malformed("npz", message))
}
