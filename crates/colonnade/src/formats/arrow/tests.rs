//! The first and last bytes of a file; `arrow::ipc` tests the messages.

use super::*;
use crate::frame::{Axis, Tags};
use crate::progress::NoProgress;

#[test]
fn a_file_begins_and_ends_with_its_name() {
    let frame = Frame::new(Axis::range(3), Axis::range(0), Vec::new(), Tags::default()).unwrap();
    let mut bytes = Vec::new();
    encode(&frame, WriteOptions::default(), &mut bytes, &NoProgress).unwrap();
    assert!(bytes.starts_with(b"ARROW1\0\0\xFF\xFF\xFF\xFF") && bytes.ends_with(b"ARROW1"));
    let length = u32::from_le_bytes(bytes[bytes.len() - 10..bytes.len() - 6].try_into().unwrap());
    let footer = bytes.len() - 10 - usize::try_from(length).unwrap();
    assert_eq!(bytes[footer - 8..footer], [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]);
}
