//! pandas' `table` orient: rows behind a schema that names the fields' types.
//!
//! Specification: Frictionless' Table Schema, <https://specs.frictionlessdata.io/table-schema/>.

use serde_json::Value;

use crate::error::Result;

use super::super::fault::Fault;
use super::super::scan::Scan;
use super::context::Context;
use super::members::Members;
use super::orients::{Found, rows};
use super::ranges::Rows;
use super::walk::Row;

/// An object of `schema` and `data`. Types are those of the cells, and those of the schema where cells do not tell them: times.
pub(crate) fn table(context: &Context<'_>, mut scan: Scan<'_>) -> Result<Found> {
    let mut members = context.scanned(Members::begin(&mut scan, 0, &context.rules))?;
    let (mut schema, mut table) = (None, None);
    while let Some((key, at)) = context.scanned(members.next(&mut scan))? {
        match key.as_str() {
            "schema" => {
                let start = scan.at;
                context.scanned(scan.value(1, &context.rules))?;
                let found: Value = serde_json::from_str(scan.text(start..scan.at))
                    .map_err(|e| context.error(Fault::malformed(start, format!("schema: {e}."))))?;
                schema = Some((start, found));
            }
            "data" => {
                let (found, end) = rows(context, scan.at, (Rows::Array, Row::Named), 2)?;
                scan.at = end;
                table = Some(found);
            }
            _ => {
                let message = format!("expected \"schema\" and \"data\", found the key {key:?}.");
                return Err(context.error(Fault::malformed(at, message)));
            }
        }
    }
    let end = scan.at;
    let missing =
        |what: &str| context.error(Fault::malformed(end, format!("expected a member {what:?}, found none.")));
    let (_, _schema) = schema.ok_or_else(|| missing("schema"))?;
    let table = table.ok_or_else(|| missing("data"))?;
    Ok(Found { table, index: None, names: None, end })
}
