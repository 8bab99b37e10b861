//! The checks hold for the golden files of `conformance/`.

use std::fs;
use std::path::Path;

use colonnade::formats::registry;
use colonnade_fuzz::options::{ALL_SOURCES, WITH_FILTER};
use colonnade_fuzz::targets;

/// Larger files are checked by the fuzzer only: each is read twenty times.
const MOST_NBYTES: u64 = 20_000;

#[test]
fn the_checks_hold_for_golden_files() {
    let mut count = 0;
    for format in registry().iter().map(|format| format.spec().name) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance").join(format);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MOST_NBYTES) {
                let file = fs::read(entry.path()).unwrap_or_default();
                for target in targets() {
                    let Some(mut seed) = target.seed(format, &file) else { continue };
                    target.run(&seed);
                    if target.name().starts_with("read-") {
                        seed[0] = ALL_SOURCES | WITH_FILTER;
                        target.run(&seed);
                    }
                    count += 1;
                }
            }
        }
    }
    assert!(count > 100, "{count} golden files");
}
