//! Writes a map of names to arrays, after its header.
//!
//! The first of two passes measures, so that the header can declare the end of every column and every piece of a column has
//! a known offset. The second writes all pieces, in parallel if the sink lends its memory, else one after the other.

use std::io::IoSlice;
use std::ops::Range;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef, Schema};

use crate::arrow::export::Exporter;
use crate::arrow::meta::{self, FieldMeta};
use crate::arrow::pandas;
use crate::cells::header_key::keys;
use crate::error::{Error, Result};
use crate::frame::{DType, DTypeKind, Frame};
use crate::memory::Scatter;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};
use crate::sink::Sink;

use super::rows::{self, ExportedArrays};
use super::{numbers, text};
use crate::cells::msgpack::column::{CellWriter, changed};
use crate::cells::msgpack::heads;
use crate::cells::msgpack::options::MsgpackOrient;
use crate::cells::typed;
use crate::cells::typed::MsgpackStyle;
use crate::formats::msgpack::header;
use crate::formats::msgpack::header::MsgpackHeader;
use crate::formats::msgpack::options::WriteOptions;

/// The number of rows of a piece, small enough that its bytes are still in the cache when they are passed to the sink.
const PIECE_ROWS: usize = 32 << 10;

/// The value of one column.
enum ColumnValue<'a> {
    /// An array of cells.
    Cells(Box<dyn CellWriter + 'a>),
    /// One `bin` of the unchanged values.
    Packed(&'a [u8]),
}

struct MeasuredColumn<'a> {
    /// The key, and the head of the value.
    head: Vec<u8>,
    key_nbytes: usize,
    value: ColumnValue<'a>,
    nulls: u64,
    /// The size of each piece.
    pieces: Vec<usize>,
}

/// Encodes `frame`.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; errors of the sink.
pub(crate) fn encode_frame(
    frame: &Frame,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let exporter = Exporter::new(frame, Some(frame.nrows))?;
    let schema = without_pandas_metadata(&exporter.schema());
    let arrays = exporter.arrays(frame)?;
    if options.orient != MsgpackOrient::Columns || !options.header {
        return in_rows(frame, &schema, &arrays, options, sink, progress);
    }
    let rows = header::count(frame.nrows, "rows")?;
    let mut columns = Vec::with_capacity(arrays.len());
    for ((field, data), key) in schema.fields().iter().zip(&arrays).zip(keys(&schema)) {
        let named = |e: Error| e.in_member(field.name().clone());
        columns.push(column(field, data, &key, rows, options).map_err(named)?);
    }
    let dictionaries = typed::write_dictionaries(&arrays, style(options))?;
    measure(&mut columns, &schema, frame.nrows, options.threads, progress)?;
    let head = MsgpackHeader {
        orient: MsgpackOrient::Columns,
        nrows: frame.nrows,
        chunk: options.chunk,
        nbytes: columns.iter().map(MeasuredColumn::value_nbytes).collect(),
        nulls: columns.iter().map(|c| c.nulls).collect(),
        packed: options.packed,
        old: options.compatible,
        dictionaries: 0..0,
        schema: schema.clone().into(),
    };
    let mut start = Vec::new();
    header::write_result(rmp::encode::write_map_len(
        &mut start,
        header::count(columns.len() + 1, "columns")?,
    ))?;
    head.write(&dictionaries, options.compatible, &mut start)?;
    let total = start.len() + columns.iter().map(MeasuredColumn::nbytes).sum::<usize>();
    sink.reserve(total as u64)?;
    sink.write(&start)?;
    let rest = total - start.len();
    if let Some(place) = sink.place(rest)? {
        return side_by_side(&columns, frame.nrows, place, options.threads, progress);
    }
    one_by_one(&columns, frame.nrows, rest, sink, progress)
}

/// Encodes frames in rows, and frames without a header.
fn in_rows(
    frame: &Frame,
    schema: &Schema,
    arrays: &[ArrayData],
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let mut entry = Vec::new();
    let keys = keys(schema);
    if options.header {
        let nulls =
            |(data, field): (&ArrayData, &FieldRef)| Ok(nils(data, field_meta_of(field)?.dtype) as u64);
        let head = MsgpackHeader {
            orient: options.orient,
            nrows: frame.nrows,
            chunk: options.chunk,
            nbytes: Vec::new(),
            nulls: arrays.iter().zip(schema.fields()).map(nulls).collect::<Result<_>>()?,
            packed: false,
            old: options.compatible,
            dictionaries: 0..0,
            schema: schema.clone().into(),
        };
        let dictionaries = typed::write_dictionaries(arrays, style(options))?;
        head.write(&dictionaries, options.compatible, &mut entry)?;
    }
    let header = options.header.then_some((entry.as_slice(), keys.as_slice()));
    let exported = ExportedArrays { schema, arrays, header };
    rows::encode(frame, exported, options, &writer_of(style(options)), sink, progress)
}

fn writer_of(
    style: MsgpackStyle,
) -> impl for<'a> Fn(&'a Field, &'a ArrayData) -> Result<Box<dyn CellWriter + 'a>> {
    move |field, data| {
        let writer: Box<dyn CellWriter> = typed::writer(field, field_meta_of(field)?.dtype, data, style)?;
        Ok(writer)
    }
}

/// The schema without the metadata for pandas' reader of Arrow files.
fn without_pandas_metadata(schema: &Schema) -> Schema {
    let mut metadata = schema.metadata().clone();
    metadata.remove(pandas::KEY);
    Schema::new_with_metadata(schema.fields().clone(), metadata)
}

fn style(options: &WriteOptions) -> MsgpackStyle {
    MsgpackStyle { header: options.header, compatible: options.compatible }
}

/// Returns the NumPy dtype and the tag in the field's metadata.
pub(crate) fn field_meta_of(field: &Field) -> Result<FieldMeta> {
    field.metadata().get(meta::KEY).map_or_else(|| Ok(FieldMeta::default()), |text| FieldMeta::parse(text))
}

fn column<'a>(
    field: &'a Field,
    data: &'a ArrayData,
    key: &str,
    rows: u32,
    options: &WriteOptions,
) -> Result<MeasuredColumn<'a>> {
    let mut head = Vec::with_capacity(key.len() + 10);
    heads::text(&mut head, key, options.compatible)?;
    let key_nbytes = head.len();
    let meta = field_meta_of(field)?;
    if options.packed
        && let Some(bytes) = packed(data)
        && let Ok(nbytes) = u32::try_from(bytes.len())
    {
        header::write_result(rmp::encode::write_bin_len(&mut head, nbytes))?;
        return Ok(MeasuredColumn {
            head,
            key_nbytes,
            value: ColumnValue::Packed(bytes),
            nulls: 0,
            pieces: Vec::new(),
        });
    }
    header::write_result(rmp::encode::write_array_len(&mut head, rows))?;
    let writer = numbers::writer(data).filter(|_| meta.dtype.is_none_or(|d| !is_time(d)));
    let writer = writer.or_else(|| text::writer(data, !options.compatible));
    let writer = match writer {
        Some(writer) => writer,
        None => typed::writer(field, meta.dtype, data, style(options))?,
    };
    let nulls = nils(data, meta.dtype) as u64;
    Ok(MeasuredColumn { head, key_nbytes, value: ColumnValue::Cells(writer), nulls, pieces: Vec::new() })
}

/// Counts the nils among the cells: nulls, and NaT in NumPy times.
fn nils(data: &ArrayData, says: Option<DType>) -> usize {
    if data.data_type() == &DataType::Null {
        return data.len();
    }
    let nat = || {
        let values = data.buffers().first().map_or(&[][..], |b| b.typed_data::<i64>());
        let here = values.get(data.offset()..data.offset() + data.len()).unwrap_or(&[]);
        let is_valid = |row: usize| data.nulls().is_none_or(|n| n.is_valid(row));
        here.iter().enumerate().filter(|(row, v)| **v == i64::MIN && is_valid(*row)).count()
    };
    data.null_count()
        + if says.is_some_and(is_time) && data.data_type().primitive_width() == Some(8) { nat() } else { 0 }
}

fn is_time(dtype: DType) -> bool {
    matches!(dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta)
}

/// Returns the bytes of a column of numbers without nulls.
fn packed(data: &ArrayData) -> Option<&[u8]> {
    let item = match data.data_type() {
        DataType::Int8 | DataType::UInt8 => 1,
        DataType::Int16 | DataType::UInt16 | DataType::Float16 => 2,
        DataType::Int32 | DataType::UInt32 | DataType::Float32 => 4,
        DataType::Int64 | DataType::UInt64 | DataType::Float64 => 8,
        DataType::Timestamp(..) | DataType::Duration(_) => 8,
        _ => return None,
    };
    if data.null_count() > 0 {
        return None;
    }
    data.buffers().first()?.as_slice().get(data.offset() * item..(data.offset() + data.len()) * item)
}

impl MeasuredColumn<'_> {
    fn value_nbytes(&self) -> u64 {
        (self.nbytes() - self.key_nbytes) as u64
    }

    fn nbytes(&self) -> usize {
        let body = match self.value {
            ColumnValue::Cells(_) => self.pieces.iter().sum(),
            ColumnValue::Packed(bytes) => bytes.len(),
        };
        self.head.len() + body
    }
}

/// Returns the rows of piece `i` of a column.
fn piece(i: usize, nrows: usize) -> Range<usize> {
    i * PIECE_ROWS..nrows.min((i + 1) * PIECE_ROWS)
}

fn measure(
    columns: &mut [MeasuredColumn<'_>],
    schema: &Schema,
    nrows: usize,
    threads: usize,
    progress: &dyn Progress,
) -> Result<()> {
    /// Bytes of work that count for a cell in the decision whether a thread pays.
    const CELL_NBYTES: usize = 4;
    let mut tasks = Vec::with_capacity(columns.len());
    for (column, field) in columns.iter_mut().zip(schema.fields()) {
        let MeasuredColumn { value: ColumnValue::Cells(writer), pieces, .. } = column else { continue };
        tasks.push(Task::new(nrows.saturating_mul(CELL_NBYTES), move || {
            let of =
                |i: usize| writer.measure(piece(i, nrows)).map_err(|e| e.in_member(field.name().clone()));
            *pieces = (0..nrows.div_ceil(PIECE_ROWS)).map(of).collect::<Result<_>>()?;
            Ok(())
        }));
    }
    // Progress counts written bytes, not measured ones.
    parallel::run(tasks, threads, &SignalsOnly(progress))
}

fn side_by_side(
    columns: &[MeasuredColumn<'_>],
    nrows: usize,
    place: &mut [u8],
    threads: usize,
    progress: &dyn Progress,
) -> Result<()> {
    let scatter = Scatter::over(place);
    let mut at = 0;
    let mut tasks = Vec::new();
    let mut claim = |nbytes: usize| {
        // SAFETY: ranges are claimed front to back, each once.
        let target = unsafe { scatter.range(at, nbytes) };
        at += nbytes;
        target.ok_or_else(changed)
    };
    for column in columns {
        claim(column.head.len())?.copy_from_slice(&column.head);
        match &column.value {
            ColumnValue::Packed(bytes) => {
                let bytes: &[u8] = bytes;
                let room = claim(bytes.len())?;
                tasks.push(Task::new(bytes.len(), move || {
                    room.copy_from_slice(bytes);
                    Ok(())
                }));
            }
            ColumnValue::Cells(writer) => {
                for (i, &nbytes) in column.pieces.iter().enumerate() {
                    let room = claim(nbytes)?;
                    tasks.push(Task::new(nbytes, move || written(writer.as_ref(), piece(i, nrows), room)));
                }
            }
        }
    }
    parallel::run(tasks, threads, progress)
}

/// Writes one piece to `room`, which it must fill exactly.
fn written(writer: &dyn CellWriter, rows: Range<usize>, room: &mut [u8]) -> Result<()> {
    let nbytes = room.len();
    if writer.write(rows, room)? == nbytes { Ok(()) } else { Err(changed()) }
}

fn one_by_one(
    columns: &[MeasuredColumn<'_>],
    nrows: usize,
    total: usize,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    /// Smaller pieces are collected to calls of this size.
    const CALL_NBYTES: usize = 128 << 10;
    // One buffer for the largest collected pieces: clearing it for every piece would touch all bytes twice.
    let largest =
        columns.iter().map(|c| c.head.len() + c.pieces.iter().max().unwrap_or(&0)).max().unwrap_or(0);
    let mut buffer = vec![0; CALL_NBYTES.saturating_add(largest)];
    let (mut filled, mut done) = (0, 0);
    for column in columns {
        // Columns without rows consist of their heads.
        if filled >= CALL_NBYTES {
            sink.write(buffer.get(..filled).unwrap_or(&[]))?;
            done += filled;
            filled = 0;
        }
        let head = buffer.get_mut(filled..filled + column.head.len()).ok_or_else(changed)?;
        head.copy_from_slice(&column.head);
        filled += column.head.len();
        match &column.value {
            ColumnValue::Packed(bytes) => {
                let waiting = buffer.get(..filled).unwrap_or(&[]);
                sink.write_pieces(&[IoSlice::new(waiting), IoSlice::new(bytes)])?;
                done += filled + bytes.len();
                filled = 0;
                progress.advance(done as u64, Some(total as u64))?;
            }
            ColumnValue::Cells(writer) => {
                for (i, &nbytes) in column.pieces.iter().enumerate() {
                    let room = buffer.get_mut(filled..filled + nbytes).ok_or_else(changed)?;
                    written(writer.as_ref(), piece(i, nrows), room)?;
                    filled += nbytes;
                    if filled >= CALL_NBYTES {
                        sink.write(buffer.get(..filled).unwrap_or(&[]))?;
                        done += filled;
                        filled = 0;
                        progress.advance(done as u64, Some(total as u64))?;
                    }
                }
            }
        }
    }
    sink.write(buffer.get(..filled).unwrap_or(&[]))?;
    progress.advance((done + filled) as u64, Some(total as u64))
}
