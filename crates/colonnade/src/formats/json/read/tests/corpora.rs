//! Public corpora: JSONTestSuite, and numbers that must round exactly.

use std::path::PathBuf;

use crate::ErrorKind;
use crate::memory::Buffer;
use crate::progress::{NoProgress, Progress};

use super::options::ReadOptions;
use super::root::{decode, with_context};
use crate::cells::json::number::JsonNumber;
use crate::cells::json::scan::Scan;

fn corpus(name: &str) -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let root = std::env::var_os("COLONNADE_CORPORA").map_or(here, PathBuf::from).join(name);
    if !root.is_dir() {
        println!("skipped: {} is not there", root.display());
        return None;
    }
    Some(root)
}

/// Checks that the bytes are one JSON value, frame or not.
fn check(bytes: &[u8]) -> crate::Result<()> {
    let options = (&ReadOptions::default(), &NoProgress as &dyn Progress);
    with_context("json", &Buffer::from_vec(bytes.to_vec()), options, |context| {
        let mut scan = Scan::new(context.bytes, 0, false);
        scan.space();
        context.locate(scan.value(0, &context.rules))?;
        scan.space();
        if scan.at < context.bytes.len() {
            return Err(context.error(scan.unexpected("the end")));
        }
        Ok(())
    })
}

#[test]
fn json_test_suite_is_accepted_and_refused_as_named() {
    let Some(root) = corpus("json-nst/test_parsing") else { return };
    let (mut accepted, mut refused, mut either) = (0, 0, 0);
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap();
        let found = check(&bytes);
        let frame = decode(&Buffer::from_vec(bytes), &ReadOptions::default());
        match name.get(..2) {
            // One of the two values would be lost: this is the only rule that is stricter than the grammar.
            Some("y_") if name.starts_with("y_object_duplicated_key") => {
                assert!(found.unwrap_err().to_string().contains("twice"), "{name}");
            }
            Some("y_") => {
                assert!(found.is_ok(), "{name}: {found:?}");
                accepted += 1;
                // Many of the values are no tables, but none is malformed.
                if let Err(error) = frame {
                    assert!(matches!(error.kind(), ErrorKind::Unsupported), "{name}: {error}");
                }
            }
            Some("n_") => {
                let error = found.map_err(|e| (name.clone(), e)).expect_err(&name).1;
                let kind = matches!(
                    error.kind(),
                    ErrorKind::Malformed | ErrorKind::Truncated { .. } | ErrorKind::LimitExceeded
                );
                assert!(kind && error.to_string().contains("line "), "{name}: {error}");
                assert!(frame.is_err(), "{name}");
                refused += 1;
            }
            _ => either += 1,
        }
    }
    assert!(accepted > 90 && refused > 180 && either > 30, "{accepted} {refused} {either}");
}

#[test]
fn transformed_values_are_read_as_they_are_or_refused() {
    let Some(root) = corpus("json-nst/test_transform") else { return };
    let found = |name: &str| check(&std::fs::read(root.join(name)).unwrap()).map_err(|e| e.to_string());
    for name in [
        "number_1.0.json",
        "number_1e6.json",
        "number_1e-999.json",
        "number_1.000000000000000005.json",
        "number_9223372036854775808.json",
        "number_10000000000000000999.json",
        "object_key_nfc_nfd.json",
        "string_with_escaped_NULL.json",
    ] {
        assert_eq!(found(name), Ok(()), "{name}");
    }
    for (name, part) in [
        ("object_same_key_different_values.json", "twice"),
        ("object_same_key_same_value.json", "twice"),
        ("string_1_escaped_invalid_codepoint.json", "surrogate"),
        ("string_1_invalid_codepoint.json", "UTF-8"),
    ] {
        assert!(found(name).unwrap_err().contains(part), "{name}");
    }
}

#[test]
fn numbers_round_exactly() {
    let Some(root) = corpus("num-nigeltao/data") else { return };
    let mut checked = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        // Short lists are tested in full and long ones in part, because this also runs without optimisation.
        let each = (text.lines().count() / 5000).max(1);
        for line in text.lines().step_by(each) {
            let mut words = line.split(' ').skip(2);
            let (Some(bits), Some(number)) = (words.next(), words.next()) else { continue };
            let bits = u64::from_str_radix(bits, 16).unwrap();
            if serde_json::from_str::<serde_json::Number>(number).is_err() {
                continue;
            }
            checked += 1;
            let mut scan = Scan::new(number.as_bytes(), 0, false);
            match scan.number() {
                Ok(JsonNumber::Float(found)) => assert_eq!(found, bits, "{number}"),
                Ok(JsonNumber::Int(value)) => {
                    assert_eq!((value as f64).abs(), f64::from_bits(bits).abs(), "{number}")
                }
                Ok(JsonNumber::UInt(value)) => assert_eq!(value as f64, f64::from_bits(bits), "{number}"),
                Ok(JsonNumber::Big) => assert_eq!(number.parse::<f64>().unwrap().to_bits(), bits, "{number}"),
                Err(_) => assert!(f64::from_bits(bits).is_infinite(), "{number}"),
            }
        }
    }
    assert!(checked > 10_000, "{checked}");
}
