//! Options for writing, validated by their constructors.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::codec::Profile;
use crate::error::{Error, Result};
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::types::Physical;
use crate::formats::parquet::write::column::{CodecChoice, EncodingChoice, PageEncoding, Settings};

use super::file_column::FileColumn;

/// Options for writing. The constructor validates them.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Settings of columns without settings of their own.
    pub(super) settings: Settings,
    /// Encodings set by the caller, by column name.
    pub(super) encodings: BTreeMap<String, EncodingChoice>,
    /// Names of the columns that may have dictionaries; `None` for all.
    pub(super) dictionaries: Option<BTreeSet<String>>,
    /// Rows per row group; `None` to choose by size.
    pub(super) group_rows: Option<usize>,
    /// Rows of all chunks together, if known.
    pub(super) nrows: Option<usize>,
    /// Number of threads.
    pub(super) threads: usize,
}

/// The caller's options, as strings and numbers before validation.
#[derive(Debug, Clone, Copy, Default)]
pub struct RawWriteOptions<'a> {
    /// `auto`, `snappy`, `gzip`, `brotli`, `lz4`, `zstd`; `None` or `none` for no compression.
    pub compression: Option<&'a str>,
    /// Compression level.
    pub level: Option<i32>,
    /// Encoding of all columns that support it.
    pub encoding: Option<&'a str>,
    /// Whether dictionaries may be chosen.
    pub dictionary: bool,
    /// `fast`, `balanced` or `small`.
    pub profile: Option<&'a str>,
    /// Rows per row group.
    pub group_rows: Option<usize>,
    /// Bytes per page.
    pub page_nbytes: Option<usize>,
    /// Whether to write data pages of version 2.
    pub version_2: bool,
    /// Whether to write statistics of chunks.
    pub statistics: bool,
    /// Whether to write bounds of pages.
    pub page_index: bool,
    /// Whether to write the CRC-32 of pages.
    pub crc: bool,
}

fn wrong(message: String) -> Error {
    Error::invalid_option("parquet", message)
}

impl WriteOptions {
    /// Validates the caller's options.
    ///
    /// # Errors
    /// `InvalidOption`: unknown names; numbers out of range.
    pub fn new(asked: &RawWriteOptions<'_>, threads: usize, nrows: Option<usize>) -> Result<Self> {
        let codec = match asked.compression {
            None | Some("none") => CodecChoice::One(PageCodec::None),
            Some("auto") => CodecChoice::Auto,
            Some("snappy") => CodecChoice::One(PageCodec::Snappy),
            Some("gzip") => CodecChoice::One(PageCodec::Gzip),
            Some("brotli") => CodecChoice::One(PageCodec::Brotli),
            Some("lz4") => CodecChoice::One(PageCodec::Lz4Raw),
            Some("zstd") => CodecChoice::One(PageCodec::Zstd),
            Some(other) => {
                let known = "None, \"auto\", \"snappy\", \"gzip\", \"brotli\", \"lz4\" or \"zstd\"";
                return Err(wrong(format!("compression: expected {known}, found {other:?}.")));
            }
        };
        let levels = match codec {
            CodecChoice::One(PageCodec::Zstd) => Some(1..=22),
            CodecChoice::One(PageCodec::Gzip) => Some(1..=9),
            CodecChoice::One(PageCodec::Brotli) => Some(0..=11),
            _ => None,
        };
        if let Some(level) = asked.level
            && !levels.as_ref().is_some_and(|levels| levels.contains(&level))
        {
            let expected = levels.map_or("None".into(), |l| format!("{} to {}", l.start(), l.end()));
            let name = asked.compression.unwrap_or("none");
            return Err(wrong(format!("compression_level: expected {expected} for {name}, found {level}.")));
        }
        let profile = asked.profile.map_or(Ok(Profile::default()), |name| {
            let known = "\"fast\", \"balanced\" or \"small\"";
            Profile::named(name).ok_or_else(|| wrong(format!("profile: expected {known}, found {name:?}.")))
        })?;
        for (name, value) in [("row_group_size", asked.group_rows), ("data_page_size", asked.page_nbytes)] {
            if value == Some(0) {
                return Err(wrong(format!("{name}: expected 1 at least, found 0.")));
            }
        }
        let usual = Settings::default();
        let settings = Settings {
            encoding: encoding_of(asked.encoding.unwrap_or("auto"))?,
            dictionary: asked.dictionary,
            codec,
            level: asked.level,
            page_nbytes: asked.page_nbytes.unwrap_or(usual.page_nbytes),
            version_2: asked.version_2,
            statistics: asked.statistics,
            page_index: asked.page_index,
            crc: asked.crc,
            profile,
            ..usual
        };
        Ok(Self { settings, group_rows: asked.group_rows, nrows, threads, ..Self::default() })
    }

    /// Sets the encodings of columns, by name.
    ///
    /// # Errors
    /// `InvalidOption`: an unknown encoding.
    pub fn with_encodings<'a>(
        mut self,
        encodings: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self> {
        for (name, encoding) in encodings {
            self.encodings.insert(name.to_owned(), encoding_of(encoding)?);
        }
        Ok(self)
    }

    /// Restricts dictionaries to these columns.
    #[must_use]
    pub fn with_dictionaries<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.dictionaries = Some(names.into_iter().map(str::to_owned).collect());
        self
    }

    /// Whether options are set for columns by name.
    pub(super) fn names_columns(&self) -> bool {
        !self.encodings.is_empty() || self.dictionaries.is_some()
    }

    /// Copies the options set for a label to all columns with that label: field names are unique, labels need not be.
    pub(super) fn for_labels(&self, names: &[&str], labels: &[Option<String>]) -> Self {
        let mut out = self.clone();
        for (name, label) in names.iter().zip(labels) {
            let Some(label) = label.as_deref().filter(|label| label != name) else { continue };
            // The label itself, and paths that start with it.
            let own = |said: &str| match said.strip_prefix(label)? {
                "" => Some((*name).to_owned()),
                rest => rest.starts_with('.').then(|| format!("{name}{rest}")),
            };
            for (said, choice) in &self.encodings {
                if let Some(own) = own(said) {
                    out.encodings.entry(own).or_insert(*choice);
                }
            }
            if let Some(dictionaries) = &mut out.dictionaries {
                dictionaries.extend(self.dictionaries.iter().flatten().filter_map(|said| own(said)));
            }
        }
        out
    }

    /// Refuses names that no column has, and paths that no column contains.
    pub(super) fn check_names(&self, roots: &[FileColumn]) -> Result<()> {
        if !self.names_columns() {
            return Ok(());
        }
        let mut columns: BTreeSet<Cow<'_, str>> =
            roots.iter().map(|root| root.field.name().as_str().into()).collect();
        for path in roots.iter().flat_map(|root| &root.leaves).map(|leaf| &leaf.path) {
            columns.extend((2..=path.len()).filter_map(|n| Some(path.get(..n)?.join(".").into())));
        }
        let asked = |option: &'static str, names: Vec<&String>| match names
            .into_iter()
            .find(|name| !columns.contains(name.as_str()))
        {
            Some(name) => {
                Err(wrong(format!("{option}: expected names of columns, found {name:?}, which is none.")))
            }
            None => Ok(()),
        };
        asked("encoding", self.encodings.keys().collect())?;
        asked("use_dictionary", self.dictionaries.iter().flatten().collect())
    }

    /// Returns the settings of a column; `None` for the default settings.
    ///
    /// # Errors
    /// `InvalidOption`: an encoding that its type does not support; an encoding other than a dictionary for a categorical column.
    pub(super) fn for_column(
        &self,
        name: &str,
        physical: Physical,
        categories: bool,
    ) -> Result<Option<Settings>> {
        let allowed = self.dictionaries.as_ref().is_none_or(|names| names.contains(name));
        let choice = self.encodings.get(name);
        if let Some(EncodingChoice::One(encoding)) = choice
            && categories
            && *encoding != PageEncoding::RleDictionary
        {
            let word = word(*encoding);
            let advice = "Its dictionary is its categories; convert it to its values first";
            return Err(wrong(format!(
                "encoding of {name:?}: {word:?} is not for a column with categories. {advice}."
            )));
        }
        if let Some(EncodingChoice::One(encoding)) = choice
            && !can_have(physical, *encoding)
        {
            let (word, stored) = (word(*encoding), stored(physical));
            let message = format!("encoding of {name:?}: {word:?} is not for values stored as {stored}.");
            return Err(wrong(message));
        }
        let all = match self.settings.encoding {
            EncodingChoice::One(encoding) if !can_have(physical, encoding) => EncodingChoice::Auto,
            other => other,
        };
        let encoding = choice.copied().unwrap_or(all);
        if allowed && encoding == self.settings.encoding {
            return Ok(None);
        }
        Ok(Some(Settings {
            encoding,
            dictionary: self.settings.dictionary && allowed,
            ..self.settings.clone()
        }))
    }
}

impl WriteOptions {
    /// Looks up the leaf's path, then those of its enclosing groups, innermost first. The flag is `true` for an option of the leaf
    /// itself.
    fn lookup<T>(path: &[String], of: impl Fn(&str) -> Option<T>) -> Option<(T, bool)> {
        (1..=path.len()).rev().find_map(|n| {
            let found = of(&path.get(..n)?.join("."))?;
            Some((found, n == path.len()))
        })
    }

    /// Returns the settings of the leaves of a list, struct or map; `None` for the default settings. An option of a group applies
    /// to all of its leaves that support it.
    ///
    /// # Errors
    /// `InvalidOption`: an encoding that the leaf does not support, or that no leaf of the group supports.
    pub(super) fn for_leaves(&self, leaves: &[(Physical, Vec<String>)]) -> Result<Vec<Option<Settings>>> {
        let all = |physical| match self.settings.encoding {
            EncodingChoice::One(encoding) if !can_have(physical, encoding) => EncodingChoice::Auto,
            other => other,
        };
        if !self.names_columns() {
            let own = |encoding| Settings { encoding, ..self.settings.clone() };
            let settings = leaves.iter().map(|(physical, _)| all(*physical));
            return Ok(settings.map(|e| (e != self.settings.encoding).then(|| own(e))).collect());
        }
        self.check_groups(leaves)?;
        let mut out = Vec::with_capacity(leaves.len());
        for (physical, path) in leaves {
            let said = Self::lookup(path, |name| self.encodings.get(name).copied());
            let encoding = match said {
                Some((EncodingChoice::One(encoding), itself)) if !can_have(*physical, encoding) => {
                    if itself {
                        let (name, word, stored) = (path.join("."), word(encoding), stored(*physical));
                        let message =
                            format!("encoding of {name:?}: {word:?} is not for values stored as {stored}.");
                        return Err(wrong(message));
                    }
                    EncodingChoice::Auto
                }
                Some((choice, _)) => choice,
                None => all(*physical),
            };
            let named =
                |names: &BTreeSet<String>| Self::lookup(path, |name| names.contains(name).then_some(()));
            let allowed = self.dictionaries.as_ref().is_none_or(|names| named(names).is_some());
            let same = allowed && encoding == self.settings.encoding;
            let dictionary = self.settings.dictionary && allowed;
            out.push((!same).then(|| Settings { encoding, dictionary, ..self.settings.clone() }));
        }
        Ok(out)
    }

    /// Refuses encodings of groups that no leaf of the group supports.
    fn check_groups(&self, leaves: &[(Physical, Vec<String>)]) -> Result<()> {
        for (name, choice) in &self.encodings {
            let EncodingChoice::One(encoding) = choice else { continue };
            let group = |path: &[String]| (1..path.len()).any(|n| is_path(path.get(..n), name));
            let mut below = leaves.iter().filter(|(_, path)| group(path)).peekable();
            if below.peek().is_some() && !below.any(|(physical, _)| can_have(*physical, *encoding)) {
                let word = word(*encoding);
                let message = format!("encoding of {name:?}: {word:?} is not for any of its values.");
                return Err(wrong(message));
            }
        }
        Ok(())
    }
}

fn is_path(path: Option<&[String]>, name: &str) -> bool {
    path.is_some_and(|path| path.join(".") == name)
}

fn encoding_of(name: &str) -> Result<EncodingChoice> {
    Ok(match name {
        "auto" => EncodingChoice::Auto,
        "plain" => EncodingChoice::One(PageEncoding::Plain),
        "dictionary" => EncodingChoice::One(PageEncoding::RleDictionary),
        "delta_binary_packed" => EncodingChoice::One(PageEncoding::DeltaBinaryPacked),
        "delta_length_byte_array" => EncodingChoice::One(PageEncoding::DeltaLengthByteArray),
        "byte_stream_split" => EncodingChoice::One(PageEncoding::ByteStreamSplit),
        other => {
            let known =
                "auto, plain, dictionary, delta_binary_packed, delta_length_byte_array, byte_stream_split";
            return Err(wrong(format!("encoding: expected one of {known}, found {other:?}.")));
        }
    })
}

/// The name of an encoding in the options.
fn word(encoding: PageEncoding) -> &'static str {
    match encoding {
        PageEncoding::Plain => "plain",
        PageEncoding::PlainDictionary | PageEncoding::RleDictionary => "dictionary",
        PageEncoding::DeltaBinaryPacked => "delta_binary_packed",
        PageEncoding::DeltaLengthByteArray => "delta_length_byte_array",
        PageEncoding::DeltaByteArray => "delta_byte_array",
        PageEncoding::ByteStreamSplit => "byte_stream_split",
        PageEncoding::Rle => "rle",
        PageEncoding::BitPacked => "bit_packed",
    }
}

/// The name of a physical type in the specification.
fn stored(physical: Physical) -> &'static str {
    match physical {
        Physical::Boolean => "BOOLEAN",
        Physical::Int32 => "INT32",
        Physical::Int64 => "INT64",
        Physical::Int96 => "INT96",
        Physical::Float => "FLOAT",
        Physical::Double => "DOUBLE",
        Physical::Bytes => "BYTE_ARRAY",
        Physical::Fixed(_) => "FIXED_LEN_BYTE_ARRAY",
    }
}

/// Whether the specification allows this encoding for the physical type.
fn can_have(physical: Physical, encoding: PageEncoding) -> bool {
    match encoding {
        PageEncoding::RleDictionary => physical != Physical::Boolean,
        PageEncoding::DeltaBinaryPacked => matches!(physical, Physical::Int32 | Physical::Int64),
        PageEncoding::DeltaLengthByteArray => physical == Physical::Bytes,
        PageEncoding::ByteStreamSplit => {
            !matches!(physical, Physical::Boolean | Physical::Bytes | Physical::Int96)
        }
        _ => true,
    }
}
