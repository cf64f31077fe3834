"""Masks: who may look at whom, painted cell by cell, drawn by presets, switched as a whole."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st
from torch import Tensor

from glassformer.app.pages.switch.masks.mask_grid import MaskFocus, Stroke, mask_grid
from glassformer.app.panels.compare import pickers
from glassformer.app.plots.labels import MASK_FILLS, format_percent, visible
from glassformer.app.runs import on_screen
from glassformer.app.session import experiments, store
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, menu, set_field
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import layers_of
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment, masks
from glassformer.core.interventions.padding import padded_sides
from glassformer.core.interventions.parts import OfHeads, attention_extent
from glassformer.core.interventions.switch import Switch

PRESETS = {"itself": 0, "neighbours": 1}  # how far each position looks on either side
# What they are called there: a word of the translation is no neighbour of one of the source.
IN_CROSS = {"itself": "itself_cross", "neighbours": "neighbours_cross"}
# How a hidden score is written by each fill.
# The switch that makes the causal mask of a kind other than it is by itself.
CAUSAL = {
    "decoder": masks.Causal(masks.DECODER_SELF, on=False),
    "encoder": masks.Causal("encoder/*/self_attention", on=True),
    "cross": masks.Causal("decoder/*/cross_attention", on=True),
}
ALL = -1  # the picker's value for all heads


def show() -> None:
    """Draw the mask of the attention in focus, and which one that is."""
    focus = MaskFocus.current()
    with box("small dense aside", "masks", gap="xsmall"):
        _pickers(focus)
        with box("fill", "mask_box", gap=None):
            mask_grid(focus, store.memory().mask_painted, paint_strokes)


def show_settings() -> None:
    """Draw what it is called, what is drawn at a click, and the masks of the whole model."""
    focus = MaskFocus.current()
    with box("small dense", "mask_settings", gap="xsmall"):
        _title(focus)
        _presets(focus)
        _quick(focus)
        _fill(focus)
        with box("rows-3", "mask_told", gap="xxsmall"):
            _told(focus)


def _pickers(focus: MaskFocus) -> None:
    """Kind, layer and head, on one line."""
    now, trace = focus.now, focus.trace

    def take_head(head: int) -> None:
        store.update(head=None if head == ALL else head)

    count = layers_of(trace, focus.kind)
    layers = {layer: say("masks.layer_of", layer=layer + 1) for layer in range(count)}
    heads = {head: say("masks.head_of", head=head + 1) for head in range(focus.config.n_heads)}
    heads = {ALL: say("masks.head_all"), **heads}
    head = ALL if now.head is None else now.head
    with st.container(key="mask_pickers", horizontal=True, gap="xsmall"):
        pickers.pick_kind(trace, "mask")
        menu("mask_layer", say("masks.layer"), layers, now.layer, set_field("layer"))
        menu("mask_head", say("masks.head"), heads, head, take_head)


def _title(focus: MaskFocus) -> None:
    shape = " × ".join(map(str, focus.trace[f"{focus.place}/mask"].shape))
    with st.container(key="mask_title", gap="xsmall"):
        address = f":small[:gray[`{focus.place}/mask` (B × H × T × S) = {shape}]]"
        st.markdown(f"**{say('masks.title')}**  \n{address}")
        draw_choice(
            "mask_ones_mean", "masks.ones", ("look", "hidden"), focus.now.ones, set_field("ones")
        )


def paint_strokes(strokes: Sequence[Stroke]) -> None:
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
    config, where = focus.plain.config, (stroke.place, stroke.heads)
    try:
        OfHeads(*where).check(config, *focus.lengths)
    except GlassformerError:
        return  # of a model that is no longer on screen
    size, now = attention_extent(stroke.place, *focus.lengths), experiments.current_experiment()
    cells = masks.cells_of_drag(stroke.brush, stroke.first, stroke.last, size)
    experiments.switch_to(masks.add_stroke(now, config, *where, cells, stroke.stroke, size))


def _presets(focus: MaskFocus) -> None:
    """What can be drawn at a click."""
    called = IN_CROSS if focus.kind == "cross" else {name: name for name in PRESETS}

    def cleared() -> Experiment:
        return masks.restore_mask(
            experiments.current_experiment(), focus.plain.config, focus.place, focus.heads
        )

    def draw(reach: int) -> None:
        experiments.switch_to(cleared().having(masks.Band(focus.place, focus.heads, -reach, reach)))

    with st.container(key="mask_presets", horizontal=True, gap="xsmall"):
        for name, reach in PRESETS.items():
            _button(name, partial(draw, reach), called[name])
        as_it_was = cleared() == experiments.current_experiment()
        _button("as_it_was", lambda: experiments.switch_to(cleared()), disabled=as_it_was)


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
    """Masks of the whole model on or off: causal, and the padding of its sides."""
    sides = padded_sides(focus.plain.config)
    switches: dict[str, Switch] = {"causal": CAUSAL[focus.kind]}
    switches |= {f"padding_{side}": masks.PaddingOff(side) for side in sides}
    on = [name for name, switch in switches.items() if _is_there(switch)]
    labels = {"causal": say("masks.causal")}
    labels |= {f"padding_{side}": say(f"masks.padding_{side}") for side in sides}

    def take() -> None:
        after = store.widget_value("mask_quick")
        for name in set(on).symmetric_difference(after):
            experiments.toggle_switch(switches[name])

    both = focus.plain.config.has_both
    causal = say(f"masks.causal_{focus.kind}_help")
    about = [causal if both else say(f"masks.causal_{focus.kind}_alone_help")]
    about += [say(f"masks.padding_{side}_help") for side in sides]
    with st.container(key="mask_quick", gap="xsmall"):
        st.markdown(say("masks.quick"), help="\n\n".join(about), width="content")
        st.segmented_control(
            say("masks.quick"),
            list(switches),
            selection_mode="multi",
            **store.bind("mask_quick", on, default=on),
            format_func=labels.__getitem__,
            label_visibility="collapsed",
            width="content",
            on_change=take,
        )


def _is_there(switch: Switch) -> bool:
    """Whether the mask is there that a switch takes away, or gives."""
    given = isinstance(switch, masks.Causal) and switch.on
    return given == (switch in experiments.current_experiment())


def _fill(focus: MaskFocus) -> None:
    fill = focus.trace.config.mask_fill
    with st.container(key="mask_fill", gap="xsmall"):
        st.markdown(say("masks.fill"), help=say("masks.fill_help"), width="content")
        draw_choice("mask_fill_is", "masks.fill", MASK_FILLS, fill, fill_with)


def fill_with(fill: str) -> None:
    """How hidden scores are written; the model's own way is no switch."""
    chosen = experiments.current_experiment().keeping(lambda each: not isinstance(each, masks.Fill))
    if fill != on_screen.plain_model().config.mask_fill:
        chosen = chosen.having(masks.Fill(fill))  # type: ignore[arg-type]
    experiments.switch_to(chosen)


def _told(focus: MaskFocus) -> None:
    """The conventions; or what the softmax makes of rows that may look nowhere, and ways out."""
    if not focus.mask.closed:
        fill = MASK_FILLS[focus.trace.config.mask_fill]
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
    if len(heads) < focus.config.n_heads:
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
    now, config, size = experiments.current_experiment(), focus.plain.config, focus.limit
    rows = [row for row in focus.mask.closed_rows if row < size[0]]
    cells = [(row, column) for row in rows for column in range(size[1])]
    opened = masks.add_stroke(now, config, focus.place, focus.heads, cells, "clear", size)
    if any(isinstance(each, masks.Band | masks.Lines) for each in now.switches):
        own = [cell for cell in cells if focus.mask.own[cell]]
        opened = masks.add_stroke(opened, config, focus.place, focus.heads, own, "show", size)
    experiments.switch_to(opened)
