"""The beam search: what was tried as a tree, which sentence won, what one node looked at."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from app.pages.decoding.beam_tree import Drawn, Plan, TreeTexts, beam_tree, plan
from app.pages.decoding.figures.steps import alpha_scores, source_weights
from app.pages.decoding.run import Decoding
from app.pages.decoding.strip import bound, show_given
from app.panels.words.words_panel import attention_in_focus
from app.plots.labels import format_number, format_percent, visible
from app.plots.theme import Look
from app.session import store
from app.session.state import State
from app.ui.chart import current_look, show_chart
from app.ui.components.bar_table import Column, Row, bar_table
from app.ui.layout import box
from app.ui.pick import into, menu, segments
from app.ui.text import literal, told
from app.words import say
from core.analysis.attention_views import head_map, sides
from core.decoding.beam import RULES, WIDEST, Beam, Node, Rule
from core.errors import GlassformerError

FATES = ("start", "kept", "finished", "pruned", "forbidden", "guarded", "overruled", "open")
LEGEND = ("best", "focus", "kept", "finished", "open", "pruned", "forbidden", "guarded")
MOST_ALPHA = 2.0
NUMBERS = ("together", "total", "length", "penalty", "score", "before")
HEIGHT = 225.0  # pixels of the bars in the smallest window


def show() -> None:
    """Draw the settings, then the tree beside the node in focus."""
    now, look, decoding = store.get_state(), current_look(), Decoding.current()
    with box("inline", "beam_controls", horizontal=True, gap="medium", wrap=False):
        _controls(now)
    show_given(decoding, "beam")
    try:
        tree = decoding.tree(now)
    except GlassformerError as error:
        st.warning(told(error))
        return
    node = now.node if now.node is not None and 0 < now.node < len(tree.nodes) else None
    focus = tree.least_sure.index if node is None else node
    left, right = st.columns([66, 34], gap="medium")
    with left, st.container(key="beam_left", gap="xsmall"):
        _tree(decoding, tree, focus, look)
        _ranking(decoding, tree, focus, look)
    with right, st.container(key="beam_right", gap="xsmall"):
        _node(decoding, tree, focus, look)
        _sweep(decoding, tree, focus, look)


def pick(index: int) -> None:
    """Put a node in focus; for callbacks."""
    store.update(node=index)


def _controls(now: State) -> None:
    st.number_input(
        say("beam.beams"), 1, WIDEST, step=1, help=say("beam.beams_help"), width=230,
        **bound("beam", "beams"),
    )  # fmt: skip
    st.slider(
        say("beam.alpha"), 0.0, max(MOST_ALPHA, now.alpha), step=0.1, width=300,
        help=say(f"beam.alpha_help_{now.rule}"), **bound("beam", "alpha"),
    )  # fmt: skip
    labels = {rule: say(f"beam.rule_{rule}") for rule in RULES}
    about = say("beam.rule_help")
    segments("beam_rule", say("beam.rule"), labels, now.rule, into("rule"), help=about)

    def branches() -> None:
        store.update(branches="all" if store.widget_value("beam_branches") else "few")

    st.toggle(
        say("beam.all"), key=store.bind("beam_branches", now.branches == "all"),
        help=say("beam.all_help"), on_change=branches,
    )  # fmt: skip


def _tree(decoding: Decoding, tree: Beam, focus: int, look: Look) -> None:
    now = store.get_state()
    drawn = plan(tree, now.branches == "all", focus)
    steps, size = drawn.columns - 1, tree.size
    title = say("beam.title_one", steps=steps) if size == 1 else ""
    st.markdown(f"**{title or say('beam.title', size=size, steps=steps)}**")
    given_at = list(decoding.asked)
    with box("fill", "beam_main"):
        beam_tree(Drawn(tree, drawn, decoding.token, given_at), focus, _texts(), look, pick)
    st.html(_legend(tree, drawn, look))


def _texts() -> TreeTexts:
    names = ("label", "step", "start", "node", "more", "given")
    fates = {fate: say(f"beam.fate_{fate}") for fate in FATES}
    return TreeTexts(**{name: say(f"beam.{name}") for name in names}, fates=fates)


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


def _sweep(decoding: Decoding, tree: Beam, focus: int, look: Look) -> None:
    """The scores of the finished hypotheses against α."""
    ends = tree.finished
    if not ends:
        return
    alphas = np.linspace(0.0, max(MOST_ALPHA, tree.alpha), 21)
    at = next((place for place, end in enumerate(ends) if end.index == focus), 0)
    names = [visible(decoding.sentence(tree.words(end.index))) for end in ends]
    st.markdown(f"**{say('beam.sweep')}**", help=say(f"beam.sweep_note_{tree.rule}"))
    scores = np.array(tree.scores(alphas.tolist()))
    show_chart(
        alpha_scores(alphas, scores, names, tree.alpha, at, look, "α", height=look.px(150)),
        key="beam_sweep",
        alt=say("beam.sweep_alt", count=len(ends), most=f"{alphas[-1]:g}"),
    )  # fmt: skip


def _ranking(decoding: Decoding, tree: Beam, focus: int, look: Look) -> None:
    """Draw the line that says who wins, and the table; a row puts its last node in focus."""
    with box("one-line", "beam_ranking_line"):
        st.markdown(_winner(decoding, tree, look))
    order = tree.places(0.0)
    without = {tree.finished[at].index: place + 1 for place, at in enumerate(order)}
    rows = [
        _row(decoding, tree, at, without.get(index), focus, look)
        for at, index in enumerate(tree.hypotheses)
    ]
    with box("rows-9 scroll", "beam_ranking_place"):
        bar_table("beam_ranking", _columns(tree.rule), rows, pick)


def _columns(rule: Rule) -> list[Column]:
    columns = [Column(say("beam.sentence"), "minmax(0, 1fr)")]
    for name in NUMBERS:
        helped = say(f"beam.penalty_help_{rule}") if name == "penalty" else say(f"beam.{name}_help")
        width, end = ("8.5rem", 1.0) if name == "together" else ("auto", None)
        columns.append(Column(say(f"beam.{name}"), width, end, help=helped))
    return columns


def _row(
    decoding: Decoding, tree: Beam, at: int, before: int | None, focus: int, look: Look
) -> Row:
    node, digits = tree.nodes[tree.hypotheses[at]], look.precision
    place, done = at + 1, node.fate == "finished"
    sentence = decoding.sentence(tree.words(node.index))
    texts = [
        f"{place} · {sentence}" if done else f"{say('beam.still')} · {sentence} …",
        format_percent(node.together),
        format_number(node.total, digits),
        str(node.length),
        format_number(tree.penalty(node.length), digits),
        format_number(node.score, digits),
        "" if before is None else str(before),
    ]
    values = [None, node.together, *[None] * 5]
    return Row(node.index, texts, values, title=sentence, chosen=node.index == focus)


def _winner(decoding: Decoding, tree: Beam, look: Look) -> str:
    ends = tree.finished
    if not ends:
        return say("beam.nothing", limit=decoding.task.limit)
    best, digits = ends[0], look.precision
    wins = say(
        "beam.wins",
        sentence=literal(decoding.sentence(tree.words(best.index))),
        total=format_number(best.total, digits),
        penalty=format_number(tree.penalty(best.length), digits),
        score=format_number(best.score, digits),
    )
    other = ends[tree.places(0.0)[0]]
    if other is best:
        return f"{wins} {say('beam.same_winner')}"
    sentence = literal(decoding.sentence(tree.words(other.index)))
    return f"{wins} {say('beam.other_winner', sentence=sentence)}"


def _node(decoding: Decoding, tree: Beam, focus: int, look: Look) -> None:
    """Draw the node's words and numbers, then its cross-attention."""
    node = tree.nodes[focus]
    if node.fate == "start":
        st.markdown(f"**{say('beam.path_start')}**")
        return
    word = literal(visible(decoding.token(node.id)))
    st.markdown(f"**{say('beam.path', word=word, step=node.position + 1)}**")
    st.html(_path(decoding, tree, node, look))
    st.html(_numbers(tree, node, look))
    _looks(decoding, tree, node, look, word)


def _path(decoding: Decoding, tree: Beam, node: Node, look: Look) -> str:
    words = [escape(visible(decoding.token(each.id))) for each in tree.path(node.index)]
    last = f'<b style="border-color: {look.colour("weights")}">{words[-1]}</b>'
    chips = "".join(f"<span>{word}</span>" for word in words[:-1])
    return f'<p class="beam-path">{chips}{last}</p>'


def _numbers(tree: Beam, node: Node, look: Look) -> str:
    digits = look.precision
    penalty = tree.penalty(node.length)
    total, score = format_number(node.total, digits), format_number(node.score, digits)
    entropy = "–" if node.entropy is None else format_number(node.entropy, digits)
    facts = [
        (say("beam.chance"), format_percent(node.probability, digits)),
        (say("beam.place_in"), str(node.rank + 1)),
        (say("beam.total"), total),
        (say("beam.length"), str(node.length)),
        (say("beam.score"), f"{total} / {format_number(penalty, digits)} = {score}"),
        (say("beam.entropy"), entropy),
    ]
    cells = "".join(
        f"<div><span>{escape(name)}</span><b>{escape(value)}</b></div>" for name, value in facts
    )
    fate = escape(say(f"beam.fate_{node.fate}"))
    wide = f'<div class="wide"><span>{escape(say("beam.fate"))}</span><b>{fate}</b></div>'
    return f'<div class="beam-numbers">{cells}{wide}</div>'


def _looks(decoding: Decoding, tree: Beam, node: Node, look: Look, word: str) -> None:
    layer, head = attention_in_focus(store.get_state(), decoding.trace)
    st.markdown(f"**{say('beam.looks', word=word)}**")
    _pickers(decoding, layer, head)
    run = decoding.recorded(tree.words(node.index))
    weights = head_map(run, "cross", layer, head, "weights").weights[node.position]
    _, source = sides(run, "cross")
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
        store.update(kind="cross", **chosen)

    with st.container(horizontal=True, gap="small", key="beam_pickers", wrap=False):
        for name, options, value in (("layer", layers, layer), ("head", heads, head)):
            menu(f"beam_{name}", say(f"beam.{name}"), options, value, take)
