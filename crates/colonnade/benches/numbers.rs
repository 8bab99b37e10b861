//! Doubles from text, a column of cells at a time: `cargo bench -p colonnade --bench numbers`.
//!
//! `cells/number.rs` is compared with fast-float2 and with the standard library on cells whose ends are known (CSV) and on
//! numbers whose ends the parser finds (JSON). All three give the same bits, which is checked before anything is timed.

#![allow(missing_docs, dead_code, clippy::unwrap_used, reason = "a benchmark: what fails ends it")]

use std::hint::black_box;
use std::ops::Range;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

#[path = "../src/cells/number.rs"]
mod number;

const ROWS: usize = 100_000;

/// A column as the bytes of its cells, with a comma behind each, and their places.
struct Cells {
    bytes: Vec<u8>,
    spans: Vec<Range<usize>>,
}

/// Columns of the kinds that tables hold. The numbers come from a linear congruence, so every run has the same.
fn columns() -> Vec<(&'static str, Cells)> {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    #[allow(clippy::cast_precision_loss, reason = "any double will do")]
    let mut column = |text: &dyn Fn(u64) -> String| {
        let (mut bytes, mut spans) = (Vec::new(), Vec::new());
        for _ in 0..ROWS {
            let start = bytes.len();
            bytes.extend_from_slice(text(next()).as_bytes());
            spans.push(start..bytes.len());
            bytes.push(b',');
        }
        bytes.extend_from_slice(&[b'0'; 32]);
        Cells { bytes, spans }
    };
    vec![
        ("prices", column(&|n| format!("{}.{:02}", n % 10_000, n / 10_000 % 100))),
        ("coordinates", column(&|n| format!("-{}.{:06}", n % 180, n / 180 % 1_000_000))),
        ("doubles", column(&|n| format!("{}", n as f64 / (1u64 << 53) as f64))),
        ("exponents", column(&|n| format!("{:e}", n as f64 * 1e-30))),
    ]
}

/// The double of a cell, as CSV reads it.
fn cell(cells: &Cells, span: &Range<usize>) -> f64 {
    let long = || number::float(text(cells, span)).unwrap();
    number::short_float(&cells.bytes, span.start, span.end, b'.').unwrap_or_else(long)
}

/// The double that starts at `start`, as JSON's scanner reads it, and its end.
fn number_at(bytes: &[u8], start: usize) -> (f64, usize) {
    let negative = bytes[start] == b'-';
    let mut at = start + usize::from(negative);
    if let Some((value, count)) = number::leading_short_float(&bytes[at..]) {
        return (if negative { -value } else { value }, at + count);
    }
    let (mut mantissa, mut power) = (0, 0i64);
    let mut count = number::leading_digits(&bytes[at..], &mut mantissa);
    at += count;
    if bytes[at] == b'.' {
        let decimals = number::leading_digits(&bytes[at + 1..], &mut mantissa);
        at += 1 + decimals;
        count += decimals;
        power -= i64::try_from(decimals).unwrap();
    }
    if bytes[at] == b'e' {
        let minus = bytes[at + 1] == b'-';
        at += 1 + usize::from(minus);
        let mut exponent = 0;
        at += number::leading_digits(&bytes[at..], &mut exponent);
        power += if minus { -exponent.cast_signed() } else { exponent.cast_signed() };
    }
    match number::exact_product(mantissa, power).filter(|_| count <= 19) {
        Some(value) => (if negative { -value } else { value }, at),
        None => (number::float(std::str::from_utf8(&bytes[start..at]).unwrap()).unwrap(), at),
    }
}

fn text<'c>(cells: &'c Cells, span: &Range<usize>) -> &'c str {
    std::str::from_utf8(&cells.bytes[span.clone()]).unwrap()
}

fn numbers(c: &mut Criterion) {
    for (name, cells) in &columns() {
        for span in &cells.spans {
            let expected: f64 = text(cells, span).parse().unwrap();
            let fast: f64 = fast_float2::parse(&cells.bytes[span.clone()]).unwrap();
            assert_eq!(cell(cells, span).to_bits(), expected.to_bits());
            assert_eq!(fast.to_bits(), expected.to_bits());
            let (value, end) = number_at(&cells.bytes, span.start);
            assert_eq!((value.to_bits(), end), (expected.to_bits(), span.end));
        }
        let mut group = c.benchmark_group("known ends");
        group.throughput(Throughput::Elements(ROWS as u64));
        let mut run = |who: &str, parse: &dyn Fn(&Range<usize>) -> f64| {
            group.bench_function(BenchmarkId::new(who, name), |b| {
                b.iter(|| cells.spans.iter().map(|span| black_box(parse(span))).sum::<f64>());
            });
        };
        run("colonnade", &|span| cell(cells, span));
        run("fast-float2", &|span| fast_float2::parse(&cells.bytes[span.clone()]).unwrap());
        run("std", &|span| text(cells, span).parse().unwrap());
        group.finish();

        let mut group = c.benchmark_group("ends to find");
        group.throughput(Throughput::Elements(ROWS as u64));
        let mut run = |who: &str, parse: &dyn Fn(usize) -> (f64, usize)| {
            group.bench_function(BenchmarkId::new(who, name), |b| {
                b.iter(|| cells.spans.iter().map(|span| black_box(parse(span.start)).0).sum::<f64>());
            });
        };
        run("colonnade", &|start| number_at(&cells.bytes, start));
        run("fast-float2", &|start| {
            let (value, nbytes) = fast_float2::parse_partial(&cells.bytes[start..]).unwrap();
            (value, start + nbytes)
        });
        group.finish();
    }
}

criterion_group!(benches, numbers);
criterion_main!(benches);
