//! Converts single values to text or MessagePack, and back.
//!
//! | room | what |
//! |---|---|
//! | [`digits`], [`number`] | numbers as decimal text; decimal text as numbers |
//! | [`iso8601`] | instants, dates and times of day from text |
//! | [`json`] | the scanner of JSON, its numbers and texts |
//! | [`msgpack`] | MessagePack's heads, extents and columns of cells |
//! | [`typed`] | cells of a known Arrow type as MessagePack |
//! | [`text`] | cells of a known Arrow type as text |
//! | [`strings`] | the cells of an array of text of any layout |
//! | [`views`] | values of text and byte views |
//! | [`place`] | line, column and byte of an offset, for errors |

pub(crate) mod digits;
pub(crate) mod exact_double;
pub mod header_key;
pub(crate) mod iso8601;
pub(crate) mod json;
pub mod msgpack;
pub(crate) mod number;
#[cfg(test)]
mod number_tests;
pub mod place;
pub(crate) mod simd128;
pub(crate) mod strings;
pub mod text;
pub mod typed;
pub mod views;
