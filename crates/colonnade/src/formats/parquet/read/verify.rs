//! Decodes every page of a file once and compares the checksums of pages that have one.

use std::collections::HashMap;

use crate::arrow::ranges::check_array;
use crate::decode::MemoryLayout;
use crate::error::{Error, Result};
use crate::progress::Progress;

use super::decode::ChunkDecoder;
use super::file::Parquet;
use super::options::ReadOptions;
use super::selection::RowPiece;

/// Columns are decoded together up to this many bytes.
const TOGETHER_NBYTES: u64 = 64 << 20;

impl Parquet {
    /// Decodes every page, one row group after the other, and discards the result. All columns are verified, also those outside
    /// the projection; encrypted columns without a key are skipped unless they are in the projection.
    ///
    /// # Errors
    /// The first malformed page or wrong checksum.
    pub fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()> {
        let options = ReadOptions {
            verify: true,
            threads,
            columns: None,
            leaves: None,
            parts: HashMap::new(),
            filter: None,
            ..self.options.clone()
        };
        let file = Self::open(self.stored_bytes.clone(), options, progress)?;
        file.index()?;
        let leaves_of = |field: usize| file.roots.get(field).map_or(0..0, |root| root.leaves.clone());
        let asked = |field: usize| {
            let name = file.schema.fields().get(field).map(|field| field.name());
            self.schema.fields().iter().any(|field| Some(field.name()) == name)
        };
        for (group, chunks) in file.groups.iter().enumerate() {
            let (first, nrows) = file.rows_of(group);
            let piece = RowPiece { group, skip: 0, nrows, at: 0 };
            let chunks_of = |field: usize| chunks.chunks.get(leaves_of(field)).unwrap_or_default();
            let nbytes_of =
                |field: usize| chunks_of(field).iter().map(|c| c.nbytes).fold(0, u64::saturating_add);
            let mut from = 0;
            while from < file.roots.len() {
                let mut nbytes = 0u64;
                let mut to = from;
                while to < file.roots.len() && (to == from || nbytes < TOGETHER_NBYTES) {
                    nbytes = nbytes.saturating_add(nbytes_of(to));
                    to += 1;
                }
                let closed = |field: usize| chunks_of(field).iter().any(|c| c.encrypted);
                let fields: Vec<usize> = (from..to).filter(|&f| !closed(f) || asked(f)).collect();
                file.fetch_pages(&fields, &[piece], progress)?;
                let landed = ChunkDecoder::new(&file, nrows, threads, MemoryLayout::Arrow).run(
                    &fields,
                    &[piece],
                    progress,
                )?;
                for (i, data) in &landed.columns {
                    let name = fields.get(*i).and_then(|&field| file.schema.fields().get(field));
                    let named = |e: Error| e.in_member(name.map_or("", |name| name.name().as_str()));
                    check_array("parquet", data, first).map_err(named)?;
                }
                from = to;
            }
        }
        Ok(())
    }
}
