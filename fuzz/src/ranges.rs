//! Reads a file from a store that gives ranges of bytes, and compares with the file in memory.

use std::sync::Arc;

use colonnade::Result;
use colonnade::decode::Request;
use colonnade::formats::{Format, Options};
use colonnade::frame::Frame;
use colonnade::memory::{Fetch, FetchCheck, PieceReceiver, Remote};
use colonnade::progress::NoProgress;
use colonnade::source::Source;

use crate::content::check_same;
use crate::heard;

/// A store that has one file.
#[derive(Debug)]
struct Store(Vec<u8>);

impl Fetch for Store {
    fn fetch(
        &self,
        ranges: &[(usize, usize)],
        receive: &mut PieceReceiver<'_>,
        check: &mut FetchCheck<'_>,
    ) -> Result<()> {
        for &(start, end) in ranges {
            check()?;
            let bytes = self.0.get(start..end).expect("ranges are within the file");
            // In two pieces, of which the second comes first.
            let (left, right) = bytes.split_at(bytes.len() / 2);
            receive(start + left.len(), right)?;
            receive(start, left)?;
        }
        Ok(())
    }

    fn pause(&self) -> Result<()> {
        Ok(())
    }
}

/// Reads every third column, then the whole, from a store.
///
/// # Panics
/// If the store gives another frame than memory did, or fails where memory did not.
pub(crate) fn check(format: &'static dyn Format, file: &[u8], options: &Options, whole: &Frame) {
    let remote = Remote::new(file.len() as u64, u64::MAX, Box::new(Store(file.to_vec())));
    let remote = remote.expect("a file that is not large");
    let Some(opened) = heard(format.open(Source::Ranges(Arc::new(remote)), options, &NoProgress)) else {
        panic!("memory is read, a store is not");
    };
    let positions: Vec<usize> = (0..whole.ncols).step_by(3).collect();
    for positions in [Some(&positions[..]), None] {
        let request = Request { positions, ..Request::all(1, &NoProgress) };
        let found = opened.load(&request);
        let found = found.unwrap_or_else(|error| panic!("memory is read, a store is not: {error}")).frame;
        match positions {
            Some(positions) => {
                let part =
                    whole.clone().part("frame", Some(positions), None).expect("positions of the frame");
                check_same(&found, &part, "columns of a store");
            }
            None => check_same(&found, whole, "a store"),
        }
    }
}
