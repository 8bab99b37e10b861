//! A frame as R reads it: for each column the kind of R's vector, and functions that fill R's memory.

mod arrays;
mod fill;
mod fills;
mod kinds;
mod labels;
mod views;

pub use fill::*;
pub use fills::*;
pub use labels::*;
pub use views::*;

use std::ffi::{CString, c_char, c_void};

use arrow_data::ArrayData;
use colonnade::frame::Frame;
use colonnade::{Error, Result};
use colonnade_capi::error::{CnCode, CnError, report};
use serde_json::Value;

use crate::r_memory::defect;

/// The kind of R's vector for a column.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CnrKind {
    /// Logical.
    Logical = 0,
    /// Integer.
    Integer = 1,
    /// bit64's integer64.
    Integer64 = 2,
    /// Double.
    Double = 3,
    /// Complex.
    Complex = 4,
    /// Raw.
    Raw = 5,
    /// Character.
    Text = 6,
    /// Factor: its levels are child 0.
    Factor = 7,
    /// Date.
    Date = 8,
    /// POSIXct.
    Time = 9,
    /// difftime, in seconds.
    Duration = 10,
    /// A time of day, difftime of class hms.
    Clock = 11,
    /// A list of slices of child 0.
    List = 12,
    /// A matrix with the rows of child 0, `width` values each.
    Matrix = 13,
    /// A data frame of children.
    Frame = 14,
    /// A list of raw vectors.
    Bytes = 15,
    /// A list of R's values, typed MessagePack.
    Cells = 16,
}

/// What R needs to know of a column before it allocates the vector.
#[repr(C)]
#[derive(Debug)]
pub struct CnrInfo {
    /// The kind.
    pub kind: CnrKind,
    /// Values.
    pub count: usize,
    /// Values of a matrix' row.
    pub width: usize,
    /// Children.
    pub children: usize,
    /// Whether a factor is ordered.
    pub ordered: bool,
    /// Whether R had integers where it usually has doubles.
    pub integer: bool,
    /// Whether the column has R's attributes, which replace those of the kind.
    pub tagged: bool,
    /// Whether values were rounded: R has no type that holds them.
    pub rounded: bool,
    /// The zone of times: UTF-8, or null.
    pub zone: *const c_char,
    /// R's attributes, as typed MessagePack; null if there are none.
    pub attributes: *const c_void,
    /// Their size.
    pub attributes_nbytes: usize,
}

/// A column, or a part of one.
pub(crate) struct Node {
    /// Its name, for errors.
    name: String,
    data: ArrayData,
    ordered: bool,
    kind: CnrKind,
    rounded: bool,
    /// Whether a tag of R says that integers are stored.
    integer: bool,
    tagged: bool,
    attributes: Vec<u8>,
    zone: Option<CString>,
    /// The first child's number among the nodes.
    children: Vec<usize>,
}

/// A frame that was read.
pub struct CnrFrame {
    frame: Frame,
    nodes: Vec<Node>,
    labels: Vec<Option<String>>,
    /// The origin's tag.
    origin: Value,
}

impl CnrFrame {
    /// Prepares a frame for R.
    ///
    /// # Errors
    /// `Unsupported`: a type that R lacks, naming the column.
    pub fn new(frame: Frame) -> Result<Self> {
        let labels = colonnade::arrow::label_texts(&frame.columns)?;
        let origin = frame.tags.origin.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let mut out = Self { nodes: Vec::new(), labels, origin: origin.unwrap_or_default(), frame };
        let sources = arrays::sources(&out.frame)?;
        let count = sources.len();
        // Children are appended after all columns and levels, whose numbers are their positions.
        for (position, source) in sources.into_iter().enumerate() {
            let name = match out.labels.get(position) {
                Some(Some(name)) => name.clone(),
                Some(None) => "NA".into(),
                None => format!("row names {}", position - out.labels.len() + 1),
            };
            let node = kinds::node(name.clone(), source).map_err(|error| error.in_member(name))?;
            out.nodes.push(node);
        }
        for position in 0..count {
            out.add_children(position)?;
        }
        Ok(out)
    }

    fn add_children(&mut self, parent: usize) -> Result<()> {
        let Some(node) = self.nodes.get(parent) else { return Ok(()) };
        let name = node.name.clone();
        let mut numbers = Vec::new();
        for source in kinds::children(node) {
            let child = kinds::node(name.clone(), source).map_err(|error| error.in_member(name.clone()))?;
            numbers.push(self.nodes.len());
            self.nodes.push(child);
            self.add_children(self.nodes.len() - 1)?;
        }
        if let Some(node) = self.nodes.get_mut(parent) {
            node.children = numbers;
        }
        Ok(())
    }

    pub(crate) fn node(&self, number: usize) -> Result<&Node> {
        self.nodes.get(number).ok_or_else(|| defect("no such column"))
    }

    /// The frame.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }
}

/// Runs `work` with the frame.
///
/// # Safety
/// `frame` is valid; `error` is null or zeroed.
pub(crate) unsafe fn with(
    frame: *const CnrFrame,
    error: *mut CnError,
    work: impl FnOnce(&CnrFrame) -> Result<()>,
) -> CnCode {
    // SAFETY: the caller guarantees it.
    unsafe { report(error, || work(frame.as_ref().ok_or_else(|| defect("no frame"))?)) }
}

/// Frees a frame. Null is ignored.
///
/// # Safety
/// `frame` is null, or a frame that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_frame_free(frame: *mut CnrFrame) {
    if !frame.is_null() {
        // SAFETY: the caller guarantees it.
        drop(unsafe { Box::from_raw(frame) });
    }
}

/// Rows and columns.
///
/// # Safety
/// All pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_frame_shape(frame: *const CnrFrame, nrows: *mut usize, ncols: *mut usize) {
    // SAFETY: the caller guarantees it.
    unsafe {
        if let Some(frame) = frame.as_ref() {
            nrows.write(frame.frame.nrows);
            ncols.write(frame.frame.ncols);
        }
    }
}

/// What R needs to know of a node: a column by its position, a level of row labels after them, or a child.
///
/// # Safety
/// `frame` and `out` are valid; `error` is null or zeroed. The texts live as long as the frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_node_info(
    frame: *const CnrFrame,
    node: usize,
    out: *mut CnrInfo,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            let node = frame.node(node)?;
            let attributes = &node.attributes;
            out.write(CnrInfo {
                kind: node.kind,
                count: node.data.len(),
                width: node.width(),
                children: node.children.len(),
                ordered: node.ordered,
                integer: node.integer,
                tagged: node.tagged,
                rounded: node.rounded,
                zone: node.zone.as_ref().map_or(std::ptr::null(), |zone| zone.as_ptr()),
                attributes: if attributes.is_empty() { std::ptr::null() } else { attributes.as_ptr().cast() },
                attributes_nbytes: attributes.len(),
            });
            Ok(())
        })
    }
}

/// The number of a node's child.
///
/// # Safety
/// As `cnr_node_info`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_node_child(
    frame: *const CnrFrame,
    node: usize,
    child: usize,
    out: *mut usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            let number = frame.node(node)?.children.get(child).copied();
            out.write(number.ok_or_else(|| defect("no such child"))?);
            Ok(())
        })
    }
}

/// The error for a type that R lacks.
pub(crate) fn unsupported(found: &str) -> Error {
    let message = format!(
        "expected a type that R has, found {found}. Read other columns=, or convert the column where the file was written."
    );
    Error::unsupported("r", message)
}
