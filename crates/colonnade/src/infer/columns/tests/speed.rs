//! Measures the time per cell.

use super::*;

/// Processor time of this thread in seconds; other processes do not count.
fn processor_s() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the local `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// `cargo test --release -p colonnade inferred_timing -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn inferred_timing() {
    const N: usize = 337_000;
    let mut dice = Dice(3);
    let mut time = |name: &str, cell: &mut dyn FnMut(&mut Dice, usize, &mut Vec<u8>)| {
        let mut bytes = Vec::new();
        for i in 0..N {
            cell(&mut dice, i, &mut bytes);
        }
        let mut best = f64::MAX;
        for _ in 0..15 {
            let start = processor_s();
            let mut column = InferredColumn::new(&ReadOptions::default()).with_rows(N);
            let taken = column.take(&bytes, N).unwrap();
            let finished = column.finish().unwrap();
            best = best.min(processor_s() - start);
            assert_eq!((taken.nbytes, finished.nrows()), (bytes.len(), N));
        }
        println!("{name:24} {:6.2} ns/cell", best * 1e9 / N as f64);
    };
    let smallest = |value: i64, out: &mut Vec<u8>| match value {
        -32..=127 => out.push(value as u8),
        128..=255 => out.extend([0xcc, value as u8]),
        256..=65535 => out.extend([&[0xcd][..], &(value as u16).to_be_bytes()].concat()),
        -128..=-33 => out.extend([0xd0, value as u8]),
        _ => out.extend([&[0xd1][..], &(value as i16).to_be_bytes()].concat()),
    };
    time("int, 1 byte", &mut |dice, _, out| smallest(dice.roll(100) as i64, out));
    time("int, 3 bytes", &mut |dice, _, out| smallest(300 + dice.roll(2000) as i64, out));
    time("int, 1 to 3 bytes", &mut |dice, _, out| smallest(dice.roll(600) as i64 - 60, out));
    time("int, nearly all 3 bytes", &mut |dice, _, out| smallest(dice.roll(5000) as i64, out));
    time("int, 2 % nil", &mut |dice, _, out| match dice.roll(50) {
        0 => out.push(0xc0),
        _ => smallest(300 + dice.roll(2000) as i64, out),
    });
    let float = |value: f64, out: &mut Vec<u8>| out.extend([&[0xcb][..], &value.to_be_bytes()].concat());
    time("float", &mut |_, i, out| float(i as f64 * 0.1, out));
    time("float, 2 % nil", &mut |dice, i, out| match dice.roll(50) {
        0 => out.push(0xc0),
        _ => float(i as f64 * 0.1, out),
    });
    time("float, half as int", &mut |dice, i, out| match dice.roll(2) {
        0 => smallest(i as i64 % 3000, out),
        _ => float(i as f64 * 0.1, out),
    });
    time("bool", &mut |dice, _, out| out.push(0xc2 + dice.roll(2) as u8));
    time("str, 3 bytes", &mut |_, i, out| out.extend([0xa3, b'A', b'B', b'A' + (i % 26) as u8]));
    time("str, 2 to 12 bytes", &mut |dice, _, out| {
        let n = 2 + dice.roll(11) as u8;
        out.push(0xa0 | n);
        out.extend(vec![b'x'; n as usize]);
    });
    time("str, 1 % nil", &mut |dice, _, out| match dice.roll(100) {
        0 => out.push(0xc0),
        _ => out.extend(b"\xa6N12345"),
    });
    time("nil", &mut |_, _, out| out.push(0xc0));
}
