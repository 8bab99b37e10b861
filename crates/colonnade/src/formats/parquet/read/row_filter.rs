//! Evaluates a filter on an opened file: decodes its columns for the candidate rows.

use crate::decode::MemoryLayout;
use crate::error::{Error, Result};
use crate::filter::{CompiledTerms, RowFilter, mask};
use crate::progress::Progress;

use super::file::Parquet;
use super::filter::bounds::StatisticsType;
use super::filter::prune::{FilterColumn, candidates};
use super::filter::statistics_source::StatisticsSource;
use super::schema::RootKind;
use super::selection::{RowsToDecode, Selection};

/// Returns the rows of `file` that pass the filter, or may pass it if the options say so. `file` is opened for the filter's
/// columns.
///
/// # Errors
/// `NotFound`: a column that does not exist. `InvalidOption`: a column without an order, or a value of another kind. Malformed
/// pages.
pub(crate) fn select(file: &Parquet, filter: &RowFilter, progress: &dyn Progress) -> Result<Selection> {
    let mut fields = Vec::new();
    let mut judged = Vec::new();
    for name in filter.columns() {
        let (field, column) = column(file, name)?;
        fields.push(field);
        judged.push(column);
    }
    let types: Vec<_> = judged.iter().map(|column| (column.name.as_str(), &column.data_type)).collect();
    let terms = CompiledTerms::new(filter, &types)?;
    let (start, end) = file.footer;
    let bytes = file.source.bytes.as_slice();
    let footer = (bytes.get(start..end).unwrap_or_default(), start as u64);
    let place = StatisticsSource { footer, bytes, indexes: file.source.remote.is_none() };
    let runs = candidates(&terms, &judged, &file.groups, &place)?;
    let every = Selection::all(runs.clone());
    if file.options.statistics_only {
        return Ok(every);
    }
    // All candidate rows are decoded once and then compared.
    let rows: RowsToDecode = every.rows(0, every.counts().sum());
    let landed = file.decode(&fields, &rows, (MemoryLayout::Arrow, file.options.threads), progress)?;
    let mut columns = landed.columns;
    columns.sort_unstable_by_key(|(i, _)| *i);
    let columns: Vec<_> = columns.into_iter().map(|(_, data)| data).collect();
    Ok(Selection::new(&runs, &mask(&terms, &columns, rows.nrows)))
}

/// Finds the field of a name and what its statistics mean.
fn column(file: &Parquet, name: &str) -> Result<(usize, FilterColumn)> {
    let found = file.schema.fields().iter().position(|field| field.name() == name);
    let Some((i, root, field)) =
        found.and_then(|i| Some((i, file.roots.get(i)?, file.schema.fields().get(i)?)))
    else {
        return Err(Error::not_found("parquet", format!("filters: there is no column {name:?}.")));
    };
    let (chunk, data_type) = (root.leaves.start, field.data_type().clone());
    let known = match &root.kind {
        RootKind::Flat(flat) if !file.options.ignore_statistics => Some(StatisticsType {
            data_type: data_type.clone(),
            physical: flat.physical,
            way: flat.way,
            ordered: file.ordered.get(chunk).copied().unwrap_or(false),
            optional: flat.optional,
        }),
        _ => None,
    };
    Ok((i, FilterColumn { name: name.to_owned(), data_type, known, chunk }))
}
