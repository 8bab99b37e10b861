//! A frame with our header, decoded while its bytes come: the header is whole, and cells are decoded into their place.
//!
//! Everything that the header claims is checked against what comes, cell by cell; memory grows with what has come.

mod column_targets;
mod growing_blocks;

use std::sync::OnceLock;

use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::memory::Buffer;

use super::{Own, check, check_decoded, check_entries, wrong_key};
use crate::arrow::import::Plan;
use crate::cells::msgpack::column::{CellExtent, malformed};
use crate::cells::msgpack::head::MsgpackHead;
use crate::cells::msgpack::heads;
use crate::cells::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::cells::msgpack::skip::Skipper;
use crate::formats::msgpack::header;
use crate::formats::msgpack::header::Header;
use column_targets::ColumnTargets;

/// Takes our own columns front to back.
#[derive(Debug)]
pub struct IncrementalColumns {
    own: Own,
    /// Key of each field, encoded.
    keys: Vec<Vec<u8>>,
    targets: ColumnTargets,
    /// The field that comes now, and how far it has come.
    field: usize,
    stage: Stage,
    /// Offset of what is taken next.
    offset: usize,
}

#[derive(Debug)]
enum Stage {
    Key,
    Head,
    /// So many cells were taken, in so many bytes, from `base` on.
    Cells {
        taken: CellExtent,
        base: u64,
    },
    /// So many bytes of the packed values were taken.
    Packed {
        done: usize,
        base: u64,
    },
}

/// A frame that is of no use, though it goes on.
#[derive(Debug)]
pub struct Broken {
    /// What is wrong.
    pub error: Error,
    /// How much of the bytes of this call stands before what `rest` begins with.
    pub taken: usize,
    /// Finds the end.
    pub rest: Skipper,
}

impl IncrementalColumns {
    /// The frame whose header, with all before it, `front` is. `None` where nothing can be decoded before it is whole: rows,
    /// and a header that contradicts itself, which is told when it is.
    #[must_use]
    pub fn of(front: Buffer, options: &ReadOptions) -> Option<Self> {
        let (header, entries, at) = header::read(front.as_slice(), &options.limits).ok()??;
        if header.orient != MsgpackOrient::Columns {
            return None;
        }
        check(&header, options).ok()?;
        check_entries(&header, entries).ok()?;
        let plan = Plan::new(&header.schema).ok()?;
        let mut keys = Vec::with_capacity(header.schema.fields().len());
        for key in crate::cells::header_key::keys(&header.schema) {
            let mut encoded = Vec::with_capacity(key.len() + 5);
            heads::text(&mut encoded, &key, header.old).ok()?;
            keys.push(encoded);
        }
        let (extents, end) = extents(&header, &keys, at)?;
        check_decoded(&header, &plan, &extents, options).ok()?;
        let index = OnceLock::new();
        let own = Own { bytes: front, header, plan, extents, options: *options, index, end };
        let targets = ColumnTargets::of(&own).ok()?;
        Some(Self { own, keys, targets, field: 0, stage: Stage::Key, offset: at })
    }

    /// Which of a series it is, where its header says so.
    #[must_use]
    pub fn chunk(&self) -> Option<u64> {
        self.own.header.chunk
    }

    /// Where the frame ends, as its header says.
    #[must_use]
    pub fn end(&self) -> usize {
        self.own.end
    }

    /// The path of what comes next.
    #[must_use]
    pub fn path(&self) -> String {
        match self.stage {
            _ if self.is_whole() => "$".to_owned(),
            Stage::Cells { taken, .. } => format!("{}[{}]", self.own.path(self.field), taken.cells),
            _ => self.own.path(self.field),
        }
    }

    /// Whether every column has come.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.field == self.keys.len()
    }

    /// Takes what it can from the front of `bytes`; answers how much. What is left comes again, with more behind it.
    ///
    /// # Errors
    /// What the bytes are not, or not as the header says.
    pub fn take(&mut self, bytes: &[u8]) -> std::result::Result<usize, Box<Broken>> {
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
                    return Err(Box::new(Broken { error, taken: at, rest: self.rest() }));
                }
            }
        }
        Ok(at)
    }

    /// The frame.
    ///
    /// # Errors
    /// Columns that make no valid array; labels that make no axis.
    pub fn finish(self) -> Result<Frame> {
        self.targets.finish(&self.own)
    }

    /// The next key, head, or some cells: their bytes; `None` where nothing more is whole.
    fn step(&mut self, rest: &[u8]) -> Result<Option<usize>> {
        match self.stage {
            Stage::Key => self.key(rest),
            Stage::Head => self.head(rest),
            Stage::Cells { taken, base } => self.cells(rest, taken, base),
            Stage::Packed { done, base } => self.packed(rest, done, base),
        }
    }

    fn key(&mut self, rest: &[u8]) -> Result<Option<usize>> {
        let key = self.keys.get(self.field).map_or(&[][..], Vec::as_slice);
        if rest.starts_with(key) {
            self.stage = Stage::Head;
            return Ok(Some(key.len()));
        }
        if key.starts_with(rest) {
            return Ok(None);
        }
        Err(wrong_key(self.own.header.schema.field(self.field).name(), self.offset))
    }

    /// So many bytes of the value that comes now, less those of `rest` that lie behind it.
    fn of_value(&self, rest: &[u8]) -> (usize, usize) {
        let end = self.own.extents.get(self.field).map_or(0, |extent| extent.end);
        let left = end.saturating_sub(self.offset);
        (left, left.min(rest.len()))
    }

    fn head(&mut self, rest: &[u8]) -> Result<Option<usize>> {
        let (left, here) = self.of_value(rest);
        let base = self.offset as u64;
        let Some((found, length)) = self.own.head_of(self.field, rest.get(..here).unwrap_or(&[]), base)?
        else {
            let path = || self.own.path(self.field);
            return if here < left {
                Ok(None)
            } else {
                Err(malformed(0, "expected a value, found its end.").placed(&path(), base))
            };
        };
        let (base, field) = (base + length as u64, self.field);
        match found {
            MsgpackHead::Bin(n) if self.own.header.packed && !self.targets.is_bool(field) => {
                let expected = self.targets.packed_nbytes(&self.own, field)?;
                let inside = left - length;
                if n as usize != inside || expected != inside {
                    return Err(self.own.not_packed(field, expected, inside.min(n as usize), base));
                }
                self.stage = Stage::Packed { done: 0, base };
            }
            MsgpackHead::Array(_) => {
                self.targets.begin(&self.own, field)?;
                self.stage = Stage::Cells { taken: CellExtent::default(), base };
            }
            other => return Err(self.own.no_column(field, other, base)),
        }
        Ok(Some(length))
    }

    fn cells(&mut self, rest: &[u8], taken: CellExtent, base: u64) -> Result<Option<usize>> {
        let (left, here) = self.of_value(rest);
        let nrows = self.own.header.nrows;
        let bytes = rest.get(..here).unwrap_or(&[]);
        let mut some = CellExtent::default();
        if taken.cells < nrows && here > 0 {
            let result = self.targets.take(&self.own, self.field, taken.cells, bytes)?;
            some = result.map_err(|e| {
                e.in_column(&self.own.path(self.field), taken.cells, base + taken.nbytes as u64)
            })?;
        }
        let now = CellExtent { cells: taken.cells + some.cells, nbytes: taken.nbytes + some.nbytes };
        if now.cells == nrows && some.nbytes == left {
            self.targets.end(&self.own, self.field)?;
            self.next();
        } else if now.cells == nrows || here == left {
            return Err(self.own.not_all(self.field, now, taken.nbytes + left, base));
        } else {
            self.stage = Stage::Cells { taken: now, base };
        }
        // A column without rows ends where its head does, and that is a step too.
        Ok((some.cells > 0 || nrows == 0).then_some(some.nbytes))
    }

    fn packed(&mut self, rest: &[u8], done: usize, base: u64) -> Result<Option<usize>> {
        let (left, here) = self.of_value(rest);
        self.targets.copy(&self.own, self.field, done, rest.get(..here).unwrap_or(&[]))?;
        if here == left {
            self.targets.end(&self.own, self.field)?;
            self.next();
            return Ok(Some(here));
        }
        self.stage = Stage::Packed { done: done + here, base };
        Ok((here > 0).then_some(here))
    }

    fn next(&mut self) {
        self.field += 1;
        self.stage = Stage::Key;
    }

    /// What finds the end, from where the step that failed began.
    fn rest(&self) -> Skipper {
        let behind = 2 * (self.keys.len() - self.field) as u64;
        let depth = self.own.options.limits.max_depth;
        match self.stage {
            Stage::Key => Skipper::within(&[0], behind, depth),
            Stage::Head => Skipper::within(&[0], behind - 1, depth),
            Stage::Cells { taken, .. } => {
                let cells = self.own.header.nrows - taken.cells;
                Skipper::within(&[0, behind - 2], cells as u64, depth)
            }
            // Its length was checked with its head.
            Stage::Packed { .. } => Skipper::within(&[0], behind - 2, depth),
        }
    }
}

/// Where each value will lie, and where the frame will end.
fn extents(header: &Header, keys: &[Vec<u8>], mut at: usize) -> Option<(Vec<std::ops::Range<usize>>, usize)> {
    let mut out = Vec::with_capacity(keys.len());
    for (key, &nbytes) in keys.iter().zip(&header.nbytes) {
        let start = at.checked_add(key.len())?;
        at = usize::try_from(nbytes).ok().and_then(|n| start.checked_add(n))?;
        out.push(start..at);
    }
    Some((out, at))
}
