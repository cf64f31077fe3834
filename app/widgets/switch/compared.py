"""The runs of two experiments: before, after and difference of one tensor, and their words."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from app import experiments, service, state
from app.figures.triple_layout import TripleLayout
from app.service import Pair
from app.widgets.beside import pickers, triple
from app.widgets.beside.wording import change, where
from app.widgets.pick import segments
from app.widgets.style import put_sheet
from app.widgets.switch import effect_words, panel
from app.widgets.text import literal, told
from app.words import say
from core.edits import Experiment
from core.errors import GlassformerError
from core.reading.beside_heads import Furthest, furthest
from core.trace.trace import Trace

LAYOUT = TripleLayout(width=1180, height=380)
KEY = "beside_compared"
ON = "compared_on"  # "own": each on its own sentence; "screen": both on the one on screen
Sentence = tuple[str, str]  # text, direction


@dataclass(frozen=True)
class Side:
    """One of the two: the plain run of its sentence, the switched one, that on the plain words."""

    name: str
    experiment: Experiment
    plain: Trace
    run: Trace
    forced: Trace

    @staticmethod
    def of(name: str, asked: Experiment, sentence: Sentence) -> Side:
        """An experiment by the state's model, without what does not fit the sentence.

        Errors: GlassformerError where it cannot be run.
        """
        now = state.get_state()
        place = (now.model, now.step)
        plain = service.get_trace(*sentence, *place)
        fitting = experiments.fitting(asked, plain)[0]
        run = service.get_run(fitting, *sentence, *place)
        forced = service.get_forced(fitting, run, service.written(plain), *place)
        return Side(name, asked, plain, run, forced)


def show(
    asked: tuple[Experiment, Experiment],
    names: tuple[str, str],
    sentences: tuple[Sentence, Sentence],
) -> None:
    """Draw both runs and how they differ; one that cannot be run is told in its place."""
    put_sheet(__file__, "compared.css")
    if sentences[0] != sentences[1]:
        sentences = _on(sentences)
    try:
        sides = tuple(map(Side.of, names, asked, sentences))
    except GlassformerError as error:
        st.warning(told(error))
        return
    first, second = sides
    same = sentences[0] == sentences[1]
    kind = "experiment" if same else "sentences"
    pair = Pair(kind, first.run, second.run, (first.name, second.name))  # type: ignore[arg-type]
    with st.container(key="compared", gap="small"):
        _outputs(pair)
        _tensor(pair)
        with st.container(key="compared_words"):
            for side, place in zip(sides, st.columns(2, gap="medium"), strict=True):
                with place:
                    _words(side, f"compared_words_{sides.index(side)}")


def _on(sentences: tuple[Sentence, Sentence]) -> tuple[Sentence, Sentence]:
    """Which sentences are compared, where those of the two differ; and what that allows."""
    labels = {name: say(f"experiment.compare_{name}") for name in ("own", "screen")}
    chosen = state.kept(ON, "own")
    segments(
        "compare_on", say("experiment.compare_on"), labels, chosen, lambda on: state.keep(ON, on)
    )
    st.caption(say(f"experiment.compare_about_{chosen}"))
    now = state.get_state()
    screen = (now.text, now.direction)
    return sentences if chosen == "own" else (screen, screen)


def _outputs(pair: Pair) -> None:
    texts = [literal(trace.full_text) for trace in (pair.first, pair.second)]
    for place, text in zip(st.columns(2, gap="medium"), texts, strict=True):
        place.markdown(f"**{text}**")
    st.caption(say(f"experiment.compare_{'same' if texts[0] == texts[1] else 'other'}"))


def _tensor(pair: Pair) -> None:
    """The tensor in view on the page, its pickers, and the way to the largest difference."""
    chosen = panel.in_view(pair.first)
    asked, title = panel.what(chosen)
    found = furthest((pair.first, pair.second), pair.kind == "experiment")
    if found is not None:
        _largest(pair, found)
    if chosen == panel.ATTENTION:
        with pickers.row("compared"):
            pickers.focused(pair.first, KEY)
            pickers.stages(KEY)
    triple.show(pair, asked, KEY, title, LAYOUT)


def _largest(pair: Pair, found: Furthest) -> None:
    digits = state.get_state().precision
    said = say(
        "experiment.compare_largest",
        kind=say(f"frame.focus_{found.kind}"),
        layer=found.layer + 1,
        head=found.head + 1,
        place=literal(where(found.map, found.row, found.column)),
        change=change(found.map, found.row, found.column, digits),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(said, width="content")
        st.button(
            say("experiment.compare_go"),
            key="widget_compare_go",
            icon=":material/near_me:",
            help=say("experiment.compare_go_help"),
            on_click=go,
            args=(pair, found),
        )


def go(pair: Pair, found: Furthest) -> None:
    """Bring the head into view and frame the cell."""
    own = triple.anchor(pair)
    row = int(found.map.rows.places[own][found.row])
    column = int(found.map.columns.places[own][found.column])
    state.update(address="", stage="weights", kind=found.kind, layer=found.layer, head=found.head)
    state.update(query=row, key=column)


def _words(side: Side, key: str) -> None:
    st.markdown(f"**{say('experiment.compare_words', name=literal(side.name))}**")
    if side.run is side.plain:
        st.caption(say("experiment.compare_plain"))
        return
    pair = Pair("experiment", side.plain, side.run)
    effect_words.show(pair, side.forced, key)
