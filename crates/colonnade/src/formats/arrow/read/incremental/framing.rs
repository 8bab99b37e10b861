//! Decodes prefixes, headers and bodies while they arrive.

use crate::arrow::ipc::message::{
    MessageKind, Prefix, VerifiedHeader, check_continuation, check_header_nbytes, header, prefix,
};
use crate::error::{Error, Result};
use crate::formats::arrow::read::open::feather_v1;

use super::body::{BodyReceipt, BodySegment, SegmentTarget};
use super::decoder::{DecoderState, IncrementalDecoder, StreamTarget};
use super::event::StreamEvent;
use super::whole_body::WholeBody;

impl IncrementalDecoder {
    /// Reports that the first `count` bytes of the buffers are filled.
    ///
    /// # Errors
    /// Malformed messages; a limit.
    pub fn filled(&mut self, mut count: usize) -> Result<StreamEvent> {
        loop {
            if !self.takes(&mut count) {
                return Ok(StreamEvent::Need);
            }
            let event = self.piece();
            // Errors of a frame have the offset of the received bytes, those of other targets the offset of the piece.
            let at =
                if matches!(self.target, StreamTarget::Frame(_)) { self.received } else { self.piece_at };
            match event.map_err(|e| e.at(at))? {
                StreamEvent::Need if count > 0 => {}
                event => return Ok(event),
            }
        }
    }

    /// Takes the bytes of the current piece from `count` bytes, and returns whether the piece is complete.
    fn takes(&mut self, count: &mut usize) -> bool {
        let received = &mut self.received;
        let mut take = |filled: &mut usize, needed_nbytes: usize| {
            let taken = (*count).min(needed_nbytes - *filled);
            *filled += taken;
            *count -= taken;
            *received += taken as u64;
            *filled == needed_nbytes
        };
        match &mut self.state {
            DecoderState::Done => true,
            DecoderState::Prefix | DecoderState::Header => take(&mut self.filled, self.needed_nbytes),
            DecoderState::Whole(body) => take(&mut body.filled, body.needed_nbytes),
            DecoderState::Segments { at, done } => {
                while let Some(segment) = self.segments.get(*at) {
                    let is_whole = take(done, segment.nbytes);
                    if segment.dest == SegmentTarget::StreamBytes {
                        self.target.filled_to(segment.at + *done);
                    }
                    if !is_whole {
                        return false;
                    }
                    (*at, *done) = (*at + 1, 0);
                }
                true
            }
        }
    }

    /// Decodes the complete piece.
    fn piece(&mut self) -> Result<StreamEvent> {
        match std::mem::replace(&mut self.state, DecoderState::Done) {
            DecoderState::Done => Ok(StreamEvent::End),
            DecoderState::Prefix => self.prefix(),
            DecoderState::Header => self.header(),
            DecoderState::Whole(body) => {
                self.next();
                match &mut self.target {
                    StreamTarget::Batches(batches) => batches.take(*body, &self.limits),
                    StreamTarget::Frame(frame) => frame.take(*body).map(|()| StreamEvent::Need),
                    StreamTarget::Bytes(_) => Ok(StreamEvent::Need),
                }
            }
            DecoderState::Segments { .. } => {
                self.next();
                if let StreamTarget::Frame(frame) = &mut self.target {
                    frame.complete();
                }
                Ok(StreamEvent::Need)
            }
        }
    }

    fn prefix(&mut self) -> Result<StreamEvent> {
        let bytes = self.small.get(..self.filled).unwrap_or(&[]);
        if self.is_modern {
            check_continuation(bytes)?;
        }
        let found = prefix(bytes)?;
        if found == Prefix::Short {
            (self.state, self.needed_nbytes) = (DecoderState::Prefix, 8);
            return Ok(StreamEvent::Need);
        }
        if let StreamTarget::Bytes(stream_bytes) = &mut self.target {
            if bytes == b"FEA1" {
                return Err(feather_v1());
            }
            stream_bytes.push(bytes)?;
        }
        let Prefix::Message { nbytes, skip } = found else {
            let has_schema = self.keeps_bytes() || self.plan().is_some();
            return if has_schema {
                Ok(StreamEvent::End)
            } else {
                Err(Error::malformed("arrow", "expected a schema, found the end mark."))
            };
        };
        if !self.keeps_bytes() {
            check_header_nbytes(nbytes, &self.limits)?;
        }
        self.is_modern = skip == 8;
        self.piece_at += skip as u64;
        (self.state, self.filled, self.needed_nbytes) = (DecoderState::Header, 0, nbytes);
        Ok(StreamEvent::Need)
    }

    fn header(&mut self) -> Result<StreamEvent> {
        let mut head = std::mem::take(&mut self.small);
        head.truncate(self.needed_nbytes);
        let event = self.begin(&mut head);
        self.small = head;
        event
    }

    /// Begins the body with the header `head`.
    fn begin(&mut self, head: &mut [u8]) -> Result<StreamEvent> {
        let is_cached = if let StreamTarget::Frame(frame) = &mut self.target {
            frame.has_cached_schema(head)
        } else {
            false
        };
        // A cached schema was checked when it first arrived, and has no body; see `Schemas`.
        let found = match is_cached {
            true => VerifiedHeader { version: 0, kind: MessageKind::Schema, body_nbytes: 0 },
            false => header(head)?,
        };
        let is_kept = self.keeps_bytes();
        let body_nbytes = usize::try_from(found.body_nbytes).unwrap_or(usize::MAX);
        if !is_kept && found.body_nbytes > self.limits.max_nbytes {
            let message = format!(
                "a body of {} bytes, over the limit of {}. Raise max_nbytes to read it.",
                found.body_nbytes, self.limits.max_nbytes
            );
            return Err(Error::limit("arrow", message));
        }
        let receipt = match &mut self.target {
            StreamTarget::Batches(_) => BodyReceipt::Whole,
            StreamTarget::Frame(frame) => {
                let begun = frame.begin(head, &found, (self.received, body_nbytes), &self.limits);
                begun.map_err(|e| e.moved_to(self.piece_at))?
            }
            StreamTarget::Bytes(stream_bytes) => {
                stream_bytes.push(head)?;
                BodyReceipt::Segments(vec![BodySegment {
                    dest: SegmentTarget::StreamBytes,
                    at: stream_bytes.len(),
                    nbytes: body_nbytes,
                }])
            }
        };
        self.state = match receipt {
            BodyReceipt::Whole => {
                DecoderState::Whole(Box::new(WholeBody::new(head, found, body_nbytes, self.piece_at)?))
            }
            BodyReceipt::Segments(segments) => {
                self.segments = segments;
                self.segments.retain(|segment| segment.nbytes > 0);
                DecoderState::Segments { at: 0, done: 0 }
            }
        };
        // An empty body is complete at once.
        if self.takes(&mut 0) { self.piece() } else { Ok(StreamEvent::Need) }
    }

    fn next(&mut self) {
        self.segments.clear();
        self.piece_at = self.received;
        (self.state, self.filled, self.needed_nbytes) =
            (DecoderState::Prefix, 0, if self.is_modern { 8 } else { 4 });
    }
}
