//! What plain text loses of a column.

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, TimeUnit};
use serde_json::Value;

use super::PlainText;
use super::words::{self, Appearance, ValueWords};
use crate::calendar::per_second;
use crate::cells::strings::with_strings;
use crate::cells::text::times;
use crate::cells::typed;
use crate::error::Result;
use crate::frame::{DType, DTypeKind, type_name};
use crate::text::header::meta_of_field;

/// A column, and how it is written.
#[derive(Clone, Copy)]
pub(super) struct PlainColumn<'a> {
    pub(super) field: &'a Field,
    pub(super) data: &'a ArrayData,
    pub(super) plain: &'a PlainText<'a>,
    /// Of CSV.
    pub(super) words: Option<&'a ValueWords>,
    /// Whether NaN is the missing value of the frame's library.
    pub(super) nan_is_missing: bool,
}

impl PlainColumn<'_> {
    /// Returns what is lost of the column; `None`: nothing.
    ///
    /// # Errors
    /// Malformed metadata.
    pub(super) fn loss(self) -> Result<Option<String>> {
        let meta = meta_of_field(self.field)?;
        if typed::is_cells(meta.tag.as_deref()) {
            return Ok(Some("cells of several kinds come back as text or as other types".into()));
        }
        if let Some(kind) = tag_kind(meta.tag.as_deref())
            .filter(|kind| matches!(kind.as_str(), "period" | "interval" | "sparse"))
        {
            return Ok(Some(format!("the {kind} type of pandas is not written")));
        }
        if self.data.null_count() == self.data.len() {
            return Ok(self.null_word());
        }
        let lost = match meta.dtype {
            Some(dtype) => self.of_dtype(dtype),
            None => self.of_type(),
        };
        Ok(lost.or_else(|| self.null_word()))
    }

    /// Returns the loss of nulls whose text is no null to a reader.
    fn null_word(self) -> Option<String> {
        let (words, csv) = (self.words?, self.plain.csv?);
        let is_float =
            matches!(self.data.data_type(), DataType::Float16 | DataType::Float32 | DataType::Float64);
        let has_nulls = self.data.null_count() > 0 || is_float && self.nan_is_missing && has_nan(self.data);
        let is_lost = has_nulls && !words.is_null_word(is_float && !self.nan_is_missing);
        is_lost.then(|| format!("null, spelled {:?}, comes back as a value", csv.na_rep))
    }

    /// Returns the loss of a NumPy array.
    fn of_dtype(self, dtype: DType) -> Option<String> {
        match dtype.kind {
            DTypeKind::TimeDelta => Some("durations come back as numbers".into()),
            DTypeKind::DateTime if *self.data.data_type() == DataType::Int64 => {
                Some(format!("{} comes back as numbers", dtype.descr()))
            }
            DTypeKind::Bool | DTypeKind::Int | DTypeKind::UInt | DTypeKind::Unicode | DTypeKind::DateTime => {
                self.of_type()
            }
            DTypeKind::Float if dtype.itemsize <= 8 => self.of_type(),
            _ => Some(format!("{} comes back as text", dtype.descr())),
        }
    }

    fn of_type(self) -> Option<String> {
        use DataType as D;
        let (data, words, is_csv) = (self.data, self.words, self.plain.csv.is_some());
        match data.data_type() {
            D::Null | D::Boolean | D::Date32 | D::Date64 => None,
            t if t.is_integer() => None,
            D::Float16 | D::Float32 | D::Float64 => self.floats(),
            D::Utf8 | D::LargeUtf8 | D::Utf8View => {
                with_strings(data, |strings| cells(strings, words)).flatten()
            }
            D::Timestamp(_, Some(zone)) if !matches!(zone.as_ref(), "UTC" | "Z" | "+00:00") => {
                Some(format!("times in {zone} come back in UTC"))
            }
            D::Timestamp(unit, _) => far(data, *unit),
            D::Time32(_) | D::Time64(_) => Some("times of day come back as text".into()),
            D::Duration(_) => Some("durations come back as numbers".into()),
            D::Dictionary(..) => Some("categories come back as their values".into()),
            D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..) | D::Decimal256(..) => {
                Some(format!("decimals come back as {}", if is_csv { "floats" } else { "text" }))
            }
            D::Binary | D::LargeBinary | D::BinaryView | D::FixedSizeBinary(_) => {
                Some("bytes come back as text (base64)".into())
            }
            t if t.is_nested() && !is_csv && is_json(t) => {
                let lost = self.plain.nonfinite_is_null && has_nonfinite(data);
                lost.then(|| "NaN and infinities inside come back as null".into())
            }
            t if t.is_nested() => {
                let found = if is_csv { "JSON text" } else { "other types" };
                Some(format!("{} comes back as {found}", type_name(t, false)))
            }
            t => Some(format!("{} comes back as another type", type_name(t, false))),
        }
    }

    fn floats(self) -> Option<String> {
        let nan_is_null = self.plain.nonfinite_is_null || self.plain.csv.is_some() && self.nan_is_missing;
        let differs = self.data.null_count() > 0 || !self.nan_is_missing;
        if nan_is_null && differs && has_nan(self.data) {
            return Some("NaN comes back as null".into());
        }
        let lost = self.plain.nonfinite_is_null && any_float(self.data, f64::is_infinite);
        lost.then(|| "infinities come back as null".into())
    }
}

fn tag_kind(tag: Option<&str>) -> Option<String> {
    let tag: Value = serde_json::from_str(tag?).ok()?;
    Some(tag.get("kind")?.as_str()?.to_owned())
}

/// Whether cells of this type, inside lists and structs, get it back from their JSON alone.
fn is_json(data_type: &DataType) -> bool {
    use DataType as D;
    match data_type {
        D::Boolean | D::Utf8 | D::LargeUtf8 | D::Utf8View | D::Float64 => true,
        D::List(item) | D::LargeList(item) => is_json(item.data_type()),
        D::Struct(fields) => fields.iter().all(|field| is_json(field.data_type())),
        t => t.is_integer(),
    }
}

/// Whether any float inside a list or a struct is NaN or infinite.
fn has_nonfinite(data: &ArrayData) -> bool {
    any_float(data, |v| !v.is_finite()) || data.child_data().iter().any(has_nonfinite)
}

fn has_nan(data: &ArrayData) -> bool {
    any_float(data, f64::is_nan)
}

/// Whether any value that is not null is so.
fn any_float(data: &ArrayData, is_so: impl Fn(f64) -> bool) -> bool {
    fn any<T: arrow_buffer::ArrowNativeType>(data: &ArrayData, is_so: impl Fn(T) -> bool) -> bool {
        let values = data.buffer::<T>(0).get(..data.len()).unwrap_or(&[]);
        values.iter().enumerate().any(|(row, value)| is_so(*value) && data.is_valid(row))
    }
    let half = |bits: u16| match (bits & 0x7c00 == 0x7c00, bits & 0x3ff) {
        (false, _) => 0.0,
        (true, 0) => f64::INFINITY,
        (true, _) => f64::NAN,
    };
    match data.data_type() {
        DataType::Float32 => any::<f32>(data, |v| is_so(v.into())),
        DataType::Float64 => any::<f64>(data, is_so),
        DataType::Float16 => any::<u16>(data, |bits| is_so(half(bits))),
        _ => false,
    }
}

/// Returns the loss of instants that ISO 8601 with four digits of the year does not express.
fn far(data: &ArrayData, unit: TimeUnit) -> Option<String> {
    if unit == TimeUnit::Nanosecond {
        return None;
    }
    let values = data.buffer::<i64>(0).get(..data.len()).unwrap_or(&[]);
    let per = per_second(unit);
    // The least integer is NumPy's NaT.
    let is_far = |value: i64| value != i64::MIN && !times::is_iso(value.div_euclid(per));
    let far = values.iter().enumerate().any(|(row, value)| is_far(*value) && data.is_valid(row));
    far.then(|| "times outside the years 0000 to 9999 come back as numbers".into())
}

fn cells(cells: &mut dyn Iterator<Item = Option<&str>>, words: Option<&ValueWords>) -> Option<String> {
    let Some(words) = words else { return dates(cells) };
    let mut so_far = Appearance::default();
    for cell in cells.flatten() {
        so_far = so_far.and(words.appearance(cell, so_far));
        if so_far == Appearance::Null {
            return Some(format!("the text {cell:?} comes back as null"));
        }
    }
    match so_far {
        Appearance::Value(kind) => {
            Some(format!("text whose cells all look like {} comes back as them", kind.name()))
        }
        _ => None,
    }
}

/// Returns the loss of text that JSON and YAML quote: only dates and times are read as other values.
fn dates(cells: &mut dyn Iterator<Item = Option<&str>>) -> Option<String> {
    let mut any = false;
    for cell in cells.flatten() {
        if !words::is_instant(cell.as_bytes()) {
            return None;
        }
        any = true;
    }
    any.then(|| "text whose cells all look like dates or times comes back as them".into())
}
