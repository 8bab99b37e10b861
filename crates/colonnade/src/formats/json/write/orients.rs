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

use crate::cells::text::TextStyle;
use crate::error::Result;
use crate::text::pieces::TextSection;

use super::columns::JsonColumn;
use super::labels::LabelKeys;
use super::options::JsonOrient;
use super::rows::{JsonCells, JsonSection};
use super::text::{key, put_string};

/// One section.
type BoxedSection<'a> = Box<dyn TextSection + 'a>;

/// Returns the text before the data: `{`, with the header's entry and a comma if there is a header.
fn header_opening(header: Option<&str>) -> Vec<u8> {
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
fn object_cells<'a>(columns: &'a [JsonColumn], style: TextStyle) -> Result<Vec<JsonCells<'a>>> {
    separate_cells(columns, style, |column| key(&column.name))
}

/// Creates the cells of rows that are arrays.
fn array_cells<'a>(columns: &'a [JsonColumn], style: TextStyle) -> Result<Vec<JsonCells<'a>>> {
    separate_cells(columns, style, |_| Vec::new())
}

fn separate_cells<'a>(
    columns: &'a [JsonColumn],
    style: TextStyle,
    key: impl Fn(&JsonColumn) -> Vec<u8>,
) -> Result<Vec<JsonCells<'a>>> {
    let cell = |(i, column): (usize, &'a JsonColumn)| {
        let mut cell = column.cell(style)?;
        let comma: &[u8] = if i == 0 { b"" } else { b"," };
        cell.key = with(comma.to_vec(), &key(column));
        Ok(cell)
    };
    columns.iter().enumerate().map(cell).collect()
}

/// The inputs of a frame's sections.
pub struct SectionParts<'a> {
    /// The fields: all with a header, those of the orient without one.
    pub columns: &'a [JsonColumn],
    /// The levels of the row labels, for split without a header.
    pub index: &'a [JsonColumn],
    /// The column labels as JSON, for split without a header.
    pub names: &'a str,
    /// The description of the fields, for table.
    pub table: &'a str,
    /// The header as JSON.
    pub header: Option<&'a str>,
    /// Keys of the rows.
    pub labels: Option<Arc<LabelKeys>>,
    /// Number of rows.
    pub nrows: usize,
}

/// Builds the sections of one orient.
///
/// # Errors
/// `Unrepresentable`: a type that JSON cannot hold, naming its column.
pub fn sections<'a>(
    orient: JsonOrient,
    parts: SectionParts<'a>,
    style: TextStyle,
) -> Result<Vec<BoxedSection<'a>>> {
    let SectionParts { columns, index, names, table, header, labels, nrows } = parts;
    let front = header_opening(header);
    let headed = header.is_some();
    let rows = |opening, columns, (row_opening, row_closing), closing: &[u8]| JsonSection {
        opening,
        columns,
        row_opening,
        row_closing,
        closing: closing.to_vec(),
        nrows,
        ..JsonSection::default()
    };
    let maps = |opening: Vec<u8>, closing: &[u8]| -> Result<JsonSection<'a>> {
        Ok(rows(opening, object_cells(columns, style)?, (b"{", b"}"), closing))
    };
    let lists = |opening: Vec<u8>, columns: &'a [JsonColumn], closing: &[u8]| -> Result<JsonSection<'a>> {
        Ok(rows(opening, array_cells(columns, style)?, (b"[", b"]"), closing))
    };
    let one = |rows: JsonSection<'a>| -> Result<Vec<BoxedSection<'a>>> { Ok(vec![Box::new(rows)]) };
    match orient {
        JsonOrient::Columns => by_column(front, columns, labels, nrows, headed, style),
        JsonOrient::Index => {
            let (opening, closing): (Vec<u8>, &[u8]) =
                if headed { (with(front, b"\"index\":{"), b"}}") } else { (front, b"}") };
            one(JsonSection { labels, ..maps(opening, closing)? })
        }
        JsonOrient::Records if headed => one(maps(with(front, b"\"records\":["), b"]}")?),
        JsonOrient::Records => one(maps(b"[".to_vec(), b"]")?),
        JsonOrient::Values if headed => one(lists(with(front, b"\"data\":["), columns, b"]}")?),
        JsonOrient::Values => one(lists(b"[".to_vec(), columns, b"]")?),
        JsonOrient::Table => {
            one(maps(with(front, format!("\"schema\":{table},\"data\":[").as_bytes()), b"]}")?)
        }
        JsonOrient::Split if headed => {
            let mut opening = with(front, b"\"columns\":[");
            for (i, column) in columns.iter().enumerate() {
                if i > 0 {
                    opening.push(b',');
                }
                put_string(&column.name, &mut opening);
            }
            one(lists(with(opening, b"],\"data\":["), columns, b"]}")?)
        }
        JsonOrient::Split => {
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
    columns: &'a [JsonColumn],
    labels: Option<Arc<LabelKeys>>,
    nrows: usize,
    headed: bool,
    style: TextStyle,
) -> Result<Vec<BoxedSection<'a>>> {
    let mut out: Vec<BoxedSection<'a>> = Vec::with_capacity(columns.len());
    let mut opening = front;
    for (i, column) in columns.iter().enumerate() {
        opening.extend(key(&column.name));
        opening.push(if headed { b'[' } else { b'{' });
        let mut closing = if headed { b"]".to_vec() } else { b"}".to_vec() };
        let last = i + 1 == columns.len();
        closing.push(if last { b'}' } else { b',' });
        out.push(Box::new(JsonSection {
            opening: std::mem::take(&mut opening),
            labels: labels.clone(),
            columns: vec![column.cell(style)?],
            closing,
            nrows,
            ..JsonSection::default()
        }));
    }
    if columns.is_empty() {
        // Without data after it, the header has no comma.
        if headed {
            opening.pop();
        }
        opening.push(b'}');
        out.push(Box::new(JsonSection { opening, ..JsonSection::default() }));
    }
    Ok(out)
}
