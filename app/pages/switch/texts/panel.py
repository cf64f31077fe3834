"""One experiment over many texts, and what heads do over them: tables to look at and to take along.

The texts run one after the other, in turn with other visitors' work; a run that was stopped goes on
where it was.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from glassformer.app.panels.attention.heads import KIND_NAMES
from glassformer.app.plots.labels import shorten_text
from glassformer.app.runs import on_screen
from glassformer.app.runs.models import place_of
from glassformer.app.runs.traces import get_setting
from glassformer.app.session import experiments, store
from glassformer.app.session.limits import MOST_OVER_TEXTS, MOST_TEXTS
from glassformer.app.session.state import OVER_TEXTS
from glassformer.app.ui.layout import box
from glassformer.app.ui.lines import in_one_line, with_lines
from glassformer.app.ui.pick import draw_choice, set_field
from glassformer.app.ui.text import format_error
from glassformer.app.words import say
from glassformer.core.analysis.export import as_csv
from glassformer.core.analysis.head_statistics import (
    MEASURES,
    HeadMeasures,
    measure_heads,
    tabulate_heads,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import StoppedError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.experiment import REFERENCE
from glassformer.core.interventions.over_texts import TextResult, over_texts, results_table

if TYPE_CHECKING:
    import pandas as pd

FIRST = {
    "translate": (*REFERENCE[:6], "我喜欢喝茶。", "你想去北京吗？"),
    "continue": (
        "The capital of France is", "Once upon a time there was", "I have a cat and",
        "The animal didn't cross the street because it was", "Two plus two is", "My brother is",
    ),
    "fill_in": (
        "The capital of France is ___.", "The cat sat on the ___.", "I like to drink ___.",
        "My brother is ___ than my sister.", "Two plus two is ___.", "She went to ___ yesterday.",
    ),
}  # fmt: skip
SHOWN = (
    "changed", "kl_mean", "kl_max", "log_probability_plain", "log_probability_switched", "plain",
    "switched", "error",
)  # fmt: skip


@dataclass(frozen=True)
class Looked:
    """A text's result, without its run, and what the heads of its plain run did."""

    result: TextResult
    heads: HeadMeasures | None


def show() -> None:
    """Draw the texts, the button that runs them, and what came of it."""
    with st.container(key="texts_page", gap="xsmall"):
        st.markdown(f"**{say('over_texts.title')}** :small[{say('over_texts.about')}]")
        left, right = st.columns([30, 70], gap="medium")
        with left, box("note", "texts_left", gap="xsmall"):
            texts, more = _typed()
            key = _key(texts)
            _edit(texts, more)
            st.button(say("over_texts.run", count=len(texts)), key="texts_run", type="primary",
                      icon=":material/play_arrow:", disabled=not texts, on_click=_ask,
                      args=(key,))  # fmt: skip
            if not experiments.current_experiment():
                st.caption(say("over_texts.nothing_switched"))
        with right, st.container(key="texts_right", gap="xsmall"):
            found = _found(texts, key)
            if found is None:
                st.info(say("over_texts.not_yet"))
            else:
                _results(found, len(texts))


def _typed() -> tuple[list[str], int]:
    """The texts, and how many are left out because there are too many."""
    given = store.get_state().texts.strip()
    lines = given.splitlines() if given else list(_first())
    texts = [with_lines(line.strip()) for line in lines if line.strip()]
    return texts[:MOST_OVER_TEXTS], max(0, len(texts) - MOST_OVER_TEXTS)


def _first() -> Sequence[str]:
    return FIRST[on_screen.plain_model().kind]


def _key(texts: Sequence[str]) -> Hashable:
    """What is asked: of which model, with which switches, of which texts."""
    name, step = on_screen.made_by()
    return place_of(name)[0], step, experiments.current_experiment().text, tuple(texts)


def _ask(key: Hashable) -> None:
    """Let these texts run; what was found of others stays, the latest few."""
    memory = store.memory()
    others = {each: old for each, old in memory.over_texts.items() if each != key}
    memory.over_texts = dict([*others.items(), (key, memory.over_texts.get(key, ()))][-MOST_TEXTS:])


def _edit(texts: Sequence[str], more: int) -> None:
    def take() -> None:
        store.update(texts=store.widget_value("texts_typed").strip())

    st.text_area(
        say("over_texts.texts", most=MOST_OVER_TEXTS),
        **store.bind("texts_typed", "\n".join(map(in_one_line, texts))),
        height=220,
        on_change=take,
    )
    if more:
        st.caption(say("over_texts.left_out", count=more))


def _found(texts: Sequence[str], key: Hashable) -> tuple[Looked, ...] | None:
    """What came of the texts, computed as far as it is not; None before it was asked for."""
    memory = store.memory()
    if key not in memory.over_texts:
        return None
    found = memory.over_texts[key]
    left = texts[len(found) :]
    if not left:
        return found
    place = on_screen.made_by()
    model = on_screen.plain_model()
    experiment = Experiment(experiments.current_experiment().switches)
    try:
        for each in over_texts(model, left, experiment, get_setting(*place)):
            heads = measure_heads(each.run) if each.run is not None else None
            found = (*found, Looked(replace(each, run=None), heads))
            memory.over_texts = {**memory.over_texts, key: found}
    except StoppedError:
        if not found:
            raise
    except GlassformerError as error:
        st.warning(format_error(error))
    return found


def _results(found: Sequence[Looked], asked: int) -> None:
    results = [each.result for each in found]
    good = [each for each in results if each.divergence is not None]
    mean = sum(each.divergence[0] for each in good if each.divergence) / max(len(good), 1)
    said = say(
        "over_texts.summary", done=len(results), asked=asked, changed=sum(e.changed for e in good),
        kl=f"{mean:.3g}" if good else "–", failed=sum(1 for each in results if each.error),
    )  # fmt: skip
    now = store.get_state().over
    with st.container(horizontal=True, vertical_alignment="center", key="texts_head"):
        draw_choice("texts_over", "over_texts.over", OVER_TEXTS, now, set_field("over"))
        st.markdown(said, width="content")
    heads = [each.heads for each in found if each.heads is not None]
    if now == "heads":
        _table(_heads(heads), tabulate_heads(heads), "heads")
        st.caption(say("over_texts.heads_read", count=len(heads)))
    else:
        _table(_texts(results), results_table(results), "texts")
        st.caption(say("over_texts.texts_read"))


def _texts(results: Sequence[TextResult]) -> "pd.DataFrame":
    """The table as it is shown: in words of the page, errors in the reader's language."""
    full = results_table(results)
    found = full[["text", *SHOWN]].copy()
    if not any(each.error for each in results):
        found = found.drop(columns="error")
    for name in ("text", "plain", "switched"):
        found[name] = [shorten_text(str(each), 200) for each in found[name]]
    return found.rename(columns={name: say(f"over_texts.column_{name}") for name in found})


def _heads(heads: Sequence[HeadMeasures]) -> "pd.DataFrame":
    found = tabulate_heads(list(heads))
    for name in ("layer", "head"):
        found[name] += 1
    found["kind"] = [say(KIND_NAMES[kind]) for kind in found["kind"]]
    names = {
        "kind": say("over_texts.column_kind"),
        "layer": say("over_texts.column_layer"),
        "head": say("over_texts.column_head"),
    }
    for name in MEASURES:
        names[name] = say(f"over_texts.measure_{name}")
        names[f"{name}_std"] = f"± {names[name]}"
    return found.drop(columns="texts").dropna(axis=1, how="all").rename(columns=names)


def _table(shown: "pd.DataFrame", full: "pd.DataFrame", name: str) -> None:
    """A table, and the button that saves it with names for programs and heads from 0."""
    formats: dict[str, Any] = {}
    for column in map(str, shown):
        if shown[column].dtype.kind == "f":
            formats[column] = st.column_config.NumberColumn(column, format="%.3g")
        elif name == "texts" and shown[column].dtype.kind != "b":
            formats[column] = st.column_config.TextColumn(column, width="medium")
    with box("fill tall", f"texts_{name}"):
        st.dataframe(shown, height="stretch", hide_index=True, column_config=formats,
                     alt=say(f"over_texts.alt_{name}"))  # fmt: skip
    st.download_button(
        say("over_texts.csv"), lambda: as_csv(full), f"{name}.csv", "text/csv",
        key=f"texts_{name}_csv", icon=":material/download:", on_click="ignore",
    )  # fmt: skip
