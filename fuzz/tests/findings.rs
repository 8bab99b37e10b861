//! Inputs that once broke a check. Each name says what they are.

use colonnade_fuzz::targets;

/// Runs the check of this name on a file.
fn run(name: &str, format: &str, file: &[u8]) {
    let target = targets().find(|target| target.name() == name);
    let seed = target.and_then(|target| target.seed(format, file));
    assert!(seed.is_some(), "no check {name}");
    target.iter().zip(&seed).for_each(|(target, seed)| target.run(seed));
}

/// The offset of a column that is selected in reverse order was less than zero.
#[test]
fn an_array_without_rows_and_with_three_columns() {
    let header = format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }");
    run("read-npy", "npy", &[b"\x93NUMPY\x01\x00v\x00", header.as_bytes()].concat());
}

/// Pieces show the quote, a whole input shows the byte that is no UTF-8.
#[test]
fn csv_with_two_errors() {
    let text = b"a\n\"b\"c\n\xffd\n";
    run("read-csv", "csv", text);
    run("split-csv", "csv", text);
}
