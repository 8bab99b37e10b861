//! `__meta__.json`: StaticFrame's keys, and Colonnade's under `__colonnade__`.

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::frame::check_class;

use super::buffers::ColumnSpec;
use super::filter::FilterSpec;
use super::{VERSION, VERSION_FILTERS, sf_name};
use crate::frame::arrow_type;

/// One axis, as the meta member describes it.
#[derive(Debug, Clone, Default)]
pub struct ArchiveAxisMeta {
    /// Class of the axis.
    pub class: String,
    /// Class of each level of a hierarchical axis.
    pub classes: Vec<String>,
    /// Depth.
    pub depth: usize,
    /// Name, tagged JSON.
    pub name: String,
    /// Metadata of the adapter, tagged JSON.
    pub meta: Option<String>,
    /// start, stop, step and count of an automatic range. StaticFrame stores none.
    pub auto: Option<(i64, i64, i64, usize)>,
    /// Whether the range is also stored as labels, for StaticFrame.
    pub stored_range: bool,
    /// Levels in Arrow's layout.
    pub arrow: Vec<(usize, ColumnSpec)>,
}

/// The whole member.
#[derive(Debug, Clone, Default)]
pub struct ArchiveMeta {
    /// Version of `__colonnade__`; `None` in a file that StaticFrame wrote.
    pub version: Option<u64>,
    /// Frame name, tagged JSON.
    pub name: String,
    /// Row labels.
    pub index: ArchiveAxisMeta,
    /// Column labels.
    pub columns: ArchiveAxisMeta,
    /// Number of block members.
    pub blocks: usize,
    /// User attributes, tagged JSON.
    pub attrs: Option<String>,
    /// Library and class of the object that was written, tagged JSON.
    pub origin: Option<String>,
    /// Columns in Arrow's layout, by position.
    pub arrow: Vec<(usize, ColumnSpec)>,
    /// Filtered arrays.
    pub filters: Vec<FilterSpec>,
}

const AXIS_KEYS: [&str; 2] = ["index", "columns"];

fn parse_tag(text: &str) -> Result<Value> {
    serde_json::from_str(text)
        .map_err(|e| Error::malformed("npz", format!("expected a tag in JSON, found: {e}.")))
}

impl ArchiveMeta {
    /// The bytes of the member.
    ///
    /// # Errors
    /// `Unrepresentable` for types that have no JSON form.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let sides = [&self.index, &self.columns];
        let mut colonnade = Map::new();
        let version = if self.filters.is_empty() { VERSION } else { VERSION_FILTERS };
        colonnade.insert("version".into(), json!(version));
        let mut names = Vec::new();
        let name = parse_tag(&self.name)?;
        let static_frame = sf_name::to_static_frame(&name);
        if static_frame.is_none() {
            colonnade.insert("name".into(), name);
        }
        names.push(static_frame.unwrap_or(Value::Null));
        for (text, key) in [(&self.origin, "origin"), (&self.attrs, "attrs")] {
            if let Some(text) = text {
                colonnade.insert(key.into(), parse_tag(text)?);
            }
        }
        for (axis, side) in sides.iter().zip(AXIS_KEYS) {
            let name = parse_tag(&axis.name)?;
            let static_frame = sf_name::to_static_frame(&name);
            let mut keys = Map::new();
            // StaticFrame drops the name of an axis without labels.
            if static_frame.is_none() || (axis.auto.is_some() && !name.is_null()) {
                keys.insert("name".into(), name);
            }
            names.push(static_frame.unwrap_or(Value::Null));
            if let Some((start, stop, step, count)) = axis.auto {
                keys.insert("auto".into(), json!([start, stop, step, count]));
            }
            if let Some(meta) = &axis.meta {
                keys.insert("meta".into(), parse_tag(meta)?);
            }
            if !axis.arrow.is_empty() {
                keys.insert("arrow".into(), specs_to_json("level", &axis.arrow)?);
                keys.insert("depth".into(), json!(axis.depth));
                keys.insert("classes".into(), json!(axis.classes));
            }
            let plain = keys.len() == 1
                && !axis.stored_range
                && axis.auto.is_some_and(|(start, _, step, _)| (start, step) == (0, 1));
            // Without labels, StaticFrame too counts 0, 1, 2... from the blocks.
            if !(keys.is_empty() || plain && self.blocks > 0) {
                colonnade.insert(side.into(), Value::Object(keys));
            }
        }
        if !self.arrow.is_empty() {
            colonnade.insert("arrow".into(), specs_to_json("position", &self.arrow)?);
        }
        if !self.filters.is_empty() {
            let filters = self.filters.iter().map(FilterSpec::to_json).collect();
            colonnade.insert("filters".into(), Value::Array(filters));
        }
        let mut out = Map::new();
        out.insert("__names__".into(), Value::Array(names));
        out.insert("__types__".into(), json!([self.index.class, self.columns.class]));
        for (axis, side) in sides.iter().zip(AXIS_KEYS) {
            if axis.depth > 1 && axis.auto.is_none() {
                out.insert(format!("__types_{side}__"), json!(axis.classes));
            }
        }
        out.insert("__depths__".into(), json!([self.blocks, self.index.depth, self.columns.depth]));
        out.insert("__colonnade__".into(), Value::Object(colonnade));
        serde_json::to_vec(&Value::Object(out)).map_err(|e| Error::malformed("npz", e.to_string()))
    }

    /// Reads the member.
    ///
    /// # Errors
    /// Malformed: not JSON, or a key is missing or has another type. Unsupported: a later version.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let root = parse(bytes)?;
        let malformed = |key: &str| {
            Error::malformed(
                "npz",
                format!("key {key} is missing or has another type than the format requires."),
            )
        };
        let get = |key: &'static str| root.get(key).ok_or_else(|| malformed(key));
        let colonnade = root.get("__colonnade__");
        let version = match colonnade {
            None => None,
            Some(colonnade) => Some(
                colonnade
                    .get("version")
                    .and_then(Value::as_u64)
                    .ok_or_else(|| malformed("__colonnade__.version"))?,
            ),
        };
        if let Some(version) = version.filter(|&v| v > VERSION_FILTERS) {
            let message = format!(
                "expected __colonnade__ version up to {VERSION_FILTERS}, found {version}. Upgrade colonnade."
            );
            return Err(Error::unsupported("npz", message));
        }
        let names =
            get("__names__")?.as_array().filter(|a| a.len() == 3).ok_or_else(|| malformed("__names__"))?;
        let types =
            get("__types__")?.as_array().filter(|a| a.len() == 2).ok_or_else(|| malformed("__types__"))?;
        let depths: Vec<usize> = get("__depths__")?
            .as_array()
            .and_then(|a| a.iter().map(|v| usize::try_from(v.as_u64()?).ok()).collect())
            .filter(|d: &Vec<usize>| d.len() == 3)
            .ok_or_else(|| malformed("__depths__"))?;
        let text = |value: Option<&Value>| value.map(Value::to_string);
        let name_of = |keys: Option<&Value>, i: usize| match keys.and_then(|o| o.get("name")) {
            Some(name) => name.to_string(),
            None => names.get(i).map_or(Value::Null, sf_name::from_static_frame).to_string(),
        };
        let axis = |i: usize, side: &str| -> Result<ArchiveAxisMeta> {
            let keys = colonnade.and_then(|o| o.get(side));
            let class =
                types.get(i).and_then(Value::as_str).ok_or_else(|| malformed("__types__"))?.to_owned();
            check_class(&class)?;
            let class_list =
                keys.and_then(|o| o.get("classes")).or_else(|| root.get(format!("__types_{side}__")));
            let classes = match class_list {
                None => Vec::new(),
                Some(list) => {
                    let classes =
                        strings(list).ok_or_else(|| malformed("__types_index__ / __types_columns__"))?;
                    classes.iter().try_for_each(|class| check_class(class))?;
                    classes
                }
            };
            let auto = match keys.and_then(|o| o.get("auto")) {
                None => None,
                Some(range) => Some(parse_range(range).ok_or_else(|| malformed("auto"))?),
            };
            Ok(ArchiveAxisMeta {
                class,
                classes,
                depth: depths.get(i + 1).copied().unwrap_or(1),
                name: name_of(keys, i + 1),
                meta: text(keys.and_then(|o| o.get("meta"))),
                auto,
                stored_range: false,
                arrow: parse_specs("level", keys.and_then(|o| o.get("arrow")))?,
            })
        };
        Ok(Self {
            version,
            name: name_of(colonnade, 0),
            index: axis(0, "index")?,
            columns: axis(1, "columns")?,
            blocks: depths.first().copied().unwrap_or(0),
            attrs: text(colonnade.and_then(|o| o.get("attrs"))),
            origin: text(colonnade.and_then(|o| o.get("origin"))),
            arrow: parse_specs("position", colonnade.and_then(|o| o.get("arrow")))?,
            filters: match colonnade.and_then(|o| o.get("filters")) {
                None => Vec::new(),
                Some(Value::Array(list)) => list.iter().map(FilterSpec::from_json).collect::<Result<_>>()?,
                Some(_) => return Err(malformed("__colonnade__.filters")),
            },
        })
    }
}

fn parse_range(value: &Value) -> Option<(i64, i64, i64, usize)> {
    let [start, stop, step, count] = value.as_array()?.as_slice() else { return None };
    let step = step.as_i64().filter(|&s| s != 0)?;
    let (start, stop, count) = (start.as_i64()?, stop.as_i64()?, usize::try_from(count.as_u64()?).ok()?);
    // The end of the range must fit 64 bits, and the count must follow from the bounds.
    let span = i128::from(step) * i128::try_from(count).ok()?;
    let end = i128::from(start) + span;
    let within = |n: i128| i64::try_from(n).is_ok();
    // A stop within the last step gives the same count; an empty range may stop anywhere after its start.
    let overshoot = (end - i128::from(stop)) * i128::from(step.signum());
    let count_fits = (0..i128::from(step).abs()).contains(&overshoot) || (count == 0 && overshoot >= 0);
    (within(end) && count_fits).then_some((start, stop, step, count))
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|v| v.as_str().map(str::to_owned)).collect()
}

fn specs_to_json(key: &str, columns: &[(usize, ColumnSpec)]) -> Result<Value> {
    let mut out = Vec::new();
    for (position, spec) in columns {
        let mut entry = Map::new();
        entry.insert(key.into(), json!(position));
        entry.insert("type".into(), arrow_type::to_json(&spec.data_type)?);
        entry.insert("length".into(), json!(spec.length));
        if spec.ordered {
            entry.insert("ordered".into(), json!(true));
        }
        if !spec.children.is_empty() {
            entry.insert("children".into(), json!(spec.children));
        }
        if let Some(tag) = &spec.tag {
            entry.insert("tag".into(), parse_tag(tag)?);
        }
        out.push(Value::Object(entry));
    }
    Ok(Value::Array(out))
}

fn parse_specs(key: &str, value: Option<&Value>) -> Result<Vec<(usize, ColumnSpec)>> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let malformed = || {
        Error::malformed(
            "npz",
            format!("expected columns in Arrow's layout, found {value} in __colonnade__."),
        )
    };
    let size = |v: Option<&Value>| usize::try_from(v?.as_u64()?).ok();
    let mut out = Vec::new();
    for entry in value.as_array().ok_or_else(malformed)? {
        let children = match entry.get("children") {
            None => Vec::new(),
            Some(list) => {
                let list = list.as_array().ok_or_else(malformed)?;
                list.iter().map(|v| size(Some(v))).collect::<Option<_>>().ok_or_else(malformed)?
            }
        };
        let spec = ColumnSpec {
            data_type: arrow_type::from_json(entry.get("type").ok_or_else(malformed)?)?,
            ordered: entry.get("ordered").and_then(Value::as_bool).unwrap_or(false),
            tag: entry.get("tag").map(Value::to_string),
            length: size(entry.get("length")).ok_or_else(malformed)?,
            children,
        };
        out.push((size(entry.get(key)).ok_or_else(malformed)?, spec));
    }
    Ok(out)
}

/// Reads NaN and Infinity, which Python's `json` writes as bare words, as Colonnade's tags.
fn parse(bytes: &[u8]) -> Result<Value> {
    let first = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let (mut rest, mut in_string) = (bytes, false);
    while let Some(&byte) = rest.first() {
        let words: [(&[u8], &[u8]); 3] = [
            (b"NaN", br#"{"$float":"nan"}"#),
            (b"-Infinity", br#"{"$float":"-inf"}"#),
            (b"Infinity", br#"{"$float":"inf"}"#),
        ];
        let word = words.iter().find(|(word, _)| !in_string && rest.starts_with(word));
        let used = match (word, byte) {
            (Some((word, tag)), _) => {
                out.extend_from_slice(tag);
                word.len()
            }
            (None, b'\\') if in_string => {
                out.extend(rest.iter().take(2));
                2
            }
            (None, _) => {
                in_string ^= byte == b'"';
                out.push(byte);
                1
            }
        };
        rest = rest.get(used..).unwrap_or(&[]);
    }
    serde_json::from_slice(&out)
        .map_err(|_| Error::malformed("npz", format!("expected JSON, found: {first}.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meta_of_static_frame_is_read() {
        let text = br#"{"__names__": ["p", ["r", NaN], "np.datetime64('2020')"], "__types__": ["IndexHierarchy", "Index"],
            "__types_index__": ["IndexYearMonth", "Index"], "__depths__": [2, 2, 1]}"#;
        let meta = ArchiveMeta::decode(text).unwrap();
        assert_eq!((meta.version, meta.blocks, meta.index.depth), (None, 2, 2));
        assert_eq!(meta.index.name, r#"{"$tuple":["r",{"$float":"nan"}]}"#);
        assert_eq!(meta.columns.name, r#"{"$datetime64":["2020","Y"]}"#);
        assert_eq!(meta.index.classes, ["IndexYearMonth", "Index"]);
    }

    #[test]
    fn a_plain_frame_needs_only_the_version() {
        let axis = ArchiveAxisMeta {
            class: "Index".into(),
            depth: 1,
            name: "null".into(),
            ..ArchiveAxisMeta::default()
        };
        let index = ArchiveAxisMeta { auto: Some((0, 3, 1, 3)), ..axis.clone() };
        let meta =
            ArchiveMeta { name: "\"x\"".into(), index, columns: axis, blocks: 1, ..ArchiveMeta::default() };
        let text = String::from_utf8(meta.encode().unwrap()).unwrap();
        assert!(text.ends_with(r#""__colonnade__":{"version":1}}"#), "{text}");
    }

    #[test]
    fn a_later_version_is_refused_by_name() {
        let text = br#"{"__names__":[null,null,null],"__types__":["Index","Index"],"__depths__":[0,1,1],
            "__colonnade__":{"version":3}}"#;
        assert!(ArchiveMeta::decode(text).unwrap_err().to_string().contains("Upgrade"));
        for bad in [&b"[]"[..], b"{", b"{}", br#"{"__names__":[1],"__types__":[],"__depths__":[]}"#] {
            assert!(ArchiveMeta::decode(bad).is_err());
        }
    }
}
