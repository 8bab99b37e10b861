//! What an opened text holds: the text, what it says, and the frame until somebody takes it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use colonnade::arrow::ranges::check_ranges;
use colonnade::codec::packed::{Codec, Growth, Unpacking, unpacked};
use colonnade::frame::Frame;
use colonnade::limits::StreamLimit;
use colonnade::memory::{Buffer, read_to_end};
use colonnade::text::described::Described;

use super::formats::Reading;
use crate::frame::CoreFrame;
use crate::progress::PyProgress;

/// Decoded once to be described: the frame waits for the first who asks for all of it, whose memory it becomes.
pub(super) struct Opened {
    /// All of it, of which a bundle's frame is a part.
    text: Buffer,
    pub(super) text_nbytes: u64,
    pub(super) reading: Reading,
    pub(super) packing: Option<Codec>,
    pub(super) file_nbytes: u64,
    content: Content,
}

/// A frame waits for the first who wants it whole. Parts of it that were handed out lie in its memory: the second word
/// says so.
type Waiting = Mutex<Option<(Frame, bool)>>;

enum Content {
    Frame(Box<(Described, Waiting)>),
    /// Labels, and where each frame's text stands.
    Bundle(Vec<(String, std::ops::Range<usize>)>),
}

impl Opened {
    pub(super) fn new(bytes: Buffer, reading: Reading, progress: &PyProgress) -> colonnade::Result<Self> {
        let file_nbytes = bytes.nbytes() as u64;
        let (text, packing) = unpacked(reading.format(), bytes, reading.limits(), progress)?;
        let text_nbytes = text.nbytes() as u64;
        Self::of_text(text, text_nbytes, reading, packing, file_nbytes, progress)
    }

    /// Of a stream: its size is known at its end.
    pub(super) fn from_stream(
        stream: &mut (dyn std::io::Read + Send),
        reading: Reading,
        progress: &PyProgress,
    ) -> colonnade::Result<Self> {
        let (format, count) = (reading.format(), AtomicU64::new(0));
        let (mut limit, mut growth) = (StreamLimit::new(reading.limits()), Growth::new(reading.limits()));
        let mut unpacking = Unpacking::new(Counted { source: stream, count: &count });
        let mut check = |text: &[u8]| {
            limit.check(format, text.len() as u64)?;
            growth.check(format, text, count.load(Ordering::Relaxed))
        };
        let text = read_to_end(&mut unpacking, &mut check, progress)?;
        let packing = unpacking.codec();
        let (text_nbytes, file_nbytes) = (text.nbytes() as u64, count.load(Ordering::Relaxed));
        Self::of_text(text, text_nbytes, reading, packing, file_nbytes, progress)
    }

    fn of_text(
        text: Buffer,
        text_nbytes: u64,
        reading: Reading,
        packing: Option<Codec>,
        file_nbytes: u64,
        progress: &PyProgress,
    ) -> colonnade::Result<Self> {
        let content = match reading.bundle(&text, progress)? {
            Some(frames) => Content::Bundle(frames),
            None => {
                let decoded = reading.decode(&text, progress)?;
                let described = Described::of(reading.format(), &decoded, reading.limits())?;
                Content::Frame(Box::new((described, Mutex::new(Some((decoded.frame, false))))))
            }
        };
        Ok(Self { text, text_nbytes, reading, packing, file_nbytes, content })
    }

    pub(super) fn described(&self) -> Option<&Described> {
        match &self.content {
            Content::Frame(held) => Some(&held.0),
            Content::Bundle(_) => None,
        }
    }

    pub(super) fn load(
        &self,
        positions: Option<&[usize]>,
        rows: Option<(usize, usize)>,
        private: bool,
        progress: &PyProgress,
    ) -> colonnade::Result<CoreFrame> {
        let Content::Frame(held) = &self.content else { return Err(self.reading.is_bundle(&self.labels())) };
        let partial = !private && (positions.is_some() || rows.is_some());
        let kept = {
            let mut kept = held.1.lock().unwrap_or_else(PoisonError::into_inner);
            if partial && let Some((_, seen)) = &mut *kept {
                *seen = true;
            }
            if partial { kept.clone() } else { kept.take() }
        };
        let (frame, seen) = match kept {
            Some(kept) => kept,
            None => (self.reading.decode(&self.text, progress)?.frame, false),
        };
        let part = frame.part(self.reading.format(), positions, rows)?;
        Ok(CoreFrame::alone(part, private && !seen))
    }

    /// Looks for values that their types have no room for; of a bundle there are none here.
    pub(super) fn verify(&self, progress: &PyProgress) -> colonnade::Result<()> {
        let Content::Frame(held) = &self.content else { return Ok(()) };
        let kept =
            held.1.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(frame, _)| frame.clone());
        let frame = match kept {
            Some(frame) => frame,
            None => self.reading.decode(&self.text, progress)?.frame,
        };
        check_ranges(self.reading.format(), &frame, 0)
    }

    pub(super) fn labels(&self) -> Vec<String> {
        match &self.content {
            Content::Frame(_) => Vec::new(),
            Content::Bundle(frames) => frames.iter().map(|(label, _)| label.clone()).collect(),
        }
    }

    pub(super) fn open_label(&self, label: &str, progress: &PyProgress) -> colonnade::Result<Self> {
        let missing =
            || colonnade::Error::not_found(self.reading.format(), format!("frame {label:?} is not there."));
        let Content::Bundle(frames) = &self.content else { return Err(missing()) };
        let (_, extent) = frames.iter().find(|(name, _)| name == label).ok_or_else(missing)?;
        let (reading, nbytes) = (self.reading.of_part(extent), extent.len() as u64);
        Self::of_text(self.text.clone(), nbytes, reading, self.packing, nbytes, progress).map_err(|e| {
            let inner = e.location().clone();
            let member = inner.member.map_or_else(|| label.to_owned(), |place| format!("{label}: {place}"));
            e.moved(member, inner.offset)
        })
    }
}

/// A source whose bytes are counted: of a packed stream the size is known at its end.
struct Counted<'a> {
    source: &'a mut (dyn std::io::Read + Send),
    count: &'a AtomicU64,
}

impl std::io::Read for Counted<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let count = self.source.read(room)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
