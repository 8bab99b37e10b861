//! The origin of a single NPY array: NumPy, and the array's shape, so that readers can rebuild it.

use serde_json::{Map, Value, json};

use crate::container::npy::{Descr, DescrField};

use super::Store;

/// The origin of a single NPY file, as JSON; `None` for other stores.
pub(super) fn of_single_array(store: &Store) -> Option<String> {
    let (descr, fortran_order, shape) = store.single_array()?.array?;
    let mut origin = Map::new();
    origin.insert("library".into(), "numpy".into());
    match &descr {
        Descr::Struct(fields) => {
            origin.insert("class".into(), "structured".into());
            origin.insert("dtype".into(), structured(fields));
        }
        Descr::Scalar(_) => {
            origin.insert("class".into(), if shape.len() == 1 { "1d" } else { "2d" }.into());
            if shape.len() == 2 {
                origin.insert("order".into(), if fortran_order { "F" } else { "C" }.into());
            }
        }
    }
    Some(python_json(&Value::Object(origin)))
}

/// A structured dtype as NumPy's dictionary; padding is not a field.
fn structured(fields: &[DescrField]) -> Value {
    let (mut names, mut formats, mut offsets, mut titles) = (vec![], vec![], vec![], vec![]);
    let mut offset = 0;
    for field in fields {
        if !field.is_padding() {
            names.push(Value::from(field.name.as_str()));
            formats.push(Value::from(match &field.descr {
                Descr::Scalar(dtype) => dtype.descr(),
                Descr::Struct(_) => String::new(),
            }));
            offsets.push(Value::from(offset));
            titles.push(Value::from(field.title.as_deref()));
        }
        offset += field.nbytes().unwrap_or(0);
    }
    json!({
        "names": names,
        "formats": formats,
        "offsets": offsets,
        "titles": titles,
        "itemsize": offset,
        "aligned": false,
    })
}

/// JSON in the spelling of Python's `json.dumps`, which wrote the origins of earlier files: a space after each comma and colon,
/// and ASCII only.
fn python_json(value: &Value) -> String {
    let mut out = String::new();
    let (mut in_string, mut escaped) = (false, false);
    let mut units = [0; 2];
    for character in value.to_string().chars() {
        match character {
            ' '..='~' => out.push(character),
            _ => {
                for unit in character.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
        if !in_string && matches!(character, ',' | ':') {
            out.push(' ');
        }
        if character == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = character == '\\' && !escaped;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::DType;

    #[test]
    fn a_structured_dtype_is_spelled_as_python_spells_it() {
        let field = |name: &str, title: Option<&str>, dtype: &str| DescrField {
            name: name.into(),
            title: title.map(str::to_owned),
            descr: Descr::Scalar(DType::parse(dtype).unwrap()),
            shape: Vec::new(),
        };
        let fields =
            [field("a\"", None, "<i4"), field("", None, "|V4"), field("é\u{7f}😀", Some("t"), "<f8")];
        let text = python_json(&structured(&fields));
        assert_eq!(
            text,
            "{\"names\": [\"a\\\"\", \"\\u00e9\\u007f\\ud83d\\ude00\"], \"formats\": [\"<i4\", \"<f8\"], \
             \"offsets\": [0, 8], \"titles\": [null, \"t\"], \"itemsize\": 16, \"aligned\": false}"
        );
    }
}
