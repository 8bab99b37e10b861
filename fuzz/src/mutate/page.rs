//! Changes of one page of a Parquet file.

use std::ops::Range;

use super::bytes::scramble;
use super::codec::Codec;
use super::parquet::Parquet;
use super::random::Random;
use super::thrift::{self, Value};
use super::tree;

/// More pages of a column chunk are not looked at.
const MOST_PAGES: usize = 64;

/// A page.
pub(crate) struct Page {
    pub(crate) group: usize,
    pub(crate) column: usize,
    pub(crate) start: usize,
    pub(crate) header: Value,
    pub(crate) body: Range<usize>,
    /// The codec of its column chunk; `None` if these changes do not know it.
    codec: Option<Codec>,
}

/// All pages.
pub(crate) fn pages(parquet: &Parquet<'_>) -> Vec<Page> {
    let mut out = Vec::new();
    for (group_number, group) in parquet.footer.items(&[4]).unwrap_or_default().iter().enumerate() {
        for (number, column) in group.items(&[1]).unwrap_or_default().iter().enumerate() {
            pages_of(parquet.start, (group_number, number), column, &mut out);
        }
    }
    out
}

/// Appends the pages of a column chunk, up to the first that is damaged.
fn pages_of(bytes: &[u8], number: (usize, usize), column: &Value, out: &mut Vec<Page>) -> Option<()> {
    let offset = |id| usize::try_from(column.int(&[3, id])?).ok();
    let data = offset(9)?;
    let mut at = offset(11).filter(|at| *at > 0).map_or(data, |at| at.min(data));
    let end = at.checked_add(offset(7)?)?.min(bytes.len());
    let codec = match column.int(&[3, 4])? {
        0 => Some(Codec::None),
        1 => Some(Codec::Snappy),
        2 => Some(Codec::Gzip),
        6 => Some(Codec::Zstd),
        7 => Some(Codec::Lz4Block),
        _ => None,
    };
    for _ in 0..MOST_PAGES {
        let (header, header_nbytes) = thrift::read(bytes.get(at..end)?)?;
        let start = at + header_nbytes;
        let nbytes = usize::try_from(header.int(&[3])?).ok()?;
        let body = start..start.checked_add(nbytes).filter(|place| *place <= end)?;
        out.push(Page { group: number.0, column: number.1, start: at, header, body: body.clone(), codec });
        at = body.end;
    }
    None
}

/// Changes the header of a page, or its body.
pub(crate) fn change(parquet: &mut Parquet<'_>, is_body: bool, random: &mut Random) -> Option<Vec<u8>> {
    let pages = pages(parquet);
    let page = random.pick(&pages)?;
    let body = parquet.start.get(page.body.clone())?;
    let mut header = page.header.clone();
    let body = if is_body {
        changed_body(&mut header, body, page.codec?, random)?
    } else {
        tree::change(&mut header, random);
        body.to_vec()
    };
    let mut new = Vec::new();
    header.write(&mut new);
    new.extend(body);
    parquet.replace(page, &new)
}

/// Changes levels or values, and makes sizes and checksum of the header right.
fn changed_body(header: &mut Value, body: &[u8], codec: Codec, random: &mut Random) -> Option<Vec<u8>> {
    let size = |path: &[i16]| usize::try_from(header.int(path)?).ok();
    // The levels of a data page of version 2 are before the values, and are not compressed.
    let (definition, repetition) = (size(&[8, 5]).unwrap_or_default(), size(&[8, 6]).unwrap_or_default());
    let (levels, packed) = body.split_at_checked(definition.checked_add(repetition)?)?;
    let codec = if header.at(&[8, 7]) == Some(&Value::Bool(false)) { Codec::None } else { codec };
    let mut plain = codec.unpack(packed, size(&[2])?.saturating_sub(levels.len()))?;
    let mut levels = levels.to_vec();
    if levels.is_empty() || random.one_in(2) {
        scramble(&mut plain, random);
    } else {
        scramble(&mut levels, random);
        let definition = levels.len().saturating_sub(repetition);
        header.set(&[8, 5], i64::try_from(definition).ok()?);
    }
    header.set(&[2], i64::try_from(levels.len() + plain.len()).ok()?);
    levels.extend(codec.pack(&plain)?);
    header.set(&[3], i64::try_from(levels.len()).ok()?);
    header.set(&[4], i64::from(crc32fast::hash(&levels).cast_signed()));
    Some(levels)
}
