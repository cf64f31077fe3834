"""The residual stream with a way around every sub-layer, and each one's share in it."""

from functools import lru_cache
from typing import Any

import torch

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab import whose as of_bench
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.skips.figures import skips_figure
from glassformer.app.plots.labels import visible
from glassformer.app.ui.chart import current_look
from glassformer.app.words import say
from glassformer.core.lab.inputs import read_choice
from glassformer.core.lab.skips import Skips, follow_skips, skips

WHOSE = ("untrained", "model")
SKIPS = (
    Field("whose", "", "untrained", "choice", options=WHOSE),
    Field("place", "", "post", "choice", "norm", options=("post", "pre")),
    Field("layers", "N", 6, "slider", low=1, high=8, step=1),
    Field("width", "d_model", 64, "slider", low=8, high=128, step=4),
    Field("seed", "", 0, low=0, step=1),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("skips")
    of_bench.tell_stand_in()
    answer = kit.compute_from_inputs("skips", SKIPS, _skips, note=_whose)

    def draw(answer: kit.Answer[tuple[str, Skips]]) -> None:
        _, found = answer.result
        kit.draw_chart("skips", skips_figure(found, texts, look))

    kit.draw_with_foresight(answer, draw)


def _skips(whose: Any, **sizes: Any) -> tuple[str, Skips]:
    if read_choice("whose", whose, WHOSE) == "untrained":
        return whose, _untrained(**sizes)
    model, ids = of_bench.transformer(), of_bench.bench_trace()["source/ids"][:1]
    with torch.no_grad():
        x = model.source_embedding(torch.as_tensor(ids, device=model.generator.weight.device))
    return whose, follow_skips(model.encoder, x)


_untrained = lru_cache(maxsize=32)(skips)


def _whose(result: tuple[str, Skips], _edited: bool) -> str:
    """Which stack is drawn: N, d_model and the seed are of the untrained one alone."""
    whose, found = result
    layers, place = len(found.around) // 2, say(f"lab_skips.place_{found.place}")
    if whose == "untrained":
        return say("lab_skips.of_untrained", layers=layers, place=place)
    words = " ".join(map(visible, of_bench.bench_trace().source_tokens))
    name = of_bench.model_name()
    return say("lab_skips.of_model", layers=layers, place=place, words=words, model=name)
