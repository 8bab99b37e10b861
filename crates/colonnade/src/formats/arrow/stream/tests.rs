//! The bytes of streams; `ipc` tests the messages.

use super::*;
use crate::frame::{Axis, Tags};
use crate::progress::NoProgress;

#[test]
fn a_stream_ends_with_its_mark() {
    let frame = Frame::new(Axis::range(3), Axis::range(0), Vec::new(), Tags::default()).unwrap();
    let mut bytes = Vec::new();
    encode(&frame, WriteOptions::default(), &mut bytes, &NoProgress).unwrap();
    assert!(bytes.starts_with(&[0xFF; 4]) && bytes.ends_with(&[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]));
    assert_eq!(bytes.len() % 64, 8);
}
