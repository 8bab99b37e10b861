//! Factors, lists, matrices and data frames within a column.

use std::sync::Arc;

use arrow_buffer::{Buffer as ArrowBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};
use colonnade::frame::Column;
use colonnade::{Error, Result};
use colonnade_capi::error::{CnCode, CnError};

use super::{CnrBuilder, Pushed, text_of, with};
use crate::NA_INTEGER;
use crate::r_memory::{defect, values_of};

fn item(data: &ArrayData) -> Arc<Field> {
    Arc::new(Field::new("item", data.data_type().clone(), true))
}

fn built(builder: arrow_data::ArrayDataBuilder) -> Result<ArrayData> {
    builder.build().map_err(|error| defect(&error.to_string()))
}

/// Lists of `width` values each.
pub(super) fn fixed_list(child: ArrayData, width: usize, count: usize) -> Result<ArrayData> {
    let width = i32::try_from(width).map_err(|_| Error::too_large("r"))?;
    built(ArrayData::builder(DataType::FixedSizeList(item(&child), width)).len(count).add_child_data(child))
}

/// Pushes a factor. Takes its levels, text, from the stack.
///
/// # Safety
/// `builder` is valid; `codes` is valid for reads of `count` values; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_factor(
    builder: *mut CnrBuilder,
    codes: *const i32,
    count: usize,
    ordered: bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let levels = builder.pop_array()?;
            let data = factor(values_of(codes, count), levels)?;
            builder.stack.push(Pushed::Column(Column { ordered, ..Column::new(data) }));
            Ok(())
        })
    }
}

/// A dictionary of `levels`, with codes that R counts from 1.
fn factor(codes: &[i32], levels: ArrayData) -> Result<ArrayData> {
    let known = i32::try_from(levels.len()).map_err(|_| Error::too_large("r"))?;
    let wrong = codes.iter().position(|&code| code != NA_INTEGER && !(1..=known).contains(&code));
    if let Some(row) = wrong {
        let code = codes.get(row).copied().unwrap_or(0);
        let message = format!(
            "row {}: expected a factor with codes from 1 to {known}, found {code}. Make it again with factor().",
            row + 1
        );
        return Err(Error::unrepresentable("r", message));
    }
    let missing = codes.contains(&NA_INTEGER);
    let nulls = missing.then(|| codes.iter().map(|&code| code != NA_INTEGER).collect::<NullBuffer>());
    let keys: Vec<i32> = codes.iter().map(|&code| if code == NA_INTEGER { 0 } else { code - 1 }).collect();
    let data_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(levels.data_type().clone()));
    let array = ArrayData::builder(data_type)
        .len(codes.len())
        .add_buffer(ArrowBuffer::from_vec(keys))
        .nulls(nulls)
        .add_child_data(levels);
    // SAFETY: all codes that are not null were checked against the levels; null ones are 0, which no reader uses.
    Ok(unsafe { array.build_unchecked() })
}

/// Pushes a list of vectors. Takes their joined values from the stack. `lengths`: -1 for NULL.
///
/// # Safety
/// As `cnr_push_factor`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_list(
    builder: *mut CnrBuilder,
    lengths: *const i64,
    count: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let child = builder.pop_array()?;
            let lengths = values_of(lengths, count);
            let nulls =
                lengths.contains(&-1).then(|| lengths.iter().map(|&n| n >= 0).collect::<NullBuffer>());
            let mut end = 0_i64;
            let mut offsets = Vec::with_capacity(count + 1);
            offsets.push(0);
            for &length in lengths {
                end = end.checked_add(length.max(0)).ok_or_else(|| Error::too_large("r"))?;
                offsets.push(end);
            }
            let data_type = DataType::LargeList(item(&child));
            let array = ArrayData::builder(data_type)
                .len(count)
                .add_buffer(ArrowBuffer::from_vec(offsets))
                .nulls(nulls)
                .add_child_data(child);
            let data = built(array)?;
            builder.push(data);
            Ok(())
        })
    }
}

/// Pushes a matrix of `width` columns. Takes its values, row by row, from the stack.
///
/// # Safety
/// As `cnr_push_factor`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_matrix(
    builder: *mut CnrBuilder,
    width: usize,
    count: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let child = builder.pop_array()?;
            let data = fixed_list(child, width, count)?;
            builder.push(data);
            Ok(())
        })
    }
}

/// Pushes a data frame within a column. Takes its columns from the stack; `names` are UTF-8 of `sizes` bytes.
///
/// # Safety
/// `builder` is valid; `names` and `sizes` have `ncols` items; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_struct(
    builder: *mut CnrBuilder,
    names: *const *const u8,
    sizes: *const usize,
    ncols: usize,
    count: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let mut columns = Vec::with_capacity(ncols);
            for _ in 0..ncols {
                columns.push(match builder.pop()? {
                    Pushed::Column(column) => column,
                    Pushed::Block(_) => return Err(defect("expected an array of Arrow")),
                });
            }
            columns.reverse();
            let mut fields = Vec::with_capacity(ncols);
            for ((name, size), column) in
                values_of(names, ncols).iter().zip(values_of(sizes, ncols)).zip(&columns)
            {
                let name = text_of(values_of(*name, *size))?;
                if let Some(tag) = &column.tag {
                    let message = format!(
                        "{name:?} within a data frame: expected a type that needs no attributes, found {tag}. Move it to a column of its own."
                    );
                    return Err(Error::unrepresentable("r", message));
                }
                let field = Field::new(name, column.data.data_type().clone(), true);
                fields.push(field.with_dict_is_ordered(column.ordered));
            }
            let children = columns.into_iter().map(|column| column.data).collect();
            let array = ArrayData::builder(DataType::Struct(Fields::from(fields))).len(count);
            let data = built(array.child_data(children))?;
            builder.push(data);
            Ok(())
        })
    }
}
