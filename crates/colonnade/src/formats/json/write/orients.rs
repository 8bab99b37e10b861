//! The sections of each orient.
//!
//! | orient | with a header | without one |
//! |---|---|---|
//! | columns | `{H, "a": [..], ..}` | `{"a": {"0": .., ..}, ..}` |
//! | index | `{H, "index": {"0": {"a": ..}, ..}}` | `{"0": {"a": ..}, ..}` |
//! | records | `{H, "records": [{"a": ..}, ..]}` | `[{"a": ..}, ..]` |
//! | split | `{H, "columns": ["a", ..], "data": [[..], ..]}` | `{"columns": [..], "index": [..], "data": [[..], ..]}` |
//! | values | `{H, "data": [[..], ..]}` | `[[..], ..]` |
//! | table | `{H, "schema": {..}, "data": [{"a": ..}, ..]}` | `{"schema": {..}, "data": [..]}` |
//!
//! H is `"__colonnade__": {..}`. With a header, row labels are fields after the columns. Without one, the shapes are those
//! of `DataFrame.to_json`, and the fields of records begin with the row labels unless these are 0, 1, 2...

use std::sync::Arc;

use crate::cells::text::Style;
use crate::error::Result;
use crate::text::pieces::Section;

use super::columns::Column;
use super::labels::Labels;
use super::options::Orient;
use super::rows::{Cell, Rows};
use super::text::{key, put_string};

/// One section.
type Part<'a> = Box<dyn Section + 'a>;

/// Returns the text before the data: `{`, with the header's entry and a comma if there is a header.
fn opened(header: Option<&str>) -> Vec<u8> {
    match header {
        Some(header) => format!("{{\"{}\":{header},", crate::text::header::KEY).into_bytes(),
        None => b"{".to_vec(),
    }
}

fn with(mut front: Vec<u8>, text: &[u8]) -> Vec<u8> {
    front.extend_from_slice(text);
    front
}

/// Creates the cells of rows that are objects.
fn keyed<'a>(columns: &'a [Column], style: Style) -> Result<Vec<Cell<'a>>> {
    separated(columns, style, |column| key(&column.name))
}

/// Creates the cells of rows that are arrays.
fn listed<'a>(columns: &'a [Column], style: Style) -> Result<Vec<Cell<'a>>> {
    separated(columns, style, |_| Vec::new())
}

fn separated<'a>(
    columns: &'a [Column],
    style: Style,
    key: impl Fn(&Column) -> Vec<u8>,
) -> Result<Vec<Cell<'a>>> {
    let cell = |(i, column): (usize, &'a Column)| {
        let mut cell = column.cell(style)?;
        let comma: &[u8] = if i == 0 { b"" } else { b"," };
        cell.key = with(comma.to_vec(), &key(column));
        Ok(cell)
    };
    columns.iter().enumerate().map(cell).collect()
}

/// The inputs of a frame's sections.
pub struct Parts<'a> {
    /// The fields: all with a header, those of the orient without one.
    pub columns: &'a [Column],
    /// The levels of the row labels, for split without a header.
    pub index: &'a [Column],
    /// The column labels as JSON, for split without a header.
    pub names: &'a str,
    /// The description of the fields, for table.
    pub table: &'a str,
    /// The header as JSON.
    pub header: Option<&'a str>,
    /// Keys of the rows.
    pub labels: Option<Arc<Labels>>,
    /// Number of rows.
    pub nrows: usize,
}

/// Builds the sections of one orient.
///
/// # Errors
/// `Unrepresentable`: a type that JSON cannot hold, naming its column.
pub fn sections<'a>(orient: Orient, parts: Parts<'a>, style: Style) -> Result<Vec<Part<'a>>> {
    let Parts { columns, index, names, table, header, labels, nrows } = parts;
    let front = opened(header);
    let headed = header.is_some();
    let rows = |opening, columns, (row_opening, row_closing), closing: &[u8]| Rows {
        opening,
        columns,
        row_opening,
        row_closing,
        closing: closing.to_vec(),
        nrows,
        ..Rows::default()
    };
    let maps = |opening: Vec<u8>, closing: &[u8]| -> Result<Rows<'a>> {
        Ok(rows(opening, keyed(columns, style)?, (b"{", b"}"), closing))
    };
    let lists = |opening: Vec<u8>, columns: &'a [Column], closing: &[u8]| -> Result<Rows<'a>> {
        Ok(rows(opening, listed(columns, style)?, (b"[", b"]"), closing))
    };
    let one = |rows: Rows<'a>| -> Result<Vec<Part<'a>>> { Ok(vec![Box::new(rows)]) };
    match orient {
        Orient::Columns => by_column(front, columns, labels, nrows, headed, style),
        Orient::Index => {
            let (opening, closing): (Vec<u8>, &[u8]) =
                if headed { (with(front, b"\"index\":{"), b"}}") } else { (front, b"}") };
            one(Rows { labels, ..maps(opening, closing)? })
        }
        Orient::Records if headed => one(maps(with(front, b"\"records\":["), b"]}")?),
        Orient::Records => one(maps(b"[".to_vec(), b"]")?),
        Orient::Values if headed => one(lists(with(front, b"\"data\":["), columns, b"]}")?),
        Orient::Values => one(lists(b"[".to_vec(), columns, b"]")?),
        Orient::Table => one(maps(with(front, format!("\"schema\":{table},\"data\":[").as_bytes()), b"]}")?),
        Orient::Split if headed => {
            let mut opening = with(front, b"\"columns\":[");
            for (i, column) in columns.iter().enumerate() {
                if i > 0 {
                    opening.push(b',');
                }
                put_string(&column.name, &mut opening);
            }
            one(lists(with(opening, b"],\"data\":["), columns, b"]}")?)
        }
        Orient::Split => {
            let opening = with(front, format!("\"columns\":{names},\"index\":[").as_bytes());
            let mut labels = lists(opening, index, b"]")?;
            if index.len() == 1 {
                (labels.row_opening, labels.row_closing) = (b"", b"");
            }
            let data = lists(b",\"data\":[".to_vec(), columns, b"]}")?;
            Ok(vec![Box::new(labels), Box::new(data)])
        }
    }
}

/// Builds one section per column.
fn by_column<'a>(
    front: Vec<u8>,
    columns: &'a [Column],
    labels: Option<Arc<Labels>>,
    nrows: usize,
    headed: bool,
    style: Style,
) -> Result<Vec<Part<'a>>> {
    let mut out: Vec<Part<'a>> = Vec::with_capacity(columns.len());
    let mut opening = front;
    for (i, column) in columns.iter().enumerate() {
        opening.extend(key(&column.name));
        opening.push(if headed { b'[' } else { b'{' });
        let mut closing = if headed { b"]".to_vec() } else { b"}".to_vec() };
        let last = i + 1 == columns.len();
        closing.push(if last { b'}' } else { b',' });
        out.push(Box::new(Rows {
            opening: std::mem::take(&mut opening),
            labels: labels.clone(),
            columns: vec![column.cell(style)?],
            closing,
            nrows,
            ..Rows::default()
        }));
    }
    if columns.is_empty() {
        // Without data after it, the header has no comma.
        if headed {
            opening.pop();
        }
        opening.push(b'}');
        out.push(Box::new(Rows { opening, ..Rows::default() }));
    }
    Ok(out)
}
