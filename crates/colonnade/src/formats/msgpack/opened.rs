//! An opened file: one frame, with or without our header, or a bundle of frames.

use super::header;
use super::read::with_header::{LocatedFrame, OpenedFrame};
use crate::arrow::ranges::check_ranges;
use crate::cells::msgpack::column::FORMAT;
use crate::cells::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::decode::{MemoryLayout, Request};
use crate::error::{Error, Result};
use crate::excerpt::shorten;
use crate::formats::{Fact, Facts, Loaded, Opened};
use crate::frame::{Axis, Description, Frame, FrameCache, Tags};
use crate::infer::schemaless;
use crate::infer::schemaless::SchemalessLayout;
use crate::memory::Buffer;
use crate::progress::{Progress, SignalsOnly};
use crate::source::Source;
use std::ops::Range;

/// An opened file, buffer or message.
#[derive(Debug)]
pub struct OpenedMsgpack {
    bytes: Buffer,
    options: ReadOptions,
    content: MsgpackContent,
}

#[derive(Debug)]
enum MsgpackContent {
    /// Columns after our header, which are decoded when they are requested.
    WithHeader(Box<LocatedFrame>),
    /// A frame that had to be decoded to be described.
    Whole(Box<DecodedFrame>),
    /// The labels and byte ranges of frames.
    Bundle(Vec<(String, Range<usize>)>),
}

/// A decoded frame.
#[derive(Debug)]
struct DecodedFrame {
    orient: MsgpackOrient,
    version: Option<u64>,
    description: Description,
    frame: FrameCache,
}

impl DecodedFrame {
    fn content(
        frame: Frame,
        orient: MsgpackOrient,
        version: Option<u64>,
        options: &ReadOptions,
    ) -> Result<MsgpackContent> {
        let description = Description::of(FORMAT, &frame, options.limits.max_nbytes)?;
        Ok(MsgpackContent::Whole(Box::new(Self {
            orient,
            version,
            description,
            frame: FrameCache::new(frame),
        })))
    }
}

impl OpenedMsgpack {
    /// Opens a source.
    ///
    /// # Errors
    /// Errors of the operating system; as [`OpenedMsgpack::open_buffer`].
    pub(super) fn open(source: Source<'_>, options: &ReadOptions, progress: &dyn Progress) -> Result<Self> {
        let is_reported = matches!(source, Source::Stream(_) | Source::Ranges(_));
        let bytes = source.read(FORMAT, &options.limits, options.threads, progress)?;
        // Reading has already reported the bytes, so decoding does not report from 0 again.
        let silent = SignalsOnly(progress);
        Self::open_buffer(bytes, *options, if is_reported { &silent } else { progress })
    }

    /// Opens bytes in memory, which must be exactly one value. Reports the bytes to `progress` if they must be decoded to
    /// be described.
    ///
    /// # Errors
    /// Malformed, truncated, over a limit, with the position; `Cancelled` from `progress`.
    pub fn open_buffer(bytes: Buffer, options: ReadOptions, progress: &dyn Progress) -> Result<Self> {
        let content = match LocatedFrame::open(&bytes, options, progress)? {
            Some(opening) => {
                if opening.end() < bytes.nbytes() {
                    return Err(trailing(bytes.nbytes() - opening.end(), opening.end()));
                }
                match opening {
                    OpenedFrame::Columns(located) => MsgpackContent::WithHeader(located),
                    OpenedFrame::Rows { frame, orient, .. } => {
                        DecodedFrame::content(*frame, orient, Some(header::VERSION), &options)?
                    }
                }
            }
            None => match schemaless::shape_of(bytes.as_slice(), 0, &options)? {
                SchemalessLayout::Bundle(frames) => {
                    let end = frames.last().map_or(0, |(_, extent)| extent.end);
                    if end < bytes.nbytes() {
                        return Err(trailing(bytes.nbytes() - end, end));
                    }
                    MsgpackContent::Bundle(frames)
                }
                SchemalessLayout::Frame(orient) => {
                    let frame = schemaless::decode_with(bytes.as_slice(), 0, &options, progress)?;
                    DecodedFrame::content(frame, orient, None, &options)?
                }
            },
        };
        Ok(Self { bytes, options, content })
    }

    /// Opens one frame of a bundle.
    ///
    /// # Errors
    /// `NotFound`; as [`OpenedMsgpack::open_buffer`].
    fn part(&self, label: &str, progress: &dyn Progress) -> Result<Self> {
        let missing = || Error::not_found(FORMAT, format!("no frame labelled {label:?} in the bundle."));
        let MsgpackContent::Bundle(frames) = &self.content else { return Err(missing()) };
        let (_, extent) = frames.iter().find(|(name, _)| name == label).ok_or_else(missing)?;
        let bytes = self.bytes.slice(extent.start, extent.len()).ok_or_else(missing)?;
        Self::open_buffer(bytes, self.options, progress).map_err(|e| in_frame(e, label, extent.start))
    }

    /// Decodes the frame again.
    fn again(&self, progress: &dyn Progress) -> Result<Frame> {
        if let Some(OpenedFrame::Rows { frame, .. }) =
            LocatedFrame::open(&self.bytes, self.options, progress)?
        {
            return Ok(*frame);
        }
        schemaless::decode_with(self.bytes.as_slice(), 0, &self.options, progress)
    }
}

impl Opened for OpenedMsgpack {
    fn format(&self) -> &'static str {
        FORMAT
    }

    fn kind(&self) -> &'static str {
        if matches!(self.content, MsgpackContent::Bundle(_)) { "bundle" } else { "frame" }
    }

    fn layout(&self) -> &'static str {
        FORMAT
    }

    fn shape(&self) -> Result<(usize, usize)> {
        Ok(match &self.content {
            MsgpackContent::WithHeader(located) => located.shape(),
            MsgpackContent::Whole(whole) => (whole.description.nrows, whole.description.columns.len()),
            MsgpackContent::Bundle(_) => (0, 0),
        })
    }

    fn index(&self) -> Result<Axis> {
        match &self.content {
            MsgpackContent::WithHeader(located) => located.index().cloned(),
            MsgpackContent::Whole(whole) => Ok(whole.description.index.clone()),
            MsgpackContent::Bundle(_) => Ok(Axis::range(0)),
        }
    }

    fn columns(&self) -> Result<Axis> {
        Ok(match &self.content {
            MsgpackContent::WithHeader(located) => located.plan().columns.clone(),
            MsgpackContent::Whole(whole) => whole.description.columns.clone(),
            MsgpackContent::Bundle(_) => Axis::range(0),
        })
    }

    fn tags(&self) -> Result<&Tags> {
        Ok(match &self.content {
            MsgpackContent::WithHeader(located) => &located.plan().tags,
            MsgpackContent::Whole(whole) => &whole.description.tags,
            MsgpackContent::Bundle(_) => Tags::unnamed(),
        })
    }

    fn dtypes(&self) -> Result<Vec<String>> {
        Ok(match &self.content {
            MsgpackContent::WithHeader(located) => located.dtypes(),
            MsgpackContent::Whole(whole) => whole.description.dtypes.clone(),
            MsgpackContent::Bundle(_) => Vec::new(),
        })
    }

    fn version(&self) -> Option<u64> {
        match &self.content {
            MsgpackContent::WithHeader(_) => Some(header::VERSION),
            MsgpackContent::Whole(whole) => whole.version,
            MsgpackContent::Bundle(_) => None,
        }
    }

    fn file_nbytes(&self) -> u64 {
        self.bytes.nbytes() as u64
    }

    /// The decoded size if everything had to be decoded, else the stored size.
    fn nbytes(&self) -> u64 {
        match &self.content {
            MsgpackContent::WithHeader(located) => located.places().map(|(_, _, nbytes)| nbytes as u64).sum(),
            MsgpackContent::Whole(whole) => whole.description.nbytes,
            MsgpackContent::Bundle(frames) => frames.iter().map(|(_, extent)| extent.len() as u64).sum(),
        }
    }

    fn load(&self, request: &Request<'_>) -> Result<Loaded> {
        match &self.content {
            MsgpackContent::WithHeader(located) => Ok(Loaded::new(located.load(request)?, request)),
            MsgpackContent::Whole(whole) => {
                let is_part = request.positions.is_some() || request.rows.is_some();
                let (frame, private) = match whole.frame.take(is_part, request.private) {
                    Some(taken) => taken,
                    None => (self.again(request.progress)?, request.private),
                };
                Ok(Loaded { frame: frame.part(FORMAT, request.positions, request.rows)?, private })
            }
            MsgpackContent::Bundle(frames) => Err(is_bundle(frames)),
        }
    }

    /// Decodes everything once; for a bundle, every frame.
    fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()> {
        let request = Request::all(threads, progress);
        let whole = |opened: &Self| {
            check_ranges(FORMAT, &opened.load(&request)?.frame, 0)?;
            // Only pandas' layout needs the nulls that a header declares.
            if let MsgpackContent::WithHeader(found) = &opened.content
                && found.declares_nulls()
            {
                opened.load(&Request { layout: MemoryLayout::Pandas, ..Request::all(threads, progress) })?;
            }
            Ok(())
        };
        let MsgpackContent::Bundle(frames) = &self.content else { return whole(self) };
        for (label, extent) in frames {
            // A bundle inside a bundle is refused as a frame.
            let verified = whole(&self.part(label, &SignalsOnly(progress))?);
            verified.map_err(|e| in_frame(e, label, extent.start))?;
        }
        Ok(())
    }

    /// Describes each column, or each frame of a bundle; without a position if cells of several columns are interleaved.
    fn members(&self) -> Result<Vec<Facts>> {
        let nrows = self.shape()?.0;
        let member = |name: &str, offset: usize, nbytes: usize| -> Facts {
            vec![
                ("name", name.to_owned().into()),
                ("method", "stored".into()),
                ("nbytes", nbytes.into()),
                ("compressed_nbytes", nbytes.into()),
                ("offset", offset.into()),
                ("crc32", Fact::None),
                ("descr", Fact::None),
                ("fortran_order", Fact::None),
                ("shape", Fact::Shape(vec![nrows])),
            ]
        };
        Ok(match &self.content {
            MsgpackContent::WithHeader(located) => {
                located.places().map(|(name, offset, nbytes)| member(name, offset, nbytes)).collect()
            }
            MsgpackContent::Whole(whole) => {
                let columns = &whole.description.columns;
                let names = columns.strings().unwrap_or_default();
                let name = |i: usize| names.get(i).cloned().unwrap_or_else(|| i.to_string());
                (0..columns.len()).map(|i| member(&name(i), 0, 0)).collect()
            }
            MsgpackContent::Bundle(frames) => {
                frames.iter().map(|(label, extent)| member(label, extent.start, extent.len())).collect()
            }
        })
    }

    fn facts(&self) -> Facts {
        let orient = match &self.content {
            MsgpackContent::Whole(whole) => whole.orient,
            _ => MsgpackOrient::Columns,
        };
        vec![("orient", orient.name().into())]
    }

    fn labels(&self) -> Result<Vec<String>> {
        let MsgpackContent::Bundle(frames) = &self.content else { return Ok(Vec::new()) };
        Ok(frames.iter().map(|(label, _)| label.clone()).collect())
    }

    fn open_label(&self, label: &str, progress: &dyn Progress) -> Result<Box<dyn Opened>> {
        Ok(Box::new(self.part(label, progress)?))
    }
}

/// The error of reading a bundle as one frame.
fn is_bundle(frames: &[(String, Range<usize>)]) -> Error {
    let mut labels: Vec<String> = frames.iter().take(5).map(|(label, _)| shorten(label, 40)).collect();
    if frames.len() > labels.len() {
        labels.push("...".to_owned());
    }
    let message = format!(
        "expected one frame, found a map of {} frames: {}. Open it with read_bundle, or say orient=\"columns\" where they are \
         columns whose cells are maps.",
        frames.len(),
        labels.join(", ")
    );
    Error::malformed(FORMAT, message)
}

/// Adds the frame of a bundle to an error, and converts its offset to one in the whole.
fn in_frame(error: Error, label: &str, start: usize) -> Error {
    let inner = error.location().clone();
    let step = crate::cells::msgpack::column::step(label);
    let path = inner.member.unwrap_or_default();
    let offset = inner.offset.map(|offset| offset + start as u64);
    error.moved(format!("${step}{}", path.strip_prefix('$').unwrap_or(&path)), offset)
}

fn trailing(nbytes: usize, at: usize) -> Error {
    let message = format!(
        "expected the end of the input, found {nbytes} bytes more. Where frames stand one behind the other, open_reader \
         reads them."
    );
    Error::malformed(FORMAT, message).at(at as u64)
}
