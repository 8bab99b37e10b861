//! Fills R's memory with the values of a column.

use std::ffi::c_void;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{DataType, TimeUnit};
use colonnade::Result;
use colonnade_capi::error::{CnCode, CnError};

use super::{CnrFrame, Node, with};
use crate::r_memory::defect;
use crate::units::seconds_of;
use crate::{NA_INTEGER, NA_INTEGER64, NA_REAL_BITS};

/// R's memory of a vector.
///
/// # Safety
/// `values` is valid for writes of `count` values.
unsafe fn target<'t, T>(values: *mut T, count: usize) -> &'t mut [T] {
    // SAFETY: the caller guarantees it.
    if count == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(values, count) } }
}

/// Writes the values of a primitive array, and `missing` for nulls. Loops over values first, which the compiler vectorises.
fn fill<P: ArrowPrimitiveType, T: Copy>(
    array: &ArrayRef,
    out: &mut [T],
    missing: T,
    convert: impl Fn(P::Native) -> T,
) -> Result<()> {
    let array = array.as_primitive_opt::<P>().ok_or_else(|| defect("an array of another type"))?;
    for (slot, value) in out.iter_mut().zip(array.values().iter()) {
        *slot = convert(*value);
    }
    for_nulls(array, |row| {
        if let Some(slot) = out.get_mut(row) {
            *slot = missing;
        }
    });
    Ok(())
}

/// Calls `work` with the row of each null.
fn for_nulls(array: &dyn Array, mut work: impl FnMut(usize)) {
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        let missing = !nulls.inner();
        missing.set_indices().for_each(&mut work);
    }
}

fn logicals(node: &Node, out: &mut [i32]) -> Result<()> {
    let array = make_array(node.data.clone());
    if node.data.data_type() == &DataType::Null {
        out.fill(NA_INTEGER);
        return Ok(());
    }
    let array = array.as_boolean_opt().ok_or_else(|| defect("an array of another type"))?;
    for (slot, value) in out.iter_mut().zip(array.values()) {
        *slot = i32::from(value);
    }
    for_nulls(array, |row| {
        if let Some(slot) = out.get_mut(row) {
            *slot = NA_INTEGER;
        }
    });
    Ok(())
}

/// Integers that fit, the codes of a factor from 1, or days stored as integers.
fn integers(node: &Node, out: &mut [i32]) -> Result<()> {
    let array = make_array(node.data.clone());
    #[allow(clippy::cast_possible_truncation)] // the kind was chosen because all values fit
    match node.data.data_type() {
        DataType::Int8 => fill::<Int8Type, _>(&array, out, NA_INTEGER, i32::from),
        DataType::Int16 => fill::<Int16Type, _>(&array, out, NA_INTEGER, i32::from),
        DataType::Int32 => fill::<Int32Type, _>(&array, out, NA_INTEGER, |value| value),
        DataType::Int64 => fill::<Int64Type, _>(&array, out, NA_INTEGER, |value| value as i32),
        DataType::UInt8 => fill::<UInt8Type, _>(&array, out, NA_INTEGER, i32::from),
        DataType::UInt16 => fill::<UInt16Type, _>(&array, out, NA_INTEGER, i32::from),
        DataType::UInt32 => fill::<UInt32Type, _>(&array, out, NA_INTEGER, |value| value.cast_signed()),
        DataType::UInt64 => fill::<UInt64Type, _>(&array, out, NA_INTEGER, |value| value as i32),
        DataType::Date32 => fill::<Date32Type, _>(&array, out, NA_INTEGER, |value| value),
        DataType::Timestamp(unit, _) | DataType::Duration(unit) => {
            let per = crate::units::units_per_second(*unit);
            let whole = times(node, NA_INTEGER, |count| (count / per) as i32)?;
            out.copy_from_slice(&whole);
            Ok(())
        }
        DataType::Dictionary(..) => codes(&array, out),
        _ => Err(defect("integers of another type")),
    }
}

fn codes(array: &ArrayRef, out: &mut [i32]) -> Result<()> {
    let dictionary = array.as_any_dictionary_opt().ok_or_else(|| defect("an array of another type"))?;
    let known = dictionary.values().len();
    if known == 0 {
        out.fill(NA_INTEGER);
        return Ok(());
    }
    let keys = dictionary.normalized_keys();
    for (slot, key) in out.iter_mut().zip(keys) {
        *slot = if key < known { i32::try_from(key + 1).unwrap_or(NA_INTEGER) } else { NA_INTEGER };
    }
    for_nulls(dictionary.keys(), |row| {
        if let Some(slot) = out.get_mut(row) {
            *slot = NA_INTEGER;
        }
    });
    Ok(())
}

/// The counts of a 64-bit time, converted.
fn times<T: Copy>(node: &Node, missing: T, convert: impl Fn(i64) -> T) -> Result<Vec<T>> {
    let data = &node.data;
    let buffer = data.buffers().first().ok_or_else(|| defect("a time without values"))?;
    let counts = buffer.typed_data::<i64>().iter().skip(data.offset()).take(data.len());
    Ok(counts
        .enumerate()
        .map(|(row, &count)| if data.is_valid(row) { convert(count) } else { missing })
        .collect())
}

/// Writes seconds, divided by `factor`.
fn seconds(node: &Node, out: &mut [f64], unit: TimeUnit, factor: f64) -> Result<()> {
    let data = &node.data;
    let buffer = data.buffers().first().ok_or_else(|| defect("a time without values"))?;
    let counts = buffer.typed_data::<i64>().iter().skip(data.offset());
    if factor == 1.0 {
        out.iter_mut().zip(counts).for_each(|(slot, &count)| *slot = seconds_of(count, unit));
    } else {
        out.iter_mut().zip(counts).for_each(|(slot, &count)| *slot = seconds_of(count, unit) / factor);
    }
    for_nulls(&make_array(data.clone()), |row| {
        if let Some(slot) = out.get_mut(row) {
            *slot = f64::from_bits(NA_REAL_BITS);
        }
    });
    Ok(())
}

#[allow(clippy::cast_precision_loss)] // the nearest double is what R has; the kind says so
fn doubles(node: &Node, out: &mut [f64], factor: f64) -> Result<()> {
    let (array, na) = (make_array(node.data.clone()), f64::from_bits(NA_REAL_BITS));
    match node.data.data_type() {
        DataType::Float64 => {
            let values =
                array.as_primitive_opt::<Float64Type>().ok_or_else(|| defect("an array of another type"))?;
            out.copy_from_slice(values.values());
            // Arithmetic of R sets a bit of `NA`. Files that keep the value of a null bring it back.
            for_nulls(values, |row| {
                if let Some(slot) = out.get_mut(row).filter(|slot| !crate::is_na(**slot)) {
                    *slot = na;
                }
            });
            Ok(())
        }
        DataType::Float32 => fill::<Float32Type, _>(&array, out, na, f64::from),
        DataType::Float16 => fill::<Float16Type, _>(&array, out, na, f64::from),
        DataType::Int32 => fill::<Int32Type, _>(&array, out, na, f64::from),
        DataType::Int64 => fill::<Int64Type, _>(&array, out, na, |value| value as f64),
        DataType::UInt32 => fill::<UInt32Type, _>(&array, out, na, f64::from),
        DataType::UInt64 => fill::<UInt64Type, _>(&array, out, na, |value| value as f64),
        DataType::Date32 => fill::<Date32Type, _>(&array, out, na, f64::from),
        DataType::Date64 => fill::<Date64Type, _>(&array, out, na, |value| (value / 86_400_000) as f64),
        // Days of NumPy that Arrow's 32 bits cannot hold are stored as they are.
        DataType::Timestamp(unit, _) | DataType::Duration(unit) | DataType::Time64(unit) => {
            seconds(node, out, *unit, factor)
        }
        DataType::Time32(unit) => {
            let per = crate::units::units_per_second(*unit) as f64;
            let values = node.data.buffers().first().map(|b| b.typed_data::<i32>()).unwrap_or_default();
            let values = values.iter().skip(node.data.offset());
            out.iter_mut().zip(values).for_each(|(slot, &value)| *slot = f64::from(value) / per);
            for_nulls(&array, |row| {
                if let Some(slot) = out.get_mut(row) {
                    *slot = na;
                }
            });
            Ok(())
        }
        DataType::Decimal128(_, scale) => {
            let power = 10_f64.powi(i32::from(*scale));
            fill::<Decimal128Type, _>(&array, out, na, |value| value as f64 / power)
        }
        other => Err(super::unsupported(&colonnade::frame::type_name(other, false))),
    }
}

fn integers64(node: &Node, out: &mut [i64]) -> Result<()> {
    let array = make_array(node.data.clone());
    match node.data.data_type() {
        DataType::Int64 => fill::<Int64Type, _>(&array, out, NA_INTEGER64, |value| value),
        DataType::UInt64 => fill::<UInt64Type, _>(&array, out, NA_INTEGER64, u64::cast_signed),
        _ => Err(defect("integers of another type")),
    }
}

fn complexes(node: &Node, out: &mut [f64]) -> Result<()> {
    let child = node.data.child_data().first().ok_or_else(|| defect("complex numbers without values"))?;
    let child = make_array(child.slice(node.data.offset() * 2, node.data.len() * 2));
    let na = f64::from_bits(NA_REAL_BITS);
    match child.data_type() {
        DataType::Float64 => fill::<Float64Type, _>(&child, out, na, |value| value),
        _ => fill::<Float32Type, _>(&child, out, na, f64::from),
    }
}

/// The type of R's vector.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CnrValues {
    /// Logical.
    Logical = 0,
    /// Integers, codes of a factor, or dates and times that R had as integers.
    Integer = 1,
    /// bit64's integer64.
    Integer64 = 2,
    /// Numbers, days of dates, seconds of times.
    Double = 3,
    /// Two doubles for each number.
    Complex = 4,
    /// Bytes.
    Raw = 5,
}

/// A vector of R to fill with the values of a node.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CnrFill {
    /// The node.
    pub node: usize,
    /// The type of the vector.
    pub values: CnrValues,
    /// R's memory, for as many values as the node has.
    pub out: *mut c_void,
    /// The seconds of the unit of a difftime, else 1.
    pub factor: f64,
}

impl CnrFill {
    /// Writes the values.
    ///
    /// # Safety
    /// `out` is valid for writes of the node's count of `values`.
    pub(super) unsafe fn run(&self, frame: &CnrFrame) -> Result<()> {
        let node = frame.node(self.node)?;
        let count = node.data.len();
        // SAFETY: the caller guarantees that the memory has the type and room for all values.
        unsafe {
            match self.values {
                CnrValues::Logical => logicals(node, target(self.out.cast(), count)),
                CnrValues::Integer => integers(node, target(self.out.cast(), count)),
                CnrValues::Integer64 => integers64(node, target(self.out.cast(), count)),
                CnrValues::Double => doubles(node, target(self.out.cast(), count), self.factor),
                CnrValues::Complex => complexes(node, target(self.out.cast(), count * 2)),
                CnrValues::Raw => {
                    let array = make_array(node.data.clone());
                    fill::<UInt8Type, _>(&array, target(self.out.cast(), count), 0, |value| value)
                }
            }
        }
    }
}

/// Fills a vector.
///
/// # Safety
/// `frame` and `fill` are valid; `fill.out` is valid for writes of the node's count of `fill.values`; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_fill(
    frame: *const CnrFrame,
    fill: *const CnrFill,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe { with(frame, error, |frame| fill.as_ref().ok_or_else(|| defect("no vector"))?.run(frame)) }
}
