"""What the panels of the attention page share: the head in focus, its name, what is pinned."""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from glassformer.app.panels.compare.pickers import stage_in_view
from glassformer.app.panels.context import PanelContext
from glassformer.app.plots.labels import visible
from glassformer.app.runs import on_screen
from glassformer.app.runs.models import get_heads
from glassformer.app.session import store
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import (
    LONG,
    HeadMap,
    Kind,
    Side,
    Stage,
    attention_at,
    attention_sides,
    head_map,
    kinds_of,
    strongest_cell,
    strongest_partner,
)
from glassformer.core.analysis.head_roles import (
    CLEAR,
    MeasuredHead,
    best_by_role,
    clearest_head,
    pronouns,
)
from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.trace.trace import Trace

WINDOW = 64  # rows, and columns, of a map that is longer than `LONG`


@dataclass(frozen=True)
class AttentionFocus(PanelContext):
    """One head at one stage, with everything that the panels draw of it."""

    @property
    def kind(self) -> Kind:
        """Encoder, decoder or cross: `State` lets nothing else in."""
        return cast(Kind, self.now.kind)

    @property
    def stage(self) -> Stage:
        """The stage in the picture: lines always show the weights."""
        return stage_in_view(self.trace, self.now) if self.now.view == "matrix" else "weights"

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
        return attention_sides(self.trace, self.kind)

    @cached_property
    def window(self) -> tuple[range, range]:
        """Which rows and columns of a long map are drawn: all of a short one."""
        longest = max(len(side.tokens) for side in self.sides)
        if longest <= LONG:
            return range(len(self.sides[0].tokens)), range(len(self.sides[1].tokens))
        asked = dict(self.now.part)
        rows, columns = (
            _window(len(side.tokens), asked.get(axis), at)
            for side, axis, at in zip(self.sides, ("query", "key"), self.cell, strict=True)
        )
        return rows, columns

    @property
    def config(self) -> ModelConfig:
        """Of the stack whose attention this is."""
        return self.trace.config.of(self.kind)

    @property
    def group(self) -> range:
        """The heads that share keys and values with the one in focus; itself alone in the paper."""
        config, head = self.config, self.now.head or 0
        size = config.n_heads // config.key_heads
        return range(head // size * size, (head // size + 1) * size)

    @cached_property
    def role(self) -> tuple[str, MeasuredHead] | None:
        """The role that the head in focus was measured to play most of all heads, and clearly.

        The first of several; None for the mean of a layer and for heads that play none.
        """
        direction, place = self.trace.direction, (self.kind, self.now.layer, self.now.head)
        for role, head in best_by_role(measured_heads(), direction).items():
            if (head.kind, head.layer, head.head) == place and head.roles[direction][role] >= CLEAR:
                return role, head
        return None

    @property
    def pinned(self) -> tuple[int, int] | None:
        """(query, key) that the reader pinned."""
        if self.now.query is None or self.now.key is None:
            return None
        return self.now.query, self.now.key

    @cached_property
    def cell(self) -> tuple[int, int]:
        """(query, key) to spell out: the pinned one, or the most telling as an example."""
        if (asked := self.pinned or self.of_pronoun) is not None:
            return asked
        rows, columns = self.sides
        if self.kind == "decoder" and not rows.writes and len(rows.tokens) > 1:
            rows = replace(rows, sinks=rows.sinks | {0})  # it has nothing but itself to look at
        return strongest_cell(self.view.weights, rows, columns)

    @cached_property
    def of_pronoun(self) -> tuple[int, int] | None:
        """The last pronoun and what it looks at, in the head that is there for that."""
        there = self.role is not None and self.role[0] == "antecedent"
        rows = pronouns(self.trace.source_tokens) if there else []
        return (rows[-1], strongest_partner(self.view.weights, query=rows[-1])) if rows else None

    @property
    def words(self) -> tuple[str, str]:
        """The two words of the cell, for a sentence."""
        query, key = self.cell
        return self.row_in_words(query), visible(self.sides[1].tokens[key])

    def row_in_words(self, query: int) -> str:
        """Who looks: a word, or the writing of one, which has read the one before."""
        rows = self.sides[0]
        read = visible(rows.tokens[query])
        if not rows.writes:
            return read
        return say("attention.writing", written=visible(rows.writes[query]), read=read)

    @property
    def name(self) -> str:
        """The name of what the picture shows."""
        if self.now.view == "heads":
            return say("attention.name_heads", layer=self.now.layer + 1)
        return head_name(self.now.layer, self.now.head)


def _window(length: int, asked: int | None, place: int) -> range:
    """So many places from the asked one, or the piece of the text with the place in focus."""
    start = (
        asked if asked is not None and asked in piece_starts(length) else place // WINDOW * WINDOW
    )
    return range(start, min(start + WINDOW, length))


def piece_starts(length: int) -> range:
    """Where the pieces of a long text begin."""
    return range(0, length, WINDOW)


def head_name(layer: int, head: int | None) -> str:
    """The name of a head, or of the mean of a layer's; counted from 1."""
    if head is None:
        return say("attention.name_mean", layer=layer + 1)
    return say("attention.name", layer=layer + 1, head=head + 1)


def pin_cell(query: int, key: int) -> None:
    """Pin a cell; the pinned one is released."""
    now = store.get_state()
    held = (now.query, now.key) == (query, key)
    store.update(query=None if held else query, key=None if held else key)


def first_head(trace: Trace) -> tuple[Kind, int, int | None]:
    """Kind, layer and head that show most of a sentence; without measures a layer's mean."""
    found = clearest_head(measured_heads(), trace.direction, trace.source_tokens)
    if found is None:
        return kinds_of(trace.config)[0], 0, None
    return found.kind, found.layer, found.head


def measured_heads() -> tuple[MeasuredHead, ...]:
    """What was measured of the heads of the model on screen; () where nothing was."""
    with suppress(GlassformerError):  # a run of another model's
        return get_heads(on_screen.made_by()[0])
    return ()
