//! Converts filters from Python: lists of (column, comparison, [(kind, value), ...]), see `colonnade/_filter_values.py`.

use colonnade::formats::parquet::read::filter::{Literal, Op, RowFilter, Term};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Any of these lists of conditions must hold, and in it all conditions.
pub(crate) type Conditions<'py> = Vec<Vec<(String, String, Vec<(String, Bound<'py, PyAny>)>)>>;

/// Converts `conditions`.
pub(crate) fn filter_of(conditions: Conditions<'_>) -> PyResult<RowFilter> {
    let term = |(column, op, values): (String, String, Vec<(String, Bound<'_, PyAny>)>)| {
        let op =
            Op::of(&op).ok_or_else(|| PyValueError::new_err(format!("filters: no comparison {op:?}.")))?;
        let literals = values.iter().map(|(kind, value)| literal(kind, value)).collect::<PyResult<_>>()?;
        Ok(Term { column, op, literals })
    };
    let list = |list: Vec<_>| list.into_iter().map(term).collect::<PyResult<Vec<_>>>();
    Ok(RowFilter { any: conditions.into_iter().map(list).collect::<PyResult<_>>()? })
}

fn literal(kind: &str, value: &Bound<'_, PyAny>) -> PyResult<Literal> {
    Ok(match kind {
        "bool" => Literal::Bool(value.extract()?),
        "int" => Literal::Int(value.extract()?),
        "float" => Literal::Float(value.extract()?),
        "decimal" => {
            let (digits, scale) = value.extract()?;
            Literal::Decimal(digits, scale)
        }
        "text" => Literal::Text(value.extract()?),
        "bytes" => Literal::Bytes(value.extract()?),
        "instant" => {
            let (nanos, utc) = value.extract()?;
            Literal::Instant(nanos, utc)
        }
        "date" => Literal::Date(value.extract()?),
        "clock" => Literal::Clock(value.extract()?),
        "span" => Literal::Span(value.extract()?),
        other => return Err(PyValueError::new_err(format!("filters: no kind {other:?}."))),
    })
}
