//! Columns of an input without a Colonnade header: inferred, or declared by `dtypes`.

use std::collections::{HashMap, HashSet};

use arrow_data::ArrayData;
use arrow_schema::Field;

use super::FORMAT;
use super::category;
use super::column_request::ColumnRequest;
use super::decimals;
use super::declared::DeclaredColumn;
use super::dtypes::{self, DeclaredType};
use super::infer::{self, ReadFailure};
use super::kinds::InferredType;
use super::options::Dates;
use super::pass::{LinePiece, PassInput};
use super::whole::{DecodedRows, InputReader, ReadOutcome};
use crate::arrow::import::to_block;
use crate::cells::text;
use crate::cells::text::TextStyle;
use crate::cells::typed::HeaderDictionaries;
use crate::error::{Error, Result};
use crate::excerpt::excerpt;
use crate::frame::{Column, DType, Part};
use crate::nearest::nearest;

/// Decoded columns, and counts of changed rows.
pub(super) struct ReadColumns {
    /// Columns of inferred types, and these types.
    pub(super) parts: Vec<Part>,
    pub(super) kinds: Vec<Option<InferredType>>,
    /// Columns of declared types, by position.
    pub(super) arrays: Vec<Option<ArrayData>>,
    pub(super) rows: usize,
    pub(super) dropped: u64,
    pub(super) nulled: u64,
}

/// The tag of columns of pandas' nullable dtypes.
const MASKED: &str = r#"{"kind":"masked"}"#;

/// A column with a type declared in `dtypes`.
struct DtypeColumn {
    position: usize,
    field: Field,
    /// The NumPy dtype of its block, if any.
    dtype: Option<DType>,
    /// Whether pandas' nullable dtype was declared, which a column without nulls has too.
    masked: bool,
}

impl InputReader<'_> {
    /// Decodes columns of inferred types and of types declared in `dtypes`. `fixed`: the types in earlier chunks.
    pub(super) fn cells(&self, fixed: Option<&[Option<InferredType>]>) -> Result<DecodedRows> {
        let ncols = self.opening.ncols;
        let dates: &[String] = match &self.options.dates {
            Dates::Names(names) => names,
            _ => &[],
        };
        let dates = self.named(dates, "parse_dates")?;
        let (named, categories) = self.typed_columns(&dates)?;
        let declared_positions: HashSet<usize> = named.iter().map(|column| column.position).collect();
        let is_declared = |position: &usize| declared_positions.contains(position);
        if let Some(duplicate) = dates.iter().find(|date| is_declared(date) || categories.contains(date)) {
            let message =
                format!("column {:?} is in parse_dates and in dtype: name it in one.", self.name(*duplicate));
            return Err(Error::invalid_option(FORMAT, message));
        }
        let all = self.options.dates == Dates::All;
        let column = |position: usize| ColumnRequest {
            position,
            timed: (all && !categories.contains(&position)) || dates.contains(&position),
            must_be_time: dates.contains(&position),
            fixed: fixed.and_then(|kinds| kinds.get(position).copied().flatten()),
            arrow: self.chunk.is_some() || categories.contains(&position),
            declared: None,
        };
        let columns: Vec<ColumnRequest<'_>> = (0..ncols).filter(|p| !is_declared(p)).map(column).collect();
        let declared =
            named.iter().map(|column| self.declare(column)).collect::<Result<Vec<DeclaredColumn>>>()?;
        let ReadColumns { parts: found, kinds, mut arrays, rows, dropped, nulled } =
            self.either(fixed, &mut |source, pieces| {
                let found = self.columns((source, pieces), &columns, &declared)?;
                found.map_or_else(|refused| Ok(Err(refused)), |found| self.decimals(found))
            })?;
        let mut parts: Vec<Part> = Vec::with_capacity(ncols);
        for part in found {
            parts.push(match part {
                Part::Column(column, position) => {
                    let is_category = categories.contains(&position);
                    let categories_column =
                        if is_category { category::categories_of(&column) } else { Ok(column) };
                    Part::Column(categories_column.map_err(|e| e.in_member(self.name(position)))?, position)
                }
                block => block,
            });
        }
        for DtypeColumn { position, field, dtype, masked } in &named {
            let Some(data) = arrays.get_mut(*position).and_then(Option::take) else { continue };
            let block = match dtype {
                Some(dtype) if self.chunk.is_none() => {
                    to_block(*dtype, &data).map_err(|e| e.in_member(field.name().as_str()))?
                }
                _ => None,
            };
            parts.push(match block {
                Some(block) => Part::Block(block, vec![*position]),
                None => {
                    let tag = masked.then(|| MASKED.to_owned());
                    Part::Column(Column { tag, ..Column::new(data) }, *position)
                }
            });
        }
        let frame = self.frame(parts, rows)?;
        Ok(DecodedRows { frame, dropped, nulled, kinds })
    }

    /// Reads the columns of inferred types and those of declared types.
    pub(super) fn columns(
        &self,
        (source, pieces): (&PassInput<'_>, &[LinePiece]),
        others: &[ColumnRequest<'_>],
        declared: &[DeclaredColumn],
    ) -> ReadOutcome<ReadColumns> {
        let list: Vec<_> =
            others.iter().copied().chain(declared.iter().map(ColumnRequest::declared)).collect();
        let (body, options) = (self.opening.body, self.options);
        let found =
            infer::read((source, body), pieces, &list, (options.big_ints, options.threads), self.progress)?;
        let infer::InferredColumns { table, filled, rows, dropped, adjusted_rows, wrong } = match found {
            Ok(found) => found,
            Err(refused) => return Ok(Err(refused)),
        };
        let mut kinds = vec![None; self.opening.ncols];
        let mut arrays = vec![None; self.opening.ncols];
        for (column, filled) in list.iter().zip(&filled).filter(|(column, _)| column.declared.is_none()) {
            if let Some(slot) = kinds.get_mut(column.position) {
                *slot = Some(filled.kind);
            }
        }
        let mut parts = Vec::new();
        let place = |i: usize| list.get(i).map_or((i, false), |c| (c.position, c.declared.is_some()));
        for part in table.finish(rows, filled)? {
            match part {
                Part::Block(block, columns) => {
                    parts.push(Part::Block(block, columns.into_iter().map(|i| place(i).0).collect()));
                }
                Part::Column(column, i) => match place(i) {
                    (position, true) => {
                        if let Some(slot) = arrays.get_mut(position) {
                            *slot = Some(column.data);
                        }
                    }
                    (position, false) => parts.push(Part::Column(column, position)),
                },
            }
        }
        Ok(Ok(ReadColumns {
            parts,
            kinds,
            arrays,
            rows,
            dropped,
            nulled: adjusted_rows + wrong.len() as u64,
        }))
    }

    /// Converts text columns of large integers to decimals. All chunks have the number of digits of the first.
    fn decimals(&self, mut found: ReadColumns) -> ReadOutcome<ReadColumns> {
        for part in &mut found.parts {
            let Part::Column(column, position) = part else { continue };
            let Some(Some(InferredType::Decimal(digits))) = found.kinds.get_mut(*position) else { continue };
            match decimals::decimals_of(column, &self.opening.rules, *digits)? {
                Some((decimal_column, width)) => (*column, *digits) = (decimal_column, Some(width)),
                None => {
                    return Ok(Err(ReadFailure::Misfit(
                        *position,
                        InferredType::Decimal(Some(digits.unwrap_or(decimals::LARGE))),
                    )));
                }
            }
        }
        Ok(Ok(found))
    }

    /// A declared column with the reader of its type.
    fn declare(&self, DtypeColumn { position, field, dtype, .. }: &DtypeColumn) -> Result<DeclaredColumn> {
        let mut none = HeaderDictionaries::of(Vec::new());
        let reader =
            text::reader(field, *dtype, None, TextStyle::csv(false), &mut none, &self.options.limits)
                .map_err(|e| e.in_member(field.name().as_str()))?;
        Ok(DeclaredColumn::new(*position, field, reader, self.is_lenient()).without_header(field))
    }

    pub(super) fn name(&self, position: usize) -> String {
        self.opening.name(position).map_or_else(|| position.to_string(), str::to_owned)
    }

    /// The columns that `dtypes` and `every_dtype` declare: those with a type, and the positions of categories.
    fn typed_columns(&self, dates: &[usize]) -> Result<(Vec<DtypeColumn>, Vec<usize>)> {
        let (mut out, mut categories): (Vec<DtypeColumn>, Vec<usize>) = (Vec::new(), Vec::new());
        let (mut seen, places) = (HashSet::new(), self.places());
        let mut requests: Vec<(Vec<usize>, String, &str)> = Vec::new();
        for (name, text) in &self.options.dtypes {
            requests.push((self.at(&places, name, "dtype")?, name.clone(), text));
        }
        if let Some(text) = &self.options.every_dtype {
            let others = (0..self.opening.ncols).filter(|position| !dates.contains(position));
            requests.extend(others.map(|position| (vec![position], self.name(position), text.as_str())));
        }
        for (positions, name, text) in requests {
            let declared = dtypes::parse(&name, text)?;
            for position in positions {
                if !seen.insert(position) {
                    continue;
                }
                match &declared {
                    DeclaredType::Category => categories.push(position),
                    DeclaredType::Type(data_type, dtype) => {
                        let field = Field::new(&name, data_type.clone(), true);
                        out.push(DtypeColumn {
                            position,
                            field,
                            dtype: *dtype,
                            masked: dtypes::is_nullable(text),
                        });
                    }
                }
            }
        }
        Ok((out, categories))
    }

    /// The positions of all columns with these names.
    pub(super) fn named(&self, names: &[String], option: &str) -> Result<Vec<usize>> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let places = self.places();
        let mut out = Vec::new();
        for name in names {
            out.extend(self.at(&places, name, option)?);
        }
        Ok(out)
    }

    /// The positions of each name.
    fn places(&self) -> HashMap<String, Vec<usize>> {
        let mut out: HashMap<String, Vec<usize>> = HashMap::with_capacity(self.opening.ncols);
        for position in 0..self.opening.ncols {
            out.entry(self.name(position)).or_default().push(position);
        }
        out
    }

    fn at(&self, places: &HashMap<String, Vec<usize>>, name: &str, option: &str) -> Result<Vec<usize>> {
        places.get(name).cloned().ok_or_else(|| {
            let names: Vec<String> = (0..self.opening.ncols).map(|c| self.name(c)).collect();
            let known = match nearest(name, names.iter()) {
                Some(near) => format!("nearest: {near:?}"),
                None => {
                    let some: Vec<String> = names.iter().take(10).map(|name| excerpt(name)).collect();
                    format!("there are {}", some.join(", "))
                }
            };
            let message = format!("{option}: column {name:?} is not there; {known}.");
            Error::not_found(FORMAT, message)
        })
    }
}
