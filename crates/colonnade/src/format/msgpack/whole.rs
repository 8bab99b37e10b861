//! A frame that had to be decoded to be described: what is said of it, and parts of it.

use crate::container::store::Limits;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Part, Slot, Tags, type_name};
use crate::ipc::read::Request;
use crate::msgpack::cells::FORMAT;
use crate::msgpack::options::{Orient, ReadOptions};

/// What is said of a frame.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) orient: Orient,
    pub(super) version: Option<u64>,
    pub(super) nrows: usize,
    pub(super) nbytes: u64,
    pub(super) index: Axis,
    pub(super) columns: Axis,
    pub(super) tags: Tags,
    pub(super) dtypes: Vec<String>,
}

impl Whole {
    pub(super) fn of(
        frame: &Frame,
        orient: Orient,
        version: Option<u64>,
        options: &ReadOptions,
    ) -> Result<Self> {
        let (nbytes, Limits { max_nbytes, .. }) = (frame.nbytes() as u64, options.limits);
        if nbytes > max_nbytes {
            let message = format!("{nbytes} bytes, the limit is {max_nbytes}. Raise max_nbytes to read it.");
            return Err(Error::limit(FORMAT, message));
        }
        let name = |slot: Slot| match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => block.grid.dtype.descr(),
            Some(Part::Column(column, _)) => type_name(column.data.data_type(), column.ordered),
            None => String::new(),
        };
        Ok(Self {
            orient,
            version,
            nrows: frame.nrows,
            nbytes,
            index: frame.index.clone(),
            columns: frame.columns.clone(),
            tags: frame.tags.clone(),
            dtypes: frame.slots()?.into_iter().map(name).collect(),
        })
    }
}

/// The part of a frame that is asked for.
pub(super) fn part(frame: Frame, request: &Request<'_>) -> Result<Frame> {
    let frame = match request.positions {
        Some(positions) => frame.select(positions, frame.columns.select(positions)?)?,
        None => frame,
    };
    match request.rows {
        Some((start, stop)) if start > stop || stop > frame.nrows => {
            let message = format!("rows {start}..{stop} are out of range: there are {}.", frame.nrows);
            Err(Error::not_found(FORMAT, message))
        }
        Some((start, stop)) if (start, stop) != (0, frame.nrows) => Ok(frame.slice(start, stop)),
        _ => Ok(frame),
    }
}
