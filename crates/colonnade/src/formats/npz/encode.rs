//! Frame to bytes.

use std::cell::RefCell;

use crate::container::members::{Filter, Name, Planned, members, plan};
use crate::container::zip::{ZipWriter, central_len, end_len};
use crate::error::Result;
use crate::frame::{Block, DType, Frame, Grid};
use crate::memory::Buffer;
use crate::parallel as work;
use crate::parallel::{LOOK_NBYTES, Look};
use crate::progress::Progress;
use crate::sink::Sink;

use super::filter;
use super::layout::{Layout, spell};
use super::options::{Codec, Wanted, WriteOptions};

/// 2-D arrays are cut into members of about this size where they are compressed, so that all cores work.
const SPLIT_NBYTES: usize = 4 << 20;

/// Compressed members held at once, in uncompressed bytes a thread.
const WINDOW_NBYTES: usize = 16 << 20;

/// A member that does not shrink by a twentieth is stored.
const WORTH_PERCENT: usize = 95;

/// Writes `frame` into `sink`. Nothing is written before the whole plan stands.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; the sink's own.
pub fn encode(
    frame: &Frame,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<u64> {
    encode_all(&[("", frame)], options, sink, progress)
}

/// Writes several frames into one archive, each member's name behind its frame's prefix (`label/`).
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
    let cut = |position: usize| options.codec(Some(position)) as usize * 16 + kind(options, position);
    let mut plans = Vec::with_capacity(frames.len());
    for (prefix, frame) in frames {
        let planned = if options.filters() {
            filter::apply(members(frame, options.compat, split, &cut)?, options, progress)?.finish()?
        } else {
            plan(frame, options.compat, split, &cut)?
        };
        plans.push((*prefix, planned));
    }
    let total = if compresses { None } else { Some(stored_total(&plans)) };
    let mut writer = ZipWriter::new(sink, options.threads, total, progress)?;
    for (prefix, members) in &plans {
        if compresses {
            compressed(&mut writer, prefix, members, options, progress)?;
        } else {
            stored(&mut writer, prefix, members)?;
        }
    }
    writer.finish()
}

/// A number for the filter of a column.
fn kind(options: &WriteOptions, position: usize) -> usize {
    match options.filter(Some(position)) {
        Wanted::Auto => 8,
        Wanted::One(filter) => filter as usize,
    }
}

/// Bytes of the finished file: a dry run of the layout.
fn stored_total(plans: &[(&str, Vec<Planned>)]) -> u64 {
    let (mut position, mut directory, mut count) = (0u64, 0u64, 0u64);
    let mut name = Vec::new();
    for (prefix, members) in plans {
        let mut layout = Layout::new();
        for (i, member) in members.iter().enumerate() {
            let name = spell(&member.name, prefix, &mut name);
            let nbytes = (layout.head(member).len() + member.nbytes()) as u64;
            directory += central_len(name, nbytes, position);
            position += layout.local_len(members, i, name, position) as u64 + nbytes;
            count += 1;
        }
    }
    position + directory + end_len(count, position, directory)
}

fn stored(writer: &mut ZipWriter<'_>, prefix: &str, members: &[Planned]) -> Result<()> {
    let mut layout = Layout::new();
    let mut name = Vec::new();
    for (i, member) in members.iter().enumerate() {
        let name = spell(&member.name, prefix, &mut name);
        let local_len = layout.local_len(members, i, name, writer.position());
        writer.stored(name, local_len, layout.head(member), &member.data)?;
    }
    Ok(())
}

enum Packed {
    /// Compressed bytes, and the CRC of what they were.
    Compressed(Vec<u8>, u32, Codec),
    /// What the filter made, which did not shrink.
    Filtered(Block),
    /// Nothing was won.
    AsItIs,
}

fn compressed(
    writer: &mut ZipWriter<'_>,
    prefix: &str,
    members: &[Planned],
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<()> {
    let window = WINDOW_NBYTES * options.threads.max(1);
    let mut rest = members;
    let mut name = Vec::new();
    while !rest.is_empty() {
        let mut nbytes = 0;
        let fits = |m: &&Planned| {
            let first = nbytes == 0;
            nbytes += m.nbytes() + 1;
            first || nbytes <= window
        };
        let (now, later) = rest.split_at(rest.iter().take_while(fits).count());
        let packed = work::gather_looking(
            now,
            Planned::nbytes,
            &|member, look| pack(member, options, look),
            options.threads,
            progress,
        )?;
        for (member, packed) in now.iter().zip(packed) {
            let name = spell(&member.name, prefix, &mut name);
            let data = match packed {
                Packed::Compressed(bytes, crc32, codec) => {
                    let nbytes = (member.head().len() + member.nbytes()) as u64;
                    writer.compressed(name, codec.method(), &bytes, nbytes, crc32)?;
                    continue;
                }
                Packed::Filtered(data) => data,
                Packed::AsItIs => member.data.clone(),
            };
            let one = std::slice::from_ref(member);
            let mut layout = Layout::new();
            let local_len = layout.local_len(one, 0, name, writer.position());
            writer.stored(name, local_len, layout.head(member), &data)?;
        }
        rest = later;
    }
    Ok(())
}

/// The member compressed, where it is asked for and worth it.
fn pack(member: &Planned, options: &WriteOptions, look: Look<'_>) -> Result<Packed> {
    // The meta member stays readable with a pager.
    let codec = if member.name == Name::Meta { Codec::None } else { options.codec(member.position) };
    if codec == Codec::None || member.stored {
        return Ok(Packed::AsItIs);
    }
    if options.filters() {
        return pack_filtered(member, codec, options, look);
    }
    let head = member.head();
    let gathered;
    let array = match member.data.packed() {
        Some(bytes) => bytes,
        None => {
            let mut all = Vec::with_capacity(member.nbytes());
            member.data.chunks(&mut |bytes| {
                look()?;
                all.extend_from_slice(bytes);
                Ok(())
            })?;
            gathered = all;
            &gathered
        }
    };
    let bytes = options.compress(codec, &[&head, array], look)?;
    if !is_worth(bytes.len(), head.len() + array.len()) {
        return Ok(Packed::AsItIs);
    }
    Ok(Packed::Compressed(bytes, crc_of(&[&head, array], look)?, codec))
}

/// The CRC of `parts`, one after the other.
pub(super) fn crc_of(parts: &[&[u8]], look: Look<'_>) -> Result<u32> {
    let mut crc = crc32fast::Hasher::new();
    for piece in parts.iter().flat_map(|part| part.chunks(LOOK_NBYTES)) {
        look()?;
        crc.update(piece);
    }
    Ok(crc.finalize())
}

fn is_worth(packed_nbytes: usize, nbytes: usize) -> bool {
    packed_nbytes <= nbytes / 100 * WORTH_PERCENT
}

/// The same of a member that is made on the way.
fn pack_filtered(member: &Planned, codec: Codec, options: &WriteOptions, look: Look<'_>) -> Result<Packed> {
    thread_local! {
        static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    let mut room = ROOM.take();
    room.clear();
    filter::filtered(member, &mut room, look)?;
    let bytes = options.compress_alone(codec, &room, look)?;
    let packed = if is_worth(bytes.len(), room.len()) {
        Packed::Compressed(bytes, crc_of(&[&room], look)?, codec)
    } else if member.filter == Filter::None {
        Packed::AsItIs
    } else {
        let array = room.get(member.head().len()..).unwrap_or_default().to_vec();
        let grid = Grid::column_major(DType::BYTE, array.len(), 1, 0);
        Packed::Filtered(Block { grid, buffer: Buffer::from_vec(array) })
    };
    if room.capacity() <= SPLIT_NBYTES * 2 {
        ROOM.set(room);
    }
    Ok(packed)
}
