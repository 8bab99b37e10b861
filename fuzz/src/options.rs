//! Options, chosen by one byte of the input.

use std::sync::Arc;

use colonnade::formats::parquet::{self, read::DecryptionKeys};
use colonnade::formats::{Format, FrameEncoding, Options};
use colonnade_capi::options;

/// Limits far below the defaults: time and memory of a run go into code, not into allocation.
const LIMITS: &str = r#""limits":{"max_unbacked_nbytes":1000000,"max_expansion":64,"max_unbacked_rows":10000,"max_columns":10000}"#;

/// In the byte that chooses: the file is also read from a file, a stream and a store.
pub const ALL_SOURCES: u8 = 64;

/// In the byte that chooses: Parquet is also read with a filter.
pub const WITH_FILTER: u8 = 32;

/// In the byte that chooses: encrypted Parquet gets the AAD prefix.
pub const WITH_AAD_PREFIX: u8 = 16;

/// Options for reading: the entry of `choice`, modulo their number.
pub(crate) fn reading(format: &dyn Format, choice: u8) -> Arc<Options> {
    let known = reading_texts(format.spec().name);
    let text = known[usize::from(choice) % known.len()];
    let threads = if choice < 128 { 1 } else { 2 };
    let text = format!("{{\"threads\":{threads},{LIMITS}{text}}}");
    let parsed =
        options::read::parse(format, Some(&text), None).expect("the texts below are options of the format");
    match parsed.core.downcast_ref::<parquet::ReadOptions>() {
        Some(options) => Arc::new(parquet::ReadOptions { keys: Some(keys(choice)), ..options.clone() }),
        None => parsed.core,
    }
}

/// The keys of the public test files of parquet-format. Files that are not encrypted need none.
fn keys(choice: u8) -> DecryptionKeys {
    let columns = [("double_field", b"1234567890123450"), ("float_field", b"1234567890123451")];
    DecryptionKeys {
        footer: b"0123456789012345".to_vec(),
        columns: columns.map(|(name, key)| (name.to_owned(), key.to_vec())).to_vec(),
        aad_prefix: (choice & WITH_AAD_PREFIX != 0).then(|| b"tester".to_vec()),
    }
}

/// The default options for reading, for files that were just written.
pub(crate) fn reading_with_default_limits(format: &dyn Format) -> Arc<Options> {
    options::read::parse(format, Some(r#"{"threads":1}"#), None).expect("no option").core
}

fn reading_texts(format: &str) -> &'static [&'static str] {
    match format {
        "arrow" | "arrows" => &["", r#","allow_truncated":true"#],
        "parquet" => {
            &["", r#","verify":true"#, r#","int96_unit":"us""#, r#","int96_unit":"ms","verify":true"#]
        }
        "msgpack" => &[
            "",
            r#","ext":"bytes","invalid_utf8":"bytes""#,
            r#","orient":"records""#,
            r#","orient":"columns""#,
        ],
        "csv" => &[
            "",
            r#","on_error":"null""#,
            r#","on_error":"skip""#,
            r#","sep":";","decimal":",""#,
            r#","header":2"#,
            r#","header":false,"schema":"ignore""#,
            r##","comment":"#","thousands":",","sep":"|""##,
            r#","encoding":"utf-16""#,
            r#","encoding":"latin-1","big_ints":"decimal""#,
            r#","escapechar":"\\","doublequote":false"#,
            r#","parse_dates":false,"keep_default_na":false,"skiprows":1"#,
            // The columns of `seeds/kinds.csv`, `times.csv` and `dates.csv`.
            r#","dtype":{"i":"int8","f":"float32","b":"category","m":"str","big":"Float64"}"#,
            r#","dtype":{"i":"category","f":"category","m":"category","big":"category"},"index_col":["b"]"#,
            r#","dtype":{"t":"datetime64[ns]","k":"category"},"index_col":["d","h"]"#,
            r#","date_format":"%d.%m.%y %I:%M:%S.%f %p %z","parse_dates":["t"],"na_values":["x"]"#,
            r#","date_format":"%d %B %Y %b %j %H:%M%%","parse_dates":["d"],"index_col":["k"]"#,
            r#","quotechar":"'","header":0,"encoding":"utf-16-le""#,
        ],
        "json" => &[
            "",
            r#","orient":"records""#,
            r#","orient":"columns""#,
            r#","orient":"split""#,
            r#","allow_nonfinite":true,"big_ints":"decimal""#,
            r#","parse_dates":false"#,
            r#","orient":"table""#,
            r#","orient":"index""#,
            r#","orient":"values""#,
        ],
        "ndjson" => &["", r#","allow_nonfinite":true,"big_ints":"decimal""#, r#","parse_dates":false"#],
        "yaml" => &["", r#","parse_dates":false"#, r#","orient":"records""#, r#","orient":"columns""#],
        _ => &[""],
    }
}

/// Options for writing, and whether they keep everything (otherwise the writer names what is lost).
pub(crate) fn writing(format: &dyn Format, choice: u8, nrows: usize) -> (FrameEncoding, bool) {
    let name = format.spec().name;
    let known = writing_texts(name);
    let text = known[usize::from(choice) % known.len()];
    let is_text = matches!(name, "csv" | "json" | "ndjson" | "yaml");
    let keeps_all = !is_text || text.contains(r#""schema":"header""#);
    let text = format!("{{\"threads\":1{text}}}");
    let parsed = options::write::parse(format, Some(&text), None, Some(nrows));
    (parsed.expect("the texts below are options of the format").encoding, keeps_all)
}

fn writing_texts(format: &str) -> &'static [&'static str] {
    match format {
        "npz" => &[
            "",
            r#","compression":"zstd""#,
            r#","compression":"deflate","transform":"auto""#,
            r#","profile":"balanced""#,
        ],
        "arrow" | "arrows" => &["", r#","compression":"zstd""#, r#","compression":"lz4","batch_nbytes":64"#],
        "parquet" => &[
            "",
            r#","compression":"none","use_dictionary":false"#,
            r#","row_group_size":3,"data_page_size":32"#,
            r#","data_page_version":"2.0","compression":"zstd""#,
            r#","encoding":"plain","use_dictionary":false,"write_statistics":false"#,
            r#","profile":"balanced""#,
        ],
        "msgpack" => &["", r#","numbers":"packed""#, r#","orient":"records""#, r#","compatible":true"#],
        "csv" => &[
            r#","schema":"header""#,
            r#","schema":"header","quoting":"all","sep":";","decimal":",""#,
            r#","schema":"header","quoting":"nonnumeric","lineterminator":"\r\n""#,
            "",
            r#","quoting":"nonnumeric""#,
        ],
        "json" => &[
            r#","schema":"header""#,
            r#","schema":"header","orient":"columns","indent":1"#,
            r#","schema":"header","nonfinite":"literal""#,
            "",
            r#","orient":"split""#,
        ],
        "ndjson" => &[r#","schema":"header""#, r#","schema":"header","nonfinite":"literal""#, ""],
        "yaml" => &[r#","schema":"header""#, r#","schema":"header","orient":"columns""#, ""],
        _ => &[""],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use colonnade::formats::registry;

    #[test]
    fn all_texts_are_options_of_their_format() {
        for format in registry().iter() {
            for choice in 0..=20 {
                reading(format, choice);
                writing(format, choice, 3);
            }
        }
    }
}
