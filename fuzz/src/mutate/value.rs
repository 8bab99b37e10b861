//! Changes of one value of MessagePack.

use super::bytes::{scramble, splice};
use super::msgpack::{Family, Token, put_head, tokens};
use super::random::Random;

const FAMILIES: &[Family] =
    &[Family::Text, Family::Binary, Family::Extension, Family::Array, Family::Map, Family::Scalar];

/// Types of extensions: Colonnade's, the timestamp, and the ends of the range.
const TYPES: &[u8] = &[0xFF, 0xFF, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 19, 35, 0x7F, 0x80, 0xFE];

/// One change; `None` if there is no value.
pub(crate) fn change(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let tokens = tokens(bytes);
    // Colonnade's header is the first half of many files, and errors in it end the reading.
    let from = if random.one_in(2) { tokens.len() / 2 } else { 0 };
    let token = random.pick(tokens.get(from..)?)?;
    match random.below(12) {
        0..=3 => new_head(bytes, token, random),
        4 | 5 => number_of_elements(bytes, &tokens, token, random),
        6 => {
            // Another value of the file.
            let other = random.pick(&tokens)?;
            splice(bytes, &(token.start..token.end), bytes.get(other.start..other.end)?)
        }
        7 => payload(bytes, token, random),
        8 => splice(bytes, &(token.start..token.end), &scalar(random)),
        9 | 10 => extension(bytes, &tokens, random).or_else(|| new_head(bytes, token, random)),
        _ => {
            // A value within many arrays or maps.
            let count = [1, 8, 64, 200, 600][random.below(5)];
            let head: &[u8] = if random.one_in(2) { b"\x91" } else { b"\x81\xa1a" };
            splice(bytes, &(token.start..token.start), &head.repeat(count))
        }
    }
}

/// Another family, another form of the length, or another length. The bytes behind the head stay.
fn new_head(bytes: &[u8], token: &Token, random: &mut Random) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    let kind = extension_type(bytes, token).unwrap_or(0xFF);
    match (random.below(4), token.family) {
        (0, _) | (_, Family::Scalar) => {
            let length = if token.family == Family::Scalar { random.number() } else { token.length };
            put_head(*random.pick(FAMILIES)?, random.below(4), length, kind, &mut head);
        }
        (1, family) => put_head(family, 1 + random.below(3), token.length, kind, &mut head),
        (_, family) => {
            put_head(family, random.below(4), random.number_near(token.length), kind, &mut head);
        }
    }
    splice(bytes, &(token.start..token.head_end), &head)
}

fn extension_type(bytes: &[u8], token: &Token) -> Option<u8> {
    (token.family == Family::Extension).then(|| bytes.get(token.head_end - 1).copied()).flatten()
}

/// Repeats or deletes a value, or a pair of a map. Most times the count of the array or map is made right.
fn number_of_elements(bytes: &[u8], tokens: &[Token], token: &Token, random: &mut Random) -> Option<Vec<u8>> {
    let (parent, number) = token.parent?;
    let siblings: Vec<_> =
        tokens.iter().filter(|other| other.parent.is_some_and(|of| of.0 == parent)).collect();
    let parent = tokens.get(parent)?;
    let at = usize::try_from(number).ok()?;
    let (first, last) = match parent.family {
        Family::Map => (at & !1, at | 1),
        _ => (at, at),
    };
    let range = siblings.get(first)?.start..siblings.get(last)?.end;
    let element = bytes.get(range.clone())?;
    let (new, count) = match random.below(3) {
        0 => (Vec::new(), parent.length.wrapping_sub(1)),
        1 => (element.repeat(2), parent.length.wrapping_add(1)),
        _ => (element.repeat(21), parent.length.wrapping_add(20)),
    };
    let out = splice(bytes, &range, &new)?;
    if random.one_in(4) {
        return Some(out);
    }
    let mut head = Vec::new();
    put_head(parent.family, 0, count, 0, &mut head);
    splice(&out, &(parent.start..parent.head_end), &head)
}

/// Changes the bytes of a text, of binary data or of an extension, with the length made right.
fn payload(bytes: &[u8], token: &Token, random: &mut Random) -> Option<Vec<u8>> {
    if !matches!(token.family, Family::Text | Family::Binary | Family::Extension) {
        return None;
    }
    let mut payload = bytes.get(token.head_end..token.end)?.to_vec();
    scramble(&mut payload, random);
    let mut new = Vec::new();
    let kind = extension_type(bytes, token).unwrap_or_default();
    put_head(token.family, 0, payload.len() as u64, kind, &mut new);
    new.extend(payload);
    splice(bytes, &(token.start..token.end), &new)
}

/// Nil, a bool or a number of any form.
fn scalar(random: &mut Random) -> Vec<u8> {
    let (first, width) = *random
        .pick(&[
            (0xC0, 0),
            (0xC1, 0),
            (0xC2, 0),
            (0xC3, 0),
            (0xCA, 4),
            (0xCB, 8),
            (0xCC, 1),
            (0xCD, 2),
            (0xCE, 4),
            (0xCF, 8),
            (0xD0, 1),
            (0xD1, 2),
            (0xD2, 4),
            (0xD3, 8),
            (0xCF, 8),
            (0xD3, 8),
        ])
        .unwrap_or(&(0xC0, 0));
    let number = match first {
        0xCA => u64::from([f32::NAN, f32::INFINITY, -0.0, 1.5][random.below(4)].to_bits()),
        0xCB => [f64::NAN, f64::INFINITY, -0.0, 1.5, 9e18, 2e19][random.below(6)].to_bits(),
        _ => random.number(),
    };
    [&[first][..], number.to_be_bytes().get(8 - width..).unwrap_or_default()].concat()
}

/// Another type, or an extension in place of any value.
fn extension(bytes: &[u8], tokens: &[Token], random: &mut Random) -> Option<Vec<u8>> {
    let extensions: Vec<_> = tokens.iter().filter(|token| token.family == Family::Extension).collect();
    let kind = *random.pick(TYPES)?;
    match random.pick(&extensions).filter(|_| random.one_in(2)) {
        Some(token) => splice(bytes, &(token.head_end - 1..token.head_end), &[kind]),
        None => {
            let token = random.pick(tokens)?;
            let length = *random.pick(&[0, 1, 2, 3, 4, 8, 12, 13, 16, 17])?;
            let mut new = Vec::new();
            put_head(Family::Extension, random.below(3), length, kind, &mut new);
            for _ in 0..length {
                new.push(if random.one_in(3) { 0xFF } else { random.byte() });
            }
            splice(bytes, &(token.start..token.end), &new)
        }
    }
}
