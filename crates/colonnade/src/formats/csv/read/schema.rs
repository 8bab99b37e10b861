//! Columns of an input with a Colonnade header, in the first line or in the sidecar.

use super::FORMAT;
use super::declared::DeclaredColumn;
use super::whole::{DecodedRows, InputReader};
use crate::cells::place::TextPosition;
use crate::cells::text::TextStyle;
use crate::error::{ErrorKind, Result};
use crate::text::header::{TextHeader, keys};

/// Checks that the input ends with a line end, as every file with a schema does. Otherwise the last cell may be truncated.
pub(super) fn check_end(bytes: &[u8], end: TextPosition) -> Result<()> {
    if bytes.is_empty() || bytes.ends_with(b"\n") || bytes.ends_with(b"\r") {
        return Ok(());
    }
    let kind = ErrorKind::Truncated { needed: end.byte + 1, had: end.byte };
    let message = "expected a line end behind the last line, as every file with a schema has, found the end of the input. \
                   The file was cut: fetch it again, or read it with schema=\"ignore\".";
    Err(end.error(kind, FORMAT, None, message))
}

impl InputReader<'_> {
    /// Decodes the columns that the header declares.
    pub(super) fn schema(&self, header: &TextHeader) -> Result<DecodedRows> {
        let plan = header.plan().map_err(|e| e.in_format(FORMAT))?;
        let keys = keys(&header.schema);
        // Row labels are first in the lines, and last in the schema.
        let levels = keys.len().saturating_sub(plan.ncols);
        let field =
            |position: usize| if position < levels { plan.ncols + position } else { position - levels };
        let expected: Vec<&str> =
            (0..keys.len()).filter_map(|i| keys.get(field(i))).map(String::as_str).collect();
        let found = self.opening.names.first().map_or(&[][..], Vec::as_slice);
        if !expected.iter().eq(found.iter()) {
            let at = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
            let shown = |name: Option<String>| name.map_or("none".to_owned(), |name| format!("{name:?}"));
            let message = format!(
                "the schema is not this file's: expected {} columns, number {} of them {}, found {}, number {} of them {}. \
                 Read it with schema=\"ignore\".",
                expected.len(),
                at + 1,
                shown(expected.get(at).map(|s| (*s).to_owned())),
                found.len(),
                at + 1,
                shown(found.get(at).cloned())
            );
            return Err((self.place)(0).error(ErrorKind::Malformed, FORMAT, None, message));
        }
        let fields = header.schema.fields();
        let mut readers: Vec<_> = header
            .readers(&plan, TextStyle::csv(true), &self.options.limits)?
            .into_iter()
            .map(Some)
            .collect();
        let declare = |position: usize| {
            let reader = readers.get_mut(field(position)).and_then(Option::take)?;
            let field = fields.get(field(position))?;
            Some(DeclaredColumn::new(position, field, reader, self.is_lenient()))
        };
        let declared: Vec<DeclaredColumn> = (0..keys.len()).filter_map(declare).collect();
        let read = self.either(None, &mut |source, pieces| self.columns((source, pieces), &[], &declared))?;
        if !keys.is_empty()
            && self.chunk.is_none()
            && let Some(nrows) = header.nrows
            && nrows as u64 != read.rows as u64 + read.dropped
        {
            let message = another_count(nrows, read.rows as u64);
            return Err((self.place)(self.bytes.len()).error(ErrorKind::Malformed, FORMAT, None, message));
        }
        if self.chunk.is_none() {
            check_end(self.bytes, (self.place)(self.bytes.len()))?;
        }
        let mut arrays = read.arrays;
        let in_schema = |i: usize| if i < plan.ncols { i + levels } else { i - plan.ncols };
        let arrays: Vec<_> =
            (0..keys.len()).filter_map(|i| arrays.get_mut(in_schema(i)).and_then(Option::take)).collect();
        let rows = if keys.is_empty() { header.nrows.unwrap_or(read.rows) } else { read.rows };
        let frame = match self.chunk {
            Some(first) => plan.batch(&arrays, rows, first)?,
            None => TextHeader { nrows: Some(rows), ..header.clone() }.frame(plan, arrays)?,
        };
        Ok(DecodedRows { frame, dropped: read.dropped, nulled: read.nulled, kinds: Vec::new() })
    }
}

/// The message for another number of rows than the header declares.
pub(super) fn another_count(expected: usize, counted: u64) -> String {
    format!(
        "the schema is not this file's: expected {expected} rows, found {counted}. The file was cut or changed: read it with \
         schema=\"ignore\"."
    )
}
