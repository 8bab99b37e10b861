//! What a nested column is made of, node by node, and the levels at which each node is there.
//!
//! Levels are counted from the root of the column. A list adds a stream: the places of its items. Stream 0 are the rows, stream
//! `k` the items of the k-th list on the way to a leaf:
//!
//! ```text
//! optional group l (LIST) { repeated group list { optional int32 element } }
//!
//! definition 0: no list, 1: an empty one, 2: an item that is null, 3: a value
//! a list stands in stream 0, and is there from level 1 on; its items stand in stream 1, from level 2 on
//! ```

use arrow_schema::{DataType, Field, Fields};
use parquet::basic::Repetition;
use parquet::schema::types::{SchemaDescriptor, Type};

use crate::formats::parquet::schema::{Element, SchemaLeaf};
use crate::formats::parquet::types;
use crate::formats::parquet::types::Physical;

use super::column_plan::{Way, way_of};
use super::conversion::Flat;
use super::leaf_type::default_type;
use super::level_streams::Levels;
use super::names::items_of;
use super::structure::{self, wrapped};

/// Levels above this are read by the crate.
pub(crate) const MAX_LEVEL: u16 = 126;

/// A nested column.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// What it is.
    pub(crate) node: Node,
    /// Its leaves, in the file's order.
    pub(crate) leaves: Vec<LeafShape>,
    /// Lists in it.
    pub(crate) nlists: usize,
    /// Nodes above the leaves that may be null.
    pub(crate) nnullables: usize,
}

/// A node of a nested column.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// The leaf of this number.
    Leaf(usize),
    /// A struct, or the entries of a map.
    Struct {
        /// Its type.
        data_type: DataType,
        /// Its number among the nodes that may be null, where it may.
        nullable: Option<usize>,
        /// Its fields.
        fields: Vec<Node>,
    },
    /// A list of any layout, or a map.
    List {
        /// Its type.
        data_type: DataType,
        /// Its number among the lists.
        list: usize,
        /// As of structs.
        nullable: Option<usize>,
        /// Of lists of one size the same, required ones too: below nulls further up the file has no items of theirs.
        there: Option<usize>,
        /// Its items.
        items: Box<Node>,
    },
}

/// A leaf of a nested column.
#[derive(Debug, Clone)]
pub(crate) struct LeafShape {
    /// How its values are stored; optional where a slot of it may have none.
    pub(crate) flat: Flat,
    /// The type of its values.
    pub(crate) data_type: DataType,
    /// Whether they are categories that have an order.
    pub(crate) ordered: bool,
    /// Whether it may be null itself; else it has no value only where something above it is null.
    pub(crate) own: bool,
    /// The highest levels.
    pub(crate) most: Levels,
    /// The lists that it stands in, outermost first.
    pub(crate) lists: Vec<ListAt>,
    /// Nodes above it that may be null, of which it is the first leaf.
    pub(crate) nullables: Vec<NullableAt>,
}

/// A list on the way to a leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListAt {
    /// Its number.
    pub(crate) list: usize,
    /// The definition level from which on it has an item.
    pub(crate) item: u16,
    /// Whether the leaf is the first of it.
    pub(crate) first: bool,
}

/// A node that may be null.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NullableAt {
    /// Its number.
    pub(crate) nullable: usize,
    /// The stream that it stands in.
    pub(crate) stream: usize,
    /// The definition level from which on it is there.
    pub(crate) there: u16,
}

impl Shape {
    /// The column `field`, whose leaves are those at `wanted`; `None` where our decoder does not read one of
    /// them, or the two do not go together.
    pub(crate) fn of(
        schema: &SchemaDescriptor,
        field: &Field,
        elements: &[Element<'_>],
        leaves: &[SchemaLeaf],
        wanted: &[usize],
    ) -> Option<Self> {
        let [column] = schema.root_schema().get_fields() else { return None };
        let mut elements =
            wanted.iter().map(|&leaf| leaves.get(leaf).and_then(|leaf| elements.get(leaf.element)));
        let mut builder = Builder {
            next: &mut || elements.next().flatten().copied(),
            leaves: Vec::new(),
            nlists: 0,
            nnullables: 0,
            nullables: Vec::new(),
            nled: 0,
        };
        let node = builder.node(column, field, &At::default(), false)?;
        let Builder { leaves, nlists, nnullables, .. } = builder;
        (leaves.len() == wanted.len()).then_some(Self { node, leaves, nlists, nnullables })
    }
}

/// Levels on the way down.
#[derive(Debug, Clone, Default)]
struct At {
    definition: u16,
    lists: Vec<(usize, u16)>,
}

impl At {
    fn deeper(&self, optional: bool) -> Self {
        Self { definition: self.definition + u16::from(optional), lists: self.lists.clone() }
    }
}

struct Builder<'e> {
    /// The elements of the leaves, one after the other.
    next: &'e mut dyn FnMut() -> Option<Element<'e>>,
    leaves: Vec<LeafShape>,
    nlists: usize,
    nnullables: usize,
    /// Those that no leaf has come below yet.
    nullables: Vec<NullableAt>,
    /// Lists that a leaf has come below.
    nled: usize,
}

impl Builder<'_> {
    /// The node `found`, which is `field`. `item`: it is the item of a list itself, its repetition said so.
    fn node(&mut self, found: &Type, field: &Field, at: &At, item: bool) -> Option<Node> {
        let told = field.data_type();
        let repetition = if item { Repetition::REQUIRED } else { structure::repetition(found) };
        if repetition == Repetition::REPEATED {
            // A list that nothing announces.
            let items = items_of(told)?;
            return self.list(told, None, at, |own, at| own.node(found, items, at, true));
        }
        let at = at.deeper(repetition == Repetition::OPTIONAL);
        let optional = (repetition == Repetition::OPTIONAL).then_some(at.definition);
        if found.is_primitive() {
            return self.leaf(field, &at, optional.is_some());
        }
        match told {
            DataType::Struct(fields) => self.record(found, told, fields, optional, &at),
            DataType::Map(entries, _) => {
                let DataType::Struct(pair) = entries.data_type() else { return None };
                let repeated = only(found.get_fields())?;
                if repeated.is_primitive() || pair.len() != 2 {
                    return None;
                }
                self.list(told, optional, &at, |own, at| {
                    own.record(repeated, entries.data_type(), pair, None, at)
                })
            }
            _ => {
                let field = items_of(told)?;
                let repeated = only(found.get_fields())?;
                if structure::repetition(repeated) != Repetition::REPEATED {
                    return None;
                }
                let (items, is_item) = match wrapped(found, repeated) {
                    Some(items) => (items, false),
                    None => (&**repeated, true),
                };
                self.list(told, optional, &at, |own, at| own.node(items, field, at, is_item))
            }
        }
    }

    fn nullable(&mut self, there: Option<u16>, at: &At) -> Option<usize> {
        let there = there?;
        let nullable = self.nnullables;
        self.nnullables += 1;
        self.nullables.push(NullableAt { nullable, stream: at.lists.len(), there });
        Some(nullable)
    }

    fn record(
        &mut self,
        found: &Type,
        told: &DataType,
        fields: &Fields,
        optional: Option<u16>,
        at: &At,
    ) -> Option<Node> {
        if found.is_primitive() || found.get_fields().len() != fields.len() || fields.is_empty() {
            return None;
        }
        let nullable = self.nullable(optional, at);
        let pairs = found.get_fields().iter().zip(fields);
        let fields = pairs.map(|(found, told)| self.node(found, told, at, false));
        Some(Node::Struct { fields: fields.collect::<Option<_>>()?, data_type: told.clone(), nullable })
    }

    fn list(
        &mut self,
        told: &DataType,
        optional: Option<u16>,
        at: &At,
        items: impl FnOnce(&mut Self, &At) -> Option<Node>,
    ) -> Option<Node> {
        let nullable = self.nullable(optional, at);
        let fixed = matches!(told, DataType::FixedSizeList(..));
        let there = match nullable {
            Some(nullable) => Some(nullable),
            None => self.nullable(fixed.then_some(at.definition), at),
        };
        let list = self.nlists;
        self.nlists += 1;
        let mut below = at.deeper(true);
        below.lists.push((list, below.definition));
        let items = Box::new(items(self, &below)?);
        Some(Node::List { data_type: told.clone(), list, nullable, there, items })
    }

    fn leaf(&mut self, field: &Field, at: &At, own: bool) -> Option<Node> {
        let (told, ordered) = (field.data_type(), field.dict_is_ordered() == Some(true));
        let element = (self.next)()?;
        let physical = Physical::from_number(element.physical?, element.length)?;
        let field = Field::new("", told.clone(), true);
        let way = types::conversion_of(&field, physical, element.logical.as_ref(), element.converted);
        let way = way
            .or_else(|| (*told == default_type(&element, physical)).then_some(types::LeafConversion::Same))?;
        let slot = at.lists.last().map_or(0, |(_, item)| *item);
        let flat = Flat { physical, optional: at.definition > slot, way };
        let lists = at.lists.iter();
        let lists = lists.map(|&(list, item)| ListAt { list, item, first: list >= self.nled });
        let lists: Vec<ListAt> = lists.collect();
        self.nled = self.nlists;
        let repetition = u16::try_from(lists.len()).ok()?;
        if at.definition > MAX_LEVEL || repetition > MAX_LEVEL || !is_read(told, &flat) {
            return None;
        }
        let most = Levels { definition: at.definition, repetition };
        let nullables = std::mem::take(&mut self.nullables);
        self.leaves.push(LeafShape { flat, data_type: told.clone(), ordered, own, most, lists, nullables });
        Some(Node::Leaf(self.leaves.len() - 1))
    }
}

/// Whether our decoder reads values of this type, as they are stored.
fn is_read(told: &DataType, flat: &Flat) -> bool {
    match told {
        DataType::Dictionary(_, values) => matches!(way_of(values, flat), Way::Text | Way::Fixed(_)),
        _ => way_of(told, flat) != Way::Nested,
    }
}

fn only(fields: &[std::sync::Arc<Type>]) -> Option<&std::sync::Arc<Type>> {
    match fields {
        [one] => Some(one),
        _ => None,
    }
}
