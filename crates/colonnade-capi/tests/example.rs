//! The C program in `examples/c`, compiled against `include/colonnade.h` and the shared library of this build.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program; `None` where there is no C compiler.
fn compiled(directory: &Path) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // The shared library is next to the test.
    let libraries = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let program = directory.join("read_frame");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let built = Command::new(&compiler)
        .args(["-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root.join("include"))
        .arg("-o")
        .arg(&program)
        .arg(root.join("examples/c/read_frame.c"))
        .arg("-L")
        .arg(&libraries)
        .arg("-lcolonnade_capi")
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .output();
    let Ok(built) = built else {
        assert!(std::env::var_os("CI").is_none(), "no C compiler: apt-get install gcc");
        eprintln!("skipped: no {compiler}, apt-get install gcc");
        return None;
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(program)
}

#[test]
fn a_c_program_reads_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = compiled(directory.path()) else { return };
    let file = directory.path().join("x.csv");
    std::fs::write(&file, "name,count,price\nä,1,0.5\n,2,1.5\n").unwrap();
    let run = |arguments: &[&str]| {
        let out = Command::new(&program).arg(&file).args(arguments).output().unwrap();
        (out.status.success(), String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
    };
    let (succeeded, shown, described) = run(&[]);
    assert!(succeeded, "{described}");
    assert_eq!(shown, "name\tcount\tprice\nä\t1\t0.5\nnull\t2\t1.5\n");
    assert!(described.contains("\"format\":\"csv\"") && described.contains("\"nrows\":2"), "{described}");
    assert_eq!(run(&["price", "name"]).1, "price\tname\n0.5\tä\n1.5\tnull\n");
    let (succeeded, _, error) = run(&["prize"]);
    assert!(
        !succeeded && error.contains("Did you mean \"price\"?") && error.contains("kind: not_found"),
        "{error}"
    );
}
