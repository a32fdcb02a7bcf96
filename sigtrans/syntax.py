"""The only module that imports tree_sitter."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree


@lru_cache(maxsize=None)
def _language(name: str) -> Language:
    from tree_sitter import Language

    return Language(importlib.import_module(f"tree_sitter_{name}").language())


def parse(language: str, data: bytes) -> Tree:
    """Syntax tree of `data`; `language` is one of cuda, cmake, make, python. Never raises."""
    from tree_sitter import Parser

    return Parser(_language(language)).parse(data)


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it, in source order; not recursive, so depth is no limit."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))
