//! Options for writing, for each format.

use std::collections::BTreeMap;
use std::sync::Arc;

use colonnade::codec::file::FileCodec;
use colonnade::container::members::Compat;
use colonnade::formats::csv::{self, OutputEncoding, Quoting, SchemaPlace};
use colonnade::formats::json::{self, NonfiniteOption, lines};
use colonnade::formats::npz::{self, FilterChoice, MemberCodec};
use colonnade::formats::parquet::write::file::{self, RawWriteOptions};
use colonnade::formats::{Format, FrameEncoding, Options, arrow, msgpack, npy, yaml};
use colonnade::{Error, Result};

use super::OptionMap;

/// What happens where a plain text file would not bring back the same values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnLoss {
    /// The caller is told, and decides.
    Report,
    /// An error, before anything is written.
    Raise,
    /// Nothing.
    Ignore,
}

/// The encoding, and the options that every format has.
pub struct WriteOptions {
    /// The format with its options.
    pub encoding: FrameEncoding,
    /// Whether the bytes reach the disk before the call returns.
    pub fsync: bool,
    /// The treatment of losses.
    pub on_loss: OnLoss,
}

/// Parses the options for writing `format`. `codec`: the compression that the suffix names. `nrows`: the rows of the whole frame,
/// if known.
///
/// # Errors
/// `InvalidOption`.
pub fn parse(
    format: &dyn Format,
    text: Option<&str>,
    codec: Option<FileCodec>,
    nrows: Option<usize>,
) -> Result<WriteOptions> {
    let spec = format.spec();
    let mut map = OptionMap::parse(spec.name, text)?;
    let threads = map.threads()?;
    let fsync = map.flag("fsync")?.unwrap_or(false);
    let losses = [("warn", OnLoss::Report), ("raise", OnLoss::Raise), ("ignore", OnLoss::Ignore)];
    let on_loss = map.choice("on_loss", &losses)?.unwrap_or(OnLoss::Report);
    let level = map.int("compression_level")?;
    let whole = if spec.capabilities.compressed { map.text("compression")? } else { None };
    let core: Arc<Options> = match spec.name {
        "npz" => Arc::new(npz_options(&mut map, level, threads)?),
        "npy" => Arc::new(npy::WriteOptions { compat: compat(&mut map)? }),
        "arrow" | "arrows" => {
            let codec = map.text("compression")?;
            let codec = arrow::WriteOptions::codec_of(codec.as_deref())?;
            let batch_nbytes = map.count("batch_nbytes")?;
            Arc::new(arrow::WriteOptions::new(codec, level, batch_nbytes, nrows, threads)?)
        }
        "parquet" => Arc::new(parquet_options(&mut map, level, nrows, threads)?),
        "msgpack" => {
            let orient = map.text("orient")?;
            let orient = orient.as_deref().map(msgpack::MsgpackOrient::from_name).transpose()?;
            let numbers = [("plain", false), ("packed", true)];
            let options = msgpack::WriteOptions {
                orient: orient.unwrap_or(msgpack::MsgpackOrient::Columns),
                header: map.flag("header")?.unwrap_or(true),
                packed: map.choice("numbers", &numbers)?.unwrap_or(false),
                compatible: map.flag("compatible")?.unwrap_or(false),
                threads,
                chunk: None,
            };
            Arc::new(options.check()?)
        }
        "csv" => Arc::new(csv_options(&mut map, threads)?),
        "json" => {
            let orient = map.text("orient")?;
            let orient = orient.as_deref().map(json::JsonOrient::from_name).transpose()?;
            Arc::new(json::WriteOptions {
                orient: orient.unwrap_or_default(),
                header: has_schema(&mut map)?,
                nonfinite: nonfinite(&mut map)?,
                indent: map.count("indent")?,
                threads,
            })
        }
        "ndjson" => Arc::new(lines::WriteOptions {
            header: has_schema(&mut map)?,
            nonfinite: nonfinite(&mut map)?,
            threads,
        }),
        "yaml" => {
            let orient = map.text("orient")?;
            let orient = orient.as_deref().map(yaml::YamlOrient::named).transpose()?;
            Arc::new(yaml::WriteOptions {
                orient: orient.unwrap_or(yaml::YamlOrient::Records),
                header: has_schema(&mut map)?,
                threads,
            })
        }
        other => {
            let message = "it has no options in the C interface. Use another format.";
            return Err(Error::unsupported(other, message));
        }
    };
    map.finish()?;
    let encoding = FrameEncoding::new(spec.name, core)?;
    let codec = match whole.as_deref() {
        Some("none") => None,
        Some(name) => Some(FileCodec::named(name)?),
        None => codec,
    };
    let encoding = if spec.capabilities.compressed { encoding.compressed(codec, level)? } else { encoding };
    Ok(WriteOptions { encoding, fsync, on_loss })
}

fn compat(map: &mut OptionMap) -> Result<Compat> {
    Ok(map.choice("compat", &[("static-frame", Compat::StaticFrame)])?.unwrap_or(Compat::Ours))
}

fn npz_options(map: &mut OptionMap, level: Option<i32>, threads: usize) -> Result<npz::WriteOptions> {
    let codec = MemberCodec::parse(map.text("compression")?.as_deref())?;
    let filter = FilterChoice::parse(map.text("transform")?.as_deref())?;
    let profile = map.text("profile")?.as_deref().map(npz::profile).transpose()?;
    let options = npz::WriteOptions::new(codec, BTreeMap::new(), level, compat(map)?, threads)?;
    Ok(options.with_filters(filter, BTreeMap::new(), profile))
}

fn parquet_options(
    map: &mut OptionMap,
    level: Option<i32>,
    nrows: Option<usize>,
    threads: usize,
) -> Result<file::WriteOptions> {
    let compression = map.text("compression")?;
    let (encoding, profile) = (map.text("encoding")?, map.text("profile")?);
    let version = map.choice("data_page_version", &[("1.0", false), ("2.0", true)])?;
    let asked = RawWriteOptions {
        compression: Some(compression.as_deref().unwrap_or("auto")),
        level,
        encoding: encoding.as_deref(),
        dictionary: map.flag("use_dictionary")?.unwrap_or(true),
        profile: profile.as_deref(),
        group_rows: map.count("row_group_size")?,
        page_nbytes: map.count("data_page_size")?,
        version_2: version.unwrap_or(false),
        statistics: map.flag("write_statistics")?.unwrap_or(true),
        page_index: map.flag("write_page_index")?.unwrap_or(true),
        crc: map.flag("write_page_checksum")?.unwrap_or(true),
    };
    file::WriteOptions::new(&asked, threads, nrows)
}

/// Whether a schema is stored: `schema="header"`.
fn has_schema(map: &mut OptionMap) -> Result<bool> {
    Ok(map.choice("schema", &[("header", true), ("none", false)])?.unwrap_or(false))
}

fn nonfinite(map: &mut OptionMap) -> Result<NonfiniteOption> {
    use NonfiniteOption::{Error, Literal, Null};
    Ok(map.choice("nonfinite", &[("null", Null), ("literal", Literal), ("error", Error)])?.unwrap_or(Null))
}

fn csv_options(map: &mut OptionMap, threads: usize) -> Result<csv::WriteOptions> {
    let usual = csv::WriteOptions::default();
    let quotings =
        [("minimal", Quoting::Minimal), ("nonnumeric", Quoting::Nonnumeric), ("all", Quoting::All)];
    let schemas =
        [("header", SchemaPlace::Header), ("sidecar", SchemaPlace::Sidecar), ("none", SchemaPlace::Nowhere)];
    let encoding = map.text("encoding")?;
    let options = csv::WriteOptions {
        delimiter: map.character("sep")?.unwrap_or(usual.delimiter),
        quotechar: map.character("quotechar")?.unwrap_or(usual.quotechar),
        header: map.flag("header")?.unwrap_or(true),
        index: map.flag("index")?,
        quoting: map.choice("quoting", &quotings)?.unwrap_or_default(),
        crlf: map.choice("lineterminator", &[("\n", false), ("\r\n", true)])?.unwrap_or(false),
        na_rep: map.text("na_rep")?.unwrap_or_default(),
        decimal: map.character("decimal")?.unwrap_or(usual.decimal),
        encoding: encoding.as_deref().map_or(Ok(usual.encoding), OutputEncoding::named)?,
        schema: map.choice("schema", &schemas)?.unwrap_or_default(),
        threads,
    };
    options.check()
}

/// Refuses losses, or returns them as lines of text.
///
/// # Errors
/// `Unrepresentable` with `on_loss="raise"`; as [`FrameEncoding::losses`].
pub fn check_losses(options: &WriteOptions, frame: &colonnade::frame::Frame) -> Result<Vec<String>> {
    if options.on_loss == OnLoss::Ignore {
        return Ok(Vec::new());
    }
    let losses = options.encoding.losses(frame)?;
    let shown = losses.iter().map(|loss| match &loss.column {
        Some(column) => format!("{column:?}: {}", loss.what),
        None => loss.what.clone(),
    });
    let shown: Vec<String> = shown.collect();
    match losses.first() {
        Some(first) if options.on_loss == OnLoss::Raise => {
            let message = format!("{}. Write it with schema=\"header\".", first.what);
            let error = Error::unrepresentable(options.encoding.format().spec().name, message);
            Err(match &first.column {
                Some(column) => error.in_member(column.clone()),
                None => error,
            })
        }
        _ => Ok(shown),
    }
}
