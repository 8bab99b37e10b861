//! Scans one column: an array of cells, or an object of cells by row label.

use crate::ErrorKind;
use crate::infer::columns::InferredColumn;

use super::inference::RangeColumn;
use super::keys::RowKeys;
use super::target::CellTarget;
use super::walk::add_missing;
use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::scan::Scan;
use crate::cells::json::value::JsonRules;

/// Scans row labels with their colons to positions. Each scan receives the position of the previous label.
pub(crate) trait RowLabels {
    fn pass(&mut self, scan: &mut Scan<'_>, before: Option<usize>, rules: &JsonRules) -> Scanned<usize>;
    /// Returns the label at a position.
    fn name(&self, place: usize) -> &str;
}

/// New labels are added.
impl RowLabels for &mut RowKeys {
    #[inline]
    fn pass(&mut self, scan: &mut Scan<'_>, before: Option<usize>, rules: &JsonRules) -> Scanned<usize> {
        self.take(scan, before, &JsonRules { max_columns: u64::MAX, ..*rules })
    }

    fn name(&self, place: usize) -> &str {
        RowKeys::name(self, place)
    }
}

/// The labels are complete and in the order of the input; any other label is a fault.
impl RowLabels for &RowKeys {
    #[inline]
    fn pass(&mut self, scan: &mut Scan<'_>, before: Option<usize>, _: &JsonRules) -> Scanned<usize> {
        self.follow(scan, before)
    }

    fn name(&self, place: usize) -> &str {
        RowKeys::name(self, place)
    }
}

/// Takes the cells of the array or object at the current position, inside `depth` others. Returns the number of rows and
/// how many of them are missing.
pub(crate) fn take<T: CellTarget>(
    scan: &mut Scan<'_>,
    column: &mut T,
    mut labels: impl RowLabels,
    (depth, rules): (u64, &JsonRules),
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
            let place = labels.pass(scan, before, rules)?;
            if place < rows {
                let message = format!(
                    "expected row labels once each and in the order of the columns before, found {:?} here. Write the columns \
                     with the same labels in the same order.",
                    labels.name(place)
                );
                return Err(JsonFault::new(ErrorKind::Malformed, at, message));
            }
            if place > rows {
                missing = add_missing(missing, place - rows, at, rules)?;
                column.gap(place - rows)?;
                rows = place;
            }
            before = Some(place);
        }
        column.cell(scan, depth + 1, rules)?;
        rows += 1;
        if !scan.more(close)? {
            return Ok((rows, missing));
        }
    }
}

/// Scans a column and infers its type. Returns it with the number of missing cells.
pub(crate) fn inferred(
    scan: &mut Scan<'_>,
    mut part: RangeColumn,
    labels: impl RowLabels,
    depth: u64,
    rules: &JsonRules,
) -> Scanned<(InferredColumn, u64)> {
    let (_, missing) = take(scan, &mut part, labels, (depth, rules))?;
    Ok((part.column, missing))
}
