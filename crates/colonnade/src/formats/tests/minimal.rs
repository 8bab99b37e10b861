//! A minimal but complete format. Adding a format takes only such a file and its registration.
//!
//! ```text
//! "7BIT\n" | a column of bytes below 128, to the end of the file
//! ```

use std::path::Path;

use crate::decode::Request;
use crate::error::{Error, Result};
use crate::formats::{
    Capabilities, Event, Fact, Facts, Format, FormatSpec, IncrementalReader, Loaded, Opened, Options,
    options_of,
};
use crate::frame::{Axis, Block, DType, Frame, Grid, Part, Tags};
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;

const MAGIC: &[u8] = b"7BIT\n";

static SPEC: FormatSpec = FormatSpec {
    name: "7bit",
    suffixes: &[".7bit"],
    magic: &[MAGIC],
    capabilities: Capabilities { incremental: true, projection: true, ..Capabilities::NONE },
};

pub(super) struct SevenBitFormat;

/// Options of reading and writing: none.
pub(super) struct NoOptions;

impl Format for SevenBitFormat {
    fn spec(&self) -> &'static FormatSpec {
        &SPEC
    }

    fn open(&self, source: Source<'_>, given: &Options, progress: &dyn Progress) -> Result<Box<dyn Opened>> {
        options_of::<NoOptions>(SPEC.name, given)?;
        let bytes = source.read(SPEC.name, &Limits::default(), 1, progress)?;
        Ok(Box::new(SevenBit(frame(bytes.as_slice().strip_prefix(MAGIC).ok_or_else(damaged)?)?)))
    }

    fn reader(&self, _: &Options, _: usize, _: Option<&Path>) -> Result<Box<dyn IncrementalReader>> {
        Ok(Box::new(SevenBitReader {
            room: vec![0; 64],
            waiting: Vec::new(),
            magic: MAGIC,
            is_finished: false,
        }))
    }

    fn encode(&self, frame: &Frame, _: &Options, sink: &mut dyn Sink, _: &dyn Progress) -> Result<()> {
        sink.write(MAGIC)?;
        Ok(sink.write(values(frame))?)
    }
}

fn damaged() -> Error {
    Error::malformed(SPEC.name, "expected \"7BIT\\n\" and bytes below 128.")
}

fn frame(values: &[u8]) -> Result<Frame> {
    let grid = Grid::column_major(DType::parse("|u1").ok_or_else(damaged)?, values.len(), 1, 0);
    let block = Block::new(grid, Buffer::from_vec(values.to_vec())).ok_or_else(damaged)?;
    let (index, columns) = (Axis::range(values.len()), Axis::range(1));
    Frame::new(index, columns, vec![Part::Block(block, vec![0])], Tags::unnamed().clone())
}

/// The bytes of a frame that [`frame`] created, or of a slice of it.
pub(super) fn values(frame: &Frame) -> &[u8] {
    let [Part::Block(block, _)] = &frame.parts[..] else { return &[] };
    &block.buffer.as_slice()[block.grid.offset..][..frame.nrows]
}

struct SevenBit(Frame);

impl Opened for SevenBit {
    fn format(&self) -> &'static str {
        SPEC.name
    }
    fn layout(&self) -> &'static str {
        "column"
    }
    fn shape(&self) -> Result<(usize, usize)> {
        Ok((self.0.nrows, 1))
    }
    fn index(&self) -> Result<Axis> {
        Ok(self.0.index.clone())
    }
    fn columns(&self) -> Result<Axis> {
        Ok(self.0.columns.clone())
    }
    fn tags(&self) -> Result<&Tags> {
        Ok(&self.0.tags)
    }
    fn dtypes(&self) -> Result<Vec<String>> {
        Ok(vec!["|u1".into()])
    }
    fn file_nbytes(&self) -> u64 {
        (self.0.nrows + MAGIC.len()) as u64
    }
    fn nbytes(&self) -> u64 {
        self.0.nrows as u64
    }
    fn load(&self, request: &Request<'_>) -> Result<Loaded> {
        let frame = self.0.clone().part(SPEC.name, request.positions, request.rows)?;
        Ok(Loaded { frame, private: false })
    }
    fn verify(&self, _: usize, _: &dyn Progress) -> Result<()> {
        if values(&self.0).is_ascii() { Ok(()) } else { Err(damaged()) }
    }
    fn members(&self) -> Result<Vec<Facts>> {
        Ok(vec![vec![("name", "values".into()), ("shape", Fact::Shape(vec![self.0.nrows]))]])
    }
}

struct SevenBitReader {
    room: Vec<u8>,
    waiting: Vec<u8>,
    /// The rest of the magic number that has not arrived yet.
    magic: &'static [u8],
    is_finished: bool,
}

impl IncrementalReader for SevenBitReader {
    fn room(&mut self) -> Result<&mut [u8]> {
        Ok(&mut self.room)
    }
    fn filled(&mut self, count: usize, _: &dyn Progress) -> Result<Event> {
        let (begin, rest) = self.room[..count].split_at(count.min(self.magic.len()));
        self.magic = self.magic.strip_prefix(begin).ok_or_else(damaged)?;
        self.waiting.extend(rest);
        Ok(match std::mem::take(&mut self.waiting) {
            come if !come.is_empty() => Event::Batch(Box::new(frame(&come)?)),
            _ if self.is_finished => Event::End,
            _ => Event::Need,
        })
    }
    fn finish(&mut self) -> Result<()> {
        self.is_finished = true;
        if self.magic.is_empty() { Ok(()) } else { Err(damaged()) }
    }
    fn schema(&self) -> Result<Option<Frame>> {
        frame(&[]).map(Some)
    }
}
