//! `r/colonnade/src/colonnade_r.h` is what cbindgen makes of this crate. `COLONNADE_WRITE_HEADER=1` writes it.

use std::path::Path;

#[test]
fn the_header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new().with_crate(root).with_config(config).generate().unwrap().write(&mut made);
    let path = root.join("../../r/colonnade/src/colonnade_r.h");
    if std::env::var_os("COLONNADE_WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let found = std::fs::read(&path).unwrap_or_default();
    assert!(found == made, "r/colonnade/src/colonnade_r.h is not current. Run `make header`.");
}
