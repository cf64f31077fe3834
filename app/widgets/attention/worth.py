"""Heads worth looking at: which shows what, measured on held-out sentences, each to be opened."""

from __future__ import annotations

import streamlit as st

from app import state
from app.figures.labels import format_percent
from app.widgets.attention.focus import Focus, head_name
from app.widgets.attention.measured import measured
from app.widgets.attention.taught import SIGN, taught_as
from app.words import say
from core.reading.measured_heads import CLEAR, MeasuredHead, best_by_role

ROOM = 200  # pixels of a button


def show(focus: Focus) -> None:
    """Draw the button and the list that it opens; nothing for a model without measures."""
    direction = focus.trace.direction
    best = best_by_role(measured(), direction)
    if not best:
        return
    with st.popover(
        say("attention.worth"), icon=":material/star:", key="attention_worth", width="stretch"
    ):
        st.caption(say("attention.worth_about"))
        for role, head in best.items():
            _row(role, head, direction)
        st.caption(f"{say('attention.worth_claim')} {SIGN}: {say('attention.worth_taught')}.")


def _row(role: str, head: MeasuredHead, direction: str) -> None:
    share, loss = head.roles[direction][role], head.loss(direction)
    sign = SIGN if taught_as(head.kind, head.layer, head.head) == role else ""

    def take() -> None:
        state.update(kind=head.kind, layer=head.layer, head=head.head)

    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", wrap=False):
        st.button(
            f"{say(f'attention.role_{role}')} {sign}".strip(),
            key=f"widget_worth_{role}",
            width=ROOM,
            on_click=take,
        )
        name = f"{say(f'attention.kind_{head.kind}')} · {head_name(head.layer, head.head)}"
        clear = "attention.worth_clear" if share >= CLEAR else "attention.worth_faint"
        told = [say(clear, share=format_percent(share))]
        if loss is not None:
            told.append(say("attention.worth_loss", share=format_percent(max(loss, 0.0))))
        st.markdown(f"{name}  \n{' · '.join(told)}", width="stretch")
