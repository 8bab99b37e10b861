//! Reads Parquet with a filter, and compares with the same filter over the rows of the whole.

use std::collections::BTreeMap;

use arrow_schema::DataType;
use colonnade::decode::{MemoryLayout, Request};
use colonnade::filter::{Literal, Op, RowFilter, Term, matching_rows};
use colonnade::formats::{Format, parquet};
use colonnade::frame::{Axis, Frame};
use colonnade::memory::Buffer;
use colonnade::progress::NoProgress;
use colonnade::source::Source;

use crate::content::{check_same, content};
use crate::heard;
use crate::mutate::random::Random;

const OPS: [Op; 10] = [
    Op::Equal,
    Op::NotEqual,
    Op::Less,
    Op::LessEqual,
    Op::Greater,
    Op::GreaterEqual,
    Op::In,
    Op::NotIn,
    Op::IsNull,
    Op::IsNotNull,
];

/// Filters by one or two comparisons, which the bytes of the file choose. Statistics of a damaged file may be wrong: with them, only
/// fewer rows may come.
///
/// # Panics
/// If other rows pass than those of `whole`.
pub(crate) fn check(format: &'static dyn Format, file: &[u8], options: &parquet::ReadOptions, whole: &Frame) {
    let Some(arrays) = content(whole).filter(|_| whole.ncols > 0) else { return };
    let mut random = Random::new(crc32fast::hash(file));
    let mut terms = Vec::new();
    let mut positions = BTreeMap::new();
    for _ in 0..1 + random.below(2) {
        let position = random.below(whole.ncols);
        let Some((name, data_type)) = arrays.field(position) else { return };
        positions.insert(name.to_owned(), position);
        terms.push(term(name, &data_type, &mut random));
    }
    // All of them, or any.
    let any =
        if random.below(2) == 0 { vec![terms] } else { terms.into_iter().map(|term| vec![term]).collect() };
    let filter = RowFilter { any };
    let places: Vec<usize> =
        filter.columns().iter().filter_map(|name| positions.get(*name).copied()).collect();
    let Some(rows) = heard(matching_rows(whole, &filter, &places, 1)) else { return };
    let read = |ignore_statistics: bool| {
        let options =
            parquet::ReadOptions { filter: Some(filter.clone()), ignore_statistics, ..options.clone() };
        let source = Source::Memory(Buffer::from_vec(file.to_vec()));
        let opened = heard(format.open(source, &options, &NoProgress))?;
        let request = Request { layout: MemoryLayout::Arrow, ..Request::all(1, &NoProgress) };
        Some(heard(opened.load(&request))?.frame)
    };
    let Some(found) = read(true) else { return };
    assert_eq!(found.nrows, rows.len(), "rows with {filter:?}");
    if let Some(kept) = heard(whole.keep(&rows, None, 2, &NoProgress)) {
        check_same(&kept, &found, "the rows that pass a filter");
    }
    for (at, row) in [(0, rows.first()), (rows.len().wrapping_sub(1), rows.last())] {
        if let Some(&row) = row {
            // A filter numbers automatic labels anew.
            let [one, other] = [found.slice(at, at + 1), whole.slice(row, row + 1)]
                .map(|frame| Frame { index: Axis::range(1), ..frame });
            check_same(&one, &other, "a row that passes a filter");
        }
    }
    if let Some(found) = read(false) {
        assert!(found.nrows <= rows.len(), "{} rows by statistics with {filter:?}", found.nrows);
    }
}

/// A comparison of a column, mostly with what compares with its values.
fn term(column: &str, data_type: &DataType, random: &mut Random) -> Term {
    let op = OPS[random.below(OPS.len())];
    let count = match op {
        Op::IsNull | Op::IsNotNull => 0,
        Op::In | Op::NotIn => random.below(4),
        _ => 1,
    };
    let mut one = || if random.below(3) == 0 { any_literal(random) } else { literal(data_type) };
    let literals = (0..count).map(|_| one()).collect();
    Term { column: column.to_owned(), op, literals }
}

/// A literal of any kind: near the values that files have, far from them, between them, and of no meaning.
fn any_literal(random: &mut Random) -> Literal {
    const DAY: i128 = 86_400_000_000_000;
    let number = i128::from(random.number()) - i128::from(random.number());
    match random.below(12) {
        0 => Literal::Bool(random.below(2) == 0),
        1 => Literal::Int(number),
        2 => Literal::Int(number.saturating_mul(number)),
        3 => Literal::Float([0.5, -0.0, f64::NAN, f64::INFINITY, 1e300, -3.0][random.below(6)]),
        4 => Literal::Decimal(number, random.byte() % 80),
        5 => Literal::Text(
            ["", "a", "0", "2024-01-31", "2024-01-31T12:00:00.5+01:00", "12:30"][random.below(6)].into(),
        ),
        6 => Literal::Bytes(vec![random.byte(); random.below(4)]),
        7 => Literal::Instant(number.saturating_mul(1000), random.below(2) == 0),
        8 => Literal::Instant(number % 100_000 * DAY, false),
        9 => Literal::Date(random.below(40_000) as i64),
        10 => Literal::Clock(number % DAY),
        _ => Literal::Span(number),
    }
}

/// A literal that compares with values of this type, where there is one.
fn literal(data_type: &DataType) -> Literal {
    match data_type {
        DataType::Boolean => Literal::Bool(true),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            Literal::Bytes(b"b".to_vec())
        }
        DataType::Timestamp(_, None) | DataType::Date32 | DataType::Date64 => {
            Literal::Text("2024-01-31T00:00:00".into())
        }
        DataType::Timestamp(_, Some(_)) => Literal::Text("2024-01-31T00:00:00Z".into()),
        DataType::Time32(_) | DataType::Time64(_) => Literal::Text("12:30:00".into()),
        DataType::Duration(_) => Literal::Span(1_000_000_000),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Literal::Float(1.5),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Literal::Text("b".into()),
        DataType::Dictionary(_, values) => literal(values),
        DataType::RunEndEncoded(_, values) => literal(values.data_type()),
        _ => Literal::Int(2),
    }
}
