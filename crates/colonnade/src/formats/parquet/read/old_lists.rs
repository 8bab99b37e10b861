//! Lists of older writers, in which the repeated group is itself the item.
//!
//! The specification (LogicalTypes.md, "Lists", backward-compatibility rules) determines the item of a LIST by its repeated field:
//!
//! 1. not a group: the field is the item;
//! 2. a group of several fields: the group is the item;
//! 3. a group of one field, which is repeated: the group is the item;
//! 4. a group of one field, named `array`, or as the list with `_tuple` appended: the group is the item;
//! 5. otherwise the field of the group is the item.
//!
//! [`super::tree`] gives the lists of rules 2 to 4 the group that they lack. It is required, so no level changes. The rules
//! therefore see the whole schema, whichever leaves are read, and everything behind them, also the `parquet` crate, sees only
//! rules 1 and 5.

use crate::formats::parquet::logical_type::{Logical, MAP_KEY_VALUE};
use crate::formats::parquet::schema::{Element, Repetition};

/// The ConvertedType of maps.
const MAP: i32 = 1;
/// The ConvertedType of lists.
const LIST: i32 = 3;

/// Whether the repeated group of the list at `at` is itself the item.
pub(super) fn is_group_the_item(elements: &[Element<'_>], at: usize) -> bool {
    let (Some(list), Some(group)) = (elements.get(at), elements.get(at + 1)) else { return false };
    if list.physical.is_some() || list.children != 1 {
        return false;
    }
    if group.physical.is_some() || group.repetition != Repetition::Repeated {
        return false;
    }
    // A map without values is the list of its keys.
    let is_list = is_annotated_list(list) || (is_map(list) && group.children == 1);
    let of_its_own = || {
        let repeats = elements.get(at + 2).is_some_and(|item| item.repetition == Repetition::Repeated);
        group.children > 1 || repeats || is_named_as_item(list.name, group.name)
    };
    is_list && of_its_own()
}

fn is_named_as_item(list: &str, group: &str) -> bool {
    group == "array" || group.strip_suffix("_tuple") == Some(list)
}

fn is_annotated_list(element: &Element<'_>) -> bool {
    element.logical == Some(Logical::List) || element.converted == Some(LIST)
}

fn is_map(element: &Element<'_>) -> bool {
    element.logical == Some(Logical::Map) || matches!(element.converted, Some(MAP | MAP_KEY_VALUE))
}

#[cfg(test)]
mod tests {
    use super::{LIST, MAP, is_group_the_item};
    use crate::formats::parquet::schema::{Element, Repetition};

    fn group<'n>(name: &'n str, repetition: Repetition, children: usize) -> Element<'n> {
        Element { name, repetition, children, ..Element::default() }
    }

    fn leaf(repetition: Repetition) -> Element<'static> {
        Element { name: "leaf", repetition, physical: Some(1), ..Element::default() }
    }

    #[test]
    fn the_rules_of_the_specification_determine_the_item() {
        use Repetition::{Optional, Repeated, Required};
        let cases = [
            ("list", vec![Required, Optional], true),
            ("list", vec![Repeated], true),
            ("array", vec![Required], true),
            ("my_tuple", vec![Optional], true),
            ("array", vec![Repeated], true),
            ("other_tuple", vec![Optional], false),
            ("_tuple", vec![Optional], false),
            ("list", vec![Optional], false),
            ("element", vec![Required], false),
        ];
        for (name, fields, expected) in cases {
            let list = Element { converted: Some(LIST), ..group("my", Optional, 1) };
            let mut elements = vec![list, group(name, Repeated, fields.len())];
            elements.extend(fields.iter().map(|&repetition| leaf(repetition)));
            assert_eq!(is_group_the_item(&elements, 0), expected, "{name} of {fields:?}");
            elements[0].converted = Some(MAP);
            let of_keys = expected && fields.len() == 1;
            assert_eq!(is_group_the_item(&elements, 0), of_keys, "{name} of {fields:?} in a map");
            elements[0].converted = None;
            assert!(!is_group_the_item(&elements, 0));
        }
        let of_leaves = [Element { converted: Some(LIST), ..group("my", Optional, 1) }, leaf(Repeated)];
        assert!(!is_group_the_item(&of_leaves, 0));
    }
}
