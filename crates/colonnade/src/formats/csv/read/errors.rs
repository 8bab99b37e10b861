//! Errors for input that cannot be read.

use super::FORMAT;
use super::decimals::LARGE;
use super::kinds::{CellClasses, InferredType};
use super::line_errors;
use super::number::integer_digits;
use super::opening::Preamble;
use super::pass::{InputFault, InputFaultKind};
use crate::cells::number::{ParsedInt, float, integer};
use crate::cells::place::TextPosition;
use crate::error::{Error, ErrorKind};
use crate::excerpt::excerpt;

/// The error for a fault.
#[cold]
pub(super) fn fault(fault: InputFault, opening: &Preamble, place: &dyn Fn(usize) -> TextPosition) -> Error {
    match fault.kind {
        InputFaultKind::TokenError(found) => {
            let (_, message) = line_errors::message(found, &opening.rules);
            place(fault.at).error(line_errors::kind(found), FORMAT, None, message)
        }
        InputFaultKind::Ragged { found } => {
            let fields = |n: usize| if n == 1 { "1 field".to_owned() } else { format!("{n} fields") };
            let message = format!(
                "expected {} as the first line has, found {}. Mend the line, or read with on_error=\"null\" or \"skip\".",
                fields(opening.ncols),
                fields(found)
            );
            place(fault.at).error(ErrorKind::Malformed, FORMAT, None, message)
        }
        InputFaultKind::Encoding => changed(),
        InputFaultKind::Cell { position, fault: mut found } => {
            let number = position.to_string();
            if matches!(found.kind, ErrorKind::Malformed) {
                // Without a header the types are those of dtype=.
                let change = if opening.header.is_none() { "Change the column's dtype=" } else { "Mend it" };
                found.message.push_str(&format!(" {change}, or read with on_error=\"null\" or \"skip\"."));
            }
            found.placed(FORMAT, opening.name(position).unwrap_or(&number), place(fault.at))
        }
    }
}

/// The final check of the whole input finds invalid UTF-8, unless the input has changed since.
#[cold]
pub(super) fn changed() -> Error {
    Error::malformed(FORMAT, "the input changed while it was read.")
}

/// The error for the first cell of a class that makes the column unreadable. `format`: the option `date_format`.
#[cold]
pub(super) fn class(
    (column, class): (usize, CellClasses),
    (at, raw): (usize, &[u8]),
    format: Option<&str>,
    opening: &Preamble,
    place: &dyn Fn(usize) -> TextPosition,
) -> Error {
    let cell = excerpt(&String::from_utf8_lossy(raw));
    let message = if class == CellClasses::FAR {
        format!(
            "expected an instant from 1677 to 2262, as others of the column need nanoseconds, found {cell}. Leave the column \
             out of parse_dates=."
        )
    } else if class == CellClasses::OVERFLOW || class == CellClasses::VAST {
        format!(
            "expected a number that a 64-bit float holds, found {cell}. Read the column as text with dtype=."
        )
    } else if class == CellClasses::ZONED {
        format!(
            "expected an instant without a zone, as others of the column are, found {cell}. Leave the column out of parse_dates=."
        )
    } else if class == CellClasses::TEXT {
        let (expected, leave) = match format {
            Some(format) => (format!("as date_format={format:?} says"), "Leave"),
            None => ("of ISO 8601".to_owned(), "Say the format with date_format=, leave"),
        };
        format!(
            "expected an instant {expected}, found {cell}. {leave} the column out of parse_dates=, or read with \
             on_error=\"null\" or \"skip\"."
        )
    } else {
        format!(
            "expected whole numbers of 64 bits, found {cell}. Read them with big_ints=\"text\" or \"decimal\"."
        )
    };
    let number = column.to_string();
    place(at).error(ErrorKind::Malformed, FORMAT, Some(opening.name(column).unwrap_or(&number)), message)
}

/// The error for a cell of another type than the rows before it.
#[cold]
pub(super) fn misfit(
    column: usize,
    kind: InferredType,
    (at, raw): (usize, &[u8]),
    opening: &Preamble,
    place: &dyn Fn(usize) -> TextPosition,
) -> Error {
    let cell = excerpt(&String::from_utf8_lossy(raw));
    let number = column.to_string();
    let name = opening.name(column).unwrap_or(&number);
    let text = opening.rules.text(raw);
    let plain = opening.rules.plain_number(&text.bytes);
    let (whole, digits) = (integer(&plain), integer_digits(&plain));
    if kind == InferredType::Decimal(Some(LARGE))
        && let Some(digits) = digits
    {
        let message = format!(
            "expected whole numbers of at most {LARGE} digits, found one of {digits}. Read them with big_ints=\"text\"."
        );
        return place(at).error(ErrorKind::Unsupported, FORMAT, Some(name), message);
    }
    let (what, dtype) = match kind {
        InferredType::Bool => ("a truth value".into(), "str".into()),
        // A float would lose digits.
        InferredType::Int | InferredType::UInt if whole != ParsedInt::Not => {
            ("a whole number of 64 bits".into(), "str".into())
        }
        InferredType::Int | InferredType::UInt => {
            let is_float = std::str::from_utf8(&plain).is_ok_and(|plain| float(plain).is_some());
            ("a whole number of 64 bits".into(), if is_float { "float64" } else { "str" }.into())
        }
        InferredType::Nothing if whole != ParsedInt::Not => {
            let dtype = match whole {
                ParsedInt::Int(_) => "Int64",
                ParsedInt::UInt(_) => "UInt64",
                _ => "str",
            };
            ("a number that a float holds exactly".into(), dtype.into())
        }
        InferredType::Float | InferredType::Nothing => ("a number".into(), "str".into()),
        InferredType::Time { .. } => ("an instant".into(), "str".into()),
        InferredType::Decimal(most) => {
            let dtype = match digits {
                Some(digits) if digits <= LARGE => format!("decimal256({LARGE}, 0)"),
                _ => "str".to_owned(),
            };
            (format!("a whole number of at most {} digits", most.unwrap_or(LARGE)), dtype)
        }
        InferredType::Text => ("text".to_owned(), "str".to_owned()),
    };
    let message = format!(
        "expected {what} as in the rows before, found {cell}. Say the type with dtype={{{name:?}: {dtype:?}}}, or read the \
         file whole."
    );
    place(at).error(ErrorKind::Malformed, FORMAT, Some(name), message)
}
