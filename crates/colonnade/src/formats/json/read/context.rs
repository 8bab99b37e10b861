//! The input, options and error places that all readers of one input share.

use crate::cells::place::Place;
use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;

use super::declared::Declared;
use super::options::ReadOptions;
use super::ranges::{self, Collected};
use super::rows::Source;
use crate::cells::json::fault::{Fault, Scanned};
use crate::cells::json::value::Rules;

/// The input, and how it is read.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// UTF-8.
    pub(crate) bytes: &'a [u8],
    pub(crate) options: &'a ReadOptions,
    pub(crate) rules: Rules,
    /// In errors.
    pub(crate) format: &'static str,
    /// Of one range of rows.
    pub(crate) range_nbytes: usize,
    /// What is said behind a cell that is not of its column's type.
    pub(crate) hint: &'static str,
    /// Who is told how far it is.
    pub(crate) progress: &'a dyn Progress,
    /// Where a byte stands in the source.
    pub(crate) place: &'a dyn Fn(usize) -> Place,
}

/// Bytes of one range of rows: few enough for its columns to stay in the cache.
pub(crate) const RANGE_NBYTES: usize = 1 << 20;

impl Context<'_> {
    /// The error of a fault, with its line, column and byte.
    #[cold]
    #[allow(clippy::boxed_local)] // It comes boxed: hot functions answer it by a pointer.
    pub(crate) fn error(&self, fault: Box<Fault>) -> Error {
        let Fault { at, kind, member, mut message, is_type } = *fault;
        if is_type {
            message.push_str(self.hint);
        }
        if let ErrorKind::Io(_) | ErrorKind::Cancelled = kind {
            return Error::new(kind, self.format, message);
        }
        (self.place)(at).error(kind, self.format, member.as_deref(), message)
    }

    /// What was scanned, or the error.
    pub(crate) fn scanned<T>(&self, scanned: Scanned<T>) -> Result<T> {
        scanned.map_err(|fault| self.error(fault))
    }

    /// Rows of one range of the input, by the options.
    pub(crate) fn collect(&self, source: &Source, declared: &Declared) -> Result<Collected> {
        let many = (self.options.threads, self.range_nbytes);
        let collected = ranges::collect((self.bytes, source), &self.rules, declared, many, self.progress)?;
        self.scanned(collected)
    }
}
