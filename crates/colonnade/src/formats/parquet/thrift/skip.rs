//! Skips values fast. In a footer of 18,000 columns, skipping is most of the work.
//!
//! `None` means that this code does not handle the value. The full parser then reads it and reports errors.

use super::ThriftType;

/// Returns the position after the value of type `wire` at `at`.
#[inline]
pub(super) fn value(bytes: &[u8], at: usize, wire: u8, depth: usize) -> Option<usize> {
    if wire == ThriftType::Struct as u8 { structure(bytes, at, depth) } else { other(bytes, at, wire, depth) }
}

fn structure(bytes: &[u8], mut at: usize, depth: usize) -> Option<usize> {
    let below = depth.checked_sub(1)?;
    loop {
        let head = *bytes.get(at)?;
        at += 1;
        match head & 0x0f {
            _ if head < 0x10 => return (head == 0).then_some(at),
            1 | 2 => {}
            4..=6 => at = number(bytes, at)?,
            8 => at = text(bytes, at)?,
            12 => at = structure(bytes, at, below)?,
            wire => at = other(bytes, at, wire, below)?,
        }
    }
}

fn other(bytes: &[u8], at: usize, wire: u8, depth: usize) -> Option<usize> {
    let end = match wire {
        1 | 2 => at,
        3 => at + 1,
        4..=6 => number(bytes, at)?,
        7 => at + 8,
        8 => text(bytes, at)?,
        9 | 10 => list(bytes, at, depth.checked_sub(1)?)?,
        12 => structure(bytes, at, depth)?,
        _ => return None,
    };
    (end <= bytes.len()).then_some(end)
}

fn list(bytes: &[u8], at: usize, depth: usize) -> Option<usize> {
    let head = *bytes.get(at)?;
    let (n, mut at) = match usize::from(head >> 4) {
        15 => length(bytes, at + 1)?,
        n => (n, at + 1),
    };
    if n > bytes.len() - at {
        return None;
    }
    match head & 0x0f {
        // A bool in a list has one byte.
        1..=3 => at += n,
        4..=6 => {
            for _ in 0..n {
                at = number(bytes, at)?;
            }
        }
        8 => {
            for _ in 0..n {
                at = text(bytes, at)?;
            }
        }
        12 => {
            for _ in 0..n {
                at = structure(bytes, at, depth)?;
            }
        }
        _ if n == 0 => {}
        _ => return None,
    }
    (at <= bytes.len()).then_some(at)
}

/// Skips an integer of up to eight bytes, testing eight bytes at once.
#[inline]
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let first = *bytes.get(at)?;
    if first < 0x80 {
        return Some(at + 1);
    }
    let word = u64::from_le_bytes(*bytes.get(at..)?.first_chunk::<8>()?);
    let ends = !word & 0x8080_8080_8080_8080;
    (ends != 0).then(|| at + 1 + (ends.trailing_zeros() / 8) as usize)
}

/// Skips text with a length prefix.
#[inline]
fn text(bytes: &[u8], at: usize) -> Option<usize> {
    let (n, start) = length(bytes, at)?;
    (n <= bytes.len() - start).then_some(start + n)
}

/// Reads an integer below 2^21 and returns the position after it.
#[inline]
fn length(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let (mut n, mut shift, mut at) = (0, 0, at);
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        n |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((n, at));
        }
        shift += 7;
        if shift > 14 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MAX_DEPTH, Thrift, ThriftType};
    use super::value;

    /// A structure with a field of every type.
    fn sample() -> Vec<u8> {
        let mut out = vec![
            0x11, 0x12, 0x13, 0x7f, 0x14, 0x02, 0x15, 0xff, 0x01, 0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f,
        ];
        out.extend([0x17, 0, 0, 0, 0, 0, 0, 0, 0]);
        out.extend([0x18, 0x02, b'a', b'b', 0x19, 0x25, 0x80, 0x01, 0x02, 0x19, 0x32, 1, 2, 1]);
        out.extend([0x19, 0x18, 0x01, b'x', 0x19, 0x2c, 0x00, 0x15, 0x02, 0x00, 0x19, 0x00]);
        out.extend([0x1c, 0x1c, 0x00, 0x00, 0x18, 0x81, 0x01]);
        out.extend([b'z'; 129]);
        out.push(0);
        out
    }

    #[test]
    fn skipping_ends_where_the_full_parser_ends() {
        let bytes = sample();
        let mut thrift = Thrift::new(&bytes, 0, "a sample");
        assert!(thrift.skip_within(ThriftType::Struct, MAX_DEPTH).is_ok());
        assert_eq!(thrift.position(), bytes.len());
        let mut longer = bytes.clone();
        longer.extend([0; 8]);
        assert_eq!(value(&longer, 0, ThriftType::Struct as u8, MAX_DEPTH), Some(bytes.len()));
    }

    #[test]
    fn damage_is_left_to_the_full_parser() {
        let bytes = sample();
        for cut in 0..bytes.len() {
            let some = &bytes[..cut];
            assert!(value(some, 0, ThriftType::Struct as u8, MAX_DEPTH).is_none(), "{cut}");
            assert!(Thrift::new(some, 0, "a sample").skip(ThriftType::Struct).is_err(), "{cut}");
        }
        for place in 0..bytes.len() {
            for value_of in 0..=255 {
                let mut other = bytes.clone();
                other[place] = value_of;
                let (mut quick, mut slow) = (Thrift::new(&other, 0, "x"), Thrift::new(&other, 0, "x"));
                let ends = quick.skip(ThriftType::Struct).is_ok();
                assert_eq!(
                    ends,
                    slow.skip_within(ThriftType::Struct, MAX_DEPTH).is_ok(),
                    "{place} {value_of}"
                );
                if ends {
                    assert_eq!(quick.position(), slow.position(), "{place} {value_of}");
                }
            }
        }
        // A list of two hundred empty structures.
        let long = [[0x19, 0xfc, 0xc8, 0x01].as_slice(), &[0; 201]].concat();
        assert_eq!(value(&long, 0, ThriftType::Struct as u8, MAX_DEPTH), Some(long.len()));
        // Lists nested deeper than the limit.
        let deep = [[0x19; 1].as_slice(), &[0x19; 64], &[0]].concat();
        assert!(Thrift::new(&deep, 0, "x").skip(ThriftType::Struct).is_err());
    }
}
