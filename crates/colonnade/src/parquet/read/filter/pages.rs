//! The page index: where pages begin, and between which bounds their values lie.

use std::ops::Range;

use crate::error::Result;
use crate::parquet::thrift::{Thrift, Wire};

/// Bounds of the pages of one chunk.
#[derive(Debug, Default)]
pub(super) struct ColumnIndex<'a> {
    /// Pages without a value.
    pub(super) empty: Vec<bool>,
    /// No value of the page is below.
    pub(super) min: Vec<&'a [u8]>,
    /// No value of the page is above.
    pub(super) max: Vec<&'a [u8]>,
}

impl<'a> ColumnIndex<'a> {
    pub(super) fn read(bytes: &'a [u8], base: u64) -> Result<Self> {
        let mut thrift = Thrift::new(bytes, base, "a column index");
        let t = &mut thrift;
        let (mut out, mut last) = (Self::default(), 0);
        while let Some(field) = t.field(&mut last)? {
            match (field.id, field.wire) {
                (1, Wire::List) => {
                    let (_, n) = t.list()?;
                    for _ in 0..n {
                        // A true bool is 1 in lists; some writers say 0 for false, some 2.
                        out.empty.push(t.byte()? == 1);
                    }
                }
                (2, Wire::List) => binaries(t, &mut out.min)?,
                (3, Wire::List) => binaries(t, &mut out.max)?,
                _ => t.skip(field.wire)?,
            }
        }
        let n = out.empty.len();
        if out.min.len() != n || out.max.len() != n {
            let found = format!("{n} pages, {} lower and {} upper bounds", out.min.len(), out.max.len());
            return Err(t.fault(&format!("expected bounds of each page, found {found}")));
        }
        Ok(out)
    }
}

fn binaries<'a>(t: &mut Thrift<'a>, out: &mut Vec<&'a [u8]>) -> Result<()> {
    match t.list()? {
        (Wire::Binary, n) => {
            for _ in 0..n {
                out.push(t.binary()?);
            }
            Ok(())
        }
        (_, 0) => Ok(()),
        (wire, _) => Err(t.fault(&format!("expected a list of bounds, found one of {wire:?}"))),
    }
}

/// The first row of each page, of a chunk of `nrows` rows, and the end.
pub(super) fn first_rows(bytes: &[u8], base: u64, nrows: usize) -> Result<Vec<Range<usize>>> {
    let mut thrift = Thrift::new(bytes, base, "an offset index");
    let t = &mut thrift;
    let (mut rows, mut last) = (Vec::new(), 0);
    while let Some(field) = t.field(&mut last)? {
        if field.id != 1 || field.wire != Wire::List {
            t.skip(field.wire)?;
            continue;
        }
        for _ in 0..t.structs()? {
            let (mut row, mut inner) = (None, 0);
            while let Some(field) = t.field(&mut inner)? {
                match (field.id, field.wire) {
                    (3, Wire::I64) => row = usize::try_from(t.count()?).ok(),
                    _ => t.skip(field.wire)?,
                }
            }
            let Some(row) = row else { return Err(t.fault("a page says no first row")) };
            if row > nrows || rows.last().is_some_and(|before| *before > row) || rows.is_empty() && row != 0 {
                return Err(t.fault(&format!("row {row} of {nrows} begins a page out of order")));
            }
            rows.push(row);
        }
    }
    let ends = rows.iter().skip(1).copied().chain([nrows]);
    Ok(rows.iter().zip(ends).map(|(&start, end)| start..end).collect())
}
