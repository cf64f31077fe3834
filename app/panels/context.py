"""What every page starts from: the run on screen, its one selection, the way to the Walkthrough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self, cast

import streamlit as st

from glassformer.app.plots.labels import visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Kind
from glassformer.core.explain.steps.places import Chosen, Places, in_heads
from glassformer.core.explain.steps.steps import list_steps, step_of
from glassformer.core.explain.steps.wires import Wire
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.address import Address
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.trace import Trace

PAGE = "app/pages/walkthrough/page.py"


@dataclass(frozen=True)
class PanelContext:
    """The state, the run and the reader's look; a page's own focus adds what it reads off them."""

    now: State
    trace: Trace
    look: FigureStyle

    @classmethod
    def current(cls) -> Self:
        """The focus of this session."""
        return cls(store.get_state(), on_screen.trace_on_screen(), current_look())

    @property
    def model(self) -> Transformer:
        """The model that made the run."""
        return on_screen.model_on_screen().transformer

    @cached_property
    def places(self) -> Places:
        """The cell of every tensor that belongs to the selection."""
        now = self.now
        words: dict[str, int] = dict([now.token]) if now.token else {}
        kind, pair = cast(Kind, now.kind), {"query": now.query, "key": now.key}
        chosen = Chosen(**words, **pair, kind=kind, head=now.head, feature=now.feature)
        return Places(self.trace, chosen)

    def shape(self, address: str) -> str:
        """The address and the shape of a tensor, for the line in small type."""
        sizes = " × ".join(map(str, self.trace[address].shape))
        return f"`{address}` ({' × '.join(shape_letters(address, self.trace.config))}) = {sizes}"


def numbered_words(words: Sequence[str], first: int = 1) -> str:
    """Words behind the numbers that stand on an axis for them, as markdown."""
    return " · ".join(f"{at} {literal(visible(word))}" for at, word in enumerate(words, first))


def fields_of_cell(trace: Trace, wire: Wire, at: Mapping[str, int]) -> dict[str, object]:
    """The fields of the state that a cell of a wire stands for: its place on each axis, by name."""
    found: dict[str, object] = {}
    if "head" in at:
        found["head"] = at["head"]
    for axis in ("feature", "head_feature", "hidden"):
        if axis in at:
            found["feature"] = at[axis]
    if "feature" in at and in_heads(wire):
        found["head"], found["feature"] = divmod(at["feature"], trace.config.of(wire.address).d_k)
    return found | _words(Address.of(wire.address), at)


def _words(address: Address, at: Mapping[str, int]) -> dict[str, object]:
    """Words and pairs: a map's cell is a pair, a row of anything else is a word."""
    now = store.get_state()
    kind = address.kind
    if address.is_attention and {"query", "key"} & set(at):
        kept = {"query": now.query, "key": now.key} if kind == now.kind else {}
        row = at.get("query", kept.get("query"))
        token = now.token if row is None else (address.side, row)
        return {**kept, "kind": kind, "token": token,
                **{name: at[name] for name in ("query", "key") if name in at}}  # fmt: skip
    if "position" not in at:
        return {}
    side, place = address.side, at["position"]
    # The pair that the selection holds moves with the word where it can.
    if side == "source" and now.kind == "cross":
        return {"token": (side, place), "key": place}
    mine = now.kind == "encoder" if side == "source" else now.kind != "encoder"
    return {"token": (side, place), "query": place if mine else now.query}


def walk_button(trace: Trace, address: str, name: str, /, **selection: object) -> None:
    """Draw the button that opens the Walkthrough at a tensor's step; nothing where it has none.

    name: the button's key, unique on the page. selection: what to choose there, as fields of the
    state.
    """
    step = step_of(list_steps(trace), address)
    if step is not None and st.button(
        say("frame.to_walkthrough"),
        key=name,
        help=say("frame.to_walkthrough_help"),
        type="tertiary",
        icon=":material/footprint:",
    ):
        store.update(walk=step.id, address=address, **selection)
        st.switch_page(PAGE)
