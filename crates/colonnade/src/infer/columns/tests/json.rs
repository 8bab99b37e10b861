//! JSON cells give the same columns as the same MessagePack cells, in one range or in several.

use crate::cells::json::scan::Scan;
use crate::cells::json::value::JsonRules;
use crate::memory::Growth;

use super::*;

const RULES: JsonRules = JsonRules {
    max_depth: 64,
    max_columns: u64::MAX,
    max_missing: u64::MAX,
    nbytes: 0,
    nonfinite: false,
    decimals: false,
};

/// Cells as JSON and as MessagePack.
const CELLS: [(&str, &[u8]); 14] = [
    ("null", b"\xc0"),
    ("true", b"\xc3"),
    ("-5", b"\xfb"),
    ("7", b"\x07"),
    ("9007199254740993", b"\xcf\x00\x20\0\0\0\0\0\x01"),
    ("18446744073709551615", b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff"),
    ("1.5", b"\xcb\x3f\xf8\0\0\0\0\0\0"),
    ("\"x\\n\"", b"\xa2x\n"),
    ("\"more than sixteen bytes\"", b"\xb7more than sixteen bytes"),
    ("[]", b"\x90"),
    ("[ 1 , null,2.5 ]", b"\x93\x01\xc0\xcb\x40\x04\0\0\0\0\0\0"),
    ("[\"y\"]", b"\x91\xa1y"),
    ("{\"a\":1,\"\\u0062\":[{}]}", b"\x82\xa1a\x01\xa1b\x91\x80"),
    ("{\"b\" : null, \"c\":\"z\"}", b"\x82\xa1b\xc0\xa1c\xa1z"),
];

fn scan(column: &mut InferredColumn, text: &str) {
    // The input continues after the cells.
    let text = format!("{text}, [\"more\", 1234567890]");
    column.scan(&mut Scan::new(text.as_bytes(), 0, false), 0, &RULES).unwrap();
}

fn part() -> InferredColumn {
    InferredColumn::of_one_type(&options(), 0)
}

fn known(column: InferredColumn) -> String {
    if column.is_unknown() { "mixed".into() } else { shown(&column.finish().unwrap()) }
}

#[test]
fn json_cells_give_the_columns_of_msgpack_cells() {
    let n = CELLS.len();
    for code in 0..n * n * n * n {
        let chosen = [code % n, code / n % n, code / n / n % n, code / n / n / n].map(|i| CELLS[i]);
        let bytes: Vec<u8> = chosen.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        let expected = whole(&bytes, 4, &options()).unwrap();
        let is_mixed = matches!(&expected, BlockOrColumn::Column(column) if column.tag.is_some());
        let expected = if is_mixed { "mixed".into() } else { shown(&expected) };

        let mut one = part();
        chosen.iter().for_each(|(text, _)| scan(&mut one, text));
        assert_eq!(one.len(), 4);
        assert_eq!(known(one), expected, "{chosen:?}");

        // The memory of the first range serves the next ones.
        let (mut joined, mut range) = (part(), part());
        for cells in [&chosen[..1], &chosen[1..3], &[], &chosen[3..]] {
            cells.iter().for_each(|(text, _)| scan(&mut range, text));
            joined.append(&mut range, Growth { done: 1, total: 4 }).unwrap();
            if range.is_unknown() { range = part() } else { range.clear() }
        }
        assert_eq!(joined.len(), 4);
        assert_eq!(known(joined), expected, "{chosen:?}");
    }
}

#[test]
fn mixed_cells_are_checked_to_their_end() {
    for (text, at, message) in [
        ("[1, \"a\", 01]", 9, "leading zeros"),
        ("[1, \"a\", {\"b\": 1, \"b\": 2}]", 18, "twice"),
        ("{\"a\": 1, \"a\": 2}", 9, "twice"),
        ("[[1], 2, 18446744073709551616]", 9, "big_ints"),
        ("[1 2]", 3, "a comma or the end of the array"),
        ("{\"a\" 1}", 5, "a colon"),
        ("{\"a\": [}", 7, "a value"),
    ] {
        let mut column = part();
        let fault = column.scan(&mut Scan::new(text.as_bytes(), 0, false), 0, &RULES).unwrap_err();
        assert!(fault.at == at && fault.message.contains(message), "{text}: {fault:?}");
    }
    let mut column = part();
    let deep = "[".repeat(65);
    let fault = column.scan(&mut Scan::new(deep.as_bytes(), 0, false), 0, &RULES).unwrap_err();
    assert!(matches!(fault.kind, crate::ErrorKind::LimitExceeded), "{fault:?}");
}

#[test]
fn a_rare_member_that_is_mostly_nulls_in_the_end_is_mixed() {
    let keys: Vec<String> = (0..30).map(|i| format!("\"k{i}\":1")).collect();
    let rare = format!("{{\"a\":{{{}}}}}", keys.join(","));
    let mut column = part();
    scan(&mut column, &rare);
    assert!(!column.is_unknown());
    (0..40_000).for_each(|_| scan(&mut column, "{\"b\":1}"));
    assert!(column.is_unknown());
}
