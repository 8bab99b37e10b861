//! Measures reading: `cargo test --release json::read::tests::speed -- --ignored --nocapture`, with a file of NDJSON or
//! JSON.

use crate::memory::Buffer;

use super::options::{LinesReadOptions, ReadOptions};
use super::{lines, root};

/// Seconds of processor time in all threads; other processes do not count.
fn processor_s() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the local `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[test]
#[ignore = "prints times"]
fn cells_a_second() {
    for path in std::env::var("COLONNADE_JSON").unwrap().split(':') {
        let input = Buffer::from_vec(std::fs::read(path).unwrap());
        for threads in [1, 2] {
            let (mut best, mut cells) = (f64::MAX, 0);
            for _ in 0..8 {
                let start = processor_s();
                let decoded = if path.ends_with(".ndjson") {
                    lines::decode(&input, &LinesReadOptions { threads, ..LinesReadOptions::default() })
                } else {
                    root::decode(&input, &ReadOptions { threads, ..ReadOptions::default() })
                };
                let frame = decoded.unwrap().frame;
                cells = frame.nrows * frame.ncols;
                best = best.min(processor_s() - start);
            }
            let (ns, rate) = (best * 1e9 / cells as f64, input.as_slice().len() as f64 / best / 1e9);
            println!(
                "{path}, {threads} threads: {:.0} ms of processor time, {ns:.1} ns/cell, {rate:.2} GB/s",
                best * 1e3
            );
        }
    }
}
