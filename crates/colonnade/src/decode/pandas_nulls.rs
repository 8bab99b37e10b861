//! Finds the columns whose nulls pandas' readers represent as NaN or NaT.

use std::collections::HashSet;
use std::sync::OnceLock;

use serde_json::Value;

use crate::arrow::import::{FieldPlan, FieldRole, FramePlan};
use crate::arrow::pandas::KEY;
use crate::arrow::scan::{end_of_value, skip_space, value_of};
use crate::frame::{DType, DTypeKind};

use super::missing::missing_dtype;

/// The values of `numpy_type` for columns with a NumPy dtype in pandas, which has no null; times without their unit.
const NUMPY_TYPES: [&str; 15] = [
    "bool",
    "object",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "datetime64",
    "timedelta64",
];
const UNITS: [&str; 4] = ["s]", "ms]", "us]", "ns]"];

/// Determines for each field of a plan whether a null becomes NaN or NaT. The pandas metadata are parsed on first use.
pub(crate) struct PandasNulls<'p> {
    plan: &'p FramePlan,
    masked: OnceLock<Option<HashSet<String>>>,
}

impl<'p> PandasNulls<'p> {
    pub(crate) fn new(plan: &'p FramePlan) -> Self {
        Self { plan, masked: OnceLock::new() }
    }

    /// Returns the dtype of the block for `field` if the field has nulls. Returns `None` if its nulls stay nulls: for
    /// pandas' extension dtypes, for frames that did not come from an Arrow schema, for fields with a tag, and for row
    /// labels.
    pub(crate) fn dtype(&self, field: usize) -> Option<DType> {
        let is_column = |plan: &&FieldPlan| matches!(plan.place, FieldRole::Column(_));
        let field_plan = self.plan.fields.get(field).filter(is_column)?;
        if field_plan.tag.is_some() || field_plan.dtype.is_some() {
            return None;
        }
        let dtype = missing_dtype(&field_plan.data_type)?;
        let masked =
            self.masked.get_or_init(|| extension_fields(self.plan.tags.origin.as_deref()?)).as_ref()?;
        (!masked.contains(&field_plan.name)).then_some(dtype)
    }

    /// Returns the dtype of the block for `field` if the field has no nulls.
    pub(crate) fn dtype_without_nulls(&self, field: usize) -> Option<DType> {
        let field_plan = self.plan.fields.get(field)?;
        field_plan.decoded_dtype().or_else(|| {
            let dtype = field_plan.block_dtype()?;
            let times = matches!(dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta);
            (times && is_schema(self.plan.tags.origin.as_deref()?)).then_some(dtype)
        })
    }
}

/// Whether a frame came from another library's Arrow schema: the adapter for pandas then follows pandas' readers.
fn is_schema(origin: &str) -> bool {
    origin.contains("\"schema_metadata\"")
}

/// Returns the fields of an Arrow schema that had an extension dtype or a time zone in pandas. Returns `None` for every
/// other origin, and for metadata in another form than pandas'.
fn extension_fields(origin: &str) -> Option<HashSet<String>> {
    if !is_schema(origin) {
        return None;
    }
    let pairs: Value = serde_json::from_str(value_of(origin, "schema_metadata")?).ok()?;
    let is_pandas = |pair: &&Value| pair.get(0).and_then(Value::as_str) == Some(KEY);
    let Some(pair) = pairs.as_array()?.iter().find(is_pandas) else { return Some(HashSet::new()) };
    let list = value_of(pair.get(1)?.as_str()?, "columns")?;
    let (bytes, mut at, mut out) = (list.as_bytes(), 1, HashSet::new());
    loop {
        at = skip_space(bytes, at);
        match bytes.get(at)? {
            b']' => return Some(out),
            b',' => at += 1,
            _ => {
                let end = end_of_value(bytes, at)?;
                let entry = list.get(at..end)?;
                let text = |key: &str| -> Option<String> { serde_json::from_str(value_of(entry, key)?).ok() };
                let (numpy, pandas) = (text("numpy_type")?, text("pandas_type")?);
                let (kind, unit) = numpy.split_once('[').unwrap_or((&numpy, "ns]"));
                if !NUMPY_TYPES.contains(&kind) || !UNITS.contains(&unit) || pandas == "datetimetz" {
                    out.insert(text("field_name").or_else(|| text("name"))?);
                }
                at = end;
            }
        }
    }
}
