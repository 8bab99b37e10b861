//! Reads the record batches of an opened source one by one, in Arrow's layout.

use arrow_data::ArrayData;

use crate::arrow::import::{FramePlan, to_block};
use crate::arrow::ranges::check_ranges;
use crate::decode::Request;
use crate::error::{Error, Result};
use crate::frame::paths::LeafProjection;
use crate::frame::{DType, DTypeKind, Frame, row_range};
use crate::parallel;
use crate::progress::{NoProgress, Progress};

use super::decode::empty_of;
use super::open::Ipc;
use crate::arrow::ipc::allowed::DecodeBudget;
use crate::arrow::ipc::arrays::{FieldCursor, field_of};
use crate::arrow::ipc::body::BatchBody;
use crate::arrow::ipc::catalog::BatchPosition;
use crate::arrow::ipc::check;

/// A task decodes about as many bytes of a body at least.
const TASK_NBYTES: usize = 64 << 10;

impl Ipc {
    /// Decodes each record batch to a frame in Arrow's layout, without copying uncompressed buffers. Returns at least one
    /// frame.
    ///
    /// # Errors
    /// As [`Ipc::load`].
    pub fn load_arrow(&self, request: &Request<'_>) -> Result<Vec<Frame>> {
        let (start, stop) = row_range("arrow", request.rows, self.catalog.nrows)?;
        let touched = |i: &usize| self.catalog.batches.get(*i).is_some_and(|b| b.meets(start, stop));
        let needed = self.needed(request.positions)?;
        let (plan, nested_projection) = self.plan.projected(request.projection);
        let nested_projection = nested_projection.as_ref();
        self.need(&needed, nested_projection, (0..self.nbatches()).filter(touched), request.progress)?;
        let rows_of = |batch: &BatchPosition| {
            (batch.first_row.max(start), (batch.first_row + batch.header.nrows).min(stop))
        };
        let chosen: Vec<(usize, &BatchPosition)> = self
            .catalog
            .batches
            .iter()
            .enumerate()
            .filter(|(_, batch)| {
                let (first, last) = rows_of(batch);
                // Batches without rows are returned too, if all rows are requested.
                first < last || first == last && request.rows.is_none()
            })
            .collect();
        let frames = self.frames(&chosen, &needed, request)?;
        let mut out: Vec<Frame> = chosen
            .iter()
            .zip(frames)
            .map(|((_, batch), frame)| {
                let (first, last) = rows_of(batch);
                let (skip, count) = (first - batch.first_row, last - first);
                if count == batch.header.nrows { frame } else { frame.slice(skip, skip + count) }
            })
            .collect();
        if out.is_empty() {
            let fields = self.catalog.shape.schema.fields().iter();
            let history = self.history(&(0..fields.len()).collect::<Vec<_>>(), nested_projection)?;
            let part =
                |i: usize| nested_projection.map_or(&LeafProjection::All, |projection| projection.of(i));
            let arrays = fields.enumerate().map(|(i, f)| Ok(part(i).prune(empty_of(f, history.last())?)));
            let arrays: Vec<ArrayData> = arrays.collect::<Result<_>>()?;
            let dtypes = plan.shared_dtypes(&[&arrays]);
            out.push(arrow_frame(&plan, &dtypes, &arrays, (0, start), request.positions)?);
        }
        Ok(out)
    }

    /// Decodes only record batch `i`, in Arrow's layout.
    ///
    /// # Errors
    /// As [`Ipc::load`]; `NotFound`: there is no batch `i`.
    pub fn batch(&self, i: usize, request: &Request<'_>) -> Result<Frame> {
        let batch = self.catalog.batches.get(i).ok_or_else(|| {
            Error::not_found(
                "arrow",
                format!("batch {i} is out of range: there are {}.", self.catalog.batches.len()),
            )
        })?;
        let needed = self.needed(request.positions)?;
        let (_, nested_projection) = self.plan.projected(request.projection);
        self.need(&needed, nested_projection.as_ref(), std::iter::once(i), &NoProgress)?;
        let frame = self.frames(&[(i, batch)], &needed, request)?.pop();
        frame.ok_or_else(|| Error::internal("a batch without a frame", None))
    }

    /// Decodes the fields `needed`, in order, of these batches, whose bytes are there. All columns of all batches are tasks of one run.
    fn frames(
        &self,
        chosen: &[(usize, &BatchPosition)],
        needed: &[usize],
        request: &Request<'_>,
    ) -> Result<Vec<Frame>> {
        let (plan, nested_projection) = self.plan.projected(request.projection);
        let nested_projection = nested_projection.as_ref();
        let history = self.history(needed, nested_projection)?;
        let shape = &self.catalog.shape;
        let budget = |batch: &BatchPosition| DecodeBudget::new(&self.options.limits, batch.body_nbytes);
        let budgets: Vec<DecodeBudget> = chosen.iter().map(|(_, batch)| budget(batch)).collect();
        let mut tasks = Vec::new();
        for (&(i, batch), allowed) in chosen.iter().zip(&budgets) {
            let body = BatchBody::new(&self.source, batch)?;
            let is_decoded = batch.header.codec.is_some() || shape.big_endian;
            let column_nbytes = batch.body_nbytes / needed.len().max(1);
            let dictionaries = history.at(i);
            for fields in needed.chunks((TASK_NBYTES / column_nbytes.max(1)).max(1)) {
                let nbytes = if is_decoded {
                    column_nbytes * fields.len()
                } else {
                    fields.iter().map(|&field| check::nbytes(&body, shape, field)).sum()
                };
                tasks.push((nbytes, move |threads| {
                    let body = BatchBody::new(&self.source, batch)?;
                    let one = |&index: &usize| -> Result<ArrayData> {
                        let place = shape.places.get(index).copied().unwrap_or_default();
                        let mut cursor = FieldCursor::new(&body, shape, dictionaries, place, allowed)?;
                        cursor.threads = threads;
                        let part = nested_projection.map_or(&LeafProjection::All, |parts| parts.of(index));
                        cursor
                            .part(field_of(shape, index)?, part)
                            .map_err(|e| e.in_member(format!("batch {i}")).at(batch.body_at as u64))
                    };
                    fields.iter().map(one).collect::<Result<Vec<ArrayData>>>()
                }));
            }
        }
        let is_compressed = chosen.iter().any(|(_, batch)| batch.header.codec.is_some());
        let mut decoded = if is_compressed {
            let tasks = tasks.into_iter().map(|(nbytes, work)| (nbytes, move || work(1)));
            parallel::map(tasks.collect(), request.threads, request.progress)?
        } else {
            parallel::map_short(tasks, request.threads, request.progress)?
        }
        .into_iter()
        .flatten();
        let mut arrays_of = |batch: &BatchPosition| -> Vec<ArrayData> {
            // Columns outside the request are replaced by empty values, which are dropped at once.
            let nrows = batch.header.nrows;
            let mut fields = needed.iter().peekable();
            let array = |field: usize| {
                let data = fields.next_if(|next| **next == field).and_then(|_| decoded.next());
                data.unwrap_or_else(|| null_array(nrows))
            };
            (0..shape.places.len()).map(array).collect()
        };
        let batches: Vec<Vec<ArrayData>> = chosen.iter().map(|(_, batch)| arrays_of(batch)).collect();
        // All batches have one layout. A batch that is read alone has that of all, as far as their headers tell.
        let mut dtypes = plan.shared_dtypes(&batches);
        for (dtype, has_nulls) in dtypes.iter_mut().zip(&self.catalog.nulls) {
            let has_nat = |d: &DType| matches!(d.kind, DTypeKind::DateTime | DTypeKind::TimeDelta);
            *dtype = dtype.filter(|d| !has_nulls || has_nat(d));
        }
        let frame = |((_, batch), arrays): (&(usize, &BatchPosition), &Vec<ArrayData>)| {
            let rows = (batch.header.nrows, batch.first_row);
            arrow_frame(&plan, &dtypes, arrays, rows, request.positions)
        };
        chosen.iter().zip(&batches).map(frame).collect()
    }

    /// The fields to decode for these columns, including those of the index, in order.
    fn needed(&self, positions: Option<&[usize]>) -> Result<Vec<usize>> {
        let mut needed = self.plan.chosen("arrow", positions)?.fields;
        needed.extend(self.plan.level_fields());
        needed.sort_unstable();
        needed.dedup();
        Ok(needed)
    }

    /// Decodes and checks everything, and drops the result.
    ///
    /// # Errors
    /// The first invalid part, with its position.
    pub fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()> {
        self.need_all(progress)?;
        let mut done = 0u64;
        for i in 0..self.nbatches() {
            let frame = self.batch(i, &Request::all(threads, &NoProgress))?;
            let first = self.catalog.batches.get(i).map_or(0, |b| b.first_row);
            let checked = self.check_buffers(i).and_then(|()| check_ranges("arrow", &frame, first));
            checked.map_err(|e| e.in_member(format!("batch {i}")))?;
            done += self.catalog.batches.get(i).map_or(0, |b| b.body_nbytes as u64);
            progress.advance(done, Some(self.source.bytes.nbytes() as u64))?;
        }
        self.index()?;
        let left = self.source.bytes.nbytes() - self.catalog.end.min(self.source.bytes.nbytes());
        if left > 0 && !self.catalog.truncated {
            let message = format!("{left} bytes follow the end mark. They are no part of this stream.");
            return Err(Error::malformed("arrow", message).at(self.catalog.end as u64));
        }
        Ok(())
    }

    /// Checks the range and the compressed length of every buffer, also of those that no read needs: the validity of a column
    /// without nulls.
    fn check_buffers(&self, batch: usize) -> Result<()> {
        let Some(batch) = self.catalog.batches.get(batch) else { return Ok(()) };
        let body = BatchBody::new(&self.source, batch)?;
        (0..batch.header.buffers.count).try_for_each(|buffer| body.decompressed_nbytes(buffer).map(drop))
    }
}

/// Builds a frame of the columns at `positions`. `dtypes`: the declared dtype of each field that becomes a block. `rows`: the number
/// of rows, and the number of the first one.
fn arrow_frame(
    plan: &FramePlan,
    dtypes: &[Option<DType>],
    arrays: &[ArrayData],
    rows: (usize, usize),
    positions: Option<&[usize]>,
) -> Result<Frame> {
    let block_of = |i: usize, data: &ArrayData| match dtypes.get(i) {
        Some(Some(dtype)) => to_block(*dtype, data),
        _ => Ok(None),
    };
    let frame = plan.frame_with(arrays, rows.0, rows.1, &block_of)?;
    match positions {
        None => Ok(frame),
        Some(positions) => frame.select(positions, plan.columns.select(positions)?),
    }
}

fn null_array(nrows: usize) -> ArrayData {
    ArrayData::new_null(&arrow_schema::DataType::Null, nrows)
}
