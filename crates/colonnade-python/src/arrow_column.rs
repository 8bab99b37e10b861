//! Columns in Arrow's layout, which any Arrow library and NumPy can exchange.

use arrow_array::ffi::from_ffi_and_data_type;
use arrow_data::ArrayData;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field};
use colonnade::cells::msgpack::extension_codes;
use colonnade::cells::typed::{MIXED_TAG, extensions};
use colonnade::container::members::{BufferLayout, unicode};
use colonnade::decode::missing::block_of;
use colonnade::frame::cost::{Sharing, may_share, unshared_nbytes};
use colonnade::frame::{Block, Column, DType, Grid, type_name};
use colonnade::limits::Limits;
use colonnade::memory::{Buffer, unpack};
use numpy::{PyArrayDescr, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::array::{self, Arrays};
use crate::arrow_checks::{check_counts, check_offsets};
use crate::errors::IntoPy;
use crate::run::run_with_progress;
use crate::{arrow_build, cells, cells_write, dtype, errors, foreign_fields, objects, read_options};

/// One column in Arrow's layout.
#[pyclass(frozen, module = "colonnade._core")]
pub(crate) struct ArrowColumn {
    pub(crate) column: Column,
}

impl ArrowColumn {
    pub(crate) fn from_data(data: ArrayData, tag: Option<String>) -> Self {
        Self { column: Column { tag, ..Column::new(data) } }
    }

    fn type_error(&self, expected: &str) -> PyErr {
        let found = type_name(self.column.data.data_type(), self.column.ordered);
        PyTypeError::new_err(format!("expected {expected}, found {found}"))
    }

    fn field(&self) -> PyResult<Field> {
        let data_type = self.column.data.data_type().clone();
        let field = Field::new("", data_type, true);
        let field = foreign_fields::of_field(&field, false).unwrap_or(field);
        #[allow(deprecated)] // a field stores a dictionary's order flag; no type does
        Ok(field.with_dict_is_ordered(self.column.ordered))
    }
}

const ARRAY_NAME: &std::ffi::CStr = c"arrow_array";
const SCHEMA_NAME: &std::ffi::CStr = c"arrow_schema";

#[pymethods]
impl ArrowColumn {
    #[staticmethod]
    #[pyo3(signature = (obj, tag = None))]
    fn from_arrow(obj: &Bound<'_, PyAny>, tag: Option<String>) -> PyResult<Self> {
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
            obj.call_method0("__arrow_c_array__")?.extract()?;
        let schema_ptr = schema.pointer_checked(Some(SCHEMA_NAME))?.cast::<FFI_ArrowSchema>();
        let array_ptr = array.pointer_checked(Some(ARRAY_NAME))?.cast::<FFI_ArrowArray>();
        if !schema_ptr.is_aligned() || !array_ptr.is_aligned() {
            return Err(PyValueError::new_err("an Arrow capsule's pointer is not aligned"));
        }
        let refused = |e: arrow_schema::ArrowError| PyTypeError::new_err(format!("Arrow import: {e}"));
        // SAFETY: the capsules have the names that Arrow's PyCapsule interface defines, so they hold these structures, which live as
        // long as the capsules. `from_raw` moves the array out and takes over its release. The schema is only read. The producer
        // declares it for the array, whose counts are checked against it.
        let (data, ordered) = unsafe {
            let schema = schema_ptr.as_ref();
            if array_ptr.as_ref().is_released() || schema.release().is_none() {
                return Err(PyValueError::new_err("the Arrow capsules were consumed already"));
            }
            let array = FFI_ArrowArray::from_raw(array_ptr.as_ptr());
            let data_type = DataType::try_from(schema).map_err(refused)?;
            check_counts(&array, &data_type)?;
            (from_ffi_and_data_type(array, data_type).map_err(refused)?, schema.dictionary_ordered())
        };
        check_offsets(&data)?;
        Ok(Self { column: Column { ordered, tag, ..Column::new(data) } })
    }

    #[staticmethod]
    #[pyo3(signature = (values, mask = None, tag = None, timezone = None))]
    fn from_masked(
        values: &Bound<'_, PyUntypedArray>,
        mask: Option<&Bound<'_, PyUntypedArray>>,
        tag: Option<String>,
        timezone: Option<&str>,
    ) -> PyResult<Self> {
        Ok(Self::from_data(arrow_build::masked(values, mask, timezone)?, tag))
    }

    #[staticmethod]
    #[pyo3(signature = (values, kind, tag = None))]
    fn from_objects(values: &Bound<'_, PyAny>, kind: &str, tag: Option<String>) -> PyResult<Self> {
        Ok(Self::from_data(objects::from_objects(values, kind)?, tag))
    }

    #[staticmethod]
    #[pyo3(signature = (values, tag = None))]
    fn from_cells(values: &Bound<'_, PyAny>, tag: Option<String>) -> PyResult<Self> {
        let tag = tag.unwrap_or_else(|| MIXED_TAG.to_owned());
        Ok(Self::from_data(cells_write::encode(values)?, Some(tag)))
    }

    #[staticmethod]
    #[pyo3(signature = (values, tag = None))]
    fn from_fixed(values: &Bound<'_, PyUntypedArray>, tag: Option<String>) -> PyResult<Self> {
        Ok(Self::from_data(arrow_build::fixed(values)?, tag))
    }

    #[staticmethod]
    #[pyo3(signature = (values, tag = None))]
    fn from_unicode(values: &Bound<'_, PyUntypedArray>, tag: Option<String>) -> PyResult<Self> {
        Ok(Self::from_data(arrow_build::from_unicode(values)?, tag))
    }

    #[staticmethod]
    #[pyo3(signature = (codes, categories, ordered, tag = None))]
    fn dictionary(
        codes: &Bound<'_, PyUntypedArray>,
        categories: PyRef<'_, ArrowColumn>,
        ordered: bool,
        tag: Option<String>,
    ) -> PyResult<Self> {
        let data = arrow_build::dictionary(codes, &categories.column.data)?;
        Ok(Self { column: Column { ordered, tag, ..Column::new(data) } })
    }

    #[staticmethod]
    #[pyo3(signature = (children, tag = None))]
    fn r#struct(children: Vec<(String, PyRef<'_, ArrowColumn>)>, tag: Option<String>) -> PyResult<Self> {
        let children = children.iter().map(|(name, c)| (name.as_str(), &c.column.data)).collect::<Vec<_>>();
        Ok(Self::from_data(arrow_build::structure(&children)?, tag))
    }

    fn __len__(&self) -> usize {
        self.column.len()
    }

    #[getter]
    fn tag(&self) -> Option<&str> {
        self.column.tag.as_deref()
    }

    #[getter]
    fn r#type(&self) -> String {
        type_name(self.column.data.data_type(), self.column.ordered)
    }

    #[getter]
    fn null_count(&self) -> usize {
        // Arrow's null type has no validity: every row is null.
        match self.column.data.data_type() {
            DataType::Null => self.column.len(),
            _ => self.column.data.null_count(),
        }
    }

    #[getter]
    fn ordered(&self) -> bool {
        self.column.ordered
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface lets a producer export its own type if it cannot cast.
        let _ = requested_schema;
        let array = FFI_ArrowArray::new(&self.column.data);
        Ok((self.__arrow_c_schema__(py)?, PyCapsule::new_with_value(py, array, ARRAY_NAME)?))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&self.field()?)
            .map_err(|e| crate::errors::encode(format!("arrow: {e}")))?;
        PyCapsule::new_with_value(py, schema, SCHEMA_NAME)
    }

    /// Exports the column without extension types, at any depth.
    fn arrow_storage<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let field = self.field()?;
        let field = foreign_fields::of_field(&field, true).unwrap_or(field);
        let schema =
            FFI_ArrowSchema::try_from(&field).map_err(|e| crate::errors::encode(format!("arrow: {e}")))?;
        let array = FFI_ArrowArray::new(&self.column.data);
        let schema = PyCapsule::new_with_value(py, schema, SCHEMA_NAME)?;
        Ok((schema, PyCapsule::new_with_value(py, array, ARRAY_NAME)?))
    }

    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let data = &self.column.data;
        match BufferLayout::of(data.data_type()) {
            Ok(BufferLayout::Bits) => {
                let mut bytes = vec![0; data.len()];
                let bits = data.buffers().first().map_or(&[][..], |bits| bits.as_slice());
                let unpacked = unpack(bits, data.offset(), &mut bytes);
                unpacked.ok_or_else(|| self.type_error("a bit a row"))?;
                array::from_bytes(py, DType::BOOL, data.len(), bytes)
            }
            Ok(BufferLayout::Fixed(dtype)) if !matches!(data.data_type(), DataType::Dictionary(..)) => {
                self.fixed_values(py, self.numpy_dtype(dtype), self.column.exclusive)
            }
            _ => Err(self.type_error("a type of fixed width")),
        }
    }

    fn mask<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let data = &self.column.data;
        let mask = match data.nulls().filter(|nulls| nulls.null_count() > 0) {
            _ if matches!(data.data_type(), DataType::Null) => vec![1; data.len()],
            Some(nulls) => arrow_build::mask(nulls),
            None => return Ok(None),
        };
        array::from_bytes(py, DType::BOOL, data.len(), mask).map(Some)
    }

    /// Returns numbers or times as one block of `dtype`, with NaN or NaT for null.
    #[staticmethod]
    fn block<'py>(
        py: Python<'py>,
        columns: Vec<PyRef<'py, Self>>,
        dtype: &Bound<'py, PyArrayDescr>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let dtype = dtype::from_numpy(dtype)?;
        let columns: Vec<&ArrayData> = columns.iter().map(|c| &c.column.data).collect();
        let threads = read_options::threads(None);
        let block = run_with_progress(py, None, None, |watch| block_of(&columns, dtype, threads, watch))?;
        Arrays::new(py, true).block(&block)
    }

    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        objects::to_objects(py, &self.column.data)?.ok_or_else(|| self.type_error("strings, bytes or bools"))
    }

    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let version = extensions(self.tag());
        if version.is_some_and(|version| version > extension_codes::VERSION) {
            let tag = self.tag().unwrap_or_default();
            return Err(errors::unsupported(format!(
                "msgpack: expected cells whose extensions are of version {} or less, found the tag {tag}. Read them with \
                 a later version of Colonnade.",
                extension_codes::VERSION
            )));
        }
        cells::decode(py, &self.column.data, version.is_some())?
            .ok_or_else(|| self.type_error("bytes, one MessagePack value a cell"))
    }

    fn unicode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (dtype, bytes) = unicode::fixed(&self.column).py()?;
        array::from_bytes(py, dtype, self.column.len(), bytes)
    }

    fn codes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let DataType::Dictionary(codes, _) = self.column.data.data_type() else {
            return Err(self.type_error("a dictionary"));
        };
        let Ok(BufferLayout::Fixed(dtype)) = BufferLayout::of(codes) else {
            return Err(self.type_error("a dictionary"));
        };
        match arrow_build::codes_with_minus_one(&self.column.data, dtype) {
            None => self.fixed_values(py, dtype, false),
            Some((dtype, bytes)) => array::from_bytes(py, dtype, self.column.len(), bytes),
        }
    }

    fn categories(&self) -> PyResult<Self> {
        match (self.column.data.data_type(), self.column.data.child_data()) {
            (DataType::Dictionary(..), [categories]) => Ok(Self::from_data(categories.clone(), None)),
            _ => Err(self.type_error("a dictionary")),
        }
    }

    fn child(&self, name: &str) -> PyResult<Self> {
        let data = &self.column.data;
        let DataType::Struct(fields) = data.data_type() else { return Err(self.type_error("a struct")) };
        let found = fields.iter().zip(data.child_data()).find(|(field, _)| field.name() == name);
        let (_, child) = found.ok_or_else(|| PyValueError::new_err(format!("no child named {name:?}")))?;
        Ok(Self::from_data(child.slice(data.offset(), data.len()), None))
    }

    fn child_names(&self) -> PyResult<Vec<String>> {
        match self.column.data.data_type() {
            DataType::Struct(fields) => Ok(fields.iter().map(|f| f.name().clone()).collect()),
            _ => Err(self.type_error("a struct")),
        }
    }

    fn slice(&self, start: usize, stop: usize) -> PyResult<Self> {
        if start > stop || stop > self.column.len() {
            return Err(PyValueError::new_err(format!("rows {start}..{stop} of {}", self.column.len())));
        }
        Ok(Self { column: self.column.slice(start, stop) })
    }

    fn nbytes(&self) -> usize {
        self.column.nbytes()
    }

    /// Refuses values that take far more memory than their buffers once each row has its own copy.
    fn check_cost(&self) -> PyResult<()> {
        let data = &self.column.data;
        if !may_share(data.data_type(), Sharing::All) && !data.data_type().is_nested() {
            return Ok(());
        }
        let rows = data.len() as u64;
        let nbytes = unshared_nbytes(data, Sharing::All);
        let most = Limits::default()
            .decoded_nbytes((self.column.nbytes() as u64).saturating_add(rows.saturating_mul(8)), rows);
        if nbytes <= most {
            return Ok(());
        }
        let found = type_name(data.data_type(), self.column.ordered);
        Err(errors::limit(format!(
            "arrow: {rows} values of type {found} take {nbytes} bytes once each row has its own, the limit for {} bytes of \
             buffers is {most}. Convert fewer rows, or keep the layout with to_arrow().",
            self.column.nbytes()
        )))
    }
}

impl ArrowColumn {
    /// The dtype of the NumPy values. Arrow stores dates as integers, but NumPy gets dates.
    fn numpy_dtype(&self, dtype: DType) -> DType {
        match self.column.data.data_type() {
            // datetime64[D] has 64 bits, date32 has 32: `values` widens below.
            DataType::Date32 => DType::parse("<M8[D]").unwrap_or(dtype),
            _ => dtype,
        }
    }

    fn fixed_values<'py>(
        &self,
        py: Python<'py>,
        dtype: DType,
        exclusive: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let data = &self.column.data;
        let length = data.len();
        let buffer = data.buffers().first().cloned().unwrap_or_default();
        if matches!(data.data_type(), DataType::Date32) {
            let days = buffer.typed_data::<i32>();
            let days = days.get(data.offset()..data.offset() + length).unwrap_or(&[]);
            let bytes = days.iter().flat_map(|&d| i64::from(d).to_le_bytes()).collect();
            return array::from_bytes(py, dtype, length, bytes);
        }
        let offset = data.offset() * dtype.itemsize as usize;
        let grid = Grid::column_major(dtype, length, 1, offset);
        let buffer = Buffer::from_arrow(buffer);
        let buffer = if exclusive { buffer.assume_exclusive() } else { buffer };
        let block = Block::new(grid, buffer).ok_or_else(|| self.type_error("a whole buffer"))?;
        Arrays::new(py, true).column(&block)
    }
}
