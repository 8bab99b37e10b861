//! Packed bits to numbers: 32 values of one width at a time, with every shift known when it is compiled.

/// Values of a group that [`unpack32`] takes; it stands in `4 * width` bytes.
pub const GROUP: usize = 32;

/// Unpacks 32 values of `W` bits, least significant bit first.
#[inline]
fn unpack<const W: usize>(source: &[u8], target: &mut [u32; GROUP]) {
    if W == 0 {
        *target = [0; GROUP];
        return;
    }
    // The last value's eight bytes may pass the end of the source: a copy with room behind spares the test.
    let mut padded = [0u8; 4 * 32 + 8];
    if let (Some(room), Some(bytes)) = (padded.get_mut(..4 * W), source.get(..4 * W)) {
        room.copy_from_slice(bytes);
    }
    let mask = if W == 32 { u32::MAX } else { (1u32 << W) - 1 };
    for (k, value) in target.iter_mut().enumerate() {
        let bit = k * W;
        let mut word = [0u8; 8];
        word.copy_from_slice(&padded[bit / 8..bit / 8 + 8]);
        #[allow(clippy::cast_possible_truncation)] // the bits above W go away
        let low = (u64::from_le_bytes(word) >> (bit % 8)) as u32;
        *value = low & mask;
    }
}

/// Unpacks one group of 32 values of `width` bits (0 to 32); `source` has `4 * width` bytes at least.
#[inline]
pub fn unpack32(width: u8, source: &[u8], target: &mut [u32; GROUP]) {
    macro_rules! by_width {
        ($($w:literal)*) => {
            match width {
                $($w => unpack::<$w>(source, target),)*
                _ => unpack::<32>(source, target),
            }
        };
    }
    by_width!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
}

/// Unpacks up to 32 values where fewer bytes than a whole group's are there.
pub fn unpack_tail(width: u8, source: &[u8], target: &mut [u32; GROUP]) {
    let mut whole = [0u8; 4 * 32];
    let n = source.len().min(4 * usize::from(width));
    if let (Some(room), Some(bytes)) = (whole.get_mut(..n), source.get(..n)) {
        room.copy_from_slice(bytes);
    }
    unpack32(width, &whole, target);
}

/// Value number `k` of 64-bit packing: widths up to 64, for differences that need more than 32 bits.
#[must_use]
#[inline]
pub fn wide(width: u8, source: &[u8], k: usize) -> u64 {
    let bit = k * usize::from(width);
    let mut word = [0u8; 16];
    let from = bit / 8;
    let n = source.len().saturating_sub(from).min(16);
    if let (Some(room), Some(bytes)) = (word.get_mut(..n), source.get(from..from + n)) {
        room.copy_from_slice(bytes);
    }
    let mask = if width >= 64 { u64::MAX } else { (1u64 << width) - 1 };
    #[allow(clippy::cast_possible_truncation)] // the bits above the width go away
    let low = (u128::from_le_bytes(word) >> (bit % 8)) as u64;
    low & mask
}
