"""Two experiments beside each other: what both switch, what one alone does, what they translate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from app import experiments, service, state
from app.widgets.phrases import phrase
from app.widgets.text import literal, told
from app.words import say
from core.edits import Experiment, compare
from core.edits.switch import Switch
from core.errors import GlassformerError

Choice = tuple[str, str]  # ("now" | "plain" | "kept", name of a kept one)
NOW, PLAIN = ("now", ""), ("plain", "")


def show() -> None:
    """Draw the button; it opens the dialog."""
    if st.button(
        say("experiment.compare"),
        key="widget_compare",
        icon=":material/compare_arrows:",
        help=say("experiment.compare_help"),
        disabled=not (experiments.now() or experiments.kept()),
    ):
        st.dialog(say("experiment.compare_title"), width="large")(_dialog)()


def choices() -> dict[Choice, Experiment]:
    """What can be compared: the present one, the kept ones, the latest first, and nothing."""
    kept = reversed(experiments.kept().items())
    others: dict[Choice, Experiment] = {("kept", name): each for name, each in kept}
    return {NOW: experiments.now(), **others, PLAIN: Experiment()}


def _dialog() -> None:
    offered = choices()
    labels = {each: _label(each) for each in offered}
    usual = tuple(offered)
    before, after = st.columns(2, gap="medium")
    with before:
        first = _choose("first", labels, usual[0])
    with after:
        second = _choose("second", labels, usual[1])
    found = compare(offered[first], offered[second])
    _switches("both", found.both)
    before, after = st.columns(2, gap="medium")
    with before:
        _switches("only", found.only_first)
    with after:
        _switches("only", found.only_second)
    st.markdown(f"**{say('experiment.compare_output')}**")
    texts = [_translation(offered[each]) for each in (first, second)]
    for place, text in zip(st.columns(2, gap="medium"), texts, strict=True):
        place.markdown(text)
    st.caption(say(f"experiment.compare_{'same' if texts[0] == texts[1] else 'other'}"))


def _label(choice: Choice) -> str:
    kind, name = choice
    return name if kind == "kept" else say(f"experiment.choice_{kind}")


def _choose(name: str, labels: Mapping[Choice, str], usual: Choice) -> Choice:
    def take() -> None:
        state.keep(f"compare_{name}", state.widget_value(f"compare_{name}"))

    held = state.kept(f"compare_{name}", usual)
    chosen: Choice = st.selectbox(
        say(f"experiment.compare_{name}"),
        tuple(labels),
        key=state.bind(f"compare_{name}", held if held in labels else usual),
        format_func=labels.__getitem__,
        on_change=take,
    )
    return chosen


def _switches(which: str, found: Sequence[Switch]) -> None:
    pieces = [f"- {literal(phrase(each))}" for each in found]
    title = say(f"experiment.compare_{which}")
    st.markdown("\n".join([f"**{title}**", "", *(pieces or [say("experiment.compare_none")])]))


def _translation(experiment: Experiment) -> str:
    """The translation of this sentence, as markdown."""
    try:
        return literal(service.run_of(experiment).full_text)
    except GlassformerError as error:
        return told(error)
