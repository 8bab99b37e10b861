//! Tests of all formats at once.

mod contract;
mod minimal;
mod registry;
mod through_traits;
