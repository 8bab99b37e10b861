//! Where the bytes of a stream go while they come.

use std::io::IoSliceMut;

use crate::error::Result;
use crate::formats::arrow::read::land;

use super::super::body::Dest;
use super::{Arrival, State};

/// Places given out at once.
const MAX_ROOMS: usize = 256;

/// Where padding goes.
const NOWHERE_NBYTES: usize = 4096;

/// A header is believed as far as its bytes come: room for so many at first.
const HEADER_NBYTES: usize = 64 << 10;

impl Arrival {
    /// Where the next bytes go, in this order; none after the end mark. Places for `enough` bytes will do, where that many
    /// are expected at once.
    ///
    /// # Errors
    /// A limit; the system's refusal of memory.
    pub fn rooms(&mut self, enough: usize) -> Result<Vec<IoSliceMut<'_>>> {
        if let State::Segments { at, done } = self.state {
            return self.scattered(at, done, enough);
        }
        match &mut self.state {
            State::Done | State::Segments { .. } => Ok(Vec::new()),
            State::Prefix | State::Header => {
                let end = self.wanted.min((self.filled * 2).max(HEADER_NBYTES));
                if self.small.len() < end {
                    self.small.resize(end, 0);
                }
                Ok(vec![IoSliceMut::new(self.small.get_mut(self.filled..end).unwrap_or(&mut []))])
            }
            State::Whole(whole) => Ok(vec![IoSliceMut::new(whole.0.place()?)]),
        }
    }

    fn scattered(&mut self, at: usize, done: usize, enough: usize) -> Result<Vec<IoSliceMut<'_>>> {
        let rest = self.segments.get(at..self.segments.len().min(at + MAX_ROOMS)).unwrap_or(&[]);
        let mut nbytes = 0usize;
        let count = rest.iter().position(|segment| {
            nbytes = nbytes.saturating_add(segment.nbytes);
            nbytes - done.min(nbytes) >= enough
        });
        let window = rest.get(..count.map_or(rest.len(), |i| i + 1)).unwrap_or(&[]);
        let kept_end = window.iter().filter(|s| s.dest == Dest::Kept).map(|s| s.at + s.nbytes).max();
        let kept = match kept_end {
            Some(end) => self.kept.room(end)?,
            None => &mut [],
        };
        let (kept_at, kept_nbytes) = (kept.as_mut_ptr(), kept.len());
        if self.nowhere.is_empty() {
            self.nowhere.resize(NOWHERE_NBYTES, 0);
        }
        let mut unused = self.nowhere.as_mut_slice();
        let mut out = Vec::with_capacity(window.len());
        let mut skipped = done;
        for segment in window {
            let (from, nbytes) = (segment.at + skipped, segment.nbytes - skipped);
            skipped = 0;
            let (room, whole) = match segment.dest {
                Dest::Nowhere => {
                    let count = nbytes.min(unused.len());
                    let (room, rest) = std::mem::take(&mut unused).split_at_mut(count);
                    unused = rest;
                    (room, count == nbytes)
                }
                Dest::Kept => {
                    let count = nbytes.min(kept_nbytes.saturating_sub(from));
                    if count == 0 {
                        break;
                    }
                    // SAFETY: inside the room that `kept` gave, which grows no more while `self` is borrowed; segments of one
                    // body are apart (`body::plan` places each behind the one before).
                    (unsafe { std::slice::from_raw_parts_mut(kept_at.add(from), count) }, count == nbytes)
                }
                Dest::Block(region) => {
                    let blocks = self.expected.as_mut().map(|e| &mut e.blocks);
                    let place = blocks.and_then(|b| b.regions.get_mut(region)?.address(from, nbytes));
                    let place = place.ok_or_else(land::too_large)?;
                    // SAFETY: a live range of the region, which `self` owns and is borrowed for as long; each target has columns
                    // and each batch rows of its own, so no two segments overlap.
                    (unsafe { std::slice::from_raw_parts_mut(place, nbytes) }, true)
                }
            };
            if !room.is_empty() {
                out.push(IoSliceMut::new(room));
            }
            if !whole {
                break;
            }
        }
        Ok(out)
    }

    /// The bytes of the piece (prefix, header, body) that is not whole yet.
    #[must_use]
    pub fn partial(&mut self) -> Vec<u8> {
        match &mut self.state {
            State::Done => Vec::new(),
            State::Prefix | State::Header => self.small.get(..self.filled).unwrap_or(&[]).to_vec(),
            State::Whole(whole) => whole.0.received().to_vec(),
            State::Segments { at, done } => {
                let mut out = Vec::new();
                for (i, segment) in self.segments.iter().enumerate().take(*at + 1) {
                    let nbytes = if i == *at { *done } else { segment.nbytes };
                    let range = segment.at..segment.at + nbytes;
                    let bytes = match segment.dest {
                        Dest::Nowhere => None,
                        Dest::Kept => self.kept.bytes().get(range).map(<[u8]>::to_vec),
                        Dest::Block(region) => {
                            let region =
                                self.expected.as_mut().and_then(|e| e.blocks.regions.get_mut(region));
                            region.and_then(|r| r.as_mut_slice().get(range).map(<[u8]>::to_vec))
                        }
                    };
                    out.extend(bytes.unwrap_or_else(|| vec![0; nbytes]));
                }
                out
            }
        }
    }
}
