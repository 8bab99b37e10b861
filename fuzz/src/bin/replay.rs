//! Runs a check on every file of some folders, without a fuzzer: `replay CHECK FOLDERS...`.
//!
//! Prints the files for which the check does not hold. The exit status is 1 if there are any.

#![allow(clippy::print_stdout, reason = "a program")]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use colonnade_fuzz::{Target, targets};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, folders)) = arguments.split_first() else {
        eprintln!("usage: replay CHECK FOLDERS...");
        return ExitCode::from(2);
    };
    let Some(target) = targets().find(|target| target.name() == *name) else {
        let known: Vec<String> = targets().map(|target| target.name()).collect();
        eprintln!("expected one of {}, found {name:?}", known.join(", "));
        return ExitCode::from(2);
    };
    let (mut count, mut failed) = (0_usize, 0_usize);
    for entry in folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        count += 1;
        failed += usize::from(!holds(&target, &entry.path()));
    }
    println!("{name}: {count} inputs, {failed} findings");
    ExitCode::from(u8::from(failed > 0))
}

fn holds(target: &Target, path: &Path) -> bool {
    let Ok(input) = fs::read(path) else { return true };
    let held = catch_unwind(AssertUnwindSafe(|| target.run(&input))).is_ok();
    if !held {
        println!("{}", path.display());
    }
    held
}
