"""Second line of the stage bar: what is in focus, and what the reader must know."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import state
from app.widgets import escape
from app.widgets.opening import on_file
from app.widgets.stage_bar import switched
from app.widgets.stage_bar.notices import Notice
from app.widgets.text import literal
from app.widgets.translate.focus import attention_in_focus
from app.words import say
from core.reading.confidence import confidence
from core.trace.trace import Trace

# Training: where a head is in focus; the words are joined by cross-attention, too.
WITH_A_HEAD = [("replay", panel) for panel in ("translation", "attention", "film")]

WITHOUT_A_HEAD = ("walkthrough", "vectors")  # they name what they show themselves
DOUBTED = ("attention", "tensors")  # pages without the badge


def show(trace: Trace | None, notices: Sequence[Notice]) -> None:
    """Draw the line: the focus on the left, messages, what is switched on the right."""
    with st.container(
        horizontal=True, gap="xsmall", key="stage_focus", wrap=False, vertical_alignment="center"
    ):
        if trace is not None:
            _show_focus(trace)
            on_file.show()
        if notices:
            st.markdown(" ".join(each.markdown for each in notices), width="stretch")
            for place, way in enumerate(way for each in notices for way in each.ways):
                st.button(
                    say(f"experiment.way_{way.name}"),
                    key=f"widget_way_{place}",
                    help=say(f"experiment.way_{way.name}_help"),
                    on_click=way.act,
                )
        else:
            st.space("stretch")
        if trace is not None:
            switched.show(crowded=bool(notices))


def _show_focus(trace: Trace) -> None:
    now = state.get_state()
    st.markdown(" · ".join(focus(now, trace, state.page())), width="content")
    if state.page() in DOUBTED and confidence(trace).level == "unsure":
        _show_doubt()
    if now.step:
        _show_step(now.step)
    if escape.is_pinned(now):
        st.button(
            "×",
            key="widget_release",
            type="tertiary",
            help=say("frame.release"),
            on_click=escape.release,
        )


def _show_doubt() -> None:
    """What the Translate page says at length: the translation may well be wrong."""
    st.markdown(f":orange[◆ **{say('translate.badge')}**]", width="content")


def _show_step(step: str) -> None:
    """The step of the training in view: what is on screen is not what the model became."""
    st.markdown(
        f":orange[:material/history: **{say('frame.step', step=step)}**]",
        width="content",
    )
    st.button(
        f":material/last_page: {say('frame.to_end')}",
        key="widget_to_end",
        on_click=_to_end,
    )


def _to_end() -> None:
    state.update(step="")


def focus(now: state.State, trace: Trace, page: str) -> list[str]:
    """What is in focus on a page ("" is the first one, Translate), part by part, as markdown."""
    kind, layer, head = "cross", *attention_in_focus(now, trace)
    moving = page == "training" and now.replay in ("attention", "film")
    if page in ("attention", "switch") or moving:
        kind, layer, head = now.kind, now.layer, now.head
    parts = _attention(kind, layer, head, trace)
    if page == "tensors":
        parts = [f"`{now.address}`"] if now.address else []
    elif page in WITHOUT_A_HEAD or (
        page == "training" and (now.training, now.replay) not in WITH_A_HEAD
    ):
        parts = []
    return [_direction(trace), *parts, *_pins(now, trace)]


def _direction(trace: Trace) -> str:
    return say(f"frame.direction_{trace.direction}")


def _attention(kind: str, layer: int, head: int | None, trace: Trace) -> list[str]:
    heads = (
        say("frame.all_heads", heads=trace.config.n_heads)
        if head is None
        else say("frame.head", head=head + 1)
    )
    return [say(f"frame.focus_{kind}"), say("frame.layer", layer=layer + 1), heads]


def _pins(now: state.State, trace: Trace) -> list[str]:
    parts = []
    rows = trace.source_tokens if now.kind == "encoder" else trace.target_tokens
    columns = trace.target_tokens if now.kind == "decoder" else trace.source_tokens
    if now.query is not None:
        parts.append(say("frame.query", token=literal(rows[now.query])))
    if now.key is not None:
        parts.append(say("frame.key", token=literal(columns[now.key])))
    if now.token is not None:
        side, place = now.token
        tokens = trace.source_tokens if side == "source" else trace.output_tokens
        parts.append(say("frame.token", token=literal(tokens[place])))
    return parts
