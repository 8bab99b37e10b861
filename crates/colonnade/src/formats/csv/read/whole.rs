//! Decodes a whole input to a frame.

use super::FORMAT;
use super::errors;
use super::fields::{RareBytes, TokenError};
use super::infer::ReadFailure;
use super::kinds::InferredType;
use super::normalize::RowShape;
use super::opening::{Preamble, open};
use super::options::{OnError, ReadOptions};
use super::pass::{InputFault, InputFaultKind, LinePiece, PassInput, max_line_nbytes};
use super::sniff::Sniffer;
use super::split::{piece_nbytes, pieces, pieces_bytewise};
use crate::cells::place::TextPosition;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Frame;
use crate::limits::CELL_NBYTES;
use crate::memory::Buffer;
use crate::progress::{NoProgress, Progress};
use crate::text::DecodedText;
use crate::text::input::SourceText;

/// Decodes a whole input.
///
/// # Errors
/// Malformed, with line, column and byte; a limit; options that contradict each other.
pub fn decode(input: &Buffer, options: &ReadOptions) -> Result<DecodedText> {
    decode_with(input, options, &NoProgress)
}

/// Decodes a whole input, and reports progress.
///
/// # Errors
/// As [`decode`], and `Cancelled` from `progress`.
pub fn decode_with(input: &Buffer, options: &ReadOptions, progress: &dyn Progress) -> Result<DecodedText> {
    options.check()?;
    let nbytes = input.nbytes() as u64;
    if nbytes > options.limits.max_nbytes {
        let most = options.limits.max_nbytes;
        return Err(Error::limit(
            FORMAT,
            format!("{nbytes} bytes, the limit is {most}. Raise max_nbytes to read it."),
        ));
    }
    // The pass checks UTF-8 where it stores cells. Invalid UTF-8 has priority over other errors, so an error is reported only after
    // all of the input has been checked.
    let text = SourceText::transcode(FORMAT, input, options.encoding)?;
    let keeps_all =
        options.on_error == OnError::Raise && options.escape.is_none() && options.comment.is_none();
    if !keeps_all {
        text.check(FORMAT, options.threads, progress)?;
    }
    decode_text(&text, options, progress).or_else(|error| {
        if keeps_all && !matches!(error.kind(), ErrorKind::Cancelled) {
            text.check(FORMAT, options.threads, progress)?;
        }
        Err(error)
    })
}

fn decode_text(text: &SourceText, options: &ReadOptions, progress: &dyn Progress) -> Result<DecodedText> {
    let (bytes, place) = (text.as_bytes(), |at: usize| text.place(at));
    let mut sniffer = Sniffer::new(options, usize::MAX);
    sniffer.enough(bytes, true);
    // The whole input is available, so the preamble is complete.
    let opening = open(bytes, options, &sniffer, true, &place)?.ok_or_else(errors::changed)?;
    if std::str::from_utf8(bytes.get(..opening.body).unwrap_or_default()).is_err() {
        return Err(errors::changed());
    }
    let read = InputReader { bytes, options, opening: &opening, place: &place, chunk: None, progress };
    let DecodedRows { frame, dropped, nulled, .. } = read.rows(None)?;
    let version = opening.header.as_ref().map(|_| crate::text::header::VERSION);
    Ok(DecodedText { frame, orient: "records", version, dropped, nulled, dialect: Some(opening.dialect) })
}

/// The rows of an input whose preamble is parsed.
pub(super) struct InputReader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) options: &'a ReadOptions,
    pub(super) opening: &'a Preamble,
    pub(super) place: &'a dyn Fn(usize) -> TextPosition,
    /// For a chunk: number of rows before it. Its columns are in Arrow's layout, and the header's row count does not apply to it.
    pub(super) chunk: Option<usize>,
    pub(super) progress: &'a dyn Progress,
}

/// A frame of rows, and counts of changed rows.
pub(super) struct DecodedRows {
    pub(super) frame: Frame,
    pub(super) dropped: u64,
    pub(super) nulled: u64,
    /// The types of inferred columns, by position; `None` for declared types.
    pub(super) kinds: Vec<Option<InferredType>>,
}

/// The result of a pass, or the reason why it failed.
pub(super) type ReadOutcome<T> = Result<std::result::Result<T, ReadFailure>>;

impl InputReader<'_> {
    /// Decodes all rows. `fixed`: the types in earlier chunks.
    pub(super) fn rows(&self, fixed: Option<&[Option<InferredType>]>) -> Result<DecodedRows> {
        match &self.opening.header {
            Some(header) => self.schema(header),
            None => self.cells(fixed),
        }
    }

    fn source<'s>(&'s self, careful: bool, left_out: &'s [usize]) -> Result<(PassInput<'s>, Vec<LinePiece>)> {
        let Preamble { body, rules, ncols, .. } = self.opening;
        let (special, threads) = (self.opening.special(), self.options.threads);
        let nbytes = piece_nbytes(self.bytes.len(), *ncols, threads);
        let (pieces, found) = if careful {
            // The tokenizer distinguishes carriage returns before line feeds from escaped ones.
            let found = RareBytes { returns: false, nul: true };
            (pieces_bytewise(self.bytes, *body, rules, nbytes, max_line_nbytes()), found)
        } else {
            pieces(self.bytes, *body, special, nbytes, threads, self.progress)?
        };
        let source = PassInput {
            bytes: self.bytes,
            special,
            rare_bytes: found,
            shape: RowShape {
                ncols: *ncols,
                newline: rules.newline,
                returns: found.returns,
                skip_blank: true,
                on_error: self.options.on_error,
                left_out,
            },
            rules: rules.clone(),
            timed: self.opening.timed(self.options)?,
            careful,
            longest: max_line_nbytes(),
        };
        let rows: usize = source.rows_at_most(&pieces).iter().map(|(_, count)| count).sum();
        let unbacked = rows.saturating_mul(*ncols).saturating_sub(self.bytes.len() + 1) as u64;
        let what = format!("{rows} short lines that are filled up to {ncols} cells");
        let nbytes = unbacked.saturating_mul(CELL_NBYTES);
        self.options.limits.check_decoded(FORMAT, &what, nbytes, self.bytes.len() as u64, 0)?;
        Ok((source, pieces))
    }

    /// Reads with masks if possible, else byte by byte. Reads a second time if rows must be dropped for invalid cells, so that
    /// their other cells do not affect the types of columns.
    pub(super) fn either<T>(
        &self,
        fixed: Option<&[Option<InferredType>]>,
        read: &mut dyn FnMut(&PassInput<'_>, &[LinePiece]) -> ReadOutcome<T>,
    ) -> Result<T> {
        let rules = &self.opening.rules;
        let mut careful = rules.escape.is_some() || rules.comment.is_some() || !rules.doublequote;
        let mut left_out: Vec<usize> = Vec::new();
        loop {
            let (source, pieces) = self.source(careful, &left_out)?;
            match read(&source, &pieces)? {
                Ok(found) => return Ok(found),
                Err(ReadFailure::Rows(places)) => {
                    left_out.extend(places);
                    left_out.sort_unstable();
                }
                Err(ReadFailure::Fault(InputFault {
                    kind: InputFaultKind::TokenError(TokenError::Quote(_)),
                    ..
                })) if !careful => careful = true,
                Err(ReadFailure::Fault(fault)) => return Err(errors::fault(fault, self.opening, self.place)),
                Err(ReadFailure::Misfit(column, kind)) => return Err(self.misfit(&source, column, kind)),
                Err(ReadFailure::Class(column, class)) => {
                    return Err(self.refused(&source, column, class, fixed));
                }
            }
        }
    }

    /// Whether invalid cells become null in this pass.
    pub(super) fn is_lenient(&self) -> bool {
        self.options.on_error != OnError::Raise
    }
}
