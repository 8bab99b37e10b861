//! Eight threads read one file, write one frame and use one pool of threads at once. `scripts/sanitizers.py` runs this under
//! ThreadSanitizer.

use std::path::{Path, PathBuf};
use std::{fs, thread};

use colonnade::formats::{Format, registry};
use colonnade::frame::Frame;
use colonnade::progress::NoProgress;
use colonnade_capi::file::CnFile;
use colonnade_capi::write::{encode, write_path};

const THREADS: usize = 8;
const ROUNDS: usize = 3;
/// Files of a format at most. The smallest are taken: under ThreadSanitizer, each read takes ten times as long.
const MOST_FILES: usize = 6;

fn golden(format: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance").join(format);
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.is_file() && !path.ends_with("cases.json")).collect();
    files.sort_by_key(|path| (fs::metadata(path).map_or(0, |meta| meta.len()), path.clone()));
    files
}

fn open(path: &Path) -> Option<CnFile> {
    CnFile::open_path(path.to_str()?, None, Some(r#"{"threads":2}"#), None, &NoProgress).ok()
}

/// Frames that are equal give equal bytes.
fn bytes(frame: &Frame, format: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    encode(frame, format, Some(r#"{"threads":2,"on_loss":"ignore"}"#), &mut out, &NoProgress).ok()?;
    Some(out)
}

/// Runs `work` in eight threads at once, several times.
fn at_once(work: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..ROUNDS).for_each(|_| work()));
        }
    });
}

/// Calls `each` with opened golden files and the frames that one thread reads from them.
fn each_file(each: impl Fn(&'static dyn Format, &Path, &CnFile, &Frame)) {
    for format in registry().iter() {
        let mut count = 0;
        for path in golden(format.spec().name) {
            let Some(file) = open(&path) else { continue };
            let Ok(frame) = file.load(None, None, &NoProgress) else { continue };
            each(format, &path, &file, &frame);
            count += 1;
            if count == MOST_FILES {
                break;
            }
        }
        assert!(count > 0, "{}: no golden file", format.spec().name);
    }
}

#[test]
fn one_opened_file() {
    each_file(|_, path, file, frame| {
        let expected = bytes(frame, "arrows");
        at_once(|| {
            let found = file.load(None, None, &NoProgress).ok().and_then(|frame| bytes(&frame, "arrows"));
            assert_eq!(found, expected, "{}", path.display());
        });
    });
}

#[test]
fn one_frame() {
    each_file(|format, path, _, frame| {
        let format = format.spec().name;
        let Some(expected) = bytes(frame, format) else { return };
        at_once(|| assert_eq!(bytes(frame, format).as_ref(), Some(&expected), "{}", path.display()));
    });
}

#[test]
fn one_target() {
    let folder = std::env::temp_dir().join(format!("colonnade-eight-threads-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    each_file(|format, _, _, frame| {
        let Some(suffix) = format.spec().suffixes.first() else { return };
        let target = folder.join(format!("target{suffix}"));
        let name = target.to_str().expect("a path of ASCII");
        let options = r#"{"threads":2,"on_loss":"ignore"}"#;
        if write_path(frame, name, None, Some(options), &NoProgress).is_err() {
            return;
        }
        let expected = fs::read(&target).expect("a written file");
        at_once(|| {
            write_path(frame, name, None, Some(options), &NoProgress).expect("it was written before");
            assert_eq!(fs::read(&target).expect("a written file"), expected, "{name}");
        });
    });
    fs::remove_dir_all(folder).expect("the folder of this test");
}
