//! Columns one after the other: an array of cells each, or an object of them by row label.

use crate::ErrorKind;

use super::super::fault::{Fault, Scanned};
use super::super::scan::Scan;
use super::super::value::Rules;
use super::auto::Auto;
use super::joined::Joined;
use super::keys::Keys;
use super::target::Target;
use super::walk::counted;

/// Cells that are gathered before they are joined: few enough to stay in the cache.
const BATCH: usize = 16 << 10;

/// Takes the cells of the array or object that begins here, inside `depth` others. `batch` is called now and then, and takes
/// what has come. Answers the rows, and those among them that are missing.
pub(crate) fn take<T: Target>(
    scan: &mut Scan<'_>,
    column: &mut T,
    labels: &mut Keys,
    (depth, rules): (u64, &Rules),
    mut batch: impl FnMut(&mut T) -> Scanned<()>,
) -> Scanned<(usize, u64)> {
    scan.deepen(depth, rules)?;
    let close = match scan.peek() {
        b'[' => b']',
        b'{' => b'}',
        _ => return Err(scan.unexpected("an array of cells, or an object of cells by row label")),
    };
    scan.at += 1;
    scan.space();
    let (mut rows, mut missing) = (0, 0);
    if scan.peek() == close {
        scan.at += 1;
        return Ok((0, 0));
    }
    let mut before = None;
    loop {
        if close == b'}' {
            let at = scan.at;
            let place = labels.take(scan, before, &Rules { max_columns: u64::MAX, ..*rules })?;
            if place < rows {
                let message = format!(
                    "expected row labels once each and in the order of the columns before, found {:?} here. Write the columns \
                     with the same labels in the same order.",
                    labels.name(place)
                );
                return Err(Fault::new(ErrorKind::Malformed, at, message));
            }
            if place > rows {
                missing = counted(missing, place - rows, at, rules)?;
                column.gap(place - rows)?;
                rows = place;
            }
            before = Some(place);
        }
        column.cell(scan, depth + 1, rules)?;
        rows += 1;
        if rows % BATCH == 0 {
            batch(column)?;
        }
        scan.space();
        match scan.peek() {
            b',' => scan.at += 1,
            byte if byte == close => {
                scan.at += 1;
                batch(column)?;
                return Ok((rows, missing));
            }
            _ if close == b'}' => return Err(scan.unexpected("a comma or the end of the object")),
            _ => return Err(scan.unexpected("a comma or the end of the array")),
        }
        scan.space();
    }
}

/// A column of its own, whose type the cells tell, and how many of them are missing.
pub(crate) fn joined(
    scan: &mut Scan<'_>,
    mut auto: Auto,
    labels: &mut Keys,
    depth: u64,
    rules: &Rules,
) -> Scanned<(Joined, u64)> {
    let mut joined = Joined::default();
    let (_, missing) = take(scan, &mut auto, labels, (depth, rules), |auto| {
        joined.append(auto).map_err(|e| Fault::of(0, e))?;
        auto.clear();
        Ok(())
    })?;
    Ok((joined, missing))
}
