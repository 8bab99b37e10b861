//! The position of a field in the flat lists of a batch.

/// The position of a field among the nodes, buffers and view columns of a batch; or a number of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FieldPosition {
    pub(crate) node: usize,
    /// Not counting the variadic buffers of view columns before it.
    pub(crate) buffer: usize,
    /// View columns before it.
    pub(crate) view: usize,
}

impl FieldPosition {
    /// The position after `extent`.
    pub(crate) fn plus(self, extent: Self) -> Self {
        Self {
            node: self.node + extent.node,
            buffer: self.buffer + extent.buffer,
            view: self.view + extent.view,
        }
    }

    /// This extent without `extent`, a part of it.
    pub(crate) fn without(self, extent: Self) -> Self {
        Self {
            node: self.node - extent.node,
            buffer: self.buffer - extent.buffer,
            view: self.view - extent.view,
        }
    }
}
