//! The entries of a JSON object, taken one by one.

use std::collections::BTreeSet;

use colonnade::limits::Limits;
use colonnade::{Error, Result};
use serde_json::{Map, Value};

/// Options that have not been taken yet. [`OptionMap::finish`] refuses those that remain.
pub struct OptionMap {
    format: &'static str,
    entries: Map<String, Value>,
    known: BTreeSet<&'static str>,
}

impl OptionMap {
    /// The options in `text`; none if it is `None` or empty.
    ///
    /// # Errors
    /// `InvalidOption`: no JSON object.
    pub fn parse(format: &'static str, text: Option<&str>) -> Result<Self> {
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        let entries = match text.map(serde_json::from_str::<Value>) {
            None => Map::new(),
            Some(Ok(Value::Object(entries))) => entries,
            Some(Ok(other)) => {
                let message = format!("options: expected a JSON object, found {other}.");
                return Err(Error::invalid_option(format, message));
            }
            Some(Err(error)) => {
                let message = format!("options: expected a JSON object, found {error}.");
                return Err(Error::invalid_option(format, message));
            }
        };
        Ok(Self { format, entries, known: BTreeSet::new() })
    }

    fn take<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>> {
        self.known.insert(name);
        match self.entries.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => convert(&value).map(Some).ok_or_else(|| {
                Error::invalid_option(self.format, format!("{name}: expected {expected}, found {value}."))
            }),
        }
    }

    /// Takes a text.
    ///
    /// # Errors
    /// `InvalidOption`: another type.
    pub fn text(&mut self, name: &'static str) -> Result<Option<String>> {
        self.take(name, "text", |value| value.as_str().map(str::to_owned))
    }

    /// Takes a bool.
    ///
    /// # Errors
    /// `InvalidOption`: another type.
    pub fn flag(&mut self, name: &'static str) -> Result<Option<bool>> {
        self.take(name, "true or false", Value::as_bool)
    }

    /// Takes a count. Languages without integers write it as `4.0`.
    ///
    /// # Errors
    /// `InvalidOption`: another type, or negative.
    pub fn count(&mut self, name: &'static str) -> Result<Option<usize>> {
        self.take(name, "a count", |value| usize::try_from(integer(value)?).ok())
    }

    /// Takes an integer of 32 bits.
    ///
    /// # Errors
    /// `InvalidOption`: another type.
    pub fn int(&mut self, name: &'static str) -> Result<Option<i32>> {
        self.take(name, "an integer", |value| i32::try_from(integer(value)?).ok())
    }

    /// Takes a list of texts; one text counts as a list of one.
    ///
    /// # Errors
    /// `InvalidOption`: another type.
    pub fn texts(&mut self, name: &'static str) -> Result<Option<Vec<String>>> {
        self.take(name, "a list of texts", texts)
    }

    /// Takes one ASCII character.
    ///
    /// # Errors
    /// `InvalidOption`: another value.
    pub fn character(&mut self, name: &'static str) -> Result<Option<u8>> {
        self.take(name, "one ASCII character", |value| match value.as_str()?.as_bytes() {
            [byte] if byte.is_ascii() => Some(*byte),
            _ => None,
        })
    }

    /// Takes one of the named values.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn choice<T: Clone>(&mut self, name: &'static str, known: &[(&str, T)]) -> Result<Option<T>> {
        let names: Vec<String> = known.iter().map(|(name, _)| format!("{name:?}")).collect();
        let expected = format!("one of {}", names.join(", "));
        self.take(name, &expected, |value| {
            let text = value.as_str()?;
            known.iter().find(|(name, _)| *name == text).map(|(_, value)| value.clone())
        })
    }

    /// Takes any value.
    ///
    /// # Errors
    /// `InvalidOption`: `convert` refuses the value; `expected` names what it accepts.
    pub fn value<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>> {
        self.take(name, expected, convert)
    }

    /// Takes `limits`, an object of the names of [`Limits`].
    ///
    /// # Errors
    /// `InvalidOption`: an unknown limit, or no count.
    pub fn limits(&mut self) -> Result<Limits> {
        let mut limits = Limits::default();
        let Some(found) = self.take("limits", "an object", |value| value.as_object().cloned())? else {
            return Ok(limits);
        };
        let mut inner = Self { format: self.format, entries: found, known: BTreeSet::new() };
        let mut set = |name: &'static str, limit: &mut u64| -> Result<()> {
            if let Some(count) = inner.count(name)? {
                *limit = count as u64;
            }
            Ok(())
        };
        set("max_nbytes", &mut limits.max_nbytes)?;
        set("max_members", &mut limits.max_members)?;
        set("max_member_nbytes", &mut limits.max_member_nbytes)?;
        set("max_columns", &mut limits.max_columns)?;
        set("max_unbacked_rows", &mut limits.max_unbacked_rows)?;
        set("max_unbacked_nbytes", &mut limits.max_unbacked_nbytes)?;
        set("max_expansion", &mut limits.max_expansion)?;
        set("max_meta_nbytes", &mut limits.max_meta_nbytes)?;
        set("max_depth", &mut limits.max_depth)?;
        limits.max_stream_nbytes = inner.count("max_stream_nbytes")?.map(|count| count as u64);
        inner.finish()?;
        Ok(limits)
    }

    /// Takes `threads`; by default the number that the system allows this process.
    ///
    /// # Errors
    /// `InvalidOption`: no count.
    pub fn threads(&mut self) -> Result<usize> {
        let system = || std::thread::available_parallelism().map_or(1, usize::from);
        Ok(self.count("threads")?.unwrap_or_else(system).max(1))
    }

    /// Refuses options that were not taken.
    ///
    /// # Errors
    /// `InvalidOption`, naming the option and the known ones.
    pub fn finish(self) -> Result<()> {
        let Some((name, _)) = self.entries.iter().next() else { return Ok(()) };
        let known = self.known.into_iter().collect::<Vec<_>>().join(", ");
        let message = format!("options: expected one of {known}, found {name:?}.");
        Err(Error::invalid_option(self.format, message))
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(list) => list.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// The integer of a number, which may be spelled `4.0`.
fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9e15)?;
        format!("{number:.0}").parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_by_type() {
        let mut map = OptionMap::parse("npz", Some(r#"{"level": 3.0, "a": "x", "b": null}"#)).unwrap();
        assert_eq!(map.int("level").unwrap(), Some(3));
        assert_eq!(map.flag("b").unwrap(), None);
        assert!(map.flag("a").is_err());
        map.finish().unwrap();
    }

    #[test]
    fn unknown_options_are_refused() {
        let mut map = OptionMap::parse("npz", Some(r#"{"colour": 1}"#)).unwrap();
        map.threads().unwrap();
        let error = map.finish().unwrap_err().to_string();
        assert_eq!(error, "npz: options: expected one of threads, found \"colour\".");
        assert!(OptionMap::parse("npz", Some("[]")).is_err());
        assert!(OptionMap::parse("npz", Some("{")).is_err());
    }
}
