//! Bundles: several frames in one archive, as inner archives or as members prefixed with labels.

use crate::container::store::check_label;
use crate::container::zip::{LocalHeader, ZipWriter, aligned_len};
use crate::error::{Error, Result};
use crate::frame::{Block, DType, Frame, Grid};
use crate::memory::Buffer;
use crate::progress::{Progress, Share, SignalsOnly};
use crate::sink::Sink;

use super::encode::{crc_of, encode, encode_all};
use super::options::{BundleLayout, MemberCodec, WriteOptions};

/// Inner archives start on a page, so that their alignment also holds in the outer archive.
const PAGE: u32 = 4096;

/// Longest label in bytes: it is part of names in a ZIP, which have at most 65,535.
const MAX_LABEL_NBYTES: usize = 65_000;

/// Writes several frames into one ZIP, in the layout of the options.
///
/// # Errors
/// `Unrepresentable`: a label that cannot be part of a name in a ZIP. `InvalidOption`: a duplicate label. As `encode`.
pub fn encode_bundle(
    frames: &[(String, Frame)],
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    check_labels(frames)?;
    let frames: Vec<(&str, &Frame)> = frames.iter().map(|(label, frame)| (label.as_str(), frame)).collect();
    match options.bundle() {
        (BundleLayout::Archives, outer) => encode_archives(&frames, outer, options, sink, progress),
        (BundleLayout::Members, outer) => encode_members(&frames, &options.with_outer(outer), sink, progress),
    }
}

/// Checks the labels of a bundle, before anything is written.
///
/// # Errors
/// `Unrepresentable`: a label that cannot be part of a name in a ZIP. `InvalidOption`: a duplicate label.
pub(super) fn check_labels(frames: &[(String, Frame)]) -> Result<()> {
    let mut labels: Vec<&str> = frames.iter().map(|(label, _)| label.as_str()).collect();
    for label in &labels {
        check_label(label).map_err(|e| Error::unrepresentable("npz", e.message()))?;
        if label.len() > MAX_LABEL_NBYTES {
            let message = format!(
                "expected labels of at most {MAX_LABEL_NBYTES} bytes, as they are part of names in a ZIP, found one of {}.",
                label.len()
            );
            return Err(Error::unrepresentable("npz", message));
        }
    }
    labels.sort_unstable();
    match labels.windows(2).find(|w| w.first() == w.last()).and_then(|w| w.first()) {
        Some(label) => {
            Err(Error::invalid_option("npz", format!("expected each label once, found {label:?} twice.")))
        }
        None => Ok(()),
    }
}

/// Writes one ZIP of `<label>/<member>`: StaticFrame's zip_npy.
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
    let named_frames: Vec<(&str, &Frame)> =
        prefixes.iter().zip(frames).map(|(p, (_, f))| (p.as_str(), *f)).collect();
    encode_all(&named_frames, options, sink, progress).map(drop)
}

/// Writes one ZIP of `<label>.npz`: StaticFrame's zip_npz. Each inner archive is built in memory, because its CRC precedes it.
///
/// # Errors
/// As `encode`.
pub fn encode_archives(
    frames: &[(&str, &Frame)],
    outer: MemberCodec,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let silent = SignalsOnly(progress);
    let mut writer = ZipWriter::new(sink, options.threads, None, &silent)?;
    let shares = Share::each(progress, frames.iter().map(|(_, frame)| frame.nbytes()));
    for ((label, frame), share) in frames.iter().zip(&shares) {
        let named = |e: Error| e.in_member(*label);
        let mut inner = Vec::new();
        encode(frame, options, &mut inner, share).map_err(named)?;
        let name = format!("{label}.npz");
        if outer != MemberCodec::None {
            let cancel = || share.check();
            let packed = options.compress(outer, &[&inner], &cancel)?;
            let crc = crc_of(&[&inner], &cancel)?;
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
