//! Alignment and padding of buffers.

use super::*;

/// Offset of a body, its length, and offset and length of its buffers.
type BodyLayout = (usize, usize, Vec<(usize, usize)>);

/// Walks the messages of a stream.
pub(super) fn bodies(bytes: &[u8], mut at: usize) -> Vec<BodyLayout> {
    let mut out = Vec::new();
    loop {
        assert_eq!(bytes[at..at + 4], [0xFF; 4]);
        let length = usize::try_from(u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap())).unwrap();
        if length == 0 {
            return out;
        }
        let message = arrow_ipc::root_as_message(&bytes[at + 8..at + 8 + length]).unwrap();
        let body = at + 8 + length;
        let nbytes = usize::try_from(message.bodyLength()).unwrap();
        assert_eq!(message.version(), arrow_ipc::MetadataVersion::V5);
        if let Some(batch) = message.header_as_record_batch() {
            let places = batch.buffers().unwrap();
            let place = |b: &arrow_ipc::Buffer| {
                (usize::try_from(b.offset()).unwrap(), usize::try_from(b.length()).unwrap())
            };
            out.push((body, nbytes, places.iter().map(place).collect()));
        }
        at = body + nbytes;
    }
}

#[test]
fn buffers_are_aligned_and_padded_with_zeros() {
    for (form, start) in [(Form::Stream, 0), (Form::File, 8)] {
        let bytes = write(&[columns(&every_type(33)), columns(&every_type(5))], form, options(Some(1)));
        for (body, nbytes, buffers) in bodies(&bytes, start) {
            assert!(body % 64 == 0 && nbytes % 64 == 0);
            let mut end = 0;
            for (offset, length) in buffers {
                assert!(offset % 64 == 0 && offset >= end);
                assert!(bytes[body + end..body + offset].iter().all(|&b| b == 0));
                end = offset + length;
            }
            assert!(bytes[body + end..body + nbytes].iter().all(|&b| b == 0));
        }
    }
}
