//! Changes of a file at places that its format knows.
//!
//! | module | changes |
//! |---|---|
//! | [`npy`] | type, order and shape of an NPY header |
//! | [`zip`], [`member`] | headers of an archive; the data of a member, behind its compression |
//! | [`parquet`], [`page`], [`tree`] | the footer; page headers; pages, behind their compression |
//! | [`arrow`] | words of the metadata, bodies, whole messages |
//! | [`value`] | one value of MessagePack: its head, its bytes, the number of elements around it |
//! | [`pieces`] | lines and cells of a text |
//! | [`json`], [`base64_text`] | metadata within other bytes |
//!
//! All are functions of the file and of [`random`] choices. None panics for any bytes.

mod arrow;
mod base64_text;
mod bytes;
mod codec;
mod json;
mod member;
mod msgpack;
mod npy;
mod page;
mod parquet;
mod pieces;
pub(crate) mod random;
mod thrift;
mod tree;
mod value;
mod zip;

use random::Random;

/// One change of a file of this format (`message`: of the bytes of a connection), sometimes two; `None` if there is no such place.
pub(crate) fn mutate(format: &str, file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut out = one(format, file, random)?;
    if random.one_in(4) {
        out = one(format, &out, random).unwrap_or(out);
    }
    (out != file).then_some(out)
}

fn one(format: &str, file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    if random.one_in(8) {
        let mut out = file.to_vec();
        let done = match random.one_in(2) {
            true => base64_text::change_schema(&mut out, 0, random),
            false => json::change(&mut out, random),
        };
        if done.is_some() {
            return Some(out);
        }
    }
    match format {
        "npy" => {
            let mut out = file.to_vec();
            npy::change(&mut out, random)?;
            Some(out)
        }
        "npz" => zip::change(file, random),
        "parquet" => parquet::change(file, random),
        "arrow" | "arrows" => arrow::change(file, random),
        "msgpack" => value::change(file, random),
        "message" => message(file, random),
        _ => text(file, random),
    }
}

fn text(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    match random.one_in(3).then(|| base64_text::change(file, random)).flatten() {
        Some(out) => Some(out),
        None => pieces::change(file, random),
    }
}

/// Changes the first message of a connection by its kind, or the number of messages.
fn message(input: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    if random.one_in(12) {
        return Some(input.repeat(2));
    }
    if random.one_in(24) {
        let length = if random.one_in(2) { input.len() as u64 } else { random.number() };
        let kind = *random.pick(b"BTAZ")?;
        return Some([&[0xC1, b'C', b'N', kind, 0, 0, 0, 0][..], &length.to_le_bytes(), input].concat());
    }
    match input.first()? {
        0xFF => arrow::change(input, random),
        0x80..=0x9F | 0xDC..=0xDF => value::change(input, random),
        0xC1 => {
            let mut out = input.to_vec();
            let (at, width) = [(3, 1), (4, 4), (8, 8), (8, 8)][random.below(4)];
            let number = random.number_near(bytes::number_at(&out, at, width)?);
            bytes::put_number(&mut out, at, width, number)?;
            Some(out)
        }
        _ => text(input, random),
    }
}
