//! Numbers and times with nulls as pandas' readers represent them: NaN or NaT for null, integers as float64.

use arrow_buffer::bit_chunk_iterator::BitChunks;
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::import::implied_dtype;
use crate::error::{Error, Result};
use crate::frame::{Block, DType, DTypeKind, Grid, as_stride};
use crate::memory::{Buffer, Region, Scatter, column_stride, fence};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

/// Rows of one task: a multiple of 64, so that each task begins with a whole word of validity.
const TASK_ROWS: usize = 1 << 17;

/// Returns the dtype of the block for a column with nulls: floats and times keep theirs, integers become float64; `None`
/// for every other type.
#[must_use]
pub fn missing_dtype(data_type: &DataType) -> Option<DType> {
    let dtype = implied_dtype(data_type)?;
    match dtype.kind {
        DTypeKind::Int | DTypeKind::UInt => implied_dtype(&DataType::Float64),
        DTypeKind::Float | DTypeKind::DateTime | DTypeKind::TimeDelta => Some(dtype),
        _ => None,
    }
}

/// Returns NumPy's dtype of values as they are stored: of times with a zone, that of the times in UTC.
fn stored_dtype(data_type: &DataType) -> Option<DType> {
    match data_type {
        DataType::Timestamp(unit, Some(_)) => implied_dtype(&DataType::Timestamp(*unit, None)),
        other => implied_dtype(other),
    }
}

/// Writes NaN or NaT of `dtype` to the rows of `out` whose bit in `valid`, counted from `offset`, is 0. Rows beyond the
/// bits keep their value.
pub fn write_missing(dtype: DType, out: &mut [u8], valid: &[u8], offset: usize) {
    match (dtype.kind, dtype.itemsize) {
        (DTypeKind::Float, 2) => write(0x7e00_u16.to_le_bytes(), out, valid, offset),
        (DTypeKind::Float, 4) => write(f32::NAN.to_le_bytes(), out, valid, offset),
        (DTypeKind::Float, 8) => write(f64::NAN.to_le_bytes(), out, valid, offset),
        (DTypeKind::DateTime | DTypeKind::TimeDelta, 8) => write_nat(out, valid, offset),
        _ => {}
    }
}

/// Writes NaT to the rows of `out`, as [`write_missing`] does.
pub fn write_nat(out: &mut [u8], valid: &[u8], offset: usize) {
    write(i64::MIN.to_le_bytes(), out, valid, offset);
}

fn write<const N: usize>(missing: [u8; N], out: &mut [u8], valid: &[u8], offset: usize) {
    let rows = out.as_chunks_mut::<N>().0;
    let nrows = rows.len().min((valid.len() * 8).saturating_sub(offset));
    let words = BitChunks::new(valid, offset, nrows);
    let rows = rows.get_mut(..nrows).unwrap_or_default();
    for (rows, word) in rows.chunks_mut(64).zip(words.iter_padded()) {
        let mut nulls = !word;
        if rows.len() < 64 {
            nulls &= (1 << rows.len()) - 1;
        }
        while nulls != 0 {
            if let Some(row) = rows.get_mut(nulls.trailing_zeros() as usize) {
                *row = missing;
            }
            nulls &= nulls - 1;
        }
    }
}

/// Converts 64-bit integers of `data_type` to floats where they are.
pub fn integers_to_floats(data_type: &DataType, rows: &mut [u8]) {
    for row in rows.as_chunks_mut::<8>().0 {
        let float = match data_type {
            DataType::UInt64 => u64::from_le_bytes(*row) as f64,
            _ => i64::from_le_bytes(*row) as f64,
        };
        *row = float.to_le_bytes();
    }
}

/// Writes packed `values` of `data_type` to `out` as `dtype`: its [`missing_dtype`], or its own.
///
/// # Errors
/// `Malformed` if their length differs from that of `out`, or if the dtype cannot hold them.
pub fn write_values(data_type: &DataType, values: &[u8], dtype: DType, out: &mut [u8]) -> Result<()> {
    macro_rules! floats {
        ($t:ty) => {{
            let values = values.as_chunks().0;
            let rows = out.as_chunks_mut().0;
            if values.len() != rows.len() {
                return Err(misfit(data_type, dtype));
            }
            for (row, value) in rows.iter_mut().zip(values) {
                // Integers beyond 2^53 become the nearest float, as in the casts of Arrow and NumPy.
                *row = (<$t>::from_le_bytes(*value) as f64).to_le_bytes();
            }
        }};
    }
    match data_type {
        _ if stored_dtype(data_type) == Some(dtype) && values.len() == out.len() => {
            out.copy_from_slice(values)
        }
        _ if dtype.kind != DTypeKind::Float || dtype.itemsize != 8 => return Err(misfit(data_type, dtype)),
        DataType::Int8 => floats!(i8),
        DataType::Int16 => floats!(i16),
        DataType::Int32 => floats!(i32),
        DataType::Int64 => floats!(i64),
        DataType::UInt8 => floats!(u8),
        DataType::UInt16 => floats!(u16),
        DataType::UInt32 => floats!(u32),
        DataType::UInt64 => floats!(u64),
        _ => return Err(misfit(data_type, dtype)),
    }
    Ok(())
}

#[cold]
fn misfit(data_type: &DataType, dtype: DType) -> Error {
    let message = format!("expected values that {} holds, found {data_type}.", dtype.descr());
    Error::malformed("arrow", message)
}

/// Combines columns of one length into one new column-major block of `dtype`, writing values and missing values in one
/// pass.
///
/// # Errors
/// `Malformed` if the dtype cannot hold a column; out of memory; cancellation.
pub fn block_of(
    columns: &[&ArrayData],
    dtype: DType,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Block> {
    let nrows = columns.first().map_or(0, |column| column.len());
    let too_large = || Error::too_large("arrow");
    let item = dtype.itemsize as usize;
    let stride = column_stride(nrows.checked_mul(item).ok_or_else(too_large)?);
    let total = stride.checked_mul(columns.len()).ok_or_else(too_large)?;
    let mut region = Region::allocate(total)?;
    let scatter = Scatter::new(&mut region);
    let mut tasks = Vec::new();
    for (k, &column) in columns.iter().enumerate() {
        let width = column.data_type().primitive_width().unwrap_or(0);
        let (first, values) = (column.offset(), column.buffers().first().map_or(&[][..], |b| b.as_slice()));
        if column.len() != nrows {
            return Err(misfit(column.data_type(), dtype));
        }
        for start in (0..nrows).step_by(TASK_ROWS) {
            let end = nrows.min(start + TASK_ROWS);
            // SAFETY: columns have disjoint ranges, `stride` apart, which is at least their size; the rows of tasks are
            // disjoint too.
            let out = unsafe { scatter.range(k * stride + start * item, (end - start) * item) };
            let out = out.ok_or_else(too_large)?;
            let some = values.get((first + start) * width..(first + end) * width);
            let some = some.ok_or_else(|| misfit(column.data_type(), dtype))?;
            tasks.push(Task::new(out.len(), move || {
                write_values(column.data_type(), some, dtype, out)?;
                if let Some(nulls) = column.nulls() {
                    write_missing(dtype, out, nulls.validity(), nulls.offset() + start);
                }
                fence();
                Ok(())
            }));
        }
    }
    parallel::run(tasks, threads, progress)?;
    let grid = Grid { col_stride: as_stride(stride), ..Grid::column_major(dtype, nrows, columns.len(), 0) };
    Block::new(grid, Buffer::from_region(region.finish(), true)).ok_or_else(too_large)
}

/// Moves the columns for which `dtype_of` returns a dtype into one block per dtype. `dtype_of` takes the index in the list
/// of wanted fields.
///
/// # Errors
/// As [`block_of`].
pub(crate) fn into_blocks(
    decoded: &mut DecodedColumns,
    dtype_of: &dyn Fn(usize) -> Option<DType>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<()> {
    let mut groups: Vec<(DType, Vec<usize>, Vec<ArrayData>)> = Vec::new();
    let mut rest = Vec::with_capacity(decoded.columns.len());
    for (i, data) in std::mem::take(&mut decoded.columns) {
        let dtype = missing_dtype(data.data_type()).filter(|_| data.null_count() > 0);
        match dtype.and_then(|_| dtype_of(i)) {
            None => rest.push((i, data)),
            Some(dtype) => match groups.iter_mut().find(|group| group.0 == dtype) {
                Some((_, members, columns)) => {
                    members.push(i);
                    columns.push(data);
                }
                None => groups.push((dtype, vec![i], vec![data])),
            },
        }
    }
    decoded.columns = rest;
    for (dtype, members, columns) in groups {
        let columns: Vec<&ArrayData> = columns.iter().collect();
        decoded.blocks.push((block_of(&columns, dtype, threads, progress)?, members));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_are_nan_or_nat_of_each_type() {
        let nat = i64::MIN.to_le_bytes();
        for (descr, missing) in [
            ("<f2", &0x7e00_u16.to_le_bytes()[..]),
            ("<f4", &f32::NAN.to_le_bytes()),
            ("<f8", &f64::NAN.to_le_bytes()),
            ("<M8[ns]", &nat),
            ("<m8[s]", &nat),
        ] {
            let dtype = DType::parse(descr).unwrap();
            let nbytes = missing.len();
            // Bits 3 to 5 of the second byte: one row is there, one is null, one is there. Rows beyond the bits stay.
            for (valid, offset, expected) in [
                (&[0xFF, 0b0010_1000][..], 11, vec![false, true, false, true, true]),
                (&[0b0000_0101], 0, vec![false, true, false, true, true, true, true, true, false, false]),
            ] {
                let mut out = vec![1; nbytes * expected.len()];
                write_missing(dtype, &mut out, valid, offset);
                let found: Vec<bool> = out.chunks(nbytes).map(|row| row == missing).collect();
                assert_eq!(found, expected, "{descr}");
            }
            // Rows of two words, of which only the last one is null.
            let mut valid = vec![0xFF; 17];
            valid[16] = 0b0111_1111;
            let mut out = vec![1; nbytes * 136];
            write_missing(dtype, &mut out, &valid, 0);
            let found: Vec<usize> =
                (0..136).filter(|row| &out[row * nbytes..][..nbytes] == missing).collect();
            assert_eq!(found, [135], "{descr}");
        }
        let mut out = vec![1; 8];
        write_missing(DType::parse("<i8").unwrap(), &mut out, &[0], 0);
        assert_eq!(out, [1; 8], "integers have no missing value");
    }

    #[test]
    fn integers_of_all_widths_become_floats() {
        let float = DType::parse("<f8").unwrap();
        for (data_type, values, expected) in [
            (DataType::Int8, vec![0xFE], -2.0),
            (DataType::Int16, vec![0xFE, 0xFF], -2.0),
            (DataType::Int32, (-2_i32).to_le_bytes().to_vec(), -2.0),
            (DataType::Int64, (-2_i64).to_le_bytes().to_vec(), -2.0),
            (DataType::UInt8, vec![0xFE], 254.0),
            (DataType::UInt16, vec![0xFE, 0xFF], 65_534.0),
            (DataType::UInt32, u32::MAX.to_le_bytes().to_vec(), 4_294_967_295.0),
            (DataType::UInt64, u64::MAX.to_le_bytes().to_vec(), 18_446_744_073_709_551_616.0),
        ] {
            let mut out = vec![0; 8];
            write_values(&data_type, &values, float, &mut out).unwrap();
            assert_eq!(out, f64::to_le_bytes(expected), "{data_type}");
            let error = write_values(&data_type, &[], float, &mut out).unwrap_err().to_string();
            assert!(error.contains("expected values that '<f8' holds") || error.contains("<f8"), "{error}");
            if values.len() == 8 {
                let mut out = values.clone();
                integers_to_floats(&data_type, &mut out);
                assert_eq!(out, f64::to_le_bytes(expected), "{data_type}");
            }
        }
        let text = write_values(&DataType::Utf8, &[0; 8], float, &mut [0; 8]).unwrap_err().to_string();
        assert!(text.contains("Utf8"), "{text}");
    }
}
