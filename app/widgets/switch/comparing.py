"""Two experiments beside each other: what both switch, what one alone does, and their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from app import experiments, state
from app.widgets.phrases import phrase
from app.widgets.switch import compared
from app.widgets.text import literal
from app.words import say
from core.edits import Experiment, compare
from core.edits.switch import Switch

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
        title = say("experiment.compare_title")
        # Going to a difference moves the focus of the page behind, which is drawn at the end.
        st.dialog(title, width="large", on_dismiss="rerun")(_dialog)()


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
    for place, (which, switches) in zip(
        st.columns(3, gap="medium"),
        (
            ("both", found.both),
            ("only_first", found.only_first),
            ("only_second", found.only_second),
        ),
        strict=True,
    ):
        with place:
            _switches(which, switches)
    names = (labels[first], labels[second])
    sentences = (_sentence(first), _sentence(second))
    compared.show((offered[first], offered[second]), names, sentences)


def _sentence(choice: Choice) -> tuple[str, str]:
    """The text of an experiment and its direction: of a kept one those that it was kept with."""
    kind, name = choice
    now = state.get_state()
    return experiments.sentence(name) if kind == "kept" else (now.text, now.direction)


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
