//! Changes of a ZIP archive: a field of its headers, a whole member, or the data of a member.

use std::ops::Range;

use super::bytes::{find, number_at, put_number, size_at, splice};
use super::random::Random;
use super::{member, npy};

pub(crate) const CENTRAL: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
const END: &[u8] = b"PK\x05\x06";
pub(crate) const CENTRAL_NBYTES: usize = 46;
const LOCAL_NBYTES: usize = 30;

/// Fields: offset in the central header, offset in the local header, bytes.
const FIELDS: &[(usize, Option<usize>, usize)] = &[
    (4, None, 2),
    (6, Some(4), 2),
    (FLAGS, Some(6), 2),
    (METHOD, Some(8), 2),
    (16, Some(14), 4),
    (20, Some(18), 4),
    (24, Some(22), 4),
    (20, Some(18), 4),
    (24, Some(22), 4),
    (28, Some(26), 2),
    (30, Some(28), 2),
    (32, None, 2),
    (34, None, 2),
    (38, None, 4),
    (OFFSET, None, 4),
    (OFFSET, None, 4),
];
const FLAGS: usize = 8;
const METHOD: usize = 10;
const OFFSET: usize = 42;
const METHODS: &[u64] = &[0, 8, 9, 12, 14, 93, 95, 99, 20];

/// A member, as its central header says.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) central: usize,
    pub(crate) central_end: usize,
    pub(crate) local: usize,
    pub(crate) method: u64,
    pub(crate) nbytes: usize,
    pub(crate) data: Range<usize>,
}

/// The members whose headers and data are within the file.
pub(crate) fn members(file: &[u8]) -> Vec<Member> {
    let (mut out, mut from) = (Vec::new(), 0);
    while let Some(at) = find(file, from, CENTRAL) {
        out.extend(member_at(file, at));
        from = at + CENTRAL.len();
    }
    out
}

fn member_at(file: &[u8], central: usize) -> Option<Member> {
    let field = |offset, width| size_at(file, central + offset, width);
    let local = field(OFFSET, 4)?;
    if !file.get(local..)?.starts_with(LOCAL) {
        return None;
    }
    let start = local + LOCAL_NBYTES + size_at(file, local + 26, 2)? + size_at(file, local + 28, 2)?;
    let data = start..start.checked_add(field(20, 4)?)?;
    file.get(data.clone())?;
    let central_end = central + CENTRAL_NBYTES + field(28, 2)? + field(30, 2)? + field(32, 2)?;
    file.get(central..central_end)?;
    let method = number_at(file, central + METHOD, 2)?;
    Some(Member { central, central_end, local, method, nbytes: field(24, 4)?, data })
}

/// One change; `None` if the file has no member, or the place has no room for it.
pub(crate) fn change(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let members = members(file);
    let member = random.pick(&members)?;
    match random.below(12) {
        0..=3 => {
            let mut out = file.to_vec();
            let stored: Vec<_> = members.iter().filter(|member| member.method == 0).collect();
            npy::change(out.get_mut(random.pick(&stored)?.data.clone())?, random)?;
            Some(out)
        }
        4..=6 => member::change(file, &members, member, random),
        7 => whole_member(file, &members, member, random),
        8 => end_field(file, random),
        _ => header_field(file, &members, member, random),
    }
}

/// A field in the central header, in the local header, or in both.
fn header_field(file: &[u8], members: &[Member], member: &Member, random: &mut Random) -> Option<Vec<u8>> {
    let mut out = file.to_vec();
    let (central, local, width) = *random.pick(FIELDS)?;
    let old = number_at(file, member.central + central, width)?;
    let new = match central {
        METHOD => *random.pick(METHODS)?,
        FLAGS => old ^ 1 << random.below(16),
        OFFSET if random.one_in(2) => random.pick(members)?.local as u64,
        _ => random.number_near(old),
    };
    let which = random.below(4);
    if which != 1 || local.is_none() {
        put_number(&mut out, member.central + central, width, new)?;
    }
    if let Some(local) = local.filter(|_| which != 0) {
        put_number(&mut out, member.local + local, width, new)?;
    }
    Some(out)
}

/// A field of the end record: disks, numbers of members, bytes and offset of the directory, length of the comment.
fn end_field(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut out = file.to_vec();
    let (offset, width) = [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)][random.below(7)];
    let at = end(file)? + offset;
    let new = random.number_near(number_at(file, at, width)?);
    put_number(&mut out, at, width, new)?;
    Some(out)
}

/// Position of the end record.
pub(crate) fn end(file: &[u8]) -> Option<usize> {
    file.windows(END.len()).rposition(|window| window == END)
}

/// Deletes or repeats a central header, with the end record made right; or gives a member the data of another one.
fn whole_member(file: &[u8], members: &[Member], member: &Member, random: &mut Random) -> Option<Vec<u8>> {
    let header = file.get(member.central..member.central_end)?;
    match random.below(3) {
        0 => directory(splice(file, &(member.central..member.central_end), &[])?, header.len(), false),
        1 => directory(splice(file, &(member.central..member.central), header)?, header.len(), true),
        _ => {
            let other = random.pick(members)?;
            let data = file.get(other.data.clone())?;
            member::replace(file, members, member, data, other.nbytes)
        }
    }
}

/// Makes the counts of the end record right for one header more or less.
fn directory(mut file: Vec<u8>, nbytes: usize, more: bool) -> Option<Vec<u8>> {
    let end = end(&file)?;
    for (offset, width, change) in [(8, 2, 1), (10, 2, 1), (12, 4, nbytes as u64)] {
        let old = number_at(&file, end + offset, width)?;
        let new = if more { old.wrapping_add(change) } else { old.wrapping_sub(change) };
        put_number(&mut file, end + offset, width, new)?;
    }
    Some(file)
}
