"""Masks: who may look at whom, painted cell by cell, drawn by presets, switched as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Self

import streamlit as st
from torch import Tensor

from app.pages.switch.mask_grid import MaskGrid, Stroke, mask_grid
from app.panels.attention.focus import AttentionFocus
from app.plots.labels import format_percent, visible
from app.runs import on_screen
from app.session import experiments, store
from app.session.state import KINDS
from app.ui.chart import current_look
from app.ui.layout import box
from app.ui.pick import into, menu, segments
from app.ui.text import literal
from app.words import say
from core.analysis.attention_views import Kind, attention_at, layers_of
from core.errors import GlassformerError
from core.interventions import Experiment
from core.interventions.masks import (
    DECODER_SELF,
    Band,
    Causal,
    Fill,
    Lines,
    MaskView,
    PaddingOff,
    mask_view,
    only_itself,
    only_neighbours,
)
from core.interventions.painting import covered, is_drawn, restored, stroked, with_band
from core.interventions.parts import OfHeads, extent
from core.interventions.switch import Switch
from core.trace.trace import Trace

NAMES = (
    "hide", "hide_help", "show", "show_help", "clear", "clear_help", "strokes", "brushes",
    "cell", "cell_help", "row", "row_help", "column", "column_help", "band", "band_help",
    "across", "down", "whole_row", "whole_column", "allowed", "forbidden", "mixed", "changed",
    "pair", "weight",
)  # fmt: skip
PRESETS = {"itself": only_itself, "neighbours": only_neighbours}
# What they are called there: a word of the translation is no neighbour of one of the source.
IN_CROSS = {"itself": "itself_cross", "neighbours": "neighbours_cross"}
# How a hidden score is written by each fill.
FILLS = {"large_negative": "−10⁹", "minus_infinity": "−∞", "additive": "−∞"}
# The switch that makes the causal mask of a kind other than it is by itself.
CAUSAL = {
    "decoder": Causal(DECODER_SELF, on=False),
    "encoder": Causal("encoder/*/self_attention", on=True),
    "cross": Causal("decoder/*/cross_attention", on=True),
}
ALL = -1  # the picker's value for all heads


@dataclass(frozen=True)
class MaskFocus(AttentionFocus):
    """The mask of one attention: of one head, or of all heads of the layer.

    trace: the run that the switches act on, also where the plain one is on screen. plain: the run
    without them, whose lengths painted cells must fit.
    """

    plain: Trace

    @classmethod
    def current(cls) -> Self:
        """The focus of this session."""
        pair, after = on_screen.pair(), on_screen.trace()
        before = after
        if pair is not None and pair.kind == "experiment":
            before, after = pair.first, pair.second
        return cls(store.get_state(), after, current_look(), before)

    @property
    def place(self) -> str:
        """The attention, such as `decoder/1/cross_attention`."""
        return attention_at(self.kind, self.now.layer)

    @property
    def heads(self) -> tuple[int, ...]:
        """The head in focus; () for all of them."""
        return () if self.now.head is None else (self.now.head,)

    @property
    def lengths(self) -> tuple[int, int]:
        """Source and target tokens that a mask may have: those on screen and in the plain run."""
        runs = (self.trace, self.plain)
        source = min(len(run.source_tokens) for run in runs)
        return source, min(len(run.target_tokens) for run in runs)

    @property
    def limit(self) -> tuple[int, int]:
        """Rows and columns that can be painted."""
        return extent(self.place, *self.lengths)

    @cached_property
    def mask(self) -> MaskView:
        """The mask as it was in the run."""
        return mask_view(self.trace, self.place, self.heads)


def show() -> None:
    """Draw the group for the attention in focus."""
    focus = MaskFocus.current()
    with box("small dense", "masks", gap="xsmall"):
        _pickers(focus)
        _title(focus)
        with box("fill", "mask_box", gap=None):
            _grid(focus)
        _presets(focus)
        _quick(focus)
        _fill(focus)
        with box("rows-3", "mask_told", gap="xxsmall"):
            _told(focus)


def _pickers(focus: MaskFocus) -> None:
    """Kind, layer and head, on one line."""
    now, trace = focus.now, focus.trace

    def take_kind(kind: Kind) -> None:
        store.update(kind=kind, layer=min(now.layer, layers_of(trace, kind) - 1))

    def take_head(head: int) -> None:
        store.update(head=None if head == ALL else head)

    kinds = {kind: say(f"masks.kind_{kind}") for kind in KINDS}
    count = layers_of(trace, focus.kind)
    layers = {layer: say("masks.layer_of", layer=layer + 1) for layer in range(count)}
    heads = {head: say("masks.head_of", head=head + 1) for head in range(trace.config.n_heads)}
    heads = {ALL: say("masks.head_all"), **heads}
    head = ALL if now.head is None else now.head
    with st.container(key="mask_pickers", horizontal=True, gap="xsmall"):
        segments("mask_kind", say("masks.kind"), kinds, now.kind, take_kind)
        menu("mask_layer", say("masks.layer"), layers, now.layer, into("layer"))
        menu("mask_head", say("masks.head"), heads, head, take_head)


def _title(focus: MaskFocus) -> None:
    shape = " × ".join(map(str, focus.trace[f"{focus.place}/mask"].shape))
    labels = {meaning: say(f"masks.ones_{meaning}") for meaning in ("look", "hidden")}
    with st.container(key="mask_title", horizontal=True, gap="small"):
        address = f":small[:gray[`{focus.place}/mask` (B × H × T × S) = {shape}]]"
        st.markdown(f"**{say('masks.title')}**  \n{address}", width="stretch")
        segments("mask_ones_mean", say("masks.ones"), labels, focus.now.ones, into("ones"))


def _grid(focus: MaskFocus) -> None:
    now, (rows, columns) = focus.now, focus.sides
    texts = {name: say(f"masks.{name}") for name in NAMES}
    shown = (len(rows.tokens), len(columns.tokens))
    texts["hint"] = say("masks.hint" if focus.limit == shown else "masks.beyond")
    kind = say(f"masks.kind_{focus.kind}")
    texts["label"] = say("masks.label", attention=kind, rows=shown[0], columns=shown[1])

    def take_tool(chosen: Mapping[str, str]) -> None:
        store.update(**chosen)

    mask_grid(
        MaskGrid(
            view=focus.mask,
            sides=focus.sides,
            place=focus.place,
            heads=focus.heads,
            limit=focus.limit,
            brush=now.brush,
            stroke=now.stroke,
            ones=now.ones,
            revision=store.memory().mask_painted,
            texts=texts,
        ),
        focus.look,
        on_paint=paint,
        on_tool=take_tool,
    )


def paint(strokes: Sequence[Stroke]) -> None:
    """Put new strokes into the experiment; those that the browser sends again are known.

    The next stroke may interrupt this callback wherever it reads the session: a stroke counts as
    known once it is painted, and what was cut off comes again with the next one.
    """
    focus = MaskFocus.current()
    for each in strokes:
        if each.number > store.memory().mask_painted:
            _paint(focus, each)
            store.memory().mask_painted = each.number


def _paint(focus: MaskFocus, stroke: Stroke) -> None:
    config = focus.plain.config
    try:
        OfHeads(stroke.place, stroke.heads).check(config, *focus.lengths)
    except GlassformerError:
        return  # of a model that is no longer on screen
    size = extent(stroke.place, *focus.lengths)
    cells = covered(stroke.brush, stroke.first, stroke.last, size)
    experiments.put(
        stroked(experiments.now(), config, stroke.place, stroke.heads, cells, stroke.stroke, size)
    )


def _presets(focus: MaskFocus) -> None:
    """What can be drawn at a click."""
    called = IN_CROSS if focus.kind == "cross" else {name: name for name in PRESETS}
    config, where = focus.plain.config, (focus.place, focus.heads)

    def draw(preset: str) -> None:
        band: Band = PRESETS[preset](*where)
        experiments.put(with_band(experiments.now(), config, band))

    def restore() -> None:
        experiments.put(restored(experiments.now(), config, *where))

    with st.container(key="mask_presets", horizontal=True, gap="xsmall"):
        for name in PRESETS:
            _button(name, partial(draw, name), called[name])
        _button("as_it_was", restore, disabled=not is_drawn(experiments.now(), config, *where))


def _button(name: str, act: Callable[[], None], said: str = "", disabled: bool = False) -> None:
    """A button whose text, in words of its own or those of its name, has a help beside it."""
    said = said or name
    st.button(
        say(f"masks.{said}"),
        key=f"mask_{name}",
        help=say(f"masks.{said}_help"),
        disabled=disabled,
        on_click=act,
    )


def _quick(focus: MaskFocus) -> None:
    """Masks of the whole model on or off: causal, and the padding of both sides."""
    switches: dict[str, Switch] = {
        "causal": CAUSAL[focus.kind],
        "padding_source": PaddingOff("source"),
        "padding_target": PaddingOff("target"),
    }
    on = [name for name, switch in switches.items() if _is_there(switch)]
    labels = {name: say(f"masks.{name}") for name in switches}

    def take() -> None:
        after = store.widget_value("mask_quick")
        for name in set(on).symmetric_difference(after):
            experiments.toggle(switches[name])

    about = [say(f"masks.causal_{focus.kind}_help")]
    about += [say(f"masks.{name}_help") for name in ("padding_source", "padding_target")]
    with st.container(key="mask_quick", horizontal=True, gap="small", wrap=False):
        st.markdown(say("masks.quick"), help="\n\n".join(about), width="content")
        st.segmented_control(
            say("masks.quick"),
            list(switches),
            selection_mode="multi",
            key=store.bind("mask_quick", on),
            format_func=labels.__getitem__,
            label_visibility="collapsed",
            width="content",
            on_change=take,
        )


def _is_there(switch: Switch) -> bool:
    """Whether the mask is there that a switch takes away, or gives."""
    given = isinstance(switch, Causal) and switch.on
    return given == (switch in experiments.now())


def _fill(focus: MaskFocus) -> None:
    labels = {fill: say(f"masks.fill_{fill}") for fill in FILLS}
    fill = focus.trace.config.mask_fill
    with st.container(key="mask_fill", horizontal=True, gap="small", wrap=False):
        st.markdown(say("masks.fill"), help=say("masks.fill_help"), width="content")
        segments("mask_fill_is", say("masks.fill"), labels, fill, fill_with)


def fill_with(fill: str) -> None:
    """How hidden scores are written; the model's own way is no switch."""
    others = [each for each in experiments.now().switches if not isinstance(each, Fill)]
    if fill != on_screen.plain_model().config.mask_fill:
        others.append(Fill(fill))  # type: ignore[arg-type]
    experiments.put(Experiment(tuple(others)))


def _told(focus: MaskFocus) -> None:
    """The conventions; or what the softmax makes of rows that may look nowhere, and ways out."""
    if not focus.mask.closed:
        fill = FILLS[focus.trace.config.mask_fill]
        for said in (say(f"masks.habit_{focus.now.ones}"), say("masks.exact", fill=fill)):
            st.markdown(f":gray[{said}]")
        return
    head, row = min(focus.mask.closed, key=lambda each: (each[1], each[0]))
    weights = focus.trace[f"{focus.place}/weights"][0, head, row]
    st.markdown(_closed(focus, row, weights))
    with st.container(key="mask_ways", horizontal=True, gap="xsmall"):
        _button("open_rows", open_rows)
        if weights.isnan().any():
            _button("to_number", partial(fill_with, "large_negative"))


def _closed(focus: MaskFocus, row: int, weights: Tensor) -> str:
    """A row in which every cell is forbidden, with what the softmax made of it: weights (S,)."""
    heads = [head for head, closed in focus.mask.closed if closed == row]
    named = say("masks.heads_all")
    if len(heads) < focus.trace.config.n_heads:
        numbers = say("language.comma").join(str(head + 1) for head in heads)
        named = say("masks.heads_some", heads=numbers)
    values = {"row": literal(visible(focus.sides[0].labels[row])), "heads": named}
    if weights.isnan().any():
        said = say("masks.closed_nan", **values)
    else:
        weight = format_percent(float(weights[0]), focus.now.precision)
        said = say("masks.closed_uniform", **values, weight=weight, keys=len(weights))
    if (rows := len(focus.mask.closed_rows)) > 1:
        said += say("language.gap") + say("masks.closed_more", count=rows - 1)
    return said


def open_rows() -> None:
    """Give rows with nothing allowed back what the model itself allows there."""
    focus = MaskFocus.current()
    now, config, size = experiments.now(), focus.plain.config, focus.limit
    rows = [row for row in focus.mask.closed_rows if row < size[0]]
    cells = [(row, column) for row in rows for column in range(size[1])]
    opened = stroked(now, config, focus.place, focus.heads, cells, "clear", size)
    if any(isinstance(each, Band | Lines) for each in now.switches):
        own = [cell for cell in cells if focus.mask.own[cell]]
        opened = stroked(opened, config, focus.place, focus.heads, own, "show", size)
    experiments.put(opened)
