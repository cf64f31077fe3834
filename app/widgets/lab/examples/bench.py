"""The list of examples beside the chosen one."""

from __future__ import annotations

import streamlit as st

from app import state
from app.widgets.lab import kit
from app.widgets.lab.examples import overview, results
from app.widgets.lab.examples.inputs import TIES, computing, fields
from app.words import say
from core.lab.errata import KINDS, tally
from core.lab.worked_examples import examples

OVERVIEW = "errata"


def show() -> None:
    """Draw the bench."""
    chosen = on_screen(state.get_state().example)
    with st.container(key="lab_examples", horizontal=True, gap="medium"):
        with st.container(key="lab_examples_list", gap=None):
            _list(chosen)
        with st.container(key="lab_example", gap="xsmall"):
            if chosen == OVERVIEW:
                overview.show()
            else:
                _example(chosen)


def on_screen(example: str) -> str:
    """What the state asks for, the first example where there is no such thing."""
    return example if example in (OVERVIEW, *examples()) else examples()[0]


def _list(chosen: str) -> None:
    st.markdown(f":small[{say('lab_examples.legend')}]")
    for key in (OVERVIEW, *examples()):
        st.button(
            _entry(key),
            key=f"lab_example_{key}" + ("_chosen" if key == chosen else ""),
            type="tertiary",
            width="stretch",
            on_click=_choose,
            args=(key,),
        )


def _entry(key: str) -> str:
    overview = key == OVERVIEW
    name = say("lab_examples.errata" if overview else f"lab_examples.name_{key}")
    keys = None if overview else (key,)
    wrong, code = (tally(kind, keys).wrong for kind in KINDS)
    badges = [f":red-badge[≠ {wrong}]"] * bool(wrong) + [f":orange-badge[⚠ {code}]"] * bool(code)
    return " ".join([name, *badges])


def _choose(key: str) -> None:
    state.update(example=key)


def _example(key: str) -> None:
    kit.headed(say(f"lab_examples.title_{key}"), say(f"lab_examples.about_{key}"))
    compute, ties = computing(key), TIES.get(key, ())
    answer = kit.worked(f"example_{key}", fields(key), compute, ties, results.status)
    results.show(answer.result)
