//! Frames one after the other, as one.
