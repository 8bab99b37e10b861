//! Tests of all formats at once.

mod contract;
mod registry;
