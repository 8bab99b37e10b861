//! Dictionary decoding: looks up values by their codes.

/// A table of values of 4 or 8 bytes, padded so that every code has an entry.
#[derive(Debug, Clone)]
pub enum ValueTable {
    /// Values of 4 bytes.
    Four(Vec<[u8; 4]>),
    /// Values of 8 bytes.
    Eight(Vec<[u8; 8]>),
}

/// The greatest code. Codes have one byte, or two bytes in two rows: low bytes, then high bytes.
#[must_use]
pub fn greatest(codes: &[u8], wide: bool) -> usize {
    let most = |bytes: &[u8]| usize::from(bytes.iter().copied().fold(0, u8::max));
    if !wide {
        return most(codes);
    }
    let (low, high) = codes.split_at(codes.len() / 2);
    low.iter().zip(high).fold(0, |most, (&l, &h)| most.max(usize::from(u16::from_le_bytes([l, h]))))
}

impl ValueTable {
    /// A table of the values in `bytes`, of `width` 4 or 8; `None` for other widths. `wide`: codes have two bytes.
    #[must_use]
    pub fn new(bytes: &[u8], width: usize, wide: bool) -> Option<Self> {
        let count = if wide { 1 << 16 } else { 1 << 8 };
        fn padded<const W: usize>(bytes: &[u8], count: usize) -> Vec<[u8; W]> {
            let mut values = bytes.as_chunks::<W>().0.to_vec();
            values.resize(count, [0; W]);
            values
        }
        match width {
            4 => Some(Self::Four(padded(bytes, count))),
            8 => Some(Self::Eight(padded(bytes, count))),
            _ => None,
        }
    }

    /// Writes the values of `codes` to `target`. Codes have one byte, or two bytes in two rows if `wide`.
    pub fn find(&self, codes: &[u8], wide: bool, target: &mut [u8]) {
        match self {
            Self::Four(values) => find(values, codes, wide, target.as_chunks_mut().0),
            Self::Eight(values) => find(values, codes, wide, target.as_chunks_mut().0),
        }
    }
}

fn find<const W: usize>(values: &[[u8; W]], codes: &[u8], wide: bool, target: &mut [[u8; W]]) {
    // A table of constant length needs no bounds checks.
    if wide {
        let Some(values) = values.first_chunk::<65536>() else { return };
        let (low, high) = codes.split_at(codes.len() / 2);
        for ((place, &l), &h) in target.iter_mut().zip(low).zip(high) {
            *place = values[usize::from(u16::from_le_bytes([l, h]))];
        }
        return;
    }
    let Some(values) = values.first_chunk::<256>() else { return };
    for (place, &code) in target.iter_mut().zip(codes) {
        *place = values[usize::from(code)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_find_their_values() {
        let values: Vec<u8> = [10u32, 20, 30].iter().flat_map(|v| v.to_le_bytes()).collect();
        let expected: Vec<u8> = [30u32, 10, 20, 20].iter().flat_map(|v| v.to_le_bytes()).collect();
        let mut out = vec![0; 16];
        ValueTable::new(&values, 4, false).unwrap().find(&[2, 0, 1, 1], false, &mut out);
        assert_eq!(out, expected);
        let mut out = vec![0; 16];
        ValueTable::new(&values, 4, true).unwrap().find(&[2, 0, 1, 1, 0, 0, 0, 0], true, &mut out);
        assert_eq!(out, expected);
        assert!(ValueTable::new(&values, 3, false).is_none());
    }

    #[test]
    fn the_greatest_code_is_found() {
        assert_eq!((greatest(&[], false), greatest(&[3, 200, 7], false)), (0, 200));
        assert_eq!((greatest(&[], true), greatest(&[3, 200, 1, 0], true)), (0, 259));
    }
}
