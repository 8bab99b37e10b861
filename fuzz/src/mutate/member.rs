//! Changes of the data of a ZIP member, also behind its compression. Sizes, CRC and offsets are made right.

use super::bytes::{moved, number_at, put_number, scramble, splice};
use super::codec::Codec;
use super::random::Random;
use super::zip::{Member, end};
use super::{json, npy};

/// Changes the decompressed data: an NPY header, JSON, or any bytes.
pub(crate) fn change(
    file: &[u8],
    members: &[Member],
    member: &Member,
    random: &mut Random,
) -> Option<Vec<u8>> {
    let codec = match member.method {
        0 => Codec::None,
        8 => Codec::Deflate,
        93 => Codec::Zstd,
        _ => return None,
    };
    let mut data = codec.unpack(file.get(member.data.clone())?, member.nbytes)?;
    match npy::data_offset(&data).filter(|_| !random.one_in(8)) {
        Some(_) if random.one_in(3) => npy::change(&mut data, random)?,
        Some(start) => {
            let mut elements = data.split_off(start);
            scramble(&mut elements, random);
            data.extend(elements);
        }
        None if !random.one_in(4) && json::change(&mut data, random).is_some() => {}
        None => scramble(&mut data, random),
    }
    let mut out = replace(file, members, member, &codec.pack(&data)?, data.len())?;
    let crc = u64::from(crc32fast::hash(&data));
    // The data of a member lies before the directory or, in damaged archives, after it.
    let [central, local] =
        [member.central, member.local].map(|place| moved_place(place, member, out.len(), file.len()));
    put_number(&mut out, central + 16, 4, crc)?;
    put_number(&mut out, local + 14, 4, crc)?;
    Some(out)
}

/// Gives a member these stored bytes, which decompress to `nbytes`.
pub(crate) fn replace(
    file: &[u8],
    members: &[Member],
    member: &Member,
    stored: &[u8],
    nbytes: usize,
) -> Option<Vec<u8>> {
    let mut out = splice(file, &member.data, stored)?;
    let (old, new) = (file.len(), out.len());
    for other in members.iter().filter(|other| other.local >= member.data.end) {
        let place = moved_place(other.central, member, new, old);
        put_number(&mut out, place + 42, 4, moved(other.local as u64, old, new))?;
    }
    let central = moved_place(member.central, member, new, old);
    let local = moved_place(member.local, member, new, old);
    // A local header whose sizes are all ones has them in its extra field: its tag, its length, then both sizes.
    let is_long = number_at(&out, local + 22, 4)? == 0xFFFF_FFFF;
    let extra = local + 30 + usize::try_from(number_at(&out, local + 26, 2)?).ok()? + 4;
    for (offset, number, place) in [(24, nbytes, extra), (20, stored.len(), extra + 8)] {
        put_number(&mut out, central + offset, 4, number as u64)?;
        match is_long {
            true => put_number(&mut out, place, 8, number as u64)?,
            false => put_number(&mut out, local + offset - 2, 4, number as u64)?,
        }
    }
    if let Some(end) = end(&out)
        && let Some(start) = number_at(&out, end + 16, 4)
        && start >= member.data.end as u64
    {
        put_number(&mut out, end + 16, 4, moved(start, old, new))?;
    }
    Some(out)
}

/// Where a byte of the old file is in the new one.
fn moved_place(place: usize, member: &Member, new: usize, old: usize) -> usize {
    if place < member.data.end { place } else { place.saturating_add(new).saturating_sub(old) }
}
