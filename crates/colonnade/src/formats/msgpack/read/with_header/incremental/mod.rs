//! Decodes a frame with our header while its bytes arrive: once the header is complete, cells are decoded to their final
//! position.
//!
//! Everything that the header declares is checked cell by cell, and memory grows with the received bytes.

mod column_targets;
mod growing_blocks;

use std::sync::OnceLock;

use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::memory::Buffer;

use super::{LocatedFrame, check, check_decoded, check_entries, declared_extents, encoded_keys, wrong_key};
use crate::arrow::import::FramePlan;
use crate::cells::msgpack::column::{CellExtent, malformed};
use crate::cells::msgpack::head::MsgpackHead;
use crate::cells::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::cells::msgpack::skip::Skipper;
use crate::formats::msgpack::header;
use column_targets::ColumnTargets;

/// Decodes the columns of a frame with our header, front to back.
#[derive(Debug)]
pub struct IncrementalColumns {
    located: LocatedFrame,
    /// The encoded key of each field.
    keys: Vec<Vec<u8>>,
    targets: ColumnTargets,
    /// The current field, and its state.
    field: usize,
    stage: ColumnStage,
    /// The offset of the next bytes.
    offset: usize,
}

#[derive(Debug)]
enum ColumnStage {
    Key,
    Head,
    /// Decoded cells and bytes of an array, which begins at `base`.
    Cells {
        taken: CellExtent,
        base: u64,
    },
    /// Copied bytes of packed values.
    Packed {
        done: usize,
        base: u64,
    },
}

/// An error in a frame whose end has not arrived.
#[derive(Debug)]
pub struct FrameFault {
    /// The error.
    pub error: Error,
    /// The number of bytes of this call before the start of `rest`.
    pub taken: usize,
    /// Finds the end of the value.
    pub rest: Skipper,
}

impl IncrementalColumns {
    /// Starts after `front`, which ends with the header. `None`: the frame can be decoded only when it is complete, because
    /// it has rows, or because its header contradicts itself, which is reported then.
    #[must_use]
    pub fn of(front: Buffer, options: &ReadOptions) -> Option<Self> {
        let (header, entries, at) = header::read(front.as_slice(), &options.limits).ok()??;
        if header.orient != MsgpackOrient::Columns {
            return None;
        }
        check(&header, options).ok()?;
        check_entries(&header, entries).ok()?;
        let plan = FramePlan::new(&header.schema).ok()?;
        let keys = encoded_keys(&header).ok()?;
        let (extents, end) = declared_extents(&header, &keys, at);
        if end == usize::MAX {
            return None;
        }
        check_decoded(&header, &plan, &extents, options).ok()?;
        let index = OnceLock::new();
        let located = LocatedFrame { bytes: front, header, plan, extents, options: *options, index, end };
        let targets = ColumnTargets::of(&located).ok()?;
        Some(Self { located, keys, targets, field: 0, stage: ColumnStage::Key, offset: at })
    }

    /// Its number in a series, if the header declares it.
    #[must_use]
    pub fn chunk(&self) -> Option<u64> {
        self.located.header.chunk
    }

    /// The end of the frame, as declared by the header.
    #[must_use]
    pub fn end(&self) -> usize {
        self.located.end
    }

    /// The path of the next value, for errors.
    #[must_use]
    pub fn path(&self) -> String {
        match self.stage {
            _ if self.is_whole() => "$".to_owned(),
            ColumnStage::Cells { taken, .. } => format!("{}[{}]", self.located.path(self.field), taken.cells),
            _ => self.located.path(self.field),
        }
    }

    /// Whether every column is complete.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.field == self.keys.len()
    }

    /// Decodes bytes from the front of `bytes`, and returns their number. The caller passes the others again, with more
    /// after them.
    ///
    /// # Errors
    /// Bytes that are malformed, or do not match the header.
    pub fn take(&mut self, bytes: &[u8]) -> std::result::Result<usize, Box<FrameFault>> {
        let mut at = 0;
        while !self.is_whole() {
            let rest = bytes.get(at..).unwrap_or(&[]);
            match self.step(rest) {
                Ok(Some(nbytes)) => {
                    at += nbytes;
                    self.offset += nbytes;
                }
                Ok(None) => break,
                Err(error) => {
                    return Err(Box::new(FrameFault { error, taken: at, rest: self.rest() }));
                }
            }
        }
        Ok(at)
    }

    /// Returns the frame.
    ///
    /// # Errors
    /// Columns that are not valid arrays; labels that are not a valid axis.
    pub fn finish(self) -> Result<Frame> {
        self.targets.finish(&self.located)
    }

    /// Decodes the next key, head, or some cells, and returns their number of bytes; `None` if none of them is complete.
    fn step(&mut self, rest: &[u8]) -> Result<Option<usize>> {
        match self.stage {
            ColumnStage::Key => self.key(rest),
            ColumnStage::Head => self.head(rest),
            ColumnStage::Cells { taken, base } => self.cells(rest, taken, base),
            ColumnStage::Packed { done, base } => self.packed(rest, done, base),
        }
    }

    fn key(&mut self, rest: &[u8]) -> Result<Option<usize>> {
        let key = self.keys.get(self.field).map_or(&[][..], Vec::as_slice);
        if rest.starts_with(key) {
            self.stage = ColumnStage::Head;
            return Ok(Some(key.len()));
        }
        if key.starts_with(rest) {
            return Ok(None);
        }
        Err(wrong_key(self.located.header.schema.field(self.field).name(), self.offset))
    }

    /// Returns how many bytes of the current value are left, and how many of them `rest` has.
    fn of_value(&self, rest: &[u8]) -> (usize, usize) {
        let end = self.located.extents.get(self.field).map_or(0, |extent| extent.end);
        let left = end.saturating_sub(self.offset);
        (left, left.min(rest.len()))
    }

    fn head(&mut self, rest: &[u8]) -> Result<Option<usize>> {
        let (left, here) = self.of_value(rest);
        let base = self.offset as u64;
        let Some((found, length)) =
            self.located.head_of(self.field, rest.get(..here).unwrap_or(&[]), base)?
        else {
            let path = || self.located.path(self.field);
            return if here < left {
                Ok(None)
            } else {
                Err(malformed(0, "expected a value, found its end.").placed(&path(), base))
            };
        };
        let (base, field) = (base + length as u64, self.field);
        match found {
            MsgpackHead::Bin(n) if self.located.header.packed && !self.targets.is_bool(field) => {
                let expected = self.targets.packed_nbytes(&self.located, field)?;
                let inside = left - length;
                if n as usize != inside || expected != inside {
                    return Err(self.located.not_packed(field, expected, inside.min(n as usize), base));
                }
                self.stage = ColumnStage::Packed { done: 0, base };
            }
            MsgpackHead::Array(_) => {
                self.targets.begin(&self.located, field)?;
                self.stage = ColumnStage::Cells { taken: CellExtent::default(), base };
            }
            other => return Err(self.located.no_column(field, other, base)),
        }
        Ok(Some(length))
    }

    fn cells(&mut self, rest: &[u8], taken: CellExtent, base: u64) -> Result<Option<usize>> {
        let (left, here) = self.of_value(rest);
        let nrows = self.located.header.nrows;
        let bytes = rest.get(..here).unwrap_or(&[]);
        let mut some = CellExtent::default();
        if taken.cells < nrows && here > 0 {
            let result = self.targets.take(&self.located, self.field, taken.cells, bytes)?;
            some = result.map_err(|e| {
                e.in_column(&self.located.path(self.field), taken.cells, base + taken.nbytes as u64)
            })?;
        }
        let now = CellExtent { cells: taken.cells + some.cells, nbytes: taken.nbytes + some.nbytes };
        if now.cells == nrows && some.nbytes == left {
            self.targets.end(&self.located, self.field)?;
            self.next();
        } else if now.cells == nrows || here == left {
            return Err(self.located.not_all(self.field, now, taken.nbytes + left, base));
        } else {
            self.stage = ColumnStage::Cells { taken: now, base };
        }
        // A column without rows ends with its head, which is a step too.
        Ok((some.cells > 0 || nrows == 0).then_some(some.nbytes))
    }

    fn packed(&mut self, rest: &[u8], done: usize, base: u64) -> Result<Option<usize>> {
        let (left, here) = self.of_value(rest);
        self.targets.copy(&self.located, self.field, done, rest.get(..here).unwrap_or(&[]))?;
        if here == left {
            self.targets.end(&self.located, self.field)?;
            self.next();
            return Ok(Some(here));
        }
        self.stage = ColumnStage::Packed { done: done + here, base };
        Ok((here > 0).then_some(here))
    }

    fn next(&mut self) {
        self.field += 1;
        self.stage = ColumnStage::Key;
    }

    /// Returns the skipper that finds the end, from the start of the step that failed.
    fn rest(&self) -> Skipper {
        let behind = 2 * (self.keys.len() - self.field) as u64;
        let depth = self.located.options.limits.max_depth;
        match self.stage {
            ColumnStage::Key => Skipper::within(&[0], behind, depth),
            ColumnStage::Head => Skipper::within(&[0], behind - 1, depth),
            ColumnStage::Cells { taken, .. } => {
                let cells = self.located.header.nrows - taken.cells;
                Skipper::within(&[0, behind - 2], cells as u64, depth)
            }
            // Its length was checked with its head.
            ColumnStage::Packed { .. } => Skipper::within(&[0], behind - 2, depth),
        }
    }
}
