//! Reads Parquet with a filter, and compares with the same filter over the rows of the whole.

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

/// Filters by one column. `choice` selects the column and the operator. Statistics of a damaged file may be wrong: with them, only
/// fewer rows may come.
///
/// # Panics
/// If other rows pass than those of `whole`.
pub(crate) fn check(
    format: &'static dyn Format,
    file: &[u8],
    options: &parquet::ReadOptions,
    whole: &Frame,
    choice: usize,
) {
    let Some(arrays) = content(whole).filter(|_| whole.ncols > 0) else { return };
    let position = choice % whole.ncols;
    let Some((name, data_type)) = arrays.field(position) else { return };
    let op = OPS[choice / whole.ncols % OPS.len()];
    let literals = match op {
        Op::IsNull | Op::IsNotNull => Vec::new(),
        Op::In | Op::NotIn => vec![literal(&data_type); 2],
        _ => vec![literal(&data_type)],
    };
    let filter = RowFilter { any: vec![vec![Term { column: name.to_owned(), op, literals }]] };
    let Some(rows) = heard(matching_rows(whole, &filter, &[position], 1)) else { return };
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
