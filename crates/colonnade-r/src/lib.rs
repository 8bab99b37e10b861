//! R's vectors as columns of a frame and back, for the C code of the R package.
//!
//! R reports errors by `longjmp`, which must not cross Rust. So nothing in this crate calls R: the C code in `r/colonnade/src`
//! passes pointers to R's memory, allocates R's vectors, and asks this crate to fill them.
//!
//! # An R column
//!
//! An R column is a vector and its attributes (class, levels, units, zone, names). Types that other languages have too are stored
//! as such, and need no metadata:
//!
//! | R | stored as |
//! |---|---|
//! | logical, integer, double, complex | bool, int32, float64, complex128; with nulls for `NA` |
//! | character | text; null for `NA` |
//! | factor | a dictionary; `ordered` is its flag |
//! | Date, POSIXct with a zone, difftime in seconds | date32, timestamp, duration |
//! | list of vectors of one type, matrix, data.frame | list, fixed-size list, struct |
//!
//! All other attributes go into the column's tag, `{"kind":"r","attributes":{...}}`, as typed values ([`tags`]).

pub mod build;
pub mod calls;
pub mod connection;
pub mod hint;
pub mod msgpack;
pub mod pages;
mod r_memory;
pub mod read;
pub mod tags;
mod units;

/// R's `NA_integer_`, which is `NA` of logical vectors too.
pub const NA_INTEGER: i32 = i32::MIN;

/// `NA` of bit64's `integer64`.
pub const NA_INTEGER64: i64 = i64::MIN;

/// The bits of R's `NA_real_`: a NaN whose lower half is 1954.
pub const NA_REAL_BITS: u64 = 0x7ff0_0000_0000_07a2;

/// Whether a double is `NA`, as `R_IsNA` decides: arithmetic sets the quiet bit, and keeps the lower half.
#[must_use]
pub fn is_na(value: f64) -> bool {
    // Both sides, so that loops over values have no branches.
    value.is_nan() & (value.to_bits() & 0xffff_ffff == 1954)
}
