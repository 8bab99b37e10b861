//! Parsed values give the same columns as the same MessagePack cells, mixed cells included.

use super::super::node_table::{NodeCell, WalkCells, infer_columns};
use super::super::nodes::{NodeValue, Nodes, packed_nbytes};
use super::*;

use NodeValue::{Bool, Float, Int, List, Map, Null, Text, UInt};

/// Cells as nodes and as MessagePack.
const CELLS: [(&[NodeValue<'static>], &[u8]); 15] = [
    (&[Null], b"\xc0"),
    (&[Bool(true)], b"\xc3"),
    (&[Int(-5)], b"\xfb"),
    (&[Int(7)], b"\x07"),
    (&[Int(9_007_199_254_740_993)], b"\xcf\x00\x20\0\0\0\0\0\x01"),
    (&[UInt(u64::MAX)], b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff"),
    (&[Float(1.5)], b"\xcb\x3f\xf8\0\0\0\0\0\0"),
    (&[Text("x\n")], b"\xa2x\n"),
    (&[List(0)], b"\x90"),
    (&[List(3), Int(1), Null, Float(2.5)], b"\x93\x01\xc0\xcb\x40\x04\0\0\0\0\0\0"),
    (&[List(1), Text("y")], b"\x91\xa1y"),
    (&[Map(0)], b"\x80"),
    (&[Map(2), Text("a"), Int(1), Text("b"), List(1), Map(0)], b"\x82\xa1a\x01\xa1b\x91\x80"),
    (&[Map(2), Text("b"), Null, Text("c"), Text("z")], b"\x82\xa1b\xc0\xa1c\xa1z"),
    (&[Map(1), Int(3), Int(4)], b"\x81\x03\x04"),
];

struct NodeList(Vec<NodeValue<'static>>);

impl Nodes for NodeList {
    fn value(&self, i: usize) -> crate::Result<NodeValue<'_>> {
        Ok(self.0[i])
    }

    fn next_after(&self, i: usize) -> usize {
        let inside = match self.0[i] {
            List(n) => n,
            Map(n) => 2 * n,
            _ => 0,
        };
        (0..inside).fold(i + 1, |at, _| self.next_after(at))
    }
}

struct OneColumn(Vec<Option<usize>>);

impl WalkCells for OneColumn {
    fn walk(&mut self, each: &mut dyn FnMut(NodeCell) -> crate::Result<()>) -> crate::Result<()> {
        let cells = self.0.iter().enumerate();
        cells.filter_map(|(row, node)| node.map(|node| NodeCell { column: 0, row, node })).try_for_each(each)
    }

    fn width(&self) -> usize {
        1
    }
}

#[test]
fn nodes_give_the_columns_of_msgpack_cells() {
    let n = CELLS.len();
    for code in 0..n * n * n * n {
        let chosen = [code % n, code / n % n, code / n / n % n, code / n / n / n].map(|i| CELLS[i]);
        let bytes: Vec<u8> = chosen.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        let expected = shown(&whole(&bytes, 4, &options()).unwrap());
        let mut nodes = Vec::new();
        let mut cells = Vec::new();
        for (cell, bytes) in chosen {
            // A null is also a row without a cell.
            cells.push((bytes != b"\xc0" || code % 2 == 0).then_some(nodes.len()));
            nodes.extend(cell);
        }
        let nodes = NodeList(nodes);
        let found = infer_columns(&nodes, 4, &mut OneColumn(cells)).unwrap();
        assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), [expected], "{chosen:?}");
        assert_eq!(packed_nbytes(&nodes, 0..nodes.0.len()).unwrap(), bytes.len() as u64);
    }
}

#[test]
fn columns_without_cells_are_null() {
    let nodes = NodeList(Vec::new());
    let found = infer_columns(&nodes, 3, &mut OneColumn(vec![None; 3])).unwrap();
    assert_eq!(
        found.iter().map(shown).collect::<Vec<_>>(),
        [shown(&whole(b"\xc0\xc0\xc0", 3, &options()).unwrap())]
    );
}
