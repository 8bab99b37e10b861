//! The input, options and error places that all readers of one input share.

use crate::cells::place::TextPosition;
use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;

use super::declared::DeclaredColumns;
use super::options::ReadOptions;
use super::ranges::{self, ScannedRows};
use super::rows::JsonRows;
use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::value::JsonRules;

/// The input and the options of reading it.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The input, which is UTF-8.
    pub(crate) bytes: &'a [u8],
    pub(crate) options: &'a ReadOptions,
    pub(crate) rules: JsonRules,
    /// The format's name in errors.
    pub(crate) format: &'static str,
    /// Bytes of one range of rows.
    pub(crate) range_nbytes: usize,
    /// The advice in errors about a cell that does not fit its column's type.
    pub(crate) hint: &'static str,
    /// Receives the progress.
    pub(crate) progress: &'a dyn Progress,
    /// Returns the place of a byte in the source.
    pub(crate) place: &'a dyn Fn(usize) -> TextPosition,
    /// Returns the label of the column that has a byte, where rows have positions only.
    pub(crate) label: fn(&Context<'_>, usize) -> Option<String>,
}

/// Bytes of one range of rows: few enough for its columns to stay in the cache.
pub(crate) const RANGE_NBYTES: usize = crate::parallel::split_from(1 << 20);

impl Context<'_> {
    /// Converts a fault to an error with line, column and byte.
    #[cold]
    #[allow(clippy::boxed_local)] // Hot functions return faults boxed.
    pub(crate) fn error(&self, fault: Box<JsonFault>) -> Error {
        let JsonFault { at, kind, mut member, mut message, is_type } = *fault;
        let is_position = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
        if member.as_ref().is_none_or(is_position) {
            member = (self.label)(self, at).or(member);
        }
        if is_type {
            message.push_str(self.hint);
        }
        if let ErrorKind::Io(_) | ErrorKind::Cancelled = kind {
            return Error::new(kind, self.format, message);
        }
        (self.place)(at).error(kind, self.format, member.as_deref(), message)
    }

    /// Converts the result of a scan, with the error's place.
    pub(crate) fn locate<T>(&self, scanned: Scanned<T>) -> Result<T> {
        scanned.map_err(|fault| self.error(fault))
    }

    /// Scans the rows in ranges, as the options say.
    pub(crate) fn collect(&self, source: &JsonRows, declared: &DeclaredColumns) -> Result<ScannedRows> {
        let many = (self.options.threads, self.range_nbytes);
        let collected = ranges::collect((self.bytes, source), &self.rules, declared, many, self.progress)?;
        self.locate(collected)
    }
}
