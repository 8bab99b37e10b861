//! The nodes of a nested column, and the definition and repetition levels at which each is present.
//!
//! Levels are counted from the root of the column. Each list adds a stream, which holds the positions of its items. Stream 0
//! holds the rows, and stream `k` the items of the k-th list on the path to a leaf:
//!
//! ```text
//! optional group l (LIST) { repeated group list { optional int32 element } }
//!
//! definition 0: no list, 1: an empty one, 2: an item that is null, 3: a value
//! the list is in stream 0, not null from level 1 on; its items are in stream 1, from level 2 on
//! ```

use arrow_schema::{DataType, Field, Fields};
use parquet::basic::Repetition;
use parquet::schema::types::{SchemaDescriptor, Type};

use crate::formats::parquet::schema::{Element, SchemaLeaf};
use crate::formats::parquet::types;
use crate::formats::parquet::types::Physical;

use super::column_plan::{ColumnPlan, column_plan};
use super::conversion::FlatLeaf;
use super::leaf_type::default_type;
use super::level_streams::MaxLevels;
use super::names::items_of;
use super::structure::{self, wrapped_item};

/// The `parquet` crate's reader decodes columns with levels above this.
pub(crate) const MAX_LEVEL: u16 = 126;

/// A nested column.
#[derive(Debug, Clone)]
pub(crate) struct NestedShape {
    /// The root node.
    pub(crate) node: ShapeNode,
    /// Its leaves, in file order.
    pub(crate) leaves: Vec<LeafShape>,
    /// Number of lists.
    pub(crate) nlists: usize,
    /// Number of nullable nodes above the leaves.
    pub(crate) nnullables: usize,
}

/// A node of a nested column.
#[derive(Debug, Clone)]
pub(crate) enum ShapeNode {
    /// A leaf, by its number.
    Leaf(usize),
    /// A struct, or the entries of a map.
    Struct {
        /// Its type.
        data_type: DataType,
        /// Its number among the nullable nodes, if it is nullable.
        nullable: Option<usize>,
        /// Its fields.
        fields: Vec<ShapeNode>,
    },
    /// A list of any layout, or a map.
    List {
        /// Its type.
        data_type: DataType,
        /// Its number among the lists.
        list: usize,
        /// Its number among the nullable nodes, if it is nullable.
        nullable: Option<usize>,
        /// The same number; fixed-size lists have one even if they are required, because the file stores no items for a list
        /// below a null.
        presence: Option<usize>,
        /// Its items.
        items: Box<ShapeNode>,
    },
}

/// A leaf of a nested column.
#[derive(Debug, Clone)]
pub(crate) struct LeafShape {
    /// How its values are stored; optional if a slot may have no value.
    pub(crate) flat: FlatLeaf,
    /// The type of its values.
    pub(crate) data_type: DataType,
    /// Whether its type is an ordered categorical.
    pub(crate) ordered: bool,
    /// Whether the leaf itself is nullable; otherwise a value is missing only below a null of a parent node.
    pub(crate) is_nullable: bool,
    /// The maximum levels.
    pub(crate) most: MaxLevels,
    /// The lists that contain it, outermost first.
    pub(crate) lists: Vec<ListLevel>,
    /// Nullable nodes above it whose first leaf this is.
    pub(crate) nullables: Vec<NullableLevel>,
}

/// A list on the path to a leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListLevel {
    /// Its number.
    pub(crate) list: usize,
    /// The minimum definition level at which the list has an item.
    pub(crate) item: u16,
    /// Whether this leaf is the first of the list.
    pub(crate) first: bool,
}

/// A nullable node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NullableLevel {
    /// Its number.
    pub(crate) nullable: usize,
    /// The stream of its positions.
    pub(crate) stream: usize,
    /// The minimum definition level at which it is not null.
    pub(crate) valid_level: u16,
}

impl NestedShape {
    /// Returns the shape of the column `field` with the leaves `projection`; `None` if no decoder here reads one of the leaves, or
    /// if the field does not match the file's schema.
    pub(crate) fn of(
        schema: &SchemaDescriptor,
        field: &Field,
        elements: &[Element<'_>],
        leaves: &[SchemaLeaf],
        projection: &[usize],
    ) -> Option<Self> {
        let [column] = schema.root_schema().get_fields() else { return None };
        let mut elements =
            projection.iter().map(|&leaf| leaves.get(leaf).and_then(|leaf| elements.get(leaf.element)));
        let mut builder = ShapeBuilder {
            next: &mut || elements.next().flatten().copied(),
            leaves: Vec::new(),
            nlists: 0,
            nnullables: 0,
            nullables: Vec::new(),
            nled: 0,
        };
        let node = builder.node(column, field, &NodeLevels::default(), false)?;
        let ShapeBuilder { leaves, nlists, nnullables, .. } = builder;
        (leaves.len() == projection.len()).then_some(Self { node, leaves, nlists, nnullables })
    }
}

/// The definition level and the lists on the path to a node.
#[derive(Debug, Clone, Default)]
struct NodeLevels {
    definition: u16,
    lists: Vec<(usize, u16)>,
}

impl NodeLevels {
    fn deeper(&self, optional: bool) -> Self {
        Self { definition: self.definition + u16::from(optional), lists: self.lists.clone() }
    }
}

struct ShapeBuilder<'e> {
    /// Yields the schema elements of the leaves in order.
    next: &'e mut dyn FnMut() -> Option<Element<'e>>,
    leaves: Vec<LeafShape>,
    nlists: usize,
    nnullables: usize,
    /// Nullable nodes whose first leaf is still to come.
    nullables: Vec<NullableLevel>,
    /// Number of lists that have a leaf already.
    nled: usize,
}

impl ShapeBuilder<'_> {
    /// Builds the node `found` for `field`. `item`: the node is itself the repeated item of a list.
    fn node(&mut self, found: &Type, field: &Field, at: &NodeLevels, item: bool) -> Option<ShapeNode> {
        let arrow_type = field.data_type();
        let repetition = if item { Repetition::REQUIRED } else { structure::repetition(found) };
        if repetition == Repetition::REPEATED {
            // A repeated field without a LIST annotation is a list of required items.
            let items = items_of(arrow_type)?;
            return self.list(arrow_type, None, at, |builder, at| builder.node(found, items, at, true));
        }
        let at = at.deeper(repetition == Repetition::OPTIONAL);
        let optional = (repetition == Repetition::OPTIONAL).then_some(at.definition);
        if found.is_primitive() {
            return self.leaf(field, &at, optional.is_some());
        }
        match arrow_type {
            DataType::Struct(fields) => self.record(found, arrow_type, fields, optional, &at),
            DataType::Map(entries, _) => {
                let DataType::Struct(pair) = entries.data_type() else { return None };
                let repeated = only(found.get_fields())?;
                if repeated.is_primitive() || pair.len() != 2 {
                    return None;
                }
                self.list(arrow_type, optional, &at, |builder, at| {
                    builder.record(repeated, entries.data_type(), pair, None, at)
                })
            }
            _ => {
                let field = items_of(arrow_type)?;
                let repeated = only(found.get_fields())?;
                if structure::repetition(repeated) != Repetition::REPEATED {
                    return None;
                }
                let (items, is_item) = match wrapped_item(repeated) {
                    Some(items) => (items, false),
                    None => (&**repeated, true),
                };
                self.list(arrow_type, optional, &at, |builder, at| builder.node(items, field, at, is_item))
            }
        }
    }

    fn nullable(&mut self, valid_level: Option<u16>, at: &NodeLevels) -> Option<usize> {
        let valid_level = valid_level?;
        let nullable = self.nnullables;
        self.nnullables += 1;
        self.nullables.push(NullableLevel { nullable, stream: at.lists.len(), valid_level });
        Some(nullable)
    }

    fn record(
        &mut self,
        found: &Type,
        arrow_type: &DataType,
        fields: &Fields,
        optional: Option<u16>,
        at: &NodeLevels,
    ) -> Option<ShapeNode> {
        if found.is_primitive() || found.get_fields().len() != fields.len() || fields.is_empty() {
            return None;
        }
        let nullable = self.nullable(optional, at);
        let pairs = found.get_fields().iter().zip(fields);
        let fields = pairs.map(|(found, arrow_type)| self.node(found, arrow_type, at, false));
        Some(ShapeNode::Struct {
            fields: fields.collect::<Option<_>>()?,
            data_type: arrow_type.clone(),
            nullable,
        })
    }

    fn list(
        &mut self,
        arrow_type: &DataType,
        optional: Option<u16>,
        at: &NodeLevels,
        items: impl FnOnce(&mut Self, &NodeLevels) -> Option<ShapeNode>,
    ) -> Option<ShapeNode> {
        let nullable = self.nullable(optional, at);
        let fixed = matches!(arrow_type, DataType::FixedSizeList(..));
        let presence = match nullable {
            Some(nullable) => Some(nullable),
            None => self.nullable(fixed.then_some(at.definition), at),
        };
        let list = self.nlists;
        self.nlists += 1;
        let mut below = at.deeper(true);
        below.lists.push((list, below.definition));
        let items = Box::new(items(self, &below)?);
        Some(ShapeNode::List { data_type: arrow_type.clone(), list, nullable, presence, items })
    }

    fn leaf(&mut self, field: &Field, at: &NodeLevels, is_nullable: bool) -> Option<ShapeNode> {
        let (arrow_type, ordered) = (field.data_type(), field.dict_is_ordered() == Some(true));
        let element = (self.next)()?;
        let physical = Physical::from_number(element.physical?, element.length)?;
        let field = Field::new("", arrow_type.clone(), true);
        let way = types::conversion_of(&field, physical, element.logical.as_ref(), element.converted);
        let way = way.or_else(|| {
            (*arrow_type == default_type(&element, physical)).then_some(types::LeafConversion::Same)
        })?;
        let slot = at.lists.last().map_or(0, |(_, item)| *item);
        let flat = FlatLeaf { physical, optional: at.definition > slot, way };
        let lists = at.lists.iter();
        let lists = lists.map(|&(list, item)| ListLevel { list, item, first: list >= self.nled });
        let lists: Vec<ListLevel> = lists.collect();
        self.nled = self.nlists;
        let repetition = u16::try_from(lists.len()).ok()?;
        if at.definition > MAX_LEVEL || repetition > MAX_LEVEL || !is_read(arrow_type, &flat) {
            return None;
        }
        let most = MaxLevels { definition: at.definition, repetition };
        let nullables = std::mem::take(&mut self.nullables);
        self.leaves.push(LeafShape {
            flat,
            data_type: arrow_type.clone(),
            ordered,
            is_nullable,
            most,
            lists,
            nullables,
        });
        Some(ShapeNode::Leaf(self.leaves.len() - 1))
    }
}

/// Whether the decoders here read values of this type in their stored form.
fn is_read(arrow_type: &DataType, flat: &FlatLeaf) -> bool {
    match arrow_type {
        DataType::Dictionary(_, values) => {
            matches!(column_plan(values, flat), ColumnPlan::Text | ColumnPlan::Fixed(_))
        }
        _ => column_plan(arrow_type, flat) != ColumnPlan::Nested,
    }
}

fn only(fields: &[std::sync::Arc<Type>]) -> Option<&std::sync::Arc<Type>> {
    match fields {
        [one] => Some(one),
        _ => None,
    }
}
