//! The header of frames with a schema: the first entry of their map.
//!
//! ```text
//! "__colonnade__": {"version": 1, "orient": .., "nrows": .., ["chunk": ..], "schema": bin, ["numbers": "packed"],
//!                   "nbytes": [bytes of each field's value], "nulls": [nils of each field],
//!                   "dictionaries": [values of each dictionary, depth first]}
//! ```
//!
//! The schema is Arrow's own message, which any Arrow library reads (`pyarrow.ipc.read_schema`); axes, names and attrs are
//! its metadata. With `nbytes`, columns can be decoded in parallel without a pass that searches for their ends; decoding a
//! column checks its end.

use std::collections::HashSet;
use std::ops::Range;

use arrow_schema::{Schema, SchemaRef};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::arrow::ipc;
use crate::cells::header_key::KEY;
use crate::error::{Error, ErrorKind, Result};
use crate::excerpt::excerpt;
use crate::limits::Limits;

use crate::cells::msgpack::column::{CellError, FORMAT, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::MsgpackOrient;

/// The version that this code writes.
pub(crate) const VERSION: u64 = 1;

/// A decoded header.
#[derive(Debug, Clone)]
pub(crate) struct MsgpackHeader {
    pub(crate) orient: MsgpackOrient,
    pub(crate) nrows: usize,
    /// The number of this frame in a series.
    pub(crate) chunk: Option<u64>,
    pub(crate) schema: SchemaRef,
    /// The size of each field's value; only for columns.
    pub(crate) nbytes: Vec<u64>,
    /// The number of nils of each field.
    pub(crate) nulls: Vec<u64>,
    pub(crate) packed: bool,
    /// Whether the frame uses only the specification before 2013.
    pub(crate) old: bool,
    /// The range of the array of dictionary values, in the bytes that the header was read from.
    pub(crate) dictionaries: Range<usize>,
}

/// Appends text with its marker and length.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) -> Result<()> {
    let result = rmp::encode::write_str(out, text);
    result.map_err(|_| Error::malformed(FORMAT, "no memory for text."))
}

/// Converts the result of writing to a vector.
pub(crate) fn write_result<T>(result: std::result::Result<T, rmp::encode::ValueWriteError>) -> Result<()> {
    result.map(|_| ()).map_err(|_| Error::malformed(FORMAT, "no memory."))
}

/// Converts a number of entries to the specification's 32 bits.
///
/// # Errors
/// `Unrepresentable`: over 32 bits.
pub(crate) fn count(n: usize, what: &str) -> Result<u32> {
    u32::try_from(n).map_err(|_| {
        let message = format!("{n} {what}: MessagePack counts 4294967295 at most. Write several frames.");
        Error::unrepresentable(FORMAT, message)
    })
}

impl MsgpackHeader {
    /// Appends key and value. `dictionaries`: encoded by [`crate::cells::typed::write_dictionaries`]. `old`: for readers
    /// without `bin`.
    ///
    /// # Errors
    /// `Unrepresentable`: over 32 bits.
    pub(crate) fn write(&self, dictionaries: &[u8], old: bool, out: &mut Vec<u8>) -> Result<()> {
        use rmp::encode::{write_array_len, write_bin, write_map_len, write_uint};
        put_text(out, KEY)?;
        let more = [!self.nbytes.is_empty(), self.packed, self.chunk.is_some()];
        let entries = 6 + more.into_iter().map(u32::from).sum::<u32>();
        write_result(write_map_len(out, entries))?;
        put_text(out, "version")?;
        write_result(write_uint(out, VERSION))?;
        put_text(out, "orient")?;
        put_text(out, self.orient.name())?;
        put_text(out, "nrows")?;
        write_result(write_uint(out, self.nrows as u64))?;
        if let Some(number) = self.chunk {
            put_text(out, "chunk")?;
            write_result(write_uint(out, number))?;
        }
        put_text(out, "schema")?;
        ipc::check_depth(&self.schema).map_err(|e| e.in_format("msgpack"))?;
        let schema = ipc::schema_bytes(&self.schema)?;
        if old {
            put_text(out, &STANDARD.encode(&schema))?;
        } else {
            count(schema.len(), "bytes of schema")?;
            write_result(write_bin(out, &schema))?;
        }
        if self.packed {
            put_text(out, "numbers")?;
            put_text(out, "packed")?;
        }
        let lists = [("nbytes", &self.nbytes), ("nulls", &self.nulls)];
        for (key, list) in lists.into_iter().filter(|(key, list)| *key == "nulls" || !list.is_empty()) {
            put_text(out, key)?;
            write_result(write_array_len(out, count(list.len(), "columns")?))?;
            for n in list {
                write_result(write_uint(out, *n))?;
            }
        }
        put_text(out, "dictionaries")?;
        out.extend_from_slice(dictionaries);
        Ok(())
    }
}

/// A position in a header.
struct HeaderReader<'b> {
    bytes: &'b [u8],
    at: usize,
    depth: u64,
}

impl<'b> HeaderReader<'b> {
    fn head(&mut self) -> std::result::Result<MsgpackHead, CellError> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let (found, length) = head(rest).map_err(|e| e.after(0, self.at))?.ok_or_else(|| self.cut(1))?;
        self.at += length;
        Ok(found)
    }

    fn cut(&self, more: usize) -> CellError {
        let (needed, had) = ((self.at + more) as u64, self.bytes.len() as u64);
        let message = format!(
            "the header needs {needed} bytes, found {had}. The file was cut short: fetch or write it again."
        );
        CellError::new(ErrorKind::Truncated { needed, had }, self.at, message)
    }

    fn wrong(&self, start: usize, what: &str, found: MsgpackHead) -> CellError {
        let _ = self;
        malformed(start, format!("header: expected {what}, found {}.", found.name()))
    }

    fn payload(&mut self, n: u32) -> std::result::Result<&'b [u8], CellError> {
        let end = self.at.saturating_add(n as usize);
        let payload = self.bytes.get(self.at..end).ok_or_else(|| self.cut(n as usize))?;
        self.at = end;
        Ok(payload)
    }

    fn text(&mut self) -> std::result::Result<&'b str, CellError> {
        let start = self.at;
        match self.head()? {
            MsgpackHead::Str(n) => {
                let payload = self.payload(n)?;
                std::str::from_utf8(payload).map_err(|_| malformed(start, "header: expected UTF-8."))
            }
            other => Err(self.wrong(start, "text", other)),
        }
    }

    fn uint(&mut self) -> std::result::Result<u64, CellError> {
        let start = self.at;
        match self.head()? {
            MsgpackHead::Int(v) => u64::try_from(v)
                .map_err(|_| malformed(start, format!("header: expected a count, found {v}."))),
            MsgpackHead::UInt(v) => Ok(v),
            other => Err(self.wrong(start, "a count", other)),
        }
    }

    /// Reads the number of entries of an array; each has at least one byte.
    fn array(&mut self) -> std::result::Result<usize, CellError> {
        let start = self.at;
        match self.head()? {
            MsgpackHead::Array(n) if n as usize <= self.bytes.len() - self.at => Ok(n as usize),
            MsgpackHead::Array(n) => Err(self.cut(n as usize)),
            other => Err(self.wrong(start, "an array", other)),
        }
    }

    fn uints(&mut self) -> std::result::Result<Vec<u64>, CellError> {
        (0..self.array()?).map(|_| self.uint()).collect()
    }

    /// Reads the schema, and whether it is text, as in the specification before 2013.
    fn schema(&mut self, limits: &Limits) -> std::result::Result<(SchemaRef, bool), CellError> {
        let start = self.at;
        let found = self.head()?;
        let decoded;
        let bytes = match found {
            MsgpackHead::Bin(n) => self.payload(n)?,
            MsgpackHead::Str(n) => {
                let text = self.payload(n)?;
                let invalid = |e| malformed(start, format!("header: schema: expected base64: {e}."));
                decoded = STANDARD.decode(text).map_err(invalid)?;
                &decoded
            }
            other => return Err(self.wrong(start, "the schema as bin", other)),
        };
        let is_old = matches!(found, MsgpackHead::Str(_));
        let schema = ipc::schema_of(bytes, limits).map_err(|e| {
            let message = format!("header: schema: {e}");
            match e.kind() {
                ErrorKind::LimitExceeded => CellError::new(ErrorKind::LimitExceeded, start, message),
                ErrorKind::Unsupported => CellError::new(ErrorKind::Unsupported, start, message),
                _ => malformed(start, message),
            }
        })?;
        Ok((schema, is_old))
    }

    fn skip(&mut self) -> std::result::Result<Range<usize>, CellError> {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        let length = crate::cells::msgpack::skip::skip(rest, self.depth).map_err(|e| e.after(0, start))?;
        self.at += length.ok_or_else(|| self.cut(rest.len() + 1))?;
        Ok(start..self.at)
    }

    fn value(&mut self, limits: &Limits) -> std::result::Result<MsgpackHeader, CellError> {
        let start = self.at;
        let entries = match self.head()? {
            MsgpackHead::Map(n) => n,
            other => return Err(self.wrong(start, "a map", other)),
        };
        let mut version = None;
        let mut nrows = None;
        let mut schema = None;
        let mut out = MsgpackHeader {
            orient: MsgpackOrient::Columns,
            nrows: 0,
            chunk: None,
            schema: Schema::empty().into(),
            nbytes: Vec::new(),
            nulls: Vec::new(),
            packed: false,
            old: false,
            dictionaries: 0..0,
        };
        let mut seen = HashSet::new();
        for _ in 0..entries {
            let key_at = self.at;
            let key = self.text()?;
            if !seen.insert(key) {
                let key = excerpt(key);
                return Err(malformed(
                    key_at,
                    format!("header: expected every key once, found {key} again."),
                ));
            }
            match key {
                "version" => {
                    let found = self.uint()?;
                    if found != VERSION {
                        let message =
                            format!("header: expected version {VERSION}, found {found}. Upgrade colonnade.");
                        return Err(CellError::new(ErrorKind::Unsupported, key_at, message));
                    }
                    version = Some(found);
                }
                "orient" => {
                    let name = self.text()?;
                    out.orient = MsgpackOrient::from_name(name).map_err(|_| {
                        malformed(
                            key_at,
                            format!("header: orient: expected columns, records or split, found {name:?}."),
                        )
                    })?;
                }
                "nrows" => nrows = Some(self.uint()?),
                "chunk" => out.chunk = Some(self.uint()?),
                "schema" => {
                    let found = self.schema(limits)?;
                    (schema, out.old) = (Some(found.0), found.1);
                }
                "numbers" => match self.text()? {
                    "packed" => out.packed = true,
                    "plain" => {}
                    other => {
                        let message = format!("header: numbers: expected plain or packed, found {other:?}.");
                        return Err(malformed(key_at, message));
                    }
                },
                "nbytes" => out.nbytes = self.uints()?,
                "nulls" => out.nulls = self.uints()?,
                "dictionaries" => out.dictionaries = self.skip()?,
                // Keys that later writers add within version 1 are ignored.
                _ => {
                    self.skip()?;
                }
            }
        }
        let missing =
            |what: &str| malformed(start, format!("header: expected an entry {what:?}, found none."));
        version.ok_or_else(|| missing("version"))?;
        out.schema = schema.ok_or_else(|| missing("schema"))?;
        let nrows = nrows.ok_or_else(|| missing("nrows"))?;
        out.nrows =
            usize::try_from(nrows).map_err(|_| malformed(start, format!("header: nrows: found {nrows}.")))?;
        let fields = out.schema.fields().len();
        let lists =
            [("nulls", &out.nulls, false), ("nbytes", &out.nbytes, out.orient != MsgpackOrient::Columns)];
        for (name, list, may_lack) in lists {
            if list.len() != fields && !(may_lack && list.is_empty()) {
                let message = format!(
                    "header: {name}: expected one for each of {fields} fields, found {}.",
                    list.len()
                );
                return Err(malformed(start, message));
            }
        }
        Ok(out)
    }
}

/// Reads the header after the head of the map at the start of `bytes`. Returns it with the number of entries of the map and
/// the offset of the next entry; `None` if the map has no Colonnade header.
///
/// # Errors
/// Malformed, with the position; truncated.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Option<(MsgpackHeader, u32, usize)>> {
    let mut reader = HeaderReader { bytes, at: 0, depth: limits.max_depth };
    let Ok(Some((MsgpackHead::Map(entries @ 1..), at))) = head(bytes) else { return Ok(None) };
    reader.at = at;
    if !matches!(reader.text(), Ok(KEY)) {
        return Ok(None);
    }
    let header = reader.value(limits).map_err(|e| e.placed("$.__colonnade__", 0))?;
    let columns = header.schema.fields().len() as u64;
    if columns > limits.max_columns {
        let message =
            format!("{columns} columns, the limit is {}. Raise max_columns to read it.", limits.max_columns);
        return Err(Error::limit(FORMAT, message).in_member("$.__colonnade__"));
    }
    Ok(Some((header, entries, reader.at)))
}
