//! Caches decoded schema messages.

use std::sync::Arc;

use crate::arrow::import::FramePlan;
use crate::arrow::ipc::message::header;
use crate::arrow::ipc::scan::check_columns;
use crate::arrow::ipc::shape::BatchLayout;
use crate::error::Result;
use crate::limits::Limits;

use super::layout::BlockLayout;

/// The number of cached schemas: streams of one connection are often alike.
const MAX_SCHEMAS: usize = 4;

/// Larger schema messages are not cached.
const MAX_SCHEMA_NBYTES: usize = 1 << 20;

/// A schema message, decoded and checked once.
#[derive(Debug)]
pub(super) struct CachedSchema {
    head: Vec<u8>,
    pub(super) shape: Arc<BatchLayout>,
    pub(super) plan: FramePlan,
    pub(super) layout: BlockLayout,
}

impl CachedSchema {
    /// Whether the bytes of the stream are kept: its number of rows is not announced, and views or nested columns would be
    /// copied once more.
    pub(super) fn keeps_bytes(&self) -> bool {
        self.shape.announced.is_none() && self.layout.is_kept
    }
}

/// The cached schema messages. Streams that begin with the same bytes share the decoded schema.
#[derive(Debug, Default)]
pub struct Schemas(Vec<Arc<CachedSchema>>);

impl Schemas {
    pub(super) fn find(&self, head: &[u8]) -> Option<Arc<CachedSchema>> {
        self.0.iter().find(|schema| schema.head == head).cloned()
    }

    pub(super) fn learn(&mut self, head: &[u8], limits: &Limits) -> Result<Arc<CachedSchema>> {
        let shape = BatchLayout::of_message(head)?;
        check_columns(&shape, limits)?;
        let mut plan = FramePlan::new(&shape.schema)?;
        if let Some(nrows) = shape.announced.and_then(|n| usize::try_from(n).ok()) {
            plan.set_nrows(nrows);
        }
        let layout = BlockLayout::new(&shape, &plan);
        let schema = Arc::new(CachedSchema { head: head.to_vec(), shape: Arc::new(shape), plan, layout });
        // `begin` assumes that cached messages have no body.
        if head.len() > MAX_SCHEMA_NBYTES || header(head)?.body_nbytes > 0 {
            return Ok(schema);
        }
        if self.0.len() == MAX_SCHEMAS {
            self.0.remove(0);
        }
        self.0.push(Arc::clone(&schema));
        Ok(schema)
    }
}
