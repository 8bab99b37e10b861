//! Columns as their cells are, or as `dtypes` say.

use std::collections::{HashMap, HashSet};

use arrow_schema::Field;

use super::FORMAT;
use super::category;
use super::dtypes::{self, Told};
use super::infer::{self, Refused};
use super::kinds::Kind;
use super::options::Dates;
use super::quick::Columns;
use super::whole::{Outcome, Reading, Rows};
use super::{decimals, typed};
use crate::arrow::import::to_block;
use crate::cells::text;
use crate::cells::text::Style;
use crate::cells::typed::Dictionaries;
use crate::error::{Error, Result};
use crate::frame::{Column, DType, Part};

/// A column whose type `dtypes` say.
struct Named {
    position: usize,
    field: Field,
    /// NumPy's, where it is a block.
    dtype: Option<DType>,
}

impl Reading<'_> {
    /// Columns as their cells are, or as `dtypes` say. `fixed`: what they have been so far.
    pub(super) fn cells(&self, fixed: Option<&[Option<Kind>]>) -> Result<Rows> {
        let ncols = self.opening.ncols;
        let (told, categories) = self.named_columns()?;
        let dates: &[String] = match &self.options.dates {
            Dates::Names(names) => names,
            _ => &[],
        };
        let dates = self.named(dates, "dates")?;
        let known: HashSet<usize> = told.iter().map(|column| column.position).collect();
        let is_told = |position: &usize| known.contains(position);
        if let Some(both) = dates.iter().find(|date| is_told(date) || categories.contains(date)) {
            let message = format!("column {:?} is in dates and in dtypes: name it in one.", self.name(*both));
            return Err(Error::invalid_option(FORMAT, message));
        }
        let all = self.options.dates == Dates::All;
        let column = |position: usize| infer::Column {
            position,
            timed: (all && !categories.contains(&position)) || dates.contains(&position),
            must: dates.contains(&position),
            fixed: fixed.and_then(|kinds| kinds.get(position).copied().flatten()),
            arrow: self.chunk.is_some() || categories.contains(&position),
            told: false,
        };
        let columns: Vec<infer::Column> = (0..ncols).filter(|p| !is_told(p)).map(column).collect();
        let fields: Vec<(usize, &Field)> =
            told.iter().map(|column| (column.position, &column.field)).collect();
        let Columns { parts: found, kinds, mut arrays, rows, dropped, nulled } =
            self.either(fixed, &mut |source, pieces| {
                let readers = &mut |positions: &[usize]| self.readers(&told, positions);
                let found = self.columns((source, pieces), &columns, &fields, readers)?;
                found.map_or_else(|refused| Ok(Err(refused)), |found| self.decimals(found))
            })?;
        let mut parts: Vec<Part> = Vec::with_capacity(ncols);
        for part in found {
            parts.push(match part {
                Part::Column(column, position) => {
                    let is_category = categories.contains(&position);
                    let made = if is_category { category::of(&column) } else { Ok(column) };
                    Part::Column(made.map_err(|e| e.in_member(self.name(position)))?, position)
                }
                block => block,
            });
        }
        for Named { position, field, dtype } in &told {
            let Some(data) = arrays.get_mut(*position).and_then(Option::take) else { continue };
            let block = match dtype {
                Some(dtype) if self.chunk.is_none() => {
                    to_block(*dtype, &data).map_err(|e| e.in_member(field.name().as_str()))?
                }
                _ => None,
            };
            parts.push(match block {
                Some(block) => Part::Block(block, vec![*position]),
                None => Part::Column(Column::new(data), *position),
            });
        }
        let frame = self.frame(parts, rows)?;
        Ok(Rows { frame, dropped, nulled, kinds })
    }

    /// Columns of texts that stand for decimals, as those. All chunks have the digits of the first.
    fn decimals(&self, mut found: Columns) -> Outcome<Columns> {
        for part in &mut found.parts {
            let Part::Column(column, position) = part else { continue };
            let Some(Some(Kind::Decimal(digits))) = found.kinds.get_mut(*position) else { continue };
            match decimals::of(column, &self.opening.rules, *digits)? {
                Some((made, width)) => (*column, *digits) = (made, Some(width)),
                None => {
                    return Ok(Err(Refused::Misfit(
                        *position,
                        Kind::Decimal(Some(digits.unwrap_or(decimals::LARGE))),
                    )));
                }
            }
        }
        Ok(Ok(found))
    }

    /// The readers of some columns whose types are told.
    fn readers(&self, told: &[Named], positions: &[usize]) -> Result<Vec<typed::Column>> {
        let column = |Named { position, field, dtype }: &Named| {
            let mut none = Dictionaries::of(Vec::new());
            let reader =
                text::reader(field, *dtype, None, Style::csv(false), &mut none, &self.options.limits)
                    .map_err(|e| e.in_member(field.name().as_str()))?;
            let column = typed::Column::new(*position, reader, field.data_type(), self.is_lenient());
            // Behind our own header an empty text is one.
            Ok(typed::Column { empty: !typed::has_empty(field.data_type()), ..column })
        };
        let by_position: HashMap<usize, &Named> =
            told.iter().map(|column| (column.position, column)).collect();
        let of = |position: &usize| by_position.get(position).copied();
        positions.iter().filter_map(of).map(column).collect()
    }

    pub(super) fn name(&self, position: usize) -> String {
        self.opening.name(position).map_or_else(|| position.to_string(), str::to_owned)
    }

    /// The columns of `dtypes`: those with a type, and the places of those that are categories.
    fn named_columns(&self) -> Result<(Vec<Named>, Vec<usize>)> {
        let (mut out, mut categories): (Vec<Named>, Vec<usize>) = (Vec::new(), Vec::new());
        let (mut known, places) = (HashSet::new(), self.places());
        for (name, text) in &self.options.dtypes {
            let told = dtypes::parse(name, text)?;
            for position in self.at(&places, name, "dtypes")? {
                if !known.insert(position) {
                    continue;
                }
                match &told {
                    Told::Category => categories.push(position),
                    Told::Type(data_type, dtype) => {
                        let field = Field::new(name, data_type.clone(), true);
                        out.push(Named { position, field, dtype: *dtype });
                    }
                }
            }
        }
        Ok((out, categories))
    }

    /// The places of all columns of these names.
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

    /// The places of every name.
    fn places(&self) -> HashMap<String, Vec<usize>> {
        let mut out: HashMap<String, Vec<usize>> = HashMap::with_capacity(self.opening.ncols);
        for position in 0..self.opening.ncols {
            out.entry(self.name(position)).or_default().push(position);
        }
        out
    }

    fn at(&self, places: &HashMap<String, Vec<usize>>, name: &str, option: &str) -> Result<Vec<usize>> {
        places.get(name).cloned().ok_or_else(|| {
            let some = (0..self.opening.ncols.min(10)).map(|c| format!("{:?}", self.name(c)));
            let some: Vec<String> = some.collect();
            let message = format!("{option}: column {name:?} is not there; there are {}.", some.join(", "));
            Error::not_found(FORMAT, message)
        })
    }
}
