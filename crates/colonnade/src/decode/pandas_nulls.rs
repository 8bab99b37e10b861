//! The columns whose nulls pandas' readers show as NaN or NaT.

use std::collections::HashSet;
use std::sync::OnceLock;

use serde_json::Value;

use crate::arrow::import::FramePlan;
use crate::arrow::pandas::KEY;
use crate::arrow::scan::{past, space, value_of};
use crate::frame::{DType, DTypeKind};

use super::missing::missing_dtype;

/// What `numpy_type` says of columns whose dtype in pandas is NumPy's, and so has no null; times without their unit.
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

/// Knows of each field of a plan whether a null in it becomes NaN or NaT. The metadata of pandas are read once somebody
/// asks.
pub(crate) struct PandasNulls<'p> {
    plan: &'p FramePlan,
    masked: OnceLock<Option<HashSet<String>>>,
}

impl<'p> PandasNulls<'p> {
    pub(crate) fn new(plan: &'p FramePlan) -> Self {
        Self { plan, masked: OnceLock::new() }
    }

    /// The dtype of the block that `field` has where it has nulls; `None` where its nulls stay nulls: in a dtype of pandas' own,
    /// in frames of other origin than a schema of Arrow, and where a tag says what the field is.
    pub(crate) fn dtype(&self, field: usize) -> Option<DType> {
        let told = self.plan.fields.get(field).filter(|told| told.tag.is_none() && told.dtype.is_none())?;
        let dtype = missing_dtype(&told.data_type)?;
        let masked = self.masked.get_or_init(|| masked(self.plan.tags.origin.as_deref()?)).as_ref()?;
        (!masked.contains(&told.name)).then_some(dtype)
    }

    /// The dtype of the block that `field` has where it has no nulls.
    pub(crate) fn dtype_without_nulls(&self, field: usize) -> Option<DType> {
        let told = self.plan.fields.get(field)?;
        told.decoded_dtype().or_else(|| {
            let dtype = told.block_dtype()?;
            let times = matches!(dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta);
            (times && is_schema(self.plan.tags.origin.as_deref()?)).then_some(dtype)
        })
    }
}

/// Whether a frame came from an Arrow schema of another library: the adapter for pandas then does as pandas' readers do.
fn is_schema(origin: &str) -> bool {
    origin.contains("\"schema_metadata\"")
}

/// The fields of an Arrow schema that pandas had in a dtype of its own or with a zone; `None` for every other origin, and where the
/// metadata are not as pandas writes them.
fn masked(origin: &str) -> Option<HashSet<String>> {
    if !is_schema(origin) {
        return None;
    }
    let pairs: Value = serde_json::from_str(value_of(origin, "schema_metadata")?).ok()?;
    let is_pandas = |pair: &&Value| pair.get(0).and_then(Value::as_str) == Some(KEY);
    let Some(pair) = pairs.as_array()?.iter().find(is_pandas) else { return Some(HashSet::new()) };
    let list = value_of(pair.get(1)?.as_str()?, "columns")?;
    let (bytes, mut at, mut out) = (list.as_bytes(), 1, HashSet::new());
    loop {
        at = space(bytes, at);
        match bytes.get(at)? {
            b']' => return Some(out),
            b',' => at += 1,
            _ => {
                let end = past(bytes, at)?;
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
