"""One layer used N times, copies of it, and layers drawn apart, after some training steps."""

from functools import lru_cache
from html import escape

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.clones.figures import clones_figure
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.plots.heat import largest_magnitude
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.lab.clones import Trained, clones

CLONES = (
    Field("layers", "N", 6, "slider", low=2, high=6, step=1),
    Field("width", "d_model", 16, "slider", low=4, high=32, step=4),
    Field("steps", "", 1, "slider", low=1, high=20, step=1),
    Field("seed", "", 0, low=0, step=1),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("clones")
    answer = kit.compute_from_inputs("clones", CLONES, _clones)
    places = {}
    for way, each in answer.result.items():
        numbers = {
            "objects": each.objects,
            "parameters": f"{each.parameters:,}",
            "before": look.number(each.apart_before),
            "after": look.number(each.apart),
            "first": look.number(each.losses[0]),
            "last": look.number(each.losses[1]),
        }
        said = say("lab_clones.numbers", **numbers)
        st.html(f"<b>{escape(texts[way])}</b>{say('language.gap')}{escape(said)}")
        places[way] = box("fill slim", f"lab_clones_{way}")

    def draw(answer: kit.Answer[dict[str, Trained]]) -> None:
        stacks = answer.result
        # One scale for all.
        limit = largest_magnitude(*(each.moved.numpy() for each in stacks.values()))
        for way, each in stacks.items():
            with places[way]:
                figure = clones_figure(each, limit, texts, look)
                alt = texts["alt"].format(stack=texts[way])
                show_chart(figure, f"lab_clones_{way}_chart", alt, fill=True)

    kit.draw_with_foresight(answer, draw)


_clones = lru_cache(maxsize=32)(clones)
