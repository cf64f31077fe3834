"""The panel of a block of the map: what goes in, what happens, what comes out, in numbers."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from app import state
from app.figures.block_pictures import block_pictures
from app.figures.picture import Picture
from app.widgets import trail
from app.widgets.architecture_map.scene import title_of, variant
from app.widgets.block_panel.facts import facts
from app.widgets.block_panel.formula import formula
from app.widgets.block_panel.pictures import labels_of, pictures, place_of
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import current_look, show_chart
from app.widgets.style import put_sheet
from app.widgets.walk_link import walk_button
from app.words import say
from core.reading.blocks import Block, block_at
from core.trace.sites import letters
from core.trace.trace import Trace

FIGURE = 340  # pixels that the pictures are laid out for; they take what the panel has left
CHART = "block_pictures"
ATTENTION_PAGE = "app/views/attention.py"


def block_panel(trace: Trace, block: str) -> None:
    """Draw the panel of a block by its id, or a line that says what to click.

    It is as high as its column: the pictures take what the text leaves. The button of an
    attention block opens its heads on the Attention page.
    """
    found = block_at(trace.config, block)
    if found is None:
        st.caption(say("map.panel_hint"))
        return
    with st.container(key="block_panel", height="stretch", border=True, gap="xsmall"):
        put_sheet(__file__, "block_panel.css")
        _header(trace, found)
        with st.container(key="block_text", border=False):
            _explanation(trace, found)
        drawn = pictures(trace, found, say)
        _pictures(trace, found, drawn)
        st.html(_facts(trace, found) + _addresses(trace, found, drawn))


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
    with row:
        walk_button(trace, block.after or block.inside, "block_to_walkthrough")
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


def _pictures(trace: Trace, block: Block, drawn: Sequence[Picture]) -> None:
    figure = block_pictures(drawn, labels_of(trace, block), current_look(), FIGURE)
    title = title_of(trace.config, block, say)
    show_chart(figure, key=CHART, alt=say("map.alt", title=title), file_name=block.id, fill=True)

    def clicked(click: Click) -> None:
        picture = drawn[click.curve] if click.curve < len(drawn) else None
        if picture is not None and picture.address:
            place = place_of(trace, picture, int(click.y) - 1, int(click.x) - 1)
            trail.open_trail(picture.address, place)

    plotly_clicks([CHART], clicked, key="block")


def _facts(trace: Trace, block: Block) -> str:
    """The numbers as a row of small tiles; words of the reader are escaped."""
    tiles = "".join(
        f"<p><span>{html.escape(name)}</span><b>{html.escape(value)}</b></p>"
        for name, value in facts(trace, block, say, state.get_state().precision)
    )
    return f'<div class="block_facts">{tiles}</div>'


def _addresses(trace: Trace, block: Block, drawn: Sequence[Picture]) -> str:
    """Where the drawn tensors are recorded, with their shapes, and what the colours leave out."""
    shown = dict.fromkeys(at for at in (block.before, block.inside, block.after) if at)
    parts = [
        f"<code>{at}</code> {' × '.join(map(str, trace[at].shape))} ({' × '.join(letters(at))})"
        for at in shown
    ]
    steps = max((picture.step for picture in drawn), default=1)
    notes = [say("map.click")] if any(picture.address for picture in drawn) else []
    notes += [say("map.clipped")] if any(picture.clipped for picture in drawn) else []
    notes += [say("map.pooled", step=steps)] if steps > 1 else []
    note = " ".join(html.escape(said) for said in notes)
    lines = "<br>".join([*([note] if note else []), *parts])
    return f'<p class="block_addresses" title="{html.escape(say("map.recorded"))}">{lines}</p>'


def _focus(block: Block) -> None:
    kind = "cross" if block.kind == "cross_attention" else block.stack
    state.update(kind=kind, layer=block.layer or 0, head=None)


def _close() -> None:
    state.update(block="")
