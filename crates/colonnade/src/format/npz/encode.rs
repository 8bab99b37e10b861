//! Frame to bytes.

use std::sync::{Mutex, PoisonError};

use crate::container::members::{Name, Planned, plan};
use crate::container::zip::{ZipWriter, central_len, end_len};
use crate::error::Result;
use crate::frame::Frame;
use crate::plan::{self as work, Progress, Task};
use crate::sink::Sink;

use super::layout::{Layout, spell};
use super::options::{Codec, WriteOptions};

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
    let cut = |position: usize| options.codec(Some(position)) as usize;
    let mut plans = Vec::with_capacity(frames.len());
    for (prefix, frame) in frames {
        plans.push((*prefix, plan(frame, options.compat, split, &cut)?));
    }
    let total = if compresses { None } else { Some(stored_total(&plans)) };
    let mut writer = ZipWriter::new(sink, options.threads, total, progress)?;
    for (prefix, members) in &plans {
        if compresses {
            compressed(&mut writer, prefix, members, options)?;
        } else {
            stored(&mut writer, prefix, members)?;
        }
    }
    writer.finish()
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

struct Packed {
    bytes: Vec<u8>,
    crc32: u32,
    codec: Codec,
}

fn compressed(
    writer: &mut ZipWriter<'_>,
    prefix: &str,
    members: &[Planned],
    options: &WriteOptions,
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
        let packed: Vec<Mutex<Option<Packed>>> = now.iter().map(|_| Mutex::new(None)).collect();
        let tasks = now.iter().zip(&packed).map(|(member, slot)| {
            Task::new(member.nbytes(), move || {
                let result = pack(member, options)?;
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = result;
                Ok(())
            })
        });
        work::run(tasks.collect(), options.threads, &work::NoProgress)?;
        for (member, slot) in now.iter().zip(packed) {
            let name = spell(&member.name, prefix, &mut name);
            match slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
                Some(Packed { bytes, crc32, codec }) => {
                    let nbytes = (member.head().len() + member.nbytes()) as u64;
                    writer.compressed(name, codec.method(), &bytes, nbytes, crc32)?;
                }
                None => {
                    let one = std::slice::from_ref(member);
                    let mut layout = Layout::new();
                    let local_len = layout.local_len(one, 0, name, writer.position());
                    writer.stored(name, local_len, layout.head(member), &member.data)?;
                }
            }
        }
        rest = later;
    }
    Ok(())
}

/// The member compressed, or `None` where it is not asked for or not worth it.
fn pack(member: &Planned, options: &WriteOptions) -> Result<Option<Packed>> {
    // The meta member stays readable with a pager.
    let codec = if member.name == Name::Meta { Codec::None } else { options.codec(member.position) };
    if codec == Codec::None {
        return Ok(None);
    }
    let head = member.head();
    let gathered;
    let array = match member.data.packed() {
        Some(bytes) => bytes,
        None => {
            let mut all = Vec::with_capacity(member.nbytes());
            member.data.chunks(&mut |bytes| {
                all.extend_from_slice(bytes);
                Ok(())
            })?;
            gathered = all;
            &gathered
        }
    };
    let bytes = options.compress(codec, &[&head, array])?;
    if bytes.len() > (head.len() + array.len()) / 100 * WORTH_PERCENT {
        return Ok(None);
    }
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head);
    crc.update(array);
    Ok(Some(Packed { bytes, crc32: crc.finalize(), codec }))
}
