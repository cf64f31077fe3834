"""The component: recorded addresses as a searchable tree, each with its numbers in small."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.ui.component import component

_tree = component(__file__, "address_tree")


@dataclass(frozen=True)
class Line:
    """One address: what it is in words, and its numbers as they are written."""

    address: str
    words: str
    shape: str
    numbers: str  # extremes, mean, deviation
    memory: str
    spark: str  # a hexadecimal digit a bar; "" without
    role: str
    shared: bool  # takes no memory of its own


def address_tree(
    lines: Sequence[Line],
    places: Mapping[str, str],
    picked: str,
    on_pick: Callable[[str], None],
    texts: Mapping[str, str],
    key: str = "address_tree",
) -> None:
    """Draw the tree; `on_pick(address)` is called when a tensor is clicked.

    places: the name in words of every branch ("encoder/0": "Layer 1").
    texts: "search", "nothing", "shared", "legend", "tree". It fills the height of its container.
    """
    data = tree_data(lines, places, picked, texts)
    _tree(key, data, height="stretch", pick=lambda address: on_pick(str(address)))


def tree_data(
    lines: Sequence[Line],
    places: Mapping[str, str],
    picked: str,
    texts: Mapping[str, str],
) -> dict[str, Any]:
    """What is sent to the browser, as plain JSON; a line is a list, its names would double it."""
    return {
        "lines": [list(vars(line).values()) for line in lines],
        "places": dict(places),
        "picked": picked,
        "texts": dict(texts),
    }
