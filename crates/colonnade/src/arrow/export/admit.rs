//! Checks that later chunks fit the first, and records their widths and orders of categories.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::Result;
use crate::frame::{Block, DType, DTypeKind, Frame, Labels, Level, Part};

use super::super::layout::{self, ColumnLayout, unrepresentable};
use super::{Exporter, dtype_of};

impl Exporter {
    /// Checks that a chunk has the columns, types and kind of row labels of the first one, that an automatic index
    /// continues the previous one or begins again, and that ordered categories have the order of the chunks before.
    ///
    /// # Errors
    /// `Unrepresentable`, with both values.
    pub fn admit(&self, chunk: &Frame) -> Result<()> {
        let next = self.fits(chunk)?;
        self.orders.admit(chunk, &|position| self.name(position))?;
        self.record(chunk, next);
        Ok(())
    }

    /// Checks a chunk as [`Exporter::admit`] does, but each chunk may have its own order of categories, for consumers that
    /// keep chunks separate.
    ///
    /// # Errors
    /// As [`Exporter::admit`].
    pub fn admit_apart(&self, chunk: &Frame) -> Result<()> {
        let next = self.fits(chunk)?;
        self.record(chunk, next);
        Ok(())
    }

    /// Returns the start of an automatic index that continues after this chunk.
    fn fits(&self, chunk: &Frame) -> Result<Option<i64>> {
        layout::check_columns(&self.axis, &self.columns, &|i| self.name(i), chunk)?;
        layout::check_index(&self.index, &self.levels, &|i| self.name(self.columns.len() + i), &chunk.index)?;
        let (Labels::Auto { start, step, .. }, Labels::Auto { start: first, .. }) =
            (&chunk.index.labels, &self.index.labels)
        else {
            return Ok(None);
        };
        let next = self.next.load(Ordering::Relaxed);
        if *start != next && start != first {
            return Err(unrepresentable(format!(
                "expected row labels that continue at {next} or begin again at {first}, found a range from {start}. \
                 Reset the index, or store it in a column."
            )));
        }
        let reach = i64::try_from(chunk.nrows).unwrap_or(i64::MAX).saturating_mul(*step);
        Ok(Some(start.saturating_add(reach)))
    }

    fn record(&self, chunk: &Frame, next: Option<i64>) {
        self.record_widths(chunk);
        if let Some(next) = next {
            self.next.store(next, Ordering::Relaxed);
        }
    }

    /// Fields of fixed-width text whose later chunks are wider.
    pub(super) fn widened(&self) -> Vec<(usize, DType)> {
        let layouts = self.columns.iter().chain(&self.levels).zip(&self.widest).enumerate();
        let wider = |(position, (layout, widest)): (usize, (&ColumnLayout, &AtomicU32))| {
            let dtype = dtype_of(layout)?;
            let itemsize = widest.load(Ordering::Relaxed);
            (itemsize > dtype.itemsize).then_some((position, DType { itemsize, ..dtype }))
        };
        layouts.filter_map(wider).collect()
    }

    /// Records the width of a chunk's fixed-width text.
    fn record_widths(&self, chunk: &Frame) {
        let unicode = |b: &Block| (b.grid.dtype.kind == DTypeKind::Unicode).then_some(b.grid.dtype.itemsize);
        for part in &chunk.parts {
            if let Part::Block(block, positions) = part
                && let Some(itemsize) = unicode(block)
            {
                for widest in positions.iter().filter_map(|&p| self.widest.get(p)) {
                    widest.fetch_max(itemsize, Ordering::Relaxed);
                }
            }
        }
        if let Labels::Levels(levels) = &chunk.index.labels {
            for (level, widest) in levels.iter().zip(self.widest.iter().skip(self.columns.len())) {
                if let Level::Block(block) = level
                    && let Some(itemsize) = unicode(block)
                {
                    widest.fetch_max(itemsize, Ordering::Relaxed);
                }
            }
        }
    }
}
