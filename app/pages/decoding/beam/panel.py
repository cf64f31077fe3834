"""The beam search: what was tried as a tree, which sentence won, what one node looked at."""

from dataclasses import replace
from html import escape
from math import inf
from typing import Any

import numpy as np
import streamlit as st

from glassformer.app.pages.decoding.beam.beam_tree import Plan, plan_tree, tree_data
from glassformer.app.pages.decoding.beam.figures import alpha_scores, source_weights
from glassformer.app.pages.decoding.run import Decoding
from glassformer.app.pages.decoding.strip import bind_field, show_given
from glassformer.app.panels import answers
from glassformer.app.panels.answers import Answers, Move
from glassformer.app.panels.words.words_panel import attention_in_focus
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.component import component
from glassformer.app.ui.components.bar_table import Column, Row, bar_table
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, menu, set_field
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say, say_each
from glassformer.core.analysis.attention_views import attention_sides, head_map, kinds_of
from glassformer.core.decoding.beam import ENDED, RULES, WIDEST, Beam, Node, Rule
from glassformer.core.errors import GlassformerError

FATES = {
    "start": "beam.fate_start",
    "kept": "beam.fate_kept",
    "finished": "beam.fate_finished",
    "cut": "beam.fate_cut",
    "pruned": "beam.fate_pruned",
    "forbidden": "beam.fate_forbidden",
    "guarded": "beam.fate_guarded",
    "overruled": "beam.fate_overruled",
    "open": "beam.fate_open",
}
LEGEND = ("best", "focus", "kept", "finished", "cut", "open", "pruned", "forbidden", "guarded")
MOST_ALPHA = 2.0
NUMBERS = ("together", "total", "length", "penalty", "score", "before")
TREE_TEXTS = "beam.label beam.step beam.start beam.node beam.more beam.given"
STAGE = 830.0  # pixels in front of a hall
HEIGHT = 225.0  # pixels of the bars in the smallest window

_beam_tree = component(__file__, "beam_tree")


def show() -> None:
    """Draw the settings, then the tree beside the node in focus."""
    now, look, decoding = store.get_state(), current_look(), Decoding.current()
    with box("inline", "beam_controls", horizontal=True, gap="medium"):
        _controls(now)
    show_given(decoding, "beam")
    try:
        tree = decoding.tree(now)
    except GlassformerError as error:
        st.warning(format_error(error))
        return
    focus = node_in_focus(now, tree)
    left, right = st.columns([66, 34], gap="medium")
    with left, st.container(key="beam_left", gap="xsmall"):
        _tree(decoding, tree, focus, look)
        _ranking(decoding, tree, focus, look)
    with right, st.container(key="beam_right", gap="xsmall"):
        _node(decoding, tree, focus, look)
        _sweep(decoding, tree, focus, look)
    answers.show(node_answers)


def node_answers() -> Answers:
    """The nodes of the beams and what was tried beside them, the latest near the one in focus."""
    decoding, now, look = Decoding.current(), store.get_state(), current_look()
    tree = decoding.tree(now)
    focus = node_in_focus(now, tree)
    shown = plan_tree(tree, now.branches == "all", focus).nodes
    here = tree.nodes[focus].position
    near = sorted((each for each in shown if each.index), key=lambda it: abs(it.position - here))
    moves = [
        Move("beam_tree", "node", "pick", "index"),
        Move("beam_ranking", "node", "pick", "key"),
    ]

    def draw(there: State) -> None:
        at = node_in_focus(there, tree)
        _draw_tree(decoding, plan_tree(tree, now.branches == "all", at), look)
        _draw_ranking(decoding, tree, at, look)
        _draw_sweep(decoding, tree, at, look)

    nearby = [{"node": each.index} for each in near]
    return Answers(replace(now, node=focus), (id(tree), look), moves, nearby, draw)


def node_in_focus(now: State, tree: Beam) -> int:
    """The node that the state names, or the one whose choice was least sure."""
    asked = now.node or 0
    return asked if 0 < asked < len(tree.nodes) else tree.least_sure.index


def pick_node(index: int) -> None:
    """Put a node in focus; for callbacks."""
    store.update(node=index)


def _controls(now: State) -> None:
    st.number_input(
        say("beam.beams"), 1, WIDEST, step=1, help=say("beam.beams_help"),
        width=current_look().px(230), **bind_field("beam", "beams"),
    )  # fmt: skip
    st.slider(
        say("beam.alpha"), 0.0, max(MOST_ALPHA, now.alpha), step=0.1, width=current_look().px(300),
        help=say(f"beam.alpha_help_{now.rule}"), **bind_field("beam", "alpha"),
    )  # fmt: skip
    about = say("beam.rule_help")
    draw_choice("beam_rule", "beam.rule", RULES, now.rule, set_field("rule"), help=about)

    def branches() -> None:
        store.update(branches="all" if store.widget_value("beam_branches") else "few")

    st.toggle(
        say("beam.all"), **store.bind("beam_branches", now.branches == "all"),
        help=say("beam.all_help"), on_change=branches,
    )  # fmt: skip


def _tree(decoding: Decoding, tree: Beam, focus: int, look: FigureStyle) -> None:
    drawn = plan_tree(tree, store.get_state().branches == "all", focus)
    title = "beam.title_one" if tree.size == 1 else "beam.title"
    st.markdown(f"**{say(title, size=tree.size, steps=drawn.columns - 1)}**")
    with box("fill", "beam_main", gap="xsmall"):
        seen = _draw_tree(decoding, drawn, look)
        st.html(_legend(drawn, seen))


def _draw_tree(decoding: Decoding, drawn: Plan, look: FigureStyle) -> range:
    """The tree; in front of a hall as many columns as it has room for. Gives the columns."""
    texts: dict[str, Any] = say_each(TREE_TEXTS)
    if decoding.first:
        texts["start"] = f"… {visible(decoding.token(decoding.task.given[-1]))}"
    texts["fates"] = say_each(FATES)
    given = [place - decoding.first for place in decoding.asked]
    room = STAGE if store.memory().presented else inf
    data = tree_data(drawn, decoding.token, given, texts, look, room)
    _beam_tree("beam_tree", data, height="stretch", pick=lambda sent: pick_node(int(sent["index"])))
    return range(data["first"], data["first"] + len(data["widths"]))


def _legend(drawn: Plan, seen: range) -> str:
    """The signs that are on screen, and how many nodes are not, as one line of HTML."""
    fates = {node.fate for node in drawn.nodes} | {"best", "focus"}
    marks = "".join(
        f'<span class="beam-mark beam-{name}"><i></i>{escape(say(f"beam.short_{name}"))}</span>'
        for name in LEGEND
        if name in fates
    )
    key = "beam.about" if drawn.left_out else "beam.about_all"
    about = say(key, nodes=len(drawn.tree.nodes), left=drawn.left_out)
    if len(seen) < drawn.columns:
        about = say("beam.about_some", first=seen[0], last=seen[-1], steps=drawn.columns - 1)
    return f'<p class="beam-legend">{marks}<span>{escape(about)}</span></p>'


def _sweep(decoding: Decoding, tree: Beam, focus: int, look: FigureStyle) -> None:
    """The scores of the finished hypotheses against α."""
    if not tree.finished:
        return
    st.markdown(f"**{say('beam.sweep')}**", help=say(f"beam.sweep_note_{tree.rule}"))
    _draw_sweep(decoding, tree, focus, look)


def _draw_sweep(decoding: Decoding, tree: Beam, focus: int, look: FigureStyle) -> None:
    ends = tree.finished
    if not ends:
        return
    alphas = np.linspace(0.0, max(MOST_ALPHA, tree.alpha), 21)
    at = next((place for place, end in enumerate(ends) if end.index == focus), 0)
    names = [visible(decoding.sentence(tree.words(end.index))) for end in ends]
    scores = np.array(tree.scores(alphas.tolist()))
    figure = alpha_scores(alphas, scores, names, tree.alpha, at, look, "α", height=look.px(150))
    alt = say("beam.sweep_alt", count=len(ends), most=f"{alphas[-1]:g}")
    show_chart(figure, "beam_sweep", alt)


def _ranking(decoding: Decoding, tree: Beam, focus: int, look: FigureStyle) -> None:
    """Draw the line that says who wins, and the table; a row puts its last node in focus."""
    st.markdown(_winner(decoding, tree, look))
    with box("rows-9 scroll", "beam_ranking_place"):
        _draw_ranking(decoding, tree, focus, look)


def _draw_ranking(decoding: Decoding, tree: Beam, focus: int, look: FigureStyle) -> None:
    without = {node.index: place for place, node in enumerate(tree.at_alpha(0.0).finished, 1)}
    rows = [
        _row(decoding, tree, at, without.get(index), focus, look)
        for at, index in enumerate(tree.hypotheses)
    ]
    bar_table("beam_ranking", _columns(tree.rule), rows, pick_node)


def _columns(rule: Rule) -> list[Column]:
    columns = [Column(say("beam.sentence"), "minmax(9rem, 1fr)")]
    for name in NUMBERS:
        helped = say(f"beam.penalty_help_{rule}") if name == "penalty" else say(f"beam.{name}_help")
        width, end = ("8.5rem", 1.0) if name == "together" else ("max-content", None)
        columns.append(Column(say(f"beam.{name}"), width, end, help=helped))
    return columns


def _row(
    decoding: Decoding, tree: Beam, at: int, before: int | None, focus: int, look: FigureStyle
) -> Row:
    node = tree.nodes[tree.hypotheses[at]]
    place, done = at + 1, node.fate in ENDED
    sentence = decoding.sentence(tree.words(node.index))
    further = "" if node.fate == "finished" else " …"
    texts = [
        f"{place if done else say('beam.still')} · {sentence}{further}",
        format_percent(node.together),
        look.number(node.total),
        str(node.length),
        look.number(tree.penalty(node.length)),
        look.number(node.score),
        "" if before is None else str(before),
    ]
    values = [None, node.together, *[None] * 5]
    return Row(node.index, texts, values, title=sentence, chosen=node.index == focus)


def _winner(decoding: Decoding, tree: Beam, look: FigureStyle) -> str:
    ends = tree.finished
    if not ends:
        return say("beam.nothing", limit=decoding.task.limit - decoding.first)
    best, other = ends[0].index, tree.at_alpha(0.0).best.index
    first, second = (literal(decoding.sentence(tree.words(each))) for each in (best, other))
    numbers = {
        "total": look.number(ends[0].total),
        "penalty": look.number(tree.penalty(ends[0].length)),
        "score": look.number(ends[0].score),
    }
    key = "beam.same_winner" if other == best else "beam.other_winner"
    return f"{say('beam.wins', sentence=first, **numbers)} {say(key, sentence=second)}"


def _node(decoding: Decoding, tree: Beam, focus: int, look: FigureStyle) -> None:
    """Draw the node's words and numbers, then its cross-attention."""
    node = tree.nodes[focus]
    if node.fate == "start":
        st.markdown(f"**{say('beam.path_start')}**")
        return
    word = literal(visible(decoding.token(node.id)))
    st.markdown(f"**{say('beam.path', word=word, step=node.position + 1)}**")
    st.html(_path(decoding, tree, node))
    st.html(_numbers(tree, node, look))
    _looks(decoding, tree, node, look, word)


def _path(decoding: Decoding, tree: Beam, node: Node) -> str:
    words = [escape(visible(decoding.token(each.id))) for each in tree.path(node.index)]
    last = f'<b style="border-color: var(--weights)">{words[-1]}</b>'
    chips = "".join(f"<span>{word}</span>" for word in words[:-1])
    return f'<p class="beam-path">{chips}{last}</p>'


def _numbers(tree: Beam, node: Node, look: FigureStyle) -> str:
    total, score = look.number(node.total), look.number(node.score)
    facts = {
        "chance": format_percent(node.probability, look.precision),
        "place_in": str(node.rank + 1),
        "total": total,
        "length": str(node.length),
        "score": f"{total} / {look.number(tree.penalty(node.length))} = {score}",
        "entropy": "–" if node.entropy is None else look.number(node.entropy),
    }
    cells = "".join(
        f"<div><span>{escape(say(f'beam.{name}'))}</span><b>{escape(value)}</b></div>"
        for name, value in facts.items()
    )
    fate = escape(say(f"beam.fate_{node.fate}"))
    wide = f'<div class="wide"><span>{escape(say("beam.fate"))}</span><b>{fate}</b></div>'
    return f'<div class="beam-numbers">{cells}{wide}</div>'


def _looks(decoding: Decoding, tree: Beam, node: Node, look: FigureStyle, word: str) -> None:
    layer, head = attention_in_focus(store.get_state(), decoding.trace)
    st.markdown(f"**{say('beam.looks', word=word)}**")
    _pickers(decoding, layer, head)
    run = decoding.recorded((*decoding.task.given, *tree.words(node.index)))
    kind = kinds_of(run.config)[-1]  # at the source, or of a decoder alone at the words before
    row = decoding.first + node.position
    weights = head_map(run, kind, layer, head, "weights").weights[row]
    _, source = attention_sides(run, kind)
    figure = source_weights(source.labels, weights.tolist(), look, source.sinks, HEIGHT)
    with box("fill low", "beam_looks_place"):
        alt = say("beam.looks_alt", word=visible(decoding.token(node.id)))
        show_chart(figure, key="beam_looks", alt=alt, fill=True)


def _pickers(decoding: Decoding, layer: int, head: int | None) -> None:
    config = decoding.trace.config
    layers = {at: say("frame.layer", layer=at + 1) for at in range(config.decoder_layers)}
    heads: dict[int | None, str] = {None: say("beam.mean")}
    heads |= {at: say("frame.head", head=at + 1) for at in range(config.n_heads)}

    def take(_: int | None) -> None:
        chosen = {name: store.widget_value(f"beam_{name}") for name in ("layer", "head")}
        store.update(kind=kinds_of(config)[-1], **chosen)

    with st.container(horizontal=True, gap="small", key="beam_pickers", wrap=False):
        for name, options, value in (("layer", layers, layer), ("head", heads, head)):
            menu(f"beam_{name}", say(f"beam.{name}"), options, value, take)
