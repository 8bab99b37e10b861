//! Changes of the messages of an Arrow stream or file: words of their metadata, their bodies, and their order.

use std::ops::Range;

use super::bytes::{moved, number_at, put_number, size_at};
use super::json;
use super::random::Random;

/// The start of a file. A stream begins with a message.
const MAGIC: &[u8] = b"ARROW1\0\0";
const MOST_MESSAGES: usize = 1024;

/// An encapsulated message. One without metadata is the end of a stream.
#[derive(Clone, Debug)]
pub(crate) struct Encapsulated {
    pub(crate) start: usize,
    pub(crate) metadata: Range<usize>,
    pub(crate) body: Range<usize>,
}

/// The messages up to the first bytes that are none.
pub(crate) fn messages(file: &[u8]) -> Vec<Encapsulated> {
    let mut at = if file.starts_with(MAGIC) { MAGIC.len() } else { 0 };
    let mut out: Vec<Encapsulated> = Vec::new();
    while let Some(message) = message_at(file, at).filter(|_| out.len() < MOST_MESSAGES) {
        at = message.body.end;
        out.push(message);
    }
    out
}

fn message_at(file: &[u8], at: usize) -> Option<Encapsulated> {
    if number_at(file, at, 4)? != 0xFFFF_FFFF {
        return None;
    }
    let start = at + 8;
    let end = start.checked_add(size_at(file, at + 4, 4)?)?;
    let metadata = file.get(start..end)?;
    let nbytes = if metadata.is_empty() { 0 } else { body_nbytes(metadata)? };
    let body = end..end.checked_add(nbytes)?;
    file.get(body.clone())?;
    Some(Encapsulated { start: at, metadata: start..end, body })
}

/// The fourth field of the table `Message`; 0 if it is not there.
fn body_nbytes(metadata: &[u8]) -> Option<usize> {
    let table = size_at(metadata, 0, 4)?;
    let back = u32::try_from(number_at(metadata, table, 4)?).ok()?.cast_signed();
    let vtable = usize::try_from(i64::try_from(table).ok()? - i64::from(back)).ok()?;
    if size_at(metadata, vtable, 2)? < 12 {
        return Some(0);
    }
    match size_at(metadata, vtable.checked_add(10)?, 2)? {
        0 => Some(0),
        offset => size_at(metadata, table.checked_add(offset)?, 8),
    }
}

/// One change; `None` if the file has no message.
pub(crate) fn change(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let all = messages(file);
    let messages: Vec<_> = all.iter().filter(|message| !message.metadata.is_empty()).collect();
    let message = random.pick(&messages)?;
    let mut out = file.to_vec();
    match random.below(16) {
        0..=6 => change_metadata(out.get_mut(message.metadata.clone())?, random)?,
        7 | 8 => footer_word(&mut out, all.last()?.body.end, random)
            .or_else(|| change_metadata(out.get_mut(message.metadata.clone())?, random))?,
        9 => {
            let at = message.start + 4 * random.below(2);
            let number = random.number_near(number_at(file, at, 4)?);
            put_number(&mut out, at, 4, number)?;
        }
        10..=12 => {
            let bodies: Vec<_> = messages.iter().filter(|message| !message.body.is_empty()).collect();
            word(out.get_mut(random.pick(&bodies)?.body.clone())?, random)?;
        }
        _ => return reorder(file, &all, random),
    }
    Some(out)
}

/// Changes a word of the metadata, or a token of JSON in it.
pub(crate) fn change_metadata(metadata: &mut [u8], random: &mut Random) -> Option<()> {
    match random.one_in(5).then(|| json::change(metadata, random)).flatten() {
        Some(()) => Some(()),
        None => word(metadata, random),
    }
}

/// Overwrites an aligned word with a number at which code changes its way, or with another word.
fn word(bytes: &mut [u8], random: &mut Random) -> Option<()> {
    let width = [4, 4, 2, 8][random.below(4)];
    let count = bytes.len() / width;
    // Offsets and lengths of buffers and tables are more often small numbers than the text between them is.
    let small = (0..8)
        .map(|_| random.below(count) * width)
        .find(|at| number_at(bytes, *at, width).is_some_and(|word| word < 1 << 12));
    let at = small.unwrap_or_else(|| random.below(count) * width);
    let old = number_at(bytes, at, width)?;
    let new = match random.below(4) {
        0 => number_at(bytes, random.below(count) * width, width)?,
        1 => random.number(),
        _ => random.number_near(old),
    };
    put_number(bytes, at, width, new)
}

/// A word of what follows the messages: the footer of a file and its length.
fn footer_word(file: &mut [u8], from: usize, random: &mut Random) -> Option<()> {
    file.starts_with(MAGIC).then_some(())?;
    word(file.get_mut(from..)?, random)
}

/// Repeats, deletes, exchanges or copies whole messages. The blocks of a footer get the new positions.
fn reorder(file: &[u8], messages: &[Encapsulated], random: &mut Random) -> Option<Vec<u8>> {
    let (first, last) = (messages.first()?.start, messages.last()?.body.end);
    let mut order: Vec<usize> = (0..messages.len()).collect();
    let (one, two) = (random.below(messages.len()), random.below(messages.len()));
    match random.below(5) {
        0 => order.insert(one, two),
        1 => order.insert(one, one),
        2 => order.retain(|number| *number != one),
        3 => order.swap(one, two),
        _ => *order.get_mut(one)? = two,
    }
    let mut out = file.get(..first)?.to_vec();
    let mut places = vec![None; messages.len()];
    for number in order {
        let message = messages.get(number)?;
        places.get_mut(number)?.get_or_insert(out.len());
        out.extend(file.get(message.start..message.body.end)?);
    }
    let mut rest = file.get(last..)?.to_vec();
    if file.starts_with(MAGIC) {
        for (message, place) in messages.iter().zip(places) {
            // A message that is not there any more keeps a wrong position.
            let place = place.unwrap_or(out.len());
            move_block(&mut rest, file.get(last..)?, message, place);
        }
    }
    out.extend(rest);
    Some(out)
}

/// Writes a new position where the footer has the block of a message: its position, then the bytes before its body.
fn move_block(rest: &mut [u8], old: &[u8], message: &Encapsulated, place: usize) {
    let nbytes = (message.body.start - message.start) as u64;
    for at in (0..old.len()).step_by(4) {
        let is_block = number_at(old, at, 8) == Some(message.start as u64)
            && number_at(old, at + 8, 4) == Some(nbytes)
            && nbytes > 8;
        if is_block {
            put_number(rest, at, 8, moved(message.start as u64, message.start, place));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All golden files of a format.
    fn golden(format: &str) -> Vec<Vec<u8>> {
        let folder = format!("{}/../conformance/{format}", env!("CARGO_MANIFEST_DIR"));
        let suffix = format!(".{format}");
        let files = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
        files
            .filter(|path| path.to_string_lossy().ends_with(&suffix))
            .map(|path| std::fs::read(path).unwrap())
            .collect()
    }

    #[test]
    fn messages_of_golden_files_are_walked_to_the_end() {
        for file in golden("arrows") {
            assert_eq!(messages(&file).last().map(|message| message.body.end), Some(file.len()));
        }
        for file in golden("arrow") {
            let messages = messages(&file);
            let last = messages.last().unwrap();
            assert!(messages.len() >= 2 && last.metadata.is_empty(), "the end of the stream");
            let footer = size_at(&file, file.len() - 10, 4).unwrap();
            assert_eq!(last.body.end, file.len() - 10 - footer);
        }
    }

    #[test]
    fn the_footer_follows_its_messages() {
        for file in golden("arrow") {
            let messages = messages(&file);
            let rest = file.get(messages.last().unwrap().body.end..).unwrap();
            let blocks = messages.iter().filter(|message| {
                let mut moved = rest.to_vec();
                move_block(&mut moved, rest, message, message.start + 800);
                moved != rest
            });
            // All but the schema and the end of the stream.
            assert_eq!(blocks.count(), messages.len() - 2);
        }
    }
}
