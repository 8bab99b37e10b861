//! Text becomes frames, and the YAML test suite.

use super::*;

mod frames;
mod suite;
