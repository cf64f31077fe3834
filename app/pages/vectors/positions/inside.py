"""Positions that live inside attention, added to no word: turned pairs, learned distances."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import streamlit as st

from glassformer.app.pages.vectors.focus import VectorsFocus
from glassformer.app.pages.vectors.positions.figures.position_map import inside_figure
from glassformer.app.panels.provenance import open_button
from glassformer.app.plots.drawing import Figure
from glassformer.app.plots.labels import MINUS, format_number, visible
from glassformer.app.session import store
from glassformer.app.ui.chart import Click, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import attention_at, kinds_of
from glassformer.core.analysis.inside_positions import bias_by_distance, rotary_angles
from glassformer.core.analysis.vectors import tokens_of

REACH = 64  # distances to each side that are drawn
MOST_ROWS = 128  # positions that are drawn of a long text


@dataclass(frozen=True)
class InsideFocus(VectorsFocus):
    """A head, two words and a pair of features in focus, of a model that adds no positions."""

    @property
    def head(self) -> int:
        """The head in focus on every page, or the first."""
        return self.now.head or 0

    @property
    def layer(self) -> int:
        """The layer in focus, or the first."""
        return self.now.layer if self.now.kind == self.stack else 0

    @property
    def where(self) -> str:
        """The self-attention in focus."""
        return attention_at(self.stack, self.layer)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The words that this stack reads."""
        return tokens_of(self.trace, self.stack)

    @property
    def pair(self) -> int:
        """The pair of features in focus."""
        half = self.trace.config.d_k // 2
        return (self.now.feature or 0) % half

    @cached_property
    def distance(self) -> int:
        """From the query in focus to the key in focus, on any page; else one to the left."""
        now = self.now
        if now.kind != self.stack or now.query is None or now.key is None:
            return -1
        return now.key - now.query


def show() -> None:
    """Draw the picture of the model's own positions, and what is said beside it."""
    focus = InsideFocus.current()
    draw = _rotary if focus.trace.config.positions == "rotary" else _relative
    with st.container(key="positions_page", gap="small"):
        left, right = st.columns([2.15, 1], gap="medium")
        with right, box("fill scroll tex note", "positions_right", gap="small"):
            figure, texts, clicked = draw(focus)
        with left, box("note", "positions_left", gap="xsmall"):
            st.markdown(f"**{say(f'positions.{texts}_title')}**")
            st.caption(say(f"positions.{texts}_legend"))
            alt = say(f"positions.{texts}_title")
            with box("fill tall", "positions_picture"):
                show_chart(figure, f"positions_{texts}", alt, fill=True, clicked=clicked)
            st.caption(say(f"positions.{texts}_note"))


def _rotary(focus: InsideFocus) -> tuple[Figure, str, partial[None]]:
    """The angle of every position and pair; beside it one pair of a query, turned."""
    angles = rotary_angles(focus.trace.config, len(focus.tokens))  # (T, K / 2)
    at, pair, half = focus.position, focus.pair, focus.trace.config.d_k // 2
    rows = [visible(word) for word in focus.tokens[:MOST_ROWS]]
    columns = [str(each + 1) for each in range(half)]
    cell = (min(at, len(rows) - 1), pair)
    table = np.cos(angles[:MOST_ROWS])
    figure = inside_figure(table, rows, columns, cell, say("positions.axis_pair"), focus.look)
    st.markdown(say("positions.rotary_why"))
    st.latex(
        r"\begin{pmatrix} q'_i \\ q'_{i+K/2} \end{pmatrix} = \begin{pmatrix} \cos t\theta_i &"
        r" -\sin t\theta_i \\ \sin t\theta_i & \cos t\theta_i \end{pmatrix}"
        r"\begin{pmatrix} q_i \\ q_{i+K/2} \end{pmatrix}"
    )
    turn, number = float(angles[1, pair]) if len(angles) > 1 else 0.0, focus.number
    wave = number(2 * np.pi / turn) if turn else "∞"
    word = literal(visible(focus.tokens[at]))
    st.markdown(say("positions.rotary_pair", pair=pair + 1, theta=number(turn), wave=wave))
    st.markdown(
        say("positions.rotary_at", word=word, place=at, pair=pair + 1,
            degrees=format_number(float(np.degrees(angles[at, pair])) % 360, focus.look.precision))
    )  # fmt: skip
    for name in ("q", "q_rotated"):
        one, other = focus.trace[f"{focus.where}/{name}"][0, focus.head, at, [pair, pair + half]]
        st.markdown(
            say(f"positions.rotary_{name}", first=number(one), second=number(other),
                head=focus.head + 1, layer=focus.layer + 1)
        )  # fmt: skip
    open_button(f"{focus.where}/q_rotated", (0, focus.head, at, pair), "positions_trail")
    return figure, "rotary", partial(_pick_pair, focus)


def _pick_pair(focus: InsideFocus, click: Click) -> None:
    store.update(token=(focus.side, int(click.y)), feature=int(click.x))


def _relative(focus: InsideFocus) -> tuple[Figure, str, partial[None]]:
    """What each head adds for each distance; beside it one pair of words of this text."""
    distances, table = bias_by_distance(focus.model, focus.stack, REACH)  # (N,), (H, N)
    heads = [say("attention.column", head=head + 1) for head in range(len(table))]
    column = int(np.abs(distances - focus.distance).argmin())
    columns = [_whole(int(each)) for each in distances]
    cell = (focus.head, column)
    across = say("positions.axis_offset")
    figure = inside_figure(table, heads, columns, cell, across, focus.look)
    st.markdown(say("positions.relative_why"))
    st.latex(r"S'_{ts} + b_h[\mathrm{bucket}(s - t)]")
    at = min(max(focus.position, -focus.distance), len(focus.tokens) - 1)
    key = min(max(at + focus.distance, 0), len(focus.tokens) - 1)
    value = float(focus.trace[f"{focus.where}/position_bias"][0, focus.head, at, key])
    first, second = (literal(visible(focus.tokens[each])) for each in (at, key))
    st.markdown(
        say("positions.relative_here", first=first, second=second, head=focus.head + 1,
            distance=_whole(key - at), value=focus.number(value))
    )  # fmt: skip
    config = focus.trace.config
    st.markdown(
        say("positions.relative_rows", rows=config.relative_buckets, far=config.relative_distance)
    )
    return figure, "relative", partial(_pick_head, focus)


def _whole(number: int) -> str:
    return str(number).replace("-", MINUS)


def _pick_head(focus: InsideFocus, click: Click) -> None:
    if focus.stack in kinds_of(focus.trace.config):
        store.update(kind=focus.stack, head=int(click.y))
