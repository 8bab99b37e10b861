//! Sample bytes for the codecs' tests, and mutations of compressed bytes.

use crate::error::Result;

/// Empty and short input, runs of one byte, noise, short words, repeated records.
pub(crate) fn all() -> Vec<Vec<u8>> {
    let noise = |i: u32| (i.wrapping_mul(2_654_435_761) >> 15).to_le_bytes()[0];
    vec![
        vec![],
        vec![7],
        vec![7; 300_000],
        (0..70_000).map(noise).collect(),
        (0..90_000).map(|i| noise(i) % 4).collect(),
        (0..40_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect(),
    ]
}

/// Wrong sizes and truncations are errors. Flipped bits neither loop nor write beyond the target.
pub(crate) fn bad_input(packed: &[u8], nbytes: usize, decompress: fn(&[u8], &mut [u8]) -> Result<()>) {
    assert!(decompress(packed, &mut vec![0; nbytes + 1]).is_err());
    if nbytes > 0 {
        assert!(decompress(packed, &mut vec![0; nbytes - 1]).is_err());
        let mut room = vec![0; nbytes];
        for cut in (0..packed.len()).step_by((packed.len() / 40).max(1)) {
            assert!(decompress(&packed[..cut], &mut room).is_err(), "{cut} of {}", packed.len());
        }
        for at in (0..packed.len()).step_by((packed.len() / 60).max(1)) {
            let mut bad = packed.to_vec();
            bad[at] ^= 1 << (at % 8);
            decompress(&bad, &mut room).ok();
        }
    }
}
