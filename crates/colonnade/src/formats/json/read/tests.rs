//! Tests of reading: shapes, errors, round trips, ranges and corpora.

use super::*;

mod corpora;
mod frames;
mod roundtrip;
mod speed;
mod splits;
