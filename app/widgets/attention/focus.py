"""What the panels of the attention page share: the head in focus, its name, what is pinned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from app import state
from app.widgets.focus import OnScreen
from app.widgets.pick import into, segments
from app.words import say
from core.reading.attention_views import (
    HeadMap,
    Kind,
    Side,
    Stage,
    attention_at,
    head_map,
    sides,
    strongest_cell,
)


@dataclass(frozen=True)
class Focus(OnScreen):
    """One head at one stage, with everything that the panels draw of it."""

    @property
    def kind(self) -> Kind:
        """Encoder, decoder or cross: `State` lets nothing else in."""
        return cast(Kind, self.now.kind)

    @property
    def stage(self) -> Stage:
        """The stage in the picture: lines always show the weights."""
        return cast(Stage, self.now.stage) if self.now.view == "matrix" else "weights"

    @property
    def address(self) -> str:
        """Where the picture's tensor is recorded."""
        return f"{attention_at(self.kind, self.now.layer)}/{self.stage}"

    @cached_property
    def view(self) -> HeadMap:
        """The numbers of the picture."""
        now = self.now
        return head_map(self.trace, self.kind, now.layer, now.head, self.stage)

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """The words down and across."""
        return sides(self.trace, self.kind)

    @property
    def pinned(self) -> tuple[int, int] | None:
        """(query, key) that the reader pinned."""
        if self.now.query is None or self.now.key is None:
            return None
        return self.now.query, self.now.key

    @cached_property
    def cell(self) -> tuple[int, int]:
        """(query, key) to spell out: the pinned one, or the strongest as an example."""
        return self.pinned or strongest_cell(self.view.weights, *self.sides)

    @property
    def words(self) -> tuple[str, str]:
        """The two words of the cell."""
        query, key = self.cell
        return self.sides[0].labels[query], self.sides[1].labels[key]

    @property
    def name(self) -> str:
        """The name of what the picture shows."""
        if self.now.view == "heads":
            return say("attention.name_heads", layer=self.now.layer + 1)
        return head_name(self.now.layer, self.now.head)


def head_name(layer: int, head: int | None) -> str:
    """The name of a head, or of the mean of a layer's; counted from 1."""
    if head is None:
        return say("attention.name_mean", layer=layer + 1)
    return say("attention.name", layer=layer + 1, head=head + 1)


def pin(query: int, key: int) -> None:
    """Pin a cell; the pinned one is released."""
    now = state.get_state()
    if (now.query, now.key) == (query, key):
        state.update(query=None, key=None)
    else:
        state.update(query=query, key=key)


def choice(name: str, options: tuple[str, ...], key: str = "attention", **looks: Any) -> None:
    """A picker whose value is the field of the state of that name; arguments as of `segments`."""
    labels = {option: say(f"attention.{name}_{option}") for option in options}
    value = getattr(state.get_state(), name)
    segments(f"{key}_{name}", say(f"attention.{name}"), labels, value, into(name), **looks)
