//! Runs the check that `COLONNADE_FUZZ_TARGET` names on the inputs that libFuzzer makes.
//!
//! One binary has all checks, because linking it with a sanitizer takes longer than compiling a check.

#![no_main]

use std::sync::OnceLock;

use colonnade_fuzz::Target;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fn target() -> &'static Target {
    static TARGET: OnceLock<Target> = OnceLock::new();
    TARGET.get_or_init(|| {
        let name = std::env::var("COLONNADE_FUZZ_TARGET").unwrap_or_default();
        let names = || colonnade_fuzz::targets().map(|target| target.name()).collect::<Vec<_>>().join(", ");
        colonnade_fuzz::targets().find(|target| target.name() == name).unwrap_or_else(|| {
            eprintln!("COLONNADE_FUZZ_TARGET: expected one of {}, found {name:?}.", names());
            std::process::exit(2);
        })
    })
}

fuzz_target!(|input: &[u8]| target().run_quickly(input));

fuzz_mutator!(|input: &mut [u8], size: usize, max_size: usize, seed: u32| {
    // A third is changed by libFuzzer, a third at a place that the format knows, and a third by both.
    let choice = seed % 3;
    let changed = (choice > 0).then(|| target().mutate(input, size, max_size, seed)).flatten();
    let mut size = changed.unwrap_or(size);
    if choice < 2 || changed.is_none() {
        size = fuzzer_mutate(input, size, max_size);
    }
    // Half of the inputs keep their wrong checksums, so that the checks of checksums are reached too.
    if seed / 3 % 2 == 0 {
        target().mend(&mut input[..size]);
    }
    size
});
