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

/// Packs truth bytes into bits, lowest first; every byte except 0 is true. The bits after the last are 0.
#[must_use]
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let (whole, rest) = bytes.as_chunks::<8>();
    let mut out = Vec::with_capacity(bytes.len().div_ceil(8));
    out.extend(whole.iter().map(|cells| pack_eight(*cells)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        out.push(pack_eight(last));
    }
    out
}

#[inline]
fn pack_eight(cells: [u8; 8]) -> u8 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(cells);
    let ones =
        if word & !LOW == 0 { word } else { u64::from_le_bytes(cells.map(|cell| u8::from(cell != 0))) };
    // Byte i moves to bit 56 + i; no two of them meet.
    let [.., bits] = ones.wrapping_mul(0x0102_0408_1020_4080).to_le_bytes();
    bits
}

/// Moves the lowest bits of `bits` to the bits that are set in `mask`, in order.
#[must_use]
pub fn deposit(bits: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the machine has BMI2.
        return unsafe { deposit_bmi2(bits, mask) };
    }
    deposit_each(bits, mask)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn deposit_bmi2(bits: u64, mask: u64) -> u64 {
    std::arch::x86_64::_pdep_u64(bits, mask)
}

fn deposit_each(bits: u64, mask: u64) -> u64 {
    let (mut out, mut bits, mut places) = (0, bits, mask);
    while places != 0 {
        if bits & 1 == 1 {
            out |= places & places.wrapping_neg();
        }
        bits >>= 1;
        places &= places - 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_go_to_their_places() {
        assert_eq!(deposit(0b101, 0b1011_0000), 0b1001_0000);
        let mut state = 1u64;
        for _ in 0..1000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (bits, mask) = (state.rotate_left(17), state ^ state >> 29);
            assert_eq!(deposit(bits, mask), deposit_each(bits, mask));
        }
        assert_eq!((deposit(7, 0), deposit(9, u64::MAX)), (0, 9));
    }

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

    #[test]
    fn truth_bytes_become_bits() {
        for length in [0, 1, 7, 8, 9, 64, 67] {
            let cells: Vec<u8> = (0..length).map(|i| [0, 1, 0, 2, 255, 0, 1][i % 7]).collect();
            let expected = |k: usize| {
                (0..8).map(|i| u8::from(cells.get(8 * k + i).is_some_and(|&c| c != 0)) << i).sum::<u8>()
            };
            assert_eq!(pack(&cells), (0..length.div_ceil(8)).map(expected).collect::<Vec<_>>(), "{length}");
        }
    }
}
