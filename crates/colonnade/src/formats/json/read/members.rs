//! The members of one object, one after the other.

use crate::cells::json::fault::Scanned;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{Rules, Seen, twice};

/// Keys so far; each stands once.
#[derive(Default, Clone)]
pub(crate) struct Members {
    seen: Seen,
    any: bool,
}

impl Members {
    /// Passes the brace that begins an object inside `depth` others.
    pub(crate) fn begin(scan: &mut Scan<'_>, depth: u64, rules: &Rules) -> Scanned<Self> {
        scan.deepen(depth, rules)?;
        scan.expect(b'{', "an object")?;
        scan.space();
        Ok(Self::default())
    }

    /// Passes the next key and its colon, after its predecessor's value was passed; answers it and where it stands. `None`
    /// behind the brace that ends the object.
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
            return Err(twice(at, &name));
        }
        scan.colon()?;
        Ok(Some((name, at)))
    }
}
