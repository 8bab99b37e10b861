"""Writes all changes of a source file into it, each behind a switch.

`a < b` becomes an expression that compares by `<`, or by `<=` if that change is on. So one build has every change, and
a test of one takes as long as the tests, not as long as a build. Changes that do not compile are taken out by the
errors of the compiler: comments around each change say where it is.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

PARSER = Parser(Language(tree_sitter_rust.language()))
# What a compiler evaluates, where no switch can be.
CONSTANT = {
    "const_item",
    "static_item",
    "const_block",
    "array_type",
    "enum_variant",
    "type_arguments",
    "attribute_item",
}
COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
MARK = re.compile(rb"/\*(<?)([SM])(\d+)(>?)\*/")


@dataclass
class Change:
    """One change of `cargo mutants --list`."""

    number: int
    genre: str
    at: int
    replacement: str


@dataclass
class Source:
    """A file and its changes by place."""

    text: bytes
    changes: dict[tuple[str, int], list[Change]] = field(default_factory=lambda: defaultdict(list))
    woven: set[int] = field(default_factory=set)

    def add(self, number: int, mutant: dict) -> None:
        """Takes one entry of the list."""
        line, column = mutant["span"]["start"]["line"], mutant["span"]["start"]["column"]
        lines = self.text.split(b"\n")
        at = sum(len(each) + 1 for each in lines[: line - 1]) + len(lines[line - 1].decode()[: column - 1].encode())
        genre = mutant["genre"]
        self.changes[genre, at].append(Change(number, genre, at, mutant["replacement"]))

    def weave(self, dropped: set[int]) -> bytes:
        """The file with all changes that are not dropped. `woven` has their numbers."""
        self.woven = set()
        kept = {
            place: left
            for place, changes in self.changes.items()
            if (left := [change for change in changes if change.number not in dropped])
        }
        return Weaver(self, kept).render(PARSER.parse(self.text).root_node)


class Weaver:
    """One pass over a syntax tree."""

    def __init__(self, source: Source, changes: dict[tuple[str, int], list[Change]]) -> None:
        self.source = source
        self.changes = changes
        self.places = sorted({at for _, at in changes})

    def render(self, node: Node) -> bytes:
        """The text of a node with its changes."""
        text = self.source.text
        first = bisect_left(self.places, node.start_byte)
        if first == len(self.places) or self.places[first] >= node.end_byte or is_constant(node):
            return text[node.start_byte : node.end_byte]
        match node.type:
            case "binary_expression":
                return self.binary(node)
            case "compound_assignment_expr":
                return self.assignment(node)
            case "unary_expression":
                return self.unary(node)
            case "match_arm":
                return self.arm(node)
            case "field_initializer":
                return self.initializer(node)
        return self.children(node)

    def children(self, node: Node, instead: dict[int, bytes] | None = None) -> bytes:
        """A node whose children are rendered, some of them replaced by `instead`, by their identity."""
        out, at = [], node.start_byte
        for child in node.children:
            out.append(self.source.text[at : child.start_byte])
            if node.type == "block":
                out.append(self.returns(child.start_byte))
            out.append((instead or {}).get(child.id) or self.render(child))
            at = child.end_byte
        out.append(self.source.text[at : node.end_byte])
        return b"".join(out)

    def take(self, genre: str, at: int) -> list[Change]:
        """The changes of one kind at a place, which are woven in from then on."""
        changes = self.changes.get((genre, at), [])
        self.source.woven.update(change.number for change in changes)
        return changes

    def returns(self, at: int) -> bytes:
        """Statements that return another value, before the first one of a body."""
        return b"".join(
            marked("M", each.number, f"if {on(each)} {{ return {each.replacement}; }} ".encode())
            for each in self.take("FnValue", at)
        )

    def binary(self, node: Node) -> bytes:
        """An operator with two operands."""
        left, operator, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
        changes = self.take("BinaryOperator", operator.start_byte)
        if not changes:
            return self.children(node)
        number, a, b = changes[0].number, self.render(left), self.render(right)
        if operator.type in ("&&", "||"):
            # By De Morgan the other operator is this one with all three negated. No operand is written twice.
            by = [change for change in changes if change.replacement in ("&&", "||")]
            if len(by) != len(changes) or not by:
                self.source.woven -= {change.number for change in changes}
                return self.children(node)
            flip = on(by[0]).encode()
            woven = b"(((%b) ^ %b) %b ((%b) ^ %b)) ^ %b" % (a, flip, operator.type.encode(), b, flip, flip)
            return marked("S", number, b"(" + woven + b")")
        by_reference = b"&" if operator.type in COMPARISONS else b""
        arms = choices(changes, operator.type, "mutant_a", "mutant_b")
        woven = b"(match (%b(%b), %b(%b)) { (mutant_a, mutant_b) => %b })" % (by_reference, a, by_reference, b, arms)
        return marked("S", number, woven)

    def assignment(self, node: Node) -> bytes:
        """An operator that assigns."""
        left, operator, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
        changes = self.take("BinaryOperator", operator.start_byte)
        if not changes:
            return self.children(node)
        place = self.source.text[left.start_byte : left.end_byte].decode()
        arms = choices(changes, operator.type, place, "mutant_b")
        woven = b"{ let mutant_b = %b; %b }" % (self.render(right), arms)
        return marked("S", changes[0].number, woven)

    def unary(self, node: Node) -> bytes:
        """`!` or `-`, which may be left out."""
        operator, operand = node.children[0], node.children[-1]
        changes = self.take("UnaryOperator", node.start_byte)
        if not changes:
            return self.children(node)
        woven = f"if {on(changes[0])} {{ mutant_a }} else {{ {operator.type} mutant_a }}".encode()
        return marked("S", changes[0].number, b"({ let mutant_a = %b; %b })" % (self.render(operand), woven))

    def arm(self, node: Node) -> bytes:
        """An arm of a match, which may be left out, and its guard."""
        pattern = node.child_by_field_name("pattern")
        guard = pattern.child_by_field_name("condition")
        changes = self.take("MatchArm", node.start_byte) or self.take("MatchArm", pattern.start_byte)
        guards = self.take("MatchArmGuard", guard.start_byte) if guard else []
        if not changes and not guards:
            return self.children(node)
        text = self.source.text
        condition = b"(" + self.render(guard) + b")" if guard else b"true"
        for change in guards:
            other = f"|| {on(change)}" if change.replacement == "true" else f"&& !{on(change)}"
            condition = marked("M", change.number, b"(%b %b)" % (condition, other.encode()))
        for change in changes:
            condition = marked("M", change.number, b"(%b && !%b)" % (condition, on(change).encode()))
        end = next(c for c in pattern.children if c.type == "if").start_byte if guard else pattern.end_byte
        woven = text[pattern.start_byte : end] + b" if " + condition
        return self.children(node, {pattern.id: woven})

    def initializer(self, node: Node) -> bytes:
        """A field of a struct, which may have the value of the base."""
        changes = self.take("StructField", node.start_byte)
        struct = node.parent.parent
        base = next((c for c in node.parent.children if c.type == "base_field_initializer"), None)
        if not changes or base is None or struct.type != "struct_expression":
            self.source.woven -= {change.number for change in changes}
            return self.children(node)
        text = self.source.text
        name = struct.child_by_field_name("name")
        value = node.child_by_field_name("value")
        field_name = node.child_by_field_name("field")
        woven = b"if %b { let mutant_a: %b = %b; mutant_a.%b } else { %b }" % (
            on(changes[0]).encode(),
            text[name.start_byte : name.end_byte],
            text[base.start_byte + 2 : base.end_byte],
            text[field_name.start_byte : field_name.end_byte],
            self.render(value),
        )
        return self.children(node, {value.id: marked("S", changes[0].number, woven)})


def is_constant(node: Node) -> bool:
    """Whether the compiler evaluates a node or a part of it, so that no switch can be there."""
    if node.type == "function_item":
        return any(c.type == "function_modifiers" and b"const" in c.text for c in node.children)
    if node.type == "array_expression":
        return node.child_by_field_name("length") is not None
    return node.type in CONSTANT


def on(change: Change) -> str:
    """Whether a change is on."""
    return f"crate::mutant({change.number})"


def choices(changes: list[Change], operator: str, a: str, b: str) -> bytes:
    """`a` and `b` by the operator that is on."""
    others = b"".join(
        marked("M", each.number, f"if {on(each)} {{ {a} {each.replacement} {b} }} else ".encode()) for each in changes
    )
    return others + f"{{ {a} {operator} {b} }}".encode()


def marked(kind: str, number: int, text: bytes) -> bytes:
    """Text between comments: a change (M), or the place of the changes that begin with this number (S)."""
    return f"/*<{kind}{number}*/".encode() + text + f"/*{kind}{number}>*/".encode()


def marks(text: bytes) -> list[tuple[int, int, str, int]]:
    """First and last byte, kind and number of all that is marked, the innermost first."""
    opened, found = [], []
    for mark in MARK.finditer(text):
        if mark[1]:
            opened.append((mark.start(), mark[2].decode(), int(mark[3])))
        else:
            start, kind, number = opened.pop()
            found.append((start, mark.end(), kind, number))
    return sorted(found, key=lambda each: each[1] - each[0])
