//! Columns whose types somebody has told: every cell goes to a reader of its type.
//!
//! Threads share columns rather than pieces of the input: a reader makes one array, and nothing has to be joined.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::pass::{self, Fault, Piece, Source, Target, Wanted};
use crate::cells::text::TextReader;
use crate::error::Result;
use crate::parallel;
use crate::progress::Progress;

/// A column and what reads it.
pub(super) struct Column {
    /// Its place in a row.
    pub(super) position: usize,
    pub(super) reader: Box<dyn TextReader>,
    /// Whether its cells are numbers.
    pub(super) number: bool,
    /// Whether NaN is one of them.
    pub(super) nan: bool,
    /// Whether nothing between quotes is null.
    pub(super) empty: bool,
    /// Whether wrong cells are null.
    pub(super) lenient: bool,
}

impl Column {
    pub(super) fn new(
        position: usize,
        reader: Box<dyn TextReader>,
        data_type: &DataType,
        lenient: bool,
    ) -> Self {
        Self {
            position,
            reader,
            number: is_number(data_type),
            nan: has_nan(data_type),
            empty: false,
            lenient,
        }
    }
}

/// Arrays in the order of the columns, and what is said of their rows.
pub(super) struct Columns {
    pub(super) arrays: Vec<ArrayData>,
    pub(super) rows: usize,
    pub(super) dropped: u64,
    /// Rows that were filled up or cut.
    pub(super) mended: u64,
    /// Where cells stand that became null.
    pub(super) wrong: Vec<usize>,
}

/// Reads columns from `body` on.
pub(super) fn read(
    source: &Source<'_>,
    body: usize,
    columns: Vec<Column>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<std::result::Result<Columns, Fault>> {
    let piece = Piece { start: body, end: source.bytes.len(), first_line: 0, lines: 0 };
    let count = columns.len().div_ceil(threads.max(1)).max(1);
    let mut groups: Vec<Vec<Column>> = Vec::new();
    for column in columns {
        match groups.last_mut() {
            Some(group) if group.len() < count => group.push(column),
            _ => groups.push(vec![column]),
        }
    }
    if groups.is_empty() {
        groups.push(Vec::new());
    }
    let tasks = groups.into_iter().map(|group| {
        let work = move || {
            let wanted: Vec<Wanted> =
                group.iter().map(|c| Wanted { position: c.position, kind: None, timed: false }).collect();
            let one = |c: Column| Target::Typed {
                reader: c.reader,
                number: c.number,
                nan: c.nan,
                empty: c.empty,
                lenient: c.lenient,
                wrong: Vec::new(),
            };
            Ok(pass::read(source, piece, &wanted, group.into_iter().map(one).collect()))
        };
        (piece.end.saturating_sub(piece.start), work)
    });
    let read = parallel::gather(tasks.collect(), threads, progress)?;
    let mut out = Columns { arrays: Vec::new(), rows: 0, dropped: 0, mended: 0, wrong: Vec::new() };
    let mut first: Option<Fault> = None;
    for done in read {
        match done {
            Ok(done) => {
                (out.rows, out.dropped, out.mended) = (done.rows, done.dropped, done.nulled);
                for target in done.targets {
                    if let Target::Typed { reader, wrong, .. } = target {
                        out.wrong.extend(wrong);
                        out.arrays.push(reader.finish()?);
                    }
                }
            }
            // Which group meets its fault first says nothing: the first in the input is told.
            Err(fault) if first.as_ref().is_none_or(|f| fault.at < f.at) => first = Some(fault),
            Err(_) => {}
        }
    }
    Ok(first.map_or(Ok(out), Err))
}

/// Whether the cells of a type are numbers: then they have the input's decimal point.
fn is_number(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_number(values),
        DataType::RunEndEncoded(_, values) => is_number(values.data_type()),
        t => t.is_integer() || t.is_floating() || t.is_decimal(),
    }
}

/// Whether an empty text is a cell of a type.
pub(super) fn has_empty(data_type: &DataType) -> bool {
    use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};
    matches!(data_type, Utf8 | LargeUtf8 | Binary | LargeBinary)
}

/// Whether NaN is a cell of a type.
fn has_nan(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => has_nan(values),
        DataType::RunEndEncoded(_, values) => has_nan(values.data_type()),
        DataType::FixedSizeList(item, 2) => item.data_type().is_floating(),
        t => t.is_floating(),
    }
}
