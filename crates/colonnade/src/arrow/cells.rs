//! Converts Arrow arrays to cells of a NumPy dtype, the inverse of export.
//!
//! | dtype | Arrow |
//! |---|---|
//! | `b1`, `i`, `u`, `f2` `f4` `f8` | the type of the same name; bools as bits; big-endian values swapped |
//! | `M8`, `m8` | timestamp or duration of the unit, date32 (days), or int64; null is NaT |
//! | `c8`, `c16` | list of two floats, of fixed size |
//! | `f16`, `c32`, `S`, `V` | binary of fixed size, the bytes of little-endian cells |
//! | `U` | text of which no row ends in NUL |

use arrow_array::StringViewArray;
use arrow_data::ArrayData;
use arrow_schema::{DataType, TimeUnit as ArrowUnit};

use crate::error::{Error, Result};
use crate::frame::{Block, ByteOrder, Column, DType, DTypeKind, Grid, type_name};
use crate::frame::{TimeBase, TimeUnit};
use crate::limits::Limits;
use crate::memory::{Buffer, Region, unpack};

/// Returns the dtype that an Arrow type has without metadata; `None` if NumPy has no exact counterpart.
#[must_use]
pub fn implied_dtype(data_type: &DataType) -> Option<DType> {
    let (kind, itemsize, unit) = match data_type {
        DataType::Boolean => (DTypeKind::Bool, 1, None),
        DataType::Int8 => (DTypeKind::Int, 1, None),
        DataType::Int16 => (DTypeKind::Int, 2, None),
        DataType::Int32 => (DTypeKind::Int, 4, None),
        DataType::Int64 => (DTypeKind::Int, 8, None),
        DataType::UInt8 => (DTypeKind::UInt, 1, None),
        DataType::UInt16 => (DTypeKind::UInt, 2, None),
        DataType::UInt32 => (DTypeKind::UInt, 4, None),
        DataType::UInt64 => (DTypeKind::UInt, 8, None),
        DataType::Float16 => (DTypeKind::Float, 2, None),
        DataType::Float32 => (DTypeKind::Float, 4, None),
        DataType::Float64 => (DTypeKind::Float, 8, None),
        DataType::Timestamp(unit, None) => (DTypeKind::DateTime, 8, Some(numpy_unit(*unit))),
        DataType::Duration(unit) => (DTypeKind::TimeDelta, 8, Some(numpy_unit(*unit))),
        _ => return None,
    };
    let order = if itemsize == 1 { ByteOrder::None } else { ByteOrder::Little };
    Some(DType { kind, itemsize, order, unit })
}

/// Returns the Arrow type whose [`implied_dtype`] is this dtype in native byte order; `None` if no type has it.
#[must_use]
pub fn exact_type(dtype: DType) -> Option<DataType> {
    Some(match (dtype.kind, dtype.itemsize) {
        (DTypeKind::Bool, 1) => DataType::Boolean,
        (DTypeKind::Int, 1) => DataType::Int8,
        (DTypeKind::Int, 2) => DataType::Int16,
        (DTypeKind::Int, 4) => DataType::Int32,
        (DTypeKind::Int, 8) => DataType::Int64,
        (DTypeKind::UInt, 1) => DataType::UInt8,
        (DTypeKind::UInt, 2) => DataType::UInt16,
        (DTypeKind::UInt, 4) => DataType::UInt32,
        (DTypeKind::UInt, 8) => DataType::UInt64,
        (DTypeKind::Float, 2) => DataType::Float16,
        (DTypeKind::Float, 4) => DataType::Float32,
        (DTypeKind::Float, 8) => DataType::Float64,
        (DTypeKind::DateTime, 8) => DataType::Timestamp(arrow_unit(dtype.unit?)?, None),
        (DTypeKind::TimeDelta, 8) => DataType::Duration(arrow_unit(dtype.unit?)?),
        _ => return None,
    })
}

fn arrow_unit(unit: TimeUnit) -> Option<ArrowUnit> {
    match (unit.base, unit.multiple) {
        (TimeBase::Second, 1) => Some(ArrowUnit::Second),
        (TimeBase::Millisecond, 1) => Some(ArrowUnit::Millisecond),
        (TimeBase::Microsecond, 1) => Some(ArrowUnit::Microsecond),
        (TimeBase::Nanosecond, 1) => Some(ArrowUnit::Nanosecond),
        _ => None,
    }
}

fn numpy_unit(unit: ArrowUnit) -> TimeUnit {
    let base = match unit {
        ArrowUnit::Second => TimeBase::Second,
        ArrowUnit::Millisecond => TimeBase::Millisecond,
        ArrowUnit::Microsecond => TimeBase::Microsecond,
        ArrowUnit::Nanosecond => TimeBase::Nanosecond,
    };
    TimeUnit { base, multiple: 1 }
}

/// The conversion of an array to cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellConversion {
    /// Bits to bytes.
    Bits,
    /// The bytes of the values, in words of `word` bytes that are swapped for a big-endian dtype.
    Bytes { word: usize },
    /// The bytes of the values of the list's child.
    Pairs { word: usize },
    /// 32-bit days to 64-bit days.
    Days,
    /// Text to UCS-4.
    Text,
}

impl CellConversion {
    fn of(dtype: DType, data_type: &DataType) -> Option<Self> {
        let item = dtype.itemsize as usize;
        let is_implied = |dtype: DType| match implied_dtype(data_type) {
            Some(implied) => (implied.kind, implied.itemsize) == (dtype.kind, dtype.itemsize),
            None => false,
        };
        let fixed = matches!(data_type, DataType::FixedSizeBinary(n) if usize::try_from(*n) == Ok(item));
        let conversion = match dtype.kind {
            DTypeKind::Bool => (*data_type == DataType::Boolean).then_some(Self::Bits),
            DTypeKind::Float if item == 16 => fixed.then_some(Self::Bytes { word: 16 }),
            DTypeKind::Int | DTypeKind::UInt | DTypeKind::Float => {
                is_implied(dtype).then_some(Self::Bytes { word: item })
            }
            DTypeKind::Complex if item == 32 => fixed.then_some(Self::Bytes { word: 16 }),
            DTypeKind::Complex => match data_type {
                DataType::FixedSizeList(child, 2) => {
                    let float = if item == 8 { DataType::Float32 } else { DataType::Float64 };
                    (*child.data_type() == float).then_some(Self::Pairs { word: item / 2 })
                }
                _ => None,
            },
            DTypeKind::Bytes | DTypeKind::Void => fixed.then_some(Self::Bytes { word: 1 }),
            DTypeKind::Unicode => {
                matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
                    .then_some(Self::Text)
            }
            DTypeKind::DateTime | DTypeKind::TimeDelta => match data_type {
                DataType::Int64 => Some(Self::Bytes { word: 8 }),
                DataType::Date32 => {
                    let days = dtype.unit == Some(TimeUnit { base: TimeBase::Day, multiple: 1 });
                    (days && dtype.kind == DTypeKind::DateTime).then_some(Self::Days)
                }
                other => {
                    let is_dtype = |i: DType| (i.kind, i.unit) == (dtype.kind, dtype.unit);
                    // The axis' meta also has the zone of a level; the dtype has none.
                    let other = match other {
                        DataType::Timestamp(unit, Some(_)) => &DataType::Timestamp(*unit, None),
                        other => other,
                    };
                    implied_dtype(other).is_some_and(is_dtype).then_some(Self::Bytes { word: 8 })
                }
            },
        };
        conversion.filter(|conversion| match conversion {
            Self::Bytes { word } | Self::Pairs { word } => *word > 0,
            _ => true,
        })
    }
}

/// Whether arrays of this type can be converted to the dtype.
#[must_use]
pub fn fits(dtype: DType, data_type: &DataType) -> bool {
    CellConversion::of(dtype, data_type).is_some()
}

fn conversion_of(dtype: DType, data: &ArrayData) -> Result<CellConversion> {
    CellConversion::of(dtype, data.data_type()).ok_or_else(|| {
        let message = format!(
            "expected an Arrow type that holds the dtype {}, found {}. Drop the field's `colonnade` metadata to read it as it is.",
            dtype.descr(),
            type_name(data.data_type(), false)
        );
        Error::malformed("arrow", message)
    })
}

fn has_place(dtype: DType, conversion: CellConversion, data: &ArrayData) -> bool {
    let times = matches!(dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta);
    let inner = matches!(conversion, CellConversion::Pairs { .. })
        && data.child_data().first().is_some_and(|c| {
            let width = data.len() * 2;
            c.nulls().is_some_and(|n| n.slice(data.offset() * 2, width).null_count() > 0)
        });
    (times || data.null_count() == 0) && !inner && !(conversion == CellConversion::Text && ends_in_nul(data))
}

/// Whether a row of text ends in NUL. `<U` cells cannot distinguish that from padding.
fn ends_in_nul(data: &ArrayData) -> bool {
    // Most text has no NUL, and searching the buffers is faster than searching the rows.
    if !data.buffers().iter().skip(1).any(|bytes| bytes.contains(&0))
        && *data.data_type() != DataType::Utf8View
    {
        return false;
    }
    let column = Column::new(data.clone());
    let views = (*data.data_type() == DataType::Utf8View).then(|| StringViewArray::from(data.clone()));
    (0..data.len()).any(|row| {
        let value = match &views {
            Some(views) => Some(views.value(row)),
            None => column.string(row),
        };
        value.is_some_and(|value| value.ends_with('\0'))
    })
}

/// Returns a dtype wide enough for all of `data`: the text of a stream's later chunks may be wider than that of the first,
/// whose width the field declares. Only `<U` grows; [`to_block`] refuses other types.
#[must_use]
pub fn widen_dtype(dtype: DType, data: &[&ArrayData]) -> DType {
    if dtype.kind != DTypeKind::Unicode {
        return dtype;
    }
    let mut points = dtype.itemsize as usize / 4;
    for data in data {
        let column = Column::new((*data).clone());
        let views = (*data.data_type() == DataType::Utf8View).then(|| StringViewArray::from((*data).clone()));
        for row in 0..data.len() {
            let value = match &views {
                Some(views) => Some(views.value(row)),
                None => column.string(row),
            };
            // So many bytes are at most as many characters.
            if let Some(value) = value.filter(|v| v.len() > points) {
                points = points.max(value.chars().count());
            }
        }
    }
    let itemsize =
        points.checked_mul(4).and_then(|n| u32::try_from(n).ok()).filter(|&n| i32::try_from(n).is_ok());
    DType { itemsize: itemsize.unwrap_or(dtype.itemsize), ..dtype }
}

/// Whether the dtype has a cell for every row: only NaT represents nulls, and `<U` cannot hold text that ends in NUL.
#[must_use]
pub fn holds_nulls(dtype: DType, data: &ArrayData) -> bool {
    CellConversion::of(dtype, data.data_type()).is_some_and(|conversion| has_place(dtype, conversion, data))
}

/// Converts the array to a block of one column; `<U` is as wide as the longest text. Returns `None` if the dtype cannot
/// hold its nulls, or text that ends in NUL. Values that already have the dtype's layout are not copied.
///
/// # Errors
/// Malformed: the type cannot hold the dtype; a limit: `<U` cells need far more memory than their text has.
pub fn to_block(dtype: DType, data: &ArrayData) -> Result<Option<Block>> {
    let conversion = conversion_of(dtype, data)?;
    if !has_place(dtype, conversion, data) {
        return Ok(None);
    }
    let dtype = widen_dtype(dtype, &[data]);
    let item = dtype.itemsize as usize;
    let swapped = |word: usize| dtype.order == ByteOrder::Big && word > 1;
    let as_it_lies = match conversion {
        CellConversion::Bytes { word } if !swapped(word) && data.null_count() == 0 => data.buffers().first(),
        CellConversion::Pairs { word } if !swapped(word) => {
            data.child_data().first().and_then(|c| c.buffers().first())
        }
        _ => None,
    };
    if let Some(buffer) = as_it_lies {
        let grid = Grid::column_major(dtype, data.len(), 1, first_byte(conversion, data, item));
        let block = Block::new(grid, Buffer::from_arrow(buffer.clone()));
        return block.map(Some).ok_or_else(|| too_short(dtype, data));
    }
    let nbytes = data.len().checked_mul(item).filter(|&n| isize::try_from(n).is_ok());
    let rows = data.len() as u64;
    let nbytes = nbytes
        .ok_or_else(|| Error::limit("arrow", format!("{rows} rows of {} are too many.", dtype.descr())))?;
    if conversion == CellConversion::Text {
        // A frame does not know the limits of its caller.
        let what = format!("{rows} cells of {}", dtype.descr());
        let input = (text_nbytes(data) as u64).saturating_add(rows);
        Limits::default().check_decoded("arrow", &what, nbytes as u64, input, rows)?;
    }
    let mut region = Region::allocate(nbytes)?;
    fill(dtype, data, region.as_mut_slice())?;
    let buffer = Buffer::from_region(region.finish(), false);
    Ok(Block::new(Grid::column_major(dtype, data.len(), 1, 0), buffer))
}

fn text_nbytes(data: &ArrayData) -> usize {
    data.buffers().iter().skip(1).map(|b| b.len()).sum()
}

fn first_byte(conversion: CellConversion, data: &ArrayData, item: usize) -> usize {
    match conversion {
        CellConversion::Pairs { word } => {
            let inner = data.child_data().first().map_or(0, ArrayData::offset);
            data.offset() * item + inner * word
        }
        _ => data.offset() * item,
    }
}

fn too_short(dtype: DType, data: &ArrayData) -> Error {
    let message = format!("the values are too short for {} rows of {}.", data.len(), dtype.descr());
    Error::malformed("arrow", message)
}

/// Writes the array as packed cells to `out`, whose size is exactly that of its rows. Nulls become NaT; for a dtype without
/// NaT (see [`holds_nulls`]) the value in the slot is written.
///
/// # Errors
/// As [`to_block`]; malformed: `out` has another size.
pub fn fill(dtype: DType, data: &ArrayData, out: &mut [u8]) -> Result<()> {
    let conversion = conversion_of(dtype, data)?;
    let item = dtype.itemsize as usize;
    if out.len() != data.len() * item {
        let message = format!("expected room for {} bytes, found {}.", data.len() * item, out.len());
        return Err(Error::malformed("arrow", message));
    }
    match conversion {
        CellConversion::Bits => {
            let bits = data.buffers().first().map_or(&[][..], |b| b.as_slice());
            unpack(bits, data.offset(), out).ok_or_else(|| too_short(dtype, data))?;
        }
        CellConversion::Bytes { word } | CellConversion::Pairs { word } => {
            let holder = if matches!(conversion, CellConversion::Pairs { .. }) {
                data.child_data().first()
            } else {
                Some(data)
            };
            let start = first_byte(conversion, data, item);
            let bytes = holder.and_then(|h| h.buffers().first()).map_or(&[][..], |b| b.as_slice());
            let bytes = bytes.get(start..start + out.len()).ok_or_else(|| too_short(dtype, data))?;
            out.copy_from_slice(bytes);
            write_nat(dtype, data, out);
            if dtype.order == ByteOrder::Big && word > 1 {
                out.chunks_exact_mut(word).for_each(<[u8]>::reverse);
            }
        }
        CellConversion::Days => {
            let bytes = data.buffers().first().map_or(&[][..], |b| b.as_slice());
            let (words, _) = bytes.as_chunks::<4>();
            let words =
                words.get(data.offset()..data.offset() + data.len()).ok_or_else(|| too_short(dtype, data))?;
            for (cell, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                *cell = i64::from(i32::from_le_bytes(*word)).to_le_bytes();
            }
            write_nat(dtype, data, out);
            if dtype.order == ByteOrder::Big {
                out.chunks_exact_mut(8).for_each(<[u8]>::reverse);
            }
        }
        CellConversion::Text => write_unicode(dtype, data, out)?,
    }
    Ok(())
}

fn write_nat(dtype: DType, data: &ArrayData, out: &mut [u8]) {
    if !matches!(dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta) {
        return;
    }
    if let Some(nulls) = data.nulls().filter(|n| n.null_count() > 0) {
        for (cell, valid) in out.as_chunks_mut::<8>().0.iter_mut().zip(nulls.iter()) {
            if !valid {
                *cell = i64::MIN.to_le_bytes();
            }
        }
    }
}

fn write_unicode(dtype: DType, data: &ArrayData, out: &mut [u8]) -> Result<()> {
    let item = dtype.itemsize as usize;
    if item == 0 {
        return Ok(());
    }
    let column = Column::new(data.clone());
    let views = (*data.data_type() == DataType::Utf8View).then(|| StringViewArray::from(data.clone()));
    for (row, cell) in out.chunks_exact_mut(item).enumerate() {
        let value = match &views {
            Some(views) => Some(views.value(row)),
            None => column.string(row),
        };
        let value = value.ok_or_else(|| {
            Error::malformed("arrow", format!("row {row}: expected UTF-8 text, found other bytes."))
        })?;
        let mut points = value.chars();
        for slot in cell.as_chunks_mut::<4>().0 {
            let point = points.next().map_or(0, u32::from);
            *slot = if dtype.order == ByteOrder::Big { point.to_be_bytes() } else { point.to_le_bytes() };
        }
        if points.next().is_some() {
            let message = format!(
                "row {row}: expected up to {} characters as {} has, found {}.",
                item / 4,
                dtype.descr(),
                value.chars().count()
            );
            return Err(Error::malformed("arrow", message));
        }
    }
    Ok(())
}
