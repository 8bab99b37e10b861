//! How fast rows are read: `cargo test --release json::read::speed -- --ignored --nocapture`, with NDJSON in a file.

use crate::plan::NoProgress;

use super::super::value::Rules;
use super::ranges::{Rows, Source, collect};
use super::walk::Row;

#[test]
#[ignore = "prints times"]
fn rows_a_second() {
    let path = std::env::var("COLONNADE_NDJSON").unwrap();
    let bytes = std::fs::read(path).unwrap();
    let rules = Rules {
        max_depth: 64,
        max_columns: 1 << 24,
        max_missing: 1 << 28,
        nonfinite: false,
        decimals: false,
    };
    let source = Source { start: 0, rows: Rows::Lines, row: Row::Named, depth: 0 };
    for (threads, range) in [(1, 1 << 20), (2, 256 << 10), (2, 1 << 20), (2, 4 << 20), (1, 256 << 10)] {
        let mut best = f64::MAX;
        let mut cells = 0;
        for _ in 0..8 {
            let start = std::time::Instant::now();
            simdutf8::basic::from_utf8(&bytes).unwrap();
            let collected =
                collect((&bytes, &source), &rules, &Default::default(), (threads, range), &NoProgress)
                    .unwrap()
                    .unwrap();
            cells = collected.rows * collected.columns.len();
            let columns: Vec<_> = collected.columns.into_iter().map(|c| c.finish().unwrap()).collect();
            best = best.min(start.elapsed().as_secs_f64());
            drop(columns);
        }
        println!(
            "{threads} threads, ranges of {range}: {:.1} ms, {:.2} ns/cell, {:.2} GB/s",
            best * 1e3,
            best * 1e9 / cells as f64,
            bytes.len() as f64 / best / 1e9
        );
    }
}
