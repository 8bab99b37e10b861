//! Lends the buffers that the bytes of a stream are read into.

use std::io::IoSliceMut;

use crate::error::Result;
use crate::formats::arrow::read::decode::too_large;

use super::body::{BodySegment, SegmentTarget};
use super::decoder::{DecoderState, IncrementalDecoder, StreamTarget};

/// The maximum number of buffers that are lent together.
const MAX_BUFFERS: usize = 256;

/// The buffer for padding, which is dropped.
const PADDING_NBYTES: usize = 4096;

/// The first allocation for a header. It grows with the received bytes, so a false length takes little memory.
const HEADER_NBYTES: usize = 64 << 10;

impl IncrementalDecoder {
    /// Returns the buffer for the next bytes, which may be smaller than the rest of the message; empty after the end mark.
    ///
    /// # Errors
    /// A limit; errors of the operating system: no memory.
    pub fn buffer(&mut self) -> Result<&mut [u8]> {
        match &mut self.state {
            DecoderState::Done | DecoderState::Segments { .. } => Ok(&mut []),
            DecoderState::Prefix | DecoderState::Header => {
                let end = self.needed_nbytes.min((self.filled * 2).max(HEADER_NBYTES));
                if self.small.len() < end {
                    self.small.resize(end, 0);
                }
                Ok(self.small.get_mut(self.filled..end).unwrap_or(&mut []))
            }
            DecoderState::Whole(body) => body.place(),
        }
    }

    /// Returns the buffers for the next bytes, in order; none after the end mark. Buffers for `enough` bytes suffice, if
    /// the caller expects that many.
    ///
    /// # Errors
    /// A limit; errors of the operating system: no memory.
    pub fn io_buffers(&mut self, enough: usize) -> Result<Vec<IoSliceMut<'_>>> {
        if let DecoderState::Segments { at, done } = self.state {
            return self.segment_buffers(at, done, enough);
        }
        if self.gives_batches() || !matches!(self.state, DecoderState::Whole(_)) {
            return Ok(vec![IoSliceMut::new(self.buffer()?)]);
        }
        let DecoderState::Whole(body) = &mut self.state else { return Ok(Vec::new()) };
        let left = body.needed_nbytes - body.filled;
        let mut out = vec![IoSliceMut::new(body.place()?)];
        if out.iter().all(|place| place.len() == left) {
            out.push(next_prefix(&mut self.small, self.is_modern));
        }
        Ok(out)
    }

    fn segment_buffers(&mut self, at: usize, done: usize, enough: usize) -> Result<Vec<IoSliceMut<'_>>> {
        let rest = self.segments.get(at..).unwrap_or(&[]);
        let all = rest.len();
        let rest = rest.get(..all.min(MAX_BUFFERS)).unwrap_or(&[]);
        let mut nbytes = 0usize;
        let count = rest.iter().position(|segment| {
            nbytes = nbytes.saturating_add(segment.nbytes);
            nbytes - done.min(nbytes) >= enough
        });
        let window = rest.get(..count.map_or(rest.len(), |i| i + 1)).unwrap_or(&[]);
        let stream_end =
            window.iter().filter(|s| s.dest == SegmentTarget::StreamBytes).map(|s| s.at + s.nbytes).max();
        let (stream_bytes, mut rows) = match &mut self.target {
            StreamTarget::Frame(frame) => (Some(&mut frame.stream_bytes), frame.rows.as_mut()),
            StreamTarget::Bytes(stream_bytes) => (Some(stream_bytes), None),
            StreamTarget::Batches(_) => (None, None),
        };
        let stream_bytes = match (stream_bytes, stream_end) {
            (Some(stream_bytes), Some(end)) => stream_bytes.room(end)?,
            _ => &mut [],
        };
        let (stream_at, stream_nbytes) = (stream_bytes.as_mut_ptr(), stream_bytes.len());
        self.padding.resize(PADDING_NBYTES, 0);
        let mut unused = self.padding.as_mut_slice();
        let mut out = Vec::with_capacity(window.len());
        let mut skipped = done;
        for segment in window {
            let (from, nbytes) = (segment.at + skipped, segment.nbytes - skipped);
            skipped = 0;
            let (place, is_whole) = match segment.dest {
                SegmentTarget::Padding => {
                    let count = nbytes.min(unused.len());
                    let (place, rest) = std::mem::take(&mut unused).split_at_mut(count);
                    unused = rest;
                    (place, count == nbytes)
                }
                SegmentTarget::StreamBytes => {
                    let count = nbytes.min(stream_nbytes.saturating_sub(from));
                    if count == 0 {
                        return Ok(out);
                    }
                    // SAFETY: inside the memory that `stream_bytes` lent, which does not grow while `self` is borrowed; the
                    // segments of one body are disjoint (`body::plan` places each after the previous one).
                    (unsafe { std::slice::from_raw_parts_mut(stream_at.add(from), count) }, count == nbytes)
                }
                SegmentTarget::Text(column) => {
                    let rows = rows.as_mut().ok_or_else(too_large)?;
                    let place = rows.texts.room(column, from, nbytes)?;
                    let count = place.len();
                    // SAFETY: memory of a column that `self` owns, which stays borrowed. A body has one segment for each text
                    // column (`body::plan`), so the column does not grow again before the borrow ends.
                    (unsafe { std::slice::from_raw_parts_mut(place.as_mut_ptr(), count) }, count == nbytes)
                }
                SegmentTarget::Block(region) => {
                    let region = rows.as_mut().and_then(|rows| rows.blocks.regions.get_mut(region));
                    let place =
                        region.and_then(|region| region.address(from, nbytes)).ok_or_else(too_large)?;
                    // SAFETY: a live range of the region that `self` owns, which stays borrowed; targets have disjoint
                    // columns and batches disjoint rows, so no two segments overlap.
                    (unsafe { std::slice::from_raw_parts_mut(place, nbytes) }, true)
                }
            };
            if !place.is_empty() {
                out.push(IoSliceMut::new(place));
            }
            if !is_whole {
                return Ok(out);
            }
        }
        if window.len() == all {
            out.push(next_prefix(&mut self.small, self.is_modern));
        }
        Ok(out)
    }

    /// The received bytes of the current piece (prefix, header, body).
    #[must_use]
    pub fn partial(&mut self) -> Vec<u8> {
        match &mut self.state {
            DecoderState::Done => Vec::new(),
            DecoderState::Prefix | DecoderState::Header => {
                self.small.get(..self.filled).unwrap_or(&[]).to_vec()
            }
            DecoderState::Whole(body) => body.received().to_vec(),
            DecoderState::Segments { at, done } => {
                let (at, done) = (*at, *done);
                let mut out = Vec::new();
                for (i, segment) in self.segments.iter().enumerate().take(at + 1) {
                    let nbytes = if i == at { done } else { segment.nbytes };
                    let bytes = self.target.bytes_of(segment).and_then(|bytes| bytes.get(..nbytes));
                    match bytes {
                        Some(bytes) => out.extend_from_slice(bytes),
                        None => out.resize(out.len() + nbytes, 0),
                    }
                }
                out
            }
        }
    }
}

/// The prefix after a body, which is received with it: another message or the end mark follows a message.
fn next_prefix(small: &mut Vec<u8>, is_modern: bool) -> IoSliceMut<'_> {
    let nbytes = if is_modern { 8 } else { 4 };
    if small.len() < nbytes {
        small.resize(nbytes, 0);
    }
    IoSliceMut::new(small.get_mut(..nbytes).unwrap_or(&mut []))
}

impl StreamTarget {
    /// The memory of a segment, unless it is padding.
    fn bytes_of(&mut self, segment: &BodySegment) -> Option<&[u8]> {
        let all: &[u8] = match (segment.dest, self) {
            (SegmentTarget::StreamBytes, Self::Frame(frame)) => frame.stream_bytes.bytes(),
            (SegmentTarget::StreamBytes, Self::Bytes(stream_bytes)) => stream_bytes.bytes(),
            (SegmentTarget::Text(column), Self::Frame(frame)) => frame.rows.as_mut()?.texts.bytes(column),
            (SegmentTarget::Block(region), Self::Frame(frame)) => {
                frame.rows.as_mut()?.blocks.regions.get_mut(region)?.as_mut_slice()
            }
            _ => return None,
        };
        all.get(segment.at..)
    }
}
