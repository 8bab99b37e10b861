//! Changes of what is written in base64 within a file: schemas of Arrow, and cells of MessagePack.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::bytes::{find, splice};
use super::random::Random;
use super::{arrow, json, value};

/// An Arrow message begins with four bytes of ones, which are these characters.
const ARROW: &[u8] = b"/////";
/// What is before a cell of MessagePack.
const CELL: &[u8] = b"\"__colonnade__\":\"";
/// Text within text.
const MOST_DEPTH: usize = 3;

/// Changes one such part; `None` if there is none. Schemas keep their length.
pub(crate) fn change(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let cells = ranges(file, CELL, CELL.len());
    match random.pick(&cells).filter(|_| random.one_in(3)) {
        Some(cell) => {
            let bytes = STANDARD.decode(file.get(cell.clone())?).ok()?;
            let changed = value::change(&bytes, random)?;
            splice(file, cell, STANDARD.encode(changed).as_bytes())
        }
        None => {
            let mut out = file.to_vec();
            change_schema(&mut out, 0, random)?;
            Some(out)
        }
    }
}

/// Changes a word of a schema, or of a schema within its metadata.
pub(crate) fn change_schema(file: &mut [u8], depth: usize, random: &mut Random) -> Option<()> {
    let mut schemas = ranges(file, ARROW, 0);
    // Other text has these characters too.
    schemas.retain(|range| range.len() > 64);
    let place = file.get_mut(random.pick(&schemas)?.clone())?;
    let mut bytes = STANDARD.decode(&*place).ok()?;
    let inner = depth < MOST_DEPTH && random.one_in(3);
    if !inner || change_schema(&mut bytes, depth + 1, random).is_none() {
        let messages = arrow::messages(&bytes);
        let message = random.pick(&messages)?.metadata.clone();
        match random.below(3) {
            0 => json::change(&mut bytes, random)?,
            _ => arrow::change_metadata(bytes.get_mut(message)?, random)?,
        }
    }
    let text = STANDARD.encode(bytes);
    (text.len() == place.len()).then(|| place.copy_from_slice(text.as_bytes()))
}

/// The characters of base64 at each `mark`, from `skip` bytes after its start.
fn ranges(file: &[u8], mark: &[u8], skip: usize) -> Vec<Range<usize>> {
    let (mut out, mut from) = (Vec::new(), 0);
    while let Some(found) = find(file, from, mark) {
        let start = found + skip;
        let is_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
        let nbytes = file.get(start..).unwrap_or_default().iter().take_while(is_base64).count();
        out.push(start..start + nbytes);
        from = start + nbytes.max(1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_and_cells_of_golden_files_are_changed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance");
        for name in
            ["json/mixed_cells.json", "csv/article.csv", "yaml/bundle.yaml", "parquet/article.parquet"]
        {
            let file = std::fs::read(format!("{folder}/{name}")).unwrap();
            let changed =
                (0..50).filter(|seed| change(&file, &mut Random::new(*seed)).is_some_and(|out| out != file));
            assert!(changed.count() > 25, "{name}");
        }
    }
}
