//! Writes several frames one after the other into one text. The first frame determines the layout of the others.

use arrow_data::ArrayData;
use arrow_schema::Schema;

use crate::arrow::export::Exporter;
use crate::arrow::pandas;
use crate::cells::typed::dictionaries_of;
use crate::error::{Error, Result};
use crate::frame::Frame;

use super::header::ExportedFrame;

/// Returns the error for finishing a text without chunks.
pub(crate) fn no_chunks() -> Error {
    let message = "expected at least one chunk, which declares the columns, found none.";
    Error::unrepresentable("text", message)
}

/// The common layout of the chunks.
#[derive(Debug)]
pub struct ChunkLayout {
    format: &'static str,
    exporter: Exporter,
    schema: arrow_schema::SchemaRef,
    /// The values of the dictionaries, if there is a header, which is written once.
    dictionaries: Option<Vec<ArrayData>>,
}

impl ChunkLayout {
    /// Creates the layout from `first`. `header`: whether a header has the types.
    ///
    /// # Errors
    /// `Unrepresentable`: labels or dtypes that Arrow cannot hold.
    pub fn new(format: &'static str, first: &Frame, header: bool) -> Result<Self> {
        let exporter = Exporter::new(first, None)?;
        let schema = exporter.schema();
        let mut metadata = schema.metadata().clone();
        metadata.remove(pandas::KEY);
        let schema = Schema::new_with_metadata(schema.fields().clone(), metadata).into();
        let dictionaries = if header { Some(dictionaries_of(&exporter.admitted(first)?)) } else { None };
        Ok(Self { format, exporter, schema, dictionaries })
    }

    /// Returns the arrays of a chunk.
    ///
    /// # Errors
    /// `Unrepresentable`: columns, types, row labels or categories that differ from the first chunk's.
    pub fn next(&self, chunk: &Frame) -> Result<ExportedFrame> {
        let arrays = self.exporter.arrays(chunk).map_err(|e| e.in_format(self.format))?;
        if let Some(first) = &self.dictionaries {
            let mut first = first.iter();
            for (field, data) in self.schema.fields().iter().zip(&arrays) {
                let dictionaries = dictionaries_of(std::slice::from_ref(data));
                if dictionaries.iter().any(|values| first.next() != Some(values)) {
                    let message = "expected the categories of the first chunk, as the header has them, found \
                                   others. Give all chunks the same categories, or convert the column to text first.";
                    return Err(Error::unrepresentable(self.format, message).in_member(field.name().clone()));
                }
            }
        }
        Ok(ExportedFrame { schema: self.schema.clone(), arrays, ncols: chunk.ncols, nrows: chunk.nrows })
    }
}
