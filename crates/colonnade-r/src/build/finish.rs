//! Joins columns, names and row names to a frame.

use arrow_array::Array;
use arrow_array::builder::LargeStringBuilder;
use colonnade::Result;
use colonnade::arrow::text_labels;
use colonnade::frame::{Axis, Column, Frame, Labels, Level, Part, Tags};
use colonnade_capi::error::{CnCode, CnError};
use serde_json::json;
use std::ffi::c_void;

use super::{CnrBuilder, Pushed, with};
use crate::r_memory::values_of;
use crate::{hint, tags};

/// The labels of the columns. Names without `NA` are stored as those of other libraries.
fn column_axis(names: &[Option<String>]) -> Result<Axis> {
    if names.iter().all(Option::is_some) {
        let names: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
        return text_labels(&names, "null".into());
    }
    let mut builder = LargeStringBuilder::new();
    names.iter().for_each(|name| builder.append_option(name.as_deref()));
    Ok(axis_of(Level::Column(Column::new(builder.finish().to_data()))))
}

fn axis_of(level: Level) -> Axis {
    Axis {
        labels: Labels::Levels(vec![level]),
        class: "Index".into(),
        classes: vec!["Index".into()],
        name: "null".into(),
        meta: None,
    }
}

impl CnrBuilder {
    fn finish(&mut self, attributes: &[u8], hint_bytes: &[u8]) -> Result<()> {
        let columns = std::mem::take(&mut self.columns);
        let names: Vec<Option<String>> = columns.iter().map(|(name, _)| name.clone()).collect();
        let parts = columns.into_iter().enumerate().map(|(position, (_, pushed))| match pushed {
            Pushed::Block(block) => Part::Block(block, vec![position]),
            Pushed::Column(column) => Part::Column(column, position),
        });
        let index = match self.row_names.take() {
            None => Axis::range(self.nrows),
            Some(Pushed::Block(block)) => axis_of(Level::Block(block)),
            Some(Pushed::Column(column)) => axis_of(Level::Column(column)),
        };
        let mut origin = serde_json::Map::new();
        origin.insert("library".into(), json!("r"));
        if !attributes.is_empty() {
            origin.insert("attributes".into(), tags::to_json(attributes)?);
        }
        let origin = Some(serde_json::Value::Object(origin).to_string());
        let tags = Tags { origin, ..Tags::unnamed().clone() };
        let labels = if self.automatic_names { Axis::range(names.len()) } else { column_axis(&names)? };
        let frame = Frame::new(index, labels, parts.collect(), tags)?;
        self.frame = Some(if hint_bytes.is_empty() { frame } else { hint::restore(frame, hint_bytes)? });
        Ok(())
    }
}

/// Finishes the frame. `attributes`: those of the data frame, as typed MessagePack. `hint`: the schema of the file that the data
/// frame was read from ([`hint`]), or nothing.
///
/// # Safety
/// `builder` is valid; `attributes` and `hint` are valid for reads of their sizes; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_finish(
    builder: *mut CnrBuilder,
    attributes: *const c_void,
    nbytes: usize,
    hint: *const c_void,
    hint_nbytes: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let attributes = values_of(attributes.cast::<u8>(), nbytes);
            builder.finish(attributes, values_of(hint.cast::<u8>(), hint_nbytes))
        })
    }
}
