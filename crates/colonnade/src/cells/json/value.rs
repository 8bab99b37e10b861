//! Checks whole values and skips them.

use std::collections::HashSet;

use crate::ErrorKind;
use crate::excerpt::{excerpt, number_excerpt};

use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::number::JsonNumber;
use crate::cells::json::scan::{QuotedText, Scan};

/// The reader's options and limits that the scanner needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonRules {
    /// The highest number of arrays and objects around a cell.
    pub(crate) max_depth: u64,
    pub(crate) max_columns: u64,
    /// The highest number of cells from missing keys, which take no bytes of the input, in all columns together.
    pub(crate) max_missing: u64,
    /// The size of the input, for the message about `max_missing`.
    pub(crate) nbytes: u64,
    /// Whether `NaN`, `Infinity` and `-Infinity` are numbers.
    pub(crate) nonfinite: bool,
    /// Whether a column with integers beyond 64 bits is read as decimals.
    pub(crate) decimals: bool,
}

/// A scalar, or the opening bracket of an array or object.
#[derive(Debug, Clone, Copy)]
pub(crate) enum JsonToken {
    Null,
    Bool(bool),
    Number(JsonNumber),
    Str(QuotedText),
    /// `[` or `{`, which is not consumed.
    Open(u8),
}

/// Up to this number the keys of one object are compared one by one; more are hashed.
const FEW_KEYS: usize = 16;

impl Scan<'_> {
    /// Scans the scalar at the current position. An array or object is not consumed.
    #[inline]
    pub(crate) fn token(&mut self, rules: &JsonRules) -> Scanned<JsonToken> {
        match self.peek() {
            b'"' => self.quoted().map(JsonToken::Str),
            b'-' if rules.nonfinite && self.bytes.get(self.at + 1) == Some(&b'I') => self.nonfinite(),
            b'-' | b'0'..=b'9' => self.number().map(JsonToken::Number),
            b't' => self.literal("true").map(|()| JsonToken::Bool(true)),
            b'f' => self.literal("false").map(|()| JsonToken::Bool(false)),
            b'n' => self.literal("null").map(|()| JsonToken::Null),
            open @ (b'[' | b'{') => Ok(JsonToken::Open(open)),
            b'N' | b'I' if rules.nonfinite => self.nonfinite(),
            b'N' | b'I' => {
                let message = "expected a value, found a word that JSON does not know. Read with allow_nonfinite=True where \
                               NaN and Infinity are numbers.";
                Err(JsonFault::malformed(self.at, message))
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    #[inline(never)]
    fn nonfinite(&mut self) -> Scanned<JsonToken> {
        let (word, value) = match self.peek() {
            b'N' => ("NaN", f64::NAN),
            b'I' => ("Infinity", f64::INFINITY),
            _ => ("-Infinity", f64::NEG_INFINITY),
        };
        self.literal(word)?;
        Ok(JsonToken::Number(JsonNumber::Float(value.to_bits())))
    }

    /// Scans a number at the current position, which starts with a digit or a minus; also `-Infinity` if the rules allow
    /// it.
    #[inline(always)]
    pub(crate) fn number_or_nonfinite(&mut self, rules: &JsonRules) -> Scanned<JsonNumber> {
        if rules.nonfinite && self.bytes.get(self.at + 1) == Some(&b'I') {
            return match self.token(rules)? {
                JsonToken::Number(number) => Ok(number),
                _ => Err(self.unexpected("a number")),
            };
        }
        self.number()
    }

    /// Checks and skips the value at the current position, inside `depth` arrays and objects.
    ///
    /// Open arrays and objects are kept in a vector, so depth takes no stack.
    pub(crate) fn value(&mut self, depth: u64, rules: &JsonRules) -> Scanned<()> {
        let mut open: Vec<OpenValue> = Vec::new();
        loop {
            let start = self.at;
            match self.token(rules)? {
                JsonToken::Open(byte) => {
                    self.deepen(depth + open.len() as u64, rules)?;
                    self.at += 1;
                    self.space();
                    if byte == b'[' {
                        if self.peek() != b']' {
                            open.push(OpenValue::Array);
                            continue;
                        }
                        self.at += 1;
                    } else if self.peek() == b'}' {
                        self.at += 1;
                    } else {
                        let mut keys = SeenKeys::default();
                        self.key(&mut keys)?;
                        open.push(OpenValue::Object(keys));
                        continue;
                    }
                }
                JsonToken::Number(JsonNumber::Big) if !(rules.decimals && open.is_empty()) => {
                    return Err(self.big_integer_fault(start));
                }
                _ => {}
            }
            // A value has ended; the arrays and objects around it may end too.
            loop {
                let Some(level) = open.last_mut() else { return Ok(()) };
                self.space();
                match (self.peek(), &mut *level) {
                    (b',', OpenValue::Array) => {
                        self.at += 1;
                        self.space();
                        break;
                    }
                    (b',', OpenValue::Object(keys)) => {
                        self.at += 1;
                        self.space();
                        self.key(keys)?;
                        break;
                    }
                    (b']', OpenValue::Array) | (b'}', OpenValue::Object(_)) => {
                        self.at += 1;
                        open.pop();
                    }
                    (_, OpenValue::Array) => return Err(self.unexpected("a comma or the end of the array")),
                    (_, OpenValue::Object(_)) => {
                        return Err(self.unexpected("a comma or the end of the object"));
                    }
                }
            }
        }
    }

    /// Refuses an array or object inside `around` others if that exceeds the limit of depth.
    #[inline]
    pub(crate) fn deepen(&self, around: u64, rules: &JsonRules) -> Scanned<()> {
        if around < rules.max_depth {
            return Ok(());
        }
        let message = format!(
            "arrays and objects deeper than {}, the limit. Raise Limits(max_depth=...) to read them.",
            rules.max_depth
        );
        Err(JsonFault::new(ErrorKind::LimitExceeded, self.at, message))
    }

    /// Skips a key and its colon.
    fn key(&mut self, seen: &mut SeenKeys) -> Scanned<()> {
        let at = self.at;
        if self.peek() != b'"' {
            return Err(self.unexpected("a key in quotes"));
        }
        let quoted = self.quoted()?;
        let name = self.unquoted(quoted);
        if !seen.add(&name) {
            return Err(repeated_key(at, &name));
        }
        self.colon()
    }

    /// Skips the colon between key and value, and the white space around it.
    #[inline]
    pub(crate) fn colon(&mut self) -> Scanned<()> {
        self.space();
        self.expect(b':', "a colon after the key")?;
        self.space();
        Ok(())
    }

    #[cold]
    pub(crate) fn big_integer_fault(&self, start: usize) -> Box<JsonFault> {
        let shown = number_excerpt(self.text(start..self.at));
        let message = format!(
            "expected an integer of at most 64 bits, found {shown}. Read with big_ints=\"decimal\" to keep a column of such \
             integers as decimals."
        );
        JsonFault::malformed(start, message)
    }
}

/// Returns the error for more columns than `rules` allow.
#[cold]
pub(crate) fn too_many_columns(at: usize, rules: &JsonRules) -> Box<JsonFault> {
    let message = format!(
        "more than {} columns, the limit. Raise Limits(max_columns=...) to read them.",
        rules.max_columns
    );
    JsonFault::new(ErrorKind::LimitExceeded, at, message)
}

/// Returns the error for a repeated key.
#[cold]
pub(crate) fn repeated_key(at: usize, name: &str) -> Box<JsonFault> {
    let shown = excerpt(name);
    let message =
        format!("expected every key once, found {shown} twice: one of the two values would be lost.");
    JsonFault::malformed(at, message).within(name)
}

enum OpenValue {
    Array,
    Object(SeenKeys),
}

/// The keys of one object, to detect duplicates.
#[derive(Default, Clone)]
pub(crate) struct SeenKeys {
    few: Vec<String>,
    many: HashSet<String>,
}

impl SeenKeys {
    /// Adds a key. Returns false if it is already present.
    pub(crate) fn add(&mut self, key: &str) -> bool {
        if self.few.len() < FEW_KEYS {
            let new = self.few.iter().all(|k| k != key);
            self.few.push(key.to_owned());
            return new;
        }
        if self.many.is_empty() {
            self.many.extend(self.few.iter().cloned());
        }
        self.many.insert(key.to_owned())
    }
}
