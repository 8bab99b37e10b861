//! Kernels that decode runs of numbers: integers of any width, floats, booleans. They stop before the first cell of another
//! family, and before the last bytes of the input, where a load could pass the end. The caller decodes these cells one by
//! one.

use crate::cells::msgpack::column::CellExtent;

/// How to decode an integer with a given marker: eight bytes at `from` are loaded and shifted down.
#[derive(Clone, Copy)]
struct IntegerStep {
    /// Bytes of the cell; 0 if it is no integer.
    nbytes: u8,
    from: u8,
    shift: u8,
    signed: bool,
}

const STEPS: [IntegerStep; 256] = {
    let mut steps = [IntegerStep { nbytes: 0, from: 0, shift: 0, signed: false }; 256];
    let mut marker = 0;
    while marker < 256 {
        // A small integer is its own marker, sign-extended.
        if marker <= 0x7f || marker >= 0xe0 {
            steps[marker] = IntegerStep { nbytes: 1, from: 0, shift: 56, signed: true };
        }
        marker += 1;
    }
    steps[0xcc] = IntegerStep { nbytes: 2, from: 1, shift: 56, signed: false };
    steps[0xcd] = IntegerStep { nbytes: 3, from: 1, shift: 48, signed: false };
    steps[0xce] = IntegerStep { nbytes: 5, from: 1, shift: 32, signed: false };
    steps[0xcf] = IntegerStep { nbytes: 9, from: 1, shift: 0, signed: false };
    steps[0xd0] = IntegerStep { nbytes: 2, from: 1, shift: 56, signed: true };
    steps[0xd1] = IntegerStep { nbytes: 3, from: 1, shift: 48, signed: true };
    steps[0xd2] = IntegerStep { nbytes: 5, from: 1, shift: 32, signed: true };
    steps[0xd3] = IntegerStep { nbytes: 9, from: 1, shift: 0, signed: true };
    steps
};

/// The number of equal widths in a row after which the kernel tries a run with one marker.
const STEADY: u32 = 8;

/// The number of integers taken, and whether some are below zero, and some above `i64::MAX`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IntegerRun {
    pub(super) taken: CellExtent,
    pub(super) negative: bool,
    pub(super) big: bool,
}

/// Decodes integers of any width to 64-bit words.
pub(super) fn ints(bytes: &[u8], out: &mut [[u8; 8]]) -> IntegerRun {
    let (mut at, mut done) = (0, 0);
    // The combined top bits of all signed and of all unsigned values.
    let (mut below, mut above) = (0u64, 0u64);
    'runs: while let (Some(rest), Some(slots)) = (bytes.get(at..), out.get_mut(done..)) {
        let (cells, nbytes) = run(rest, slots, &mut below, &mut above);
        at += nbytes;
        done += cells;
        // Widths vary: no branch from here on depends on the marker, because none could be predicted.
        let (mut steady, mut last) = (0u32, 0u8);
        for slot in out.get_mut(done..).unwrap_or_default() {
            let Some(window) = bytes.get(at..).and_then(|rest| rest.first_chunk::<9>()) else { break 'runs };
            let [marker, behind @ ..] = *window;
            let [before @ .., _] = *window;
            let step = STEPS[marker as usize];
            if step.nbytes == 0 {
                break 'runs;
            }
            let raw = u64::from_be_bytes(if step.from == 0 { before } else { behind });
            let plain = raw >> step.shift;
            let extended = (raw.cast_signed() >> step.shift).cast_unsigned();
            let value = if step.signed { extended } else { plain };
            below |= if step.signed { value } else { 0 };
            above |= if step.signed { 0 } else { value };
            *slot = value.to_le_bytes();
            at += usize::from(step.nbytes);
            done += 1;
            steady = if step.nbytes == last { steady + 1 } else { 0 };
            last = step.nbytes;
            if steady >= STEADY {
                continue 'runs;
            }
        }
        break;
    }
    IntegerRun {
        taken: CellExtent { cells: done, nbytes: at },
        negative: below >> 63 == 1,
        big: above >> 63 == 1,
    }
}

/// Decodes a run of integers with the marker of the first.
fn run(bytes: &[u8], out: &mut [[u8; 8]], below: &mut u64, above: &mut u64) -> (usize, usize) {
    macro_rules! run {
        ($width:literal, $t:ty, $top:ident, $widen:expr) => {{
            let mut cells = 0;
            let mut top = 0u64;
            if let Some(&first) = bytes.first() {
                for ([marker, raw @ ..], slot) in bytes.as_chunks::<$width>().0.iter().zip(out) {
                    if *marker != first {
                        break;
                    }
                    let value: u64 = $widen(<$t>::from_be_bytes(*raw));
                    top |= value;
                    *slot = value.to_le_bytes();
                    cells += 1;
                }
            }
            *$top |= top;
            (cells, cells * $width)
        }};
    }
    match bytes.first() {
        Some(0..=0x7f | 0xe0..) => small(bytes, out, below),
        Some(0xcc) => run!(2, u8, above, u64::from),
        Some(0xcd) => run!(3, u16, above, u64::from),
        Some(0xce) => run!(5, u32, above, u64::from),
        Some(0xcf) => run!(9, u64, above, |v| v),
        Some(0xd0) => run!(2, i8, below, |v| i64::from(v).cast_unsigned()),
        Some(0xd1) => run!(3, i16, below, |v| i64::from(v).cast_unsigned()),
        Some(0xd2) => run!(5, i32, below, |v| i64::from(v).cast_unsigned()),
        Some(0xd3) => run!(9, i64, below, |v: i64| v.cast_unsigned()),
        _ => (0, 0),
    }
}

/// Whether a byte is a one-byte integer: -32 to 127.
fn is_small(byte: u8) -> bool {
    byte.cast_signed() >= -32
}

/// Decodes a run of one-byte integers.
fn small(bytes: &[u8], out: &mut [[u8; 8]], below: &mut u64) -> (usize, usize) {
    let mut cells = 0;
    let mut top = 0u8;
    for (group, slots) in bytes.as_chunks::<16>().0.iter().zip(out.as_chunks_mut::<16>().0) {
        if !group.iter().fold(true, |all, &byte| all & is_small(byte)) {
            break;
        }
        for (slot, &byte) in slots.iter_mut().zip(group) {
            *slot = i64::from(byte.cast_signed()).to_le_bytes();
            top |= byte;
        }
        cells += 16;
    }
    *below |= u64::from(top >> 7) << 63;
    (cells, cells)
}

/// Decodes 64-bit floats, and 32-bit floats widened.
pub(super) fn floats(bytes: &[u8], out: &mut [[u8; 8]]) -> CellExtent {
    let (mut at, mut done) = (0, 0);
    while let (Some(rest), Some(slots)) = (bytes.get(at..), out.get_mut(done..)) {
        let before = done;
        match rest.first() {
            Some(0xcb) => {
                for (group, eight) in rest.as_chunks::<72>().0.iter().zip(slots.as_chunks_mut::<8>().0) {
                    let cells = group.as_chunks::<9>().0;
                    if !cells.iter().fold(true, |all, cell| all & (cell[0] == 0xcb)) {
                        break;
                    }
                    for ([_, raw @ ..], slot) in cells.iter().zip(eight) {
                        *slot = u64::from_be_bytes(*raw).to_le_bytes();
                    }
                    done += 8;
                }
                let grouped = done - before;
                let cells = rest.as_chunks::<9>().0.iter().zip(slots).skip(grouped);
                for ([_, raw @ ..], slot) in cells.take_while(|(cell, _)| cell[0] == 0xcb) {
                    *slot = u64::from_be_bytes(*raw).to_le_bytes();
                    done += 1;
                }
                at += (done - before) * 9;
            }
            Some(0xca) => {
                let cells = rest.as_chunks::<5>().0.iter().zip(slots);
                for ([_, raw @ ..], slot) in cells.take_while(|(cell, _)| cell[0] == 0xca) {
                    *slot = widen_float(u32::from_be_bytes(*raw)).to_le_bytes();
                    done += 1;
                }
                at += (done - before) * 5;
            }
            _ => break,
        }
        if done == before {
            break;
        }
    }
    CellExtent { cells: done, nbytes: at }
}

/// Converts the bits of a 32-bit float to those of the equal 64-bit float. It keeps the payload of a NaN, which a cast does
/// not guarantee.
pub(super) fn widen_float(bits: u32) -> u64 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let (sign, payload) = (u64::from(bits >> 31) << 63, u64::from(bits & 0x007F_FFFF) << 29);
        return sign | 0x7FF0_0000_0000_0000 | payload;
    }
    f64::from(value).to_bits()
}

/// Decodes booleans to bytes.
pub(super) fn bools(bytes: &[u8], out: &mut [u8]) -> CellExtent {
    let mut done = 0;
    for (group, slots) in bytes.as_chunks::<32>().0.iter().zip(out.as_chunks_mut::<32>().0) {
        if !group.iter().fold(true, |all, &byte| all & (byte & 0xFE == 0xC2)) {
            break;
        }
        for (slot, &byte) in slots.iter_mut().zip(group) {
            *slot = byte & 1;
        }
        done += 32;
    }
    for (&byte, slot) in bytes.iter().zip(out).skip(done) {
        if byte & 0xFE != 0xC2 {
            break;
        }
        *slot = byte & 1;
        done += 1;
    }
    CellExtent { cells: done, nbytes: done }
}
