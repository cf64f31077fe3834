"""The beam search: what was tried as a tree, which sentence won, what one node looked at."""

from __future__ import annotations

from html import escape
from typing import cast

import numpy as np
import streamlit as st

from app import state
from app.figures.alpha_scores import alpha_scores
from app.figures.labels import visible
from app.figures.theme import Look
from app.widgets.beam_tree import Drawn, Plan, TreeTexts, beam_tree, plan
from app.widgets.chart import current_look, show_chart
from app.widgets.decoding import beam_node, beam_ranking, given
from app.widgets.decoding.tried import Tried
from app.widgets.pick import segments
from app.widgets.style import put_sheet
from app.widgets.text import told
from app.words import say
from core.decoding.beam import WIDEST
from core.decoding.beam_tree import RULES, Beam, Rule
from core.errors import GlassformerError

FATES = ("start", "kept", "finished", "pruned", "forbidden", "guarded", "overruled", "open")
LEGEND = ("best", "focus", "kept", "finished", "open", "pruned", "forbidden", "guarded")
MOST_ALPHA = 2.0


def show() -> None:
    """Draw the settings, then the tree beside the node in focus."""
    put_sheet(__file__, "beam.css")
    now, look, tried = state.get_state(), current_look(), Tried.current()
    forced = dict(now.forced)
    with st.container(key="beam_controls", horizontal=True, gap="medium", wrap=False):
        _controls(now)
    given.show(tried, forced, "beam")
    try:
        tree = tried.tree(now.beams, now.alpha, forced, cast(Rule, now.rule))
    except GlassformerError as error:
        st.warning(told(error))
        return
    node = now.node if now.node is not None and 0 < now.node < len(tree.nodes) else None
    focus = tree.least_sure.index if node is None else node
    left, right = st.columns([66, 34], gap="medium")
    with left, st.container(key="beam_left", gap="xsmall"):
        _tree(tried, tree, focus, look)
        beam_ranking.show(tried, tree, focus, look, pick)
    with right, st.container(key="beam_right", gap="xsmall"):
        beam_node.show(tried, tree, focus, look)
        _sweep(tried, tree, focus, look)


def pick(index: int) -> None:
    """Put a node in focus; for callbacks."""
    state.update(node=index)


def _controls(now: state.State) -> None:
    def take(name: str) -> None:
        state.update(**{name: state.widget_value(f"beam_{name}")})

    st.number_input(
        say("beam.beams"), 1, WIDEST, key=state.bind("beam_beams", now.beams), step=1,
        help=say("beam.beams_help"), on_change=take, args=("beams",), width=230,
    )  # fmt: skip
    st.slider(
        say("beam.alpha"), 0.0, max(MOST_ALPHA, now.alpha), key=state.bind("beam_alpha", now.alpha),
        step=0.1, help=say(f"beam.alpha_help_{now.rule}"), on_change=take, args=("alpha",),
        width=300,
    )  # fmt: skip
    segments(
        "beam_rule", say("beam.rule"), {rule: say(f"beam.rule_{rule}") for rule in RULES},
        now.rule, lambda rule: state.update(rule=rule), help=say("beam.rule_help"),
    )  # fmt: skip

    def branches() -> None:
        state.update(branches="all" if state.widget_value("beam_branches") else "few")

    st.toggle(
        say("beam.all"), key=state.bind("beam_branches", now.branches == "all"),
        help=say("beam.all_help"), on_change=branches,
    )  # fmt: skip


def _tree(tried: Tried, tree: Beam, focus: int, look: Look) -> None:
    now = state.get_state()
    drawn = plan(tree, now.branches == "all", focus)
    steps, size = drawn.columns - 1, tree.size
    title = say("beam.title_one", steps=steps) if size == 1 else ""
    st.markdown(f"**{title or say('beam.title', size=size, steps=steps)}**")
    given_at = [place for place, _ in now.forced]
    with st.container(key="beam_main"):
        beam_tree(Drawn(tree, drawn, tried.token, given_at), focus, _texts(), look, pick)
    st.html(_legend(tree, drawn, look))


def _texts() -> TreeTexts:
    return TreeTexts(
        label=say("beam.label"),
        step=say("beam.step"),
        start=say("beam.start"),
        node=say("beam.node", **{name: f"{{{name}}}" for name in _NODE}),
        more=say("beam.more", count="{count}"),
        given=say("beam.given"),
        fates={fate: say(f"beam.fate_{fate}") for fate in FATES},
    )


_NODE = ("word", "chance", "total", "score", "rank", "fate")


def _legend(tree: Beam, drawn: Plan, look: Look) -> str:
    """The signs that are on screen, and how many nodes are not, as one line of HTML."""
    fates = {place.node.fate for place in drawn.places} | {"best", "focus"}
    colours = "; ".join(f"--{name}: {look.colour(name)}" for name in ("data", "weights", "faint"))
    marks = "".join(
        f'<span class="beam-mark beam-{name}"><i></i>{escape(say(f"beam.short_{name}"))}</span>'
        for name in LEGEND
        if name in fates
    )
    key = "beam.about" if drawn.left_out else "beam.about_all"
    counts = {"nodes": len(tree.nodes)} | ({"left": drawn.left_out} if drawn.left_out else {})
    about = escape(say(key, **counts))
    return f'<p class="beam-legend" style="{colours}">{marks}<span>{about}</span></p>'


def _sweep(tried: Tried, tree: Beam, focus: int, look: Look) -> None:
    """The scores of the finished hypotheses against α."""
    ends = tree.finished
    if not ends:
        return
    alphas = np.linspace(0.0, max(MOST_ALPHA, tree.alpha), 21)
    at = next((place for place, end in enumerate(ends) if end.index == focus), 0)
    names = [visible(tried.sentence(tree.words(end.index))) for end in ends]
    st.markdown(f"**{say('beam.sweep')}**", help=say(f"beam.sweep_note_{tree.rule}"))
    scores = np.array(tree.scores(alphas.tolist()))
    show_chart(
        alpha_scores(
            alphas, scores, names, tree.alpha, at, look,
            "α", height=look.px(150),
        ),
        key="beam_sweep",
        alt=say("beam.sweep_alt", count=len(ends), most=f"{alphas[-1]:g}"),
    )  # fmt: skip
