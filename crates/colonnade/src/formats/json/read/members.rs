//! Reads the members of one object in order.

use crate::cells::json::fault::Scanned;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{JsonRules, SeenKeys, repeated_key};

/// The keys so far, which must be unique.
#[derive(Default, Clone)]
pub(crate) struct ObjectMembers {
    seen: SeenKeys,
    any: bool,
}

impl ObjectMembers {
    /// Skips the opening brace of an object inside `depth` others.
    pub(crate) fn begin(scan: &mut Scan<'_>, depth: u64, rules: &JsonRules) -> Scanned<Self> {
        scan.deepen(depth, rules)?;
        scan.expect(b'{', "an object")?;
        scan.space();
        Ok(Self::default())
    }

    /// Scans the next key and its colon, after the value of the previous one was scanned. Returns the key and its position,
    /// or `None` after the closing brace.
    pub(crate) fn next(&mut self, scan: &mut Scan<'_>) -> Scanned<Option<(String, usize)>> {
        scan.space();
        if scan.peek() == b'}' {
            scan.at += 1;
            return Ok(None);
        }
        if self.any {
            scan.expect(b',', "a comma or the end of the object")?;
            scan.space();
        }
        self.any = true;
        let at = scan.at;
        if scan.peek() != b'"' {
            return Err(scan.unexpected("a key in quotes"));
        }
        let quoted = scan.quoted()?;
        let name = scan.unquoted(quoted).into_owned();
        if !self.seen.add(&name) {
            return Err(repeated_key(at, &name));
        }
        scan.colon()?;
        Ok(Some((name, at)))
    }
}
