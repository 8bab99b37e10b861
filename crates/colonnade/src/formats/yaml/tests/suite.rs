//! Runs the YAML test suite, if the corpora are present. Colonnade's own YAML reader also parses the files of the suite.

use std::path::PathBuf;

use serde_json::Value as Json;

use super::nodes::Document;
use super::options::ReadOptions;
use super::with_header::json;
use crate::ErrorKind;
use crate::memory::Buffer;
use crate::text::input::{OwnedText, SourceText, TextEncoding};

fn text(bytes: &[u8]) -> OwnedText {
    let text = SourceText::decode("yaml", &Buffer::from_vec(bytes.to_vec()), TextEncoding::Utf8, 1).unwrap();
    OwnedText::new("yaml", text).unwrap()
}

fn to_json(text: &OwnedText) -> Result<Json, crate::Error> {
    let document = Document::read(text, &ReadOptions::default(), &crate::progress::NoProgress)?;
    let mut out = Vec::new();
    json(&document, 0, &mut out).unwrap();
    Ok(serde_json::from_slice(&out).unwrap())
}

/// Replaces the characters that the suite uses for white space.
fn plain(yaml: &str) -> String {
    let mut out = String::new();
    for c in yaml.chars() {
        match c {
            '␣' => out.push(' '),
            '»' => out.push('\t'),
            '—' => {}
            '←' => out.push('\r'),
            '⇔' => out.push('\u{feff}'),
            '↵' | '∎' => {}
            c => out.push(c),
        }
    }
    if yaml.contains('∎') { out.trim_end_matches('\n').into() } else { out }
}

/// Compares values; numbers are equal if their values are.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Whether the error is one of the refusals of features that a frame cannot represent.
fn is_refused_by_name(error: &crate::Error) -> bool {
    let told = error.to_string();
    matches!(error.kind(), ErrorKind::Unsupported)
        && ["one document", "as a key", "the tag"].iter().any(|reason| told.contains(reason))
        || told.contains("found none.")
}

#[test]
fn the_yaml_suite_has_its_expected_values() {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let root = std::env::var_os("COLONNADE_CORPORA").map_or(here, PathBuf::from).join("yaml-suite/src");
    let Ok(entries) = std::fs::read_dir(&root) else {
        eprintln!("skipped: no corpora at {}", root.display());
        return;
    };
    let (mut read, mut refused, mut failures) = (0, 0, Vec::new());
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let cases = to_json(&text(&std::fs::read(&path).unwrap())).unwrap();
        let mut yaml = String::new();
        let mut expected = None;
        for (i, case) in cases.as_array().unwrap().iter().enumerate() {
            // A field that a case omits has the value of the case before it.
            if let Some(found) = case.get("yaml").and_then(Json::as_str) {
                yaml = plain(found);
            }
            if let Some(found) = case.get("json").and_then(Json::as_str) {
                expected = Some(found.to_owned());
            } else if case.get("yaml").is_some() {
                expected = None;
            }
            let fails = case.get("fail").and_then(Json::as_bool) == Some(true);
            if case.get("skip").is_some() {
                continue;
            }
            let found = to_json(&text(yaml.as_bytes()));
            match (&found, fails) {
                (Ok(found), false) => {
                    read += 1;
                    let wanted = expected.as_ref().and_then(|text| serde_json::from_str::<Json>(text).ok());
                    if wanted.is_some_and(|wanted| !same(found, &wanted)) {
                        failures.push(format!("{name}[{i}]: read {found}, expected {expected:?}"));
                    }
                }
                (Err(_), true) => refused += 1,
                (Err(error), false) if is_refused_by_name(error) => refused += 1,
                (Ok(found), true) => failures.push(format!("{name}[{i}]: read {found}, expected an error")),
                (Err(error), false) => failures.push(format!("{name}[{i}]: {error}")),
            }
        }
    }
    println!("{read} read, {refused} refused");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(read > 100 && refused > 40, "{read} read, {refused} refused");
}

/// The end of the input ends the last line, as in L24T/01 and JEF9/02 of the suite. A line of the indentation alone is no content.
#[test]
fn a_block_scalar_ends_where_the_input_ends() {
    for (yaml, expected) in [
        ("a: |\n  x", "x\n"),
        ("a: |\n  x\n", "x\n"),
        ("a: |\n  x\n  ", "x\n"),
        ("a: |\n  x\n\n  ", "x\n"),
        ("a: |\n  é\n  ", "é\n"),
        ("a: >\n  x\n  ", "x\n"),
        ("a: |2\n    x\n  ", "  x\n"),
        ("a: |\n  x\n   ", "x\n \n"),
        ("a: | # +\n  x\n  ", "x\n"),
        ("a: |+\n  x\n  ", "x\n\n"),
        ("a: |+\n  x\n\n", "x\n\n"),
        ("a: |-\n  x\n  ", "x"),
        ("a: |\n\n  ", ""),
        ("a: |\n  ", ""),
        ("é: &b !!str |\n  x\n  ", "x\n"),
    ] {
        let found = to_json(&text(yaml.as_bytes())).unwrap();
        let found = found.as_object().and_then(|map| map.values().next()).unwrap();
        assert_eq!(found, expected, "{yaml:?}");
    }
}
