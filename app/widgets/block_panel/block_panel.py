"""The panel of a block of the map: what goes in, what happens, what comes out, in numbers."""

from __future__ import annotations

import html
from functools import cache
from pathlib import Path

import streamlit as st

from app import state
from app.figures.block_pictures import block_pictures
from app.widgets.architecture_map.scene import title_of, variant
from app.widgets.block_panel.facts import facts
from app.widgets.block_panel.formula import formula
from app.widgets.block_panel.pictures import pictures, words_of
from app.widgets.chart import current_look, show_chart
from app.words import say
from core.reading.blocks import Block, block_at
from core.trace.sites import letters
from core.trace.trace import Trace

TEXT, FIGURE = 172, 282
ATTENTION_PAGE = "app/views/attention.py"


def block_panel(trace: Trace, block: str) -> None:
    """Draw the panel of a block by its id, or a line that says what to click.

    Its height is the same for every block. The button of an attention block opens its heads on
    the Attention page.
    """
    found = block_at(trace.config, block)
    if found is None:
        st.caption(say("map.panel_hint"))
        return
    with st.container(key="block_panel", height="stretch", border=True, gap="xsmall"):
        st.html(f"<style>{_style()}</style>")
        _header(trace, found)
        with st.container(key="block_text", height=TEXT, border=False):
            _explanation(trace, found)
        _pictures(trace, found)
        st.html(_facts(trace, found) + _addresses(trace, found))


def _header(trace: Trace, block: Block) -> None:
    row = st.container(
        key="block_header", horizontal=True, vertical_alignment="center", gap="medium"
    )
    row.markdown(f"**{title_of(trace.config, block, say)}**", width="stretch")
    if block.is_attention and row.button(
        say("map.to_attention"),
        key="block_to_attention",
        type="tertiary",
        icon=":material/grid_view:",
        on_click=_focus,
        args=(block,),
    ):
        st.switch_page(ATTENTION_PAGE)
    row.button(
        say("map.close"), key="block_close", type="tertiary", on_click=_close,
        icon=":material/close:",
    )  # fmt: skip


def _explanation(trace: Trace, block: Block) -> None:
    tex = formula(trace.config, block, current_look())
    said, computed = st.columns([0.5, 0.5] if tex else [0.99, 0.01], gap="medium")
    said.markdown(say(f"map.about_{variant(block)}"))
    if tex:
        computed.markdown(f"${tex}$")


def _pictures(trace: Trace, block: Block) -> None:
    look, drawn = current_look(), pictures(trace, block, say)
    figure = block_pictures(drawn, words_of(trace, block), look, FIGURE)
    title = title_of(trace.config, block, say)
    show_chart(
        figure, key="block_pictures", alt=say("map.alt", title=title), file_name=block.id, fill=True
    )


def _facts(trace: Trace, block: Block) -> str:
    """The numbers as a row of small tiles; words of the reader are escaped."""
    tiles = "".join(
        f"<p><span>{html.escape(name)}</span><b>{html.escape(value)}</b></p>"
        for name, value in facts(trace, block, say, state.get_state().precision)
    )
    return f'<div class="block_facts">{tiles}</div>'


def _addresses(trace: Trace, block: Block) -> str:
    """Where the drawn tensors are recorded, with their shapes."""
    shown = dict.fromkeys(at for at in (block.before, block.inside, block.after) if at)
    parts = [
        f"<code>{at}</code> {' × '.join(map(str, trace[at].shape))} ({' × '.join(letters(at))})"
        for at in shown
    ]
    steps = max((picture.step for picture in pictures(trace, block, say)), default=1)
    note = f" {html.escape(say('map.pooled', step=steps))}" if steps > 1 else ""
    lines = "<br>".join(parts)
    return (
        f'<p class="block_addresses" title="{html.escape(say("map.recorded"))}">{lines}{note}</p>'
    )


def _focus(block: Block) -> None:
    kind = "cross" if block.kind == "cross_attention" else block.stack
    state.update(kind=kind, layer=block.layer or 0, head=None)


def _close() -> None:
    state.update(block="")


@cache
def _style() -> str:
    return Path(__file__).with_name("block_panel.css").read_text(encoding="utf-8")
