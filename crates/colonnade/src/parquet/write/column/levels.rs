//! Definition levels of optional leaves: a bit a row, as runs and packed groups.

use std::ops::Range;

use super::super::super::thrift_out::varint;
use super::leaf::{Bits, low};

/// Groups of eight rows that are worth a run of their own.
const LEAST_RUN: usize = 4;

fn packed(groups: &mut Vec<u8>, out: &mut Vec<u8>) {
    if !groups.is_empty() {
        varint(out, (groups.len() as u64) << 1 | 1);
        out.append(groups);
    }
}

/// Appends the levels of these rows, without a length in front.
pub(super) fn encode(validity: Option<Bits<'_>>, rows: &Range<usize>, out: &mut Vec<u8>) {
    let Some(bits) = validity else {
        varint(out, (rows.len() as u64) << 1);
        out.push(1);
        return;
    };
    let mut groups = Vec::new();
    // The run at hand: its byte of eight levels and its rows.
    let (mut run_byte, mut run_rows) = (0u8, 0usize);
    let close = |byte: u8, n: usize, groups: &mut Vec<u8>, out: &mut Vec<u8>, last: bool| {
        if n == 0 {
            return;
        }
        let same = byte == 0 || byte == 0xff;
        if same && (n >= LEAST_RUN * 8 || last && !n.is_multiple_of(8) && groups.is_empty()) {
            packed(groups, out);
            varint(out, (n as u64) << 1);
            out.push(byte & 1);
        } else {
            groups.extend(std::iter::repeat_n(byte, n.div_ceil(8)));
        }
    };
    let mut row = rows.start;
    while row < rows.end {
        let n = (rows.end - row).min(64);
        let word = bits.word(row) & low(n);
        for k in 0..n.div_ceil(8) {
            let now = (n - 8 * k).min(8);
            let mut byte = (word >> (8 * k)).to_le_bytes()[0];
            // The last group of all: its levels alone decide whether it is part of a run.
            if now < 8 && u64::from(byte) == low(now) {
                byte = 0xff;
            }
            if byte != run_byte || run_rows == 0 || !(byte == 0 || byte == 0xff) {
                close(run_byte, run_rows, &mut groups, out, false);
                (run_byte, run_rows) = (byte, 0);
            }
            run_rows += now;
        }
        row += n;
    }
    close(run_byte, run_rows, &mut groups, out, true);
    packed(&mut groups, out);
}
