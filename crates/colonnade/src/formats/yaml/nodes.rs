//! Parses a document to a list of nodes, in document order. Aliases are copied, within a budget.

mod tags;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag};

use crate::error::{Error, ErrorKind, Result};
use crate::excerpt::{excerpt, number_excerpt};
use crate::progress::Progress;
use crate::text::input::OwnedText;

use super::FORMAT;
use super::check;
use super::options::ReadOptions;
use super::resolve::{YamlValue, integer, is_float, plain};
use tags::{core, name};

/// A value and its position.
#[derive(Debug, Clone)]
pub(in crate::formats::yaml) struct YamlNode<'t> {
    pub(in crate::formats::yaml) value: YamlValue<'t>,
    /// Offset in the text, in characters.
    pub(in crate::formats::yaml) at: usize,
}

/// The only document of a text.
#[derive(Debug)]
pub(in crate::formats::yaml) struct Document<'t> {
    pub(in crate::formats::yaml) text: &'t OwnedText,
    pub(in crate::formats::yaml) nodes: Vec<YamlNode<'t>>,
    /// Where each value of the root starts and ends in characters, if the root is a mapping; a closing bracket is
    /// not counted.
    pub(in crate::formats::yaml) values: Vec<(usize, usize)>,
}

/// Minimum limit of the nodes that aliases copy; a larger input has a larger limit.
const ALIASED: usize = 1 << 20;

/// Minimum limit of the text bytes that aliases copy; a larger input has a larger limit.
const ALIASED_NBYTES: usize = 64 << 20;

/// Number of events between two progress reports, which check for signals.
const EVENTS: usize = 4096;

/// A collection whose end has not been parsed yet.
struct OpenCollection<'t> {
    /// Index of its node.
    node: usize,
    anchor: usize,
    entries: usize,
    /// Keys so far; `None` for sequences.
    keys: Option<HashSet<Cow<'t, str>>>,
    /// Whether the next node is a key.
    key_next: bool,
}

struct DocumentReader<'t> {
    text: &'t OwnedText,
    nodes: Vec<YamlNode<'t>>,
    open: Vec<OpenCollection<'t>>,
    /// The range of nodes of each anchor; the end is 0 until the anchored collection ends.
    anchors: HashMap<usize, (usize, usize)>,
    aliased: usize,
    budget: usize,
    aliased_nbytes: usize,
    max_depth: u64,
    values: Vec<(usize, usize)>,
}

impl<'t> Document<'t> {
    /// Parses the only document of `text`.
    ///
    /// # Errors
    /// Malformed, with the position; over a limit; tags outside of the core schema; no document or several; errors of `progress`.
    pub(in crate::formats::yaml) fn read(
        text: &'t OwnedText,
        options: &ReadOptions,
        progress: &dyn Progress,
    ) -> Result<Self> {
        check::characters(text)?;
        check::version(text)?;
        let source = text.as_str();
        let mut reader = DocumentReader {
            text,
            nodes: Vec::new(),
            open: Vec::new(),
            anchors: HashMap::new(),
            aliased: 0,
            aliased_nbytes: 0,
            budget: source.len().max(ALIASED),
            max_depth: options.limits.max_depth,
            values: Vec::new(),
        };
        let (mut documents, mut events) = (0, 0_usize);
        let total = source.len() as u64;
        let mut parser = Parser::new_from_str(source);
        while let Some(next) = parser.next_event() {
            let (event, span) = next.map_err(|e| reader.broken(&e))?;
            if let Event::DocumentStart(_) = event {
                documents += 1;
                if documents > 1 {
                    let message = "expected one document, found a second one. Read them one at a time.";
                    return Err(reader.error(ErrorKind::Unsupported, span.start.index(), message));
                }
            }
            let at = span.start.index() as u64;
            reader.take(event, span)?;
            events += 1;
            if events.is_multiple_of(EVENTS) {
                // Progress is in characters, because the parser counts only those. For ASCII text they are bytes.
                progress.advance(at, Some(total))?;
            }
        }
        if reader.nodes.is_empty() {
            return Err(reader.error(ErrorKind::Malformed, 0, "expected a document, found none."));
        }
        Ok(Self { text, nodes: reader.nodes, values: reader.values })
    }

    /// Creates an error at a character.
    #[cold]
    pub(in crate::formats::yaml) fn error(
        &self,
        kind: ErrorKind,
        at: usize,
        member: Option<&str>,
        message: impl std::fmt::Display,
    ) -> Error {
        self.text.source().error(kind, FORMAT, byte_of(self.text, at), member, message)
    }

    /// Returns the index of the node after node `i` and its descendants.
    pub(in crate::formats::yaml) fn next_after(&self, i: usize) -> usize {
        match self.nodes.get(i).map(|node| &node.value) {
            Some(YamlValue::Sequence(_, end) | YamlValue::Mapping(_, end)) => *end,
            _ => i + 1,
        }
    }
}

/// Returns the byte offset of a character.
pub(in crate::formats::yaml) fn byte_of(text: &OwnedText, at: usize) -> usize {
    let text = text.as_str();
    text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
}

impl<'t> DocumentReader<'t> {
    #[cold]
    fn error(&self, kind: ErrorKind, at: usize, message: impl std::fmt::Display) -> Error {
        self.text.source().error(kind, FORMAT, byte_of(self.text, at), None, message)
    }

    /// Converts an error of the parser.
    #[cold]
    fn broken(&self, error: &ScanError) -> Error {
        let (kind, message) = if error.info().contains("recursion limit") {
            let message =
                "brackets nest deeper than the parser goes (255). Write what is inside in block style.";
            (ErrorKind::LimitExceeded, message.into())
        } else {
            (ErrorKind::Malformed, format!("expected YAML, found what breaks it: {}.", error.info()))
        };
        self.error(kind, error.marker().index(), message)
    }

    fn take(&mut self, event: Event<'t>, span: Span) -> Result<()> {
        let at = span.start.index();
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let text = self.clipped(text, style, at);
                let value = self.scalar(text, style, tag.as_deref(), at)?;
                self.begin(Some(&value), at)?;
                if anchor > 0 {
                    self.anchors.insert(anchor, (self.nodes.len(), self.nodes.len() + 1));
                }
                self.nodes.push(YamlNode { value, at });
                self.record_root_value(&span.start, &span.end);
            }
            Event::SequenceStart(anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", at)?;
                self.enter(YamlValue::Sequence(0, 0), anchor, None, at)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", at)?;
                self.enter(YamlValue::Mapping(0, 0), anchor, Some(HashSet::new()), at)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(OpenCollection { node, anchor, entries, keys, .. }) = self.open.pop() else {
                    return Ok(());
                };
                let end = self.nodes.len();
                let mut start = at;
                if let Some(node) = self.nodes.get_mut(node) {
                    start = node.at;
                    node.value = match keys {
                        None => YamlValue::Sequence(entries, end),
                        Some(_) => YamlValue::Mapping(entries / 2, end),
                    };
                }
                if anchor > 0 {
                    self.anchors.insert(anchor, (node, end));
                }
                self.record_root_value(&Marker::new(start, 0, 0), &span.start);
            }
            Event::Alias(anchor) => self.alias(anchor, at)?,
            _ => {}
        }
        Ok(())
    }

    /// Records the extent of a value of the root.
    fn record_root_value(&mut self, start: &Marker, end: &Marker) {
        if let [OpenCollection { keys: Some(_), key_next: true, entries: 1.., .. }] = self.open.as_slice() {
            self.values.push((start.index(), end.index()));
        }
    }

    /// Adds a key or a value to the current collection.
    fn begin(&mut self, value: Option<&YamlValue<'t>>, at: usize) -> Result<()> {
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        open.entries += 1;
        let Some(keys) = &mut open.keys else { return Ok(()) };
        let is_key = open.key_next;
        open.key_next = !is_key;
        if !is_key {
            return Ok(());
        }
        let key = match value {
            // `-0` and `0` are the same integer label.
            Some(YamlValue::Int(text)) if text == "-0" => "0".into(),
            Some(YamlValue::Int(text)) if text.parse::<i64>().is_err() && text.parse::<u64>().is_err() => {
                let message = format!("expected a key of 64 bits, found {}. Quote it.", number_excerpt(text));
                return Err(self.error(ErrorKind::Unsupported, at, message));
            }
            Some(YamlValue::Str(text) | YamlValue::Int(text)) => text.clone(),
            other => {
                let found = other.map_or("a collection", YamlValue::name);
                let message = format!("expected text or an integer as a key, found {found}. Quote it.");
                return Err(self.error(ErrorKind::Unsupported, at, message));
            }
        };
        let name = excerpt(&key);
        if !keys.insert(key) {
            let message =
                format!("the key {name} occurs here a second time: one of the two values would be lost.");
            return Err(self.error(ErrorKind::Malformed, at, message));
        }
        Ok(())
    }

    fn enter(
        &mut self,
        value: YamlValue<'t>,
        anchor: usize,
        keys: Option<HashSet<Cow<'t, str>>>,
        at: usize,
    ) -> Result<()> {
        self.begin(None, at)?;
        let depth = self.open.len() as u64 + 1;
        if depth > self.max_depth {
            let message =
                format!("the document nests deeper than {}. Raise max_depth to read it.", self.max_depth);
            return Err(self.error(ErrorKind::LimitExceeded, at, message));
        }
        let node = self.nodes.len();
        if anchor > 0 {
            self.anchors.insert(anchor, (node, 0));
        }
        self.nodes.push(YamlNode { value, at });
        let key_next = keys.is_some();
        self.open.push(OpenCollection { node, anchor, entries: 0, keys, key_next });
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: usize) -> Result<()> {
        let (start, end) = match self.anchors.get(&anchor) {
            Some((_, 0)) => {
                let message =
                    "expected an alias of something that has ended, found one inside of it: a loop.";
                return Err(self.error(ErrorKind::Malformed, at, message));
            }
            Some(&found) => found,
            None => {
                return Err(self.error(
                    ErrorKind::Malformed,
                    at,
                    "expected an alias of an anchor, found none.",
                ));
            }
        };
        self.aliased += end - start;
        if self.aliased > self.budget {
            let message = format!(
                "aliases stand for more than {} values, the limit for a document of this size. Write them out.",
                self.budget
            );
            return Err(self.error(ErrorKind::LimitExceeded, at, message));
        }
        // The limit counts copied text: a long text that many aliases copy takes much memory.
        let copied = self.nodes.get(start..end).unwrap_or(&[]).iter().map(|node| node.value.nbytes()).sum();
        self.aliased_nbytes = self.aliased_nbytes.saturating_add(copied);
        let most = self.text.as_bytes().len().max(ALIASED_NBYTES);
        if self.aliased_nbytes > most {
            let message =
                format!("aliases stand for more than {most} bytes of text, the limit. Write them out.");
            return Err(self.error(ErrorKind::LimitExceeded, at, message));
        }
        let value = self.nodes.get(start).map(|node| node.value.clone());
        self.begin(
            value.as_ref().filter(|v| !matches!(v, YamlValue::Sequence(..) | YamlValue::Mapping(..))),
            at,
        )?;
        let inner = self.deepest(start, end);
        if self.open.len() as u64 + inner > self.max_depth {
            let message =
                format!("the document nests deeper than {}. Raise max_depth to read it.", self.max_depth);
            return Err(self.error(ErrorKind::LimitExceeded, at, message));
        }
        let moved = self.nodes.len() - start;
        for i in start..end {
            let Some(YamlNode { value, .. }) = self.nodes.get(i) else { break };
            let value = match value.clone() {
                YamlValue::Sequence(n, end) => YamlValue::Sequence(n, end + moved),
                YamlValue::Mapping(n, end) => YamlValue::Mapping(n, end + moved),
                other => other,
            };
            // The position of a copied node is that of the alias, for error messages.
            self.nodes.push(YamlNode { value, at });
        }
        self.record_root_value(&Marker::new(at, 0, 0), &Marker::new(at, 0, 0));
        Ok(())
    }

    /// Returns the depth of the collections among some nodes.
    fn deepest(&self, start: usize, end: usize) -> u64 {
        let mut ends: Vec<usize> = Vec::new();
        let mut most = 0;
        for i in start..end {
            while ends.last().is_some_and(|end| *end <= i) {
                ends.pop();
            }
            if let Some(YamlValue::Sequence(_, end) | YamlValue::Mapping(_, end)) =
                self.nodes.get(i).map(|n| &n.value)
            {
                ends.push(*end);
                most = most.max(ends.len() as u64);
            }
        }
        most
    }

    /// Removes line ends that the parser adds to a block scalar if the input ends inside its indentation. Without `+` in its
    /// header, a scalar ends in one line end at most. `at`: the scalar's first character.
    fn clipped(&self, text: Cow<'t, str>, style: ScalarStyle, at: usize) -> Cow<'t, str> {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        if !is_block || !text.ends_with("\n\n") || self.text.as_str().ends_with(['\n', '\r']) {
            return text;
        }
        let before = self.text.as_str().get(..byte_of(self.text, at)).unwrap_or_default();
        let header = before.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let keeps = |rest: &str| rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('+');
        if header.split(['|', '>']).skip(1).any(keeps) {
            return text;
        }
        let content = text.trim_end_matches('\n').len();
        Cow::Owned(text.get(..=content).unwrap_or_default().to_owned())
    }

    fn scalar(
        &self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        at: usize,
    ) -> Result<YamlValue<'t>> {
        let Some(tag) = tag else {
            return Ok(if style == ScalarStyle::Plain { plain(text) } else { YamlValue::Str(text) });
        };
        let found = match core(tag) {
            Some("str" | "!") => return Ok(YamlValue::Str(text)),
            Some("null") => matches!(plain(text.clone()), YamlValue::Null).then_some(YamlValue::Null),
            Some("bool") => match plain(text.clone()) {
                found @ YamlValue::Bool(_) => Some(found),
                _ => None,
            },
            Some("int") => integer(&text).map(|digits| YamlValue::Int(Cow::Owned(digits.into_owned()))),
            Some("float") => is_float(&text).then(|| YamlValue::Float(text.clone())),
            _ => return Err(self.refused(tag, at)),
        };
        found.ok_or_else(|| {
            let message = format!("expected what the tag {} says, found {}.", name(tag), excerpt(&text));
            self.error(ErrorKind::Malformed, at, message)
        })
    }

    fn check_tag(&self, tag: Option<&Tag>, own: &str, at: usize) -> Result<()> {
        match tag {
            Some(tag) if !core(tag).is_some_and(|known| known == own || known == "!") => {
                Err(self.refused(tag, at))
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn refused(&self, tag: &Tag, at: usize) -> Error {
        let message = format!(
            "the tag {} stands for no value of YAML's core schema, and nothing is ever constructed from a file. Remove it.",
            name(tag)
        );
        self.error(ErrorKind::Unsupported, at, message)
    }
}
