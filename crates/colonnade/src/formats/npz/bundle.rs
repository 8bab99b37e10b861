//! Several frames in one archive: as inner archives, or as members behind labels.

use crate::container::zip::{LocalHeader, ZipWriter, aligned_len};
use crate::error::{Error, Result};
use crate::frame::{Block, DType, Frame, Grid};
use crate::memory::Buffer;
use crate::progress::{Progress, Share, Silent};
use crate::sink::Sink;

use super::encode::{crc_of, encode, encode_all};
use super::options::{Codec, WriteOptions};

/// Inner archives start on a page, so that what is aligned inside stays so in the outer one.
const PAGE: u32 = 4096;

/// One ZIP of `<label>/<member>`: StaticFrame's zip_npy.
///
/// # Errors
/// As `encode`.
pub fn encode_members(
    frames: &[(&str, &Frame)],
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let prefixes: Vec<String> = frames.iter().map(|(label, _)| format!("{label}/")).collect();
    let prefixed: Vec<(&str, &Frame)> =
        prefixes.iter().zip(frames).map(|(p, (_, f))| (p.as_str(), *f)).collect();
    encode_all(&prefixed, options, sink, progress).map(drop)
}

/// One ZIP of `<label>.npz`: StaticFrame's zip_npz. Each inner archive is built in memory first: its CRC stands before it.
///
/// # Errors
/// As `encode`.
pub fn encode_archives(
    frames: &[(&str, &Frame)],
    outer: Codec,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let silent = Silent(progress);
    let mut writer = ZipWriter::new(sink, options.threads, None, &silent)?;
    let shares = Share::each(progress, frames.iter().map(|(_, frame)| frame.nbytes()));
    for ((label, frame), share) in frames.iter().zip(&shares) {
        let named = |e: Error| e.in_member(*label);
        let mut inner = Vec::new();
        encode(frame, options, &mut inner, share).map_err(named)?;
        let name = format!("{label}.npz");
        if outer != Codec::None {
            let look = || share.look();
            let packed = options.compress(outer, &[&inner], &look)?;
            let crc = crc_of(&[&inner], &look)?;
            writer.compressed(name.as_bytes(), outer.method(), &packed, inner.len() as u64, crc)?;
            share.end()?;
            continue;
        }
        let nbytes = inner.len();
        let local = LocalHeader::stored(name.as_bytes(), nbytes as u64, 0);
        let length = aligned_len(local.min_len(), writer.position(), 0, PAGE);
        let data =
            Block { grid: Grid::column_major(DType::BYTE, nbytes, 1, 0), buffer: Buffer::from_vec(inner) };
        writer.stored(name.as_bytes(), length, &[], &data)?;
        share.end()?;
    }
    writer.finish().map(drop)
}
