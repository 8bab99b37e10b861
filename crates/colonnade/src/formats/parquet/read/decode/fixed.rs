//! Decodes fixed-width values into blocks or into Arrow's layout. A nullable column goes to a block like any other; if its
//! pages contain a null, its values become an Arrow array instead.

mod decode;
mod finish;
mod tasks;

pub(super) use decode::{ValueConversion, values};

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::arrow::decoded_columns::DecodedColumns;
use crate::decode::MemoryLayout;
use crate::error::{Error, Result};
use crate::formats::parquet::levels::Validity;
use crate::frame::{ByteOrder, DType, DTypeKind as Letter};
use crate::memory::{Buffer, Region, RegionMut, STREAMING_FROM_NBYTES, Scatter, column_stride};
use crate::parallel::split_from;
use crate::progress::Progress;

use super::super::conversion::{FixedConversion, NullFill, fixed_conversion};
use super::page_decoder::Scratches;
use super::{ChunkDecoder, ColumnPlan, RowPiece};

/// The minimum size of a task.
const LEAST_NBYTES: usize = split_from(256 << 10);

/// Columns in Arrow's layout of at least this size have their own allocation.
const ALONE_NBYTES: usize = 64 << 10;

/// A column to decode and its position in memory.
struct FixedTarget {
    /// Index of the column in the projection.
    i: usize,
    field: usize,
    leaf: usize,
    kind: FixedConversion,
    null: NullFill,
    optional: bool,
    /// Whether nulls are NaT and need no validity.
    nat: bool,
    /// Whether its rows are bits.
    bits: bool,
    item: usize,
    region: usize,
    offset: usize,
}

/// Columns of one dtype that share an allocation.
struct TargetGroup {
    /// The dtype of the block; `None`: Arrow's layout.
    dtype: Option<DType>,
    /// Bytes of a column.
    nbytes: usize,
    stride: usize,
    members: Vec<usize>,
}

/// The nulls in a range of rows of a target.
struct NullRange {
    target: usize,
    at: usize,
    bits: Validity,
}

/// The state that all tasks share.
struct Work<'w> {
    targets: &'w [FixedTarget],
    scatters: &'w [Scatter<'w>],
    scratches: Scratches,
    found: Mutex<Vec<NullRange>>,
    streaming: bool,
}

impl ChunkDecoder<'_> {
    /// Decodes the fields `projection[i]` for `i` of `slots`.
    pub(super) fn fixed(
        &self,
        projection: &[usize],
        slots: &[usize],
        pieces: &[RowPiece],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        if slots.is_empty() {
            return Ok(());
        }
        let (targets, groups) = self.targets(projection, slots)?;
        let mut regions: Vec<RegionMut> = Vec::with_capacity(groups.len());
        for group in &groups {
            let nbytes = group.stride.checked_mul(group.members.len()).ok_or_else(too_large)?;
            // Many small columns would each occupy a huge page.
            regions.push(Region::allocate(nbytes)?);
        }
        // Writers of bits combine their first and last byte with what is there.
        let has_bits =
            |group: &TargetGroup| group.members.iter().any(|&t| targets.get(t).is_some_and(|t| t.bits));
        for (region, _) in regions.iter_mut().zip(&groups).filter(|(_, group)| has_bits(group)) {
            region.as_mut_slice().fill(0);
        }
        let scatters: Vec<Scatter<'_>> = regions.iter_mut().map(Scatter::new).collect();
        let total = targets.iter().map(|t| t.item.saturating_mul(self.nrows)).fold(0, usize::saturating_add);
        let work = Work {
            targets: &targets,
            scatters: &scatters,
            scratches: Scratches::default(),
            found: Mutex::default(),
            streaming: total >= STREAMING_FROM_NBYTES,
        };
        self.decode_all(&work, pieces, progress)?;
        let found = work.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        drop(scatters);
        let buffers: Vec<Buffer> =
            regions.into_iter().map(|region| Buffer::from_region(region.finish(), true)).collect();
        self.finish_columns(&targets, &groups, &buffers, found, decoded)
    }

    fn targets(&self, projection: &[usize], slots: &[usize]) -> Result<(Vec<FixedTarget>, Vec<TargetGroup>)> {
        let mut groups: Vec<TargetGroup> = Vec::new();
        let mut groups_by_size: HashMap<(Option<DType>, usize), usize> = HashMap::new();
        let mut targets = Vec::with_capacity(slots.len());
        for &i in slots {
            let field = projection.get(i).copied().unwrap_or(0);
            let (ColumnPlan::Fixed(flat), data_type) =
                (self.column_plan(field)?, self.field(field)?.data_type())
            else {
                continue;
            };
            let (kind, item) = fixed_conversion(data_type, &flat)
                .ok_or_else(|| Error::unsupported("parquet", "its type."))?;
            let dtype = match self.layout {
                MemoryLayout::Arrow | MemoryLayout::ArrowViews => None,
                MemoryLayout::AsStored => {
                    self.file.plan.fields.get(field).and_then(|plan| plan.decoded_dtype())
                }
                MemoryLayout::Pandas => self.nulls.dtype_without_nulls(field),
            };
            let dtype = dtype.filter(|d| d.order != ByteOrder::Big && d.itemsize as usize == item);
            let bits = dtype.is_none() && kind == FixedConversion::Bools;
            let nbytes = if bits { Some(self.nrows.div_ceil(8)) } else { self.nrows.checked_mul(item) };
            let nbytes = nbytes.ok_or_else(too_large)?;
            let shared = dtype.is_some() || nbytes < ALONE_NBYTES;
            let group = if shared { groups_by_size.get(&(dtype, nbytes)).copied() } else { None };
            let region = group.unwrap_or_else(|| {
                groups.push(TargetGroup {
                    dtype,
                    nbytes,
                    stride: column_stride(nbytes),
                    members: Vec::new(),
                });
                if shared {
                    groups_by_size.insert((dtype, nbytes), groups.len() - 1);
                }
                groups.len() - 1
            });
            let Some(group) = groups.get_mut(region) else { continue };
            let offset = group.stride.checked_mul(group.members.len()).ok_or_else(too_large)?;
            group.members.push(targets.len());
            let leaf = self.file.roots.get(field).map_or(0, |root| root.leaves.start);
            let nat = dtype.is_some_and(|d| matches!(d.kind, Letter::DateTime | Letter::TimeDelta));
            let null = if nat { NullFill::Nat } else { NullFill::of(data_type) };
            let optional = flat.optional;
            targets.push(FixedTarget {
                i,
                field,
                leaf,
                kind,
                null,
                optional,
                nat,
                bits,
                item,
                region,
                offset,
            });
        }
        Ok((targets, groups))
    }
}

#[cold]
fn too_large() -> Error {
    Error::too_large("parquet")
}
