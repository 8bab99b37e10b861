//! Samples the first lines of some pieces, to choose the types for the first pass.

use super::column::PieceColumn;
use super::column_request::ColumnRequest;
use super::fields::{FieldEnds, fields};
use super::kinds::CellClasses;
use super::pass::{ColumnTarget, LinePiece, PassInput, ProjectedColumn, run};
use super::tokenizer::Tokenizer;
use crate::error::Result;
use crate::progress::NoProgress;

/// Number of sampled pieces, and of lines and cells in each.
const SAMPLED: usize = 8;
const SAMPLE_LINES: usize = 64;
const SAMPLE_CELLS: usize = 64 << 10;

/// The classes of the sampled cells of each column. Ignores faults: the full pass finds the first one.
pub(super) fn sample(
    source: &PassInput<'_>,
    pieces: &[LinePiece],
    columns: &[ColumnRequest<'_>],
) -> Result<Vec<CellClasses>> {
    let ncols = source.shape.ncols;
    let mut seen = vec![CellClasses::default(); columns.len()];
    let is_open = |column: &ColumnRequest<'_>| column.fixed.is_none() && column.declared.is_none();
    if !columns.iter().any(is_open) {
        return Ok(seen);
    }
    let step = pieces.len().div_ceil(SAMPLED).max(1);
    let (mut seen_of, mut list) = (Vec::new(), Vec::new());
    for (column, seen) in columns.iter().zip(&mut seen).filter(|(column, _)| is_open(column)) {
        list.push(ProjectedColumn { position: column.position, kind: None, timed: column.timed });
        seen_of.push(seen);
    }
    for piece in pieces.iter().step_by(step) {
        let bytes = source.bytes.get(piece.start..piece.end).unwrap_or_default();
        let cells = SAMPLE_LINES.saturating_mul(ncols).min(SAMPLE_CELLS).max(ncols);
        let (mut ends, mut tokenizer) = (FieldEnds::default(), Tokenizer::default());
        let found = if source.careful {
            tokenizer.lines(bytes, &source.rules, cells, source.longest).map(|n| (n, tokenizer.lines))
        } else {
            fields(bytes, source.search(cells), &mut ends).map(|n| (n, ends.lines))
        };
        let Ok((nbytes, lines)) = found else { continue };
        let small = LinePiece { end: piece.start + nbytes, lines, ..*piece };
        let targets = list.iter().map(|_| ColumnTarget::Classify(PieceColumn::default())).collect();
        let Ok(done) = run(source, &[small], &list, vec![targets], 1, &NoProgress)? else { continue };
        for (seen, target) in seen_of.iter_mut().zip(done.into_iter().flat_map(|done| done.targets)) {
            if let ColumnTarget::Classify(part) = target {
                **seen |= part.seen;
            }
        }
    }
    Ok(seen)
}
