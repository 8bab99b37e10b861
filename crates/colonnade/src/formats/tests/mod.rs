//! Tests over all formats.

mod contract;
mod minimal;
mod registry;
mod through_traits;
