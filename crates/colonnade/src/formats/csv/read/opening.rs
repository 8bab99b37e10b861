//! Parses the preamble of an input: Colonnade's header, skipped lines, the dialect and the column names.

use serde_json::json;

use super::names::{NameRows, NamesError, names, unnamed};
use super::null_values::NullValues;
use super::options::{Dates, OnError, ReadOptions, SchemaOption};
use super::rules::DialectRules;
use super::sniff::{DELIMITERS, Sniffer};
use super::structural::SpecialBytes;
use super::time::{FIELDS, TimeFormat};
use super::tokenizer::{Tokenizer, closing};
use super::{COMMENT, FORMAT};
use crate::cells::place::TextPosition;
use crate::cells::text::TextStyle;
use crate::error::{Error, Result};
use crate::text::header::TextHeader;

/// The parsed lines before the first row, and the dialect.
#[derive(Debug)]
pub(super) struct Preamble {
    /// Offset of the first row.
    pub(super) body: usize,
    pub(super) rules: DialectRules,
    /// Rows of column labels.
    pub(super) names: Vec<Vec<String>>,
    pub(super) ncols: usize,
    /// Colonnade's header.
    pub(super) header: Option<TextHeader>,
    /// The dialect as JSON.
    pub(super) dialect: String,
}

impl Preamble {
    pub(super) fn special(&self) -> SpecialBytes {
        let DialectRules { delimiter, quote, newline, .. } = self.rules;
        SpecialBytes { delimiter, quote, newline }
    }

    /// The rules for columns whose cells may be instants.
    pub(super) fn timed(&self, options: &ReadOptions) -> Result<DialectRules> {
        let format = match &options.date_format {
            None => TimeFormat::Iso,
            Some(text) => TimeFormat::parse(text).map_err(|field| {
                let message = format!(
                    "date_format: expected \"iso\" or the fields {FIELDS} of strptime, found %{field}."
                );
                Error::invalid_option(FORMAT, message)
            })?,
        };
        // Only columns that `dates` names must hold instants.
        let named = matches!(options.dates, Dates::Names(_));
        let lenient = named && options.on_error != OnError::Raise;
        Ok(DialectRules { time: Some(format), lenient, ..self.rules.clone() })
    }

    /// The last label of a column, for error messages.
    pub(super) fn name(&self, column: usize) -> Option<&str> {
        self.names.last().and_then(|row| row.get(column)).map(String::as_str)
    }
}

/// Parses the preamble of `bytes`, whose first lines `sniffer` has found; `None` if more bytes are needed. `ended`: whether `bytes`
/// is the whole input.
pub(super) fn open(
    bytes: &[u8],
    options: &ReadOptions,
    sniffer: &Sniffer,
    ended: bool,
    place: &dyn Fn(usize) -> TextPosition,
) -> Result<Option<Preamble>> {
    let header = header(bytes, options)?;
    let rest = bytes.get(sniffer.front()..).unwrap_or_default();
    let seen = bytes.get(sniffer.front()..sniffer.end()).unwrap_or_default();
    let mut rules = rules(options, header.as_ref())?;
    let is_known = header.is_some() || options.delimiter.is_some();
    let delimiters = if is_known { std::slice::from_ref(&rules.delimiter) } else { DELIMITERS.as_slice() };
    rules.newline = line_end(seen, &rules, delimiters);
    if header.is_none() && options.delimiter.is_none() {
        rules.delimiter = delimiter(seen, &rules);
    }
    let json_char = |byte: Option<u8>| json!(byte.map(|byte| String::from(char::from(byte))));
    let before = seen.iter().position(|b| *b == b'\n').and_then(|i| seen.get(i.checked_sub(1)?));
    let ends = match (rules.newline, before) {
        (b'\r', _) => "\r",
        (_, Some(b'\r')) => "\r\n",
        _ => "\n",
    };
    let dialect = json!({
        "sep": json_char(Some(rules.delimiter)),
        "quotechar": json_char(rules.quote),
        "lineterminator": ends,
    });
    let found = match (&header, options.header_rows) {
        (Some(_), _) => names(rest, &rules, 1, ended),
        (None, 0) => unnamed(rest, &rules, ended),
        (None, rows) => names(rest, &rules, rows, ended),
    };
    let found = found.map_err(|NamesError { at, kind, message }| {
        place(sniffer.front() + at).error(kind, FORMAT, None, message)
    })?;
    let Some(NameRows { rows, nbytes, ncols }) = found else { return Ok(None) };
    if rows.is_empty() && options.header_rows > 0 && options.skip_rows > 0 && !bytes.is_empty() {
        let line = options.skip_rows;
        let message = format!(
            "expected column labels in line {line}, counted from 0, found fewer lines. Pass a lower header= or skiprows=."
        );
        return Err(Error::malformed(FORMAT, message));
    }
    if ncols as u64 > options.limits.max_columns {
        let most = options.limits.max_columns;
        let message = format!("{ncols} columns, the limit is {most}. Raise max_columns to read it.");
        return Err(Error::limit(FORMAT, message));
    }
    let (body, dialect) = (sniffer.front() + nbytes, dialect.to_string());
    Ok(Some(Preamble { body, rules, names: rows, ncols, header, dialect }))
}

/// Colonnade's header, from the first line or the sidecar.
fn header(bytes: &[u8], options: &ReadOptions) -> Result<Option<TextHeader>> {
    let line = bytes.strip_prefix(COMMENT.as_bytes()).filter(|rest| rest.starts_with(b"{"));
    let parse = |text: &[u8]| {
        let text =
            std::str::from_utf8(text).map_err(|_| Error::malformed(FORMAT, "header: expected UTF-8."))?;
        TextHeader::parse(text.trim_end(), TextStyle::csv(true), &options.limits)
    };
    let sidecar = options.sidecar.as_deref().map(|text| text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    Ok(match (options.schema, line, sidecar) {
        (SchemaOption::Ignore, ..) | (SchemaOption::Found, None, None) => None,
        (SchemaOption::Header, Some(line), _) | (SchemaOption::Found, Some(line), None) => Some(
            parse(line.get(..line_nbytes(line)).unwrap_or(line)).map_err(|e| e.at(COMMENT.len() as u64))?,
        ),
        (SchemaOption::Sidecar | SchemaOption::Found, _, Some(sidecar)) => {
            Some(parse(sidecar).map_err(|e| e.in_member("sidecar"))?)
        }
        (SchemaOption::Header, None, _) => {
            let message = format!(
                "schema=\"header\": expected a first line {COMMENT:?}..., found none. Read it without schema."
            );
            return Err(Error::malformed(FORMAT, message));
        }
        (SchemaOption::Sidecar, _, None) => {
            let message = "schema=\"sidecar\": expected FILE.schema.json next to the file, found none. Read it without schema.";
            return Err(Error::malformed(FORMAT, message));
        }
    })
}

fn rules(options: &ReadOptions, header: Option<&TextHeader>) -> Result<DialectRules> {
    let Some(header) = header else {
        return Ok(DialectRules {
            delimiter: options.delimiter.unwrap_or(b','),
            quote: options.quote,
            escape: options.escape,
            comment: options.comment,
            newline: b'\n',
            doublequote: options.doublequote,
            point: options.decimal,
            thousands: options.thousands,
            null_values: NullValues::new(options.keep_default_na, &options.na_values),
            quoted_null_values: true,
            time: None,
            lenient: false,
        });
    };
    let dialect = header.extra.get("csv");
    let text = |key: &str| dialect.and_then(|dialect| dialect.get(key)?.as_str());
    let one = |key: &str, default: u8| match text(key).map(str::as_bytes) {
        None => Ok(default),
        Some([byte]) if byte.is_ascii() => Ok(*byte),
        Some(other) => {
            let found = String::from_utf8_lossy(other);
            Err(Error::malformed(
                FORMAT,
                format!("header: csv.{key}: expected one ASCII character, found {found:?}."),
            ))
        }
    };
    Ok(DialectRules {
        delimiter: one("delimiter", b',')?,
        quote: Some(one("quotechar", b'"')?),
        escape: None,
        comment: None,
        newline: b'\n',
        doublequote: true,
        point: one("decimal", b'.')?,
        thousands: None,
        null_values: NullValues::only(text("null").unwrap_or("")),
        quoted_null_values: false,
        time: None,
        lenient: false,
    })
}

/// Length of the first line, including its end.
fn line_nbytes(bytes: &[u8]) -> usize {
    match bytes.iter().position(|b| matches!(b, b'\n' | b'\r')) {
        None => bytes.len(),
        Some(at) => at + 1 + usize::from(bytes.get(at..at + 2) == Some(b"\r\n")),
    }
}

/// The byte that ends lines, from the first line end outside quotes. Quotes inside unquoted cells and comments are ignored.
fn line_end(bytes: &[u8], rules: &DialectRules, delimiters: &[u8]) -> u8 {
    let (mut at, mut begins, mut comments) = (0, true, false);
    while let Some(&byte) = bytes.get(at) {
        let opens = begins && !comments && rules.quote == Some(byte);
        begins = delimiters.contains(&byte);
        match byte {
            b'\n' => return b'\n',
            b'\r' => return if bytes.get(at + 1) == Some(&b'\n') { b'\n' } else { b'\r' },
            _ if comments => {}
            _ if opens => match closing(bytes, at, rules) {
                Some(end) => at = end,
                None => return b'\n',
            },
            _ if rules.comment == Some(byte) => comments = true,
            _ if rules.escape == Some(byte) => at += 1,
            _ => {}
        }
        at += 1;
    }
    b'\n'
}

/// Whether a cell contains a quote but is not quoted.
fn is_torn(bytes: &[u8], start: u32, end: u32, rules: &DialectRules) -> bool {
    let cell = bytes.get(start as usize..end as usize).unwrap_or_default();
    !rules.opens(cell) && rules.quote.is_some_and(|quote| cell.contains(&quote))
}

/// Chooses the delimiter that gives all lines the same and the largest number of cells.
fn delimiter(bytes: &[u8], rules: &DialectRules) -> u8 {
    let mut best = (0, rules.delimiter);
    for delimiter in DELIMITERS.into_iter().filter(|d| *d != rules.point && rules.thousands != Some(*d)) {
        let rules = DialectRules { delimiter, ..rules.clone() };
        let (mut at, mut widths, mut widths_agree, mut has_torn_cell) = (0, Vec::new(), true, false);
        while at < bytes.len() {
            let mut tokenizer = Tokenizer::default();
            let Ok(next) = tokenizer.line(bytes, at, &rules, bytes.len()) else {
                widths_agree = false;
                break;
            };
            // A delimiter may occur in quoted text. An unquoted cell with a quote is then part of a quoted cell.
            has_torn_cell |= tokenizer.spans().any(|(start, end, _)| is_torn(bytes, start, end, &rules));
            let width = tokenizer.spans().count();
            let blank = width <= 1 && tokenizer.spans().all(|(start, end, _)| start == end);
            if !blank {
                widths.push(width);
            }
            at = next;
        }
        let first = widths.first().copied().unwrap_or(0);
        if first < 2 {
            continue;
        }
        // Equal widths score higher than ragged lines, and highest if no quoted text is split.
        let widths_agree = widths_agree && widths.iter().all(|width| *width == first);
        let tier = match (widths_agree, has_torn_cell) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        };
        let score = first + bytes.len() * tier;
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    best.1
}
