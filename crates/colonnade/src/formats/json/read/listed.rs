//! Names the column of a faulty cell in rows that are arrays, where the value has the labels elsewhere. Only errors need
//! it: the value is scanned again.

use serde_json::Value;

use crate::cells::json::scan::Scan;
use crate::cells::json::value::JsonRules;
use crate::json_skip::value_end;
use crate::text::header;

use super::context::Context;
use super::members::ObjectMembers;
use super::with_header;

/// Returns the label of the column whose cell has the byte `at`; `None` if the value has none.
#[cold]
pub(crate) fn label(context: &Context<'_>, at: usize) -> Option<String> {
    let mut scan = Scan::new(context.bytes, 0, false);
    scan.space();
    let mut members = ObjectMembers::begin(&mut scan, 0, &context.rules).ok()?;
    let (mut place, mut columns, mut header_at) = (None, None, None);
    while let Ok(Some((key, _))) = members.next(&mut scan) {
        let start = scan.at;
        match key.as_str() {
            header::KEY => header_at = Some(start),
            "columns" => columns = Some(start),
            "data" => place = self::place(scan.clone(), at, &context.rules),
            _ => {}
        }
        // All members of this layout are arrays and objects.
        let is_open = matches!(scan.peek(), b'[' | b'{');
        let Some(end) = value_end(context.bytes, start).filter(|_| is_open) else { break };
        scan.at = end;
    }
    // The header is read only for a cell behind it, so that an error of the header itself ends here.
    let place = place?;
    if let Some(start) = header_at {
        let header = with_header::header(context, &mut Scan::new(context.bytes, start, false), 1).ok()?;
        return header::keys(&header.schema).get(place).cloned();
    }
    let start = columns?;
    let labels: Vec<Value> =
        serde_json::from_slice(context.bytes.get(start..value_end(context.bytes, start)?)?).ok()?;
    labels.get(place).map(text)
}

/// Returns the position, in its row, of the cell that has the byte `at`.
fn place(mut scan: Scan<'_>, at: usize, rules: &JsonRules) -> Option<usize> {
    scan.expect(b'[', "rows").ok()?;
    loop {
        scan.space();
        scan.expect(b'[', "a row").ok()?;
        scan.space();
        let mut place = 0;
        while scan.peek() != b']' {
            let start = scan.at;
            let is_whole = scan.value(2, rules).is_ok();
            if start > at {
                return None;
            }
            if !is_whole || at < scan.at {
                return Some(place);
            }
            place += 1;
            scan.space();
            if scan.peek() == b',' {
                scan.at += 1;
                scan.space();
            }
        }
        scan.at += 1;
        scan.space();
        scan.expect(b',', "the next row").ok()?;
    }
}

/// Spells a label: text as it is, several levels as a tuple.
fn text(label: &Value) -> String {
    match label {
        Value::String(text) => text.clone(),
        Value::Array(levels) => {
            let spelled = levels.iter().map(|level| match level {
                Value::String(text) => format!("'{text}'"),
                other => other.to_string(),
            });
            format!("({})", spelled.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
