//! Reads a file in every way.
//!
//! Input: a byte, then the file. The byte chooses the options, and by its bits whether the file is also read from other
//! sources ([`ALL_SOURCES`](options::ALL_SOURCES)) and with a filter ([`WITH_FILTER`](options::WITH_FILTER)).

use std::collections::BTreeMap;

use colonnade::decode::{MemoryLayout, Request};
use colonnade::formats::{Format, Opened, parquet};
use colonnade::frame::Frame;
use colonnade::frame::paths::{LeafProjection, Projection, field_paths};
use colonnade::memory::Buffer;
use colonnade::progress::NoProgress;
use colonnade::source::Source;

use crate::content::check_same;
use crate::ways::Ways;
use crate::{filters, heard, options, sources};

/// At most so many labels, arrays and batches are read: a file can hold thousands of empty ones.
const MOST_PARTS: usize = 8;

/// Opens, describes, loads, selects and verifies.
///
/// # Panics
/// If two ways to read the file disagree.
pub(crate) fn read(format: &'static dyn Format, input: &[u8], ways: Ways) {
    let Some((choice, file)) = input.split_first() else { return };
    let options = options::reading(format, *choice);
    let source = || Source::Memory(Buffer::from_vec(file.to_vec()));
    let Some(opened) = heard(format.open(source(), &*options, &NoProgress)) else { return };
    describe(&*opened);
    if opened.kind() != "frame" {
        let _ = heard(format.is_series(source(), &*options, &NoProgress));
        read_parts(&*opened, ways);
    }
    let Some(whole) = load(&*opened, ways) else { return };
    let ways = ways.further();
    if choice & options::ALL_SOURCES != 0 {
        let is_verified = opened.verify(1, &NoProgress).is_ok();
        sources::check(
            &sources::FileInMemory { format, file, options: &*options, whole: &whole, is_verified },
            ways,
        );
    }
    if let Some(options) = options.downcast_ref::<parquet::ReadOptions>()
        && choice & options::WITH_FILTER != 0
        && let Some(whole) = heard(opened.load(&in_arrow()))
    {
        filters::check(format, file, options, &whole.frame);
    }
}

/// Reads the frames and arrays of a file that has several.
fn read_parts(opened: &dyn Opened, ways: Ways) {
    for label in heard(opened.labels()).unwrap_or_default().iter().take(MOST_PARTS) {
        if let Some(inner) = heard(opened.open_label(label, &NoProgress)) {
            describe(&*inner);
            let _ = load(&*inner, ways);
        }
    }
    for name in heard(opened.array_names()).unwrap_or_default().iter().take(MOST_PARTS) {
        let _ = heard(opened.array(name, 1));
    }
}

fn describe(opened: &dyn Opened) {
    let shape = heard(opened.shape());
    let columns = heard(opened.columns());
    let dtypes = heard(opened.dtypes());
    let _ = heard(opened.index());
    let _ = heard(opened.tags().map(|_| ()));
    let _ = heard(opened.members());
    let _ = heard(opened.batches());
    let _ = (opened.version(), opened.file_nbytes(), opened.nbytes(), opened.facts(), opened.layout());
    let Some((nrows, ncols)) = shape else { return };
    for position in (0..ncols).take(MOST_PARTS) {
        let _ = opened.arrow_type(position);
    }
    if let Some(columns) = columns {
        assert_eq!(columns.len(), ncols, "labels and columns");
    }
    if let Some(dtypes) = dtypes {
        assert_eq!(dtypes.len(), ncols, "types and columns");
    }
    if let Some(rows) = opened.batch_rows() {
        assert_eq!(rows.iter().sum::<usize>(), nrows, "rows of the batches");
    }
}

/// Loads the frame in NumPy's layout, and compares what other ways load.
fn load(opened: &dyn Opened, ways: Ways) -> Option<Frame> {
    let whole = heard(opened.load(&Request::all(1, &NoProgress))).map(|loaded| loaded.frame);
    if let Some(whole) = &whole {
        let (nrows, ncols) = opened.shape().ok()?;
        assert_eq!((whole.nrows, whole.ncols), (nrows, ncols), "the shape of what is loaded");
    }
    ways.of(&WAYS).iter().for_each(|way| way(opened, whole.as_ref()));
    whole
}

/// Ways to read a file, given the frame that it has.
const WAYS: [fn(&dyn Opened, Option<&Frame>); 8] =
    [verify, as_arrow, as_views, as_pandas, in_batches, rows, columns, fields];

fn in_arrow() -> Request<'static> {
    Request { layout: MemoryLayout::Arrow, ..Request::all(1, &NoProgress) }
}

fn verify(opened: &dyn Opened, whole: Option<&Frame>) {
    let verified = heard(opened.verify(1, &NoProgress));
    assert!(
        whole.is_some() || verified.is_none() || opened.kind() != "frame",
        "it is verified, and not read"
    );
}

fn as_arrow(opened: &dyn Opened, whole: Option<&Frame>) {
    if let (Some(found), Some(whole)) = (heard(opened.load(&in_arrow())), whole) {
        check_same(&found.frame, whole, "Arrow's layout");
    }
}

fn as_views(opened: &dyn Opened, whole: Option<&Frame>) {
    let request = Request { layout: MemoryLayout::ArrowViews, ..Request::all(1, &NoProgress) };
    if let (Some(found), Some(whole)) = (heard(opened.load(&request)), whole) {
        assert_eq!(
            (found.frame.nrows, found.frame.ncols),
            (whole.nrows, whole.ncols),
            "the shape with views"
        );
    }
}

fn as_pandas(opened: &dyn Opened, whole: Option<&Frame>) {
    let request = Request { layout: MemoryLayout::Pandas, private: true, ..Request::all(2, &NoProgress) };
    if let (Some(found), Some(whole)) = (heard(opened.load(&request)), whole) {
        let found = (found.frame.nrows, found.frame.ncols);
        assert_eq!(found, (whole.nrows, whole.ncols), "the shape in pandas' layout");
    }
}

fn in_batches(opened: &dyn Opened, whole: Option<&Frame>) {
    let batches = heard(opened.load_arrow(&in_arrow()));
    if let (Some(batches), Some(whole)) = (batches, whole) {
        let rows: usize = batches.iter().map(|batch| batch.nrows).sum();
        assert_eq!(rows, whole.nrows, "rows of the loaded batches");
    }
    for number in (0..opened.batch_rows().map_or(0, |rows| rows.len())).take(MOST_PARTS) {
        let _ = heard(opened.batch(number, &in_arrow()));
    }
}

/// Rows that are read are those of the whole.
fn rows(opened: &dyn Opened, whole: Option<&Frame>) {
    let Some(whole) = whole else { return };
    let rows = (whole.nrows / 3, whole.nrows - whole.nrows / 4);
    let request = Request { rows: Some(rows), ..Request::all(1, &NoProgress) };
    match opened.load(&request) {
        Ok(loaded) => check_same(&loaded.frame, &whole.slice(rows.0, rows.1), "rows"),
        Err(error) => panic!("the whole is read, rows {rows:?} are not: {error}"),
    }
}

/// Columns that are read are those of the whole.
fn columns(opened: &dyn Opened, whole: Option<&Frame>) {
    let Some(whole) = whole else { return };
    let positions: Vec<usize> = (0..whole.ncols).rev().step_by(2).collect();
    let request = Request { positions: Some(&positions), ..Request::all(1, &NoProgress) };
    match opened.load(&request) {
        Ok(loaded) => {
            let part = whole.clone().part("frame", Some(&positions), None).expect("positions of the frame");
            check_same(&loaded.frame, &part, "columns");
        }
        Err(error) => panic!("the whole is read, columns {positions:?} are not: {error}"),
    }
}

/// Of nested columns, the last field is read, and is that field of the whole.
fn fields(opened: &dyn Opened, whole: Option<&Frame>) {
    if whole.is_none() || !opened.selects_leaves() {
        return;
    }
    let Some(whole) = heard(opened.load(&in_arrow())) else { return };
    let last_field = |position: usize| {
        // Parquet holds a union as a struct, of which a field can be read.
        let stored = opened.arrow_type(position)?;
        let is_stored = whole.frame.arrow_type(position).as_ref() == Some(&stored);
        let mut fields = field_paths(&stored, &LeafProjection::All).into_iter();
        Some((position, vec![fields.rfind(|field| is_stored && field.is_leaf)?.steps]))
    };
    let requested: BTreeMap<_, _> = (0..whole.frame.ncols).filter_map(last_field).collect();
    let projection = Projection::new(&requested, &|position| opened.arrow_type(position));
    let Some(projection) = heard(projection).filter(|projection| !projection.is_all()) else { return };
    match opened.load(&Request { projection: Some(&projection), ..in_arrow() }) {
        // In a damaged file, the levels of two fields may disagree about the rows that their parent has.
        Ok(loaded) if opened.format() == "parquet" => assert_eq!(loaded.frame.nrows, whole.frame.nrows),
        Ok(loaded) => check_same(&loaded.frame, &whole.frame.projected(&projection), "fields"),
        Err(error) => panic!("the whole is read, fields {requested:?} are not: {error}"),
    }
}
