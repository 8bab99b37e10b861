//! An opened file: one frame, ours or a foreign one, or a bundle of them.

use std::fs::File;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::header;
use super::read::own::{Opening, Own};
use crate::arrow::ranges::check_ranges;
use crate::cells::msgpack::column::FORMAT;
use crate::cells::msgpack::options::{Orient, ReadOptions};
use crate::cells::msgpack::skip::Skipper;
use crate::decode::Request;
use crate::error::{Error, Result};
use crate::frame::{Axis, Description, Frame, Tags};
use crate::infer::schemaless;
use crate::infer::schemaless::Layout;
use crate::memory::Buffer;
use crate::parallel::LOOK_NBYTES;
use crate::progress::{Progress, Silent};
use crate::shown::cut;

/// An opened file, buffer or message.
#[derive(Debug)]
pub struct Opened {
    bytes: Buffer,
    options: ReadOptions,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Our own columns: decoded when they are asked for.
    Own(Box<Own>),
    /// What had to be decoded to be described.
    Whole(Box<Whole>),
    /// Labels and extents of frames.
    Bundle(Vec<(String, Range<usize>)>),
}

/// A frame that is decoded.
#[derive(Debug)]
struct Whole {
    orient: Orient,
    version: Option<u64>,
    about: Description,
    /// Until the first who asks takes it: nobody else sees its memory.
    frame: Mutex<Option<Frame>>,
}

impl Whole {
    fn content(frame: Frame, orient: Orient, version: Option<u64>, options: &ReadOptions) -> Result<Content> {
        let about = Description::of(FORMAT, &frame, options.limits.max_nbytes)?;
        Ok(Content::Whole(Box::new(Self { orient, version, about, frame: Mutex::new(Some(frame)) })))
    }
}

/// One column of an opened frame, or one frame of a bundle.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its key.
    pub name: String,
    /// Bytes of its value as it lies; 0 where cells of several columns lie mixed.
    pub nbytes: u64,
    /// Offset of its value; 0 as above.
    pub offset: u64,
    /// Rows.
    pub nrows: usize,
}

impl Opened {
    /// Opens a regular file: mapped, or read where it is small or `mmap` is off.
    ///
    /// # Errors
    /// The system's own; as [`Opened::open_buffer`].
    pub fn open_file(file: File, mmap: bool, options: ReadOptions, progress: &dyn Progress) -> Result<Self> {
        let bytes = crate::formats::arrow::read::bytes_of(file, mmap, options.threads, progress)?;
        Self::open_buffer(bytes, options, progress)
    }

    /// Opens bytes in memory, which hold one value and nothing behind it. `progress` is told of what has to be decoded to be
    /// described.
    ///
    /// # Errors
    /// Malformed, truncated, over a limit, with place; `Cancelled` from `progress`.
    pub fn open_buffer(bytes: Buffer, options: ReadOptions, progress: &dyn Progress) -> Result<Self> {
        let content = match Own::open(&bytes, options, progress)? {
            Some(opening) => {
                if opening.end() < bytes.nbytes() {
                    return Err(trailing(bytes.nbytes() - opening.end(), opening.end()));
                }
                match opening {
                    Opening::Columns(own) => Content::Own(own),
                    Opening::Rows { frame, orient, .. } => {
                        Whole::content(*frame, orient, Some(header::VERSION), &options)?
                    }
                }
            }
            None => match schemaless::shape_of(bytes.as_slice(), 0, &options)? {
                Layout::Bundle(frames) => Content::Bundle(frames),
                Layout::Frame(orient) => {
                    let frame = schemaless::decode_with(bytes.as_slice(), 0, &options, progress)?;
                    Whole::content(frame, orient, None, &options)?
                }
            },
        };
        Ok(Self { bytes, options, content })
    }

    /// Whether it holds several frames.
    #[must_use]
    pub fn is_bundle(&self) -> bool {
        matches!(self.content, Content::Bundle(_))
    }

    /// Labels of a bundle; `None` of a frame.
    #[must_use]
    pub fn labels(&self) -> Option<Vec<String>> {
        match &self.content {
            Content::Bundle(frames) => Some(frames.iter().map(|(label, _)| label.clone()).collect()),
            _ => None,
        }
    }

    /// One frame of a bundle.
    ///
    /// # Errors
    /// `NotFound`; as [`Opened::open_buffer`].
    pub fn open_label(&self, label: &str, progress: &dyn Progress) -> Result<Self> {
        let missing = || Error::not_found(FORMAT, format!("frame {label:?} is not there."));
        let Content::Bundle(frames) = &self.content else { return Err(missing()) };
        let (_, extent) = frames.iter().find(|(name, _)| name == label).ok_or_else(missing)?;
        let bytes = self.bytes.slice(extent.start, extent.len()).ok_or_else(missing)?;
        Self::open_buffer(bytes, self.options, progress).map_err(|e| in_frame(e, label, extent.start))
    }

    /// Rows; 0 of a bundle.
    #[must_use]
    pub fn nrows(&self) -> usize {
        match &self.content {
            Content::Own(own) => own.shape().0,
            Content::Whole(whole) => whole.about.nrows,
            Content::Bundle(_) => 0,
        }
    }

    /// Columns; 0 of a bundle.
    #[must_use]
    pub fn ncols(&self) -> usize {
        match &self.content {
            Content::Own(own) => own.shape().1,
            Content::Whole(whole) => whole.about.columns.len(),
            Content::Bundle(_) => 0,
        }
    }

    /// Row labels.
    ///
    /// # Errors
    /// Malformed columns.
    pub fn index(&self) -> Result<Axis> {
        match &self.content {
            Content::Own(own) => own.index().cloned(),
            Content::Whole(whole) => Ok(whole.about.index.clone()),
            Content::Bundle(_) => Ok(Axis::range(0)),
        }
    }

    /// Column labels.
    #[must_use]
    pub fn columns(&self) -> Axis {
        match &self.content {
            Content::Own(own) => own.plan().columns.clone(),
            Content::Whole(whole) => whole.about.columns.clone(),
            Content::Bundle(_) => Axis::range(0),
        }
    }

    /// Name, attributes, origin; `None` of a bundle.
    #[must_use]
    pub fn tags(&self) -> Option<&Tags> {
        match &self.content {
            Content::Own(own) => Some(&own.plan().tags),
            Content::Whole(whole) => Some(&whole.about.tags),
            Content::Bundle(_) => None,
        }
    }

    /// Version of the header; `None` of a foreign frame.
    #[must_use]
    pub fn version(&self) -> Option<u64> {
        match &self.content {
            Content::Own(_) => Some(header::VERSION),
            Content::Whole(whole) => whole.version,
            Content::Bundle(_) => None,
        }
    }

    /// How the frame is laid out.
    #[must_use]
    pub fn orient(&self) -> Orient {
        match &self.content {
            Content::Whole(whole) => whole.orient,
            _ => Orient::Columns,
        }
    }

    /// Bytes of the source.
    #[must_use]
    pub fn file_nbytes(&self) -> u64 {
        self.bytes.nbytes() as u64
    }

    /// Bytes of data: decoded where they had to be, else as they lie.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        match &self.content {
            Content::Own(own) => own.places().map(|(_, _, nbytes)| nbytes as u64).sum(),
            Content::Whole(whole) => whole.about.nbytes,
            Content::Bundle(frames) => frames.iter().map(|(_, extent)| extent.len() as u64).sum(),
        }
    }

    /// One name a column: NumPy's where it is in a block, else Arrow's.
    #[must_use]
    pub fn dtypes(&self) -> Vec<String> {
        match &self.content {
            Content::Own(own) => own.dtypes(),
            Content::Whole(whole) => whole.about.dtypes.clone(),
            Content::Bundle(_) => Vec::new(),
        }
    }

    /// The columns, or the frames of a bundle, and where they lie.
    #[must_use]
    pub fn members(&self) -> Vec<Member> {
        let nrows = self.nrows();
        let member = |name: String, offset: usize, nbytes: usize| Member {
            name,
            nbytes: nbytes as u64,
            offset: offset as u64,
            nrows,
        };
        match &self.content {
            Content::Own(own) => {
                own.places().map(|(name, offset, nbytes)| member(name.to_owned(), offset, nbytes)).collect()
            }
            Content::Whole(whole) => {
                let columns = &whole.about.columns;
                let names = columns.strings().unwrap_or_default();
                let name = |i: usize| names.get(i).cloned().unwrap_or_else(|| i.to_string());
                (0..columns.len()).map(|i| member(name(i), 0, 0)).collect()
            }
            Content::Bundle(frames) => frames
                .iter()
                .map(|(label, extent)| member(label.clone(), extent.start, extent.len()))
                .collect(),
        }
    }

    /// The frame, or the part of it that is asked for, in memory of its own.
    ///
    /// # Errors
    /// Malformed columns; a position or row that is not there; the system's own.
    pub fn load(&self, request: &Request<'_>) -> Result<Frame> {
        match &self.content {
            Content::Own(own) => own.load(request),
            Content::Whole(whole) => {
                let kept = whole.frame.lock().unwrap_or_else(PoisonError::into_inner).take();
                let frame = kept.map_or_else(|| self.again(request.progress), Ok)?;
                frame.part(FORMAT, request.positions, request.rows)
            }
            Content::Bundle(frames) => {
                let label = |(label, _): &(String, Range<usize>)| cut(label, 40);
                let mut labels: Vec<String> = frames.iter().take(5).map(label).collect();
                if frames.len() > labels.len() {
                    labels.push("...".to_owned());
                }
                let message = format!(
                    "expected one frame, found a map of {} frames: {}. Open it with read_bundle, or say \
                     orient=\"columns\" where they are columns whose cells are maps.",
                    frames.len(),
                    labels.join(", ")
                );
                Err(Error::malformed(FORMAT, message))
            }
        }
    }

    /// The frame a second time.
    fn again(&self, progress: &dyn Progress) -> Result<Frame> {
        if let Some(Opening::Rows { frame, .. }) = Own::open(&self.bytes, self.options, progress)? {
            return Ok(*frame);
        }
        schemaless::decode_with(self.bytes.as_slice(), 0, &self.options, progress)
    }

    /// Decodes everything once.
    ///
    /// # Errors
    /// Malformed columns.
    pub fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()> {
        let request = Request::all(threads, progress);
        let whole = |opened: &Self| check_ranges(FORMAT, &opened.load(&request)?, 0);
        let Content::Bundle(frames) = &self.content else { return whole(self) };
        for (label, extent) in frames {
            // A bundle in a bundle is none: it is refused as a frame.
            let verified = whole(&self.open_label(label, &Silent(progress))?);
            verified.map_err(|e| in_frame(e, label, extent.start))?;
        }
        Ok(())
    }
}

/// An error inside one frame of a bundle, with its place in the whole.
fn in_frame(error: Error, label: &str, start: usize) -> Error {
    let inner = error.location().clone();
    let step = crate::cells::msgpack::column::step(label);
    let path = inner.member.unwrap_or_default();
    let offset = inner.offset.map(|offset| offset + start as u64);
    error.moved(format!("${step}{}", path.strip_prefix('$').unwrap_or(&path)), offset)
}

/// The same of a regular file.
///
/// # Errors
/// The system's own; as [`is_series`].
pub fn is_series_file(
    file: File,
    mmap: bool,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<bool> {
    is_series(
        &crate::formats::arrow::read::bytes_of(file, mmap, options.threads, progress)?,
        options,
        progress,
    )
}

/// Whether more stands behind the first value, which is not decoded. `progress` is looked at and told nothing.
///
/// # Errors
/// `Cancelled` from `progress`.
pub fn is_series(bytes: &Buffer, options: &ReadOptions, progress: &dyn Progress) -> Result<bool> {
    let is_columns = matches!(
        header::read(bytes.as_slice(), &options.limits),
        Ok(Some((head, ..))) if head.orient == Orient::Columns
    );
    let end = if is_columns {
        Own::open(bytes, *options, progress).ok().flatten().map(|opening| opening.end())
    } else {
        end_of(bytes.as_slice(), options.limits.max_depth, progress)?
    };
    Ok(end.is_some_and(|end| end < bytes.nbytes()))
}

/// Where the first value ends; `None` where it does not.
fn end_of(bytes: &[u8], depth: u64, progress: &dyn Progress) -> Result<Option<usize>> {
    let mut skipper = Skipper::new(depth);
    let mut end = 0;
    for piece in bytes.chunks(LOOK_NBYTES) {
        progress.look()?;
        let Ok(nbytes) = skipper.feed(piece) else { return Ok(None) };
        end += nbytes;
        if skipper.is_whole() {
            return Ok(Some(end));
        }
    }
    Ok(None)
}

fn trailing(nbytes: usize, at: usize) -> Error {
    let message = format!(
        "expected the end of the input, found {nbytes} bytes more. Where frames stand one behind the other, open_reader \
         reads them."
    );
    Error::malformed(FORMAT, message).at(at as u64)
}
