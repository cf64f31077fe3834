"""Weights times values of the run on screen, summed number by number."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.weighted_values.figures import (
    formula_text,
    steps_figure,
    weighed_tables,
)
from glassformer.app.plots.labels import visible
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import attention_at, attention_sides
from glassformer.core.lab.weighted_values import TAKEN, TYPED, WIDTH, Weighed, weigh_values
from glassformer.core.trace.trace import Trace

ROUNDING = 1e-4  # of z: float32 in the run, float64 here
Row = tuple[Weighed, int, float]  # the query's place and what the run has of z, beside it


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("weighted_values")
    whose.tell_stand_in()
    trace = whose.bench_trace()
    asks, keys = attention_sides(trace, whose.kind_in("weighted_values", trace))
    answer = kit.compute_from_inputs(
        "weighted_values", _fields(trace, len(asks.labels)), partial(_weigh, trace)
    )
    found, query, recorded = answer.result
    words = [keys.labels[at] for at in found.places]
    others = say("lab_weighted_values.others", count="{count}", sum="{sum}")
    formula = formula_text(found, others, look)
    taken, feature = answer.typed["taken"], answer.typed["feature"]
    with st.container(key="lab_weighted_sum", gap=None):
        st.markdown(say("lab_weighted_values.formula", formula=formula, feature=feature))
        st.markdown(_verdict(taken, asks.labels[query], words, found, recorded))
    left, right = st.columns([1, 1.15], gap="medium")
    with left, box("fill scroll", "lab_weighted_told"):
        titled = texts | {"score": texts["score_typed" if taken == "typed" else "score_own"]}
        st.html(weighed_tables(found, words, titled, look))
    with right, box("fill", "lab_weighted_steps", gap=None):
        figure = steps_figure(found, words, texts, look)
        show_chart(figure, "lab_weighted_chart", texts["alt"], fill=True)


def _fields(trace: Trace, words: int) -> list[Field]:
    config = trace.config
    counted = {"head": (1, config.n_heads), "word": (2, words), "feature": (1, config.d_k)}
    sliders = [
        Field(name, "", min(first, most), "slider", "value" if name == "feature" else "query",
              low=1, high=most, step=1)
        for name, (first, most) in counted.items()
    ]  # fmt: skip
    typed = Field("typed", "", TYPED, "row", "weights", about=f"÷ √{WIDTH}")
    taken = Field("taken", "", "all", "choice", options=TAKEN)
    return [taken, *whose.attention_fields(trace), *sliders, typed]


def _weigh(
    trace: Trace, kind: Any, layer: Any, head: Any, word: Any, feature: Any, taken: Any, typed: Any
) -> Row:
    chosen, at = whose.read_attention(trace, kind, layer)
    where = attention_at(chosen, at)
    context = trace[f"{where}/context"][0]  # (H, T, K)
    count, rows, inside = context.shape
    limits = (("head", head, count), ("word", word, rows), ("feature", feature, inside))
    own, query, number = (whose.read_up_to(*each) for each in limits)
    scores = trace[f"{where}/masked"][0, own, query].cpu()  # (S,)
    values = trace[f"{where}/v"][0, trace.config.of(where).key_head(own), :, number].cpu()  # (S,)
    return weigh_values(scores, values, taken, typed), query, float(context[own, query, number])


def _verdict(taken: str, query: str, words: Sequence[str], found: Weighed, recorded: float) -> str:
    """What the sum is beside the number in the run."""
    look = current_look()
    known = {"query": literal(visible(query)), "recorded": look.number(recorded)}
    known |= {"difference": look.number(abs(found.total - recorded))}
    known |= {"total": look.number(found.total), "words": literal(" ".join(map(visible, words)))}
    if taken != "all":
        return say("lab_weighted_values.verdict_two", **known)
    alike = abs(found.total - recorded) <= ROUNDING * max(1.0, abs(recorded))
    return say(f"lab_weighted_values.verdict_{'all' if alike else 'switched'}", **known)
