use super::*;

fn samples() -> Vec<Vec<u8>> {
    let noise = |i: u32| (i.wrapping_mul(2_654_435_761) >> 15).to_le_bytes()[0];
    vec![
        vec![],
        vec![7],
        vec![7; 1_000_000],
        (0..70_000).map(noise).collect(),
        (0..900_000).map(|i| noise(i) % 4).collect(),
    ]
}

fn pack(bytes: &[u8], level: i32) -> Vec<u8> {
    let mut out = vec![0xEE; bound(bytes.len())];
    let count = compress(bytes, level, &mut out).unwrap();
    out.truncate(count);
    out
}

#[test]
fn frames_round_trip_with_both_decoders() {
    for bytes in samples() {
        for level in [0, 1, 9] {
            let packed = pack(&bytes, level);
            assert!(Lz4Frame::parse(&packed).is_some());
            let mut out = vec![1; bytes.len()];
            decompress(&packed, &mut out).unwrap();
            assert!(out == bytes);
            let mut out = vec![1; bytes.len()];
            decompress_any(&packed, &mut out).unwrap();
            assert!(out == bytes);
        }
    }
}

#[test]
fn linked_blocks_are_read() {
    // "abcdefgh" * 17,500, compressed by pyarrow 26.
    let mut packed = Vec::new();
    packed.extend_from_slice(
        b"\x04\x22\x4d\x18\x40\x40\xc0\x12\x01\x00\x00\x8f\x61\x62\x63\x64\x65\x66\x67\x68\x08\x00",
    );
    packed.extend([0xff; 256]);
    packed.extend_from_slice(b"\xe0\x50\x64\x65\x66\x67\x68\x0a\x01\x00\x00\x0f\x08\x00");
    packed.extend([0xff; 256]);
    packed.extend_from_slice(b"\xe8\x50\x64\x65\x66\x67\x68\x2c\x00\x00\x00\x0f\x08\x00");
    packed.extend([0xff; 34]);
    packed.extend_from_slice(b"\xea\x50\x64\x65\x66\x67\x68\x00\x00\x00\x00");
    let frame = Lz4Frame::parse(&packed).unwrap();
    assert!(frame.linked);
    let mut out = vec![0; 140_000];
    decompress(&packed, &mut out).unwrap();
    assert!(out.chunks(8).all(|c| c == b"abcdefgh"));
}

#[test]
fn another_size_or_damage_is_an_error() {
    for bytes in samples().into_iter().skip(1) {
        let packed = pack(&bytes, 0);
        for way in [decompress, decompress_any] {
            assert!(way(&packed, &mut vec![0; bytes.len() + 1]).is_err());
            assert!(way(&packed, &mut vec![0; bytes.len() - 1]).is_err());
            assert!(way(&packed[..packed.len() - 1], &mut vec![0; bytes.len()]).is_err());
            let mut more = packed.clone();
            more.push(0);
            assert!(way(&more, &mut vec![0; bytes.len()]).is_err());
        }
        for at in 0..packed.len().min(40) {
            let mut bad = packed.clone();
            bad[at] ^= 0x55;
            decompress(&bad, &mut vec![0; bytes.len()]).ok();
        }
    }
    assert!(decompress(b"garbage", &mut [0; 4]).is_err());
}
