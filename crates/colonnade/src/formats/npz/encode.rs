//! Encodes frames as an archive.

use std::cell::RefCell;

use crate::container::members::{MemberFilter, MemberName, PlannedMember, members, plan};
use crate::container::zip::{ZipWriter, central_len, end_len};
use crate::error::Result;
use crate::frame::{Block, DType, Frame, Grid};
use crate::memory::Buffer;
use crate::parallel;
use crate::parallel::{CANCEL_CHECK_NBYTES, Cancel};
use crate::progress::Progress;
use crate::sink::Sink;

use super::filter;
use super::layout::{ArchiveLayout, name_bytes};
use super::options::{FilterChoice, MemberCodec, WriteOptions};

/// Compressed 2-D arrays are split into members of about this size, so that all cores work.
const SPLIT_NBYTES: usize = 4 << 20;

/// Members compressed ahead of writing, in uncompressed bytes per thread.
const WINDOW_NBYTES: usize = 16 << 20;

/// A member is compressed only if it shrinks to at most this share.
const MAX_COMPRESSED_PERCENT: usize = 95;

/// Writes `frame` into `sink`, after the whole frame has been planned.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; errors of the sink.
pub fn encode(
    frame: &Frame,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<u64> {
    encode_all(&[("", frame)], options, sink, progress)
}

/// Writes several frames into one archive. Members' names start with their frame's prefix (`label/`).
///
/// # Errors
/// As [`encode`].
pub(super) fn encode_all(
    frames: &[(&str, &Frame)],
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<u64> {
    let compresses = options.compresses();
    let split = compresses.then_some(SPLIT_NBYTES);
    let member_kind =
        |position: usize| options.codec(Some(position)) as usize * 16 + filter_number(options, position);
    let mut plans = Vec::with_capacity(frames.len());
    for (prefix, frame) in frames {
        let planned = if options.filters() {
            filter::apply(members(frame, options.compat, split, &member_kind)?, options, progress)?
                .finish()?
        } else {
            plan(frame, options.compat, split, &member_kind)?
        };
        plans.push((*prefix, planned));
    }
    let total = if compresses { None } else { Some(stored_total(&plans)) };
    let mut writer = ZipWriter::new(sink, options.threads, total, progress)?;
    for (prefix, members) in &plans {
        if compresses {
            write_compressed(&mut writer, prefix, members, options, progress)?;
        } else {
            write_stored(&mut writer, prefix, members)?;
        }
    }
    writer.finish()
}

/// Returns a number that identifies the filter of a column, for grouping.
fn filter_number(options: &WriteOptions, position: usize) -> usize {
    match options.filter(Some(position)) {
        FilterChoice::Auto => 8,
        FilterChoice::One(filter) => filter as usize,
    }
}

/// Size of the finished file, from a dry run of the layout.
fn stored_total(plans: &[(&str, Vec<PlannedMember>)]) -> u64 {
    let (mut position, mut directory, mut count) = (0u64, 0u64, 0u64);
    let mut name = Vec::new();
    for (prefix, members) in plans {
        let mut layout = ArchiveLayout::new();
        for (i, member) in members.iter().enumerate() {
            let name = name_bytes(&member.name, prefix, &mut name);
            let nbytes = (layout.head(member).len() + member.nbytes()) as u64;
            directory += central_len(name, nbytes, position);
            position += layout.local_len(members, i, name, position) as u64 + nbytes;
            count += 1;
        }
    }
    position + directory + end_len(count, position, directory)
}

fn write_stored(writer: &mut ZipWriter<'_>, prefix: &str, members: &[PlannedMember]) -> Result<()> {
    let mut layout = ArchiveLayout::new();
    let mut name = Vec::new();
    for (i, member) in members.iter().enumerate() {
        let name = name_bytes(&member.name, prefix, &mut name);
        let local_len = layout.local_len(members, i, name, writer.position());
        writer.stored(name, local_len, layout.head(member), &member.data)?;
    }
    Ok(())
}

enum EncodedMember {
    /// Compressed bytes, and the CRC of the uncompressed ones.
    Compressed(Vec<u8>, u32, MemberCodec),
    /// The filtered array, which did not shrink.
    Filtered(Block),
    /// The array unchanged.
    Unchanged,
}

fn write_compressed(
    writer: &mut ZipWriter<'_>,
    prefix: &str,
    members: &[PlannedMember],
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<()> {
    let window_nbytes = WINDOW_NBYTES * options.threads.max(1);
    let mut rest = members;
    let mut name = Vec::new();
    while !rest.is_empty() {
        let mut nbytes = 0;
        let fits = |m: &&PlannedMember| {
            let first = nbytes == 0;
            nbytes += m.nbytes() + 1;
            first || nbytes <= window_nbytes
        };
        let (window, later) = rest.split_at(rest.iter().take_while(fits).count());
        let packed = parallel::map_cancellable(
            window,
            PlannedMember::nbytes,
            &|member, cancel| pack(member, options, cancel),
            options.threads,
            progress,
        )?;
        for (member, packed) in window.iter().zip(packed) {
            let name = name_bytes(&member.name, prefix, &mut name);
            let data = match packed {
                EncodedMember::Compressed(bytes, crc32, codec) => {
                    let nbytes = (member.head().len() + member.nbytes()) as u64;
                    writer.compressed(name, codec.method(), &bytes, nbytes, crc32)?;
                    continue;
                }
                EncodedMember::Filtered(data) => data,
                EncodedMember::Unchanged => member.data.clone(),
            };
            let group = std::slice::from_ref(member);
            let mut layout = ArchiveLayout::new();
            let local_len = layout.local_len(group, 0, name, writer.position());
            writer.stored(name, local_len, layout.head(member), &data)?;
        }
        rest = later;
    }
    Ok(())
}

/// Compresses a member if the options ask for it and it shrinks.
fn pack(member: &PlannedMember, options: &WriteOptions, cancel: Cancel<'_>) -> Result<EncodedMember> {
    // The meta member stays readable with a pager.
    let codec =
        if member.name == MemberName::Meta { MemberCodec::None } else { options.codec(member.position) };
    if codec == MemberCodec::None || member.stored {
        return Ok(EncodedMember::Unchanged);
    }
    if options.filters() {
        return pack_filtered(member, codec, options, cancel);
    }
    let head = member.head();
    let gathered;
    let array = match member.data.packed() {
        Some(bytes) => bytes,
        None => {
            let mut all = Vec::with_capacity(member.nbytes());
            member.data.chunks(&mut |bytes| {
                cancel()?;
                all.extend_from_slice(bytes);
                Ok(())
            })?;
            gathered = all;
            &gathered
        }
    };
    let bytes = options.compress(codec, &[&head, array], cancel)?;
    if !is_smaller(bytes.len(), head.len() + array.len()) {
        return Ok(EncodedMember::Unchanged);
    }
    Ok(EncodedMember::Compressed(bytes, crc_of(&[&head, array], cancel)?, codec))
}

/// The CRC of the concatenated `parts`.
pub(super) fn crc_of(parts: &[&[u8]], cancel: Cancel<'_>) -> Result<u32> {
    let mut crc = crc32fast::Hasher::new();
    for piece in parts.iter().flat_map(|part| part.chunks(CANCEL_CHECK_NBYTES)) {
        cancel()?;
        crc.update(piece);
    }
    Ok(crc.finalize())
}

fn is_smaller(packed_nbytes: usize, nbytes: usize) -> bool {
    packed_nbytes <= nbytes / 100 * MAX_COMPRESSED_PERCENT
}

/// Filters a member and compresses the result.
fn pack_filtered(
    member: &PlannedMember,
    codec: MemberCodec,
    options: &WriteOptions,
    cancel: Cancel<'_>,
) -> Result<EncodedMember> {
    thread_local! {
        static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    let mut scratch = SCRATCH.take();
    scratch.clear();
    filter::encode_member(member, &mut scratch, cancel)?;
    let bytes = options.compress_small(codec, &scratch, cancel)?;
    let packed = if is_smaller(bytes.len(), scratch.len()) {
        EncodedMember::Compressed(bytes, crc_of(&[&scratch], cancel)?, codec)
    } else if member.filter == MemberFilter::None {
        EncodedMember::Unchanged
    } else {
        let array = scratch.get(member.head().len()..).unwrap_or_default().to_vec();
        let grid = Grid::column_major(DType::BYTE, array.len(), 1, 0);
        EncodedMember::Filtered(Block { grid, buffer: Buffer::from_vec(array) })
    };
    if scratch.capacity() <= SPLIT_NBYTES * 2 {
        SCRATCH.set(scratch);
    }
    Ok(packed)
}
