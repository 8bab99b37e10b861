//! Scans the keys of rows. The first guess for a key is the one at the same position in the row before.

use std::collections::HashMap;

use crate::cells::json::fault::Scanned;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{JsonRules, too_many_columns};

/// Keys in order of first appearance.
#[derive(Debug, Default, Clone)]
pub(crate) struct RowKeys {
    spelled: Vec<SpelledKey>,
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// For each key the key that followed it last; and the first key.
    next: Vec<usize>,
    first: usize,
}

/// The bytes of a key in the input, quotes and colon included.
#[derive(Debug, Clone)]
struct SpelledKey {
    word: u128,
    mask: u128,
    bytes: Box<[u8]>,
}

impl SpelledKey {
    fn new(bytes: &[u8]) -> Self {
        let mut front = [0; 16];
        for (to, from) in front.iter_mut().zip(bytes) {
            *to = *from;
        }
        let mask = if bytes.len() < 16 { (1u128 << (8 * bytes.len())) - 1 } else { u128::MAX };
        Self { word: u128::from_le_bytes(front), mask, bytes: bytes.into() }
    }

    #[inline(always)]
    fn is_front_of(&self, bytes: &[u8]) -> bool {
        match bytes.first_chunk::<16>() {
            Some(chunk) if self.bytes.len() <= 16 => {
                (u128::from_le_bytes(*chunk) ^ self.word) & self.mask == 0
            }
            _ => bytes.starts_with(&self.bytes),
        }
    }
}

impl RowKeys {
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn name(&self, place: usize) -> &str {
        self.names.get(place).map_or("", String::as_str)
    }

    /// Returns the position of a name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Appends a new name. `spelled` is its spelling in the input, with quotes.
    pub(crate) fn add(&mut self, name: &str, spelled: &[u8]) -> usize {
        let place = self.names.len();
        self.spelled.push(SpelledKey::new(&[spelled, b":"].concat()));
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        self.next.push(place + 1);
        place
    }

    /// Scans the key at the current position with its colon. Returns its position; `before` is the position of the key
    /// before it in this row.
    #[inline(always)]
    pub(crate) fn take(
        &mut self,
        scan: &mut Scan<'_>,
        before: Option<usize>,
        rules: &JsonRules,
    ) -> Scanned<usize> {
        match self.take_predicted(scan, before) {
            Some(place) => Ok(place),
            None => self.find(scan, before, rules),
        }
    }

    /// Scans the key that followed `before` the last time, with its colon, if the input has it here.
    #[inline(always)]
    fn take_predicted(&self, scan: &mut Scan<'_>, before: Option<usize>) -> Option<usize> {
        let likely = before.map_or(self.first, |b| self.next.get(b).copied().unwrap_or(0));
        let spelled = self.spelled.get(likely).filter(|spelled| spelled.is_front_of(scan.rest()))?;
        scan.at += spelled.bytes.len();
        scan.space();
        Some(likely)
    }

    /// Scans a known key like [`RowKeys::take`]; any other key is a fault.
    #[inline(always)]
    pub(crate) fn follow(&self, scan: &mut Scan<'_>, before: Option<usize>) -> Scanned<usize> {
        self.take_predicted(scan, before).ok_or_else(|| scan.unexpected("the key that was expected"))
    }

    #[inline(never)]
    fn find(&mut self, scan: &mut Scan<'_>, before: Option<usize>, rules: &JsonRules) -> Scanned<usize> {
        let start = scan.at;
        if scan.peek() != b'"' {
            return Err(scan.unexpected("a key in quotes"));
        }
        let quoted = scan.quoted()?;
        let name = scan.unquoted(quoted);
        let end = scan.at;
        scan.colon()?;
        let place = match self.place(&name) {
            Some(place) => place,
            None if self.names.len() as u64 >= rules.max_columns => {
                return Err(too_many_columns(start, rules));
            }
            None => self.add(&name, scan.bytes.get(start..end).unwrap_or(&[])),
        };
        match before.and_then(|b| self.next.get_mut(b)) {
            Some(next) => *next = place,
            None => self.first = place,
        }
        Ok(place)
    }
}
