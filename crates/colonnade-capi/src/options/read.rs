//! Options for reading, for each format.

use std::sync::Arc;

use colonnade::formats::csv::{self, BigInts, Dates, IndexColumns, OnError, SchemaOption};
use colonnade::formats::json::{self, lines};
use colonnade::formats::{Format, Options, arrow, msgpack, npz, parquet, yaml};
use colonnade::text::input::TextEncoding;
use colonnade::{Error, Result};
use serde_json::Value;

use super::OptionMap;

/// The options of a format, and those that every format has.
pub struct ReadOptions {
    /// The format's own options.
    pub core: Arc<Options>,
    /// Number of threads.
    pub threads: usize,
    /// Whether the file may be mapped.
    pub mmap: bool,
}

/// Parses the options for reading `format`. `columns`: the requested columns, for formats that skip the description of others.
///
/// # Errors
/// `InvalidOption`.
pub fn parse(format: &dyn Format, text: Option<&str>, columns: Option<&[String]>) -> Result<ReadOptions> {
    let name = format.spec().name;
    let mut map = OptionMap::parse(name, text)?;
    let (threads, limits) = (map.threads()?, map.limits()?);
    let mmap = map.flag("mmap")?.unwrap_or(true);
    let core: Arc<Options> = match name {
        "npz" | "npy" => Arc::new(npz::ReadOptions { limits, threads }),
        "arrow" | "arrows" => {
            let allow_truncated = map.flag("allow_truncated")?.unwrap_or(false);
            Arc::new(arrow::ReadOptions { form: None, limits, allow_truncated, threads })
        }
        "parquet" => {
            let int96_unit = map.text("int96_unit")?;
            Arc::new(parquet::ReadOptions {
                limits,
                verify: map.flag("verify")?.unwrap_or(false),
                columns: columns.map(<[String]>::to_vec),
                categories: map.texts("categories")?.unwrap_or_default(),
                int96_unit: int96_unit
                    .as_deref()
                    .map(parquet::LogicalTimeUnit::from_name)
                    .transpose()?
                    .unwrap_or_default(),
                threads,
                ..parquet::ReadOptions::default()
            })
        }
        "msgpack" => {
            let fallback = [("error", msgpack::Fallback::Error), ("bytes", msgpack::Fallback::Bytes)];
            let orient = map.text("orient")?;
            Arc::new(msgpack::ReadOptions {
                orient: orient.as_deref().map(msgpack::MsgpackOrient::from_name).transpose()?,
                ext: map.choice("ext", &fallback)?.unwrap_or(msgpack::Fallback::Error),
                invalid_utf8: map.choice("invalid_utf8", &fallback)?.unwrap_or(msgpack::Fallback::Error),
                limits,
                threads,
            })
        }
        "csv" => Arc::new(csv_options(&mut map, limits, threads)?),
        "json" => {
            let orient = map.text("orient")?;
            Arc::new(json::ReadOptions {
                orient: orient.as_deref().map(json::JsonOrient::from_name).transpose()?,
                allow_nonfinite: map.flag("allow_nonfinite")?.unwrap_or(false),
                big_decimals: big_decimals(&mut map)?,
                dates: map.flag("parse_dates")?.unwrap_or(true),
                encoding: encoding(name, &mut map)?,
                part: None,
                limits,
                threads,
            })
        }
        "ndjson" => Arc::new(lines::ReadOptions {
            allow_nonfinite: map.flag("allow_nonfinite")?.unwrap_or(false),
            big_decimals: big_decimals(&mut map)?,
            dates: map.flag("parse_dates")?.unwrap_or(true),
            encoding: encoding(name, &mut map)?,
            limits,
            threads,
        }),
        "yaml" => {
            let orient = map.text("orient")?;
            Arc::new(yaml::ReadOptions {
                orient: orient.as_deref().map(yaml::YamlOrient::named).transpose()?,
                dates: map.flag("parse_dates")?.unwrap_or(true),
                encoding: encoding(name, &mut map)?,
                part: None,
                limits,
                threads,
            })
        }
        other => {
            let message = "it has no options in the C interface. Use another format.";
            return Err(Error::unsupported(other, message));
        }
    };
    map.finish()?;
    Ok(ReadOptions { core, threads, mmap })
}

fn encoding(format: &'static str, map: &mut OptionMap) -> Result<TextEncoding> {
    TextEncoding::from_name(format, map.text("encoding")?.as_deref().unwrap_or("utf-8"))
}

fn big_decimals(map: &mut OptionMap) -> Result<bool> {
    Ok(map.choice("big_ints", &[("error", false), ("decimal", true)])?.unwrap_or(false))
}

fn csv_options(
    map: &mut OptionMap,
    limits: colonnade::limits::Limits,
    threads: usize,
) -> Result<csv::ReadOptions> {
    let usual = csv::ReadOptions::default();
    let on_errors = [("raise", OnError::Raise), ("null", OnError::Null), ("skip", OnError::Skip)];
    let big_ints = [("text", BigInts::Text), ("decimal", BigInts::Decimal), ("error", BigInts::Error)];
    let schemas = [
        ("header", SchemaOption::Header),
        ("sidecar", SchemaOption::Sidecar),
        ("ignore", SchemaOption::Ignore),
    ];
    let pairs = |value: &Value| {
        let pair = |(name, dtype): (&String, &Value)| Some((name.clone(), dtype.as_str()?.to_owned()));
        value.as_object()?.iter().map(pair).collect::<Option<Vec<_>>>()
    };
    let dates = |value: &Value| match value {
        Value::Bool(all) => Some(if *all { Dates::All } else { Dates::None }),
        Value::Array(list) => {
            list.iter().map(|name| Some(name.as_str()?.to_owned())).collect::<Option<_>>().map(Dates::Names)
        }
        _ => None,
    };
    let header_rows =
        |value: &Value| value.as_bool().map(usize::from).or_else(|| usize::try_from(value.as_u64()?).ok());
    let out = csv::ReadOptions {
        delimiter: map.character("sep")?,
        quote: map.character("quotechar")?.or(usual.quote),
        escape: map.character("escapechar")?,
        doublequote: map.flag("doublequote")?.unwrap_or(true),
        comment: map.character("comment")?,
        decimal: map.character("decimal")?.unwrap_or(usual.decimal),
        thousands: map.character("thousands")?,
        na_values: map.texts("na_values")?.unwrap_or_default(),
        keep_default_na: map.flag("keep_default_na")?.unwrap_or(true),
        header_rows: map.value("header", "true, false or a number of rows", header_rows)?.unwrap_or(1),
        index_columns: map.texts("index_col")?.map_or(IndexColumns::None, IndexColumns::Names),
        skip_rows: map.count("skiprows")?.unwrap_or(0),
        encoding: encoding("csv", map)?,
        dtypes: map.value("dtype", "an object of names and types", pairs)?.unwrap_or_default(),
        dates: map.value("parse_dates", "true, false or a list of names", dates)?.unwrap_or(Dates::All),
        date_format: map.text("date_format")?.filter(|format| format != "iso"),
        on_error: map.choice("on_error", &on_errors)?.unwrap_or(OnError::Raise),
        big_ints: map.choice("big_ints", &big_ints)?.unwrap_or(BigInts::Text),
        schema: map.choice("schema", &schemas)?.unwrap_or(SchemaOption::Found),
        limits,
        threads,
        ..usual
    };
    out.check()?;
    Ok(out)
}
