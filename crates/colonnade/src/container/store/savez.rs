//! Maps the arrays that `numpy.savez` and `numpy.save` write, under any names, to a frame.

use crate::container::npy::Descr;
use crate::error::Result;
use crate::frame::{Axis, Grid, Part, Tags};

use super::frame_places::{AxisPlaces, FramePlaces};
use super::member_places::{check_rows, check_width, grid_of, vector_of};
use super::opened::{Store, StoreKind};
use super::place::ArrayPlace;
use super::scan::{ScannedArray, StoredMember};

/// A frame of 1-D arrays of one length, of one 2-D array or of one structured array; else the reason why they are no frame.
///
/// # Errors
/// `LimitExceeded`: too many rows that store no bytes.
pub(super) fn from_arrays(store: &Store) -> Result<std::result::Result<FramePlaces, String>> {
    let layout = arrange(store);
    if let Ok(places) = &layout {
        check_rows(store, places.nrows, &places.parts)?;
    }
    Ok(layout)
}

fn arrange(store: &Store) -> std::result::Result<FramePlaces, String> {
    const ADVICE: &str = "Read the arrays with read_arrays.";
    let arrays: Vec<&StoredMember> =
        store.members.iter().filter(|m| !matches!(store.array_of(m), ScannedArray::None)).collect();
    let mut parts = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    let nrows;
    match arrays.as_slice() {
        [] => return Err(format!("expected .npy members, found none. {ADVICE}")),
        [one] if matches!(store.array_of(one), ScannedArray::Other(_)) => {
            let (rows, fields) = structured(store, one).map_err(|why| format!("{why} {ADVICE}"))?;
            nrows = rows;
            for (i, (name, place)) in fields.into_iter().enumerate() {
                labels.push(name);
                parts.push(Part::Block(place, vec![i]));
            }
        }
        [one] if store.kind == StoreKind::Npy || is_two_dimensional(store, one) => {
            let (key, offset) = grid_of(store, one).map_err(|e| e.to_string())?;
            check_width(store, key.width).map_err(|e| e.to_string())?;
            nrows = key.nrows;
            let grid = if key.fortran_order {
                Grid::column_major(key.dtype, key.nrows, key.width, offset)
            } else {
                Grid::row_major(key.dtype, key.nrows, key.width, offset)
            };
            parts.push(Part::Block(ArrayPlace { space: one.space, grid }, (0..key.width).collect()));
        }
        many => {
            let mut common = None;
            for (i, member) in many.iter().enumerate() {
                let name = store.name(member.entry);
                let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
                let place = vector_of(store, member).map_err(|_| {
                    format!("expected 1-D arrays of one length (or a single 2-D one), found {name:?} of another shape. {ADVICE}")
                })?;
                let expected = *common.get_or_insert(place.grid.nrows);
                if place.grid.nrows != expected {
                    let found = place.grid.nrows;
                    return Err(format!(
                        "expected 1-D arrays of one length, found {expected} and {found} ({name:?}). {ADVICE}"
                    ));
                }
                labels.push(name);
                parts.push(Part::Block(place, vec![i]));
            }
            nrows = common.unwrap_or(0);
        }
    }
    let ncols = parts.iter().map(|p| if let Part::Block(_, at) = p { at.len() } else { 1 }).sum();
    let columns = if labels.is_empty() { Axis::range(ncols) } else { super::labels::text_axis(&labels) };
    let tags = Tags { name: "null".into(), attrs: None, origin: super::origin::of_single_array(store) };
    let (index, columns) = (AxisPlaces::Ready(Axis::range(nrows)), AxisPlaces::Ready(columns));
    Ok(FramePlaces { nrows, ncols, parts, index, columns, tags, version: None })
}

fn is_two_dimensional(store: &Store, member: &StoredMember) -> bool {
    matches!(store.array_of(member), ScannedArray::Plain { key, .. } if key.two_dimensional)
}

/// The row count and fields of a 1-D structured array.
fn structured(
    store: &Store,
    member: &StoredMember,
) -> std::result::Result<(usize, Vec<(String, ArrayPlace)>), String> {
    let ScannedArray::Other(header) = store.array_of(member) else {
        return Err("expected a structured array.".into());
    };
    let (Descr::Struct(fields), [nrows]) = (&header.descr, header.shape.as_slice()) else {
        return Err(format!("expected 1 or 2 dimensions, found {}.", header.shape.len()));
    };
    let record = header.itemsize();
    let mut out = Vec::new();
    let mut offset = member.start + header.data_offset;
    for field in fields {
        let size = field.nbytes().unwrap_or(0);
        if !field.is_padding() {
            let Descr::Scalar(dtype) = &field.descr else {
                return Err(format!("field {:?} is itself structured.", field.name));
            };
            if !field.shape.is_empty() {
                return Err(format!("field {:?} is a subarray.", field.name));
            }
            let mut grid = Grid::column_major(*dtype, *nrows, 1, offset);
            grid.row_stride = isize::try_from(record).unwrap_or(isize::MAX);
            out.push((field.name.clone(), ArrayPlace { space: member.space, grid }));
        }
        offset += size;
    }
    Ok((*nrows, out))
}
