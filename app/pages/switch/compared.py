"""Two experiments beside each other: what both switch, what one alone does, and their runs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from glassformer.app.pages.switch import effect_words, panel
from glassformer.app.panels.compare import largest, pickers, triple
from glassformer.app.panels.compare.figures.triple_layout import TripleLayout
from glassformer.app.panels.phrases import phrase
from glassformer.app.runs.traces import get_forced, get_run, get_trace
from glassformer.app.session import experiments, store
from glassformer.app.session.memory import Pair
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, menu
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.analysis.comparison import Furthest
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.trace.trace import Trace

Choice = tuple[str, str]  # ("now" | "plain" | "kept", name of a kept one)
LAYOUT = TripleLayout(width=1180, height=380)
KEY = "beside_compared"


@dataclass(frozen=True)
class Asked:
    """One of the two experiments, with the sentence (text, direction) that it runs on."""

    name: str
    experiment: Experiment
    sentence: tuple[str, str]


def show_button() -> None:
    """Draw the button; it opens the dialog."""
    if st.button(
        say("experiment.compare"),
        key="widget_compare",
        icon=":material/compare_arrows:",
        help=say("experiment.compare_help"),
        disabled=not (experiments.current_experiment() or experiments.named_experiments()),
    ):
        title = say("experiment.compare_title")
        # Going to a difference moves the focus of the page behind, which is drawn at the end.
        st.dialog(title, width="large", on_dismiss="rerun")(_dialog)()


def _dialog() -> None:
    offered = _offered()
    usual = tuple(offered)
    before, after = st.columns(2, gap="medium")
    with before:
        first = _choose("first", offered, usual[0])
    with after:
        second = _choose("second", offered, usual[1])
    one, two = first.experiment, second.experiment
    found = {
        "both": one.keeping(two.__contains__),
        "only_first": one.keeping(lambda each: each not in two),
        "only_second": two.keeping(lambda each: each not in one),
    }
    for place, (name, each) in zip(st.columns(3, gap="medium"), found.items(), strict=True):
        place.markdown(_switches(say(f"experiment.compare_{name}"), each))
    if first.sentence != second.sentence and _on_screen():
        now = store.get_state()
        here = (now.own_text, now.direction)
        first, second = (replace(each, sentence=here) for each in (first, second))
    _show_runs(first, second)


def _offered() -> dict[Choice, Asked]:
    """What can be compared: the present one, the kept ones, the latest first, and nothing.

    A kept one runs on the sentence that it was kept with.
    """
    now = store.get_state()
    here, kept = (now.own_text, now.direction), reversed(experiments.named_experiments().items())
    return {
        ("now", ""): Asked(say("experiment.choice_now"), experiments.current_experiment(), here),
        **{
            ("kept", name): Asked(name, each, experiments.sentence_of_experiment(name))
            for name, each in kept
        },
        ("plain", ""): Asked(say("experiment.choice_plain"), Experiment(), here),
    }


def _choose(name: str, offered: Mapping[Choice, Asked], usual: Choice) -> Asked:
    held = store.memory().compared.get(name, usual)
    chosen = held if held in offered else usual
    labels = {each: asked.name for each, asked in offered.items()}

    def take(choice: Choice) -> None:
        store.memory().compared[name] = choice

    menu(f"compare_{name}", say(f"experiment.compare_{name}"), labels, chosen, take, bare=False)
    return offered[chosen]


def _switches(title: str, found: Experiment) -> str:
    pieces = [f"- {literal(phrase(each))}" for each in found.switches]
    return "\n".join([f"**{title}**", "", *(pieces or [say("experiment.compare_none")])])


def _on_screen() -> bool:
    """Whether both run on the sentence on screen, where those of the two differ; asks for it."""
    chosen = store.memory().compared_on

    def take(on: str) -> None:
        store.memory().compared_on = on

    draw_choice("compare_on", "experiment.compare_on", ("own", "screen"), chosen, take)
    st.caption(say(f"experiment.compare_about_{chosen}"))
    return chosen == "screen"


def _show_runs(*asked: Asked) -> None:
    """Draw both runs and how they differ; one that cannot be run is told in its place."""
    try:
        made = [_made(each) for each in asked]
    except GlassformerError as error:
        st.warning(format_error(error))
        return
    one, two = asked
    (first, _), (second, _) = made
    alike = one.sentence == two.sentence
    kind: Literal["experiment", "sentences"] = "experiment" if alike else "sentences"
    pair = Pair(kind, first.second, second.second, (one.name, two.name))
    with st.container(key="compared", gap="small"):
        _outputs(pair)
        _tensor(pair)
        with box("fill", "compared_words"):
            columns = st.columns(2, gap="medium")
            for at, (place, each, own) in enumerate(zip(columns, asked, made, strict=True)):
                with place:
                    _words(each.name, *own, f"compared_words_{at}")


def _made(asked: Asked) -> tuple[Pair, Trace]:
    """The plain run and that of an experiment, and the latter on the plain words.

    What does not fit the sentence is left out. Errors: GlassformerError where it cannot be run.
    """
    now = store.get_state()
    place = (now.model, now.version)
    plain = get_trace(*asked.sentence, *place)
    fitting = experiments.fit_experiment(asked.experiment, plain)[0]
    run = get_run(fitting, *asked.sentence, *place)
    forced = get_forced(fitting, run, plain.output_ids, *place)
    return Pair("experiment", plain, run), forced


def _outputs(pair: Pair) -> None:
    texts = [literal(trace.full_text) for trace in (pair.first, pair.second)]
    for place, text in zip(st.columns(2, gap="medium"), texts, strict=True):
        place.markdown(f"**{text}**")
    same = texts[0] == texts[1]
    st.caption(say("experiment.compare_same" if same else "experiment.compare_other"))


def _tensor(pair: Pair) -> None:
    """The tensor in view on the page, its pickers, and the way to the largest difference."""
    chosen = panel.in_view(pair.first)
    asked, title = panel.matrix_and_title(chosen)
    largest.show(pair, "compare", go_to_difference)
    if chosen == panel.ATTENTION:
        with pickers.picker_row("compared"):
            pickers.pick_attention(pair.first, KEY)
            pickers.pick_stage(pair.first, KEY)
    triple.show(pair, asked, KEY, title, LAYOUT)


def go_to_difference(pair: Pair, found: Furthest) -> None:
    """Bring the head into view and frame the cell; the panel leaves a tensor for it."""
    largest.jump_to_difference(pair, found, address="")


def _words(name: str, pair: Pair, forced: Trace, key: str) -> None:
    st.markdown(f"**{say('experiment.compare_words', name=literal(name))}**")
    if pair.first is pair.second:
        st.caption(say("experiment.compare_plain"))
    else:
        effect_words.show(pair, forced, key)
