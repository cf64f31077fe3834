"""Shapes and strides of the run's own heads, and the view that torch refuses."""

from functools import partial
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.memory.figures import memory_table
from glassformer.app.plots.labels import visible
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import attention_at, attention_sides
from glassformer.core.lab.memory import MOST_AXES, WAYS, Laid, lay_out
from glassformer.core.trace.trace import Trace


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("memory")
    whose.tell_stand_in()
    trace = whose.bench_trace()
    config, kind = trace.config, whose.kind_in("memory", trace)
    words = attention_sides(trace, kind)[0].labels
    counted = {"word": (3, len(words)), "head": (2, config.n_heads), "feature": (5, config.d_k)}
    fields = [
        Field("way", "", "concat", "choice", "value", options=WAYS),
        *whose.attention_fields(trace),
        *(
            Field(name, "", min(first, most), "slider", "value", low=1, high=most, step=1)
            for name, (first, most) in counted.items()
        ),
        Field("shape", "", (1, -1, config.inner_width), "row", grow=("columns",), most=MOST_AXES),
    ]
    answer = kit.compute_from_inputs("memory", fields, partial(_memory, trace))
    watched, found = answer.result
    with box("across", "lab_memory_rows"):
        st.html(memory_table(found, texts, look))
    word, head, feature = watched
    named = {"word": literal(visible(words[word])), "head": head + 1, "feature": feature + 1}
    sizes = {"heads": config.n_heads, "inside": config.d_k, "words": len(words)}
    tensor = say(f"lab_memory.of_{answer.typed['way']}")
    st.markdown(say("lab_memory.watched", tensor=tensor, **named))
    alone, _, copied, _ = found[-4:]
    verdict = "unfit" if copied.error else "raises" if alone.error else "runs"
    st.markdown(say(f"lab_memory.{verdict}", **sizes))


def _memory(
    trace: Trace, way: Any, kind: Any, layer: Any, shape: Any, **watched: Any
) -> tuple[tuple[int, int, int], tuple[Laid, ...]]:
    """Word, head and feature that are watched, from 0, and the steps."""
    where = attention_at(*whose.read_attention(trace, kind, layer))
    name = "q" if way == "split" else "context"
    heads = trace[f"{where}/{name}"][:1].cpu()  # (1, H, T, K)
    _, count, words, inside = heads.shape
    limits = {"word": words, "head": count, "feature": inside}
    word, head, feature = (whose.read_up_to(n, watched[n], limits[n]) for n in limits)
    return (word, head, feature), lay_out(heads, way, (word, head, feature), shape)
