//! Encodes a frame as one NPY, or as the files of a directory.

use serde_json::Value;

use crate::container::members::{Compat, plan};
use crate::container::npy::{Descr, DescrField, write_numpy_header};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Axis, Block, DType, Frame, Part};
use crate::progress::Progress;
use crate::sink::{Sink, write_with_progress};

const ADVICE: &str = "Write a directory (directory=True) or an .npz.";

fn unrepresentable(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unrepresentable, "npy", message)
}

/// Writes a frame that is one array: one dtype, automatic labels, no names.
///
/// # Errors
/// `Unrepresentable`, naming the part that an array cannot hold; errors of the sink.
pub fn encode(frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
    let origin = frame.tags.origin.as_deref().unwrap_or("");
    let class = |name: &str| {
        origin.contains(&format!("\"class\":\"{name}\""))
            || origin.contains(&format!("\"class\": \"{name}\""))
    };
    if class("structured") {
        return structured(frame, sink, progress);
    }
    if frame.tags.name != "null" || frame.tags.attrs.is_some() {
        return Err(unrepresentable(format!("one array holds no name and no attrs. {ADVICE}")));
    }
    for (axis, side) in [(&frame.index, "row"), (&frame.columns, "column")] {
        if !is_automatic(axis) {
            return Err(unrepresentable(format!("one array holds no {side} labels. {ADVICE}")));
        }
    }
    let columns = columns(frame)?;
    let dtype = match columns.first() {
        Some(first) => first.grid.dtype,
        None => DType::parse("<f8").ok_or_else(|| unrepresentable("no dtype."))?,
    };
    if let Some(at) = columns.iter().position(|b| b.grid.dtype != dtype) {
        let found = columns.get(at).map_or(String::new(), |b| b.grid.dtype.descr());
        return Err(unrepresentable(format!(
            "expected one dtype, found {} and {found} (column {at}). {ADVICE}",
            dtype.descr()
        )));
    }
    let one = class("1d") && frame.ncols == 1;
    let whole = match frame.parts.as_slice() {
        [Part::Block(block, positions)] if positions.iter().enumerate().all(|(i, &p)| i == p) => Some(block),
        _ => None,
    };
    let row_major = whole.is_some_and(|b| b.grid.is_row_major());
    let mut head = Vec::new();
    let shape = [frame.nrows, frame.ncols];
    let shape = if one { &shape[..1] } else { &shape[..] };
    write_numpy_header(&mut head, &Descr::Scalar(dtype), !row_major && !one, shape);
    let total = (head.len() + frame.nrows * frame.ncols * dtype.itemsize as usize) as u64;
    sink.reserve(total)?;
    let mut out = ProgressSink { sink, progress, done: 0, total };
    out.write(&head)?;
    if let Some(block) = whole.filter(|_| row_major) {
        return block.chunks(&mut |bytes| out.write(bytes));
    }
    for block in columns {
        block.chunks(&mut |bytes| out.write(bytes))?;
    }
    Ok(())
}

struct ProgressSink<'s> {
    sink: &'s mut dyn Sink,
    progress: &'s dyn Progress,
    done: u64,
    total: u64,
}

impl ProgressSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        write_with_progress(self.sink, bytes, &mut self.done, Some(self.total), self.progress)
    }
}

fn is_automatic(axis: &Axis) -> bool {
    axis.name == "null" && axis.counts_from_zero()
}

/// Each column as a separate block.
fn columns(frame: &Frame) -> Result<Vec<Block>> {
    let mut out = Vec::with_capacity(frame.ncols);
    for (position, slot) in frame.slots()?.into_iter().enumerate() {
        match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => {
                out.push(Block { grid: block.grid.columns(slot.column, 1, 1), buffer: block.buffer.clone() });
            }
            Some(Part::Column(column, _)) => {
                let name = crate::frame::type_name(column.data.data_type(), column.ordered);
                return Err(unrepresentable(format!(
                    "column {position}: NPY cannot hold {name}. Write an .npz."
                )));
            }
            None => {}
        }
    }
    Ok(out)
}

/// Writes a structured array: its fields interleaved row by row.
fn structured(frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
    let names = field_names(&frame.columns)?;
    let columns = columns(frame)?;
    let field = |(name, block): (String, &Block)| DescrField {
        name,
        title: None,
        descr: Descr::Scalar(block.grid.dtype),
        shape: Vec::new(),
    };
    let origin: Value =
        serde_json::from_str(frame.tags.origin.as_deref().unwrap_or("null")).unwrap_or_default();
    if origin.get("dtype").is_some_and(|dtype| !is_packed(dtype, &columns)) {
        return Err(unrepresentable(format!(
            "a single file holds a structured dtype without titles, alignment and padding. {ADVICE}"
        )));
    }
    let record: usize = columns.iter().map(|b| b.grid.dtype.itemsize as usize).sum();
    let descr = Descr::Struct(names.into_iter().zip(&columns).map(field).collect());
    let mut head = Vec::new();
    write_numpy_header(&mut head, &descr, false, &[frame.nrows]);
    let total = (head.len() + record * frame.nrows) as u64;
    sink.reserve(total)?;
    let mut out = ProgressSink { sink, progress, done: 0, total };
    out.write(&head)?;
    let mut scratch = Vec::new();
    for row in 0..frame.nrows {
        for block in &columns {
            let start = block.grid.rows(row, row + 1).offset;
            let item = block.grid.dtype.itemsize as usize;
            scratch.extend_from_slice(block.buffer.as_slice().get(start..start + item).unwrap_or(&[]));
        }
        if scratch.len() > 1 << 18 {
            out.write(&scratch)?;
            scratch.clear();
        }
    }
    out.write(&scratch)
}

/// Whether a NumPy dtype is these columns without gaps, titles and alignment, none of which a header stores.
fn is_packed(dtype: &Value, columns: &[Block]) -> bool {
    let mut nbytes = 0;
    let mut offsets = Vec::with_capacity(columns.len());
    for block in columns {
        offsets.push(Value::from(nbytes));
        nbytes += u64::from(block.grid.dtype.itemsize);
    }
    let titles = dtype.get("titles").and_then(Value::as_array);
    dtype.get("itemsize") == Some(&Value::from(nbytes))
        && dtype.get("offsets") == Some(&Value::from(offsets))
        && dtype.get("aligned") != Some(&Value::from(true))
        && titles.is_none_or(|titles| titles.iter().all(Value::is_null))
}

fn field_names(columns: &Axis) -> Result<Vec<String>> {
    let text = columns.strings().ok_or_else(|| {
        unrepresentable("a structured array needs string labels, all different. Write an .npz.")
    })?;
    Ok(text)
}

/// Writes each member into the sink that `open` returns for its name, then passes the sink to `close`.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; errors of the sinks.
pub fn encode_directory<S: Sink>(
    frame: &Frame,
    compat: Compat,
    progress: &dyn Progress,
    open: &mut dyn FnMut(&str) -> Result<S>,
    close: &mut dyn FnMut(S) -> Result<()>,
) -> Result<()> {
    let members = plan(frame, compat, None, &|_| 0)?;
    let total: u64 = members.iter().map(|m| m.nbytes() as u64).sum();
    let mut done = 0;
    for member in &members {
        let mut sink = open(&member.name.text())?;
        let head = member.head();
        sink.reserve((head.len() + member.nbytes()) as u64)?;
        sink.write(&head)?;
        member.data.chunks(&mut |bytes| {
            for chunk in bytes.chunks(1 << 20) {
                sink.write(chunk)?;
                done += chunk.len() as u64;
                progress.advance(done, Some(total.max(done)))?;
            }
            Ok(())
        })?;
        close(sink)?;
    }
    Ok(())
}
