//! Decodes fixed-width values to blocks or to Arrow's layout.

use std::collections::HashMap;

use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_data::ArrayDataBuilder;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::decode::missing::{write_missing, write_values};
use crate::error::{Error, Result};
use crate::frame::{Block, DType, DTypeKind, Grid, as_stride};
use crate::memory::{
    Buffer, Region, RegionMut, STREAMING_FROM_NBYTES, Scatter, column_stride, copy, fence, unpack,
};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

use super::{BatchRows, ColumnConversion, ColumnDecoder};
use crate::arrow::ipc::arrays::field_of;
use crate::arrow::ipc::body::BatchBody;

/// Long columns are split into copies of this size, so that all threads get some.
const CUT_NBYTES: usize = 4 << 20;

/// The source buffer of one column, and its position in the result.
#[derive(Clone, Copy)]
struct CopyTarget {
    field: usize,
    node: usize,
    buffer: usize,
    view: usize,
    item: usize,
    conversion: ColumnConversion,
    region: usize,
    offset: usize,
}

impl ColumnDecoder<'_> {
    /// Decodes the fields `projection[i]` for each `i` of `slots`.
    pub(super) fn fixed(
        &self,
        projection: &[usize],
        conversions: &[ColumnConversion],
        slots: &[usize],
        pieces: &[BatchRows],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        if slots.is_empty() {
            return Ok(());
        }
        let nrows = self.nrows();
        let mut groups: Vec<(DType, Vec<usize>)> = Vec::new();
        let mut groups_by_dtype: HashMap<DType, usize> = HashMap::new();
        let mut array_columns: Vec<(usize, usize)> = Vec::new();
        for &i in slots {
            match conversions.get(i) {
                Some(
                    ColumnConversion::Copy(d)
                    | ColumnConversion::Missing(d, _)
                    | ColumnConversion::Pairs(d)
                    | ColumnConversion::Bits(d),
                ) => {
                    let group = *groups_by_dtype.entry(*d).or_insert_with(|| {
                        groups.push((*d, Vec::new()));
                        groups.len() - 1
                    });
                    if let Some((_, members)) = groups.get_mut(group) {
                        members.push(i);
                    }
                }
                Some(ColumnConversion::Values(item)) => array_columns.push((i, *item)),
                _ => {}
            }
        }
        let mut regions: Vec<RegionMut> = Vec::with_capacity(groups.len() + array_columns.len());
        let mut targets: Vec<CopyTarget> = Vec::with_capacity(slots.len());
        let mut grids: Vec<Grid> = Vec::with_capacity(groups.len());
        for (dtype, members) in &groups {
            let item = dtype.itemsize as usize;
            let stride = column_stride(nrows.checked_mul(item).ok_or_else(too_large)?);
            let total = stride.checked_mul(members.len()).ok_or_else(too_large)?;
            let region = regions.len();
            regions.push(allocate(total)?);
            for (column, &i) in members.iter().enumerate() {
                targets.push(self.target(projection, conversions, i, item, region, column * stride)?);
            }
            grids.push(Grid {
                col_stride: as_stride(stride),
                ..Grid::column_major(*dtype, nrows, members.len(), 0)
            });
        }
        for &(i, item) in &array_columns {
            let region = regions.len();
            regions.push(allocate(nrows.checked_mul(item).ok_or_else(too_large)?)?);
            targets.push(self.target(projection, conversions, i, item, region, 0)?);
        }
        let scatters: Vec<Scatter<'_>> = regions.iter_mut().map(Scatter::new).collect();
        self.copy_all(&targets, &scatters, pieces, progress)?;
        drop(scatters);
        let mut regions = regions.into_iter();
        for ((_, members), grid) in groups.into_iter().zip(grids) {
            let Some(region) = regions.next() else { break };
            let buffer = Buffer::from_region(region.finish(), true);
            let block = Block::new(grid, buffer).ok_or_else(too_large)?;
            decoded.blocks.push((block, members));
        }
        for ((i, _), region) in array_columns.into_iter().zip(regions) {
            let field = projection.get(i).copied().unwrap_or(0);
            let data_type = field_of(&self.catalog.shape, field)?.data_type();
            let values = Buffer::from_region(region.finish(), true).to_arrow();
            let mut builder = ArrayDataBuilder::new(data_type.clone())
                .len(nrows)
                .add_buffer(values)
                .nulls(self.validity(field, pieces)?);
            if matches!(data_type, arrow_schema::DataType::Dictionary(..)) {
                #[allow(deprecated)] // the id of a dictionary lives in the field, and there alone
                let id = field_of(&self.catalog.shape, field)?.dict_id().unwrap_or(0);
                let dictionary = self.history.last().get(id)?;
                builder = builder
                    .add_child_data(dictionary.ok_or_else(|| {
                        Error::malformed("arrow", format!("dictionary {id} is not there."))
                    })?);
            }
            // SAFETY: nothing uses the array before `check::values` has compared lengths with buffers, and codes with their dictionary.
            let data = unsafe { builder.align_buffers(true).build_unchecked() };
            crate::arrow::ipc::check::values(&data, 1).map_err(|e| e.in_member(field_name(self, field)))?;
            decoded.columns.push((i, data));
        }
        Ok(())
    }

    fn target(
        &self,
        projection: &[usize],
        conversions: &[ColumnConversion],
        i: usize,
        item: usize,
        region: usize,
        offset: usize,
    ) -> Result<CopyTarget> {
        let field = projection.get(i).copied().unwrap_or(0);
        let conversion = conversions.get(i).copied().unwrap_or(ColumnConversion::Text);
        let place = self.catalog.shape.places.get(field).copied();
        let place = place.ok_or_else(|| Error::not_found("arrow", format!("field {field}.")))?;
        // The numbers of the pairs are the values of the child, which follow both validities.
        let skipped = if matches!(conversion, ColumnConversion::Pairs(_)) { 2 } else { 1 };
        Ok(CopyTarget {
            field,
            node: place.node,
            buffer: place.buffer + skipped,
            view: place.view,
            item,
            conversion,
            region,
            offset,
        })
    }

    fn copy_all(
        &self,
        targets: &[CopyTarget],
        scatters: &[Scatter<'_>],
        pieces: &[BatchRows],
        progress: &dyn Progress,
    ) -> Result<()> {
        let row_nbytes: usize = targets.iter().map(|t| t.item).sum();
        let streaming = row_nbytes.saturating_mul(self.nrows()) >= STREAMING_FROM_NBYTES;
        let small = |p: &BatchRows| p.nrows.saturating_mul(row_nbytes) <= CUT_NBYTES;
        if pieces.iter().all(small) {
            return self.tiles(
                pieces,
                row_nbytes,
                &|tile| {
                    for piece in tile {
                        self.copy_piece(targets, scatters, piece, streaming)?;
                    }
                    fence();
                    Ok(())
                },
                progress,
            );
        }
        let mut tasks = Vec::new();
        for piece in pieces {
            // Tasks of large batches copy some columns each, and parts of large columns.
            let mut rest = targets;
            while let Some(first) = rest.first() {
                let one = piece.nrows.saturating_mul(first.item).max(1);
                let (some, tail) = rest.split_at((CUT_NBYTES / one).clamp(1, rest.len()));
                rest = tail;
                let compressed = self.batch(piece)?.header.codec.is_some();
                // Parts of a boolean column must not share a byte of bits.
                let step =
                    if compressed { piece.nrows } else { (CUT_NBYTES / first.item.max(1)).div_ceil(64) * 64 };
                for start in (0..piece.nrows).step_by(step.max(1)) {
                    let nrows = step.min(piece.nrows - start);
                    let part = BatchRows { skip: piece.skip + start, nrows, at: piece.at + start, ..*piece };
                    let nbytes = some.iter().map(|t| t.item * nrows).sum();
                    tasks.push(Task::new(nbytes, move || {
                        self.copy_piece(some, scatters, &part, streaming)?;
                        fence();
                        Ok(())
                    }));
                }
            }
        }
        parallel::run(tasks, self.threads, progress)
    }

    fn copy_piece(
        &self,
        targets: &[CopyTarget],
        scatters: &[Scatter<'_>],
        piece: &BatchRows,
        streaming: bool,
    ) -> Result<()> {
        let body = BatchBody::new(self.source, self.batch(piece)?)?;
        for target in targets {
            self.copy_column(target, scatters, piece, &body, streaming)
                .map_err(|e| self.named(e, target.field, piece))?;
        }
        Ok(())
    }

    fn copy_column(
        &self,
        target: &CopyTarget,
        scatters: &[Scatter<'_>],
        piece: &BatchRows,
        body: &BatchBody<'_>,
        streaming: bool,
    ) -> Result<()> {
        let (item, buffer) = (target.item, target.buffer + body.variadic_before(target.view)?);
        let scatter = scatters.get(target.region).ok_or_else(too_large)?;
        // SAFETY: no two tasks have the same rows of a column. Columns are at least their size apart, or have their own region.
        let place = unsafe { scatter.range(target.offset + piece.at * item, piece.nrows * item) }
            .ok_or_else(too_large)?;
        let end = piece.skip + piece.nrows;
        if let ColumnConversion::Pairs(_) = target.conversion {
            let node = body.node(target.node + 1)?;
            if node.length < end * 2 || node.nulls > 0 {
                return Err(Error::malformed("arrow", "expected two numbers a row, without nulls."));
            }
        }
        if let ColumnConversion::Bits(_) = target.conversion {
            let bits = body.buffer(buffer, end.div_ceil(8))?;
            let unpacked = unpack(bits.as_slice(), piece.skip, place);
            return unpacked.ok_or_else(|| body.too_short(buffer, end.div_ceil(8), bits.len()));
        }
        let ColumnConversion::Missing(dtype, width) = target.conversion else {
            return values_into(body, buffer, (piece.skip, end), item, place, streaming);
        };
        // The next steps write to the same cache lines, so the copy does not bypass the cache.
        let data_type = field_of(&self.catalog.shape, target.field)?.data_type();
        if data_type.is_integer() && dtype.kind == DTypeKind::Float {
            let values = body.buffer(buffer, end * width)?;
            let values = values.as_slice().get(piece.skip * width..end * width).unwrap_or(&[]);
            write_values(data_type, values, dtype, place)?;
        } else {
            values_into(body, buffer, (piece.skip, end), item, place, false)?;
        }
        if let Some(valid) = bits_of(body, target.node, buffer - 1)? {
            write_missing(dtype, place, valid.as_slice(), piece.skip);
        }
        Ok(())
    }

    /// Decodes the validity of a field over all rows.
    pub(in crate::formats::arrow::read) fn validity_of(&self, field: usize) -> Result<Option<NullBuffer>> {
        self.validity(field, &self.pieces())
    }

    /// Decodes the validity of a field in one batch; `None` if the batch declares no nulls.
    ///
    /// # Errors
    /// Malformed: validity that is too short.
    pub(in crate::formats::arrow::read) fn bits_in(
        &self,
        field: usize,
        piece: &BatchRows,
    ) -> Result<Option<arrow_buffer::Buffer>> {
        let place = self.catalog.shape.places.get(field).copied().unwrap_or_default();
        let body = BatchBody::new(self.source, self.batch(piece)?)?;
        let buffer = place.buffer + body.variadic_before(place.view)?;
        bits_of(&body, place.node, buffer).map_err(|e| self.named(e, field, piece))
    }

    /// Decodes the validity of a whole column; `None` if it has no nulls.
    pub(super) fn validity(&self, field: usize, pieces: &[BatchRows]) -> Result<Option<NullBuffer>> {
        if !self.catalog.nulls.get(field).copied().unwrap_or(true) {
            return Ok(None);
        }
        let mut out = BooleanBufferBuilder::new(self.nrows());
        for piece in pieces {
            match self.bits_in(field, piece)? {
                Some(bits) => out.append_packed_range(piece.skip..piece.skip + piece.nrows, bits.as_slice()),
                None => out.append_n(piece.nrows, true),
            }
        }
        Ok(Some(NullBuffer::new(out.finish())).filter(|n| n.null_count() > 0))
    }
}

/// Decodes the rows `start..end` of buffer `buffer`, of `item` bytes each, to `place`.
pub(in crate::formats::arrow::read) fn values_into(
    body: &BatchBody<'_>,
    buffer: usize,
    (start, end): (usize, usize),
    item: usize,
    place: &mut [u8],
    streaming: bool,
) -> Result<()> {
    if body.codec().is_none() {
        let raw = body.bytes(buffer)?;
        let source = raw.get(start * item..end * item);
        copy(place, source.ok_or_else(|| body.too_short(buffer, end * item, raw.len()))?, streaming);
        return Ok(());
    }
    // The common case: decompresses directly to the final position.
    if start == 0 && body.decompressed_nbytes(buffer)? == place.len() as u64 {
        return body.fill(buffer, place);
    }
    let whole = body.buffer(buffer, end * item)?;
    place.copy_from_slice(whole.as_slice().get(start * item..end * item).unwrap_or(&[]));
    Ok(())
}

/// Decodes the validity of a field in one batch; `None` if its node declares no nulls.
fn bits_of(body: &BatchBody<'_>, node: usize, buffer: usize) -> Result<Option<arrow_buffer::Buffer>> {
    let node = body.node(node)?;
    if node.nulls == 0 { Ok(None) } else { body.buffer(buffer, node.length.div_ceil(8)).map(Some) }
}

fn allocate(nbytes: usize) -> Result<RegionMut> {
    // Small columns get ordinary pages: many of them would take a huge page each.
    Ok(Region::allocate(nbytes)?)
}

pub(in crate::formats::arrow::read) fn too_large() -> Error {
    Error::too_large("arrow")
}

fn field_name(decoder: &ColumnDecoder<'_>, field: usize) -> String {
    decoder.catalog.shape.schema.fields().get(field).map_or_else(String::new, |f| f.name().clone())
}
