//! Tests of YAML with frames and with the YAML test suite.

use super::*;

mod frames;
mod suite;
