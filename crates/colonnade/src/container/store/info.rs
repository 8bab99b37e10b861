//! Metadata of a store, without reading data, and single arrays.

use arrow_schema::DataType;

use crate::container::npy::{Descr, NpyHeader};
use crate::decode::GroupKey;
use crate::error::{Error, Result};
use crate::frame::{DType, Grid, Part, Tags, type_name};
use crate::memory::Buffer;
use crate::progress::NoProgress;

use super::place::{ArrayPlace, ColumnPlace, TouchedRanges};
use super::scan::ScannedArray;
use super::{Store, StoreKind};

/// One member.
#[derive(Debug, Clone)]
pub struct MemberInfo {
    /// Its name.
    pub name: String,
    /// `stored`, `deflate`, `zstd`, or a number.
    pub method: String,
    /// Bytes after decompression.
    pub nbytes: usize,
    /// Bytes in the file.
    pub compressed_nbytes: usize,
    /// Offset of its bytes in the file.
    pub offset: usize,
    /// CRC-32 from the directory.
    pub crc32: u32,
    /// dtype, whether it is column-major, and shape, if it is an array.
    pub array: Option<(Descr, bool, Vec<usize>)>,
    /// The array's filter, if any.
    pub filter: Option<&'static str>,
}

/// An array of any shape.
#[derive(Debug)]
pub struct AnyArray {
    /// Its dtype.
    pub descr: Descr,
    /// Whether the order is column-major.
    pub fortran_order: bool,
    /// Lengths of its dimensions.
    pub shape: Vec<usize>,
    /// Its bytes, packed.
    pub bytes: Buffer,
}

impl Store {
    /// Rows and columns.
    ///
    /// # Errors
    /// Unsupported: the members are no frame.
    pub fn shape(&self) -> Result<(usize, usize)> {
        self.places().map(|p| (p.nrows, p.ncols))
    }

    /// Name, attributes and origin.
    ///
    /// # Errors
    /// As [`Store::shape`].
    pub fn tags(&self) -> Result<&Tags> {
        self.places().map(|p| &p.tags)
    }

    /// Version of `__colonnade__`.
    #[must_use]
    pub fn version(&self) -> Option<u64> {
        self.places().ok().and_then(|p| p.version)
    }

    /// Bytes of data and labels after decoding.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        let arrays = self.members.iter().filter(|m| !matches!(self.array_of(m), ScannedArray::None));
        arrays.map(|m| self.decoded_nbytes(m)).sum()
    }

    /// The name of each column's type.
    ///
    /// # Errors
    /// As [`Store::shape`].
    pub fn dtypes(&self) -> Result<Vec<String>> {
        let places = self.places()?;
        let mut out = vec![String::new(); places.ncols];
        for part in &places.parts {
            match part {
                Part::Block(place, positions) => {
                    let descr = place.grid.dtype.descr();
                    for &position in positions {
                        if let Some(slot) = out.get_mut(position) {
                            slot.clone_from(&descr);
                        }
                    }
                }
                Part::Column(column, position) => {
                    if let Some(slot) = out.get_mut(*position) {
                        *slot = type_name(&column.spec.data_type, column.spec.ordered);
                    }
                }
            }
        }
        Ok(out)
    }

    /// The type of the column at `position`; `None` unless it is in Arrow's layout.
    #[must_use]
    pub fn arrow_type(&self, position: usize) -> Option<DataType> {
        let parts = &self.places().ok()?.parts;
        let type_at = |part: &Part<ArrayPlace, ColumnPlace>| match part {
            Part::Column(column, at) if *at == position => Some(column.spec.data_type.clone()),
            _ => None,
        };
        // If all columns are in Arrow's layout, parts are in column order.
        parts.get(position).and_then(type_at).or_else(|| parts.iter().find_map(type_at))
    }

    /// All members.
    #[must_use]
    pub fn members(&self) -> Vec<MemberInfo> {
        let array = |array: &ScannedArray| match array {
            ScannedArray::None => None,
            ScannedArray::Plain { key, .. } => {
                Some((Descr::Scalar(key.dtype), key.fortran_order, shape_of(key)))
            }
            ScannedArray::Other(header) => {
                Some((header.descr.clone(), header.fortran_order, header.shape.clone()))
            }
        };
        let info = |m: &super::scan::StoredMember| MemberInfo {
            name: self.name(m.entry).into_owned(),
            method: match m.method.code() {
                0 => "stored".into(),
                8 => "deflate".into(),
                93 => "zstd".into(),
                other => format!("method {other}"),
            },
            nbytes: m.nbytes,
            compressed_nbytes: m.compressed_nbytes,
            offset: m.offset,
            crc32: m.crc32,
            array: array(self.array_of(m)),
            filter: self.filter_name(m),
        };
        self.members.iter().map(info).collect()
    }

    /// Names of the arrays, without `.npy`.
    ///
    /// # Errors
    /// Malformed: duplicate names in an archive without arrays.
    pub fn array_names(&self) -> Result<Vec<String>> {
        if let Some(directory) = self.directory().filter(|_| self.kind == StoreKind::Zip) {
            crate::container::zip::check_duplicate_names(directory)?;
            crate::container::zip::check_no_nul(directory)?;
        }
        let arrays = self.members.iter().filter(|m| !matches!(self.array_of(m), ScannedArray::None));
        Ok(arrays.map(|m| array_name(&self.name(m.entry)).to_owned()).collect())
    }

    /// One array of any shape, by its name from [`Store::array_names`].
    ///
    /// # Errors
    /// `NotFound`; malformed members; errors of the operating system.
    pub fn array(&self, name: &str, private: bool, threads: usize) -> Result<AnyArray> {
        let member = self
            .members
            .iter()
            .find(|m| {
                !matches!(self.array_of(m), ScannedArray::None) && array_name(&self.name(m.entry)) == name
            })
            .ok_or_else(|| Error::not_found("npz", format!("no array named {name:?}.")))?;
        let (descr, fortran_order, shape, head) = match self.array_of(member) {
            ScannedArray::Plain { key, head } => {
                (Descr::Scalar(key.dtype), key.fortran_order, shape_of(key), *head)
            }
            ScannedArray::Other(header) => {
                let NpyHeader { descr, fortran_order, shape, data_offset } = (**header).clone();
                (descr, fortran_order, shape, data_offset)
            }
            ScannedArray::None => return Err(Error::not_found("npz", format!("{name:?} is no array."))),
        };
        if member.filter != 0 {
            // The encoded bytes, as other readers of the archive see them.
            let mut bytes = vec![0; member.nbytes];
            member.unpack(&self.source, &mut bytes).map_err(|e| e.in_member(self.name(member.entry)))?;
            let bytes = Buffer::from_vec(bytes).slice(head, member.nbytes - head);
            let bytes = bytes.ok_or_else(|| Error::malformed("npz", "the array passes the file."))?;
            return Ok(AnyArray { descr, fortran_order, shape, bytes });
        }
        let grid = Grid::column_major(DType::BYTE, member.nbytes - head, 1, member.start + head);
        let place = ArrayPlace { space: member.space, grid };
        let mut extents = TouchedRanges::default();
        extents.add(&place);
        let block = self.spaces(extents, private, threads, &NoProgress)?.block(&place)?;
        let bytes = block.buffer.slice(block.grid.offset, block.grid.nrows);
        let bytes = bytes.ok_or_else(|| Error::malformed("npz", "the array passes the file."))?;
        if let Descr::Scalar(dtype) = &descr
            && dtype.kind == crate::frame::DTypeKind::Unicode
        {
            let big = dtype.order == crate::frame::ByteOrder::Big;
            super::text::check_bytes(bytes.as_slice(), dtype.itemsize as usize, big)?;
        }
        Ok(AnyArray { descr, fortran_order, shape, bytes })
    }

    /// The reason why the members are no frame; `None` if they are one.
    #[must_use]
    pub fn why_no_frame(&self) -> Option<&str> {
        self.frame.as_ref().err().map(String::as_str)
    }

    /// The array of a single NPY file: its shape, order and dtype.
    #[must_use]
    pub fn single_array(&self) -> Option<MemberInfo> {
        (self.kind == StoreKind::Npy).then(|| self.members().into_iter().next()).flatten()
    }
}

fn shape_of(key: &GroupKey) -> Vec<usize> {
    if key.two_dimensional { vec![key.nrows, key.width] } else { vec![key.nrows] }
}

/// The name passed to `numpy.savez`.
fn array_name(member: &str) -> &str {
    member.strip_suffix(".npy").unwrap_or(member)
}
