"""First line of the stage bar: the sentence, one beside it, examples, direction and model."""

from __future__ import annotations

from collections.abc import Callable, Container

import streamlit as st

from app import service, state
from app.widgets.stage_bar.examples import Example, examples
from app.widgets.text import literal
from app.words import say

SECOND_OPEN = "second_open"  # its input is on screen, though nothing is typed yet


def show() -> None:
    """Draw the line; what the user changes goes into the state."""
    now = state.get_state()
    with st.container(horizontal=True, gap="xsmall", key="stage_sentence", wrap=False):
        st.text_input(
            say("frame.sentence"),
            key=state.bind("sentence", now.text),
            placeholder=say("frame.sentence_hint"),
            label_visibility="collapsed",
            on_change=_take("sentence", "text"),
        )
        _second(now)
        notes = {example: _example_label(example, now.language) for example in examples()}
        st.menu_button(
            say("frame.examples"),
            tuple(notes),
            key="widget_example",
            format_func=notes.__getitem__,
            on_click=_pick_example,
        )
        directions = {name: say(f"frame.direction_{name}") for name in state.DIRECTIONS}
        _choice("direction", now.direction, directions)
        models = {name: name for name in service.models() or ("",)}
        _choice("model", now.model, models)


def _second(now: state.State) -> None:
    """A sentence beside the first: a button that opens its input, and one that closes it."""
    if not (now.second or state.kept(SECOND_OPEN, False)):
        st.button(
            ":material/add:",
            key="widget_second_open",
            type="tertiary",
            help=say("experiment.second_open"),
            on_click=_open_second,
        )
        return
    # It begins as the first sentence: most often one word is to be another.
    st.text_input(
        say("experiment.second"),
        key=state.bind("second", now.second or now.text),
        placeholder=say("experiment.second_hint"),
        label_visibility="collapsed",
        on_change=_take("second", "second"),
    )
    st.button(
        "×",
        key="widget_second_close",
        type="tertiary",
        help=say("experiment.second_close"),
        on_click=_close_second,
    )


def _open_second() -> None:
    state.keep(SECOND_OPEN, True)


def _close_second() -> None:
    state.keep(SECOND_OPEN, False)
    state.update(second="", run="")


def _choice(name: str, value: str, labels: dict[str, str]) -> None:
    # Another language, another widget: a box in the browser keeps the label it shows.
    widget = f"{name}_{state.get_state().language}"
    st.selectbox(
        say(f"frame.{name}"),
        tuple(labels),
        key=state.bind(widget, value if value in labels else next(iter(labels))),
        format_func=labels.__getitem__,
        label_visibility="collapsed",
        width=180 * state.get_state().size // 100,
        on_change=_take(widget, name, labels),
    )


def _take(widget: str, field: str, offered: Container[str] | None = None) -> Callable[[], None]:
    def take() -> None:
        value = state.widget_value(widget)
        # Where the labels have changed, the browser may send one from before: no choice.
        if offered is None or value in offered:
            state.update(**{field: value})

    return take


def _pick_example() -> None:
    chosen = state.widget_value("example")
    if chosen is not None:
        state.update(text=chosen.text, direction="auto")


def _example_label(example: Example, language: str) -> str:
    return f"{literal(example.text)} :gray[:small[{literal(example.note(language))}]]"
