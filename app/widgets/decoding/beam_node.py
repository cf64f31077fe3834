"""One node of the beam search: its words, its numbers, where the row that wrote it looked."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import state
from app.figures.labels import format_number, format_percent, visible
from app.figures.source_weights import source_weights
from app.figures.theme import Look
from app.widgets.chart import show_chart
from app.widgets.decoding.tried import Tried
from app.widgets.pick import menu
from app.widgets.text import literal
from app.widgets.translate.focus import attention_in_focus
from app.words import say
from core.decoding.beam_tree import Beam, Node
from core.reading.attention_views import head_map, sides

HEIGHT = 225.0  # pixels of the bars in the smallest window


def show(tried: Tried, tree: Beam, focus: int, look: Look) -> None:
    """Draw the node's words and numbers, then its cross-attention."""
    node = tree.nodes[focus]
    if node.fate == "start":
        st.markdown(f"**{say('beam.path_start')}**")
        return
    word = literal(visible(tried.token(node.id)))
    st.markdown(f"**{say('beam.path', word=word, step=node.position + 1)}**")
    st.html(_path(tried, tree, node, look))
    st.html(_numbers(tree, node, look))
    _looks(tried, tree, node, look, word)


def _path(tried: Tried, tree: Beam, node: Node, look: Look) -> str:
    words = [escape(visible(tried.token(each.id))) for each in tree.path(node.index)]
    last = f'<b style="border-color: {look.colour("weights")}">{words[-1]}</b>'
    chips = "".join(f"<span>{word}</span>" for word in words[:-1])
    return f'<p class="beam-path">{chips}{last}</p>'


def _numbers(tree: Beam, node: Node, look: Look) -> str:
    digits = look.precision
    penalty = tree.penalty(node.length)
    total, score = format_number(node.total, digits), format_number(node.score, digits)
    facts = [
        (say("beam.chance"), format_percent(node.probability, digits)),
        (say("beam.place_in"), str(node.rank + 1)),
        (say("beam.total"), total),
        (say("beam.length"), str(node.length)),
        (say("beam.score"), f"{total} / {format_number(penalty, digits)} = {score}"),
        (
            say("beam.entropy"),
            "–" if node.entropy is None else format_number(node.entropy, digits),
        ),
    ]
    cells = "".join(
        f"<div><span>{escape(name)}</span><b>{escape(value)}</b></div>" for name, value in facts
    )
    fate = escape(say(f"beam.fate_{node.fate}"))
    wide = f'<div class="wide"><span>{escape(say("beam.fate"))}</span><b>{fate}</b></div>'
    return f'<div class="beam-numbers">{cells}{wide}</div>'


def _looks(tried: Tried, tree: Beam, node: Node, look: Look, word: str) -> None:
    layer, head = attention_in_focus(state.get_state(), tried.trace)
    st.markdown(f"**{say('beam.looks', word=word)}**")
    _pickers(tried, layer, head)
    run = tried.run(tree.words(node.index))
    weights = head_map(run, "cross", layer, head, "weights").weights[node.position]
    _, source = sides(run, "cross")
    figure = source_weights(source.labels, weights.tolist(), look, source.sinks, HEIGHT)
    with st.container(key="beam_looks_place"):
        alt = say("beam.looks_alt", word=visible(tried.token(node.id)))
        show_chart(figure, key="beam_looks", alt=alt, fill=True)


def _pickers(tried: Tried, layer: int, head: int | None) -> None:
    config = tried.trace.config
    layers = {at: say("frame.layer", layer=at + 1) for at in range(config.decoder_layers)}
    heads: dict[int | None, str] = {None: say("beam.mean")}
    heads |= {at: say("frame.head", head=at + 1) for at in range(config.n_heads)}

    def take(_: int | None) -> None:
        chosen = {name: state.widget_value(f"beam_{name}") for name in ("layer", "head")}
        state.update(kind="cross", **chosen)

    with st.container(horizontal=True, gap="small", key="beam_pickers", wrap=False):
        for name, options, value in (("layer", layers, layer), ("head", heads, head)):
            menu(f"beam_{name}", say(f"beam.{name}"), options, value, take)
