//! Scans JSON cells into inferred columns, checking RFC 8259.

use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::number::JsonNumber;
use crate::cells::json::quote::unescape_into;
use crate::cells::json::scan::{QuotedText, Scan};
use crate::cells::json::value::{JsonRules, JsonToken, repeated_key};
use crate::cells::msgpack::column::CellError;

use super::nested::{NestedColumns, StructMembers};
use super::put::Scalar;
use super::text::TextBuilder;
use super::{InferredColumn, InferredValues, StopReason};

type PutResult = Result<(), StopReason<Box<JsonFault>>>;

impl InferredColumn {
    /// Scans the cell at the current position, inside `depth` arrays and objects. Once no single type holds the cells, they
    /// are only checked and counted.
    #[inline(always)]
    pub(crate) fn scan(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &JsonRules) -> Scanned<()> {
        let start = scan.at;
        match self.scan_one(scan, depth, rules) {
            Ok(()) => Ok(()),
            Err(StopReason::Cell(fault)) => Err(fault),
            Err(StopReason::Mixed) => {
                self.give_up();
                scan.at = start;
                scan.value(depth, rules)?;
                self.rows += 1;
                Ok(())
            }
        }
    }

    /// Switches to counting cells.
    #[cold]
    pub(crate) fn give_up(&mut self) {
        self.values = InferredValues::Unknown;
        self.nulls = super::RowMarks::default();
    }

    /// Appends a float that was scanned as another type; `None` leaves the column without a single type.
    ///
    /// # Errors
    /// The operating system's error if memory runs out.
    pub(crate) fn push_float(&mut self, value: Option<f64>) -> crate::Result<()> {
        match value.map_or(Err(StopReason::Mixed), |value| self.scalar(Scalar::Float(value.to_bits()))) {
            Err(StopReason::Cell(e)) => return Err(e.error),
            Err(StopReason::Mixed) => self.give_up(),
            Ok(()) => {}
        }
        self.rows += 1;
        Ok(())
    }

    /// Scans the cell at the current position, with a fast path for the column's current family.
    #[inline(always)]
    fn scan_one(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &JsonRules) -> PutResult {
        let start = scan.at;
        let token = match (scan.peek(), &mut self.values) {
            (b'0'..=b'9' | b'-', InferredValues::Int { words, negative, big: false }) => {
                match scan.number_or_nonfinite(rules).map_err(StopReason::Cell)? {
                    JsonNumber::Int(value) => {
                        *negative |= value < 0;
                        words.push_word(value.cast_unsigned()).map_err(|e| column_fault(start, e))?;
                        self.rows += 1;
                        return Ok(());
                    }
                    other => JsonToken::Number(other),
                }
            }
            (b'0'..=b'9' | b'-', InferredValues::Float { words, .. }) => {
                match scan.number_or_nonfinite(rules).map_err(StopReason::Cell)? {
                    JsonNumber::Float(bits) => {
                        words.push_word(bits).map_err(|e| column_fault(start, e))?;
                        self.rows += 1;
                        return Ok(());
                    }
                    other => JsonToken::Number(other),
                }
            }
            (b't' | b'f', InferredValues::Bool(cells)) => {
                let value = scan.peek() == b't';
                scan.literal(if value { "true" } else { "false" }).map_err(StopReason::Cell)?;
                cells.push_front(&[u8::from(value)], 1).map_err(|e| column_fault(start, e))?;
                self.rows += 1;
                return Ok(());
            }
            (b'"', InferredValues::Text(text)) => {
                let quoted = scan.quoted().map_err(StopReason::Cell)?;
                text.push_quoted(scan, quoted).map_err(|e| column_fault(start, e))?;
                self.rows += 1;
                return Ok(());
            }
            _ => return self.scan_any(scan, depth, rules),
        };
        self.put_token(token, start, scan, depth, rules)
    }

    #[inline(never)]
    fn scan_any(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &JsonRules) -> PutResult {
        let start = scan.at;
        let token = scan.token(rules).map_err(StopReason::Cell)?;
        self.put_token(token, start, scan, depth, rules)
    }

    /// Appends the cell with `token` scanned at `start`: the whole cell, or the front of an array or object.
    #[inline(never)]
    fn put_token(
        &mut self,
        token: JsonToken,
        start: usize,
        scan: &mut Scan<'_>,
        depth: u64,
        rules: &JsonRules,
    ) -> PutResult {
        let put = match token {
            JsonToken::Number(JsonNumber::Big) if !rules.decimals => {
                return Err(StopReason::Cell(scan.big_integer_fault(start)));
            }
            JsonToken::Null => return self.empty(1).map_err(|e| column_fault(start, e)),
            JsonToken::Open(_) if matches!(self.values, InferredValues::Unknown) => {
                scan.value(depth, rules).map_err(StopReason::Cell)?;
                Ok(())
            }
            _ if matches!(self.values, InferredValues::Unknown) => Ok(()),
            JsonToken::Open(open) => {
                self.scan_nested(open, scan, depth, rules)?;
                Ok(())
            }
            JsonToken::Bool(value) => self.scalar(Scalar::Bool(value)),
            JsonToken::Number(JsonNumber::Int(value)) => self.scalar(Scalar::Int(value)),
            JsonToken::Number(JsonNumber::UInt(value)) => self.scalar(Scalar::UInt(value)),
            JsonToken::Number(JsonNumber::Float(bits)) => self.scalar(Scalar::Float(bits)),
            JsonToken::Number(JsonNumber::Big) => Err(StopReason::Mixed),
            JsonToken::Str(quoted) => self.scalar(Scalar::Text(&scan.unquoted(quoted))),
        };
        put.map_err(|stop| stop.map(|e| JsonFault::of(start, e.error)))?;
        self.rows += 1;
        Ok(())
    }

    /// Scans the array or object at the current position.
    fn scan_nested(&mut self, open: u8, scan: &mut Scan<'_>, depth: u64, rules: &JsonRules) -> PutResult {
        let (start, row) = (scan.at, self.rows);
        scan.deepen(depth, rules).map_err(StopReason::Cell)?;
        let found = self.nested(open == b'[').map_err(|stop| stop.map(|e| JsonFault::of(start, e.error)))?;
        scan.at += 1;
        scan.space();
        match found {
            (NestedColumns::List { offsets, item }, ..) => {
                if scan.peek() == b']' {
                    scan.at += 1;
                } else {
                    loop {
                        item.scan_one(scan, depth + 1, rules)?;
                        if !scan.more(b']').map_err(StopReason::Cell)? {
                            break;
                        }
                    }
                }
                offsets.push_word(item.len() as u64).map_err(|e| column_fault(start, e))
            }
            (NestedColumns::Map(members), _, inner) => members.scan(row, inner, scan, depth, rules),
        }
    }
}

impl StructMembers {
    /// Scans the members of the object of row `row`, after its opening brace.
    fn scan(
        &mut self,
        row: usize,
        inner: (&super::ReadOptions, u64),
        scan: &mut Scan<'_>,
        depth: u64,
        rules: &JsonRules,
    ) -> PutResult {
        let mut entries = 0;
        if scan.peek() == b'}' {
            scan.at += 1;
        } else {
            loop {
                let at = scan.at;
                if scan.peek() != b'"' {
                    return Err(StopReason::Cell(scan.unexpected("a key in quotes")));
                }
                let quoted = scan.quoted().map_err(StopReason::Cell)?;
                let spelled = scan.bytes.get(quoted.start..quoted.end).unwrap_or(&[]);
                let place = match self.member_at(entries, spelled).filter(|_| !quoted.escaped) {
                    Some(place) => place,
                    None => self.place(&scan.unquoted(quoted), inner),
                };
                let Some((column, name)) = self.column(place) else { return Err(StopReason::Mixed) };
                if !column.align(row).map_err(|e| column_fault(at, e))? {
                    return Err(StopReason::Cell(repeated_key(at, name)));
                }
                scan.colon().map_err(StopReason::Cell)?;
                column.scan_one(scan, depth + 1, rules)?;
                entries += 1;
                if !scan.more(b'}').map_err(StopReason::Cell)? {
                    break;
                }
            }
        }
        self.end(entries, row).map_err(|stop| stop.map(|e| JsonFault::of(scan.at, e.error)))
    }
}

impl TextBuilder {
    /// Appends the text between two quotes.
    #[inline(always)]
    fn push_quoted(&mut self, scan: &Scan<'_>, quoted: QuotedText) -> Result<(), CellError> {
        let length = quoted.end - quoted.start;
        let source = scan.bytes.get(quoted.start..).unwrap_or(&[]);
        if quoted.escaped {
            let mut text = Vec::new();
            unescape_into(source.get(..length).unwrap_or(&[]), &mut text);
            return self.push(&text);
        }
        // A copy of a fixed size needs no call.
        if let (true, Some(source)) = (length <= 32, source.first_chunk::<32>()) {
            self.bytes.push_front(source, length)?;
            return self.offsets.push_word(self.bytes.nbytes() as u64);
        }
        self.push(source.get(..length).unwrap_or(&[]))
    }
}

/// Converts a column's error about the cell at `at`.
#[cold]
fn column_fault(at: usize, error: CellError) -> StopReason<Box<JsonFault>> {
    StopReason::Cell(JsonFault::of(at, error.error))
}
