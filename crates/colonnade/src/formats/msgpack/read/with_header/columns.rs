//! Decodes columns: numbers to one block for each dtype, text and other types to Arrow's layout.

use std::sync::OnceLock;

use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::import::{self, implied_dtype};
use crate::arrow::views::view_array;
use crate::decode::{MemoryLayout, PandasNulls, missing};
use crate::error::{Error, Result};
use crate::frame::{Block, ByteOrder, DType, DTypeKind, Grid, as_stride, has_dictionary};
use crate::memory::{Buffer, Region, RegionMut, Scatter, column_stride};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

use super::LocatedFrame;
use super::numbers::{NumberColumn, OrNan};
use super::text::StringColumn;
use crate::cells::msgpack::column::{CellError, CellExtent, CellReader, FORMAT, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::typed;
use crate::cells::typed::TypedCells;

pub(super) fn too_large() -> Error {
    Error::too_large(FORMAT)
}

/// The columns of a block.
#[derive(Debug)]
pub(super) struct BlockGroup {
    pub(super) dtype: DType,
    pub(super) members: Vec<usize>,
    pub(super) stride: usize,
}

/// Returns the decoder that fills one column of a block.
pub(super) fn into<'p>(dtype: DType, place: &'p mut [u8]) -> Box<dyn CellReader + 'p> {
    match (dtype.kind, dtype.itemsize) {
        (DTypeKind::Bool, _) => Box::new(NumberColumn::<bool, 1>::new(place)),
        (DTypeKind::Int, 1) => Box::new(NumberColumn::<i8, 1>::new(place)),
        (DTypeKind::Int, 2) => Box::new(NumberColumn::<i16, 2>::new(place)),
        (DTypeKind::Int, 4) => Box::new(NumberColumn::<i32, 4>::new(place)),
        (DTypeKind::Int, _) => Box::new(NumberColumn::<i64, 8>::new(place)),
        (DTypeKind::UInt, 1) => Box::new(NumberColumn::<u8, 1>::new(place)),
        (DTypeKind::UInt, 2) => Box::new(NumberColumn::<u16, 2>::new(place)),
        (DTypeKind::UInt, 4) => Box::new(NumberColumn::<u32, 4>::new(place)),
        (DTypeKind::UInt, _) => Box::new(NumberColumn::<u64, 8>::new(place)),
        (_, 4) => Box::new(NumberColumn::<f32, 4>::new(place)),
        _ => Box::new(NumberColumn::<f64, 8>::new(place)),
    }
}

/// Returns the decoder that fills one column of a float block with values of this type, NaN for null; `None` if the type is
/// not a number.
fn into_floats<'p>(data_type: &DataType, place: &'p mut [u8]) -> Option<Box<dyn CellReader + 'p>> {
    Some(match data_type {
        DataType::Int8 => Box::new(NumberColumn::<OrNan<i8>, 8>::new(place)),
        DataType::Int16 => Box::new(NumberColumn::<OrNan<i16>, 8>::new(place)),
        DataType::Int32 => Box::new(NumberColumn::<OrNan<i32>, 8>::new(place)),
        DataType::Int64 => Box::new(NumberColumn::<OrNan<i64>, 8>::new(place)),
        DataType::UInt8 => Box::new(NumberColumn::<OrNan<u8>, 8>::new(place)),
        DataType::UInt16 => Box::new(NumberColumn::<OrNan<u16>, 8>::new(place)),
        DataType::UInt32 => Box::new(NumberColumn::<OrNan<u32>, 8>::new(place)),
        DataType::UInt64 => Box::new(NumberColumn::<OrNan<u64>, 8>::new(place)),
        DataType::Float32 => Box::new(NumberColumn::<OrNan<f32>, 4>::new(place)),
        DataType::Float64 => Box::new(NumberColumn::<OrNan<f64>, 8>::new(place)),
        _ => return None,
    })
}

impl LocatedFrame {
    /// Decodes the fields `projection`.
    pub(super) fn decode_columns(
        &self,
        projection: &[usize],
        (layout, threads): (MemoryLayout, usize),
        progress: &dyn Progress,
    ) -> Result<DecodedColumns> {
        let nrows = self.header.nrows;
        let nulls = PandasNulls::new(&self.plan);
        let dtype_of = |i: usize| nulls.dtype(*projection.get(i)?);
        let (groups, rest) =
            self.groups(projection, &|i| (layout == MemoryLayout::Pandas).then(|| dtype_of(i)).flatten())?;
        let allocate = |g: &BlockGroup| -> Result<RegionMut> {
            let nbytes = g.stride.checked_mul(g.members.len()).ok_or_else(too_large)?;
            Ok(Region::allocate(nbytes)?)
        };
        let mut regions: Vec<RegionMut> = groups.iter().map(allocate).collect::<Result<_>>()?;
        let arrays: Vec<OnceLock<ArrayData>> = rest.iter().map(|_| OnceLock::new()).collect();
        let mut tasks = Vec::with_capacity(projection.len());
        for (group, region) in groups.iter().zip(&mut regions) {
            let scatter = Scatter::new(region);
            for (column, &i) in group.members.iter().enumerate() {
                let nbytes = nrows * group.dtype.itemsize as usize;
                // SAFETY: columns are `stride` bytes apart, which is at least their size.
                let place = unsafe { scatter.range(column * group.stride, nbytes) }.ok_or_else(too_large)?;
                let (field, dtype) = (projection.get(i).copied().unwrap_or(0), group.dtype);
                tasks.push(Task::new(self.nbytes(field), move || self.block_column(field, dtype, place)));
            }
        }
        let mut readers = self.readers(projection, &rest)?;
        for ((&i, slot), reader) in rest.iter().zip(&arrays).zip(&mut readers) {
            let field = projection.get(i).copied().unwrap_or(0);
            let reader = reader.take();
            tasks.push(Task::new(self.nbytes(field), move || {
                let _ = slot.set(self.array(field, reader)?);
                Ok(())
            }));
        }
        parallel::run(tasks, threads, progress)?;
        let mut decoded =
            self.collect_decoded(projection, groups.into_iter().zip(regions), rest.into_iter().zip(arrays))?;
        if layout == MemoryLayout::Pandas {
            missing::into_blocks(&mut decoded, &dtype_of, threads, progress)?;
        }
        Ok(decoded)
    }

    /// Groups the fields `projection` by block, and returns those without a block. `missing` returns the dtype of the block for
    /// a field with nulls.
    pub(super) fn groups(
        &self,
        projection: &[usize],
        missing: &dyn Fn(usize) -> Option<DType>,
    ) -> Result<(Vec<BlockGroup>, Vec<usize>)> {
        let mut groups: Vec<BlockGroup> = Vec::new();
        let mut rest = Vec::new();
        for (i, &field) in projection.iter().enumerate() {
            self.check_rows(field)?;
            let floats = || missing(i).filter(|dtype| dtype.kind == DTypeKind::Float && dtype.itemsize > 2);
            let Some(dtype) = self.direct(field).or_else(|| floats().filter(|_| self.has_nulls(field)))
            else {
                rest.push(i);
                continue;
            };
            match groups.iter_mut().find(|g| g.dtype == dtype) {
                Some(group) => group.members.push(i),
                None => {
                    let nbytes = self.header.nrows.checked_mul(dtype.itemsize as usize);
                    let stride = column_stride(nbytes.ok_or_else(too_large)?);
                    groups.push(BlockGroup { dtype, members: vec![i], stride });
                }
            }
        }
        Ok((groups, rest))
    }

    /// Collects the decoded fields `projection`.
    pub(super) fn collect_decoded(
        &self,
        projection: &[usize],
        blocks: impl Iterator<Item = (BlockGroup, RegionMut)>,
        arrays: impl Iterator<Item = (usize, OnceLock<ArrayData>)>,
    ) -> Result<DecodedColumns> {
        let mut decoded = DecodedColumns { exclusive: true, ..DecodedColumns::default() };
        for (group, region) in blocks {
            let grid = Grid::column_major(group.dtype, self.header.nrows, group.members.len(), 0);
            let grid = Grid { col_stride: as_stride(group.stride), ..grid };
            let buffer = Buffer::from_region(region.finish(), true);
            decoded.blocks.push((Block::new(grid, buffer).ok_or_else(too_large)?, group.members));
        }
        for (i, slot) in arrays {
            let Some(data) = slot.into_inner() else { continue };
            let field = projection.get(i).copied().unwrap_or(0);
            let dtype = self.plan.fields.get(field).and_then(|field_plan| self.dtype(field, field_plan));
            let block = dtype.map_or(Ok(None), |dtype| import::to_block(dtype, &data));
            match block.map_err(|e| e.in_member(self.path(field)))? {
                Some(block) => decoded.blocks.push((block, vec![i])),
                None => decoded.columns.push((i, data)),
            }
        }
        Ok(decoded)
    }

    pub(super) fn nbytes(&self, field: usize) -> usize {
        self.extents.get(field).map_or(0, ExactSizeIterator::len)
    }

    /// Checks that a column has at least one byte for each row, unless its type needs no bytes.
    fn check_rows(&self, field: usize) -> Result<()> {
        let (nrows, nbytes) = (self.header.nrows, self.nbytes(field));
        let packed = self.header.packed && self.direct(field).is_some();
        if nrows > nbytes && !packed || nrows > nbytes.saturating_mul(8) {
            let message =
                format!("expected {nrows} rows as the header says, found a value of {nbytes} bytes.");
            return Err(Error::malformed(FORMAT, message).in_member(self.path(field)));
        }
        Ok(())
    }

    /// The dtype of the block that cells are decoded to while they arrive.
    pub(super) fn direct(&self, field: usize) -> Option<DType> {
        let field_plan = self.plan.fields.get(field)?;
        let dtype = self.dtype(field, field_plan)?;
        let plain = implied_dtype(&field_plan.data_type) == Some(dtype) && dtype.order != ByteOrder::Big;
        let is_supported = match dtype.kind {
            DTypeKind::Bool | DTypeKind::Int | DTypeKind::UInt => true,
            DTypeKind::Float => matches!(dtype.itemsize, 4 | 8),
            _ => false,
        };
        (plain && is_supported && !self.has_nulls(field)).then_some(dtype)
    }

    /// Whether the header declares nulls for a field.
    fn has_nulls(&self, field: usize) -> bool {
        self.header.nulls.get(field).is_none_or(|&n| n > 0)
    }

    /// Returns the head and the cells of a field, and the offset of the cells.
    fn value(&self, field: usize) -> Result<(MsgpackHead, &[u8], u64)> {
        let extent = self.extents.get(field).cloned().unwrap_or(0..0);
        let base = extent.start as u64;
        let bytes = self.bytes.as_slice().get(extent).unwrap_or(&[]);
        let cut = || malformed(0, "expected a value, found its end.").placed(&self.path(field), base);
        let (found, length) = self.head_of(field, bytes, base)?.ok_or_else(cut)?;
        Ok((found, bytes.get(length..).unwrap_or(&[]), base + length as u64))
    }

    /// Reads the head of a field's value, and checks that an array has as many cells as there are rows; `None` if it is
    /// incomplete.
    pub(super) fn head_of(
        &self,
        field: usize,
        bytes: &[u8],
        base: u64,
    ) -> Result<Option<(MsgpackHead, usize)>> {
        let path = self.path(field);
        let found = head(bytes).map_err(|e| e.placed(&path, base))?;
        if let Some((MsgpackHead::Array(n), _)) = found
            && n as usize != self.header.nrows
        {
            let message = format!("expected {} rows as the header says, found {n}.", self.header.nrows);
            return Err(malformed(0, message).placed(&path, base));
        }
        Ok(found)
    }

    fn block_column(&self, field: usize, dtype: DType, place: &mut [u8]) -> Result<()> {
        let (found, bytes, base) = self.value(field)?;
        let data_type = self.header.schema.field(field).data_type();
        match found {
            MsgpackHead::Bin(_) if self.header.packed && self.has_nulls(field) => {
                let packed = self.packed(data_type, bytes).map_err(|e| e.in_member(self.path(field)))?;
                missing::write_values(data_type, packed.buffers().first().map_or(&[], |b| b), dtype, place)
            }
            MsgpackHead::Array(_) if self.has_nulls(field) => {
                let mut cells = into_floats(data_type, place).ok_or_else(too_large)?;
                self.all(cells.as_mut(), field, bytes, base)?;
                drop(cells);
                self.check_nulls(field, data_type, place, base)
            }
            // A byte other than 0 and 1 is not a boolean.
            MsgpackHead::Bin(n) if self.header.packed && dtype.kind != DTypeKind::Bool => {
                if n as usize != bytes.len() || bytes.len() != place.len() {
                    return Err(self.not_packed(field, place.len(), bytes.len().min(n as usize), base));
                }
                place.copy_from_slice(bytes);
                Ok(())
            }
            MsgpackHead::Array(_) => {
                let mut cells = into(dtype, place);
                self.all(cells.as_mut(), field, bytes, base)
            }
            other => Err(self.no_column(field, other, base)),
        }
    }

    /// Refuses integers that were decoded as floats for nulls that do not exist.
    fn check_nulls(&self, field: usize, data_type: &DataType, floats: &[u8], base: u64) -> Result<()> {
        let is_nan = |float: &[u8; 8]| f64::from_le_bytes(*float).is_nan();
        if !data_type.is_integer() || floats.as_chunks().0.iter().any(is_nan) {
            return Ok(());
        }
        let message = "expected nulls as the header says, found none.";
        Err(malformed(0, message).placed(&self.path(field), base))
    }

    pub(super) fn not_packed(&self, field: usize, expected: usize, found: usize, base: u64) -> Error {
        let message = format!("expected {expected} packed bytes, found {found}.");
        malformed(0, message).placed(&self.path(field), base)
    }

    pub(super) fn no_column(&self, field: usize, found: MsgpackHead, base: u64) -> Error {
        malformed(0, format!("expected an array, found {}.", found.name())).placed(&self.path(field), base)
    }

    /// Decodes every cell. The last one must end at the declared end of the column.
    fn all(&self, cells: &mut dyn CellReader, field: usize, bytes: &[u8], base: u64) -> Result<()> {
        let nrows = self.header.nrows;
        let path = self.path(field);
        let taken = cells.take(bytes, nrows).map_err(|e: CellError| e.in_column(&path, 0, base))?;
        if (taken.cells, taken.nbytes) == (nrows, bytes.len()) {
            return Ok(());
        }
        Err(self.not_all(field, taken, bytes.len(), base))
    }

    /// The error of cells that do not fill their value, or do not fit.
    pub(super) fn not_all(&self, field: usize, taken: CellExtent, nbytes: usize, base: u64) -> Error {
        let CellExtent { cells, nbytes: at } = taken;
        let nrows = self.header.nrows;
        let message =
            format!("expected {nrows} cells in {nbytes} bytes as the header says, found {cells} in {at}.");
        malformed(at, message).after(cells, 0).in_column(&self.path(field), 0, base)
    }

    /// Decodes a field to Arrow's layout.
    fn array(&self, field: usize, reader: Option<Box<dyn TypedCells>>) -> Result<ArrayData> {
        let (found, bytes, base) = self.value(field)?;
        let schema = self.header.schema.field(field);
        let named = |e: Error| e.in_member(self.path(field));
        match (found, schema.data_type()) {
            (MsgpackHead::Bin(n), data_type) if self.header.packed => {
                if n as usize != bytes.len() {
                    return Err(self.not_packed(field, bytes.len(), n as usize, base));
                }
                self.packed(data_type, bytes).map_err(named)
            }
            (MsgpackHead::Array(_), DataType::Utf8) => self.text::<4>(DataType::Utf8, field, bytes, base),
            (MsgpackHead::Array(_), DataType::LargeUtf8) => {
                self.text::<8>(DataType::LargeUtf8, field, bytes, base)
            }
            (MsgpackHead::Array(_), DataType::Utf8View) => {
                let data = self.text::<8>(DataType::LargeUtf8, field, bytes, base)?;
                view_array(&data).map_err(named)?.ok_or_else(|| {
                    named(Error::malformed(FORMAT, "a text of 2 GiB or more, which no view holds."))
                })
            }
            (MsgpackHead::Array(_), _) => {
                let none = || Error::unsupported(FORMAT, format!("no reader of {}.", schema.data_type()));
                let mut cells = reader.ok_or_else(none).map_err(named)?;
                self.all(cells.as_mut(), field, bytes, base)?;
                cells.finish().map_err(named)
            }
            (other, _) => Err(self.no_column(field, other, base)),
        }
    }

    /// Decodes the cells of a field to text with offsets of `N` bytes.
    fn text<const N: usize>(
        &self,
        data_type: DataType,
        field: usize,
        bytes: &[u8],
        base: u64,
    ) -> Result<ArrayData> {
        let nulls = self.has_nulls(field);
        let mut text = StringColumn::<N>::new(data_type, self.header.nrows, bytes.len(), nulls)?;
        self.all(&mut text, field, bytes, base)?;
        text.finish().map_err(|e| e.in_member(self.path(field)))
    }

    /// Returns the cell decoders of the fields without a specialized one, one for each of `rest`.
    pub(super) fn readers(
        &self,
        projection: &[usize],
        rest: &[usize],
    ) -> Result<Vec<Option<Box<dyn TypedCells>>>> {
        let fields = self.header.schema.fields();
        let start = self.header.dictionaries.start;
        let encoded = self.bytes.as_slice().get(self.header.dictionaries.clone()).unwrap_or(&[]);
        let any = fields.iter().any(|f| has_dictionary(f.data_type()));
        let mut dictionaries = typed::HeaderDictionaries::default();
        if any || !encoded.is_empty() {
            let read = typed::read_dictionaries(fields, encoded, &self.options);
            dictionaries = read.map_err(|e| e.placed("$.__colonnade__.dictionaries", start as u64))?.0;
        }
        let mut out: Vec<Option<Box<dyn TypedCells>>> = rest.iter().map(|_| None).collect();
        let mut places = vec![None; fields.len()];
        for (place, field) in rest.iter().map(|&i| projection.get(i).copied().unwrap_or(0)).enumerate() {
            if let Some(slot) = places.get_mut(field) {
                *slot = Some(place);
            }
        }
        // In the order of all fields with dictionaries, because each takes its dictionaries from the front.
        for ((i, field), place) in fields.iter().enumerate().zip(places) {
            if place.is_none() && !has_dictionary(field.data_type()) {
                continue;
            }
            let field_plan = self.plan.fields.get(i);
            let (says, tag) = (field_plan.and_then(|t| t.dtype), field_plan.and_then(|t| t.tag.as_deref()));
            let reader = typed::reader(field, says, tag, &self.options, &mut dictionaries);
            let reader = reader.map_err(|e| e.in_member(self.path(i)))?;
            if let Some(slot) = place.and_then(|p: usize| out.get_mut(p)) {
                *slot = Some(reader);
            }
        }
        Ok(out)
    }

    /// Converts packed values that are not a NumPy block: times of other libraries.
    pub(super) fn packed(&self, data_type: &DataType, bytes: &[u8]) -> Result<ArrayData> {
        let is_packed = data_type.is_integer()
            || data_type.is_floating()
            || matches!(data_type, DataType::Timestamp(..) | DataType::Duration(_));
        let width = data_type.primitive_width().filter(|_| is_packed);
        if width.and_then(|w| w.checked_mul(self.header.nrows)) != Some(bytes.len()) {
            let message = format!(
                "expected {} packed values of {data_type}, found {} bytes.",
                self.header.nrows,
                bytes.len()
            );
            return Err(Error::malformed(FORMAT, message));
        }
        let builder = ArrayDataBuilder::new(data_type.clone()).len(self.header.nrows);
        let builder = builder.add_buffer(arrow_buffer::Buffer::from_slice_ref(bytes)).align_buffers(true);
        builder.build().map_err(|e| Error::malformed(FORMAT, format!("{e}.")))
    }
}
