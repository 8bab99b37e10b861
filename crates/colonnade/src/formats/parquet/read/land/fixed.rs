//! Values of one width: into blocks, or into Arrow's layout. Which it is, for columns that may be null, the pages tell:
//! all land as if they were not, and those that were leave their block.

mod decode;
mod finish;
mod tasks;

pub(super) use decode::{Made, values};

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::arrow::decoded_columns::DecodedColumns;
use crate::decode::Layout;
use crate::error::{Error, Result};
use crate::formats::parquet::levels::Validity;
use crate::frame::{ByteOrder, DType, DTypeKind as Letter};
use crate::memory::{Buffer, Region, RegionMut, STREAMING_FROM_NBYTES, Scatter, column_stride};
use crate::progress::Progress;

use super::super::conversion::{Kind, Null, kind};
use super::page_decoder::Scratches;
use super::{Landing, Piece, Way};

/// Tasks are not made smaller than this.
const LEAST_NBYTES: usize = 256 << 10;

/// Columns in Arrow's layout that are at least so large have memory of their own.
const ALONE_NBYTES: usize = 64 << 10;

/// One column: what it is, and where it goes.
struct Target {
    /// Place among the wanted.
    i: usize,
    field: usize,
    leaf: usize,
    kind: Kind,
    null: Null,
    optional: bool,
    /// Nulls are not-a-times, and need no validity.
    nat: bool,
    item: usize,
    region: usize,
    offset: usize,
}

/// Columns that share memory.
struct Group {
    /// Of the block; none: Arrow's.
    dtype: Option<DType>,
    item: usize,
    stride: usize,
    members: Vec<usize>,
}

/// The nulls of some rows of a target.
struct Found {
    target: usize,
    at: usize,
    bits: Validity,
}

/// What all tasks share.
struct Work<'w> {
    targets: &'w [Target],
    scatters: &'w [Scatter<'w>],
    scratches: Scratches,
    found: Mutex<Vec<Found>>,
    streaming: bool,
}

impl Landing<'_> {
    /// Lands the fields `wanted[i]` for `i` of `these`.
    pub(super) fn fixed(
        &self,
        wanted: &[usize],
        these: &[usize],
        pieces: &[Piece],
        landed: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        if these.is_empty() {
            return Ok(());
        }
        let (targets, groups) = self.targets(wanted, these)?;
        let mut regions: Vec<RegionMut> = Vec::with_capacity(groups.len());
        for group in &groups {
            let nbytes = group.stride.checked_mul(group.members.len()).ok_or_else(too_large)?;
            // Many small columns would each take a huge page.
            regions.push(Region::allocate(nbytes, nbytes < LEAST_NBYTES)?);
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
        self.hand_out(&targets, &groups, &buffers, found, landed)
    }

    fn targets(&self, wanted: &[usize], these: &[usize]) -> Result<(Vec<Target>, Vec<Group>)> {
        let mut groups: Vec<Group> = Vec::new();
        let mut known: HashMap<(Option<DType>, usize), usize> = HashMap::new();
        let mut targets = Vec::with_capacity(these.len());
        for &i in these {
            let field = wanted.get(i).copied().unwrap_or(0);
            let (Way::Fixed(flat), data_type) = (self.way(field)?, self.field(field)?.data_type()) else {
                continue;
            };
            let (kind, item) =
                kind(data_type, &flat).ok_or_else(|| Error::unsupported("parquet", "its type."))?;
            let dtype = match self.layout {
                Layout::Arrow => None,
                Layout::AsStored => self.file.plan.fields.get(field).and_then(|plan| plan.decoded_dtype()),
                Layout::Pandas => self.nulls.dtype_without_nulls(field),
            };
            let dtype = dtype.filter(|d| d.order != ByteOrder::Big && d.itemsize as usize == item);
            let nbytes = self.nrows.checked_mul(item).ok_or_else(too_large)?;
            let shared = dtype.is_some() || nbytes < ALONE_NBYTES;
            let group = if shared { known.get(&(dtype, item)).copied() } else { None };
            let region = group.unwrap_or_else(|| {
                groups.push(Group { dtype, item, stride: column_stride(nbytes), members: Vec::new() });
                if shared {
                    known.insert((dtype, item), groups.len() - 1);
                }
                groups.len() - 1
            });
            let Some(group) = groups.get_mut(region) else { continue };
            let offset = group.stride.checked_mul(group.members.len()).ok_or_else(too_large)?;
            group.members.push(targets.len());
            let leaf = self.file.roots.get(field).map_or(0, |root| root.leaves.start);
            let nat = dtype.is_some_and(|d| matches!(d.kind, Letter::DateTime | Letter::TimeDelta));
            let null = if nat { Null::Nat } else { Null::of(data_type) };
            let optional = flat.optional;
            targets.push(Target { i, field, leaf, kind, null, optional, nat, item, region, offset });
        }
        Ok((targets, groups))
    }
}

#[cold]
fn too_large() -> Error {
    Error::too_large("parquet")
}
