//! What R cannot hold of another library's frame: widths of numbers, the unit of times, classes and names of labels.
//!
//! Reading attaches these facts to the data frame, as an Arrow stream without rows. Writing takes them from there, for every column
//! that still fits. A hint never changes a value: a column that does not fit is written as R's type.

mod columns;
mod rows;

use std::collections::HashMap;

use colonnade::Result;
use colonnade::arrow::label_texts;
use colonnade::frame::{Axis, Frame, Labels};
use colonnade::progress::NoProgress;
use colonnade_capi::CnFile;
use serde_json::Value;

/// The hint of a frame.
///
/// # Errors
/// `Unrepresentable`: labels that Arrow cannot hold.
pub fn of(frame: &Frame) -> Result<Vec<u8>> {
    let options = Some(r#"{"threads": 1}"#);
    let mut bytes = Vec::new();
    colonnade_capi::write::encode(&frame.slice(0, 0), "arrows", options, &mut bytes, &NoProgress)?;
    Ok(bytes)
}

/// The names of the levels of row labels, as R shows them: `index`, or `level_1` and so on, where they have none.
#[must_use]
pub fn level_names(index: &Axis) -> Vec<String> {
    let depth = index.depth();
    let name: Value = serde_json::from_str(&index.name).unwrap_or_default();
    let parts =
        name.get("$tuple").and_then(Value::as_array).filter(|parts| parts.len() == depth && depth > 1);
    let names = match parts {
        Some(parts) => parts.clone(),
        None => vec![name],
    };
    let text = |level: usize| match names.get(level) {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ if depth == 1 => "index".to_owned(),
        _ => format!("level_{}", level + 1),
    };
    (0..depth).map(text).collect()
}

/// The frame with the types, labels and names of the hint, where they fit.
///
/// # Errors
/// Malformed: bytes that are no hint.
pub fn restore(frame: Frame, bytes: &[u8]) -> Result<Frame> {
    let bytes = colonnade::memory::Buffer::from_vec(bytes.to_vec());
    let file = CnFile::open_bytes(bytes, Some("arrows"), Some(r#"{"threads": 1}"#), None, &NoProgress)?;
    let hint = file.load(None, None, &NoProgress)?;
    let frame = rows::restore(frame, &hint)?;
    let (names, hinted) = (label_texts(&frame.columns)?, label_texts(&hint.columns)?);
    let mut places: HashMap<&Option<String>, Vec<usize>> = HashMap::new();
    for (position, name) in hinted.iter().enumerate().rev() {
        places.entry(name).or_default().push(position);
    }
    let found: Vec<Option<usize>> = names.iter().map(|name| places.get_mut(name)?.pop()).collect();
    let mut out = columns::restore(&frame, &hint, &found)?;
    let all: Option<Vec<usize>> = found.into_iter().collect();
    if let Some(positions) = all {
        let unchanged = positions.len() == hint.ncols && positions.iter().enumerate().all(|(i, &p)| i == p);
        let is_range = matches!(hint.columns.labels, Labels::Auto { .. });
        out.columns = if unchanged || is_range && positions.is_empty() {
            hint.columns.clone()
        } else {
            hint.columns.select(&positions)?
        };
    } else {
        out.columns.name.clone_from(&hint.columns.name);
    }
    out.tags = hint.tags.clone();
    Ok(out)
}
