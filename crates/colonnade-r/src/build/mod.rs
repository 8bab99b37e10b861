//! Builds a frame from R's vectors. The C code pushes arrays on a stack, and combines or takes those on top.

mod ascii;
mod finish;
mod nested;
mod text;
mod times;
mod vectors;

pub use nested::*;
pub use text::*;
pub use times::*;
pub use vectors::*;

use std::ffi::{c_char, c_void};

use crate::r_memory::{defect, values_of};
use arrow_buffer::Buffer as ArrowBuffer;
use arrow_data::ArrayData;
use colonnade::frame::{Block, Column, DType, Frame, Grid};
use colonnade::memory::Buffer;
use colonnade::{Error, Result};
use colonnade_capi::error::{CnCode, CnError, report};
use colonnade_capi::text::optional;
use serde_json::Value;

use ascii::AsciiText;
use text::TextBuilder;

/// An array on the stack: a block of one column, or a column in Arrow's layout.
#[derive(Debug, Clone)]
pub(crate) enum Pushed {
    /// Numbers without a missing value, as NumPy stores them.
    Block(Block),
    /// Everything else.
    Column(Column),
}

/// A frame that is being built from R's vectors.
pub struct CnrBuilder {
    /// Rows.
    nrows: usize,
    /// Whether all chunks of a file must get the same types: numbers may then have nulls in a later chunk.
    chunked: bool,
    stack: Vec<Pushed>,
    text: Option<TextBuilder>,
    ascii: Option<AsciiText>,
    /// Whether the labels of the columns are a range.
    automatic_names: bool,
    columns: Vec<(Option<String>, Pushed)>,
    row_names: Option<Pushed>,
    frame: Option<Frame>,
}

impl CnrBuilder {
    fn push(&mut self, data: ArrayData) {
        self.stack.push(Pushed::Column(Column::new(data)));
    }

    fn pop(&mut self) -> Result<Pushed> {
        self.stack.pop().ok_or_else(|| defect("the stack is empty"))
    }

    /// The top of the stack in Arrow's layout.
    fn pop_array(&mut self) -> Result<ArrayData> {
        match self.pop()? {
            Pushed::Column(column) => Ok(column.data),
            Pushed::Block(_) => Err(defect("expected an array of Arrow")),
        }
    }

    /// The finished frame.
    ///
    /// # Errors
    /// `Internal`: it was not finished.
    pub fn frame(&self) -> Result<&Frame> {
        self.frame.as_ref().ok_or_else(|| defect("the frame is not finished"))
    }
}

/// A block of one column.
pub(crate) fn block(descr: &str, nrows: usize, bytes: ArrowBuffer) -> Result<Pushed> {
    let dtype = DType::parse(descr).ok_or_else(|| defect("a dtype that NumPy lacks"))?;
    let block = Block::new(Grid::column_major(dtype, nrows, 1, 0), Buffer::from_arrow(bytes));
    block.map(Pushed::Block).ok_or_else(|| defect("a block that exceeds its bytes"))
}

/// Runs `work` with the builder.
///
/// # Safety
/// `builder` is valid, and no other reference to it exists; `error` is null or zeroed.
pub(crate) unsafe fn with(
    builder: *mut CnrBuilder,
    error: *mut CnError,
    work: impl FnOnce(&mut CnrBuilder) -> Result<()>,
) -> CnCode {
    // SAFETY: the caller guarantees it.
    unsafe { report(error, || work(builder.as_mut().ok_or_else(|| defect("no builder"))?)) }
}

/// A builder of a frame with `nrows` rows. `chunked`: whether it is one of several chunks of a file.
#[unsafe(no_mangle)]
pub extern "C" fn cnr_builder_new(nrows: usize, chunked: bool) -> *mut CnrBuilder {
    let builder = CnrBuilder {
        nrows,
        chunked,
        stack: Vec::new(),
        text: None,
        ascii: None,
        automatic_names: false,
        columns: Vec::new(),
        row_names: None,
        frame: None,
    };
    Box::into_raw(Box::new(builder))
}

/// Frees a builder. Null is ignored.
///
/// # Safety
/// `builder` is null, or a builder that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_builder_free(builder: *mut CnrBuilder) {
    if !builder.is_null() {
        // SAFETY: the caller guarantees it.
        drop(unsafe { Box::from_raw(builder) });
    }
}

/// Sets the tag of the array on top. `storage`: what R's vector is, if the type alone does not say it ("raw", "integer64", "cells",
/// "integer" where R usually has doubles); or null. `attributes`: typed MessagePack, or nothing.
///
/// # Safety
/// `builder` is valid; `storage` is null or a C string; `attributes` is valid for reads of `nbytes`; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_tag(
    builder: *mut CnrBuilder,
    storage: *const c_char,
    attributes: *const c_void,
    nbytes: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let bytes = values_of(attributes.cast::<u8>(), nbytes);
            let mut tag = serde_json::Map::new();
            tag.insert("kind".into(), Value::from("r"));
            if let Some(storage) = optional("storage", storage)? {
                tag.insert("storage".into(), Value::from(storage));
            }
            if !bytes.is_empty() {
                tag.insert("attributes".into(), crate::tags::to_json(bytes)?);
            }
            let mut column = match builder.pop()? {
                Pushed::Column(column) => column,
                // Blocks have no tags.
                Pushed::Block(block) => Column::new(vectors::array_of_block(&block)?),
            };
            column.tag = Some(Value::Object(tag).to_string());
            builder.stack.push(Pushed::Column(column));
            Ok(())
        })
    }
}

/// Makes the array on top the next column. `name`: UTF-8 of `nbytes`; null for `NA`.
///
/// # Safety
/// As `cnr_tag`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_add_column(
    builder: *mut CnrBuilder,
    name: *const u8,
    nbytes: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let name = if name.is_null() { None } else { Some(text_of(values_of(name, nbytes))?) };
            let array = builder.pop()?;
            builder.columns.push((name, array));
            Ok(())
        })
    }
}

/// Makes the labels of the columns a range, as NumPy's arrays have.
///
/// # Safety
/// As `cnr_tag`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_automatic_names(builder: *mut CnrBuilder, error: *mut CnError) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            builder.automatic_names = true;
            Ok(())
        })
    }
}

/// Makes the array on top the row names.
///
/// # Safety
/// As `cnr_tag`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_set_row_names(builder: *mut CnrBuilder, error: *mut CnError) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            builder.row_names = Some(builder.pop()?);
            Ok(())
        })
    }
}

fn text_of(bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| {
        let shown = bytes.escape_ascii();
        Error::unrepresentable("r", format!("names: expected valid text, found {shown}. Set its encoding."))
    })
}
