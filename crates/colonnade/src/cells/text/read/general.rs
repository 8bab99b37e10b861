//! Reads the types that have no special reader.

use std::sync::Arc;

use super::super::json::Json;
use super::super::mixed;
use super::*;
use crate::cells::msgpack::options::ReadOptions;
use crate::cells::typed::TypedCells;

/// A reader of any type, through MessagePack cells.
struct GeneralReader {
    cells: Box<dyn TypedCells>,
    len: usize,
    buffer: Vec<u8>,
    is_mixed: bool,
    max_depth: u64,
    common: ReaderContext,
    recipe: Arc<ReaderParameters>,
}

/// The parameters of a column's reader: each piece of the input has its own reader.
struct ReaderParameters {
    field: Field,
    numpy_dtype: Option<DType>,
    tag: Option<String>,
    style: TextStyle,
    limits: Limits,
    dictionaries: HeaderDictionaries,
}

pub(super) fn general(
    field: &Field,
    numpy_dtype: Option<DType>,
    tag: Option<&str>,
    style: TextStyle,
    dictionaries: &mut HeaderDictionaries,
    limits: &Limits,
) -> Result<Box<dyn TextReader>> {
    let dictionaries = dictionaries.of_field(field, limits);
    let (field, tag) = (field.clone(), tag.map(str::to_owned));
    Ok(Box::new(GeneralReader::new(Arc::new(ReaderParameters {
        field,
        numpy_dtype,
        tag,
        style,
        limits: *limits,
        dictionaries,
    }))?))
}

impl GeneralReader {
    fn new(recipe: Arc<ReaderParameters>) -> Result<Self> {
        let ReaderParameters { field, numpy_dtype, tag, style, limits, dictionaries } = &*recipe;
        let options = ReadOptions { limits: *limits, ..ReadOptions::default() };
        // Missing rows are null even if the field is not nullable.
        let cells = typed::reader(field, *numpy_dtype, tag.as_deref(), &options, &mut dictionaries.clone())
            .map_err(|e| e.in_format(style.format))?;
        let common = ReaderContext {
            data_type: field.data_type().clone(),
            nullable: field.is_nullable(),
            csv: style.syntax == Syntax::Csv,
            inferred: style.inferred,
        };
        let (is_mixed, max_depth) = (typed::is_cells(tag.as_deref()), limits.max_depth);
        Ok(Self { cells, len: 0, buffer: Vec::new(), is_mixed, max_depth, common, recipe })
    }

    fn take(&mut self) -> PushResult {
        let taken = self.cells.take(&self.buffer, 1)?;
        if taken.nbytes != self.buffer.len() || taken.cells != 1 {
            return Err(CellFault::malformed("expected one whole value."));
        }
        self.len += 1;
        Ok(())
    }
}

impl TextReader for GeneralReader {
    fn push(&mut self, cell: TextCell<'_>) -> PushResult {
        self.buffer.clear();
        if self.is_mixed {
            mixed::encode(cell, self.max_depth, &mut self.buffer)?;
        } else {
            let mut json = Json::of(cell, self.max_depth);
            encode::value(&mut json, &self.common.data_type, self.recipe.style, &mut self.buffer)?;
            json.end()?;
        }
        self.take()
    }

    fn fork(&self, _rows: usize) -> Result<Box<dyn TextReader>> {
        Ok(Box::new(Self::new(Arc::clone(&self.recipe))?))
    }

    fn nulls(&mut self, n: usize) -> PushResult {
        for _ in 0..n {
            self.buffer.clear();
            self.buffer.push(0xc0);
            self.take()?;
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.len
    }

    fn finish(self: Box<Self>) -> Result<ArrayData> {
        self.cells.finish().map_err(|e| e.in_format(self.recipe.style.format))
    }
}
