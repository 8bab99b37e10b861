//! One change of a Thrift tree, at any value of it.

use super::bytes::scramble;
use super::random::Random;
use super::thrift::{Value, unzigzag, zigzag};

/// The numbers and strings of a tree. A change may use one of them at another place.
#[derive(Default)]
struct Pool {
    numbers: Vec<u64>,
    strings: Vec<Vec<u8>>,
    count: usize,
}

/// Changes one value, or the fields of one struct.
pub(crate) fn change(root: &mut Value, random: &mut Random) {
    let mut pool = Pool::default();
    gather(root, &mut pool);
    let mut place = random.below(pool.count);
    change_at(root, &mut place, &pool, random);
}

fn gather(value: &Value, pool: &mut Pool) {
    pool.count += 1;
    match value {
        Value::Int(_, raw) => pool.numbers.push(*raw),
        Value::Binary(bytes) => pool.strings.push(bytes.clone()),
        Value::List(_, _, items) => items.iter().for_each(|item| gather(item, pool)),
        Value::Struct(fields) => fields.iter().for_each(|(_, value)| gather(value, pool)),
        Value::Map(_, items) => items.iter().for_each(|(key, value)| {
            gather(key, pool);
            gather(value, pool);
        }),
        Value::Bool(_) | Value::Byte(_) | Value::Double(_) => {}
    }
}

/// Changes the value at a place, counted from here; whether it is in this part of the tree.
fn change_at(value: &mut Value, place: &mut usize, pool: &Pool, random: &mut Random) -> bool {
    let Some(next) = place.checked_sub(1) else {
        change_value(value, pool, random);
        return true;
    };
    *place = next;
    match value {
        Value::List(_, _, items) => items.iter_mut().any(|item| change_at(item, place, pool, random)),
        Value::Struct(fields) => fields.iter_mut().any(|(_, value)| change_at(value, place, pool, random)),
        Value::Map(_, items) => items
            .iter_mut()
            .any(|(key, value)| change_at(key, place, pool, random) || change_at(value, place, pool, random)),
        _ => false,
    }
}

fn change_value(value: &mut Value, pool: &Pool, random: &mut Random) {
    match value {
        Value::Bool(value) => *value = !*value,
        Value::Byte(byte) => *byte = random.byte(),
        Value::Int(_, raw) => *raw = new_number(*raw, pool, random),
        Value::Double(bytes) => {
            let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 5e-324, f64::MAX];
            *bytes = numbers[random.below(6)].to_le_bytes();
        }
        Value::Binary(bytes) => match random.below(4) {
            0 => bytes.truncate(random.below(bytes.len() + 1)),
            1 => bytes.clone_from(random.pick(&pool.strings).unwrap_or(&Vec::new())),
            _ => scramble(bytes, random),
        },
        Value::List(_, of, items) => change_items(items, of, random),
        Value::Map(_, items) => {
            let at = random.below(items.len());
            match items.get(at).cloned() {
                Some(item) if random.one_in(2) => items.insert(at, item),
                Some(_) => drop(items.remove(at)),
                None => {}
            }
        }
        Value::Struct(fields) => change_fields(fields, pool, random),
    }
}

/// Another number of an enumeration, another number of the tree, or one at which code changes its way.
fn new_number(raw: u64, pool: &Pool, random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.bits() % 24 * 2,
        1 => random.pick(&pool.numbers).copied().unwrap_or_default(),
        2 => zigzag(unzigzag(raw).wrapping_add(if random.one_in(2) { 1 } else { -1 })),
        _ => zigzag(random.number_near(unzigzag(raw).cast_unsigned()).cast_signed()),
    }
}

fn change_items(items: &mut Vec<Value>, of: &mut u8, random: &mut Random) {
    let (at, other) = (random.below(items.len()), random.below(items.len()));
    let Some(item) = items.get(at).cloned() else { return };
    match random.below(10) {
        0..=2 => items.insert(at, item),
        3..=5 => drop(items.remove(at)),
        6 | 7 => items.swap(at, other),
        8 => items.clear(),
        _ if random.one_in(4) => *of = random.byte() & 15,
        _ => items.extend(std::iter::repeat_n(item, 20)),
    }
}

fn change_fields(fields: &mut Vec<(i16, Value)>, pool: &Pool, random: &mut Random) {
    let (at, other) = (random.below(fields.len()), random.below(fields.len()));
    let id = i16::from(random.byte() % 20);
    let Some((old, value)) = fields.get(at).cloned() else {
        return fields.push((id, Value::Int(5, new_number(0, pool, random))));
    };
    match random.below(8) {
        0..=2 => drop(fields.remove(at)),
        3 => fields.insert(at, (old, value)),
        4 => fields.insert(at + 1, (id, value)),
        5 => {
            if let Some(field) = fields.get_mut(at) {
                field.0 = id;
            }
        }
        6 => {
            // The ids stay in their order, the values change places.
            let Some((_, from)) = fields.get(other).cloned() else { return };
            if let Some(field) = fields.get_mut(other) {
                field.1 = value;
            }
            if let Some(field) = fields.get_mut(at) {
                field.1 = from;
            }
        }
        _ => {
            if let Some(field) = fields.get_mut(at) {
                field.1 = another_type(&field.1, random);
            }
        }
    }
}

/// A value of another type.
fn another_type(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::Int(kind, raw) if random.one_in(2) => Value::Int(if *kind == 5 { 6 } else { 5 }, *raw),
        Value::List(9, of, items) if random.one_in(2) => Value::List(10, *of, items.clone()),
        _ => match random.below(6) {
            0 => Value::Bool(random.one_in(2)),
            1 => Value::Int(4, random.number()),
            2 => Value::Binary(Vec::new()),
            3 => Value::List(9, 12, Vec::new()),
            4 => Value::Double([0; 8]),
            _ => Value::Struct(Vec::new()),
        },
    }
}
