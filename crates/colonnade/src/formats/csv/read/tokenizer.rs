//! Finds the ends of cells byte by byte: for escapes, comments, and quotes inside cells, which masks cannot distinguish.

use super::fields::{BATCH_NBYTES, TokenError};
use super::rules::DialectRules;

/// The cells of some lines.
#[derive(Debug, Default)]
pub(super) struct Tokenizer {
    /// Start, end, and whether the cell is the last of its line.
    spans: Vec<(u32, u32, bool)>,
    /// Number of lines, including comments.
    pub(super) lines: usize,
    /// Whether the last line has a line end. An escaped line end does not count.
    pub(super) ended: bool,
}

impl Tokenizer {
    /// The cells that [`Tokenizer::lines`] found.
    pub(super) fn spans(&self) -> impl Iterator<Item = (u32, u32, bool)> + '_ {
        self.spans.iter().copied()
    }

    /// Drops the cells.
    pub(super) fn clear(&mut self) {
        self.spans.clear();
    }

    /// Finds the cells of some whole lines at the front of `bytes`, as [`super::fields::fields`] does.
    pub(super) fn lines(
        &mut self,
        bytes: &[u8],
        rules: &DialectRules,
        max_spans: usize,
        longest: usize,
    ) -> Result<usize, TokenError> {
        self.spans.clear();
        self.lines = 0;
        let mut at = 0;
        while at < bytes.len() && self.spans.len() < max_spans && at < BATCH_NBYTES {
            at = self.line(bytes, at, rules, longest)?;
            self.lines += 1;
        }
        Ok(at)
    }

    /// Finds the cells of one line, and returns the offset of the next line.
    pub(super) fn line(
        &mut self,
        bytes: &[u8],
        from: usize,
        rules: &DialectRules,
        longest: usize,
    ) -> Result<usize, TokenError> {
        let byte = |i: usize| bytes.get(i).copied();
        if rules.comment.is_some() && byte(from) == rules.comment {
            let end = comment_end(bytes, from, rules)?;
            self.ended = end < bytes.len();
            return Ok((end + 1).min(bytes.len()));
        }
        let mut start = from;
        loop {
            let mut at = start;
            if rules.quote.is_some() && byte(at) == rules.quote {
                at = closing(bytes, at, rules).ok_or(TokenError::Unclosed(at))? + 1;
                let follows = byte(at).is_none_or(|b| {
                    let ended = b == b'\r' && byte(at + 1) == Some(b'\n');
                    b == rules.delimiter || b == rules.newline || rules.comment == Some(b) || ended
                });
                if !follows {
                    return Err(TokenError::Quote(at));
                }
            }
            let (end, found) = unquoted(bytes, at, rules)?;
            if end - from > longest {
                return Err(TokenError::Long(from));
            }
            let is_last = !matches!(found, CellEnd::Delimiter);
            // Lines within the limit, and batches of them, fit 32-bit positions.
            let span = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
            self.spans.push((span(start), span(end), is_last));
            let next = match found {
                CellEnd::Delimiter => {
                    start = end + 1;
                    continue;
                }
                CellEnd::Comment => comment_end(bytes, end, rules)?,
                // The last byte of the line end.
                CellEnd::End(at) => at,
            };
            self.ended = next < bytes.len();
            return Ok((next + 1).min(bytes.len()));
        }
    }
}

/// The element that ends a cell.
enum CellEnd {
    Delimiter,
    Comment,
    /// A line end, with the offset of its last byte, or the end of the input.
    End(usize),
}

/// The end of an unquoted cell, or of the bytes after a closing quote, and the byte that ends the cell. A carriage return before a
/// line feed belongs to the line end, unless it is escaped.
fn unquoted(bytes: &[u8], mut at: usize, rules: &DialectRules) -> Result<(usize, CellEnd), TokenError> {
    loop {
        let Some(&b) = bytes.get(at) else { return Ok((at, CellEnd::End(at))) };
        match b {
            _ if b == rules.delimiter => return Ok((at, CellEnd::Delimiter)),
            _ if b == rules.newline => return Ok((at, CellEnd::End(at))),
            _ if rules.comment == Some(b) => return Ok((at, CellEnd::Comment)),
            _ if rules.escape == Some(b) && at + 1 == bytes.len() => return Err(TokenError::Escape(at)),
            _ if rules.escape == Some(b) => at += 2,
            0 => return Err(TokenError::Nul(at)),
            b'\r' if bytes.get(at + 1) == Some(&rules.newline) => return Ok((at, CellEnd::End(at + 1))),
            b'\n' | b'\r' => return Err(TokenError::Return(at)),
            _ => at += 1,
        }
    }
}

/// The last byte of the line end after the comment at `at`, or the end of the input. A line end of another kind is an error, as
/// elsewhere: rows after it do not belong to the comment.
fn comment_end(bytes: &[u8], mut at: usize, rules: &DialectRules) -> Result<usize, TokenError> {
    loop {
        match bytes.get(at) {
            Some(b'\n' | b'\r') => {}
            Some(_) => {
                at += 1;
                continue;
            }
            None => return Ok(at),
        }
        return match bytes.get(at..).unwrap_or_default() {
            [b'\r', b'\n', ..] if rules.newline == b'\n' => Ok(at + 1),
            [b, ..] if *b == rules.newline => Ok(at),
            _ => Err(TokenError::Return(at)),
        };
    }
}

/// The offset of the quote that closes the one at `at`.
pub(super) fn closing(bytes: &[u8], at: usize, rules: &DialectRules) -> Option<usize> {
    let mut i = at + 1;
    loop {
        let b = *bytes.get(i)?;
        if rules.escape == Some(b) {
            i += 2;
        } else if rules.quote != Some(b) {
            i += 1;
        } else if rules.doublequote && bytes.get(i + 1).copied() == rules.quote {
            i += 2;
        } else {
            return Some(i);
        }
    }
}
