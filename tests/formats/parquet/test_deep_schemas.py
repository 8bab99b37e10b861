"""Schemas of many groups in each other, which no recursion may follow to the end of a thread's stack."""

import subprocess
import sys
from collections.abc import Callable

import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.parquet_bytes import OPTIONAL, REPEATED, REQUIRED
from tests.helpers.parquet_old_lists import group, leaf
from tests.helpers.parquet_records import LIST, Node, file_of

READ_IN_A_SMALL_STACK = """
import sys, threading
import colonnade as cn

def read():
    frame = cn.decode(sys.stdin.buffer.read(), "parquet")
    print(frame.shape)

threading.stack_size(1 << 20)
thread = threading.Thread(target=read)
thread.start()
thread.join()
"""


def in_structs(column: Node) -> Node:
    return group("x", REQUIRED, column)


def in_list(column: Node) -> Node:
    return group("x", OPTIONAL, group("list", REPEATED, column), word=LIST)


def in_old_list(column: Node) -> Node:
    return group("x", OPTIONAL, group("array", REPEATED, group("items", REPEATED, column)), word=LIST)


def record(node: Node) -> object:
    """One value of a column: lists have one item."""
    if not node.children:
        return 7
    return {child.name: [record(child)] if child.repetition == REPEATED else record(child) for child in node.children}


def nested(wrap: Callable[[Node], Node], times: int) -> bytes:
    column = leaf("x")
    for _ in range(times):
        column = wrap(column)
    return file_of([column], [{"x": record(column)}])


@each("wrap, times", [(in_structs, 128), (in_list, 64), (in_old_list, 42)])
def test_deep_types_are_read_in_small_stacks(wrap: Callable[[Node], Node], times: int) -> None:
    command = [sys.executable, "-c", READ_IN_A_SMALL_STACK]
    done = subprocess.run(command, input=nested(wrap, times), capture_output=True, check=False)
    assert done.stdout == b"(1, 1)\n", done.stderr


@each("wrap, times", [(in_structs, 129), (in_list, 65), (in_old_list, 43), (in_structs, 250)])
def test_deeper_schemas_are_refused(wrap: Callable[[Node], Node], times: int) -> None:
    with pytest.raises(cn.LimitError, match=r"the schema nests groups deeper than 128\. Flatten the column first\."):
        cn.decode(nested(wrap, times), "parquet")
