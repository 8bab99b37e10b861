//! The rows of column labels.

use super::fields::TokenError;
use super::line_errors;
use super::pass::max_line_nbytes;
use super::rules::DialectRules;
use super::tokenizer::Tokenizer;
use crate::error::ErrorKind;

/// An error in the rows of names, with its offset in the given bytes.
pub(super) struct NamesError {
    pub(super) at: usize,
    pub(super) kind: ErrorKind,
    pub(super) message: String,
}

/// The result of parsing names; `None` if more bytes are needed.
type NamesResult<T> = Result<Option<T>, NamesError>;

/// The rows of column labels.
pub(super) struct NameRows {
    pub(super) rows: Vec<Vec<String>>,
    /// Number of their bytes.
    pub(super) nbytes: usize,
    /// Number of cells in each row.
    pub(super) ncols: usize,
}

/// Parses `rows` rows of labels. `ended`: whether `bytes` is the rest of the input.
pub(super) fn names(bytes: &[u8], rules: &DialectRules, rows: usize, ended: bool) -> NamesResult<NameRows> {
    let (mut at, mut out, mut ncols) = (0, Vec::new(), 0);
    while out.len() < rows && at < bytes.len() {
        let Some((next, cells)) = row(bytes, at, rules, ended)? else { return Ok(None) };
        if let Some(cells) = cells {
            if !out.is_empty() && cells.len() != ncols {
                let message =
                    format!("expected {ncols} column labels as in the row before, found {}.", cells.len());
                return Err(NamesError { at, kind: ErrorKind::Malformed, message });
            }
            ncols = cells.len();
            out.push(cells);
        }
        at = next;
    }
    if out.len() < rows && !ended {
        return Ok(None);
    }
    if !out.is_empty() && out.len() < rows {
        let message = format!(
            "expected {rows} rows of column labels, found {}. Pass fewer rows in header=.",
            out.len()
        );
        return Err(NamesError { at, kind: ErrorKind::Malformed, message });
    }
    Ok(Some(NameRows { rows: out, nbytes: at, ncols }))
}

/// Counts the cells of the first row of an input without labels. Skips the whole input if it has no row.
pub(super) fn unnamed(bytes: &[u8], rules: &DialectRules, ended: bool) -> NamesResult<NameRows> {
    let mut at = 0;
    while at < bytes.len() {
        let Some((next, cells)) = row(bytes, at, rules, ended)? else { return Ok(None) };
        if let Some(cells) = cells {
            return Ok(Some(NameRows { rows: Vec::new(), nbytes: 0, ncols: cells.len() }));
        }
        at = next;
    }
    Ok(ended.then_some(NameRows { rows: Vec::new(), nbytes: at, ncols: 0 }))
}

/// The offset of the next line, and the cells of this one; `None` for a blank line or comment.
type NameLine = (usize, Option<Vec<String>>);

fn row(bytes: &[u8], at: usize, rules: &DialectRules, ended: bool) -> NamesResult<NameLine> {
    let mut tokenizer = Tokenizer::default();
    let rest = bytes.get(at..).unwrap_or_default();
    let next = match tokenizer.line(rest, 0, rules, max_line_nbytes()) {
        Ok(_) if !tokenizer.ended && !ended => return Ok(None),
        Ok(next) => next,
        // The next bytes may complete the line.
        Err(TokenError::Unclosed(_) | TokenError::Escape(_)) if !ended => return Ok(None),
        Err(TokenError::Return(inside) | TokenError::Quote(inside)) if !ended && inside + 2 >= rest.len() => {
            return Ok(None);
        }
        Err(trouble) => {
            let (inside, message) = line_errors::message(trouble, rules);
            return Err(NamesError { at: at + inside, kind: line_errors::kind(trouble), message });
        }
    };
    let cell = |(start, end, _): (u32, u32, bool)| {
        let raw = rest.get(start as usize..end as usize).unwrap_or_default();
        String::from_utf8_lossy(&rules.text(raw).bytes).into_owned()
    };
    let cells: Vec<String> = tokenizer.spans().map(cell).collect();
    let quoted = rules.opens(rest);
    // As in pandas, other white space, such as that of Unicode, is a name.
    let is_blank = |cell: &String| cell.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    let blank = cells.is_empty() || (cells.len() == 1 && !quoted && cells.iter().all(is_blank));
    Ok(Some((at + next, (!blank).then_some(cells))))
}
