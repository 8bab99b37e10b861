//! Converts Rust errors to Python exceptions. `colonnade/_errors.py` defines one class for each `ErrorKind`.

use colonnade::{Error, ErrorKind};
use colonnade_transport::{AddressError, HttpError, HttpErrorKind, SystemError};
use pyo3::exceptions::{
    PyConnectionError, PyConnectionRefusedError, PyFileNotFoundError, PyImportError, PyMemoryError,
    PyOSError, PyPermissionError, PyRuntimeError, PyTimeoutError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

const NAMES: [&str; 10] = [
    "ColonnadeError",
    "DecodeError",
    "TruncatedError",
    "LimitError",
    "UnsupportedError",
    "InputError",
    "EncodeError",
    "OptionError",
    "ColumnNotFound",
    "InternalError",
];

static CLASSES: PyOnceLock<Vec<Py<PyType>>> = PyOnceLock::new();

fn classes(py: Python<'_>) -> PyResult<&Vec<Py<PyType>>> {
    CLASSES.get_or_try_init(py, || {
        let module = py.import("colonnade._errors")?;
        NAMES.iter().map(|name| Ok(module.getattr(*name)?.cast_into::<PyType>()?.unbind())).collect()
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    for (name, class) in NAMES.iter().zip(classes(m.py())?) {
        m.add(*name, class)?;
    }
    Ok(())
}

fn raise(name: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let class = classes(py).map(|all| {
            all.iter().zip(NAMES).find(|(_, n)| *n == name).map(|(class, _)| class.bind(py).clone())
        });
        match class {
            Ok(Some(class)) => PyErr::from_type(class, (message,)),
            Ok(None) => PyRuntimeError::new_err(message),
            Err(error) => PyImportError::new_err(error.to_string()),
        }
    })
}

/// The class of an error; `None` for errors of the operating system.
fn class_of(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::Truncated { .. } => "TruncatedError",
        ErrorKind::Unsupported => "UnsupportedError",
        ErrorKind::Unrepresentable => "EncodeError",
        ErrorKind::InvalidOption => "OptionError",
        ErrorKind::LimitExceeded => "LimitError",
        ErrorKind::NotFound => "ColumnNotFound",
        ErrorKind::Internal => "InternalError",
        ErrorKind::Io(_) => return None,
        _ => "DecodeError",
    })
}

/// Converts an error.
pub(crate) fn to_py(error: Error) -> PyErr {
    match class_of(error.kind()) {
        Some(name) => with_facts(raise(name, error.to_string()), &error),
        None => io(error),
    }
}

/// Sets what an error knows as attributes of its exception.
fn with_facts(raised: PyErr, error: &Error) -> PyErr {
    Python::attach(|py| {
        let value = raised.value(py);
        let (location, kind) = (error.location(), error.kind());
        let set = || -> PyResult<()> {
            value.setattr("format", error.format())?;
            value.setattr("member", location.member.as_deref())?;
            if matches!(kind, ErrorKind::Unrepresentable | ErrorKind::NotFound) {
                value.setattr("column", location.member.as_deref())?;
            }
            value.setattr("offset", location.offset)?;
            value.setattr("line", location.line)?;
            if let ErrorKind::Truncated { needed, had } = kind {
                value.setattr("needed", *needed)?;
                value.setattr("had", *had)?;
            }
            Ok(())
        };
        // An exception without these attributes still says all of it.
        let _ = set();
    });
    raised
}

/// Converts an error and puts `context` (the peer, the message) before its text.
pub(crate) fn to_py_with_context(error: Error, context: &str) -> PyErr {
    if let Some(name) = class_of(error.kind()) {
        let text = error.to_string();
        let raised = raise(name, format!("{context}: {}", text.strip_prefix("message: ").unwrap_or(&text)));
        return with_facts(raised, &error);
    }
    match error.into_kind() {
        ErrorKind::Io(error) if is_memory(&error) => {
            PyMemoryError::new_err(format!("{context}: the system has no memory for the announced bytes"))
        }
        ErrorKind::Io(error) => match errno_of(&error) {
            Some(errno) => {
                PyErr::new::<PyOSError, _>((errno, format!("{context}: {}", os_error_text(&error))))
            }
            None if error.get_ref().is_some_and(|inner| inner.is::<PyErr>()) => PyErr::from(error),
            None => PyErr::from(std::io::Error::new(error.kind(), format!("{context}: {error}"))),
        },
        _ => PyOSError::new_err("I/O error"),
    }
}

/// Whether the system refused memory, to a mapping or to the allocator.
fn is_memory(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::OutOfMemory
}

/// The errno of an error, also of one that the transport wrapped in a message.
fn errno_of(error: &std::io::Error) -> Option<i32> {
    let wrapped = || error.get_ref()?.downcast_ref::<SystemError>().map(SystemError::errno);
    error.raw_os_error().or_else(wrapped)
}

/// Converts an error of dialling, binding or accepting, whose text names the address.
pub(crate) fn address_error(error: std::io::Error) -> PyErr {
    if error.get_ref().is_some_and(|inner| inner.is::<AddressError>()) {
        return option(error.to_string());
    }
    match errno_of(&error) {
        Some(errno) => PyErr::new::<PyOSError, _>((errno, os_error_text(&error))),
        None if error.get_ref().is_some_and(|inner| inner.is::<Error>()) => to_py(Error::from(error)),
        None => PyErr::from(error),
    }
}

const NO_MEMORY: &str = "the system has no memory for the data. Take fewer columns or rows, or go chunk by chunk with open_reader.";

/// Converts an error of the operating system unchanged, but for a lack of memory. PyO3 chooses the subclass of `OSError` by errno.
fn io(error: Error) -> PyErr {
    match error.into_kind() {
        ErrorKind::Io(error) if is_memory(&error) => PyMemoryError::new_err(NO_MEMORY),
        ErrorKind::Io(error) => match error.raw_os_error() {
            _ if error.get_ref().is_some_and(|e| e.is::<HttpError>()) => http(&error),
            Some(errno) => PyErr::new::<PyOSError, _>((errno, os_error_text(&error))),
            None => PyErr::from(error),
        },
        _ => PyOSError::new_err("I/O error"),
    }
}

/// Converts an error of an HTTP request to an `OSError`, or to an error about the bytes.
fn http(error: &std::io::Error) -> PyErr {
    let Some(HttpError { kind, message }) = error.get_ref().and_then(|e| e.downcast_ref()) else {
        return PyOSError::new_err(error.to_string());
    };
    let message = message.clone();
    match kind {
        HttpErrorKind::Address => raise("OptionError", message),
        HttpErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        HttpErrorKind::Forbidden => PyPermissionError::new_err(message),
        HttpErrorKind::Refused => PyConnectionRefusedError::new_err(message),
        HttpErrorKind::Connection => PyConnectionError::new_err(message),
        HttpErrorKind::TimedOut => PyTimeoutError::new_err(message),
        HttpErrorKind::Truncated { .. } => raise("TruncatedError", message),
        HttpErrorKind::Changed | HttpErrorKind::Answer => raise("DecodeError", message),
        HttpErrorKind::Other => PyOSError::new_err(message),
    }
}

/// The text of a system error, without the number that Rust appends.
pub(crate) fn os_error_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Converts an error and adds the file's name to an `OSError`, as Python's `open` does.
pub(crate) fn with_path(error: Error, path: &std::path::Path) -> PyErr {
    if let ErrorKind::Io(io) = error.kind()
        && let Some(errno) = io.raw_os_error()
    {
        if is_memory(io) {
            return PyMemoryError::new_err(format!("{}: {NO_MEMORY}", path.display()));
        }
        return PyErr::new::<PyOSError, _>((errno, os_error_text(io), path.as_os_str().to_owned()));
    }
    to_py(error)
}

/// Whether an exception is a `ColonnadeError`.
pub(crate) fn is_colonnade_error(py: Python<'_>, error: &PyErr) -> bool {
    classes(py).is_ok_and(|all| all.first().is_some_and(|base| error.is_instance(py, base.bind(py))))
}

pub(crate) fn encode(message: impl Into<String>) -> PyErr {
    raise("EncodeError", message.into())
}

pub(crate) fn decode(message: impl Into<String>) -> PyErr {
    raise("DecodeError", message.into())
}

pub(crate) fn limit(message: impl Into<String>) -> PyErr {
    raise("LimitError", message.into())
}

pub(crate) fn unsupported(message: impl Into<String>) -> PyErr {
    raise("UnsupportedError", message.into())
}

pub(crate) fn option(message: impl Into<String>) -> PyErr {
    raise("OptionError", message.into())
}

/// Lets `?` convert the errors of core results.
pub(crate) trait IntoPy<T> {
    fn py(self) -> PyResult<T>;
}

impl<T> IntoPy<T> for colonnade::Result<T> {
    fn py(self) -> PyResult<T> {
        self.map_err(to_py)
    }
}
