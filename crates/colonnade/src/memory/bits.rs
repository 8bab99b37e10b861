//! Converts bits to bytes and bytes to bits.

/// Writes the bits from `offset` on as one byte each, 0 or 1; returns `None` if there are too few bits.
#[must_use]
pub fn unpack(bits: &[u8], offset: usize, out: &mut [u8]) -> Option<()> {
    let shift = offset % 8;
    let bits = bits.get(offset / 8..)?;
    if bits.len() < (shift + out.len()).div_ceil(8) {
        return None;
    }
    let (whole, rest) = out.as_chunks_mut::<8>();
    if shift == 0 {
        for (cells, byte) in whole.iter_mut().zip(bits) {
            *cells = spread(*byte);
        }
    } else {
        for (cells, pair) in whole.iter_mut().zip(bits.windows(2)) {
            if let [low, high] = pair {
                *cells = spread((low >> shift) | (high << (8 - shift)));
            }
        }
    }
    let done = whole.len() * 8 + shift;
    for (i, cell) in rest.iter_mut().enumerate() {
        *cell = bits.get((done + i) / 8).map_or(0, |byte| byte >> ((done + i) % 8) & 1);
    }
    Some(())
}

/// Returns the eight bits of a byte as eight bytes, lowest first.
fn spread(byte: u8) -> [u8; 8] {
    // Seven copies shifted by seven bring each bit to the lowest position of its byte; an eighth would overlap.
    let low = u64::from(byte & 0x7F).wrapping_mul(0x0002_0408_1020_4081) & 0x0101_0101_0101_0101;
    (low | u64::from(byte >> 7) << 56).to_le_bytes()
}

/// Packs bytes that are 0 or 1 into bits, lowest first.
#[must_use]
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let (whole, rest) = bytes.as_chunks::<8>();
    let mut out = Vec::with_capacity(bytes.len().div_ceil(8));
    // The multiplication moves each byte's lowest bit to its position in the highest byte; no two of them meet.
    out.extend(whole.iter().map(|cells| {
        let low = u64::from_le_bytes(*cells) & 0x0101_0101_0101_0101;
        let [.., bits] = low.wrapping_mul(0x0102_0408_1020_4080).to_le_bytes();
        bits
    }));
    if !rest.is_empty() {
        out.push(rest.iter().rev().fold(0, |bits, cell| bits << 1 | cell & 1));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_bytes_from_any_start() {
        let bits = [0b1010_0110, 0b0000_1111, 0b1100_0001, 0xFF];
        for offset in 0..12 {
            for length in 0..21 {
                let mut out = vec![9; length];
                unpack(&bits, offset, &mut out).unwrap();
                let expected: Vec<u8> =
                    (0..length).map(|i| bits[(offset + i) / 8] >> ((offset + i) % 8) & 1).collect();
                assert_eq!(out, expected, "{offset} {length}");
                let mut again = vec![9; length];
                unpack(&pack(&out), 0, &mut again).unwrap();
                assert_eq!(again, expected);
            }
        }
        assert!(unpack(&bits, 1, &mut [0; 32]).is_none());
    }
}
