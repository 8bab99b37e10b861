//! Decodes rows after a header to the cell decoders of the columns: `{header, "records": [{key: cell, ...}, ...]}` and
//! `{header, "columns": [key, ...], "data": [[cell, ...], ...]}`.

use std::collections::HashMap;

use crate::cells::msgpack::column::{CellError, CellReader, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::heads;
use crate::cells::msgpack::options::MsgpackOrient;
use crate::error::{ErrorKind, Result};
use crate::parallel::CANCEL_CHECK_NBYTES;
use crate::progress::Progress;

/// The part of a frame after the entry of its header.
#[derive(Debug, Clone, Copy)]
pub struct HeaderRows<'a> {
    /// Records or split.
    pub orient: MsgpackOrient,
    /// The number of entries of the frame's map, including the header.
    pub entries: u32,
    /// The number of rows in the header.
    pub nrows: usize,
    /// The keys of the fields.
    pub keys: &'a [String],
}

type CellResult<T> = std::result::Result<T, CellError>;

impl HeaderRows<'_> {
    /// Passes all cells of `bytes` from `at` on to `columns`, one for each key, and returns the end of the frame. Checks
    /// `progress` only for cancellation.
    ///
    /// # Errors
    /// Malformed, truncated, or refused by a column, with path and position. `Cancelled` from `progress`.
    pub fn decode<C: CellReader + ?Sized>(
        &self,
        bytes: &[u8],
        at: usize,
        columns: &mut [Box<C>],
        progress: &dyn Progress,
    ) -> Result<usize> {
        let records = self.orient == MsgpackOrient::Records;
        let mut cursor = RowCursor { bytes, at };
        let expected = if records { 2 } else { 3 };
        if self.entries != expected {
            let message = format!("expected {expected} entries, header and rows, found {}.", self.entries);
            return Err(malformed(0, message).placed("$", 0));
        }
        if !records {
            self.names(&mut cursor).map_err(|e| e.placed("$.columns", 0))?;
        }
        let (key, path) = if records { ("records", "$.records") } else { ("data", "$.data") };
        cursor.key(key).map_err(|e| e.placed("$", 0))?;
        cursor.array(self.nrows, "rows as the header says").map_err(|e| e.placed(path, 0))?;
        let encoded = self.encoded()?;
        let places = self.keys.iter().enumerate().map(|(i, key)| (key.as_str(), i)).collect();
        let mut seen = vec![0; columns.len()];
        let mut look_at = cursor.at;
        for row in 0..self.nrows {
            if cursor.at >= look_at {
                progress.check()?;
                look_at = cursor.at + CANCEL_CHECK_NBYTES;
            }
            let read = if records {
                self.map(&mut cursor, row, (&encoded, &places), &mut seen, columns)
            } else {
                self.array(&mut cursor, columns)
            };
            read.map_err(|e| e.placed(&format!("{path}[{row}]"), 0))?;
        }
        Ok(cursor.at)
    }

    fn encoded(&self) -> Result<Vec<Vec<u8>>> {
        let encoded = |key: &String| {
            let mut out = Vec::new();
            heads::text(&mut out, key, false)?;
            Ok(out)
        };
        self.keys.iter().map(encoded).collect()
    }

    /// Reads the names of a split frame.
    fn names(&self, cursor: &mut RowCursor<'_>) -> CellResult<()> {
        cursor.key("columns")?;
        cursor.array(self.keys.len(), "names as the header says")?;
        self.keys.iter().try_for_each(|key| cursor.key(key))
    }

    /// Reads one row as an array.
    fn array<C: CellReader + ?Sized>(
        &self,
        cursor: &mut RowCursor<'_>,
        columns: &mut [Box<C>],
    ) -> CellResult<()> {
        cursor.array(self.keys.len(), "cells, one a column")?;
        for (i, column) in columns.iter_mut().enumerate() {
            cursor.cell(column.as_mut()).map_err(|e| e.in_entry(i))?;
        }
        Ok(())
    }

    /// Reads one row as a map. This library writes keys in the header's order; another program may use any order.
    fn map<C: CellReader + ?Sized>(
        &self,
        cursor: &mut RowCursor<'_>,
        row: usize,
        (encoded, places): (&[Vec<u8>], &HashMap<&str, usize>),
        seen: &mut [usize],
        columns: &mut [Box<C>],
    ) -> CellResult<()> {
        let start = cursor.at;
        match cursor.head()? {
            MsgpackHead::Map(n) if n as usize == self.keys.len() => {}
            MsgpackHead::Map(n) => {
                let message = format!("expected {} keys as the header says, found {n}.", self.keys.len());
                return Err(malformed(start, message));
            }
            other => return Err(malformed(start, format!("expected a map, found {}.", other.name()))),
        }
        for i in 0..self.keys.len() {
            let key_at = cursor.at;
            let i = match encoded.get(i) {
                Some(key) if cursor.rest().starts_with(key) => {
                    cursor.at += key.len();
                    i
                }
                _ => {
                    let found = cursor.text()?;
                    places
                        .get(found)
                        .copied()
                        .ok_or_else(|| malformed(key_at, format!("the header has no column {found:?}.")))?
                }
            };
            let (Some(column), Some(last), Some(key)) =
                (columns.get_mut(i), seen.get_mut(i), self.keys.get(i))
            else {
                return Err(malformed(key_at, "expected one column a key."));
            };
            if *last > row {
                return Err(malformed(key_at, format!("the key {key:?} is given twice.")));
            }
            *last = row + 1;
            cursor.cell(column.as_mut()).map_err(|e| e.in_field(key))?;
        }
        Ok(())
    }
}

/// The read position. Errors have offsets from the start of the bytes.
struct RowCursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> RowCursor<'b> {
    fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    #[cold]
    fn cut(&self, more: usize) -> CellError {
        let (needed, had) = (self.at as u64 + more as u64, self.bytes.len() as u64);
        let message =
            format!("needs {needed} bytes, found {had}. The file was cut short: fetch or write it again.");
        CellError::new(ErrorKind::Truncated { needed, had }, self.at, message)
    }

    #[inline]
    fn head(&mut self) -> CellResult<MsgpackHead> {
        let found = head(self.rest()).map_err(|e| e.after(0, self.at))?;
        let (found, length) = found.ok_or_else(|| self.cut(self.rest().len() + 1))?;
        self.at += length;
        Ok(found)
    }

    fn text(&mut self) -> CellResult<&'b str> {
        let start = self.at;
        let length = match self.head()? {
            MsgpackHead::Str(n) => n as usize,
            other => {
                return Err(malformed(start, format!("expected a key of text, found {}.", other.name())));
            }
        };
        let text = self.rest().get(..length).ok_or_else(|| self.cut(length))?;
        self.at += length;
        std::str::from_utf8(text).map_err(|_| malformed(start, "expected a key of UTF-8."))
    }

    fn key(&mut self, expected: &str) -> CellResult<()> {
        let start = self.at;
        match self.text()? {
            found if found == expected => Ok(()),
            found => Err(malformed(start, format!("expected the key {expected:?}, found {found:?}."))),
        }
    }

    #[inline]
    fn array(&mut self, expected: usize, what: &str) -> CellResult<()> {
        let start = self.at;
        match self.head()? {
            MsgpackHead::Array(n) if n as usize == expected => Ok(()),
            MsgpackHead::Array(n) => Err(malformed(start, format!("expected {expected} {what}, found {n}."))),
            other => Err(malformed(start, format!("expected an array, found {}.", other.name()))),
        }
    }

    #[inline]
    fn cell<C: CellReader + ?Sized>(&mut self, column: &mut C) -> CellResult<()> {
        let taken = column.take(self.rest(), 1).map_err(|e| e.after(0, self.at))?;
        if taken.cells != 1 {
            return Err(self.cut(self.rest().len() + 1));
        }
        self.at += taken.nbytes;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::msgpack::column::CellExtent;
    use crate::progress::NoProgress;

    /// A column of small integers.
    struct Small(Vec<u8>);

    impl CellReader for Small {
        fn take(&mut self, bytes: &[u8], _: usize) -> CellResult<CellExtent> {
            match head(bytes)? {
                None => Ok(CellExtent::default()),
                Some((MsgpackHead::Int(v), nbytes)) => {
                    self.0.push(u8::try_from(v).unwrap());
                    Ok(CellExtent { cells: 1, nbytes })
                }
                Some((other, _)) => {
                    Err(malformed(0, format!("expected an integer, found {}.", other.name())))
                }
            }
        }
    }

    fn decoded(orient: MsgpackOrient, entries: u32, bytes: &[u8]) -> Result<(Vec<Vec<u8>>, usize)> {
        let keys = ["a".to_owned(), "b".to_owned()];
        let mut columns = vec![Box::new(Small(vec![])), Box::new(Small(vec![]))];
        let rows = HeaderRows { orient, entries, nrows: 2, keys: &keys };
        let end = rows.decode(bytes, 0, &mut columns, &NoProgress)?;
        Ok((columns.into_iter().map(|c| c.0).collect(), end))
    }

    const RECORDS: &[u8] = b"\xa7records\x92\x82\xa1a\x01\xa1b\x02\x82\xa1b\x04\xa1a\x03";
    const SPLIT: &[u8] = b"\xa7columns\x92\xa1a\xa1b\xa4data\x92\x92\x01\x02\x92\x03\x04";

    #[test]
    fn rows_go_to_their_columns() {
        let expected = vec![vec![1, 3], vec![2, 4]];
        assert_eq!(decoded(MsgpackOrient::Records, 2, RECORDS).unwrap(), (expected.clone(), RECORDS.len()));
        assert_eq!(decoded(MsgpackOrient::Split, 3, SPLIT).unwrap(), (expected, SPLIT.len()));
    }

    #[test]
    fn truncation_is_reported_at_every_byte() {
        for (orient, entries, bytes) in
            [(MsgpackOrient::Records, 2, RECORDS), (MsgpackOrient::Split, 3, SPLIT)]
        {
            for end in 0..bytes.len() {
                let error = decoded(orient, entries, &bytes[..end]).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
            }
        }
    }

    #[test]
    fn wrong_rows_are_refused_with_path_and_byte() {
        for (bytes, message) in [
            (
                &b"\xa7records\x92\x82\xa1a\x01\xa1a\x02"[..],
                "\"$.records[0]\": at byte 13: the key \"a\" is given twice",
            ),
            (b"\xa7records\x92\x82\xa1a\x01\xa1z\x02", "no column \"z\""),
            (b"\xa7records\x92\x81\xa1a\x01", "expected 2 keys"),
            (b"\xa7records\x93", "expected 2 rows as the header says, found 3"),
            (
                b"\xa7records\x92\x82\xa1a\x01\xa1b\xc0",
                "\"$.records[0].b\": at byte 15: expected an integer, found nil",
            ),
            (b"\xa7records\x92\x82\xa1a\xc1", "at byte 12"),
            (b"\xa7RECORDS\x92", "expected the key \"records\""),
        ] {
            let error = decoded(MsgpackOrient::Records, 2, bytes).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        let error = decoded(MsgpackOrient::Split, 3, b"\xa7columns\x92\xa1a\xa1b\xa4data\x92\x92\x01\xa1x")
            .unwrap_err();
        assert!(error.to_string().contains("\"$.data[0][1]\""), "{error}");
        assert!(decoded(MsgpackOrient::Records, 3, RECORDS).is_err());
    }
}
