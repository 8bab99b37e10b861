// Tests truncate numbers to bytes on purpose.
#![allow(clippy::cast_possible_truncation)]

use arrow_array::{Array, make_array};

use super::*;
use crate::frame::Block;

mod json;
mod kinds;
mod nested;
mod nodes;
mod numbers;
mod speed;
mod text;

/// A generator of reproducible pseudo-random numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn options() -> ReadOptions {
    ReadOptions::default()
}

fn loose() -> ReadOptions {
    ReadOptions { invalid_utf8: Fallback::Bytes, ext: Fallback::Bytes, ..ReadOptions::default() }
}

/// Takes all cells in one call.
fn whole(bytes: &[u8], cells: usize, options: &ReadOptions) -> Result<BlockOrColumn, CellError> {
    let mut column = InferredColumn::new(options).with_rows(cells);
    let taken = column.take(bytes, cells)?;
    assert_eq!(taken, CellExtent { cells, nbytes: bytes.len() });
    assert_eq!(column.len(), cells);
    column.finish().map_err(|error| CellError { cell: 0, offset: 0, path: String::new(), error })
}

/// Takes cells as bytes arrive in steps of `step`.
fn pieces(
    bytes: &[u8],
    cells: usize,
    step: usize,
    options: &ReadOptions,
) -> Result<BlockOrColumn, CellError> {
    let mut column = InferredColumn::new(options);
    let mut done = CellExtent::default();
    let mut end = 0;
    while end < bytes.len() {
        end = (end + step).min(bytes.len());
        let taken = column.take(&bytes[done.nbytes..end], cells - done.cells)?;
        done.cells += taken.cells;
        done.nbytes += taken.nbytes;
    }
    assert_eq!(done, CellExtent { cells, nbytes: bytes.len() });
    column.finish().map_err(|error| CellError { cell: 0, offset: 0, path: String::new(), error })
}

/// A column as text: its type and every cell.
fn shown(finished: &BlockOrColumn) -> String {
    match finished {
        BlockOrColumn::Block(Block { grid, buffer }) => {
            format!("{} {} {:?}", grid.dtype.descr(), grid.nrows, buffer.as_slice())
        }
        BlockOrColumn::Column(column) => {
            column.data.validate_full().unwrap();
            format!("{:?} {:?}", column.tag, make_array(column.data.clone()))
        }
    }
}

/// Decodes these cells whole and in pieces of several sizes, checks that the columns agree, and returns the column.
fn taken(bytes: &[u8], cells: usize, options: &ReadOptions) -> BlockOrColumn {
    let finished = whole(bytes, cells, options).unwrap();
    for step in [1, 2, 3, 7, 100] {
        assert_eq!(shown(&pieces(bytes, cells, step, options).unwrap()), shown(&finished), "{step}");
    }
    finished
}

fn words(finished: &BlockOrColumn, descr: &str) -> Vec<u64> {
    let BlockOrColumn::Block(block) = finished else { panic!("expected a block, found {finished:?}") };
    assert_eq!(block.grid.dtype.descr(), descr);
    let words = block.buffer.as_slice().as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w));
    words.collect()
}

fn array(finished: &BlockOrColumn) -> arrow_array::ArrayRef {
    let BlockOrColumn::Column(column) = finished else { panic!("expected a column, found {finished:?}") };
    column.data.validate_full().unwrap();
    make_array(column.data.clone())
}

fn mixed(finished: &BlockOrColumn) -> Vec<Option<Vec<u8>>> {
    let BlockOrColumn::Column(column) = finished else { panic!("expected a column") };
    assert_eq!(column.tag.as_deref(), Some(MIXED_TAG));
    let cells = array(finished);
    let cells = cells.as_any().downcast_ref::<arrow_array::LargeBinaryArray>().unwrap().clone();
    cells.iter().map(|cell| cell.map(<[u8]>::to_vec)).collect()
}

fn cells(all: &[&[u8]]) -> Vec<Option<Vec<u8>>> {
    all.iter().map(|cell| (*cell != [0xc0]).then(|| cell.to_vec())).collect()
}
