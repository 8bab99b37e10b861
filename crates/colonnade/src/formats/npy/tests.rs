use super::*;
use crate::container::npy::parse_header;
use crate::frame::{Axis, Block, DType, Frame, Grid, Part, Tags};
use crate::memory::Buffer;
use crate::progress::NoProgress;

fn matrix(descr: &str) -> Frame {
    let dtype = DType::parse(descr).unwrap();
    let bytes = Buffer::from_vec((0..24).collect());
    let block = Block::new(Grid::row_major(dtype, 3, 2, 0), bytes).unwrap();
    let tags = Tags { name: "null".into(), ..Tags::default() };
    Frame::new(Axis::range(3), Axis::range(2), vec![Part::Block(block, vec![0, 1])], tags).unwrap()
}

#[test]
fn a_row_major_array_is_written_unchanged() {
    let mut out = Vec::new();
    encode(&matrix("<i4"), &mut out, &NoProgress).unwrap();
    let header = parse_header(&out, Some(out.len() as u64), 1 << 16).unwrap();
    assert_eq!((header.shape.as_slice(), header.fortran_order), (&[3, 2][..], false));
    assert_eq!(&out[header.data_offset..], (0..24).collect::<Vec<u8>>());
}

#[test]
fn a_named_frame_is_refused() {
    let mut frame = matrix("<i4");
    frame.tags.name = "\"x\"".into();
    assert!(encode(&frame, &mut Vec::new(), &NoProgress).unwrap_err().to_string().contains("no name"));
}
